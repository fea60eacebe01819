"""Reports and tallies, from files, folders and pipes, told apart by their first bytes.

Reports are counted some rows at a time, so that memory does not grow with them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, Unfit, named
from sottovoce.base.extras import optional
from sottovoce.base.parquet import open_parquet
from sottovoce.cli.shared.exits import outlive_pipes
from sottovoce.cli.shared.outputs import INDEX, read_folder
from sottovoce.cli.shared.screen import Advance, progress
from sottovoce.cli.shared.tables import CHUNK, PARQUET_MAGIC, STDIN, check_input
from sottovoce.core.counter import Counter
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports, is_described
from sottovoce.core.tally import Tally
from sottovoce.engines.files import count_files
from sottovoce.engines.lake import WINDOW, ReportFile, report_files
from sottovoce.surveys.survey import Survey

__all__ = ["MOST_GROUPS", "Groups", "add_group", "check_distinct", "read_groups", "read_tally"]

Groups = dict[str, Tally]

MOST_GROUPS = 1000
"""More groups than this look like a column that tells people apart, and need as many tallies."""

_STREAM_MAGIC = b"\xff\xff\xff\xff"
_TALLY_MAGIC = b"svtally"
_ALL = ""
"""The only group, where no column tells groups apart."""


def read_tally(inputs: Sequence[str], survey: Survey | None = None) -> Tally:
    """Everything in the inputs together."""
    return read_groups(inputs, None, survey)[_ALL]


def read_groups(inputs: Sequence[str], by: str | None, survey: Survey | None = None) -> Groups:
    """A tally a group, in order of name; without ``by``, everything is one group.

    With ``survey``, what is not of its mechanism is refused, and files need not say their own.
    """
    check_distinct(inputs)
    listed = [_Listed.of(given) for given in inputs]
    files = [file for each in listed for file in each.files]
    if len({file.path.resolve() for file in files}) < len(files):
        allowed = "distinct: a file is also in one of the folders, and would count twice"
        raise InvalidInput("the inputs", "the command", allowed, list(inputs))
    found: Groups = {}
    sizes = [each.size for each in listed]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    with progress("tallying", total) as advance:
        for each in listed:
            if not each.files:
                for group, tally in _parts(each.given, by, survey, advance):
                    add_group(found, group, tally, each.given, by)
        if files:
            for group, tally in _tallies(files, by, survey, advance):
                add_group(found, group, tally, "the files", by)
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _Listed:
    """An input: its Parquet files, if it has some, and its size, if that is known."""

    given: str
    files: Sequence[ReportFile]
    size: int | None

    @classmethod
    def of(cls, given: str) -> _Listed:
        if given == STDIN:
            return cls(given, (), None)
        path = check_input(given, "INPUT")
        if path.is_dir():
            files = () if (path / INDEX).exists() else report_files(path)
            return cls(given, files, sum(file.size for file in files))
        if not path.is_file():
            return cls(given, (), None)  # a pipe with a name
        with path.open("rb") as file:
            is_parquet = file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
        return cls(given, [ReportFile.at(path)] if is_parquet else (), path.stat().st_size)


def _tallies(
    files: Sequence[ReportFile], by: str | None, survey: Survey | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    def check(counter: Counter) -> None:
        if counter.groups > MOST_GROUPS:
            _refuse_groups(by)

    columns = () if by is None else (by,)
    if WINDOW not in columns and _are_of_windows(files, survey):
        columns = (*columns, WINDOW)
    with outlive_pipes():
        counter = count_files(files, columns, survey, advance=advance, check=check)
    for group, tally in counter.tallies().items():
        yield (_ALL if by is None else group[0]), tally


def _are_of_windows(files: Sequence[ReportFile], survey: Survey | None) -> bool:
    """Whether files are of windows whose reports may not be pooled, since devices have memos."""
    if not all(WINDOW in file.columns for file in files):
        return False
    if survey is not None:
        return survey.mechanism.remembers
    with named(str(files[0].path)), files[0].opened() as first:
        schema = first.schema_arrow
        if not is_described(schema):
            return False  # refused where it is counted
        return Reports.from_arrow(schema.empty_table()).mechanism.remembers


def check_distinct(inputs: Sequence[str]) -> None:
    """Refuse an input that is given twice."""
    if len({given if given == STDIN else Path(given).resolve() for given in inputs}) != len(inputs):
        allowed = "distinct, lest the same reports count twice"
        raise InvalidInput("the inputs", "the command", allowed, list(inputs))


def add_group(found: Groups, group: str, tally: Tally, given: str, by: str | None) -> None:
    """Add the tally of a group to those found before."""
    if group not in found and len(found) >= MOST_GROUPS:
        _refuse_groups(by)
    first = next(iter(found.values()), tally)
    try:
        found[group] = found.get(group, Tally.empty(first.mechanism)) + tally
    except Mismatch as error:
        raise Mismatch(f"{_name(given)}: {error}") from error


def _refuse_groups(by: str | None) -> NoReturn:
    allowed = f"a column with at most {MOST_GROUPS:,} groups"
    raise InvalidInput("--by", "the command", allowed, by)


def _name(given: str) -> str:
    return "standard input" if given == STDIN else given


def _parts(
    given: str, by: str | None, survey: Survey | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    """Tallies of parts of an input that is no Parquet file, each with its group."""
    mechanism = None if survey is None else survey.mechanism
    for group, tally in _tallies_of(given, by, mechanism, advance):
        if mechanism is not None and tally.mechanism != mechanism:
            raise Mismatch(
                f"{_name(given)} is of {tally.mechanism} ({tally.mechanism.fingerprint}); the survey "
                f"has {mechanism} ({mechanism.fingerprint})"
            )
        yield group, tally


def _tallies_of(
    given: str, by: str | None, mechanism: Mechanism | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    if given == STDIN:
        raw: Any = sys.stdin.buffer
        stream = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)
        yield from _from_stream(stream, given, by, mechanism, advance)
        return
    path = Path(given)
    if not path.is_dir():
        with path.open("rb") as file:
            yield from _from_stream(file, given, by, mechanism, advance)
        return
    column, groups = read_folder(path)
    if by is not None and by != column:
        raise Unfit(f"the tallies in {path} are by {column!r}, not by {by!r}")
    for group, tally in groups.items():
        yield (_ALL if by is None else group), tally


def _from_stream(
    stream: io.BufferedReader,
    given: str,
    by: str | None,
    mechanism: Mechanism | None,
    advance: Advance,
) -> Iterator[tuple[str, Tally]]:
    start, name = stream.peek(8), _name(given)
    if not start:
        hint = "; did the command before it fail?" if given == STDIN else ""
        raise CorruptBytes(f"{name} is empty{hint}")
    if start.startswith(_TALLY_MAGIC):
        if by is not None:
            raise Unfit(f"{name} is one tally, of no group: tally the reports themselves --by {by}")
        data = stream.read()
        yield _ALL, _tally(data, name)
        advance(len(data))
    elif start.startswith(PARQUET_MAGIC):
        yield from _counted(_parquet_batches(stream, name), name, by, mechanism, advance)
    elif start.startswith(_STREAM_MAGIC):
        yield from _counted(_stream_batches(stream, name), name, by, mechanism, advance)
    else:
        raise CorruptBytes(f"{name} is neither reports (Parquet, or an Arrow stream) nor a tally")


def _tally(data: bytes, name: str) -> Tally:
    try:
        return Tally.from_bytes(data)
    except CorruptBytes as error:
        raise CorruptBytes(f"{name}: {error}") from error


# -- reports, some rows at a time ------------------------------------------------------


def _parquet_batches(stream: BinaryIO, name: str) -> Iterator[Any]:
    """Those of a Parquet file from a pipe: its end is read first, so all of it is in memory."""
    arrow = optional("pyarrow", extra="analyse", purpose="reading reports")
    try:
        with open_parquet(arrow.BufferReader(stream.read())) as file:
            yield file.schema_arrow.empty_table()
            yield from file.iter_batches(batch_size=CHUNK)
    except (arrow.ArrowException, OSError) as error:
        raise CorruptBytes(f"{name} is not a readable Parquet file: {error}") from error


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
        yield reader.schema.empty_table()
        yield from reader
    except (arrow.ArrowException, OSError) as error:
        raise CorruptBytes(f"{name} is not a readable stream of reports: {error}") from error
    if watched.broke_off:
        raise CorruptBytes(f"{name} breaks off before its end; did the command before it fail?")


def _counted(
    batches: Iterator[Any], name: str, by: str | None, mechanism: Mechanism | None, advance: Advance
) -> Iterator[tuple[str, Tally]]:
    """Tallies of batches of reports; the first has no rows, and shows the mechanism."""
    with named(name):
        first = next(batches)
        counter = Counter(Reports.from_arrow(first, mechanism).mechanism, () if by is None else by)
        for batch in chain([first], batches):
            counter.add(batch)
            advance(batch.nbytes)
            if counter.groups > MOST_GROUPS:
                _refuse_groups(by)
    for group, tally in counter.tallies().items():
        yield (_ALL if by is None else group[0]), tally
