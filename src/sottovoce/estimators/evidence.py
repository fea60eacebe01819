"""What an estimator is given: a tally, and the reports themselves where a method can use them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.core.channel import Channel, Floats
from sottovoce.core.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
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
