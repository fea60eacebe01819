"""Columns of a CSV or Parquet file, a bounded number of rows at a time.

Rows count from 1, the header apart.  CSV is read by the standard library: one
behaviour on every machine, with the row at hand when something is wrong.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from sottovoce.cli.screen import Advance, progress
from sottovoce.core.errors import CorruptBytes, InvalidInput
from sottovoce.core.extras import optional

__all__ = ["CHUNK", "PARQUET_MAGIC", "STDIN", "check_input", "read_columns", "row_error"]

STDIN = "-"
CHUNK = 2**16
"""Rows at a time."""
PARQUET_MAGIC = b"PAR1"

Cells = list[Any]
Columns = tuple[int, list[Cells]]
"""The number of the first row, and one list of cells a wanted column."""


def check_input(given: str, argument: str) -> Path:
    """The path, if something is there."""
    path = Path(given)
    if not path.exists():
        raise InvalidInput(argument, "the command", "a file that exists, or - for a pipe", given)
    return path


def row_error(name: str, row: int, column: str, allowed: str, given: object) -> InvalidInput:
    """What is wrong with one cell."""
    return InvalidInput(f"row {row} of column {column!r}", name, allowed, given)


def read_columns(given: str, wanted: Sequence[tuple[str, str]]) -> Iterator[Columns]:
    """The cells of the wanted columns, each given with the option that named it.

    Cells of CSV are text; those of Parquet text, numbers or None.
    """
    if given == STDIN:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        with progress("randomizing") as advance:
            yield from _read_csv(text, "standard input", wanted, lambda: 0, advance)
        text.detach()  # else the wrapper would close standard input
        return
    path = check_input(given, "INPUT")
    if path.is_dir():
        raise InvalidInput("INPUT", "the command", "a CSV or Parquet file; this is a folder", given)
    with path.open("rb") as file:
        magic = file.read(len(PARQUET_MAGIC))
    if magic == PARQUET_MAGIC or path.suffix.lower() in (".parquet", ".pq"):
        yield from _read_parquet(path, wanted)
        return
    with path.open("rb") as file, progress("randomizing", path.stat().st_size) as advance:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        yield from _read_csv(text, str(path), wanted, file.tell, advance)


# -- CSV -----------------------------------------------------------------------------


def _read_csv(
    text: TextIO,
    name: str,
    wanted: Sequence[tuple[str, str]],
    position: Callable[[], int],
    advance: Advance,
) -> Iterator[Columns]:
    reader = csv.reader(text, strict=True)
    with _readable(reader, name):
        header = next(reader, None)
    if header is None:
        raise InvalidInput("INPUT", "the command", "a CSV file with a header; it is empty", name)
    places = [_place(header, column, option, name) for option, column in wanted]
    rows, row, done = _rows(reader, name, len(header)), 0, 0
    while True:
        some = list(islice(rows, CHUNK))
        if not some:
            break
        yield row + 1, [[cells[place] for cells in some] for place in places]
        row += len(some)
        done, before = position(), done
        advance(done - before)
    if row == 0:
        raise InvalidInput("INPUT", "the command", "a CSV file with rows below its header", name)


def _rows(reader: Any, name: str, width: int) -> Iterator[list[str]]:
    """Rows as wide as the header.  Blank lines may only end the file: one before may be an answer."""
    blank = 0
    with _readable(reader, name):
        for row, cells in enumerate(reader, start=1):
            if len(cells) == width and not blank:
                yield cells
            elif not cells:
                blank = blank or row
            elif blank:
                raise InvalidInput(f"row {blank}", name, "not blank", "an empty line")
            else:
                allowed = f"{width} cells wide, like the header"
                raise InvalidInput(f"row {row}", name, allowed, f"{len(cells)} cells")


@contextmanager
def _readable(reader: Any, name: str) -> Iterator[None]:
    """Errors of the CSV format, with the line; the line itself is not shown."""
    try:
        yield
    except UnicodeDecodeError as error:
        line = reader.line_num + 1
        raise CorruptBytes(f"{name}, near line {line}: this is no UTF-8 text") from error
    except csv.Error as error:
        raise CorruptBytes(f"{name}, line {reader.line_num}: {error}") from error


def _place(names: Sequence[str], column: str, option: str, name: str) -> int:
    if names.count(column) == 1:
        return names.index(column)
    there = ", ".join(names)
    allowed = f"one of the columns of {name}: {there}"
    if column in names:
        allowed = f"a column that {name} has once: {there}"
    raise InvalidInput(option, "the command", allowed, column)


# -- Parquet -------------------------------------------------------------------------


def _read_parquet(path: Path, wanted: Sequence[tuple[str, str]]) -> Iterator[Columns]:
    arrow = optional("pyarrow", extra="analyse", purpose="reading Parquet")
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading Parquet")
    try:
        file = parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, PermissionError):
            raise
        raise CorruptBytes(f"{path} is no readable Parquet file: {error}") from error
    with file, progress("randomizing", file.metadata.num_rows) as advance:
        schema, row = file.schema_arrow, 0
        for option, column in wanted:
            _place(schema.names, column, option, str(path))
            _check_type(schema.field(column).type, arrow, column, str(path))
        names = [column for _, column in wanted]
        batches = file.iter_batches(batch_size=CHUNK, columns=names)
        while True:
            try:
                batch = next(batches, None)
            except (arrow.ArrowException, OSError) as error:
                raise CorruptBytes(f"{path} cannot be read: {error}") from error
            if batch is None:
                break
            if len(batch):
                yield row + 1, [_python(batch.column(column)) for column in names]
            row += len(batch)
            advance(len(batch))
    if row == 0:
        raise InvalidInput("INPUT", "the command", "a Parquet file with rows", str(path))


def _check_type(kind: Any, arrow: Any, column: str, name: str) -> None:
    types = arrow.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    text = types.is_string(kind) or types.is_large_string(kind)
    if not (text or types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        allowed = "of text, numbers or booleans"
        raise InvalidInput(f"column {column!r}", name, allowed, str(kind))


def _python(column: Any) -> Cells:
    """Cells as Python has them; booleans as the words true and false."""
    cells: Cells = column.to_pylist()
    if str(column.type) == "bool":
        return [cell if cell is None else str(cell).lower() for cell in cells]
    return cells
