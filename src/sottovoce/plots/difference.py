"""A picture of a difference: what grew, what shrank, and what may be noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.answers.about import share_of
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.plots.answers import draw_values
from sottovoce.plots.bins import Drawn, draw_axis
from sottovoce.plots.figures import figure_with_axes
from sottovoce.plots.numbers import INK, PALE, TRUTH

__all__ = ["draw_difference"]

_QUIET = "#9a9a9a"


def draw_difference(
    domain: Domain,
    frame: Frame,
    *,
    truth: Floats | None,
    most: int,
    confidence: float,
    title: str,
    name: str,
    about: str,
    ax: Any = None,
) -> Any:
    """Differences with intervals around a line at 0; dark where noise alone hardly explains them.

    Values without an order are drawn as the ``most`` largest differences, from the largest growth to the
    largest loss; numbers in their order, with a band.  ``frame`` is that of the difference.
    """
    shares, high, adjusted = (np.array(frame[key]) for key in ("difference", "high", "adjusted"))
    reach, axis = high - shares, f"difference in {share_of(about)}"
    numbers = domain.numbers or domain.dates
    height = 4.0 if numbers is not None else 1.3 + 0.32 * min(most, len(shares))
    figure, axes = figure_with_axes(7.2, height, purpose="Difference.plot", ax=ax)
    if numbers is not None:
        drawn = Drawn.of(numbers, numbers.edges)
        edges, shares, reach = drawn.edges, drawn.heights(shares), drawn.heights(reach)
        axes.stairs(
            shares + reach, edges, baseline=shares - reach, fill=True, color=PALE, alpha=0.7,
            linewidth=0, label=f"{100 * confidence:g}% interval",
        )  # fmt: skip
        axes.stairs(shares, edges, baseline=None, color=INK, linewidth=1.4, label="difference")
        if truth is not None:
            axes.stairs(
                drawn.heights(truth),
                edges,
                baseline=None,
                color=TRUTH,
                linewidth=1.2,
                label="truth",
            )
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_ylabel(f"{axis} {drawn.per}".rstrip())
        draw_axis(axes, numbers, name)
    else:
        clear = adjusted < 1 - confidence
        _draw_values(axes, domain, shares, reach, clear=clear, truth=truth, most=most)
        axes.set_xlabel(axis)
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    return figure


def _draw_values(
    axes: Any,
    domain: Domain,
    shares: Floats,
    reach: Floats,
    *,
    clear: Any,
    truth: Floats | None,
    most: int,
) -> None:
    largest = np.argsort(-np.abs(shares), kind="stable")[:most]
    order = largest[np.argsort(-shares[largest], kind="stable")]
    rows = np.arange(len(order))
    for told, ink, label in ((clear, INK, "differs"), (~clear, _QUIET, "may be noise")):
        here = told[order]
        if here.any():
            axes.errorbar(
                shares[order][here], rows[here], xerr=reach[order][here], fmt="o", color=ink,
                markersize=6, capsize=4, linewidth=1.6, label=label,
            )  # fmt: skip
    draw_values(axes, domain, order, truth)
    axes.locator_params(axis="x", nbins=6)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
