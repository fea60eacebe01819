"""Unbiased shares and their standard errors in plain SQL, for dashboards that live in a database."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from sottovoce.answers.about import check_about
from sottovoce.base.errors import Unfit
from sottovoce.base.text import label_text
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.sql.cell_weights import NUMBER, WEIGHT, CellWeightsSql, cell_weights_of
from sottovoce.engines.sql.dialects import Dialect, dialect_of
from sottovoce.engines.sql.tally_query import (
    CELL,
    COUNT,
    MECHANISM,
    check_columns,
    mechanism_of,
    tally_query,
)
from sottovoce.surveys.survey import Survey

__all__ = ["estimate_sql"]

_RESULT = ("value", "share", "stderr", COUNT, "uncounted")
"""The columns of a result beside those of ``by``."""
_FIRST, _SECOND = "sv_first", "sv_second"


def estimate_sql(
    mechanism: Mechanism | Survey,
    table: str | Sequence[str],
    by: str | Sequence[str] = (),
    dialect: str = "duckdb",
    about: str = "respondents",
) -> str:
    """A query that estimates the share of every value inside a database.

    Shares and standard errors are those of ``sv.estimate(tally, "unbiased")``: right on average,
    and by chance negative or above 1. The default method of :func:`~sottovoce.estimate` has smaller
    errors; it needs a tally (:func:`~sottovoce.tally_sql`).

    The result has the columns of ``by``, then ``value``, ``share``, ``stderr``, ``reports`` and
    ``uncounted``. Where a group has reports with an empty or invalid field, ``uncounted`` says how
    many, and ``share`` and ``stderr`` are NULL. Of a survey, groups with fewer reports than its
    minimum batch have no rows.

    Parameters
    ----------
    mechanism : Mechanism or Survey
        The mechanism of the reports: an oracle each of whose reports falls in one cell.
    table : str or sequence of str
        The table, as for :func:`~sottovoce.tally_sql`.
    by : str or sequence of str
        Public columns to group by.
    dialect : str
        The dialect, as for :func:`~sottovoce.tally_sql`.
    about : str
        ``"respondents"``: errors of randomization alone. ``"population"``: with the error of having
        asked only these people.

    Returns
    -------
    str
        The query, without a semicolon.

    Raises
    ------
    Unfit
        Where the unbiased shares are not one sum over the cells, or too long a sum for a query.
    InvalidInput
        Where a parameter is not allowed.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    >>> query = sv.estimate_sql(m, "lake.reports", by="region", dialect="sqlite")
    >>> print(query.splitlines()[-1])
    ORDER BY `region`, `sv_number`
    """
    owner = "estimate_sql"
    chosen, asked = dialect_of(dialect, owner), mechanism_of(mechanism, owner)
    check_about(about, owner)
    if asked.remembers:
        raise Unfit(
            "estimate_sql is not for memoized reports: those of one person in several windows share their "
            "noise; count each window with tally_sql(by=...), then use sv.trend"
        )
    taken = (*_RESULT, NUMBER, WEIGHT, _FIRST, _SECOND, MECHANISM, CELL)
    columns = check_columns(by, asked, owner, taken)
    minimum = mechanism.minimum_batch if isinstance(mechanism, Survey) else 1
    counted = tally_query(asked, chosen.table(table), columns, chosen)
    query = _Query(chosen, columns, cell_weights_of(asked, owner), about == "population")
    labels = [label_text(label) for label in asked.domain.labels()]
    return query.text(counted, labels, minimum)


class _Query:
    """The query in steps: counts by cell, their weights by value, sums, shares."""

    def __init__(
        self, dialect: Dialect, by: list[str], weights: CellWeightsSql, population: bool
    ) -> None:
        self._dialect, self._weights, self._population = dialect, weights, population
        self._name, self._by = dialect.name_of, [dialect.name_of(column) for column in by]
        self._groups = "".join(f"{column}, " for column in self._by)

    def text(self, counted: str, labels: list[str], minimum: int) -> str:
        """The whole query, from the one that counts."""
        name, groups = self._name, self._groups
        value, share, stderr, reports, uncounted = (name(column) for column in _RESULT)
        rows = [
            (str(v), self._dialect.literal(label), *self._weights.label_cells(v))
            for v, label in enumerate(labels)
        ]
        columns = (NUMBER, "value", *self._weights.label_columns())
        steps = (
            _step(name("counted"), counted),
            self._dialect.inline_table("labels", columns, rows),
            self._weights.table(self._dialect),
            _step(name("weighted"), self._weighted()),
            _step(name("sums"), self._sums()),
            _step(name("shares"), self._shares(minimum)),
        )
        whole = self._dialect.whole
        return "\n".join(
            (
                "WITH " + ",\n".join(steps),
                f"SELECT {groups}{value},",
                f"  CASE WHEN {uncounted} = 0 THEN {share} END AS {share},",
                f"  CASE WHEN {uncounted} = 0 THEN {stderr} END AS {stderr},",
                f"  {whole(reports)} AS {reports}, {whole(uncounted)} AS {uncounted}",
                f"FROM {name('shares')}",
                f"ORDER BY {groups}{name(NUMBER)}",
            )
        )

    def _weighted(self) -> str:
        """Every count once per value, with what the cell adds to the share of the value."""
        name, weights = self._name, self._weights
        cell, count, number, value = name(CELL), name(COUNT), name(NUMBER), name("value")
        groups = "".join(f"c.{column} AS {column}, " for column in self._by)
        return "\n".join(
            (
                f"SELECT {groups}l.{number} AS {number}, l.{value} AS {value},",
                f"  c.{cell} AS {cell}, {self._dialect.floating(f'c.{count}')} AS {count},",
                f"  {weights.weight(self._dialect)} AS {name(WEIGHT)}",
                f"FROM {name('counted')} c CROSS JOIN {name('labels')} l",
                f"LEFT JOIN {name('weights')} w ON {weights.join(self._dialect)}",
            )
        )

    def _sums(self) -> str:
        """Per group and value: the reports, and the sums of weights and of their squares."""
        name = self._name
        count, weight = name(COUNT), name(WEIGHT)
        groups = f"{self._groups}{name(NUMBER)}, {name('value')}"
        return "\n".join(
            (
                f"SELECT {groups},",
                f"  SUM({count}) AS {count},",
                f"  SUM(CASE WHEN {name(CELL)} < 0 THEN {count} ELSE 0 END) AS {name('uncounted')},",
                f"  SUM({count} * {weight}) AS {name(_FIRST)},",
                f"  SUM({count} * {weight} * {weight}) AS {name(_SECOND)}",
                f"FROM {name('weighted')}",
                f"GROUP BY {groups}",
            )
        )

    def _shares(self, minimum: int) -> str:
        """Share and standard error per group and value."""
        name, number = self._name, self._dialect.number
        n, greatest = name(COUNT), self._dialect.greatest
        share = f"{name(_FIRST)} / {n}"
        variance = f"{name(_SECOND)} / {n} - {share}"
        if self._population:
            variance += f" + {greatest}({share} * ({number(1)} - {share}), {number(0)})"
        return "\n".join(
            (
                f"SELECT {self._groups}{name(NUMBER)}, {name('value')}, {n}, {name('uncounted')},",
                f"  {share} AS {name('share')},",
                f"  SQRT({greatest}({variance}, {number(0)}) / {n}) AS {name('stderr')}",
                f"FROM {name('sums')}",
                f"WHERE {n} >= {minimum}",
            )
        )


def _step(name: str, query: str) -> str:
    return f"{name} AS (\n{indent(query, '  ')}\n)"
