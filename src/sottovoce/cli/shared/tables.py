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
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.base.extras import optional
from sottovoce.base.parquet import open_parquet
from sottovoce.base.suggestions import no_column
from sottovoce.cli.shared.screen import Advance, progress

__all__ = [
    "CHUNK",
    "PARQUET_MAGIC",
    "STDIN",
    "InputFile",
    "check_input",
    "no_column",
    "open_file",
    "read_columns",
    "read_table",
    "row_error",
]

STDIN = "-"
CHUNK = 2**16
"""Rows at a time."""
PARQUET_MAGIC = b"PAR1"

Cells = list[Any]
Columns = tuple[int, list[Cells]]
"""The number of the first row, and one list of cells a wanted column."""
CheckNames = Callable[[Sequence[str]], object]


def _any_names(names: Sequence[str]) -> None:
    """Every name of a column is right."""


def check_input(given: str, argument: str) -> Path:
    """The path, if something is there."""
    path = Path(given)
    if not path.exists():
        raise InvalidInput(argument, "the command", "a file that exists, or - for a pipe", given)
    return path


def row_error(name: str, row: int, column: str, allowed: str, given: object) -> InvalidInput:
    """What is wrong with one cell."""
    return InvalidInput(f"row {row} of column {column!r}", name, allowed, given)


def read_columns(
    given: str, wanted: Sequence[tuple[str, str]], check: CheckNames = _any_names
) -> Iterator[Columns]:
    """The cells of the wanted columns, each given with the option that named it.

    Cells of CSV are text; those of Parquet text, numbers or None.  ``check`` refuses columns by
    their names, before any cell is read.
    """
    if given == STDIN:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        with progress("randomizing") as advance:
            yield from _read_csv(
                text, "standard input", wanted, check, position=lambda: 0, advance=advance
            )
        text.detach()  # else the wrapper would close standard input
        return
    with open_file(given, "a CSV or Parquet file") as file:
        if file.begins(PARQUET_MAGIC) or Path(given).suffix.lower() in (".parquet", ".pq"):
            yield from _read_parquet(file, wanted, check)
            return
        with progress("randomizing", file.size) as advance:
            text = io.TextIOWrapper(file.stream, encoding="utf-8-sig", newline="")
            yield from _read_csv(
                text, given, wanted, check, position=file.position, advance=advance
            )


def read_table(given: str) -> dict[str, Cells]:
    """All columns of a small table, as a query gives one; of CSV, an empty cell is None."""
    if given == STDIN:
        return _csv_table(sys.stdin.buffer, "standard input")
    with open_file(given, "a CSV or Parquet file") as file:
        is_parquet = file.begins(PARQUET_MAGIC)
        return _parquet_table(file) if is_parquet else _csv_table(file.stream, given)


@dataclass(frozen=True)
class InputFile:
    """A file that is read: of a known size, or a pipe, which is read once and from its start."""

    name: str
    stream: io.BufferedReader
    size: int | None

    def begins(self, magic: bytes) -> bool:
        """Whether these are its first bytes; they are still to be read."""
        return self.stream.peek(len(magic)).startswith(magic)

    def position(self) -> int:
        """Bytes that were read so far; 0 of a pipe, which does not say."""
        return 0 if self.size is None else self.stream.tell()


@contextmanager
def open_file(given: str, allowed: str) -> Iterator[InputFile]:
    """A file, or a pipe that has a name, as of ``<(command)`` in a shell."""
    path = check_input(given, "INPUT")
    if path.is_dir():
        raise InvalidInput("INPUT", "the command", f"{allowed}; this is a folder", given)
    with path.open("rb") as stream:
        yield InputFile(given, stream, path.stat().st_size if stream.seekable() else None)


# -- CSV -----------------------------------------------------------------------------


def _read_csv(
    text: TextIO,
    name: str,
    wanted: Sequence[tuple[str, str]],
    check: CheckNames,
    *,
    position: Callable[[], int],
    advance: Advance,
) -> Iterator[Columns]:
    reader = csv.reader(text, strict=True)
    with _readable(reader, name):
        header = next(reader, None)
    if header is None:
        raise InvalidInput("INPUT", "the command", "a CSV file with a header; it is empty", name)
    check(header)
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


def _csv_table(stream: BinaryIO, name: str) -> dict[str, Cells]:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    with _readable(reader, name):
        header = next(reader, None)
    if header is None:
        raise CorruptBytes(f"{name} is empty: not even a header")
    for column in header:
        _place(header, column, "INPUT", name)
    rows = list(_rows(reader, name, len(header)))
    text.detach()  # else the wrapper would close the stream
    return {column: [row[k] or None for row in rows] for k, column in enumerate(header)}


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
        raise CorruptBytes(f"{name}, near line {line}: not UTF-8 text") from error
    except csv.Error as error:
        raise CorruptBytes(f"{name}, line {reader.line_num}: {error}") from error


def _place(names: Sequence[str], column: str, option: str, name: str) -> int:
    if names.count(column) == 1:
        return names.index(column)
    there = ", ".join(names)
    if column in names:
        allowed = f"a column that {name} has once: {there}"
        raise InvalidInput(option, "the command", allowed, column)
    raise Unfit(no_column(column, names, name))


# -- Parquet -------------------------------------------------------------------------


def _read_parquet(
    given: InputFile, wanted: Sequence[tuple[str, str]], check: CheckNames
) -> Iterator[Columns]:
    path = given.name
    arrow = optional("pyarrow", extra="analyse", purpose="reading Parquet")
    try:
        pipe = given.size is None  # its end is read first: all of it is in memory
        file = open_parquet(arrow.BufferReader(given.stream.read()) if pipe else path)
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, PermissionError):
            raise
        raise CorruptBytes(f"{path} is not a readable Parquet file: {error}") from error
    with file, progress("randomizing", file.metadata.num_rows) as advance:
        schema, row = file.schema_arrow, 0
        check(schema.names)
        for option, column in wanted:
            _place(schema.names, column, option, path)
            _check_type(schema.field(column).type, arrow, column, path)
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
        raise InvalidInput("INPUT", "the command", "a Parquet file with rows", path)


def _parquet_table(given: InputFile) -> dict[str, Cells]:
    arrow = optional("pyarrow", extra="analyse", purpose="reading Parquet")
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading Parquet")
    try:
        table = parquet.read_table(arrow.BufferReader(given.stream.read()))
    except (arrow.ArrowException, OSError) as error:
        raise CorruptBytes(f"{given.name} is not a readable Parquet file: {error}") from error
    for column in table.column_names:
        _place(table.column_names, column, "INPUT", given.name)
    return {column: table.column(column).to_pylist() for column in table.column_names}


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
