"""Memory of one bit a value: each is kept, and told, by itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds, log_above
from sottovoce.base.randomness import Source
from sottovoce.channels.base import Floats
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.memory import Memory
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._bytewise_bits import BitChances, draw_bits
from sottovoce.mechanisms._memo_rounds import OWNER, Fresh, Rounds

__all__ = ["MOST_BITS", "KeptBits"]

MOST_BITS = 20
"""Bits of a memo up to which it is no fingerprint of a device."""


@dataclass(frozen=True)
class KeptBits(Rounds):
    """A bit for each value is kept; told, a one stays with weight ``stay``, a zero rises with ``rise``."""

    half: bool = False
    """Whether a one stays with chance 1/2, as in L-OUE and L-SOUE, in place of 1 - rise."""
    names: tuple[str, str] = ("stay", "rise")

    @property
    def is_fingerprint(self) -> bool:
        return bool(self.permanent.domain.size > MOST_BITS)

    @property
    def fresh_words(self) -> int:
        return -(-int(self.permanent.domain.size) // 8)

    def _checked(self, first: int, second: int) -> tuple[int, int]:
        if not 0 < second < first < self.total:
            raise InvalidInput(
                "weights fresh",
                OWNER,
                f"0 < rise < stay < 2^{self.permanent.bits}",
                (first, second),
            )
        return first, second

    def _stay(self, rise: int) -> int:
        return self.total // 2 if self.half else self.total - rise

    def derive(self, epsilon: float) -> tuple[int, int]:
        """The least ``rise``, by bisection: the more zeros rise, the smaller the ratio."""
        least, low, high = exp_bounds(epsilon)[0], 0, self.total // 2

        def keeps(rise: int) -> bool:
            return self.one_report((self._stay(rise), rise)).ratio <= least

        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if keeps(middle) else (middle, high)
        if high >= self.total // 2:
            allowed = f"larger with weights of {self.permanent.bits} bits"
            raise InvalidInput("epsilon", OWNER, allowed, epsilon)
        return self._stay(high), high

    def _chances(self, fresh: Fresh) -> tuple[int, int]:
        """How often one's own bit and another are set after both rounds, over the total squared."""
        stay, rise = fresh
        own, other = self.permanent.weights
        return tuple(bit * stay + (self.total - bit) * rise for bit in (own, other))

    def one_report(self, fresh: Fresh) -> Certificate:
        (own, other), total = self._chances(fresh), self.total**2
        return Certificate(own * (total - other), other * (total - own))

    def from_memo(self, fresh: Fresh) -> Fraction:
        return Fraction(self._one_bit(fresh) ** self.permanent.domain.size)

    def epsilon_from_memo(self, fresh: Fresh) -> float:
        """Of thousands of bits, whose ratio has millions of digits."""
        return log_above(self._one_bit(fresh), self.permanent.domain.size)

    def _one_bit(self, fresh: Fresh) -> Fraction:
        stay, rise = fresh
        return max(Fraction(stay, rise), Fraction(self.total - rise, self.total - stay))

    def composed(self, fresh: Fresh) -> dict[str, int]:
        own, other = self._chances(fresh)
        return {"own": own // self.total, "other": -(-other // self.total)}

    def memory(self, inner: Any, fresh: Fresh) -> Memory:
        stay, rise = (weight / self.total for weight in fresh)

        def told(gains: Floats) -> Floats:
            inside, outside = gains.reshape(-1, 2).T
            pairs = (stay * inside + (1 - stay) * outside, rise * inside + (1 - rise) * outside)
            return np.stack(pairs, axis=1).ravel()

        return Memory(self.permanent.channel(), told)

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        (packed,) = self.tell_many(None, np.frombuffer(memo, dtype=np.uint8)[None], fresh, source)
        return (packed.tobytes(),)

    def tell_many(
        self, hashes: Indices | None, memos: Column, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        """A random byte a bit, and a word more where it equals the first byte of the bit's threshold."""
        stay, rise = fresh
        kept, chances = np.ascontiguousarray(memos), BitChances(rise, stay, self.permanent.bits)
        return (draw_bits(len(kept), self.permanent.domain.size, chances, source, kept),)
