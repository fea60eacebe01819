"""A small table: named columns, printed neatly, handed on as CSV, Arrow, or a dataframe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from math import isnan
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.suggestions import did_you_mean
from sottovoce.base.text import csv_text, label_text, printable

__all__ = ["Frame", "number_text"]

_SHOWN = 20
_LONG = 1e9
"""Up to here numbers are written without an exponent."""


def number_text(number: float) -> str:
    """Four digits; whole where that takes more of them.

    >>> number_text(0.123456), number_text(44155.39), number_text(1e12)
    ('0.1235', '44155', '1e+12')
    """
    return f"{number:.0f}" if 1e4 <= abs(number) < _LONG else f"{number:.4g}"


class Frame:
    """A small table: named columns of one length, printed neatly.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, in order.
    units : mapping of str to str, optional
        Units of columns, which stand in their heads where the table is printed or written as CSV.

    Examples
    --------
    >>> print(Frame({"value": ["a", "b"], "share": [0.75, 0.25]}))
    value  share
    a       0.75
    b       0.25
    """

    def __init__(self, columns: Mapping[str, Any], units: Mapping[str, str] | None = None) -> None:
        self.units = {name: unit for name, unit in (units or {}).items() if unit}
        self.columns: dict[str, list[Any]] = {
            name: column.tolist() if isinstance(column, np.ndarray) else list(column)
            for name, column in columns.items()
        }

    @property
    def heads(self) -> list[str]:
        """The names of columns, with units."""
        units = self.units
        return [f"{name} ({units[name]})" if name in units else name for name in self.columns]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows, as dictionaries."""
        for row in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def __str__(self) -> str:
        rows = [[_text(cell) for cell in row.values()] for row in self._shown()]
        table = [[printable(name) for name in self.heads], *rows]
        left = [all(isinstance(c, str) for c in column) for column in self.columns.values()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if text else cell.rjust(width)
                for cell, width, text in zip(row, widths, left, strict=True)
            ).rstrip()
            for row in table
        ]
        if len(self) > _SHOWN:
            lines.append(f"... {len(self) - _SHOWN} more rows")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table for a notebook: text to the left, numbers to the right."""
        head = "".join(f"<th>{escape(printable(name))}</th>" for name in self.heads)
        body = "".join(
            "<tr>" + "".join(map(_cell_html, row.values())) + "</tr>" for row in self._shown()
        )
        rest = len(self) - _SHOWN
        more = f"<p>... {rest} more rows</p>" if rest > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _shown(self) -> Iterator[dict[str, Any]]:
        return (row for row, _ in zip(self, range(_SHOWN), strict=False))

    # -- parts of it ---------------------------------------------------------------

    def sort(self, by: str, *, descending: bool = False) -> Frame:
        """The rows in the order of a column; rows that are equal there keep their order.

        Missing numbers (``None``, NaN) come last.

        >>> Frame({"value": ["a", "b"], "share": [0.25, 0.75]}).sort("share", descending=True)["value"]
        ['b', 'a']
        """
        column = self._column(by)
        known = [row for row, cell in enumerate(column) if not _is_missing(cell)]
        order = sorted(known, key=column.__getitem__, reverse=descending)
        order += sorted(set(range(len(column))) - set(known))
        ordered = {name: [cells[row] for row in order] for name, cells in self.columns.items()}
        return Frame(ordered, self.units)

    def head(self, count: int = 10) -> Frame:
        """The first rows."""
        first = {name: cells[:count] for name, cells in self.columns.items()}
        return Frame(first, self.units)

    def _column(self, name: str) -> list[Any]:
        if name not in self.columns:
            allowed = f"one of {', '.join(self.columns)}"
            hint = did_you_mean(name, self.columns)
            raise InvalidInput("column", "Frame", allowed, name, hint=hint)
        return self.columns[name]

    # -- handed on -----------------------------------------------------------------

    def to_csv(self) -> str:
        """The table as CSV text; text that a spreadsheet would run gets an apostrophe before it."""
        return csv_text(self.heads, zip(*self.columns.values(), strict=True))

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``."""
        arrow = optional("pyarrow", extra="analyse", purpose="Frame.to_arrow")
        return arrow.table({name: arrow.array(column) for name, column in self.columns.items()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow interface: Polars, DuckDB, pandas 3 and others read the table by it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""
        pandas = optional("pandas", extra="", purpose="Frame.to_pandas")
        return pandas.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``."""
        polars = optional("polars", extra="", purpose="Frame.to_polars")
        return polars.DataFrame({name: _plain(cells) for name, cells in self.columns.items()})


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and isnan(cell))


def _plain(cells: list[Any]) -> list[Any]:
    """Cells that are pairs, such as the bounds of bins, as lists."""
    return [list(cell) if isinstance(cell, tuple) else cell for cell in cells]


def _cell_html(cell: Any) -> str:
    style = "" if isinstance(cell, str) else ' style="text-align:right"'
    return f"<td{style}>{'' if _is_missing(cell) else escape(_text(cell))}</td>"


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return number_text(cell)
    return printable(label_text(cell) if isinstance(cell, tuple) else str(cell))
