"""Hadamard response: a row on which one's own column of signs is plus (HR)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Channel, Floats, Inverse, SupportProbabilities
from sottovoce.channels.support_rule import SupportRule, digits_of
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.kernels.hadamard import parity, random_rows, walsh_hadamard

__all__ = ["HadamardResponse"]


@register
@dataclass(frozen=True)
class HadamardResponse(Mechanism):
    """A row of a Hadamard matrix, e^eps times likelier where one's own column is plus.

    The rows fall into ``block_count`` blocks of b rows, b a power of two, and
    each block serves b - 1 values, one a column (column 0, all plus, would tell
    nothing apart).  Of its block's rows a value has s = b/2 where its column is
    plus.  With K rows in all and ``Z = sE + K - s`` a report is one of these
    with probability E/Z each, and any other row with probability 1/Z.

    One block is the plain mechanism: pure, with ``p = E/(E+1), q = 1/2`` and
    ``n Var = ((E+1)/(E-1))^2 - f``, fine up to epsilon 1.  With more blocks the
    mean variance is about ``(E - 1 + 2 blocks)^2 / (blocks (E-1)^2)``, least near
    (E-1)/2 blocks: ``8/(E-1)``.  By default ``block_count`` is the best; one that is
    given is lowered to what the values fill.

    Two words a report: one decides whether the row is uniform on one's own s
    rows or on all K, the other is the row.  A report is one small integer, the
    tally says all that reports say, and one fast transform decodes it.

    Reference: Acharya, Sun, Zhang 2019.

    >>> import sottovoce as sv
    >>> plain = sv.HadamardResponse(sv.Categories(1000), epsilon=1.0)
    >>> plain.block_count, plain.rows_a_block, plain.cells
    (1, 1024, 1024)
    """

    name: ClassVar[str] = "hadamard-response"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"hr": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep",)
    same_gains: ClassVar[bool] = True

    _: KW_ONLY
    block_count: int | None = None
    """Number of blocks, lowered to those that the values fill; 1 is the plain mechanism.  Allowed:
    1 to d.  Unless given: 1 up to epsilon 1, above it the number of least variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        d = self.domain.size
        if self.block_count is None:
            count = best_count(d, self.epsilon)
        else:
            count = check_int(self.block_count, "block_count", self.name, 1, d)
        object.__setattr__(self, "block_count", filled(d, rows_for(d, count)))

    @property
    def _count(self) -> int:
        assert self.block_count is not None  # completed at birth
        return self.block_count

    @property
    def rows_a_block(self) -> int:
        """b, the order of the matrix."""
        return rows_for(self.domain.size, self._count)

    def _derive_weights(self) -> tuple[int]:
        """The largest keep with ``1 + keep K / (s (2^bits - keep)) <= E``, E below e^epsilon."""
        gain = (exp_bounds(self.epsilon)[0] - 1) * (self.rows_a_block // 2)
        keep = math.floor(2**self.bits * gain / (gain + self.cells))
        if keep == 0:
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for {self.cells} rows with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision the answer would carry nothing.",
            )
        return (keep,)

    def _check_weights(self, weights: Any) -> tuple[int]:
        (keep,) = super()._check_weights(weights)
        if not 0 < keep < 2**self.bits:
            raise InvalidInput("weights", self.name, f"0 < keep < 2^{self.bits}", weights)
        return (keep,)

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("row", self.cells),)

    @property
    def cells(self) -> int:
        return self._count * self.rows_a_block

    @property
    def words_per_report(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int]:
        b = self.rows_a_block
        keep = int(source.words(1)[0]) >> (64 - self.bits) < self.weights[0]
        row = uniform_below(self.cells, source)
        block, column = index % self._count, index // self._count + 1
        within = row % b
        minus = (within & column).bit_count() & 1
        own = block * b + (within ^ minus * (column & -column))
        return (own if keep else row,)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        b = self.rows_a_block
        drawn = source.words(len(indices)) >> np.uint64(64 - self.bits)
        rows = uniform_below_many(self.cells, len(indices), source).view(np.int64)
        blocks, columns = _places(indices, self._count)
        own = rows & (b - 1)
        own ^= parity(own, columns) * (columns & -columns)
        own += blocks * b
        return (np.where(drawn < np.uint64(self.weights[0]), own, rows),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("row")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Of each value a binomial number keeps to its own rows; all others are uniform."""
        random, b = source.generator(), self.rows_a_block
        if counts.sum() < 8 * self.cells * b.bit_length():  # a binomial takes as long as 4 reports
            return super()._simulate(counts, source)
        kept = random.binomial(counts, self.weights[0] / 2**self.bits)
        columns = np.zeros((self._count, b), dtype=np.int64)
        uniform = np.full(self._count, 1 / self._count)
        columns[:, 0] = random.multinomial(int((counts - kept).sum()), uniform)
        columns[_places(np.arange(len(counts)), self._count)] = kept
        return random_rows(columns, random).ravel()

    def _channel(self) -> HadamardChannel:
        return HadamardChannel(self.domain.size, self.rows_a_block, self.weights[0] / 2**self.bits)

    def certificate(self) -> Certificate:
        if self.domain.size == 1:
            return Certificate(1, 1)
        (keep,) = self.weights
        others = (2**self.bits - keep) * (self.rows_a_block // 2)
        return Certificate(others + keep * self.cells, others)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        b, rows = self.rows_a_block, reports.columns["row"].astype(np.int64)
        block, column = index % self._count, index // self._count + 1
        plus = parity(rows, np.full(len(rows), column)) == 0
        return np.asarray((rows // b == block) & plus)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue"]), 1.0)
        yield cls(Categories(20), 0.5)
        yield cls(Categories(30), 3.0)
        yield cls(Categories(12), 2.0, block_count=2)
        yield cls(Categories(9), 2.0, block_count=9, bits=16)
        yield cls(Interval(0, 120, bins=24), 1.0)


class HadamardChannel(Channel):
    """``(A w)[y] = (1 - k)/K + (k/b) (W + H w)[y]``, k the probability to keep to one's own rows.

    In each block H is the matrix of signs and W the sum of its values' w.  The
    mean sign of one's own column is k, of any other 0: ``f = H'x / k``.
    """

    def __init__(self, size: int, rows: int, keep: float) -> None:
        self._rows, self._keep = rows, keep
        self._blocks = filled(size, rows)
        self.inputs, self.cells = size, rows * self._blocks
        self._places = _places(np.arange(size), self._blocks)
        self.support_probabilities = (
            SupportProbabilities((1 + keep) / 2, 0.5) if self._blocks == 1 else None
        )

    def _place(self, values: Floats) -> Floats:
        """Values in the columns of their blocks, and 0 in column 0."""
        placed = np.zeros((self._blocks, self._rows))
        placed[self._places] = values
        return placed

    def _signs(self, cells: Floats) -> Floats:
        """The sum of cells by the signs of each column, block by block."""
        return walsh_hadamard(cells.reshape(self._blocks, self._rows))

    def forward(self, shares: Floats) -> Floats:
        placed = self._place(shares)
        placed[:, 0] = placed.sum(axis=1)
        uniform = (1 - self._keep) / self.cells * shares.sum()
        return uniform + self._keep / self._rows * walsh_hadamard(placed).ravel()

    def adjoint(self, values: Floats) -> Floats:
        signs = self._signs(values)
        own = (signs[:, :1] + signs)[self._places]
        return (1 - self._keep) / self.cells * values.sum() + self._keep / self._rows * own

    @property
    def inverse(self) -> Inverse:
        return _HadamardInverse(self)

    @property
    def support_rule(self) -> SupportRule:
        """The sign of a row in a column: the parity of the digits that both have."""
        count, rows = self._rows.bit_length() - 1, np.arange(self.cells)
        blocks, columns = self._places
        return SupportRule(
            modulus=2,
            vectors=digits_of(rows % self._rows, 2, count),
            targets=np.zeros(self.cells, dtype=np.int64),
            points=digits_of(columns, 2, count),
            inside=1 / self._keep,
            outside=-1 / self._keep,
            cell_blocks=None if self._blocks == 1 else rows // self._rows,
            value_blocks=None if self._blocks == 1 else blocks,
        )

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """``x(block) / k^2 - f``: a report adds 1/k or -1/k to the values of its block."""
        if frequencies is None:
            held = np.bincount(self._places[0], weights=shares, minlength=self._blocks)
            of_block = (1 - self._keep) / self._blocks * shares.sum() + self._keep * held
        else:
            of_block = frequencies.reshape(self._blocks, self._rows).sum(axis=1)
        return np.maximum(0.0, of_block[self._places[0]] / self._keep**2 - shares)


class _HadamardInverse:
    def __init__(self, channel: HadamardChannel) -> None:
        self._channel = channel

    def forward(self, frequencies: Floats) -> Floats:
        channel = self._channel
        return channel._signs(frequencies)[channel._places] / channel._keep

    def adjoint(self, weights: Floats) -> Floats:
        channel = self._channel
        return walsh_hadamard(channel._place(weights)).ravel() / channel._keep


def _places(indices: Indices, count: int) -> tuple[Indices, Indices]:
    """The block of each value, and its column there: values are dealt to blocks in turn.

    Blocks then hold equally many values, but for one: a block that few values
    share has less noise than one that many share.
    """
    columns = indices // count
    return indices - columns * count, columns + 1


def rows_for(size: int, count: int) -> int:
    """The least power of two b with ``count`` blocks of b - 1 values for all."""
    return int(1 << (-(-size // count)).bit_length())


def filled(size: int, rows: int) -> int:
    """How many blocks of that many rows the values fill."""
    return -(-size // (rows - 1))


def best_count(size: int, epsilon: float) -> int:
    """The number of blocks with the least mean variance ``(E - 1 + 2 blocks)^2 / blocks``."""
    gain = math.expm1(epsilon)
    counts = {filled(size, 2**k) for k in range(1, size.bit_length() + 1)}
    return min(counts, key=lambda count: ((gain + 2 * count) ** 2 / count, count))
