"""Parquet files of reports, read by the workers themselves.

Rows that pass through the JVM cost ten times as much as counting them.  Here Spark only lists files
and hands out their names; workers read them with pyarrow and count, as one machine would.
Large files are read in parts, a few row groups each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from sottovoce.base.checks import check_int
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, SottovoceError
from sottovoce.core.counter import Counter
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.spark.frames import check_by, collected, mechanism_of
from sottovoce.engines.spark.session import session_or_active
from sottovoce.engines.spark.tally import merged_partials, partial_schema, partials_of
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.surveys.survey import Survey

__all__ = ["tally_files"]

_PART = 2**26
"""Bytes of a file that a task reads, about: a second of work for the fastest reports."""
_ROWS = 2**17
"""Rows that are read at a time."""
_MOUNTED = {"file": "", "dbfs": "/dbfs"}
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
    parts = _parts(_listed(chosen, path, owner))
    if isinstance(survey, Survey):
        _check_surveys([part.path for part in parts], survey)
    if tasks is not None:
        check_int(tasks, "tasks", owner, 1)
    step = CountFiles(mechanism, columns, tuple(parts))
    places = chosen.range(0, len(parts), 1, len(parts))  # a partition per part
    partials = on_workers(places, step, partial_schema(columns))
    return merged_partials(partials, mechanism, columns, tasks)


@dataclass(frozen=True)
class Part:
    """Some of the row groups of a file: those whose number is ``index`` modulo ``count``."""

    path: str
    index: int
    count: int


def _listed(spark: Any, path: str, owner: str) -> list[tuple[str, int]]:
    """Names and sizes of the files, as Spark sees them: a client of Connect need not reach them."""
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
    names = sorted((name, size) for name, size in rows if _is_parquet(name))
    if not names:
        raise InvalidInput("path", owner, "a place with files *.parquet", path)
    return names


def _is_parquet(name: str) -> bool:
    """Whether a file holds rows: hidden files and what a writer has not finished do not."""
    hidden = any(part.startswith(("_", ".")) and "=" not in part for part in name.split("/"))
    return name.endswith(".parquet") and not hidden


def _parts(files: Sequence[tuple[str, int]]) -> list[Part]:
    counts = [max(1, -(-size // _PART)) for _, size in files]
    return [
        Part(name, index, count)
        for (name, _), count in zip(files, counts, strict=True)
        for index in range(count)
    ]


def _check_surveys(names: Iterable[str], survey: Survey) -> None:
    """Folders ``survey=s<fingerprint>`` must be of the survey."""
    wanted = f"s{survey.fingerprint}"
    for name in names:
        given = _folders(name).get("survey", wanted)
        if given != wanted:
            raise Mismatch(
                f"{name} is of the survey {given.removeprefix('s')}, not of {survey.name!r} "
                f"({survey.fingerprint}): give the path of that survey's folder"
            )


def _folders(name: str) -> dict[str, str]:
    """Columns that the folders of a file stand for; their values are text, never guessed."""
    split = [part.partition("=") for part in name.split("/")[:-1] if "=" in part]
    return {unquote(key): unquote(value) for key, _, value in split}


@dataclass(frozen=True)
class CountFiles(Step):
    """Reads the parts of files whose indices a partition holds, and counts them."""

    mechanism: Mechanism
    by: tuple[str, ...]
    parts: tuple[Part, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from self._count(self.parts[index])

    def _count(self, part: Part) -> Iterator[Any]:
        import pyarrow as arrow

        counter = Counter(self.mechanism, self.by)
        try:
            for batch in self._read(part):
                counter.add(batch)
                if counter.is_full:
                    yield from partials_of(counter)
        except (SottovoceError, arrow.ArrowException, OSError) as error:
            raise CorruptBytes(f"{part.path}: {error}") from error
        yield from partials_of(counter)

    def _read(self, part: Part) -> Iterator[Any]:
        """Record batches with the fields and the public columns, those of folders added."""
        from pyarrow import parquet

        files, place = _opened(part.path)
        known = {name: label for name, label in _folders(part.path).items() if name in self.by}
        inside = [name for name in self.by if name not in known]
        columns = [*(field.name for field in self.mechanism.fields), *inside]
        with files.open_input_file(place) as source:
            metadata = parquet.read_metadata(source)
            there = metadata.schema.to_arrow_schema().names
            missing = [name for name in columns if name not in there]
            if missing:
                raise CorruptBytes(f"no column {missing[0]!r} (it has: {', '.join(there)})")
            # Labels are decoded once per dictionary; local files need no reading ahead.
            options = {"read_dictionary": inside, "pre_buffer": not part.path.startswith("file:")}
            file = parquet.ParquetFile(source, metadata=metadata, **options)
            groups = list(range(part.index, file.num_row_groups, part.count))
            for batch in file.iter_batches(_ROWS, row_groups=groups, columns=columns):
                yield _with_labels(batch, known)


def _with_labels(batch: Any, labels: Mapping[str, str]) -> Any:
    """The batch with a column of one label for each folder."""
    import pyarrow as arrow

    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    codes = arrow.array(np.zeros(batch.num_rows, dtype=np.int32))
    for name, label in labels.items():
        columns[name] = arrow.DictionaryArray.from_arrays(codes, [label])
    schema = batch.schema.metadata
    return arrow.RecordBatch.from_pydict(columns).replace_schema_metadata(schema)


def _opened(name: str) -> tuple[Any, str]:
    """The file system of a name of Spark's, and the place in it."""
    from pyarrow import fs

    scheme, _, rest = name.partition(":")
    if scheme in _MOUNTED:
        return fs.LocalFileSystem(), f"{_MOUNTED[scheme]}/{rest.lstrip('/')}"
    uri = f"{_SCHEMES.get(scheme, scheme)}:{quote(rest, safe='/:@=+,')}"
    try:
        files, place = fs.FileSystem.from_uri(uri)
    except Exception as error:
        allowed, hint = (
            "on a file system that pyarrow reads",
            "Use spark.read.parquet and svs.tally.",
        )
        raise InvalidInput("path", "svs.tally_files", allowed, name, hint=hint) from error
    return files, place
