"""One ``GROUP BY`` that counts reports by cell, for a database where they already are."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from sottovoce.base.checks import first_repeated
from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.sql.arithmetic import cell_sql, expression_of
from sottovoce.engines.sql.dialects import Dialect, dialect_of
from sottovoce.surveys.survey import Survey

__all__ = ["CELL", "COUNT", "MECHANISM", "check_columns", "fingerprint_text", "mechanism_of"]
__all__ += ["tally_sql"]

MECHANISM, CELL, COUNT = "mechanism", "cell", "reports"
"""The columns of a result beside those of ``by``."""


def tally_sql(
    mechanism: Mechanism | Survey,
    table: str | Sequence[str],
    by: str | Sequence[str] = (),
    dialect: str = "duckdb",
) -> str:
    """A query that counts reports inside a database, one row per cell and group.

    The table needs a column of whole numbers for each field of the mechanism, such as the Parquet
    files of :meth:`Reports.write <sottovoce.Reports.write>` have. The result has the columns of
    ``by``, then ``mechanism`` (``m`` and its fingerprint), ``cell`` and ``reports``. Reports with
    an empty field, or one outside what it may hold, are counted under negative cells, which
    ``Tally.from_counts`` and the command ``tally --counts`` refuse with their number.

    Parameters
    ----------
    mechanism : Mechanism or Survey
        The mechanism of the reports; each of its reports must fall in one cell.
    table : str or sequence of str
        The table: a name with dots, such as ``"lake.reports"``, or its parts. In a text, a part
        with a dot of its own goes in double quotes.
    by : str or sequence of str
        Public columns to group by.
    dialect : str
        ``"duckdb"``, ``"sqlite"``, ``"postgres"``, ``"bigquery"``, ``"snowflake"``, ``"trino"`` or
        ``"spark"``.

    Returns
    -------
    str
        The query, without a semicolon.

    Raises
    ------
    Unfit
        Where a report of the mechanism falls in several cells.
    InvalidInput
        Where the dialect is unknown, or a column of ``by`` is a field of the reports.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
    >>> print(sv.tally_sql(m, "lake.reports", by="region"))
    SELECT "region", 'm...' AS "mechanism", "cell", COUNT(*) AS "reports"
    FROM (
      SELECT "region",
        CASE
          WHEN "value" IS NULL THEN -1
          WHEN CAST("value" AS BIGINT) BETWEEN 0 AND 2 AND CAST("value" AS BIGINT) = "value" THEN
            CAST("value" AS BIGINT)
          ELSE -2
        END AS "cell"
      FROM "lake"."reports"
    ) AS "counted"
    GROUP BY "region", "cell"
    """
    chosen, asked = dialect_of(dialect, "tally_sql"), mechanism_of(mechanism, "tally_sql")
    columns = check_columns(by, asked, "tally_sql")
    return tally_query(asked, chosen.table(table), columns, chosen)


def tally_query(mechanism: Mechanism, table: str, by: list[str], dialect: Dialect) -> str:
    """The query, from what was checked: ``table`` is quoted, ``by`` are names."""
    groups = "".join(f"{dialect.name_of(column)}, " for column in by)
    cell, count = dialect.name_of(CELL), dialect.name_of(COUNT)
    owner = f"{dialect.literal(fingerprint_text(mechanism))} AS {dialect.name_of(MECHANISM)}"
    lines = [
        f"SELECT {groups}{owner}, {cell}, COUNT(*) AS {count}",
        "FROM (",
        f"  SELECT {groups}".rstrip(),
        f"{indent(cell_sql(mechanism, dialect), '    ')} AS {cell}",
        f"  FROM {table}",
        f") AS {dialect.name_of('counted')}",
        f"GROUP BY {groups}{cell}",
    ]
    return "\n".join(lines)


def mechanism_of(given: Mechanism | Survey, owner: str) -> Mechanism:
    """The mechanism, or that of the survey, each of whose reports falls in one cell."""
    found = given.mechanism if isinstance(given, Survey) else given
    if not isinstance(found, Mechanism):
        raise InvalidInput("mechanism", owner, "a Mechanism or a Survey", given)
    expression_of(found)
    return found


def fingerprint_text(mechanism: Mechanism) -> str:
    """The fingerprint behind a letter: without one, readers of CSV take some for numbers."""
    return f"m{mechanism.fingerprint}"


def check_columns(
    by: str | Sequence[str],
    mechanism: Mechanism,
    owner: str,
    taken: Sequence[str] = (MECHANISM, CELL, COUNT),
) -> list[str]:
    """The columns to group by: names, distinct, and none that a report or the result has.

    Databases do not tell ``Region`` from ``region``, so neither do we.
    """
    columns = [by] if isinstance(by, str) or not isinstance(by, Sequence) else list(by)
    for column in columns:
        if not isinstance(column, str) or not column or "\0" in column:
            raise InvalidInput("by", owner, "names of columns", column)
    lower = [column.lower() for column in columns]
    repeated = first_repeated(lower)
    if repeated is not None:
        raise InvalidInput("by", owner, "distinct columns", repeated)
    fields = {field.name for field in mechanism.fields}
    for column in columns:
        if column.lower() in fields:
            hint = f"{column!r} is a field of the reports: rename the public column, or use a view."
            raise InvalidInput("by", owner, "public columns", column, hint=hint)
        if column.lower() in taken:
            hint = f"The result has a column {column!r} of its own: use a view with another name."
            raise InvalidInput("by", owner, "public columns", column, hint=hint)
    return columns
