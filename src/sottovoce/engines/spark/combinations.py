"""Combinations of reports: one row for all people who gave the same reports to the same services.

The join is one shuffle: all rows under each other, grouped by key, which is a full outer join of
services in which a key occurs once.  What is wrong with a service is counted in the same rows, and
refused after all of them were seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.core.fields import IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.engines.spark.frames import check_fields, check_frame, check_named, quoted
from sottovoce.engines.sql.arithmetic import cell_sql
from sottovoce.engines.sql.dialects import DIALECTS
from sottovoce.fusion.joining.aligned import Aligned
from sottovoce.fusion.joining.matching import check_common

__all__ = ["Overview", "Service", "aligned_of", "combinations"]

_KEY, _PEOPLE = "sottovoce key", "sottovoce people"


@dataclass(frozen=True)
class Service:
    """A service, with names for its columns that no other service has."""

    number: int
    name: str
    mechanism: Mechanism

    def checked(self, frame: Any, key: str, owner: str) -> str:
        """Refuse a frame that does not fit; the type of the key."""
        check_frame(frame, owner)
        fields = self.mechanism.fields
        if key in [field.name for field in fields]:
            raise InvalidInput("key", f"service {self.name!r}", "not a field of the report", key)
        check_fields(frame, fields, (), f"service {self.name!r}")
        check_named(frame, [key], f"service {self.name!r}")
        return str(dict(frame.dtypes)[key])

    @property
    def there(self) -> str:
        """Whether a row is of this service; then how many reports a person has in it."""
        return f"sottovoce there {self.number}"

    @property
    def columns(self) -> dict[str, str]:
        """The fields, by the name that they have in the join."""
        return {f"{field.name} {self.number}": field.name for field in self.mechanism.fields}

    @property
    def by_cell(self) -> bool:
        """Whether people are told apart by the cell of their report rather than by its field."""
        (first, *more) = self.mechanism.fields
        one = not more and isinstance(first, IntField)
        return one and self.mechanism.cell_expression() is not None

    @property
    def cell_column(self) -> str:
        """The name of the column of cells."""
        return f"sottovoce cell {self.number}"

    @property
    def cell(self) -> str:
        """The cell of a report in the join."""
        ((joined, own),) = self.columns.items()
        sql = cell_sql(self.mechanism, DIALECTS["spark"])
        return sql.replace(quoted(own), quoted(joined))

    def reports(self, table: Any, present: Any) -> Reports:
        """A report for each combination in which the service has one."""
        import pyarrow as arrow

        chosen = table.filter(arrow.array(present))
        columns = {own: chosen.column(new) for new, own in self.columns.items()}
        return Reports.from_arrow(arrow.table(columns), self.mechanism)


def combinations(services: Sequence[Service], frames: Sequence[Any], key: str) -> Any:
    """A row per combination of reports: its fields, how many people have it, and what is wrong."""
    from pyspark.sql import functions as f

    stacked = None
    for each, frame in zip(services, frames, strict=True):
        renamed = [f"{quoted(own)} as {quoted(new)}" for new, own in each.columns.items()]
        there = f"1 as {quoted(each.there)}"
        rows = frame.selectExpr(f"{quoted(key)} as {quoted(_KEY)}", there, *renamed)
        stacked = rows if stacked is None else stacked.unionByName(rows, allowMissingColumns=True)
    assert stacked is not None
    columns = [name for each in services for name in each.columns]
    people = stacked.groupBy(quoted(_KEY)).agg(
        *(f.count(f.col(quoted(each.there))).alias(each.there) for each in services),
        *(f.first(f.col(quoted(name)), ignorenulls=True).alias(name) for name in columns),
    )
    groups, kept = [], []
    for each in services:
        if each.by_cell:
            present = f"case when {quoted(each.there)} > 0 then {each.cell} end"
            groups.append(f.expr(present).alias(each.cell_column))
            (name,) = each.columns
            kept.append(f.min(f.col(quoted(name))).alias(name))
        else:
            groups += [f.col(quoted(name)) for name in each.columns]
    # People without a report, or with several, or without a key, are groups of their own.
    groups += [f.col(quoted(each.there)) for each in services]
    groups.append(f.col(quoted(_KEY)).isNull().alias(_KEY))
    return people.groupBy(*groups).agg(f.count(f.lit(1)).alias(_PEOPLE), *kept)


def aligned_of(table: Any, services: Sequence[Service]) -> Aligned:
    """Combinations as entries of aligned reports, with their counts."""
    rows, reports = [], []
    for each in services:
        present = table.column(each.there).to_numpy() > 0
        reports.append(each.reports(table, present))
        rows.append(np.where(present, np.cumsum(present) - 1, -1))
    counts = table.column(_PEOPLE).to_numpy().astype(np.int64)
    return Aligned(
        tuple(each.name for each in services),
        tuple(each.mechanism for each in services),
        tuple(reports),
        tuple(rows),
        int(counts.sum()),
        (True,) * len(services),
        counts,
    )


@dataclass(frozen=True, eq=False)
class Overview:
    """People of some combinations, counted: how many there are, and with how many what is wrong."""

    people: Floats
    """In all, and without a key."""
    services: Floats
    """Of every service (across): with a report, with several, with one elsewhere, with a bad one."""

    @classmethod
    def of(cls, table: Any, services: Sequence[Service]) -> Overview:
        """That of the rows of a table."""
        counts = table.column(_PEOPLE).to_numpy().astype(np.float64)
        there = [table.column(each.there).to_numpy() for each in services]
        several = np.sum([times > 0 for times in there], axis=0) > 1
        empty = np.array(table.column(_KEY).to_pylist(), dtype=np.bool_)
        found = []
        for each, times in zip(services, there, strict=True):
            bad = np.zeros(len(counts), dtype=np.bool_)
            if each.by_cell:
                bad = table.column(each.cell_column).fill_null(0).to_numpy() < 0
            kinds = (times > 0, times > 1, (times > 0) & several, bad)
            found.append([float(counts[kind].sum()) for kind in kinds])
        return cls(np.array([counts.sum(), counts[empty].sum()]), np.array(found).T)

    @property
    def n(self) -> int:
        """How many people there are."""
        return int(self.people[0])

    def check(self, services: Sequence[Service]) -> None:
        """Refuse keys and reports that are not right."""
        if self.people[1]:
            raise InvalidInput("key", "svs.fuse", "not empty", "rows with an empty key")
        for each, (users, repeated, _, bad) in zip(services, self.services.T, strict=True):
            owner = f"service {each.name!r}"
            if repeated:
                given = f"{int(repeated):,} keys in several rows"
                raise InvalidInput("key", owner, "different in every row", given)
            if not users:
                raise InvalidInput("reports", owner, "at least one", "none")
            if bad:
                (field,) = each.mechanism.fields
                assert isinstance(field, IntField)
                allowed = f"whole numbers from 0 to {field.size - 1}, none empty"
                given = f"{int(bad):,} other rows"
                raise InvalidInput(f"column {field.name!r}", owner, allowed, given)
        check_common([each.name for each in services], self.services[2] > 0)
