"""Differences between neighbouring halves, through one random sign each (HaarHRR)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.tree import Tree
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.kernels.hadamard import parity, random_rows
from sottovoce.mechanisms._haar_channel import HaarChannel
from sottovoce.mechanisms.hierarchy import check_ordered
from sottovoce.mechanisms.randomized_response import (
    check_response_weights,
    respond_all,
    respond_one,
    response_weights,
)

__all__ = ["Haar"]


@register
@dataclass(frozen=True)
class Haar(Mechanism):
    """A binary tree; of one drawn height a device tells in which half of its node it is.

    Values are padded to a power of two, 2^H.  A node a of height h holds 2^h of them, and
    ``D_a`` is the share of its left half less that of its right half.  A device draws a
    height h from 1 to H and a column j of the Hadamard matrix of order 2^(H-h), all
    alike, and sends the sign that its node has there, turned if the value is in the right
    half, by randomized response: ``y = RR(+-phi[a, j])``.  Over the reports of a height
    the mean of ``phi[a, j] y`` is ``D_a (E-1)/(E+1)``, and

        leaf = 1/2^H + sum over heights of +-D_a / 2^h

    where a half that lies wholly beyond the last value is known to be empty.

    Two words a report: one for height and column, one for the response.  A report is one
    small integer (height, column, sign), and fast transforms decode the tally.

    Reference: Kulkarni, Cormode, Srivastava 2019.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("haar", sv.Interval(0, 1, bins=1024), 1.0)
    >>> m.heights, m.cells
    (10, 2046)
    """

    name: ClassVar[str] = "haar"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"haarhrr": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_domain(self) -> None:
        super()._check_domain()
        check_ordered(self)

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        return response_weights(self.epsilon, 2, self.bits, self.name)

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        return check_response_weights(super()._check_weights(weights), 2, self.bits, self.name)

    @cached_property
    def tree(self) -> Tree:
        """The halves that a report of each height tells apart."""
        return Tree(self.domain.size, 2)

    @property
    def heights(self) -> int:
        """H: the values, padded, are 2^H."""
        return self.tree.height

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("cell", self.cells),)

    @property
    def cells(self) -> int:
        return int(2 * (2**self.heights - 1))

    @property
    def words_per_report(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int]:
        below, column = divmod(
            uniform_below(self.heights << (self.heights - 1), source), 1 << (self.heights - 1)
        )
        column >>= below  # uniform on the 2^(H - h) columns of height h = below + 1
        minus = ((index >> below + 1) & column).bit_count() & 1
        sign = minus ^ (index >> below & 1)
        answer = respond_one(sign, self.weights, self.bits, source)
        return (2 * (self._start(below) + column) + answer,)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        one, top = np.int64(1), self.heights - 1
        drawn = uniform_below_many(self.heights << top, len(indices), source).view(np.int64)
        below = drawn >> top
        columns = (drawn & ((1 << top) - 1)) >> below
        signs = parity(indices >> below + 1, columns) ^ (indices >> below & 1)
        answers = respond_all(signs, self.weights, self.bits, source)
        starts = (one << self.heights) - (one << self.heights - below)
        return (2 * (starts + columns) + answers,)

    def _start(self, below: int) -> int:
        """How many columns the heights up to ``below`` have: 2^(H-1) and half as many each time."""
        return (1 << self.heights) - (1 << self.heights - below)

    def cell_expression(self) -> CellExpression:
        return FieldValue("cell")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Height by height: a binomial number keeps to its signs, all others are uniform.

        (column, sign) is a row of the matrix of order 2^(H-h+1): a node's own signs are the
        plus rows of its column 2 a + 1, the opposite ones those with the last bit flipped.
        """
        random, keep = source.generator(), self.weights[0] / 2**self.bits
        if counts.sum() < 8 * self.cells * self.heights:  # then it is faster to draw reports
            return super()._simulate(counts, source)
        spoken = random.multinomial(counts, [1 / self.heights] * self.heights).T
        found = []
        for below, people in enumerate(spoken):
            order = 1 << self.heights - below
            halves = np.zeros(order, dtype=np.int64)
            held = self.tree.levels(people)[below]
            halves[: len(held)] = held
            kept = random.binomial(halves, keep)
            columns = np.zeros((2, order), dtype=np.int64)  # of the left halves, of the right ones
            columns[:, 1::2] = kept.reshape(-1, 2).T
            columns[0, 0] = halves.sum() - kept.sum()
            own, opposite = random_rows(columns, random)
            found.append(own + opposite.reshape(-1, 2)[:, ::-1].ravel())
        return np.concatenate(found)

    def _channel(self) -> HaarChannel:
        return HaarChannel(self.tree, self.weights[0] / 2**self.bits)

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return Certificate(keep + other, other) if self.domain.size > 1 else Certificate(1, 1)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(0, 1, bins=16), 1.0)
        yield cls(Interval(0, 120, bins=21), 2.0)
        yield cls(Interval(0, 1, bins=5), 0.5, bits=16)
