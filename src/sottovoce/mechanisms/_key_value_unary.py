"""Keys by unary encoding: a report says of every key whether it is set, and if so with which number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.exact import ceil_divide
from sottovoce.base.randomness import Queue, Source, uniform_below, uniform_below_many
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column, Field, RowField
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.kernels.bits import column_counts
from sottovoce.mechanisms._key_value_channel import UnaryPairsChannel
from sottovoce.mechanisms._key_value_numbers import ReportedNumbers, RoundedNumbers

__all__ = ["UnaryKeys"]


@dataclass(frozen=True)
class UnaryKeys:
    """One's own key is set with weight ``own`` and a true number, another with ``other`` and a
    made-up one.

    Randomness: a word for one's own key; a byte a key, and a further word where it equals the
    first byte of ``other``; the made-up numbers of all keys that are set by then, one's own among
    them; a word for one's own number.  Only then is one's own key put in: the words drawn do
    not depend on the pair.
    """

    weight_names: ClassVar[tuple[str, ...]] = ("own", "other")

    numbers: ReportedNumbers
    keys: int
    pairs: int | None
    bits: int
    own: int
    other: int

    @staticmethod
    def derive(numbers: ReportedNumbers, ratio: Fraction, bits: int) -> tuple[int, int]:
        """``own`` is one half.  Set with a number at its top or unset, against the other way round:
        ``(low + top) outputs / total * (2^bits - other) / other`` is at most ``ratio``."""
        top = Fraction((numbers.low + numbers.top) * numbers.outputs, numbers.total)
        return 2 ** (bits - 1), ceil_divide(2**bits, ratio / top + 1)

    @property
    def no_pair(self) -> int:
        """The key of nobody."""
        return self.keys

    @property
    def _rounded(self) -> bool:
        return isinstance(self.numbers, RoundedNumbers)

    @property
    def fields(self) -> tuple[Field, ...]:
        if self._rounded:
            return BitField("set", self.keys), BitField("high", self.keys)
        return (RowField("cell", self.numbers.cells + 1, self.keys),)

    @property
    def cells(self) -> int:
        return self.keys * (self.numbers.cells + 1)

    @property
    def blocks(self) -> int:
        return self.keys

    @property
    def words_per_report(self) -> int:
        """Those of the keys, and of numbers as many as there can be."""
        numbers = -(-self.keys // 64) if self._rounded else self.keys
        return 2 + -(-self.keys // 8) + numbers

    # -- device ------------------------------------------------------------------------

    def respond_many(self, keys: Indices, places: Indices, source: Source) -> tuple[Column, ...]:
        """Reports of people with these keys (or ``no_pair``) and places of numbers."""
        n, (own, first, rest) = len(keys), self._thresholds
        own_set = source.words(n) < np.uint64(own)
        words = source.words(n * -(-self.keys // 8)).astype("<u8", copy=False)
        lanes = np.ascontiguousarray(words.view(np.uint8).reshape(n, -1)[:, : self.keys])
        is_set = lanes < first
        ties = np.nonzero(lanes == first)  # row by row, as the device meets them
        is_set[ties] = (source.words(len(ties[0])) >> np.uint64(8)) < np.uint64(rest)
        people = np.flatnonzero(keys != self.no_pair)
        own_keys = people, keys[people]
        if self._rounded:
            made_up = self._made_up_bits(n, source)
            is_set[own_keys] = own_set[people]
            high = self._own_cells(places, source)[people].astype(np.uint8)
            byte, bit = (people, keys[people] // 8), (keys[people] % 8).astype(np.uint8)
            made_up[byte] = made_up[byte] & ~(np.uint8(1) << bit) | high << bit
            packed = np.packbits(is_set, axis=1, bitorder="little")
            return packed, packed & made_up
        cells = self._made_up_cells(is_set, source)
        own_cells = np.where(own_set, self._own_cells(places, source) + 1, 0)
        cells[own_keys] = own_cells[people]
        return (cells,)

    @property
    def _thresholds(self) -> tuple[int, int, int]:
        """The 64-bit threshold of one's own key; the first byte and the other 56 bits of another's."""
        own, other = self.own << (64 - self.bits), self.other << (64 - self.bits)
        return own, other >> 56, other & (2**56 - 1)

    def _made_up_bits(self, n: int, source: Source) -> NDArray[np.uint8]:
        """High or low for every key, packed; of those not set it will be masked."""
        words = source.words(n * -(-self.keys // 64)).astype("<u8")
        return words.view(np.uint8).reshape(n, -1)[:, : -(-self.keys // 8)]

    def _made_up_cells(self, is_set: NDArray[np.bool_], source: Source) -> Column:
        """1 more than the cell of a uniform number for every key that is set, 0 for the others."""
        cells = np.zeros(is_set.shape, dtype=np.min_scalar_type(self.numbers.cells))
        count, outputs = int(is_set.sum()), self.numbers.outputs
        if len(is_set) == 1:  # a device draws again at once, a batch after all others
            queue = Queue(source.words(count), source)
            drawn = np.array([uniform_below(outputs, queue) for _ in range(count)], dtype=np.int64)
        else:
            drawn = uniform_below_many(outputs, count, source).view(np.int64)
        cells[is_set] = 1 + self.numbers.cells_of(drawn)
        return cells

    def _own_cells(self, places: Indices, source: Source) -> Indices:
        """The cells of true numbers."""
        numbers = self.numbers
        drawn = uniform_below_many(numbers.total, len(places), source)
        near = drawn < np.uint64(numbers.added)
        anywhere = ((drawn - np.uint64(numbers.added)) // np.uint64(numbers.low)).view(np.int64)
        return numbers.cells_of(np.where(near, numbers.added_outputs(places, drawn), anywhere))

    # -- collector ---------------------------------------------------------------------

    def cell_expression(self) -> None:
        """None: a report falls in a cell of every key."""

    def count(self, reports: Reports) -> NDArray[np.int64]:
        n, size = len(reports), self.numbers.cells + 1
        if self._rounded:
            is_set, high = (reports.columns[name] for name in ("set", "high"))
            ones = column_counts(is_set, self.keys)
            highs = column_counts(np.bitwise_and(is_set, high), self.keys)
            return np.stack([n - ones, ones - highs, highs], axis=1).ravel()
        cells, blocks = np.zeros(self.cells, dtype=np.int64), np.arange(self.keys) * size
        rows = max(1, 2**20 // self.keys)
        for start in range(0, n, rows):
            part = reports.columns["cell"][start : start + rows].astype(np.int64)
            np.add.at(cells, (part + blocks).ravel(), 1)  # no second array of all cells
        return cells

    def simulate(self, counts: NDArray[np.int64], nobody: int, source: Source) -> NDArray[np.int64]:
        """Key by key: the holders by what they hold, all others alike."""
        random, numbers, whole = source.generator(), self.numbers, 2**self.bits
        people = int(counts.sum()) + nobody
        own = random.binomial(counts, self.own / whole)
        near = random.binomial(own, numbers.added / numbers.total)
        others = random.binomial(people - counts.sum(axis=1), self.other / whole)
        alike = others + (own - near).sum(axis=1)
        cells = random.multinomial(alike, numbers.uniform) + numbers.simulate_added(near, random)
        return np.column_stack([people - cells.sum(axis=1), cells]).ravel()

    # -- analyst and auditor -------------------------------------------------------------

    def channel(self) -> UnaryPairsChannel:
        whole = 2**self.bits
        return UnaryPairsChannel(
            self.numbers, self.keys, own=self.own / whole, other=self.other / whole,
            nobody=None if self.pairs is None else 0.0,
        )  # fmt: skip

    def certificate(self) -> Certificate:
        """The largest ratio between two sets S and S' of at most l pairs, over all reports.

        Relative to the law of no pair, a key of S multiplies the weight of a report by one of
        ``most`` (set, at the top of its number), ``least`` (set, off it) and ``unset``.  The law of
        S is the mean over l slots, an empty one counting 1.  With p keys in S alone, q in S' alone
        and c in both, the ratio is

            (p most + c x + l - p - c) / (q min(least, unset) + c y + l - q - c)

        where keys of both have ``(x, y) = (most, least)``, or are all unset: ``x = y = unset``.  It
        is largest at a corner of the polytope of (p, q, c); see the proof page.
        """
        numbers, whole, slots = self.numbers, 2**self.bits, self.pairs or 1
        kept = self.own * numbers.outputs * (whole - self.other)
        most, least = kept * (numbers.low + numbers.top), kept * numbers.low
        unset = (whole - self.own) * self.other * numbers.total
        empty = (whole - self.other) * self.other * numbers.total  # what all are multiples of
        worst = Fraction(1)
        for p, q, c in _corners(self.keys, min(slots, self.keys)):
            for x, y in ((most, least), (unset, unset)):
                above = p * most + c * x + (slots - p - c) * empty
                below = q * min(least, unset) + c * y + (slots - q - c) * empty
                worst = max(worst, Fraction(above, below))
        return Certificate(worst.numerator, worst.denominator)

    def supports(self, reports: Reports, key: int, place: int) -> NDArray[np.bool_]:
        """Reports with the key set to a number that its position makes more likely."""
        if key == self.no_pair:
            return np.zeros(len(reports), dtype=bool)
        if self._rounded:
            is_set, high = (
                (reports.columns[name][:, key // 8] >> np.uint8(key % 8)) & 1
                for name in ("set", "high")
            )
            cells = is_set * (1 + high)
        else:
            cells = reports.columns["cell"][:, key]
        return np.concatenate([[False], self.numbers.supported(place)])[cells]


def _corners(keys: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Corners of the polytope of counts (in S alone, in S' alone, in both), all whole numbers.

    S and S' have 1 to ``most`` keys each, together at most ``keys``.  At a corner both sizes are 1 or
    ``most``, or the sets are disjoint and hold all keys; and the union is as small or as large as
    the sizes allow.
    """
    ends = {1, most}
    sizes = {*product(ends, ends), *((n, keys - n) for n in ends), *((keys - n, n) for n in ends)}
    for s, t in sorted(sizes):
        if min(s, t) >= 1 and max(s, t) <= most:
            for union in {max(s, t), min(keys, s + t)}:
                yield union - t, union - s, s + t - union
