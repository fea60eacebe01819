"""What every kind of local hashing shares: randomized response on the cell of a public hash."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

from sottovoce.base.randomness import Source, uniform_below_many
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Indices
from sottovoce.mechanisms.randomized_response import (
    check_response_weights,
    respond_all,
    response_weights,
)

__all__ = ["HashFamily", "HashedResponse", "NumberedHashes"]


class HashedResponse(Mechanism):
    """A hash drawn without looking at the value, then randomized response over its g cells.

    The hash has the same chance under every value, so the worst ratio is that of
    randomized response on g.  One word draws the hash, one the response.
    """

    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")
    names_hash: ClassVar[bool] = True
    hash_range: int | None
    bits: int

    @property
    def g(self) -> int:
        """The range of the hashes."""
        assert self.hash_range is not None  # completed at birth
        return self.hash_range

    def _derive_weights(self) -> tuple[int, int]:
        return response_weights(self.epsilon, self.g, self.bits, self.name)

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        return check_response_weights(super()._check_weights(weights), self.g, self.bits, self.name)

    @property
    def words_per_report(self) -> int:
        return 2

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return Certificate(keep + other, other) if self.domain.size > 1 else Certificate(1, 1)


class HashFamily(Protocol):
    """Public hashes with numbers."""

    @property
    def hashes(self) -> int:
        """How many there are."""

    def hash_many(self, hashes: Indices, values: Indices) -> Indices:
        """The cell of ``values[j]`` under hash number ``hashes[j]``."""


class NumberedHashes(HashedResponse):
    """One of a family of public hashes, named in the report by its number.

    Reports are (hash, cell), and the tally has a cell for each such pair.
    """

    @property
    @abstractmethod
    def family(self) -> HashFamily:
        """The hashes."""

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, Column]:
        hashes = uniform_below_many(self.family.hashes, len(indices), source).view(np.int64)
        cells = self.family.hash_many(hashes, indices)
        return hashes, respond_all(cells, self.weights, self.bits, source)

    def cell_expression(self) -> CellExpression:
        return FieldValue("hash") * self.g + FieldValue("cell")
