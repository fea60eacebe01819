"""What a benchmark is and what it says: rows of ours beside another's, with a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.measure import Progress
from benchmarks.population import Population

__all__ = [
    "BYTES",
    "MEAN_SQUARED_ERROR",
    "SECONDS",
    "SECONDS_A_REPORT",
    "Benchmark",
    "Row",
    "Target",
    "between",
    "bytes_below",
    "rate_above",
    "ratio_of",
    "seconds_below",
]

SECONDS = "seconds"
SECONDS_A_REPORT = "seconds a report"
BYTES = "bytes"
MEAN_SQUARED_ERROR = "mean squared error"


@dataclass(frozen=True)
class Row:
    """One comparison.  Less is better in every unit, so ``ratio`` is theirs over ours."""

    benchmark: str
    task: str
    unit: str
    ours: float
    against: str
    theirs: float
    measured_on: str
    """What theirs was measured on, before it was scaled."""
    ratio_at_worst: float | None = None
    """For times: a peer's fastest slice over our slowest call, lest noise flatter us."""
    ratio_of_processor: float | None = None
    """For times: the least processor time of a peer over ours, without waiting for a busy machine."""
    target: Target | None = None
    first_call: float | None = None
    """Seconds of our first call in a fresh process, with whatever was compiled."""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """How many times less ours takes, or errs."""
        return self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        return None if self.target is None else self.target.holds(self)


@dataclass(frozen=True)
class Target:
    """What a row must show, in words and as a test."""

    words: str
    holds: Callable[[Row], bool]


def ratio_of(least: float) -> Target:
    """A ratio of at least ``least``."""
    return Target(f"ratio >= {least:,g}", lambda row: row.ratio >= least)


def between(least: float, most: float) -> Target:
    """A ratio from ``least`` to ``most``: too good would be wrong as well."""
    return Target(f"ratio {least:g} to {most:g}", lambda row: least <= row.ratio <= most)


def rate_above(least: float) -> Target:
    """Ours handles more than ``least`` reports a second."""
    return Target(f"ours > {least / 1e6:g} million/s", lambda row: row.ours < 1 / least)


def bytes_below(most: float) -> Target:
    """Ours stays below ``most`` bytes."""
    return Target(f"ours < {most / 1e9:g} GB", lambda row: row.ours < most)


def seconds_below(most: float) -> Target:
    """Ours takes less than ``most`` seconds."""
    return Target(f"ours < {most:g} s", lambda row: row.ours < most)


@dataclass(frozen=True)
class Benchmark:
    """A named measurement: people in, rows out, progress told meanwhile."""

    name: str
    run: Callable[[Population, Progress], list[Row]]
