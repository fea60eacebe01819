"""Standard errors from repetitions: a known truth answers the survey again, and is estimated again.

The error of a replicate, estimate minus truth, is known.  The root mean square of many is the
standard error: it holds the method's bias as well as its noise.  For answers about the
population, the sampling of its people is added: ``w (1 - w) / n`` for a share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Seeded
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats

__all__ = ["Counts", "Replicates", "whole_counts"]

Counts = NDArray[np.int64]


class Replicates(ABC):
    """Errors from replicates; subclasses give the truths and repeat the survey."""

    one_thread: ClassVar[bool] = False
    """Whether products of matrices are left to one thread: many small ones are faster so."""

    @abstractmethod
    def truths(self, source: Seeded) -> list[Floats]:
        """Distributions that could have given the reports, one per replicate."""

    @abstractmethod
    def again(self, counts: Counts, source: Seeded) -> Floats:
        """The shares estimated when people with these counts answer again."""

    @property
    @abstractmethod
    def shares(self) -> Floats:
        """The estimate, a distribution."""

    @property
    def shares_one_by_one(self) -> Floats:
        """The shares whose own sampling error counts; they need not sum to 1."""
        return self.shares

    @property
    @abstractmethod
    def n(self) -> int:
        """How many people."""

    @cached_property
    def errors(self) -> Floats:
        """One row per replicate: estimate minus truth, value by value."""
        source, rows = Seeded(self.n), []
        with one_product_thread() if self.one_thread else nullcontext():
            for truth in self.truths(source):
                counts = whole_counts(truth * self.n, self.n)
                rows.append(self.again(counts, source) - counts / self.n)
        return np.array(rows)

    def stderr(self, about: str) -> Floats:
        variance = np.mean(self.errors**2, axis=0)
        if about == "population":
            shares = self.shares_one_by_one
            variance = variance + shares * (1 - shares) / self.n
        return np.sqrt(variance)

    def stderr_of(self, weights: Floats, about: str) -> float:
        variance = float(np.mean((self.errors @ weights) ** 2))
        if about == "population":
            shares = self.shares
            spread = float(shares @ weights**2 - (shares @ weights) ** 2)
            variance += max(spread, 0.0) / self.n
        return float(np.sqrt(variance))


def whole_counts(counts: Floats, total: int) -> Counts:
    """Whole counts of that total: rounded down, the largest remainders up."""
    whole = np.floor(counts).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - counts, kind="stable")[:missing]] += 1
    return whole
