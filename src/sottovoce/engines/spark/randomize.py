"""Values randomized on the cluster, as one write.

A DataFrame of Spark is lazy: every action computes it again, and so does a lost executor.  Reports
that were drawn lazily would be drawn anew each time, and a person whose value was randomized thirty
times has spent thirty times epsilon.  So there is no lazy form: reports are drawn while they are
written, Spark keeps the output of one attempt of each task, and what is returned is read back.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sottovoce.base.errors import InvalidInput, Misaligned
from sottovoce.core.fields import Field, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.engines.spark.frames import (
    check_folder,
    check_frame,
    check_named,
    mechanism_of,
    quoted,
    written,
)
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.surveys.survey import Survey

__all__ = ["randomize"]

_WIDTHS = {1: ("smallint", "int16"), 2: ("int", "int32"), 4: ("bigint", "int64")}
"""Signed types that hold unsigned numbers of so many bytes: Spark has no unsigned ones."""


def randomize(
    df: Any,
    column: str,
    survey: Survey | Mechanism,
    *,
    to: str,
    keep: str | Iterable[str] = (),
) -> Any:
    """Randomize a column of true values and write the reports; never lazy.

    Each value is drawn once, with the randomness of the operating system of the worker that holds
    it. Nothing of the frame is written but the reports and the columns of ``keep``.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per person.
    column : str
        The column of true values, such as text, numbers, or arrays of numbers for vectors.
    survey : Survey or Mechanism
        How to randomize; a survey also has a rule for values outside its domain.
    to : str
        Where to write Parquet files; refused where something is there.
    keep : str or sequence of str
        Public columns to write with the reports.

    Returns
    -------
    pyspark.sql.DataFrame
        The reports, read back from ``to``.

    Raises
    ------
    InvalidInput
        Where a column is missing, a value is empty or outside the domain, or ``to`` is taken.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> reports = svs.randomize(people, "drink", survey, to="lake/reports")  # doctest: +SKIP
    """
    owner = "svs.randomize"
    check_frame(df, owner)
    mechanism = mechanism_of(survey, owner)
    public = (keep,) if isinstance(keep, str) else tuple(keep)
    check_named(df, [column, *public], owner)
    fields = [field.name for field in mechanism.fields]
    for name in public:
        if name == column or name in fields:
            allowed = f"public columns, none named {', '.join([column, *fields])}"
            raise InvalidInput("keep", owner, allowed, name)
    check_folder(to, owner)
    rule = survey.outside if isinstance(survey, Survey) else "refuse"
    kinds = dict(df.dtypes)
    schema = [f"{quoted(field.name)} {_kinds(field)[0]}" for field in mechanism.fields]
    schema += [f"{quoted(name)} {kinds[name]}" for name in public]
    step = Randomize(mechanism, rule, column, public)
    narrow = df.select(quoted(column), *map(quoted, public))
    drawn = on_workers(narrow, step, ", ".join(schema))
    return written(drawn, to, owner)


@dataclass(frozen=True)
class Randomize(Step):
    """Randomizes the values of a partition."""

    mechanism: Mechanism
    rule: str
    column: str
    keep: tuple[str, ...]

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as arrow

        for batch in batches:
            if not batch.num_rows:
                continue
            reports = self._reports(batch.column(self.column))
            columns = {
                each.name: _array(reports.columns[each.name], each, arrow)
                for each in self.mechanism.fields
            }
            columns |= {name: batch.column(name) for name in self.keep}
            yield arrow.RecordBatch.from_pydict(columns)

    def _reports(self, values: Any) -> Reports:
        if values.null_count:
            given = f"{values.null_count} empty rows"
            raise InvalidInput(f"column {self.column!r}", "svs.randomize", "not empty", given)
        listed = values.to_pylist()
        if self.rule != "refuse":
            listed = [self.mechanism.domain.admit(value, self.rule) for value in listed]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Misaligned)  # of a batch, and nobody reads it there
            return self.mechanism.randomize(listed)


def _kinds(field: Field) -> tuple[str, str]:
    """The type of a field for Spark, and that of its numbers for Arrow."""
    if isinstance(field, IntField):
        return _WIDTHS.get(field.width, ("decimal(20,0)", "decimal"))
    if (count := getattr(field, "count", None)) is None:
        return "binary", "binary"
    spark, kind = _WIDTHS.get(field.width // count, ("decimal(20,0)", "decimal"))
    return f"array<{spark}>", kind


def _array(column: Any, field: Field, arrow: Any) -> Any:
    """A column of reports as Spark can hold it."""
    kind = _kinds(field)[1]
    if kind == "binary":
        return arrow.array([row.tobytes() for row in column], arrow.binary())
    numbers = arrow.decimal128(20, 0) if kind == "decimal" else arrow.type_for_alias(kind)
    if column.ndim == 1:
        return arrow.array(column).cast(numbers)
    return arrow.array(column.tolist(), arrow.list_(numbers))
