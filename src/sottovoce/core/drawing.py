"""Pictures of estimates, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.core.answer import two_sided
from sottovoce.core.channel import Floats
from sottovoce.core.checks import check_choice, check_int
from sottovoce.core.drawing_numbers import INK, PALE, TRUTH, draw_cumulative, draw_histogram
from sottovoce.core.errors import InvalidInput, Unfit
from sottovoce.core.extras import optional
from sottovoce.core.interval import Interval

if TYPE_CHECKING:
    from sottovoce.core.estimate import Estimate

__all__ = ["KINDS", "draw_estimate"]

KINDS = ("shares", "cdf")


def draw_estimate(
    estimate: Estimate,
    kind: str = "shares",
    *,
    truth: Any = None,
    most: int = 20,
    confidence: float = 0.95,
    title: str = "",
    name: str = "value",
) -> Any:
    """A figure with intervals; ``truth``, the true shares where known, beside the estimate.

    Categories are drawn as the ``most`` largest shares, largest first.  Numbers are drawn
    in their order, as a histogram or (``kind="cdf"``) as the share up to each, with a band that
    holds the truth at each number with ``confidence``; ``name`` stands under the axis.
    """
    figures = optional("matplotlib.figure", extra="analyse", purpose="Estimate.plot")
    check_choice(kind, "kind", "plot", KINDS)
    shares = estimate.require_shares("plot")
    known = _check_truth(truth, len(shares))
    if isinstance(estimate.domain, Interval):
        figure = figures.Figure(figsize=(7.2, 4.0), layout="constrained")
        axes = figure.add_subplot()
        draw = draw_cumulative if kind == "cdf" else draw_histogram
        draw(axes, estimate, estimate.domain, truth=known, confidence=confidence, name=name)
    elif kind == "cdf":
        raise Unfit(f"a cdf needs numbers (an Interval); this estimate is over {estimate.domain}")
    else:
        shown = min(check_int(most, "most", "plot", 1), len(shares))
        figure = figures.Figure(figsize=(7.2, 1.3 + 0.32 * shown), layout="constrained")
        axes = figure.add_subplot()
        _draw_categories(axes, estimate, known, two_sided(confidence) * estimate.stderr, shown)
    axes.set_title(title or f"{estimate.n:,} reports, {estimate.method}", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    return figure


def _check_truth(truth: Any, size: int) -> Floats | None:
    if truth is None:
        return None
    known = np.asarray(truth, dtype=np.float64)
    if known.shape != (size,):
        raise InvalidInput("truth", "plot", f"{size} shares", f"shape {known.shape}")
    return known


def _draw_categories(
    axes: Any, estimate: Estimate, truth: Floats | None, reach: Floats, shown: int
) -> None:
    shares = estimate.require_shares("plot")
    order = np.argsort(-shares, kind="stable")[:shown]
    rows = np.arange(shown)
    axes.barh(rows, shares[order], height=0.66, color=PALE, label="estimate")
    axes.errorbar(
        shares[order],
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
