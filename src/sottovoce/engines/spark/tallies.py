"""The DataFrame of tallies: a row per group, merged and collected exactly.

Columns are those of ``by`` as text, ``n``, and ``tally``, the bytes of a
:class:`~sottovoce.Tally`, which carry their mechanism and a checksum.  Partial tallies meet by a
shuffle.  Each is a pure function of its input, and Spark takes the output of one attempt of a task,
so that lost executors and tasks run twice change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.base.checks import first_repeated
from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError
from sottovoce.core.tally import Tally
from sottovoce.engines.spark.frames import (
    check_frame,
    check_named,
    collected,
    quoted,
    tasks_or_default,
)
from sottovoce.engines.spark.workers import Step, on_workers

__all__ = ["Group", "batches_of", "brought_together", "check_tallies", "collect", "merge"]
__all__ += ["read_tally", "tally_rows", "tally_schema"]

Group = tuple[str, ...]

_BYTES = 2**24
"""Bytes that a record batch holds, about."""


def tally_schema(by: Sequence[str]) -> str:
    """The columns of tallies."""
    return ", ".join([*(f"{quoted(name)} string" for name in by), "n bigint", "tally binary"])


def brought_together(frame: Any, by: Sequence[str], tasks: int | None = None) -> Any:
    """The same rows, those of a group in one partition.

    The number of partitions is given: without one, adaptive execution merges small ones.
    """
    if not by:
        return frame.repartition(1)
    return frame.repartition(tasks_or_default(frame, tasks), *map(quoted, by))


def collect(tallies: Any) -> dict[Group, Tally]:
    """Bring tallies to this process.

    Parameters
    ----------
    tallies : pyspark.sql.DataFrame
        From :func:`tally`, :func:`tally_files` or :func:`merge`, also read back from storage.

    Returns
    -------
    dict of tuple of str to Tally
        The tally of every group by the labels of its columns, in their order; without columns the
        one tally is under ``()``. Where no report was counted the dictionary is empty.

    Raises
    ------
    CorruptBytes
        Where a tally is altered or cut short.
    InvalidInput
        Where a group occurs twice (:func:`merge` adds such tallies), or workers refused reports.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> tallies = reports.transform(svs.tally(survey, by=["region"]))  # doctest: +SKIP
    >>> north = svs.collect(tallies)["north",]  # doctest: +SKIP
    """
    by = check_tallies(tallies, "svs.collect")
    table = collected(tallies)
    groups = list(zip(*(table.column(name).to_pylist() for name in by), strict=True))
    groups = groups if by else [()] * table.num_rows
    repeated = first_repeated(groups)
    if repeated is not None:
        hint = "svs.merge adds the tallies of a group."
        raise InvalidInput("tallies", "svs.collect", "one per group", repeated, hint=hint)
    cells = table.column("tally").to_pylist()
    found = {group: read_tally(data, group) for group, data in zip(groups, cells, strict=True)}
    return dict(sorted(found.items()))


def merge(tallies: Any, by: str | Iterable[str] = (), *, tasks: int | None = None) -> Any:
    """Add tallies, into coarser groups or those of several frames.

    Parameters
    ----------
    tallies : pyspark.sql.DataFrame
        Tallies of one mechanism; ``union`` puts several frames under each other.
    by : str or sequence of str
        The columns to keep; none for one tally of everything.
    tasks : int, optional
        Into how many tasks groups are divided; ``spark.sql.shuffle.partitions`` if not given.

    Returns
    -------
    pyspark.sql.DataFrame
        One tally per group. It is lazy: nothing is read before it is used.

    Raises
    ------
    InvalidInput
        Where a column is missing.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> everywhere = svs.merge(tallies)  # doctest: +SKIP
    >>> by_window = svs.merge(tallies, by=["window"])  # doctest: +SKIP
    """
    there = check_tallies(tallies, "svs.merge")
    chosen = (by,) if isinstance(by, str) else tuple(by)
    for name in chosen:
        if name not in there:
            raise InvalidInput("by", "svs.merge", f"among {', '.join(there) or 'none'}", name)
    narrow = tallies.select(*map(quoted, chosen), "tally")
    together = brought_together(narrow, chosen, tasks)
    return on_workers(together, Merge(chosen), tally_schema(chosen))


@dataclass(frozen=True)
class Merge(Step):
    """Adds the tallies of every group of a partition."""

    by: tuple[str, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        found: dict[Group, Tally] = {}
        for batch in batches:
            labels = [batch.column(name).to_pylist() for name in self.by]
            groups = zip(*labels, strict=True) if self.by else [()] * batch.num_rows
            for group, data in zip(groups, batch.column("tally").to_pylist(), strict=True):
                tally = read_tally(data, group)
                found[group] = found[group] + tally if group in found else tally
        yield from tally_rows(self.by, found.items())


def tally_rows(by: Sequence[str], tallies: Iterable[tuple[Group, Tally]]) -> Iterator[Any]:
    """Tallies as record batches of :func:`tally_schema`."""
    rows = ((*group, tally.n, tally.to_bytes()) for group, tally in tallies)
    return batches_of(rows, {**dict.fromkeys(by, "string"), "n": "int64", "tally": "binary"})


def batches_of(rows: Iterable[tuple[Any, ...]], kinds: Mapping[str, str]) -> Iterator[Any]:
    """Rows as record batches of a few megabytes; ``kinds`` are names and types of Arrow."""
    import pyarrow as arrow

    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in kinds.items()])

    def batch() -> Any:
        columns = zip(*waiting, strict=True)
        arrays = [arrow.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
        return arrow.RecordBatch.from_arrays(arrays, schema=schema)

    waiting: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, bytes)) + 8 * len(row)
        if size > _BYTES:
            yield batch()
            waiting, size = [], 0
    if waiting:
        yield batch()


def check_tallies(frame: Any, owner: str) -> list[str]:
    """Refuse what is not a frame of tallies; the columns of ``by`` of a frame of tallies."""
    check_frame(frame, owner)
    check_named(frame, ("n", "tally"), owner)
    kinds = dict(frame.dtypes)
    for name, kind in (("n", "bigint"), ("tally", "binary")):
        if kinds[name] != kind:
            allowed = f"{kind}, as svs.tally makes it"
            raise InvalidInput(f"column {name!r}", owner, allowed, f"type {kinds[name]}")
    return [name for name in frame.columns if name not in ("n", "tally")]


def read_tally(data: bytes | None, group: Group) -> Tally:
    """The tally of a group; an error names the group."""
    try:
        if data is None:
            raise CorruptBytes("an empty cell is not a tally")
        return Tally.from_bytes(data)
    except SottovoceError as error:
        raise CorruptBytes(f"tally of {', '.join(map(str, group)) or 'all reports'}: {error}") from error  # fmt: skip
