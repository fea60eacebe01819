"""Memory over outputs of a table with two levels: responses, cells of a hash, waves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Floats
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.memory import Leftover, Memory
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._memo_rounds import OWNER, Fresh, Rounds
from sottovoce.mechanisms.local_hashing import HashingChannel
from sottovoce.mechanisms.randomized_response import (
    check_response_weights,
    respond_all,
    respond_one,
)

__all__ = ["KeptCell", "KeptNumber", "KeptOutput"]


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
        high, low, _, _ = self.levels
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

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        return (respond_one(memo, fresh, self.permanent.bits, source),)

    def tell_many(
        self, hashes: Indices | None, memos: Column, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        told = respond_all(memos, fresh, self.permanent.bits, source)
        return (told,) if hashes is None else (hashes, told)


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

    def remember(self, entry: int, source: Source) -> Any:
        return respond_one(entry, self.permanent.weights, self.permanent.bits, source)

    def remember_many(self, entries: Indices, source: Source) -> Column:
        return respond_all(entries, self.permanent.weights, self.permanent.bits, source)

    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        return (hash_, *super().tell(hash_, memo, fresh, source))

    def hash_numbers(self, inner: Any, count: int, source: Source) -> Indices | None:
        return uniform_below_many(inner.family.hashes, count, source).view(np.int64)

    def entries(self, inner: Any, hashes: Indices | None, indices: Indices) -> Indices:
        cells: Indices = inner.family.hash_many(hashes, indices)
        return cells


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


def _ceil(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
