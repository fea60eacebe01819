"""Any finite integer table as a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import MIN_EPSILON, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.dense import DenseChannel
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories

__all__ = ["Table"]

_LARGEST_TOTAL = 2**63


@register
@dataclass(frozen=True)
class Table(Mechanism):
    """Row v holds the integer weights of every report for a person with value v.

    All rows have one sum.  Left out, ``epsilon`` is the table's own, rounded up
    (at least 1e-6); given, the table must keep it.  A report that some values
    can send and others cannot would give them away: such a table is refused.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("table", sv.Categories(["no", "yes"]), weights=[[3, 1], [1, 3]])
    >>> print(m.certificate())
    worst ratio 3 = e^1.09861228867
    """

    name: ClassVar[str] = "table"
    is_planned: ClassVar[bool] = False
    derives_weights: ClassVar[bool] = False

    epsilon: float = None  # type: ignore[assignment]  # read off the table at birth

    def __post_init__(self) -> None:
        self._check_domain()
        matrix = _check_matrix(self.weights, self.domain.size, self.name)
        object.__setattr__(self, "weights", matrix)
        if self.epsilon is None:
            object.__setattr__(self, "epsilon", max(MIN_EPSILON, self.certificate().epsilon_above))
        super().__post_init__()

    def _check_weights(self, weights: Any) -> Any:
        return weights  # checked already, before epsilon was read off them

    def _derive_weights(self) -> Any:
        raise InvalidInput("weights", self.name, "given", None)

    def _weights_document(self) -> list[list[int]]:
        return [list(row) for row in self.weights]

    @property
    def total(self) -> int:
        """The sum of every row."""
        return sum(self.weights[0])

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("cell", self.cells),)

    @property
    def cells(self) -> int:
        return len(self.weights[0])

    @cached_property
    def _bounds(self) -> tuple[tuple[int, ...], ...]:
        """Running sums of every row: a draw below bound y, and not below the one before, reports y."""
        return tuple(tuple(accumulate(row)) for row in self.weights)

    def respond(self, index: int, source: Source) -> tuple[int]:
        drawn = uniform_below(self.total, source)
        return (sum(drawn >= bound for bound in self._bounds[index]),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        drawn = uniform_below_many(self.total, len(indices), source)
        answers = np.empty(len(indices), dtype=np.int64)
        order = np.argsort(indices, kind="stable")
        held, starts = np.unique(indices[order], return_index=True)
        for index, rows in zip(held.tolist(), np.split(order, starts[1:]), strict=True):
            bounds = np.array(self._bounds[index], dtype=np.uint64)
            answers[rows] = np.searchsorted(bounds, drawn[rows], side="right")
        return (answers,)

    def cell_expression(self) -> CellExpression:
        return FieldValue("cell")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """A multinomial a value."""
        drawn = source.generator().multinomial(counts, self.channel().dense().T)
        return np.asarray(drawn.sum(axis=0), dtype=np.int64)

    def _channel(self) -> DenseChannel:
        matrix = np.array([[w / self.total for w in row] for row in self.weights]).T
        return DenseChannel(matrix)

    def certificate(self) -> Certificate:
        """The largest ratio within a column, over all columns."""
        columns = [column for column in zip(*self.weights, strict=True) if max(column)]
        worst = max(Fraction(max(column), min(column)) for column in columns)
        return Certificate(worst.numerator, worst.denominator)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["no", "yes"]), weights=[[3, 1], [1, 3]])
        yield cls(Categories(3), weights=[[5, 2, 1, 2], [2, 5, 1, 2], [2, 2, 2, 4]])
        yield cls(Categories(2), 2.0, weights=[[40000, 25536], [20000, 45536]])


def _check_matrix(weights: Any, size: int, owner: str) -> tuple[tuple[int, ...], ...]:
    allowed = f"{size} rows of whole numbers, one per value, with equal sums"
    if isinstance(weights, np.ndarray):
        weights = weights.tolist()
    if not isinstance(weights, Sequence) or len(weights) != size:
        raise InvalidInput("weights", owner, allowed, weights)
    rows = []
    for row in weights:
        if not isinstance(row, Sequence) or isinstance(row, str) or not row:
            raise InvalidInput("weights", owner, allowed, row)
        rows.append(tuple(check_int(w, "weights", owner, 0, _LARGEST_TOTAL) for w in row))
    if len({len(row) for row in rows}) > 1 or len({sum(row) for row in rows}) > 1:
        raise InvalidInput("weights", owner, allowed, weights)
    if not 1 <= sum(rows[0]) <= _LARGEST_TOTAL:
        raise InvalidInput("weights", owner, "rows whose sum is from 1 to 2^63", sum(rows[0]))
    for y, column in enumerate(zip(*rows, strict=True)):
        if max(column) and not min(column):
            raise InvalidInput(
                "weights",
                owner,
                "positive in a column where any is",
                f"column {y}: {column}",
                hint="A report that only some values can send reveals them.",
            )
    return tuple(rows)
