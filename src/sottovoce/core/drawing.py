"""Pictures of estimates, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.core.answer import two_sided
from sottovoce.core.checks import check_int
from sottovoce.core.errors import InvalidInput
from sottovoce.core.extras import optional
from sottovoce.core.interval import Interval

if TYPE_CHECKING:
    from sottovoce.core.estimate import Estimate

__all__ = ["draw_estimate"]

INK, TRUTH, PALE = "#1f4e79", "#d1495b", "#a9c4de"


def draw_estimate(
    estimate: Estimate,
    *,
    truth: Any = None,
    most: int = 20,
    confidence: float = 0.95,
    title: str = "",
) -> Any:
    """A figure of the shares with intervals; ``truth``, where known, as marks beside them.

    Numbers are drawn as a histogram in their order; categories as the ``most``
    largest shares, largest first.
    """
    figures = optional("matplotlib.figure", extra="analyse", purpose="Estimate.plot")
    known = None if truth is None else np.asarray(truth, dtype=np.float64)
    if known is not None and known.shape != estimate.shares.shape:
        raise InvalidInput(
            "truth", "plot", f"{len(estimate.shares)} shares", f"shape {known.shape}"
        )
    reach = two_sided(confidence) * estimate.stderr
    if isinstance(estimate.domain, Interval):
        figure = figures.Figure(figsize=(7.2, 4.0), layout="constrained")
        axes = figure.add_subplot()
        _draw_numbers(axes, estimate, known, reach)
    else:
        shown = min(check_int(most, "most", "plot", 1), len(estimate.shares))
        figure = figures.Figure(figsize=(7.2, 1.3 + 0.32 * shown), layout="constrained")
        axes = figure.add_subplot()
        _draw_categories(axes, estimate, known, reach, shown)
    axes.set_title(title or f"{estimate.n:,} reports, {estimate.method}", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    return figure


def _draw_categories(axes: Any, estimate: Estimate, truth: Any, reach: Any, shown: int) -> None:
    order = np.argsort(-estimate.shares, kind="stable")[:shown]
    rows = np.arange(shown)
    axes.barh(rows, estimate.shares[order], height=0.66, color=PALE, label="estimate")
    axes.errorbar(
        estimate.shares[order],
        rows,
        xerr=reach[order],
        fmt="none",
        ecolor=INK,
        capsize=3,
        label="interval",
    )
    if truth is not None:
        axes.plot(truth[order], rows, "D", color=TRUTH, markersize=5, label="truth")
    axes.set_yticks(rows, [str(estimate.domain.label(int(i))) for i in order])
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("share")


def _draw_numbers(axes: Any, estimate: Estimate, truth: Any, reach: Any) -> None:
    domain = estimate.domain
    assert isinstance(domain, Interval)
    edges, middles = domain.edges, domain.midpoints
    axes.stairs(estimate.shares, edges, fill=True, color=PALE, label="estimate")
    axes.errorbar(
        middles, estimate.shares, yerr=reach, fmt="none", ecolor=INK, elinewidth=1, label="interval"
    )
    if truth is not None:
        axes.stairs(truth, edges, color=TRUTH, linewidth=1.6, label="truth")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("value")
    axes.set_ylabel("share of a bin")
