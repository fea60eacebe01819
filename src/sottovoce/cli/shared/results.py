"""Answers as a file, in the format that the end of its name asks for; pictures of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.base.text import csv_text
from sottovoce.cli.shared.outputs import STDOUT, check_file, check_output, ending_of, format_of
from sottovoce.cli.shared.screen import plain_json

__all__ = ["ResultFile", "check_picture", "check_result", "write_picture", "write_result"]

_FORMATS = ("csv", "json", "parquet")

ResultFile = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE",
        help="Also write the answers to a .csv, .json or .parquet file.",
    ),
]  # fmt: skip


def check_result(output: str | None, *, force: bool, inputs: Iterable[str] = ()) -> None:
    """Refuse, before any work, a file that cannot be written."""
    if output is None:
        return
    if output == STDOUT:
        allowed = "a file; --csv and --json write to standard output"
        raise InvalidInput("--output", "the command", allowed, output)
    format_of(output, _FORMATS)
    check_output(output, force=force, inputs=inputs)
    check_file(output)


def write_result(
    output: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]], document: Any
) -> None:
    """Rows under names as CSV or Parquet; the whole document as JSON."""
    form = format_of(output, _FORMATS)
    cells = [[row.get(name) for name in names] for row in rows]

    def fill(part: Path) -> None:
        if form == "parquet":
            _write_parquet(part, names, cells)
            return
        text = csv_text(names, cells)
        if form == "json":
            text = json.dumps(plain_json(document), indent=2, allow_nan=False) + "\n"
        part.write_text(text, encoding="utf-8", newline="")

    write_whole(output, fill)


def _write_parquet(part: Path, names: Sequence[str], cells: Sequence[Sequence[Any]]) -> None:
    """Numbers as numbers; a column with any text as text."""
    arrow = optional("pyarrow", extra="analyse", purpose="answers as Parquet")
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="answers as Parquet")
    columns = {}
    for place, name in enumerate(names):
        column = [row[place] for row in cells]
        text = any(isinstance(cell, str) for cell in column)
        columns[name] = [None if c is None else str(c) if text else float(c) for c in column]
    parquet.write_table(arrow.table(columns), part)


# -- pictures ----------------------------------------------------------------------------------

_PICTURES = ("png", "pdf", "svg")


def check_picture(plot: str, owner: str, *, force: bool) -> None:
    """Refuse, before any work, what cannot be drawn into."""
    if ending_of(plot) not in _PICTURES:
        raise InvalidInput("--plot", owner, f"a file named .{', .'.join(_PICTURES)}", plot)
    check_output(plot, force=force, option="--plot")
    check_file(plot, "--plot")


def write_picture(figure: Any, plot: str) -> None:
    """A matplotlib figure into its file."""
    write_whole(plot, lambda part: figure.savefig(part, format=ending_of(plot), dpi=144))
