"""Several answers or estimates in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sottovoce.answers.about import share_of
from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.plots.answers import INKS, check_known, draw_over, draw_rows, draw_values
from sottovoce.plots.figures import error_bars, new_figure
from sottovoce.plots.numbers import Look, draw_cumulative, draw_histogram

__all__ = ["draw"]

_KINDS = ("shares", "cdf")


def draw(
    results: Mapping[str, Any] | Sequence[Answer],
    *,
    over: Sequence[Any] | None = None,
    kind: str = "shares",
    truth: Any = None,
    most: int = 20,
    confidence: float = 0.95,
    title: str = "",
    name: str = "",
) -> Any:
    """Draw several answers, or several estimates, with their intervals.

    Parameters
    ----------
    results : sequence of Answer, or mapping
        Answers, or a mapping of names to answers: one row per answer. A mapping of names to answers
        at each position of ``over``: lines. A mapping of names to estimates over one domain: their
        shares. At most five lines or estimates can be distinguished.
    over : sequence, optional
        Positions of answers along a line, such as dates.
    kind : str
        ``"shares"``, or ``"cdf"`` for the share up to each number.
    truth : object, optional
        The truth, where it is known, in the same form as the results.
    most : int
        How many values without order are shown: those of the largest shares of the first estimate.
    confidence : float
        Of the intervals.
    title : str
        Title of the figure.
    name : str
        Label of the axis of numbers.

    Returns
    -------
    matplotlib.figure.Figure
        A figure that a notebook shows.

    Raises
    ------
    InvalidInput
        Where results, positions and truth do not match.
    MissingExtra
        Where matplotlib is not installed (the ``analyse`` extra).

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    >>> e = sv.estimate(m.simulate([600, 400], source=sv.Seeded(1)))
    >>> sv.draw([e.share("tea"), e.share("coffee")], truth=[0.6, 0.4], name="share").axes[0].get_xlabel()
    'share'
    """
    check_choice(kind, "kind", "draw", _KINDS)
    labels = (
        list(results)
        if isinstance(results, Mapping)
        else [label_text(one.label) for one in results]
    )
    named: Mapping[str, Any] = (
        results
        if isinstance(results, Mapping)
        else {str(row): one for row, one in enumerate(results)}
    )
    if not named:
        raise InvalidInput("results", "draw", "at least one answer or estimate", results)
    estimates = {label: one for label, one in named.items() if isinstance(one, Estimate)}
    figure = new_figure(7.2, 4.0, purpose="draw")
    axes = figure.add_subplot()
    if estimates:
        if len(estimates) < len(named):
            raise InvalidInput("results", "draw", "estimates only, or answers only", "both")
        _check_few(named)
        _draw_estimates(axes, estimates, kind, truth, most=most, confidence=confidence, name=name)
    elif over is None:
        figure.set_figheight(1.3 + 0.36 * len(named))
        draw_rows(axes, named, truth, name)
        axes.set_yticks(range(len(labels)), labels)  # several answers may have one label
    else:
        _check_few(named)
        for label, answers in named.items():
            if len(answers) != len(over):
                raise InvalidInput(
                    "over", "draw", f"as long as the answers of {label!r}, {len(answers)}",
                    f"{len(over)} places",
                )  # fmt: skip
        draw_over(axes, named, over, truth, name)
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    return figure


def _check_few(named: Mapping[str, Any]) -> None:
    if len(named) > len(INKS):
        raise InvalidInput("results", "draw", f"at most {len(INKS)} lines", f"{len(named)}")


def _draw_estimates(
    axes: Any,
    estimates: Mapping[str, Estimate],
    kind: str,
    truth: Any,
    *,
    most: int,
    confidence: float,
    name: str,
) -> None:
    first = next(iter(estimates.values()))
    domain = first.domain
    for one in estimates.values():
        if one.domain != domain:
            raise Mismatch(f"estimates over different domains: {domain} and {one.domain}")
    known = None if truth is None else check_known(truth, domain.size)
    if (numbers := domain.numbers or domain.dates) is not None:
        draw_one = draw_cumulative if kind == "cdf" else draw_histogram
        for place, ((label, one), ink) in enumerate(zip(estimates.items(), INKS, strict=False)):
            look = Look(ink, ink, 0.22, label, named_band=False)
            last = known if place == len(estimates) - 1 else None  # on top of all
            draw_one(
                axes, one, numbers, truth=last, confidence=confidence, name=name or "value",
                look=look,
            )  # fmt: skip
        if kind == "shares":
            axes.autoscale(axis="y")  # to the widest band of all
            least = min(float(one.require_shares("draw").min()) for one in estimates.values())
            axes.set_ylim(bottom=0 if least >= 0 else None)
        return
    if kind == "cdf":
        raise Unfit(f"a cdf needs numbers (an Interval); these estimates are over {domain}")
    shown = min(check_int(most, "most", "draw", 1), domain.size)
    order = np.argsort(-first.require_shares("draw"), kind="stable")[:shown]
    _draw_categories(axes, estimates, order, known, confidence)
    axes.set_xlabel(name or share_of(first.about))


def _draw_categories(
    axes: Any,
    estimates: Mapping[str, Estimate],
    order: Any,
    truth: Floats | None,
    confidence: float,
) -> None:
    """A row a value; in it the estimates, one below the other."""
    rows, step = np.arange(len(order)), 0.6 / len(estimates)
    domain = next(iter(estimates.values())).domain
    for place, ((label, one), ink) in enumerate(zip(estimates.items(), INKS, strict=False)):
        shares, bars = one.require_shares("draw"), error_bars(one, confidence)
        axes.errorbar(
            shares[order], rows + step * (place - (len(estimates) - 1) / 2), xerr=bars[:, order],
            fmt="o", color=ink, markersize=5, capsize=3, linewidth=1.6, label=label,
        )  # fmt: skip
    draw_values(axes, domain, order, truth)
