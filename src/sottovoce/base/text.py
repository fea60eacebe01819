"""Text of others, made safe to show: on a terminal, and in CSV that a spreadsheet opens.

Names and labels come from surveys, files and collectors, and may be written by an adversary.  A
control character could steer a terminal; a cell that begins like a formula is run by spreadsheets.
"""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["csv_cell", "csv_text", "label_text", "printable"]

_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""What begins a formula, also in full width, which spreadsheets take for the same."""

_REAL = r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?"
_NUMBERS = re.compile(f"{_REAL}( to {_REAL}| or more)?", re.ASCII)
"""Numbers and bins that are written as text are no formulas."""


def printable(text: str) -> str:
    r"""Text without characters that steer: controls, and marks that change direction, are spelled out.

    >>> print(printable("red \x1b[31m, and a\nline"))
    red \x1b[31m, and a\nline
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def label_text(label: Any, number: Callable[[float], str] = "{:g}".format) -> str:
    """The label of an input of a domain, or of an answer, as text; ``number`` writes floats.

    A bin is written as its two ends, an open one as where it begins, a pair or a set as its parts, and the input of a
    person who holds no pair, or ticks no option, as such.

    >>> label_text("tea"), label_text((20.0, 30.0)), label_text(None)
    ('tea', '20 to 30', 'no pair')
    >>> label_text(("film", (0.0, 2.5))), label_text((0.0, 1 / 3), repr)
    ('film, 0 to 2.5', '0.0 to 0.3333333333333333')
    >>> label_text((1000.0, float("inf"))), label_text([1000.0, None])  # JSON has no infinity
    ('1000 or more', '1000 or more')
    """
    if label is None:
        return "no pair"
    if isinstance(label, float):
        return number(label)
    if label == ():
        return "none of these"
    if isinstance(label, (tuple, list)):
        if len(label) == 2 and isinstance(label[0], float) and label[1] in (math.inf, None):
            return f"{label_text(label[0], number)} or more"
        joint = " to " if all(isinstance(part, float) for part in label) else ", "
        return joint.join(label_text(part, number) for part in label)
    return str(label)


def csv_cell(cell: Any) -> Any:
    r"""A cell for CSV: numbers as they are, nothing as empty, bins as text, text that neither steers nor runs.

    What a spreadsheet would take for a formula gets an apostrophe before it; so does what would be
    one after leading spaces, line ends or other controls, which some programs drop.

    >>> [csv_cell(cell) for cell in (-0.5, None, (-1.0, 1.0), "-1+1", "\n=1", "tea\x07")]
    [-0.5, '', '-1.0 to 1.0', "'-1+1", "'\\n=1", 'tea\\x07']
    """
    if cell is None:
        return ""
    if isinstance(cell, numbers.Number) and not isinstance(cell, bool):
        return cell
    text = label_text(cell, repr)
    if _NUMBERS.fullmatch(text):
        return text
    start = next((c for c in text if c.isprintable() and not c.isspace()), "")
    controlled = bool(text) and text[0] in "\t\r\n"
    return f"'{printable(text)}" if controlled or start in _FORMULA else printable(text)


def csv_text(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV, every cell of it safe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, names))
    writer.writerows(map(csv_cell, row) for row in rows)
    return text.getvalue()
