"""What differs between the SQL of one database and another's, for whole-number queries.

Every name is quoted, so that reserved words (``row``, ``window``, ``set``) and odd names are safe.
Every field is cast to 64 bits before it is multiplied: a column of bytes times a small number
overflows otherwise, with an error in some databases and silently in others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput

__all__ = ["DIALECTS", "Dialect", "dialect_of", "digits"]


@dataclass(frozen=True)
class Dialect:
    """The parts of a query that databases write differently."""

    name: str
    quote: str = '"'
    """What stands around names; within a name it is doubled."""
    integer: str = "BIGINT"
    """The type of 64-bit whole numbers."""
    real: str = "DOUBLE"
    """The type of 64-bit floats."""
    text: str = "VARCHAR"
    """The type of text."""
    division: Callable[[str, int], str] = "({} / {})".format
    """Whole-number division: of an expression by a positive constant."""
    remainder: Callable[[str, int], str] = "MOD({}, {})".format
    """The remainder of such a division."""
    least: str = "LEAST"
    """The function that is the smaller of two numbers."""
    greatest: str = "GREATEST"
    """The function that is the larger of two numbers."""
    backslash_in_text: bool = False
    """Whether a backslash escapes what follows it in text; elsewhere a quote is doubled."""
    backslash_in_names: bool = False
    """Whether it does in names."""

    def name_of(self, name: str) -> str:
        """A name, quoted."""
        return _quoted(name, self.quote, self.backslash_in_names)

    def literal(self, text: str) -> str:
        """Text, quoted."""
        return _quoted(text, "'", self.backslash_in_text)

    def table(self, table: str | Sequence[str]) -> str:
        """The name of a table: its parts quoted, with dots between.

        A text is split at its dots; a part in double quotes may hold dots, and two double quotes
        there stand for one.  A sequence gives the parts as they are.
        """
        parts = _parts(table) if isinstance(table, str) else table
        named = isinstance(parts, Sequence) and all(isinstance(p, str) and p for p in parts)
        if not named or not parts or "\0" in "".join(parts):
            raise InvalidInput("table", "tally_sql", "a name such as 'lake.reports'", table)
        return ".".join(self.name_of(part) for part in parts)

    def whole(self, expression: str) -> str:
        """An expression as a 64-bit whole number."""
        return f"CAST({expression} AS {self.integer})"

    def floating(self, expression: str) -> str:
        """An expression as a 64-bit float."""
        return f"CAST({expression} AS {self.real})"

    def number(self, value: float) -> str:
        """A float, whatever a database takes a decimal point for."""
        return self.floating(digits(value))

    def inline_table(
        self, name: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]
    ) -> str:
        """A named table of constants, for a ``WITH`` clause."""
        names = [self.name_of(column) for column in columns]
        lines = ["(" + ", ".join(row) + ")" for row in rows]
        if self.name == "bigquery":  # it has no VALUES
            first = ", ".join(f"{v} AS {column}" for v, column in zip(rows[0], names, strict=True))
            structs = ",\n  ".join([f"STRUCT({first})", *lines[1:]])
            query = f"SELECT * FROM UNNEST([\n  {structs}\n])"  # noqa: S608 - all is quoted
            return f"{self.name_of(name)} AS ({query})"
        body = "VALUES\n  " + ",\n  ".join(lines)
        if self.name == "snowflake":  # there VALUES is a source, not a query
            body = f"SELECT * FROM {body}"  # noqa: S608 - all is quoted
        return f"{self.name_of(name)} ({', '.join(names)}) AS ({body})"


def digits(value: float) -> str:
    """All digits of a float.

    >>> digits(0.1), float(digits(0.1)) == 0.1
    ('1.0000000000000001E-01', True)
    """
    return f"{value:.16E}"


def _quoted(text: str, quote: str, backslash: bool) -> str:
    if backslash:
        escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    else:
        escaped = text.replace(quote, quote * 2)
    return f"{quote}{escaped}{quote}"


def _parts(name: str) -> list[str]:
    """The parts of a dotted name.

    >>> _parts('lake.reports'), _parts('lake."drinks.v2"'), _parts('a"b')
    (['lake', 'reports'], ['lake', 'drinks.v2'], ['a"b'])
    """
    found = re.findall(r'(?:^|\.)(?:"((?:[^"]|"")*)"(?=\.|$)|([^.]*))', name)
    return [quoted.replace('""', '"') or plain for quoted, plain in found]


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("duckdb", division="({} // {})".format),
        # Double quotes around an unknown name are text in SQLite: a missing column would pass.
        Dialect("sqlite", quote="`", integer="INTEGER", real="REAL", text="TEXT",
                remainder="(({}) % {})".format, least="MIN", greatest="MAX"),
        Dialect("postgres", real="DOUBLE PRECISION", text="TEXT"),
        Dialect("bigquery", quote="`", integer="INT64", real="FLOAT64", text="STRING",
                division="DIV({}, {})".format, backslash_in_text=True, backslash_in_names=True),
        # A quotient of Snowflake is a decimal that is rounded: 2.9999999 would become 3.
        Dialect("snowflake", backslash_in_text=True,
                division="CAST(({0} - MOD({0}, {1})) / {1} AS BIGINT)".format),
        Dialect("trino"),
        Dialect("spark", quote="`", text="STRING", division="({} div {})".format,
                backslash_in_text=True),
    )
}  # fmt: skip
"""The dialects, by name."""


def dialect_of(name: object, owner: str) -> Dialect:
    """The dialect of that name; another name is refused."""
    return DIALECTS[check_choice(name, "dialect", owner, DIALECTS)]
