"""What each cell adds to each unbiased share, in SQL: by a rule where there is one, else listed.

An unbiased estimate is linear, ``f_v = sum_y B[v, y] x_y`` over the frequencies x of the cells.
About these respondents ``n Var f_v = sum_y B[v, y]^2 x_y - f_v`` (``Channel.variance_of``, where the
inverse is exact).  So a query needs B, which for thousands of values is too long to be written down:

* the cells of hashes and of Hadamard's matrix have a :class:`~sottovoce.channels.support_rule.SupportRule`,
  a few digits per cell and per value;
* of other oracles nearly all B are one number, and only the others are listed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.support_rule import SupportRule
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.sql.dialects import Dialect, digits
from sottovoce.engines.sql.tally_query import CELL

__all__ = ["MOST_ROWS", "NUMBER", "WEIGHT", "CellWeightsSql", "cell_weights_of"]

MOST_ROWS = 2**14
"""Rows of constants in a query at most: some databases take no more, or no longer a text."""
NUMBER, WEIGHT = "sv_number", "sv_weight"
_BLOCK, _TARGET = "sv_block", "sv_target"
_DIGITS = 11
"""Decimal digits to which weights are told apart: transforms leave the last few to chance."""


class CellWeightsSql(ABC):
    """B in SQL, by a table ``weights`` that is joined to counts ``c`` and labels ``l``."""

    def label_columns(self) -> list[str]:
        """Columns of the labels that the weights need."""
        return []

    def label_cells(self, value: int) -> list[str]:
        """What these hold for a value."""
        return []

    @abstractmethod
    def table(self, dialect: Dialect) -> str:
        """The table of constants."""

    @abstractmethod
    def join(self, dialect: Dialect) -> str:
        """The condition that joins it, as ``w``; counts without a match must stay."""

    @abstractmethod
    def weight(self, dialect: Dialect) -> str:
        """B of a label and a count."""


@dataclass(frozen=True)
class RuleWeights(CellWeightsSql):
    """A row of digits per cell, and digits beside every label."""

    rule: SupportRule

    def _digits(self, letter: str) -> list[str]:
        return [f"sv_{letter}{j}" for j in range(self.rule.points.shape[1])]

    def label_columns(self) -> list[str]:
        blocks = [] if self.rule.value_blocks is None else [_BLOCK]
        return [*blocks, *self._digits("x")]

    def label_cells(self, value: int) -> list[str]:
        rule = self.rule
        blocks = [] if rule.value_blocks is None else [rule.value_blocks[value]]
        return [str(number) for number in (*blocks, *rule.points[value])]

    def table(self, dialect: Dialect) -> str:
        rule = self.rule
        columns = [np.arange(len(rule.targets)), rule.targets, *rule.vectors.T]
        names = [CELL, _TARGET, *self._digits("a")]
        if rule.cell_blocks is not None:
            columns, names = [*columns, rule.cell_blocks], [*names, _BLOCK]
        rows = [tuple(map(str, row)) for row in zip(*(c.tolist() for c in columns), strict=True)]
        return dialect.inline_table("weights", names, rows)

    def join(self, dialect: Dialect) -> str:
        return f"w.{dialect.name_of(CELL)} = c.{dialect.name_of(CELL)}"

    def weight(self, dialect: Dialect) -> str:
        rule, name = self.rule, dialect.name_of
        pairs = zip(self._digits("a"), self._digits("x"), strict=True)
        product = " + ".join(f"w.{name(a)} * l.{name(x)}" for a, x in pairs)
        inside, outside = dialect.number(rule.inside), dialect.number(rule.outside)
        blocks = ""
        if rule.cell_blocks is not None:
            elsewhere = f"w.{name(_BLOCK)} <> l.{name(_BLOCK)}"
            blocks = f"WHEN {elsewhere} THEN {dialect.number(0.0)} "
        supports = f"{dialect.remainder(product, rule.modulus)} = w.{name(_TARGET)}"
        return f"CASE {blocks}WHEN {supports} THEN {inside} ELSE {outside} END"


@dataclass(frozen=True)
class ListedWeights(CellWeightsSql):
    """``weight`` for every listed (value, cell), ``default`` for all other pairs."""

    default: float
    values: list[int]
    cells: list[int]
    weights: list[float]

    def table(self, dialect: Dialect) -> str:
        listed = zip(self.values, self.cells, self.weights, strict=True)
        rows = [(str(value), str(cell), digits(weight)) for value, cell, weight in listed]
        return dialect.inline_table("weights", (NUMBER, CELL, WEIGHT), rows)

    def join(self, dialect: Dialect) -> str:
        cell, number = dialect.name_of(CELL), dialect.name_of(NUMBER)
        return f"w.{number} = l.{number} AND w.{cell} = c.{cell}"

    def weight(self, dialect: Dialect) -> str:
        listed = dialect.floating(f"w.{dialect.name_of(WEIGHT)}")
        return f"COALESCE({listed}, {dialect.number(self.default)})"


def cell_weights_of(mechanism: Mechanism, owner: str) -> CellWeightsSql:
    """The unbiased estimate of a mechanism's shares; refused where SQL cannot have it."""
    channel = mechanism.channel()
    if mechanism.domain.size == 1:
        raise Unfit(f"{owner}: {mechanism.domain} has a single value, whose share is 1")
    if channel.inverse is None or not channel.exact_inverse or _depends_on_cells(channel):
        raise Unfit(
            f"{owner}: {mechanism} has no unbiased shares that are one sum over cells. "
            "Count with sv.tally_sql, then estimate with sottovoce"
        )
    too_many = Unfit(
        f"{owner}: the query for {mechanism} would have more than {MOST_ROWS:,} rows of constants. "
        "Count with sv.tally_sql, then estimate with sottovoce"
    )
    if channel.inputs > MOST_ROWS:
        raise too_many
    if (rule := channel.support_rule) is not None:
        if channel.cells > MOST_ROWS:
            raise too_many
        return RuleWeights(rule)
    listed = _listed(channel)
    if listed is None:
        raise too_many
    return listed


def _depends_on_cells(channel: Channel) -> bool:
    """Whether the estimate takes from a tally how many spoke of what, so that it is not linear."""
    uniform = channel.forward(np.full(channel.inputs, 1 / channel.inputs))
    return channel.conditioned_on(uniform) is not channel


def _listed(channel: Channel) -> ListedWeights | None:
    """All weights but the most frequent one; None where they are too many."""
    first = _row(channel, 0)
    scale = float(np.abs(first).max())
    keys = np.round(first / scale, _DIGITS)
    numbers, counts = np.unique(keys, return_counts=True)
    usual = numbers[np.argmax(counts)]
    found = ListedWeights(float(first[np.argmax(keys == usual)]), [], [], [])
    for value in range(channel.inputs):
        row = _row(channel, value)
        listed = np.flatnonzero(np.round(row / scale, _DIGITS) != usual)
        if len(found.values) + len(listed) > MOST_ROWS:
            return None
        found.values.extend([value] * len(listed))
        found.cells.extend(listed.tolist())
        found.weights.extend(row[listed].tolist())
    return found


def _row(channel: Channel, value: int) -> Floats:
    """B[value, .]."""
    assert channel.inverse is not None
    unit = np.zeros(channel.inputs)
    unit[value] = 1.0
    return channel.inverse.adjoint(unit)
