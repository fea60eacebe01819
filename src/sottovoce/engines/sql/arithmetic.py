"""The cell of a report in SQL, with a check of every field."""

from __future__ import annotations

from textwrap import indent
from typing import NamedTuple

from sottovoce.base.errors import Unfit
from sottovoce.core.cell_counts import number_of_empty, number_of_outside
from sottovoce.core.cell_expression import CellExpression
from sottovoce.core.fields import IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.sql.dialects import Dialect

__all__ = ["cell_sql", "expression_of"]

_LARGEST = 2**63 - 1
"""The largest whole number that all databases compute with."""


def expression_of(mechanism: Mechanism) -> CellExpression:
    """The cell of a report of the mechanism; refused where a report falls in several."""
    expression = mechanism.cell_expression()
    if expression is None:
        raise Unfit(
            f"a report of {mechanism} falls in several cells, so that SQL cannot count it by one "
            "expression: tally the reports with sottovoce (sv.tally_batches, or the command tally)"
        )
    return expression


def cell_sql(mechanism: Mechanism, dialect: Dialect) -> str:
    """The cell of a report, or the negative number that says why it has none.

    Fields are checked one after the other, so that the expression is computed only where all are
    whole numbers within their sizes.
    """
    fields = [field for field in mechanism.fields if isinstance(field, IntField)]
    arithmetic = _Sql(dialect, {field.name: field.size for field in fields})
    sql = expression_of(mechanism).under(arithmetic).text
    for index, field in reversed(list(enumerate(fields))):
        name = dialect.name_of(field.name)
        number = dialect.whole(name)
        sql = (
            "CASE\n"
            f"  WHEN {name} IS NULL THEN {number_of_empty(index)}\n"
            f"  WHEN {number} BETWEEN 0 AND {field.size - 1} AND {number} = {name} THEN\n"
            f"{indent(sql, '    ')}\n"
            f"  ELSE {number_of_outside(index)}\n"
            "END"
        )
    return sql


class _Term(NamedTuple):
    """A part of an expression, and the largest number that it can be."""

    text: str
    largest: int


class _Sql:
    """Arithmetic on text of SQL; every operation is in parentheses."""

    def __init__(self, dialect: Dialect, sizes: dict[str, int]) -> None:
        self._dialect, self._sizes = dialect, sizes

    def _checked(self, text: str, largest: int) -> _Term:
        if largest > _LARGEST:
            raise Unfit(f"{text} can exceed the 64-bit whole numbers of SQL")
        return _Term(text, largest)

    def field(self, name: str) -> _Term:
        whole = self._dialect.whole(self._dialect.name_of(name))
        return self._checked(whole, self._sizes[name] - 1)

    def add(self, first: _Term, second: _Term) -> _Term:
        return self._checked(f"({first.text} + {second.text})", first.largest + second.largest)

    def multiply(self, first: _Term, factor: int) -> _Term:
        return self._checked(f"({first.text} * {factor})", first.largest * factor)

    def divide(self, first: _Term, divisor: int) -> _Term:
        return _Term(self._dialect.division(first.text, divisor), first.largest // divisor)

    def at_most(self, first: _Term, bound: int) -> _Term:
        least = f"{self._dialect.least}({first.text}, {bound})"
        return _Term(least, min(first.largest, bound))
