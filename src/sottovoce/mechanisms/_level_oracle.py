"""The oracle of one level of a hierarchy, with its cells in their place of the stack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import SupportProbabilities
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.mechanisms._linear_family import LinearFamily
from sottovoce.mechanisms.local_hashing import LocalHashing, best_range, collision, digits
from sottovoce.mechanisms.randomized_response import RandomizedResponse, respond_all, respond_one

__all__ = ["LevelOracle", "best_hash_range", "oracle_of_range", "part_of_epsilon"]


def oracle_of_range(size: int, hash_range: int, **options: Any) -> Mechanism:
    """Local hashing of that range; 0 is randomized response on the values themselves."""
    if hash_range:
        return LocalHashing(Categories(size), hash_range=hash_range, **options)
    return RandomizedResponse(Categories(size), **options)


def best_hash_range(size: int, epsilon: float) -> int:
    """The range of local hashing, or 0 where randomized response has no larger mean variance."""
    e, g = math.exp(epsilon), best_range(size, epsilon)
    if digits(size, g) == 1:  # one hash, on as many cells or more
        return 0
    p = e / (e + g - 1)
    hashed = SupportProbabilities(p, collision(p, g, digits(size, g)))
    plain = SupportProbabilities(e / (e + size - 1), 1 / (e + size - 1))
    mean = np.array([1 / size])
    return 0 if plain.variance(mean) <= hashed.variance(mean) else g


def part_of_epsilon(epsilon: float, parts: int) -> float:
    """The largest float of which ``parts`` together are at most ``epsilon``, as decimals."""
    part = epsilon / parts
    while Fraction(repr(part)) * parts > Fraction(repr(epsilon)):
        part = math.nextafter(part, 0.0)
    return part


@dataclass(frozen=True)
class LevelOracle:
    """Randomized response over the cells of a hash; without hashes there is one, the identity.

    ``start`` is where its cells begin in the stack of all levels.
    """

    oracle: Mechanism
    start: int

    @cached_property
    def _family(self) -> LinearFamily | None:
        return self.oracle.family if isinstance(self.oracle, LocalHashing) else None

    @cached_property
    def _shape(self) -> tuple[int, int, int]:
        """The number of hashes, of cells a hash, and the bits of weights."""
        oracle, family = self.oracle, self._family
        assert isinstance(oracle, (LocalHashing, RandomizedResponse))
        hashes, g = (1, oracle.domain.size) if family is None else (family.hashes, family.g)
        return hashes, g, oracle.bits

    def respond(self, node: int, source: Source) -> int:
        """The cell that a device at ``node`` reports: a word for the hash, one for the response."""
        (hashes, g, bits), family = self._shape, self._family
        drawn = uniform_below(hashes, source)
        own = node
        if family is not None:
            own = family.cell(drawn, node)
        return self.start + drawn * g + respond_one(own, self.oracle.weights, bits, source)

    def respond_many(
        self, nodes: Indices, for_hashes: Source, for_responses: Source
    ) -> NDArray[np.int64]:
        """:meth:`respond` for many."""
        (hashes, g, bits), family = self._shape, self._family
        drawn = uniform_below_many(hashes, len(nodes), for_hashes).view(np.int64)
        own = nodes if family is None else family.hash_many(drawn, nodes)
        return self.start + drawn * g + respond_all(own, self.oracle.weights, bits, for_responses)

    def supports(self, cells: Indices, node: int) -> NDArray[np.bool_]:
        """Which cells of the stack, all of this level, support ``node``."""
        (_, g, _), family = self._shape, self._family
        hashes, answers = np.divmod(cells - self.start, g)
        own = np.full(len(cells), node)
        if family is not None:
            own = family.hash_many(hashes, own)
        return np.asarray(answers == own)
