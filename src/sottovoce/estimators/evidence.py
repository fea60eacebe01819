"""What an estimator is given: a tally, and the reports themselves where a method can use them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.core.channel import Channel, Floats
from sottovoce.core.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.noise import Noise
from sottovoce.core.reports import Reports
from sottovoce.core.rows import Rows
from sottovoce.core.tally import Tally

__all__ = ["Evidence", "Fit"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A tally with its channel; ``reports`` where the whole reports are at hand."""

    tally: Tally
    reports: Reports | None = None

    @classmethod
    def of(cls, given: Tally | Reports) -> Evidence:
        """From what a person has; no reports at all are refused."""
        reports = given if isinstance(given, Reports) else None
        tally = given if reports is None else reports.mechanism.tally(reports)
        if not isinstance(tally, Tally):
            raise InvalidInput("evidence", "estimate", "a Tally or Reports", given)
        if tally.n == 0:
            raise InvalidInput("n", f"tally of {tally.mechanism.name}", "at least 1", 0)
        return cls(tally, reports)

    @property
    def mechanism(self) -> Mechanism:
        """Whose reports these are."""
        return self.tally.mechanism

    @property
    def n(self) -> int:
        """How many reports."""
        return self.tally.n

    @cached_property
    def channel(self) -> Channel:
        """What the mechanism does to a distribution."""
        return self.mechanism.channel()

    @cached_property
    def cells(self) -> Floats:
        """The counts of the tally as floats."""
        return self.tally.cells.astype(np.float64)

    @cached_property
    def rows(self) -> Rows | None:
        """The reports as wholes, where they are at hand and tell more than their tally."""
        return None if self.reports is None else self.mechanism.rows(self.reports)

    @cached_property
    def total(self) -> float:
        """The weight of all evidence: n, or n times the blocks of a composite likelihood."""
        return float(self.cells.sum()) if self.rows is None else self.rows.total

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """The ratio that multiplies a distribution in a pass of EM, and its log-likelihood."""
        if self.rows is not None:
            return self.rows.em_step(shares)
        return self.channel.em_step(shares, self.cells)

    @property
    def likelihood(self) -> str:
        """Which likelihood :meth:`em_step` climbs, in words."""
        if self.rows is not None:
            return "joint likelihood of the whole reports"
        if self.channel.blocks == 1:
            return "exact likelihood of the tally"
        apart = "composite likelihood: the counts of a tally taken apart from each other"
        joint = type(self.mechanism).rows is not Mechanism.rows
        return f"{apart}; the reports themselves have a joint one" if joint else apart


@dataclass(frozen=True, eq=False)
class Fit:
    """What an iterative method found, and how it came about.

    ``optimality`` bounds from above how far the log-likelihood is below its maximum
    (or the method's own objective below its best); infinite where it is not known.
    """

    shares: Floats
    converged: bool = True
    iterations: int = 0
    history: tuple[float, ...] = ()
    optimality: float = 0.0
    why: str = ""
    """What the method has to say of itself, such as the smoothing it chose."""
    noise: Noise | None = None
    """Its errors, where the method knows them itself; else its fit is repeated to see them."""
