"""Parquet files of reports counted on one machine: a process per core, a few megabytes each.

Files are divided into tasks of about the same size: several small files, or some row groups of a
large one.  A process counts a task and sends back partial tallies, which add up exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sottovoce.base.errors import CorruptBytes, InvalidCell, Mismatch, Unfit, named
from sottovoce.base.extras import optional
from sottovoce.base.processes import worker_pool
from sottovoce.base.suggestions import no_column
from sottovoce.base.threads import cores
from sottovoce.core.counter import Counter, Partial
from sottovoce.core.groups import check_group_type
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports, is_described
from sottovoce.engines.lake import SURVEY, SURVEY_KEY, ReportFile, survey_label
from sottovoce.surveys.survey import Survey

__all__ = ["CountPieces", "Piece", "check_surveys", "count_files", "pieces_of", "shares_of"]

Advance = Callable[[int], object]
"""Called with how many bytes more are done."""

_TASK = 2**26
"""Bytes of files that a process counts at a time, about."""
_FEW = 2**29
"""Bytes of all files up to which this process counts them alone: about a second."""
_ROWS = 2**17
"""Rows that are read at a time, at most."""
_BATCH = 2**22
"""Bytes of rows that are read at a time, about."""


def count_files(
    files: Sequence[ReportFile],
    by: Sequence[str] = (),
    survey: Survey | None = None,
    *,
    advance: Advance = lambda count: None,
    check: Callable[[Counter], object] = lambda counter: None,
    workers: int | None = None,
) -> Counter:
    """Count the reports of Parquet files.

    Parameters
    ----------
    files : sequence of ReportFile
        The files, each with the columns of its folders.
    by : sequence of str
        Public columns, in the files or in the names of their folders.
    survey : Survey, optional
        What the reports must be of; needed where files do not carry their mechanism.
    advance : callable
        Called with how many more bytes are done.
    check : callable
        Called with the counter whenever more was counted; what it raises ends the counting.
    workers : int, optional
        Processes; one per core if not given, this one alone for a few megabytes.

    Returns
    -------
    Counter
        With all reports.

    Raises
    ------
    CorruptBytes
        Where a file cannot be read, or does not hold reports.
    Mismatch
        Where files are of different mechanisms or surveys, or not of ``survey``.
    InvalidInput
        Where a row is not a report, or a folder is named like a field.
    Unfit
        Where a file does not have a column of ``by``.
    """
    check_surveys(files, by, survey)
    mechanism = _mechanism(files[0]) if survey is None else survey.mechanism
    counter = Counter(mechanism, by)
    tasks = _tasks(files)
    whole = sum(file.size for file in files)
    wanted = (1 if whole <= _FEW else cores()) if workers is None else workers
    wanted_survey = None if survey is None else survey_label(survey.fingerprint)
    count = CountPieces(mechanism, tuple(by), wanted_survey)
    found = _in_processes(count, tasks, wanted) if wanted > 1 else map(count, tasks)
    for size, partials in found:
        counter.merge(partials)
        check(counter)
        advance(size)
    return counter


def check_surveys(files: Sequence[ReportFile], by: Sequence[str], survey: Survey | None) -> None:
    """Folders ``survey=s<fingerprint>`` must be of the survey, or of one."""
    if survey is None:
        labels = sorted({file.columns[SURVEY] for file in files if SURVEY in file.columns})
        if len(labels) > 1 and SURVEY not in by:
            raise Mismatch(
                f"the files are of {len(labels)} surveys ({', '.join(labels[:3])}...): "
                f"give the folder of one, or --by {SURVEY}"
            )
        return
    wanted = survey_label(survey.fingerprint)
    for file in files:
        if file.columns.get(SURVEY, wanted) != wanted:
            raise Mismatch(
                f"{file.path} is in the folder of the survey {file.columns[SURVEY]}; "
                f"{survey.name!r} is {wanted}"
            )


# -- tasks ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file, or all (None), and how many rows are above them."""

    file: ReportFile
    size: int
    groups: tuple[int, ...] | None = None
    above: int = 0


_Task = Sequence[Piece]


def _tasks(files: Iterable[ReportFile]) -> Iterator[_Task]:
    waiting: list[Piece] = []
    for file in files:
        for piece in pieces_of(file):
            waiting.append(piece)
            if sum(each.size for each in waiting) >= _TASK:
                yield tuple(waiting)
                waiting = []
    if waiting:
        yield tuple(waiting)


def shares_of(file: ReportFile) -> int:
    """Into how many shares a file may be divided, so that each is a task: 1 where it is not large."""
    return 1 if file.size <= 2 * _TASK else -(-file.size // _TASK)


def pieces_of(file: ReportFile) -> Iterator[Piece]:
    """A file whole, or where it is large its row groups."""
    if shares_of(file) == 1:
        yield Piece(file, file.size)
        return
    with _readable(file.path), file.opened() as opened:
        about, above = opened.metadata, 0
        sizes = [_compressed(about.row_group(k)) for k in range(about.num_row_groups)]
        for k, size in enumerate(sizes):
            share = file.size * size // max(1, sum(sizes))
            yield Piece(file, share, (k,), above)
            above += about.row_group(k).num_rows


def _compressed(group: Any) -> int:
    return sum(group.column(k).total_compressed_size for k in range(group.num_columns))


def _in_processes(
    count: CountPieces, tasks: Iterator[_Task], workers: int
) -> Iterator[tuple[int, list[Partial]]]:
    """Tasks as they are done; a few more wait than there are processes."""
    with worker_pool(workers) as pool:
        running: set[Future[tuple[int, list[Partial]]]] = set()
        for task in tasks:
            running.add(pool.submit(count, task))
            if len(running) >= 2 * workers:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


# -- counting ------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountPieces:
    """Counts a task; a process gets it with the task."""

    mechanism: Mechanism
    by: tuple[str, ...]
    survey: str | None

    def __call__(self, task: _Task) -> tuple[int, list[Partial]]:
        counter = Counter(self.mechanism, self.by)
        for piece in task:
            with _readable(piece.file.path):
                self._add(piece, counter)
        return sum(piece.size for piece in task), counter.partials()

    def _add(self, piece: Piece, counter: Counter) -> None:
        file = piece.file
        with file.opened() as opened:
            schema, metadata = opened.schema_arrow, opened.metadata
        self._check_survey(file, schema.metadata or {})
        inside = self._columns_inside(file, schema.names)
        for name in inside:
            check_group_type(schema.field(name).type, name, str(file.path))
        labels = {name: file.label(name) for name in self.by if name not in inside}
        part = Counter(self.mechanism, inside) if labels else counter
        before = part.rows
        with (
            named(str(file.path)),
            file.opened(labels=inside, metadata=metadata) as opened,
        ):
            Reports.from_arrow(schema.empty_table(), self.mechanism)
            try:
                for batch in self._batches(opened, piece, inside):
                    part.add(batch)
            except InvalidCell as error:
                raise error.later(piece.above - before) from error
        if labels:
            counter.merge(_relabelled(part.partials(), self.by, labels))

    def _check_survey(self, file: ReportFile, metadata: dict[bytes, bytes]) -> None:
        """A file that says its survey must be of the one that is given, or of its folder's."""
        wanted = self.survey or file.columns.get(SURVEY)
        own = metadata.get(SURVEY_KEY.encode())
        if wanted is not None and own is not None and survey_label(own.decode()) != wanted:
            raise Mismatch(
                f"{file.path} is of the survey {survey_label(own.decode())}, not {wanted}"
            )

    def _columns_inside(self, file: ReportFile, names: Sequence[str]) -> list[str]:
        """The public columns that are in the file, not in the names of its folders."""
        fields = [field.name for field in self.mechanism.fields]
        for name in file.columns:
            if name in fields:
                fault = f"a folder is named {name}=, which is a field of the reports"
                raise Unfit(f"{file.path}: {fault}; give the column another name")
            if name in self.by and name in names:
                raise Unfit(f"{file.path}: column {name!r} is in the file and in its folder's name")
        inside = [name for name in self.by if name not in file.columns]
        for name in inside:
            if name not in names:
                public = [*(known for known in names if known not in fields), *file.columns]
                raise Unfit(no_column(name, public, str(file.path), "public column"))
        return inside

    def _batches(self, opened: Any, piece: Piece, inside: Sequence[str]) -> Iterator[Any]:
        """Record batches of the columns that are needed, without metadata, which was checked."""
        fields = self.mechanism.fields
        rows = max(1, min(_ROWS, _BATCH // sum(field.width for field in fields)))
        columns = [*(field.name for field in fields), *inside]
        options = {"row_groups": piece.groups, "columns": columns, "use_threads": False}
        for batch in opened.iter_batches(rows, **options):
            yield batch.replace_schema_metadata(None)


def _relabelled(
    partials: Iterable[Partial], by: Sequence[str], labels: dict[str, str]
) -> Iterator[Partial]:
    """Partials with the labels of folders among those of columns."""
    for partial in partials:
        inside = iter(partial.group)
        group = tuple(labels[name] if name in labels else next(inside) for name in by)
        yield replace(partial, group=group)


def _mechanism(file: ReportFile) -> Mechanism:
    """The mechanism that a file carries."""
    with _readable(file.path), file.opened() as opened:
        schema = opened.schema_arrow
    try:
        return Reports.from_arrow(schema.empty_table()).mechanism
    except CorruptBytes as error:
        hint = "" if is_described(schema) else "; if another engine wrote it, give --survey"
        raise CorruptBytes(f"{file.path}: {error}{hint}") from error


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    arrow = optional("pyarrow", extra="analyse", purpose="reading reports")
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
            raise
        raise CorruptBytes(f"{path} is not a readable Parquet file: {error}") from error
