"""Pictures of estimates, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.about import share_of
from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.plots.figures import error_bars, figure_with_axes, new_figure
from sottovoce.plots.keys import draw_keys
from sottovoce.plots.numbers import (
    INK,
    PALE,
    TRUTH,
    draw_cumulative,
    draw_histogram,
    mark_quantiles,
    mark_range,
)
from sottovoce.plots.ring import draw_ring
from sottovoce.plots.trace import draw_trace

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["KINDS", "draw_estimate"]

KINDS = ("shares", "cdf", "ring", "keys", "trace")
_ROOM = 1.35
"""How many times as high a histogram is whose legend tells of a range, to have room for it."""


def draw_estimate(
    estimate: Estimate,
    kind: str | None = None,
    *,
    key: Any = None,
    truth: Any = None,
    between: Sequence[float] | None = None,
    quantiles: Sequence[float] = (),
    most: int = 20,
    confidence: float = 0.95,
    title: str = "",
    name: str = "value",
    ax: Any = None,
) -> Any:
    """A figure with intervals; ``truth``, the true shares where known, beside the estimate.

    Categories are drawn as the ``most`` largest shares, largest first.  Numbers are drawn
    in their order, as a histogram or (``kind="cdf"``) as the share up to each, with a band that
    holds the truth at each number with ``confidence``; ``name`` stands under the axis.  A histogram
    may fill what lies ``between`` two numbers, a cdf mark ``quantiles``; ``kind="ring"`` bends the
    histogram into a ring, for times of day.  Pairs are drawn (``kind="keys"``) as the ``most`` frequent keys with their means, or with ``key`` as the
    numbers of that one.  ``kind="trace"`` shows the steps of a mixture reduction.

    With ``ax``, axes of a figure of one's own, it is drawn there (polar ones for a ring); not
    for keys and traces, which have several.
    """
    pairs = estimate.domain.keyed
    kind = kind or ("keys" if pairs is not None and key is None else "shares")
    check_choice(kind, "kind", "plot", KINDS)
    _check_axes(kind, ax)
    if kind == "trace":
        return draw_trace(estimate, title=title, name=name)
    if key is not None:
        part, said = estimate.distribution(key), title or f"{key}: {_heading(estimate)}"
        return draw_estimate(
            part, kind, truth=truth, between=between, quantiles=quantiles, most=most,
            confidence=confidence, title=said, name=name, ax=ax,
        )  # fmt: skip
    if between is not None and (kind != "shares" or len(between) != 2):
        raise InvalidInput("between", "plot", 'two numbers, with kind="shares"', between)
    if quantiles and kind != "cdf":
        raise InvalidInput("quantiles", "plot", 'given with kind="cdf"', quantiles)
    known = _check_truth(truth, estimate.domain.size)
    if kind == "keys":
        if pairs is None:
            raise Unfit(
                f'kind="keys" needs pairs of keys and numbers (KeyValues); this estimate is over '
                f"{estimate.domain}"
            )
        shown = min(check_int(most, "most", "plot", 1), pairs.keys.size)
        figure = new_figure(9.0, 1.4 + 0.32 * shown, purpose="Estimate.plot")
        axes = draw_keys(
            figure, estimate, pairs, truth=known, shown=shown, confidence=confidence, name=name
        )
        return _finish(figure, axes, title or _heading(estimate))
    shares = estimate.require_shares("plot")
    if (domain := estimate.domain.numbers or estimate.domain.dates) is not None:
        ring = kind == "ring"
        figure, axes = figure_with_axes(7.2, 4.0, purpose="Estimate.plot", ax=ax, polar=ring)
        if ring:
            draw_ring(axes, estimate, domain, truth=known, confidence=confidence)
            set_title = axes.set_title if ax is not None else figure.suptitle
            return _finish_ring(figure, axes, set_title, title or _heading(estimate), name)
        draw = draw_cumulative if kind == "cdf" else draw_histogram
        draw(axes, estimate, domain, truth=known, confidence=confidence, name=name)
        if kind == "cdf" and quantiles:
            mark_quantiles(axes, estimate, quantiles, confidence)
        if kind == "shares" and between is not None:
            mark_range(axes, estimate, domain, between, confidence)
            axes.set_ylim(top=_ROOM * axes.get_ylim()[1])
    elif kind in ("cdf", "ring") or between is not None:
        hint = "; key= chooses the numbers of one key" if pairs is not None else ""
        asked = "a range" if kind == "shares" else f"a {kind}"
        raise Unfit(
            f"{asked} needs numbers (an Interval); this estimate is over {estimate.domain}{hint}"
        )
    else:
        shown = min(check_int(most, "most", "plot", 1), len(shares))
        height = 1.3 + 0.32 * shown
        figure, axes = figure_with_axes(7.2, height, purpose="Estimate.plot", ax=ax)
        _draw_categories(axes, estimate, known, confidence, shown)
    return _finish(figure, axes, title or _heading(estimate))


def _check_axes(kind: str, ax: Any) -> None:
    if ax is not None and kind in ("trace", "keys"):
        raise InvalidInput("ax", "plot", f"None with kind={kind!r}, which has several axes", ax)


def _heading(estimate: Estimate) -> str:
    return f"{estimate.n:,} reports, {estimate.method}"


def _finish(figure: Any, axes: Any, title: str) -> Any:
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    return figure


def _finish_ring(figure: Any, axes: Any, set_title: Any, title: str, name: str) -> Any:
    axes.spines["polar"].set_visible(False)
    axes.legend(
        frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.12, 0.5), title=name
    )
    set_title(title, x=0.01, ha="left", fontsize="medium")
    return figure


def _check_truth(truth: Any, size: int) -> Floats | None:
    if truth is None:
        return None
    known = np.asarray(truth, dtype=np.float64)
    if known.shape != (size,):
        raise InvalidInput("truth", "plot", f"{size} shares", f"shape {known.shape}")
    return known


def _draw_categories(
    axes: Any, estimate: Estimate, truth: Floats | None, confidence: float, shown: int
) -> None:
    shares = estimate.require_shares("plot")
    order = np.argsort(-shares, kind="stable")[:shown]
    rows = np.arange(shown)
    axes.barh(rows, shares[order], height=0.66, color=PALE, label="estimate")
    axes.errorbar(
        shares[order],
        rows,
        xerr=error_bars(estimate, confidence)[:, order],
        fmt="none",
        ecolor=INK,
        capsize=3,
        label="interval",
    )
    if truth is not None:
        axes.plot(truth[order], rows, "D", color=TRUTH, markersize=5, label="truth")
    axes.set_yticks(rows, [label_text(estimate.domain.label(int(i))) for i in order])
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel(share_of(estimate.about))
