"""The two rounds of a memoized mechanism, in integers.

Round 1 is drawn once for an input and kept: a report of the inner mechanism at the lifetime's epsilon.
Round 2 is drawn from it afresh in every window.  Over a table whose chances take two levels, *send what is
kept with chance a, else any output alike* gives the two levels of the inner mechanism at a smaller epsilon:

    a h + (1 - a)/N   and   a l + (1 - a)/N.

With N outputs their ratio is at most E where ``a (N (h - E l) + E - 1) <= E - 1``.  Bits are not outputs of
such a table together, so each is drawn by itself: it stays with chance ``stay``, rises with chance ``rise``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Floats
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.memory import Leftover, Memory
from sottovoce.domains.base import Indices
from sottovoce.mechanisms.local_hashing import HashingChannel, LocalHashing
from sottovoce.mechanisms.randomized_response import (
    RandomizedResponse,
    check_response_weights,
    respond_all,
    respond_one,
)
from sottovoce.mechanisms.square_wave import SquareWave
from sottovoce.mechanisms.unary_encoding import UnaryEncoding

__all__ = ["MOST_BITS", "Fresh", "Rounds", "rounds_of"]

OWNER = "memoized"
MOST_BITS = 20
"""Bits of a memo up to which it is no fingerprint of a device."""

Fresh = tuple[int, int]
"""The two weights of round 2."""


@dataclass(frozen=True)
class Rounds(ABC):
    """What is kept, and how it is told; ``permanent`` is the inner mechanism of round 1."""

    permanent: Any

    names: tuple[str, str] = ("", "")
    """What the two weights of round 2 are called."""

    @property
    def is_fingerprint(self) -> bool:
        """Whether a memo tells its device from most others."""
        return False

    @property
    def fresh_words(self) -> int:
        """Words that round 2 draws."""
        return 1

    @property
    def total(self) -> int:
        """What the weights of round 2 are over."""
        return int(2**self.permanent.bits)

    def check(self, weights: Any) -> Fresh:
        """Weights of round 2 that came from outside."""
        if not isinstance(weights, dict) or set(weights) != set(self.names):
            allowed = f"whole numbers named {' and '.join(self.names)}"
            raise InvalidInput("weights fresh", OWNER, allowed, weights)
        first, second = (check_int(weights[k], f"weight {k}", OWNER, 0) for k in self.names)
        return self._checked(first, second)

    @abstractmethod
    def _checked(self, first: int, second: int) -> tuple[int, int]:
        """Weights that fill the table."""

    @abstractmethod
    def derive(self, epsilon: float) -> tuple[int, int]:
        """The weights of least noise with which one report keeps epsilon."""

    @abstractmethod
    def one_report(self, fresh: Fresh) -> Certificate:
        """The worst ratio of both rounds together, exactly."""

    @abstractmethod
    def from_memo(self, fresh: Fresh) -> Fraction:
        """The worst ratio of round 2 alone, between any two kept answers."""

    @abstractmethod
    def composed(self, fresh: Fresh) -> dict[str, int]:
        """Weights of the inner mechanism that draw as both rounds do, to a part in 2^bits."""

    @abstractmethod
    def memory(self, inner: Any, fresh: Fresh) -> Memory:
        """What windows share."""

    # -- drawing: hash, entry, memo, report ------------------------------------------------

    def hash_number(self, inner: Any, source: Source) -> int:
        """The hash that a device keeps; 0 where there are none."""
        return 0

    def entry(self, inner: Any, hash_: int, index: int) -> int:
        """Which memo speaks for an input: the cell of a hash, or the input itself."""
        return index

    @abstractmethod
    def remember(self, entry: int, source: Source) -> Any:
        """Round 1: the memo of an entry."""

    @abstractmethod
    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        """Round 2: a report from a memo."""

    @abstractmethod
    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        """Hash, memo and report of many devices."""


@dataclass(frozen=True)
class KeptOutput(Rounds):
    """A table of two levels: send the memo with weight ``keep``, else any output with ``other`` each."""

    names: tuple[str, str] = ("keep", "other")

    @cached_property
    def levels(self) -> tuple[int, int, int, int]:
        """The larger and the smaller weight of an output in round 1, their total, and the outputs."""
        keep, other = self.permanent.weights
        outputs = self._outputs()
        return keep + other, other, keep + outputs * other, outputs

    def _outputs(self) -> int:
        return int(self.permanent.domain.size)

    def _checked(self, first: int, second: int) -> tuple[int, int]:
        return check_response_weights(
            (first, second), self.levels[3], self.permanent.bits, f"{OWNER}, fresh round"
        )

    def derive(self, epsilon: float) -> tuple[int, int]:
        """``other = ceil(T (h - E l) / (N (h - E l) + E - 1))``: the inequality of this module."""
        high, low, total, outputs = self.levels
        if outputs == 1:
            return self.total, 0
        least = exp_bounds(epsilon)[0]
        above = (high - least * low) / total
        share = self.total * above / (outputs * above + least - 1)
        other = max(1, -(-share.numerator // share.denominator))
        keep = self.total - outputs * other
        if keep <= 0:
            allowed = f"larger with weights of {self.permanent.bits} bits"
            raise InvalidInput("epsilon", OWNER, allowed, epsilon)
        return keep, other

    def _chance(self, weight: int, fresh: Fresh) -> Fraction:
        """The chance of one output after both rounds, whose weight in round 1 is given."""
        keep, other = fresh
        return Fraction(keep * weight + other * self.levels[2], self.total * self.levels[2])

    def one_report(self, fresh: Fresh) -> Certificate:
        high, low, _, outputs = self.levels
        if outputs == 1:
            return Certificate(1, 1)
        ratio = self._chance(high, fresh) / self._chance(low, fresh)
        return Certificate(ratio.numerator, ratio.denominator)

    def from_memo(self, fresh: Fresh) -> Fraction:
        keep, other = fresh
        return Fraction(keep + other, other) if other else Fraction(1)

    def composed(self, fresh: Fresh) -> dict[str, int]:
        _, low, _, outputs = self.levels
        other = _ceil(self.total * self._chance(low, fresh))
        return {"keep": self.total - outputs * other, "other": other}

    def memory(self, inner: Any, fresh: Fresh) -> Memory:
        """``h = a g + (1 - a) mean g``: the memo's own gain where it is sent, else that of any output."""
        keep, sizes = fresh[0] / self.total, self._sizes(inner)

        def told(gains: Floats) -> Floats:
            return keep * gains + (1 - keep) * float(gains @ sizes)

        return Memory(self.permanent.channel(), told)

    def _sizes(self, inner: Any) -> Floats:
        """The part of all outputs that each cell has."""
        return np.full(inner.cells, 1 / inner.cells)

    def remember(self, entry: int, source: Source) -> Any:
        return respond_one(entry, self.permanent.weights, self.permanent.bits, source)

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        return (respond_one(memo, fresh, self.permanent.bits, source),)

    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        bits = self.permanent.bits
        memos = respond_all(indices, self.permanent.weights, bits, source)
        return (respond_all(memos, fresh, bits, source),)


@dataclass(frozen=True)
class KeptCell(KeptOutput):
    """The same over the cells of a hash, which the device keeps for good."""

    def _outputs(self) -> int:
        return int(self.permanent.g)

    def memory(self, inner: Any, fresh: Fresh) -> Memory:
        """The same within each hash, which people keep when their value changes.

        Two values share a cell, and then a memo, under about 1/g of the hashes, and under one hash
        neither speaks for the other's cell alone: ``kappa = q (2 p + (g - 2) q)``, p and q of round 1.
        """
        keep, g = fresh[0] / self.total, self.levels[3]
        high, low, total, _ = self.levels
        p, q = high / total, low / total

        def told(gains: Floats) -> Floats:
            table = gains.reshape(-1, g)
            mixed: Floats = keep * table + (1 - keep) * table.mean(axis=1, keepdims=True)
            return mixed.ravel()

        leftover = Leftover(
            inner.family.leftover, inner.family.points - 1 - inner.family.size, keep**2
        )
        kept = HashingChannel(inner.family, p, q)
        return Memory(
            kept, told, q * (2 * p + (g - 2) * q), leftover if leftover.freedom > 0 else None
        )

    def hash_number(self, inner: Any, source: Source) -> int:
        return uniform_below(inner.family.hashes, source)

    def entry(self, inner: Any, hash_: int, index: int) -> int:
        return int(inner.family.cell(hash_, index))

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        return (hash_, respond_one(memo, fresh, self.permanent.bits, source))

    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        hashes = uniform_below_many(inner.family.hashes, len(indices), source).view(np.int64)
        cells = inner.family.hash_many(hashes, indices)
        return (hashes, *super().draw_many(inner, cells, fresh, source))


@dataclass(frozen=True)
class KeptNumber(KeptOutput):
    """The same over the outputs of a square wave."""

    @cached_property
    def levels(self) -> tuple[int, int, int, int]:
        _, low, unit = self.permanent.weights
        return low + unit, low, self.permanent.total, self.permanent.outputs

    def composed(self, fresh: Fresh) -> dict[str, int]:
        high, low, _, _ = self.levels
        least, most = self._chance(low, fresh), self._chance(high, fresh)
        unit = int(self.total * (most - least))
        return {"width": self.permanent.width, "low": _ceil(self.total * least), "unit": unit}

    def _sizes(self, inner: Any) -> Floats:
        sizes: Floats = np.diff(inner.cell_edges) / inner.outputs
        return sizes

    def remember(self, entry: int, source: Source) -> Any:
        return self.permanent.respond(entry, source)[0]

    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        (memos,) = self.permanent.respond_many(indices, source)
        return (respond_all(memos, fresh, self.permanent.bits, source),)


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
        return int(self.permanent.domain.size)

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
        if self.permanent.domain.size == 1:
            return Certificate(1, 1)
        (own, other), total = self._chances(fresh), self.total**2
        return Certificate(own * (total - other), other * (total - own))

    def from_memo(self, fresh: Fresh) -> Fraction:
        stay, rise = fresh
        bit = max(Fraction(stay, rise), Fraction(self.total - rise, self.total - stay))
        return Fraction(bit**self.permanent.domain.size)

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

    def remember(self, entry: int, source: Source) -> Any:
        return self.permanent.respond(entry, source)[0]

    def _thresholds(self, bits: NDArray[np.uint8], fresh: Fresh) -> NDArray[np.uint64]:
        stay, rise = (np.uint64(weight << (64 - self.permanent.bits)) for weight in fresh)
        return np.where(bits == 1, stay, rise)

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        (packed,) = self._tell_many(np.frombuffer(memo, dtype=np.uint8)[None], fresh, source)
        return (packed.tobytes(),)

    def _tell_many(
        self, memos: NDArray[np.uint8], fresh: Fresh, source: Source
    ) -> NDArray[np.uint8]:
        size = self.permanent.domain.size
        bits = np.unpackbits(memos, axis=1, count=size, bitorder="little")
        words = source.words(bits.size).reshape(bits.shape)
        return np.packbits(words < self._thresholds(bits, fresh), axis=1, bitorder="little")

    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        (memos,) = self.permanent.respond_many(indices, source)
        return (self._tell_many(memos, fresh, source),)


_KINDS: dict[type[Mechanism], Callable[[Any, bool], Rounds]] = {
    RandomizedResponse: lambda permanent, half: KeptOutput(permanent),
    LocalHashing: lambda permanent, half: KeptCell(permanent),
    SquareWave: lambda permanent, half: KeptNumber(permanent),
    UnaryEncoding: lambda permanent, half: KeptBits(permanent, half=half),
}


def rounds_of(permanent: Mechanism, *, half: bool) -> Rounds:
    """The rounds with that mechanism as the first."""
    made = _KINDS.get(type(permanent))
    if made is None or (half and not isinstance(permanent, UnaryEncoding)):
        allowed = ", ".join(kind.name for kind in _KINDS)
        raise InvalidInput("inner", OWNER, f"one of {allowed}", permanent.name)
    return made(permanent, half)


def _ceil(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
