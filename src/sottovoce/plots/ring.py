"""A picture of numbers on a ring, such as times of day: a histogram around a clock face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval
from sottovoce.plots.bins import require_equal
from sottovoce.plots.numbers import INK, PALE, TRUTH, histogram

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["draw_ring"]

_TICKS = 8
_HOLE = 0.3
"""The radius of the hole, as a part of the largest share: small shares need room to differ."""


def draw_ring(
    axes: Any,
    estimate: Estimate,
    domain: Interval,
    *,
    truth: Floats | None,
    confidence: float,
) -> None:
    """Shares as wedges from a circle outwards, ``low`` on top and clockwise, with intervals.

    ``axes`` are polar.  What lies below 0 points inwards.
    """
    require_equal(domain, "a ring")
    edges, shares, stderr, known = histogram(estimate, domain, truth)
    turns = 2 * np.pi * (edges - domain.low) / (domain.high - domain.low)
    middles = (turns[:-1] + turns[1:]) / 2
    reach = estimate.reach(confidence) * stderr
    axes.bar(middles, shares, width=0.92 * np.diff(turns), color=PALE, label="estimate")
    axes.vlines(
        middles, shares - reach, shares + reach, color=INK, linewidth=1.0,
        label=f"{100 * confidence:g}% interval",
    )  # fmt: skip
    largest = float(shares.max())
    if known is not None:
        around = np.linspace(0, 2 * np.pi, 20 * len(known) + 1)
        bins = np.minimum(np.searchsorted(turns, around, side="right") - 1, len(known) - 1)
        axes.plot(around, known[bins], color=TRUTH, linewidth=1.4, label="truth")
        largest = max(largest, float(known.max()))
    axes.plot(np.linspace(0, 2 * np.pi, 361), np.zeros(361), color="black", linewidth=0.8)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_rorigin(-_HOLE * largest)
    axes.set_rlim(min(0.0, float(shares.min())), float((shares + reach).max()))
    numbers = np.linspace(domain.low, domain.high, _TICKS, endpoint=False)
    axes.set_xticks(2 * np.pi * np.arange(_TICKS) / _TICKS, [f"{number:.4g}" for number in numbers])
    ticks = optional("matplotlib.ticker", extra="analyse", purpose="Estimate.plot")
    steps = ticks.MaxNLocator(3).tick_values(0.0, largest)
    axes.set_yticks([step for step in steps if 0 < step <= largest])
    axes.set_rlabel_position(float(np.degrees(middles[np.argmin(shares)])))  # where there is room
    axes.tick_params(axis="x", pad=-2)
    axes.tick_params(axis="y", labelsize="x-small", labelcolor="#555555")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
