"""Reports and tallies, from files, folders and pipes, told apart by their first bytes.

Reports are counted some rows at a time, so that memory does not grow with them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, Unfit
from sottovoce.base.extras import optional
from sottovoce.cli.shared.outputs import read_folder
from sottovoce.cli.shared.screen import Advance, progress
from sottovoce.cli.shared.tables import CHUNK, PARQUET_MAGIC, STDIN, check_input, no_column
from sottovoce.core.batches import tally_batches
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["MOST_GROUPS", "Groups", "add_group", "check_distinct", "read_groups", "read_tally"]

Groups = dict[str, Tally]

MOST_GROUPS = 1000
"""More groups than this look like a column that tells people apart, and need as many tallies."""

_STREAM_MAGIC = b"\xff\xff\xff\xff"
_TALLY_MAGIC = b"svtally"
_ALL = ""
"""The only group, where no column tells groups apart."""


def read_tally(inputs: Sequence[str]) -> Tally:
    """Everything in the inputs together."""
    return read_groups(inputs, None)[_ALL]


def read_groups(inputs: Sequence[str], by: str | None) -> Groups:
    """A tally a group, in order of name; without ``by``, everything is one group."""
    check_distinct(inputs)
    found: Groups = {}
    with progress("tallying") as advance:
        for given in inputs:
            for group, tally in _parts(given, by, advance):
                add_group(found, group, tally, given, by)
    return dict(sorted(found.items()))


def check_distinct(inputs: Sequence[str]) -> None:
    """Refuse an input that is given twice."""
    if len({given if given == STDIN else Path(given).resolve() for given in inputs}) != len(inputs):
        allowed = "distinct, lest the same reports count twice"
        raise InvalidInput("the inputs", "the command", allowed, list(inputs))


def add_group(found: Groups, group: str, tally: Tally, given: str, by: str | None) -> None:
    """Add the tally of a group to those found before."""
    if group not in found and len(found) >= MOST_GROUPS:
        allowed = f"a column with at most {MOST_GROUPS:,} groups"
        raise InvalidInput("--by", "the command", allowed, by)
    first = next(iter(found.values()), tally)
    try:
        found[group] = found.get(group, Tally.empty(first.mechanism)) + tally
    except Mismatch as error:
        raise Mismatch(f"{_name(given)}: {error}") from error


def _name(given: str) -> str:
    return "standard input" if given == STDIN else given


def _parts(given: str, by: str | None, advance: Advance) -> Iterator[tuple[str, Tally]]:
    """Tallies of parts of the input, each with its group."""
    if given == STDIN:
        stream: Any = sys.stdin.buffer
        peeks = isinstance(stream, io.BufferedReader)
        yield from _from_stream(stream if peeks else io.BufferedReader(stream), given, by, advance)
        return
    path = check_input(given, "INPUT")
    if not path.is_dir():
        with path.open("rb") as file:
            yield from _from_stream(file, given, by, advance)
        return
    column, groups = read_folder(path)
    if by is not None and by != column:
        raise Unfit(f"the tallies in {path} are by {column!r}, not by {by!r}")
    for group, tally in groups.items():
        yield (_ALL if by is None else group), tally


def _from_stream(
    stream: io.BufferedReader, given: str, by: str | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    start, name = stream.peek(8), _name(given)
    if not start:
        hint = "; did the command before it fail?" if given == STDIN else ""
        raise CorruptBytes(f"{name} is empty{hint}")
    if start.startswith(_TALLY_MAGIC):
        if by is not None:
            raise Unfit(f"{name} is one tally, of no group: tally the reports themselves --by {by}")
        yield _ALL, _tally(stream.read(), name)
    elif start.startswith(PARQUET_MAGIC):
        yield from _counted(_parquet_batches(stream, given), name, by, advance)
    elif start.startswith(_STREAM_MAGIC):
        yield from _counted(_stream_batches(stream, name), name, by, advance)
    else:
        raise CorruptBytes(f"{name} is neither reports (Parquet, or an Arrow stream) nor a tally")


def _tally(data: bytes, name: str) -> Tally:
    try:
        return Tally.from_bytes(data)
    except CorruptBytes as error:
        raise CorruptBytes(f"{name}: {error}") from error


# -- reports, some rows at a time ------------------------------------------------------


def _parquet_batches(stream: BinaryIO, given: str) -> Iterator[Any]:
    arrow = optional("pyarrow", extra="analyse", purpose="reading reports")
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading reports")
    source = (
        Path(given) if given != STDIN and stream.seekable() else arrow.BufferReader(stream.read())
    )
    try:
        with parquet.ParquetFile(source) as file:
            yield arrow.Table.from_batches([], file.schema_arrow)
            for batch in file.iter_batches(batch_size=CHUNK):
                yield arrow.Table.from_batches([batch], file.schema_arrow)
    except (arrow.ArrowException, OSError) as error:
        raise CorruptBytes(f"{_name(given)} is not a readable Parquet file: {error}") from error


class _Watched:
    """A stream that notices when it ends early.

    A complete Arrow stream says where it ends; Arrow itself takes one that
    breaks off between two batches for complete.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.broke_off, self.closed = stream, False, False

    def read(self, count: int = -1) -> bytes:
        data = self._stream.read(count)
        self.broke_off = self.broke_off or len(data) < count
        return data

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


def _stream_batches(stream: BinaryIO, name: str) -> Iterator[Any]:
    arrow = optional("pyarrow", extra="analyse", purpose="reading reports")
    watched = _Watched(stream)
    try:
        reader = arrow.ipc.open_stream(arrow.PythonFile(watched, "r"))
        yield arrow.Table.from_batches([], reader.schema)
        for batch in reader:
            yield arrow.Table.from_batches([batch], reader.schema)
    except (arrow.ArrowException, OSError) as error:
        raise CorruptBytes(f"{name} is not a readable stream of reports: {error}") from error
    if watched.broke_off:
        raise CorruptBytes(f"{name} breaks off before its end; did the command before it fail?")


def _counted(
    tables: Iterator[Any], name: str, by: str | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    """Tallies of tables of reports; the first table has no rows, and shows the mechanism."""
    batches = _reports(tables, name)
    header, first = next(batches)
    if by is None:
        yield _ALL, tally_batches(first.mechanism, _advancing(batches, advance))
        return
    for table, reports in chain([(header, first)], batches):
        for group, part in _split(reports, table, by, name):
            yield group, part.mechanism.tally(part)
        advance(len(reports))


def _reports(tables: Iterator[Any], name: str) -> Iterator[tuple[Any, Reports]]:
    """Each table with its reports, all of the mechanism of the first."""
    mechanism: Mechanism | None = None
    for table in tables:
        try:
            reports = Reports.from_arrow(table, mechanism)
        except CorruptBytes as error:
            raise CorruptBytes(f"{name}: {error}") from error
        mechanism = reports.mechanism
        yield table, reports


def _advancing(batches: Iterator[tuple[Any, Reports]], advance: Advance) -> Iterator[Reports]:
    for _, reports in batches:
        yield reports
        advance(len(reports))


def _split(reports: Reports, table: Any, by: str, name: str) -> Iterator[tuple[str, Reports]]:
    """The reports of every group."""
    fields = set(reports.columns)
    public = [column for column in table.column_names if column not in fields]
    if by not in public:
        raise Unfit(no_column(by, public, name, "public column"))
    cells = table.column(by).to_pylist()
    if None in cells:
        raise CorruptBytes(f"{name}: column {by!r} has empty cells")
    if not cells:
        return
    groups, which = np.unique(
        np.array([str(cell) for cell in cells], dtype=object), return_inverse=True
    )
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which))
    for group, rows in zip(groups, np.split(order, ends[:-1]), strict=True):
        columns = {field: column[rows] for field, column in reports.columns.items()}
        marks = {"certified": reports.certified, "simulated": reports.simulated}
        yield str(group), Reports(reports.mechanism, columns, **marks)
