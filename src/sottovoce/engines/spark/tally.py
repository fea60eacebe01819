"""Reports in a DataFrame, counted on the cluster.

Where a report falls in one cell, Spark itself counts: ``GROUP BY`` of an integer expression, which
never leaves the JVM.  Python sees one row per group and cell.  Where it falls in several, as in
unary encoding, workers count record batches with a :class:`~sottovoce.Counter`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.core.counter import Counter, Partial, labelled
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.engines.spark.frames import (
    as_text,
    check_by,
    check_fields,
    check_frame,
    mechanism_of,
    quoted,
)
from sottovoce.engines.spark.tallies import (
    Group,
    batches_of,
    brought_together,
    tally_rows,
    tally_schema,
)
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.engines.sql.arithmetic import cell_sql
from sottovoce.engines.sql.dialects import DIALECTS
from sottovoce.surveys.survey import Survey

__all__ = ["merged_partials", "partial_schema", "partial_rows", "tally"]

_CELL, _COUNT = "sottovoce cell", "sottovoce count"
"""Columns beside those of ``by``, of names that nobody gives a public column."""
_PARTIAL = ("n", "cells", "counts")


def tally(
    survey: Survey | Mechanism, by: str | Iterable[str] = (), *, tasks: int | None = None
) -> Callable[[Any], Any]:
    """Make a function that counts the reports of a DataFrame, for ``df.transform``.

    Parameters
    ----------
    survey : Survey or Mechanism
        What the reports are of.
    by : str or sequence of str
        Public columns whose values tell groups apart; none for one tally of everything.
    tasks : int, optional
        Into how many tasks groups are divided; ``spark.sql.shuffle.partitions`` if not given.

    Returns
    -------
    callable
        Takes a DataFrame with a column per field of a report and the columns of ``by``; other
        columns are ignored. Gives a DataFrame with the columns of ``by`` as text, ``n`` and
        ``tally``. It is lazy: an empty field, or one outside what it may hold, is refused when the
        frame is used.

    Raises
    ------
    InvalidInput
        Where a column is missing, of another type, or a public one is named like a field.

    Examples
    --------
    >>> import sottovoce as sv, sottovoce.spark as svs
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
    >>> count = svs.tally(m, by=["region"])
    >>> tallies = reports.transform(count)  # doctest: +SKIP
    """
    mechanism = mechanism_of(survey, "svs.tally")
    columns = check_by(by, mechanism, "svs.tally")

    def tallied(frame: Any) -> Any:
        check_frame(frame, "svs.tally")
        check_fields(frame, mechanism.fields, columns, "svs.tally")
        if mechanism.cell_expression() is not None:
            return _by_sql(frame, mechanism, columns, tasks)
        fields = [quoted(field.name) for field in mechanism.fields]
        narrow = frame.selectExpr(*fields, *as_text(columns))
        partials = on_workers(narrow, Count(mechanism, columns), partial_schema(columns))
        return merged_partials(partials, mechanism, columns, tasks)

    return tallied


# -- by SQL --------------------------------------------------------------------------------


def _by_sql(frame: Any, mechanism: Mechanism, by: tuple[str, ...], tasks: int | None) -> Any:
    """One row per group and cell by Spark's own aggregation, then a tally per group."""
    cell = f"{cell_sql(mechanism, DIALECTS['spark'])} as {quoted(_CELL)}"
    groups = [quoted(name) for name in by]
    counted = frame.selectExpr(*groups, cell).groupBy(*groups, quoted(_CELL)).count()
    rows = counted.selectExpr(*as_text(by), quoted(_CELL), f"`count` as {quoted(_COUNT)}")
    together = brought_together(rows, by, tasks)
    return on_workers(together, FromCounts(mechanism, by), tally_schema(by))


@dataclass(frozen=True)
class FromCounts(Step):
    """Makes a tally of the counted cells of every group."""

    mechanism: Mechanism
    by: tuple[str, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as arrow

        parts = list(batches)
        if parts:
            table = arrow.Table.from_batches(parts)
            yield from tally_rows(self.by, self._tallies(table))

    def _tallies(self, table: Any) -> Iterator[tuple[Group, Tally]]:
        cells, counts = (table.column(c).to_numpy() for c in (_CELL, _COUNT))
        for group, rows in _groups(table, self.by):
            _refuse_nulls(group, self.by)
            numbers, which = np.unique(cells[rows], return_inverse=True)
            sums = np.zeros(len(numbers), dtype=np.int64)
            np.add.at(sums, which, counts[rows])  # two values of a column may have one text
            try:
                tally = Tally.from_counts(self.mechanism, numbers, sums)
            except CorruptBytes as error:
                of = ", ".join(f"{n} {x}" for n, x in zip(self.by, group, strict=True))
                raise CorruptBytes(f"{of}: {error}" if of else str(error)) from error
            yield group, labelled(tally, self.by, group)


def _groups(table: Any, by: tuple[str, ...]) -> Iterator[tuple[Group, NDArray[np.int64]]]:
    """The groups of a table, each with its rows."""
    mixed = np.zeros(table.num_rows, dtype=np.int64)
    names: list[list[str | None]] = []
    for name in by:
        column = table.column(name).combine_chunks().dictionary_encode(null_encoding="encode")
        names.append(column.dictionary.to_pylist())
        mixed = mixed * len(names[-1]) + column.indices.to_numpy()
    order = np.argsort(mixed, kind="stable")
    found, starts = np.unique(mixed[order], return_index=True)
    levels = np.unravel_index(found, [len(each) for each in names]) if by else ()
    labels = [[of[k] for k in at] for of, at in zip(names, levels, strict=True)]
    groups = zip(*labels, strict=True) if by else [()] * len(found)
    yield from zip(groups, np.split(order, starts[1:]), strict=True)


def _refuse_nulls(group: Group, by: tuple[str, ...]) -> None:
    for label, name in zip(group, by, strict=True):
        if label is None:
            raise InvalidInput(f"column {name!r}", "svs.tally", "not empty", None)


# -- by record batches --------------------------------------------------------------------------


@dataclass(frozen=True)
class Count(Step):
    """Counts the reports of a partition."""

    mechanism: Mechanism
    by: tuple[str, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        counter = Counter(self.mechanism, self.by)
        for batch in batches:
            counter.add(batch)
            if counter.is_full:
                yield from partial_rows(self.by, counter.partials())
        yield from partial_rows(self.by, counter.partials())


@dataclass(frozen=True)
class MergePartials(Step):
    """Adds the partial counts of every group of a partition."""

    mechanism: Mechanism
    by: tuple[str, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        counter = Counter(self.mechanism, self.by)
        for batch in batches:
            labels = [batch.column(name).to_pylist() for name in self.by]
            groups = list(zip(*labels, strict=True)) if self.by else [()] * batch.num_rows
            columns = (batch.column(name).to_pylist() for name in _PARTIAL)
            counter.merge(
                Partial(group, n, np.frombuffer(cells, "<i8"), np.frombuffer(counts, "<i8"))
                for group, n, cells, counts in zip(groups, *columns, strict=True)
            )
        if counter.groups:
            yield from tally_rows(self.by, counter.tallies().items())


def merged_partials(
    partials: Any, mechanism: Mechanism, by: tuple[str, ...], tasks: int | None
) -> Any:
    """Tallies from partial counts."""
    together = brought_together(partials, by, tasks)
    return on_workers(together, MergePartials(mechanism, by), tally_schema(by))


def partial_schema(by: Iterable[str]) -> str:
    """The columns of partial counts."""
    groups = [f"{quoted(name)} string" for name in by]
    return ", ".join([*groups, "n bigint", "cells binary", "counts binary"])


def partial_rows(by: Sequence[str], partials: Iterable[Partial]) -> Iterator[Any]:
    """Partial counts as record batches of :func:`partial_schema`."""
    kinds = {**dict.fromkeys(by, "string"), "n": "int64", "cells": "binary", "counts": "binary"}
    rows = ((*each.group, each.n, _bytes(each.cells), _bytes(each.counts)) for each in partials)
    return batches_of(rows, kinds)


def _bytes(numbers: NDArray[np.int64]) -> bytes:
    return numbers.astype("<i8").tobytes()
