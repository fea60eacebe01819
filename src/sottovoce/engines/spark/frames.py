"""DataFrames: columns checked by name and type, names quoted, rows collected as Arrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.fields import BitField, Field, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.spark.workers import plain_errors
from sottovoce.surveys.survey import Survey

__all__ = [
    "as_text",
    "check_by",
    "check_fields",
    "check_folder",
    "check_frame",
    "check_named",
    "collected",
    "mechanism_of",
    "quoted",
    "tasks_or_default",
    "written",
]

_WHOLE = r"(tinyint|smallint|int|bigint|decimal\(\d+,0\))"
_PUBLIC = re.compile(r"(string|varchar.*|char.*|boolean|date|timestamp.*|float|double|decimal.*|" + _WHOLE + ")")  # fmt: skip


def mechanism_of(survey: Any, owner: str) -> Mechanism:
    """The mechanism of a survey, or the mechanism that was given instead."""
    if isinstance(survey, Survey):
        return survey.mechanism
    if not isinstance(survey, Mechanism):
        raise InvalidInput("survey", owner, "a Survey or a mechanism", survey)
    return survey


def check_frame(frame: Any, owner: str) -> None:
    """Refuse what is not a DataFrame of Spark, classic or of Connect."""
    if not hasattr(frame, "mapInArrow"):
        hint = "Of pandas: spark.createDataFrame(frame)."
        raise InvalidInput("df", owner, "a DataFrame of Spark", type(frame).__name__, hint=hint)


def check_by(by: str | Iterable[str], mechanism: Mechanism, owner: str) -> tuple[str, ...]:
    """Public columns: different names, none that of a field or of a column of the result."""
    names = (by,) if isinstance(by, str) else tuple(by)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidInput("by", owner, "names of columns, each once", by)
    fields = [each.name for each in mechanism.fields]
    for name in names:
        if name in fields or name in ("n", "tally"):
            allowed = f"public columns, none named {', '.join([*fields, 'n', 'tally'])}"
            raise InvalidInput("by", owner, allowed, name)
    return names


def check_named(frame: Any, names: Iterable[str], owner: str) -> None:
    """Refuse a frame that lacks a column, or has it twice."""
    there = list(frame.columns)
    for name in names:
        if there.count(name) != 1:
            allowed = f"there once (the frame has: {', '.join(there)})"
            hint = did_you_mean(name, there) if name not in there else ""
            raise InvalidInput("columns", owner, allowed, name, hint=hint)


def check_fields(frame: Any, fields: Iterable[Field], by: Sequence[str], owner: str) -> None:
    """Refuse a frame that lacks the fields of reports or the public columns, or has other types."""
    fields = tuple(fields)
    check_named(frame, [*(each.name for each in fields), *by], owner)
    kinds = dict(frame.dtypes)
    for each in fields:
        pattern, allowed = _kind(each)
        if not re.fullmatch(pattern, kinds[each.name]):
            raise InvalidInput(f"column {each.name!r}", owner, allowed, f"type {kinds[each.name]}")
    for name in by:
        if not _PUBLIC.fullmatch(kinds[name]):
            allowed = "of text, whole numbers, dates or other single values"
            raise InvalidInput(f"column {name!r}", owner, allowed, f"type {kinds[name]}")


def _kind(field: Field) -> tuple[str, str]:
    if isinstance(field, IntField):
        return _WHOLE, "of whole numbers"
    if isinstance(field, BitField):
        return "binary", f"binary, {field.width} bytes per row"
    return f"array<{_WHOLE}>", f"arrays of {field.count} whole numbers"


def quoted(name: str) -> str:
    """A name of a column for expressions: no word is reserved, no dot is a part."""
    return "`" + name.replace("`", "``") + "`"


def as_text(names: Iterable[str]) -> list[str]:
    """Public columns as the text of their cells, as :class:`~sottovoce.Counter` names groups."""
    return [f"cast({quoted(name)} as string) as {quoted(name)}" for name in names]


def tasks_or_default(frame: Any, tasks: int | None) -> int:
    """How many tasks: as told, else as many as Spark's shuffles have."""
    if tasks is not None:
        return check_int(tasks, "tasks", "sottovoce.spark", 1)
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))


def collected(frame: Any) -> Any:
    """All rows as an Arrow table.  Errors of workers are raised as they were there."""
    with plain_errors():
        if hasattr(frame, "toArrow"):
            return frame.toArrow()
        arrow = optional("pyarrow", extra="analyse", purpose="collecting rows of Spark")
        from pyspark.sql.pandas.types import to_arrow_schema  # before Spark 4

        columns = list(zip(*frame.collect(), strict=True)) or [()] * len(frame.columns)
        schema = to_arrow_schema(frame.schema)
        arrays = [arrow.array(map(_plain, c), f.type) for c, f in zip(columns, schema, strict=True)]
        return arrow.Table.from_arrays(arrays, schema=schema)


def check_folder(to: Any, owner: str) -> None:
    """Refuse what is not the name of a folder."""
    if not isinstance(to, str) or not to:
        raise InvalidInput("to", owner, "the name of a folder", to)


def written(frame: Any, to: str, owner: str) -> Any:
    """A frame written as Parquet where nothing is yet, and read back: computed once."""
    with plain_errors():
        try:
            frame.write.mode("error").parquet(to)
        except Exception as error:
            if "PATH_ALREADY_EXISTS" not in str(error):
                raise
            hint = "Remove what an attempt that failed has left there."
            allowed = "a place where nothing is yet"
            raise InvalidInput("to", owner, allowed, to, hint=hint) from error
    return frame.sparkSession.read.parquet(to)


def _plain(cell: Any) -> Any:
    return bytes(cell) if isinstance(cell, bytearray) else cell
