"""What an estimator is given: a tally, and the reports themselves where a method can use them.

Likelihood methods ask for less, :class:`Observations`: anything that tells how likely it is under a
distribution, as components of a mixture do, or reports to several services.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.errors import ErrorModel
from sottovoce.answers.trace import Reduction
from sottovoce.base.caches import state_without_caches
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.rows import Rows
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Domain
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares

__all__ = ["Observed", "Fit", "Observations", "Rearranged"]


class Observations(ABC):
    """What was seen of n people, as far as a likelihood needs it."""

    rows: Rows | None = None
    """The reports as wholes, where they tell more than ``cells``."""

    def __getstate__(self) -> dict[str, Any]:
        return state_without_caches(self)

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """What their values may be."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """What each of them spent."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Whose reports these are, for messages."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many people."""

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """What the mechanism does to a distribution."""

    @property
    @abstractmethod
    def cells(self) -> Floats:
        """How many fell in each cell."""

    @cached_property
    def unbiased(self) -> UnbiasedShares | None:
        """Unbiased shares and their noise, where there are any."""
        return None

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
    @abstractmethod
    def likelihood(self) -> str:
        """Which likelihood :meth:`em_step` climbs, in words."""


@dataclass(frozen=True, eq=False)
class Rearranged(Observations):
    """What was seen of the same people, told otherwise: in groups, or about components."""

    whole: Observations

    @property
    def domain(self) -> Domain:
        return self.whole.domain

    @property
    def epsilon(self) -> float:
        return self.whole.epsilon

    @property
    def name(self) -> str:
        return self.whole.name

    @property
    def n(self) -> int:
        return self.whole.n


@dataclass(frozen=True, eq=False)
class Observed(Observations):
    """A tally with its channel; ``reports`` where the whole reports are at hand."""

    tally: Tally
    reports: Reports | None = None

    @classmethod
    def of(cls, given: Tally | Reports) -> Observed:
        """From what a person has; no reports at all are refused."""
        reports = given if isinstance(given, Reports) else None
        tally = given if reports is None else reports.mechanism.tally(reports)
        if not isinstance(tally, Tally):
            raise InvalidInput("observed", "estimate", "a Tally or Reports", given)
        if tally.n == 0:
            raise InvalidInput("n", f"tally of {tally.mechanism.name}", "at least 1", 0)
        return cls(tally, reports)

    @property
    def mechanism(self) -> Mechanism:
        """Whose reports these are."""
        return self.tally.mechanism

    @property
    def domain(self) -> Domain:
        return self.mechanism.domain

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def n(self) -> int:
        return self.tally.n

    @cached_property
    def channel(self) -> Channel:
        return self.mechanism.channel()

    @cached_property
    def cells(self) -> Floats:
        return self.tally.cells.astype(np.float64)

    @cached_property
    def rows(self) -> Rows | None:  # type: ignore[override]
        return None if self.reports is None else self.mechanism.rows(self.reports)

    @cached_property
    def unbiased(self) -> UnbiasedShares | None:
        return None if self.channel.inverse is None else unbiased_shares(self.tally)

    @property
    def likelihood(self) -> str:
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
    error_model: ErrorModel | None = None
    """Its errors, where the method knows them itself; else its fit is repeated to see them."""
    trace: tuple[Reduction, ...] = ()
    """The steps of a reduction."""
