"""What every kind of local hashing shares: randomized response on the cell of a public hash."""

from __future__ import annotations

from typing import Any, ClassVar

from sottovoce.core.certificate import Certificate
from sottovoce.core.mechanism import Mechanism
from sottovoce.mechanisms.randomized_response import check_response_weights, response_weights

__all__ = ["HashedResponse"]


class HashedResponse(Mechanism):
    """A hash drawn without looking at the value, then randomized response over its g cells.

    The hash has the same chance under every value, so the worst ratio is that of
    randomized response on g.  One word draws the hash, one the response.
    """

    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")
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
