"""Ratios of the default to the best in hindsight, and what they come to.

    ratio = (auto + t) / (best + t),   t = 2% of the unbiased error (of ``mle``'s where shares have
    no unbiased estimate)

with errors averaged over draws.  Its Monte Carlo error comes from the paired differences of draws:
``above`` says how many standard errors a ratio is above 1.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.defaults.cells import Errors
from benchmarks.defaults.yardstick import Mark

__all__ = ["LIMIT", "Ratio", "ratios_of", "summary"]

LIMIT, NEAR = 1.3, 1.05
_PART = 0.02
_BEYOND = 3.0
_ROUNDING = 1e-12
"""Errors below this are none."""


@dataclass(frozen=True)
class Ratio:
    """One cell, one measure: the ratio, the best method, the standard errors above the limit."""

    cell: str
    measure: str
    ratio: float
    best: str
    above: float

    @property
    def too_high(self) -> bool:
        """Whether it is above the limit beyond Monte Carlo error."""
        return self.ratio > LIMIT and self.above > _BEYOND


def ratios_of(cell: str, auto: Errors, marks: dict[str, Mark]) -> list[Ratio]:
    """The ratio of every measure of a cell, on the first of the draws or on all."""
    found = []
    for measure, mark in marks.items():
        ours = np.array(auto[measure]["auto"])
        best, slack = np.array(mark.draws[: len(ours)]), _PART * mark.unbiased
        excess = ours + slack - LIMIT * (best + slack)
        spread = float(excess.std(ddof=1)) / math.sqrt(len(excess))
        above = float(excess.mean()) / spread if spread > 0 else 0.0
        mean = float(ours.mean())
        nothing = _ROUNDING if mean < _ROUNDING else 0.0
        ratio = max(mean + slack, nothing) / max(float(best.mean()) + slack, _ROUNDING)
        found.append(Ratio(cell, measure, ratio, mark.best, above))
    return found


def summary(ratios: Iterable[Ratio]) -> str:
    """A line a measure and kind of mechanism: mean, worst, how many are near."""
    groups: dict[tuple[str, str], list[Ratio]] = {}
    for one in ratios:
        oracle = one.cell.split(" | ")[1]
        groups.setdefault((one.measure, "all"), []).append(one)
        groups.setdefault((one.measure, oracle), []).append(one)
    lines = [f"{'measure':14} {'mechanism':10} cells  mean  worst  within 5%  above {LIMIT}"]
    for (measure, oracle), some in sorted(groups.items()):
        mean = math.exp(float(np.mean([math.log(one.ratio) for one in some])))
        worst = max(one.ratio for one in some)
        near = sum(one.ratio <= NEAR for one in some) / len(some)
        high = sum(one.too_high for one in some)
        lines.append(
            f"{measure:14} {oracle:10} {len(some):5} {mean:5.3f} {worst:6.2f} {near:9.0%} {high:6}"
        )
    return "\n".join(lines)
