"""What people see: results on standard output, all else on the error stream.

A table is drawn to the terminal's width; in a pipe its lines stay whole.
Progress is drawn only where the error stream is a terminal.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

import numpy as np
import rich.progress
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from sottovoce.base.frame import number_text
from sottovoce.base.progress import Counted, Progress, silent
from sottovoce.base.text import label_text, printable

__all__ = [
    "Advance",
    "bar",
    "cell_text",
    "plain_label",
    "plain_json",
    "progress",
    "say",
    "show_json",
    "show_table",
    "show_text",
]

Advance = Callable[[int], object]
"""Called with how much more is done."""

_WIDE = 100_000


def say(text: str) -> None:
    """One line for a person, on the error stream; nothing in it steers the terminal."""
    typer.echo(printable(text), err=True)


def show_text(text: str) -> None:
    """Lines of a result, on standard output; nothing in them steers the terminal."""
    typer.echo("\n".join(map(printable, text.split("\n"))))


def show_json(document: Any) -> None:
    """The machine-readable result; numbers that JSON has no word for become null."""
    typer.echo(json.dumps(plain_json(document), indent=2, allow_nan=False))


def plain_json(value: Any) -> Any:
    """A document of what JSON knows: numbers of numpy as Python's, those that it has no word for as null."""
    if isinstance(value, Mapping):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return plain_json(value.tolist())
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show_table(rows: Sequence[Mapping[str, Any]], heading: str = "") -> None:
    """Rows under all their keys, numbers to the right, after a line of heading; what a row lacks is empty."""
    if heading:
        show_text(printable(heading))
    if not rows:
        return
    console = Console()
    table = Table(box=SIMPLE if console.is_terminal else None, pad_edge=False, show_edge=False)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        numbers = all(isinstance(row.get(name), (int, float, type(None))) for row in rows)
        table.add_column(
            Text(printable(name)), justify="right" if numbers else "left", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(cell_text(row.get(name))) for name in names))
    if console.is_terminal:
        console.print(table)
        return
    text = io.StringIO()
    Console(file=text, width=_WIDE).print(table)
    typer.echo("\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip()))


def cell_text(cell: Any) -> str:
    """A cell as people read it: four digits or more, bins as their two ends, nothing unprintable."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return number_text(cell)
    return printable(label_text(cell))


def plain_label(label: Any) -> Any:
    """A label for CSV: text and whole numbers unchanged, bins and pairs as text."""
    return label if isinstance(label, (str, int)) else label_text(label)


@contextmanager
def bar(label: str, *, known: bool = True) -> Iterator[Progress]:
    """A bar (a pulse where the size of the work is not ``known``) with its time, gone when done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield silent
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with rich.progress.Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(label, total=1.0 if known else None)
        yield lambda text, part: bars.update(task, completed=part)


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Advance]:
    """The same for work that is counted; without ``total``, a pulse."""
    with bar(label, known=total is not None) as shown:
        yield Counted(shown, label, total).add
