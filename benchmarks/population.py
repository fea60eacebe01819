"""The people whose values are randomized: the same for us and for every peer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Population", "zipf_population"]


@dataclass(frozen=True, eq=False)
class Population:
    """One value a person, from 0 to ``size - 1``, to be randomized under ``epsilon``."""

    values: NDArray[np.int64]
    size: int
    epsilon: float

    @property
    def n(self) -> int:
        """How many people."""
        return len(self.values)

    @cached_property
    def truth(self) -> NDArray[np.float64]:
        """The share of every value among these very people."""
        return np.bincount(self.values, minlength=self.size) / self.n

    def first(self, people: int) -> Population:
        """The first ``people`` of them, or all if there are fewer."""
        return Population(self.values[:people], self.size, self.epsilon)

    def slices(self, people: int, count: int) -> list[Population]:
        """``count`` different groups of ``people``."""
        if people * count > self.n:
            raise ValueError(f"{count} slices of {people} people need more than {self.n}")
        parts = (self.values[k * people : (k + 1) * people] for k in range(count))
        return [Population(part, self.size, self.epsilon) for part in parts]


def zipf_population(
    people: int, *, size: int = 1024, exponent: float = 1.5, epsilon: float = 1.0, seed: int = 1
) -> Population:
    """People whose values follow Zipf's law: the value of rank r has weight ``r^-exponent``.

    Ranks are dealt to values at random, so that no code gains by values that
    happen to be sorted by size.
    """
    random = np.random.default_rng(seed)
    weights = np.arange(1, size + 1) ** -exponent
    value_of_rank = random.permutation(size)
    ranks = random.choice(size, people, p=weights / weights.sum())
    return Population(value_of_rank[ranks], size, epsilon)
