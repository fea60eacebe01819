"""Parquet files of reports, read by the workers themselves.

Rows that pass through the JVM cost ten times as much as counting them.  Here Spark only lists files
and hands out their names; workers read them with pyarrow and count, as one machine does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError
from sottovoce.base.parquet import open_parquet
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.files import CountPieces, Piece, check_surveys, pieces_of, shares_of
from sottovoce.engines.lake import ReportFile, folder_columns, is_report_file, survey_label
from sottovoce.engines.spark.frames import check_by, collected, mechanism_of
from sottovoce.engines.spark.session import session_or_active
from sottovoce.engines.spark.tally import merged_partials, partial_rows, partial_schema
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.surveys.survey import Survey

__all__ = ["tally_files"]

_TASK = 2**28
"""Bytes of files that a task reads, about: half a second of work, beside 0.07 s to start a task."""
_MOUNTED = {"file": "/", "dbfs": "/dbfs"}
"""File systems that workers see as folders."""
_SCHEMES = {"s3a": "s3", "s3n": "s3"}
"""What Hadoop calls file systems that pyarrow calls otherwise."""


def tally_files(
    path: str,
    survey: Survey | Mechanism,
    by: str | Iterable[str] = (),
    *,
    spark: Any = None,
    tasks: int | None = None,
) -> Any:
    """Count the reports of Parquet files, each read by a worker without Spark in between.

    Parameters
    ----------
    path : str
        A folder with Parquet files at any depth, one file, or a pattern such as ``day=2026-11-*``;
        any file system that both Spark and pyarrow reach from every worker. Files of tables that
        delete rows by other files (Delta, Iceberg) must not be read this way: use :func:`tally`.
    survey : Survey or Mechanism
        What the reports are of. Folders ``survey=s...`` must be of this survey.
    by : str or sequence of str
        Public columns, in the files or as folders ``region=north``; folders are taken as text.
    spark : pyspark.sql.SparkSession, optional
        The session; the active one, or a local one, if not given.
    tasks : int, optional
        Into how many tasks groups are divided; ``spark.sql.shuffle.partitions`` if not given.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of ``by`` as text, ``n`` and ``tally``. It is lazy but for the list of files.

    Raises
    ------
    InvalidInput
        Where there is no Parquet file.
    Mismatch
        Where a folder is of another survey.
    CorruptBytes
        Where a file cannot be read: as the frame is lazy, when it is used.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> tallies = svs.tally_files("lake/reports", survey, by=["window"])  # doctest: +SKIP
    """
    owner = "svs.tally_files"
    mechanism = mechanism_of(survey, owner)
    columns = check_by(by, mechanism, owner)
    if not isinstance(path, str) or not path:
        raise InvalidInput("path", owner, "the name of a folder or file", path)
    chosen = session_or_active(spark, owner)
    files = _listed(chosen, path, owner)
    of = survey if isinstance(survey, Survey) else None
    check_surveys(files, columns, of)
    label = None if of is None else survey_label(of.fingerprint)
    step = CountFiles(CountPieces(mechanism, columns, label), tuple(_tasks(files)))
    places = chosen.range(0, len(step.tasks), 1, len(step.tasks))  # a partition per task
    partials = on_workers(places, step, partial_schema(columns))
    return merged_partials(partials, mechanism, columns, tasks)


@dataclass(frozen=True)
class StoredFile(ReportFile):
    """A Parquet file under the name that Spark gives it."""

    uri: str = ""
    """Where it is, unless workers see it as a file."""

    @classmethod
    def named(cls, name: str, size: int) -> StoredFile:
        """A file of a folder that workers see, or of another file system."""
        scheme, _, rest = name.partition(":")
        columns = folder_columns(PurePath(name))
        if scheme in _MOUNTED:
            return cls(Path(_MOUNTED[scheme]) / rest.lstrip("/"), columns, size)
        uri = f"{_SCHEMES.get(scheme, scheme)}:{quote(rest, safe='/:@=+,')}"
        return cls(Path(name), columns, size, uri)

    def opened(self, **how: Any) -> Any:
        if not self.uri:
            return super().opened(**how)
        from pyarrow import fs

        try:
            files, place = fs.FileSystem.from_uri(self.uri)
        except Exception as error:
            allowed = "on a file system that pyarrow reads"
            hint = "Use spark.read.parquet and svs.tally."
            raise InvalidInput("path", "svs.tally_files", allowed, self.uri, hint=hint) from error
        return open_parquet(files.open_input_file(place), **how)


def _listed(spark: Any, path: str, owner: str) -> list[StoredFile]:
    """The files, as Spark sees them: a client of Connect need not reach them."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        listed = collected(reader.load(path).select("path", "length"))
    except SottovoceError:
        raise
    except Exception as error:
        if "PATH_NOT_FOUND" not in str(error) and "does not exist" not in str(error):
            raise
        raise InvalidInput("path", owner, "a folder or file that exists", path) from error
    rows = zip(listed.column("path").to_pylist(), listed.column("length").to_pylist(), strict=True)
    files = [StoredFile.named(name, size) for name, size in sorted(rows) if is_report_file(name)]
    if not files:
        raise InvalidInput("path", owner, "a place with Parquet files (*.parquet)", path)
    return files


@dataclass(frozen=True)
class Share:
    """A part of a file: the ``index``-th of ``count`` about equal ones."""

    file: ReportFile
    index: int
    count: int


def _tasks(files: Iterable[ReportFile]) -> Iterator[tuple[Share, ...]]:
    """Shares of large files, several small files at a time."""
    waiting: list[Share] = []
    size = 0
    for file in files:
        count = shares_of(file)
        for index in range(count):
            waiting.append(Share(file, index, count))
            size += file.size // count
            if size >= _TASK:
                yield tuple(waiting)
                waiting, size = [], 0
    if waiting:
        yield tuple(waiting)


@dataclass(frozen=True)
class CountFiles(Step):
    """Counts the tasks whose indices a partition holds."""

    count: CountPieces
    tasks: tuple[tuple[Share, ...], ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from self._count(self.tasks[index])

    def _count(self, task: Sequence[Share]) -> Iterator[Any]:
        try:
            pieces = [piece for share in task for piece in _pieces(share)]
            _, partials = self.count(pieces)
        except OSError as error:
            hint = "every worker must reach the files under the names that Spark lists"
            raise CorruptBytes(f"{error}; {hint}") from error
        yield from partial_rows(self.count.by, partials)


def _pieces(share: Share) -> list[Piece]:
    pieces = list(pieces_of(share.file))
    first, last = (k * len(pieces) // share.count for k in (share.index, share.index + 1))
    return pieces[first:last]
