"""How bins are drawn: where they begin and end on an axis, and how high a share in them stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats
from sottovoce.domains.edges import drawn
from sottovoce.domains.interval import Interval
from sottovoce.domains.units import with_unit

__all__ = ["Drawn", "draw_axis", "require_equal"]

_LONG = 10_000
"""From here on numbers on the axis have commas."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Edges on the axis, and what a share is divided by for its height.

    Areas are shares: a bin twice as wide is half as high, on a logarithmic axis with widths there.  Equal
    bins are as high as their shares.
    """

    edges: Floats
    sizes: Floats
    per: str
    """What heights are shares per; empty where they are shares in a bin."""

    @classmethod
    def of(cls, domain: Interval, edges: Floats) -> Drawn:
        """The drawing of bins between ``edges``, which are those of the domain or some of them."""
        if domain.uneven is None:
            return cls(edges, np.ones(len(edges) - 1), "")
        if domain.dates is not None:
            return cls(edges, np.diff(edges), "per day")
        per = "per factor of 10" if domain.scale == "log" else f"per {domain.unit or 'unit'}"
        return cls(*drawn(edges, domain.scale), per)

    def heights(self, shares: Floats) -> Floats:
        """How high shares of bins stand."""
        return shares / self.sizes


def draw_axis(axes: Any, domain: Interval, name: str) -> None:
    """The axis of numbers, from bound to bound, under a name with its unit."""
    edges = Drawn.of(domain, domain.edges).edges
    if domain.scale == "log":
        axes.set_xscale("log")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel(with_unit(name, domain.unit))
    if domain.dates is not None:
        axes.xaxis_date()
        return
    if domain.open_end:
        axes.axvline(domain.high, color="#666666", linewidth=0.9, linestyle="--")
        axes.annotate(
            f"{domain.high:,.10g}\nor more", (domain.high, 1), xytext=(3, -3), fontsize="x-small",
            xycoords=("data", "axes fraction"), textcoords="offset points", va="top",
        )  # fmt: skip
    if max(abs(domain.low), abs(domain.high)) >= _LONG:
        ticks = optional("matplotlib.ticker", extra="analyse", purpose="Estimate.plot")
        axes.xaxis.set_major_formatter(ticks.StrMethodFormatter("{x:,.10g}"))


def require_equal(domain: Interval, kind: str) -> None:
    """Refuse a picture that only bins of equal width have."""
    if domain.uneven is not None or domain.dates is not None:
        raise Unfit(f"{kind} needs bins of equal width; this estimate is over {domain}")
