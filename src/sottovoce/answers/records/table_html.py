"""A table of two questions as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sottovoce.base.text import label_text

if TYPE_CHECKING:
    from sottovoce.answers.tables import Table

__all__ = ["NOT_ENOUGH", "TOTAL", "percent", "table_html"]

NOT_ENOUGH = "not enough people"
"""What is said of a share among people who may be none."""
TOTAL = "total"
"""What stands in the place of an answer where any is meant."""

_MOST_ROWS, _MOST_COLUMNS = 20, 12


def percent(share: float) -> str:
    """A share in percent, with one decimal.

    >>> percent(0.1234)
    '12.3%'
    """
    return f"{100 * share:.1f}%"


def table_html(table: Table) -> str:
    """Shares with their intervals, and totals; the first rows and columns of a large table."""
    rows, columns = (domain.labels() for domain in table.domains)
    shown = rows[:_MOST_ROWS], columns[:_MOST_COLUMNS]
    cells = {(row[table.names[0]], row[table.names[1]]): row for row in table.frame(totals=True)}
    first, second = map(escape, table.names)
    heads = [label_text(label) for label in shown[1]] + [TOTAL]
    lines = [
        f"<tr><th>{first} \\ {second}</th>"
        + "".join(f"<th>{escape(h)}</th>" for h in heads)
        + "</tr>"
    ]
    for label in (*shown[0], TOTAL):
        texts = []
        for column in (*shown[1], TOTAL):
            cell = cells.get((label, column))
            texts.append(
                "100%" if cell is None else _cell(cell["share"], cell["low"], cell["high"])
            )
        body = "".join(f"<td>{text}</td>" for text in texts)
        lines.append(f"<tr><th>{escape(label_text(label))}</th>{body}</tr>")
    left_out = len(rows) - len(shown[0]), len(columns) - len(shown[1])
    note = f"<caption>{table.n:,} reports about both; shares with 95% intervals"
    if any(left_out):
        note += f"; {left_out[0]} more rows, {left_out[1]} more columns"
    return f"<table>{note}</caption>{''.join(lines)}</table>"


def _cell(share: float, low: float, high: float) -> str:
    return f"{percent(share)}<br><small>{percent(low)} to {percent(high)}</small>"
