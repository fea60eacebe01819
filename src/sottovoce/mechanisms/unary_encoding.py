"""Unary encoding: one randomized bit a value (OUE, SUE, basic one-time RAPPOR)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.base.randomness import Source
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.kernels.bits import column_counts
from sottovoce.mechanisms._bytewise_bits import BitChances, draw_bits, threshold
from sottovoce.mechanisms._reported_sets import SetRows, set_rows
from sottovoce.mechanisms._support_blocks import (
    SupportBlocks,
    UnaryChannel,
    in_and_out,
    simulate_supports,
)

__all__ = ["UnaryEncoding"]


@register
@dataclass(frozen=True)
class UnaryEncoding(SupportBlocks):
    """A bit for every value: set with probability ``p`` for one's own, ``q`` for any other.

    ``optimized`` (OUE): ``p = 1/2, q = 1/(e^eps + 1)``, n times the variance of a
    rare share ``4 e^eps / (e^eps - 1)^2`` whatever the number of values.
    ``symmetric`` (SUE): ``p = e^(eps/2) / (e^(eps/2) + 1), q = 1 - p``.

    Privacy: two values differ in two bits, so the worst ratio is
    ``p (1 - q) / (q (1 - p))``.

    Randomness: one word decides one's own bit; every other bit takes one random
    byte, and a further word only where that byte equals the first byte of ``q``
    (once in 256).  Bits are thus exact to 2^-62 at little more than a byte
    each.  The bit of one's own value is drawn like the others and then
    replaced, so the words drawn do not depend on the value.

    References: Erlingsson, Pihur, Korolova 2014; Wang, Blocki, Li, Jha 2017.
    """

    name: ClassVar[str] = "unary-encoding"
    aka: ClassVar[dict[str, dict[str, Any]]] = {
        "oue": {"variant": "optimized"},
        "sue": {"variant": "symmetric"},
    }
    weight_names: ClassVar[tuple[str, ...]] = ("own", "other")

    _: KW_ONLY
    variant: str = "optimized"
    """Which two chances the bits have.  Allowed: "optimized" or "symmetric"."""
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_choice(self.variant, "variant", self.name, ("optimized", "symmetric"))
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        total = 2**self.bits
        if self.variant == "optimized":
            own, other = total // 2, ceil_divide(total, exp_bounds(self.epsilon)[0] + 1)
        else:
            other = ceil_divide(total, exp_bounds(self.epsilon, 2)[0] + 1)
            own = total - other
        if other >= own:
            raise InvalidInput(
                "epsilon", self.name, f"larger with weights of {self.bits} bits", self.epsilon
            )
        return own, other

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        own, other = super()._check_weights(weights)
        if not 0 < other < own < 2**self.bits:
            raise InvalidInput("weights", self.name, f"0 < other < own < 2^{self.bits}", weights)
        return own, other

    @property
    def fields(self) -> tuple[BitField]:
        return (BitField("bits", self.domain.size),)

    @property
    def words_per_report(self) -> int:
        return 1 + -(-self.domain.size // 8)

    def respond(self, index: int, source: Source) -> tuple[bytes]:
        own, other = self.weights
        first, rest = threshold(other, self.bits)
        own_bit = int(source.words(1)[0]) < own << (64 - self.bits)
        words = source.words(self.words_per_report - 1).tolist()
        lanes = b"".join(word.to_bytes(8, "little") for word in words)[: self.domain.size]
        ties = iter(source.words(lanes.count(first)).tolist())
        packed = 0
        for value, lane in enumerate(lanes):
            bit = (next(ties) >> 8) < rest if lane == first else lane < first
            packed |= bit << value
        packed &= ~(1 << index)
        packed |= own_bit << index
        return (packed.to_bytes(self.fields[0].width, "little"),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        own, other = self.weights
        own_bits = source.words(len(indices)) < np.uint64(own << (64 - self.bits))
        chances = BitChances(other, other, self.bits)
        packed = draw_bits(len(indices), self.domain.size, chances, source)
        rows, place, bit = np.arange(len(indices)), indices // 8, (indices % 8).astype(np.uint8)
        packed[rows, place] &= ~(np.uint8(1) << bit)
        packed[rows, place] |= own_bits.astype(np.uint8) << bit
        return (packed,)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        ones = column_counts(reports.columns["bits"], self.domain.size)
        return in_and_out(ones, len(reports))

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        own, other = self.weights
        return simulate_supports(counts, own / 2**self.bits, other / 2**self.bits, source)

    def _channel(self) -> UnaryChannel:
        own, other = self.weights
        return UnaryChannel(self.domain.size, own / 2**self.bits, other / 2**self.bits)

    def rows(self, reports: Reports) -> SetRows:
        return set_rows(self, reports, lambda part: part.columns["bits"])

    def certificate(self) -> Certificate:
        total, (own, other) = 2**self.bits, self.weights
        if self.domain.size == 1:  # one bit, always one's own
            return Certificate(1, 1)
        return Certificate(own * (total - other), other * (total - own))

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        column = reports.columns["bits"][:, index // 8]
        return (column >> np.uint8(index % 8)) & np.uint8(1) == 1

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue"]), 1.0)
        yield cls(Categories(17), 0.5)
        yield cls(Categories(8), 2.0, variant="symmetric")
        yield cls(Categories(5), 4.0, bits=16)
        yield cls(Interval(-1, 1, bins=10), 1.0, variant="symmetric")
