"""Several services joined by key on the cluster; the answer fitted here.

A service's reports fall in a bounded number of cells, so that people have a bounded number of
different combinations of reports, however many people there are.  Spark joins the services and
counts combinations, and only these leave the cluster: no key ever does.  The join is one shuffle:
all rows under each other, grouped by key, which is a full outer join of services in which a key
occurs once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.core.fields import IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.engines.spark.frames import (
    check_fields,
    check_frame,
    check_named,
    collected,
    mechanism_of,
    quoted,
)
from sottovoce.engines.sql.arithmetic import cell_sql
from sottovoce.engines.sql.dialects import DIALECTS
from sottovoce.fusion.joining.aligned import Aligned, check_domains, service_names
from sottovoce.fusion.joining.matching import check_common, in_common
from sottovoce.fusion.services import Fusion

__all__ = ["fuse"]

MOST_COMBINATIONS = 20_000_000
"""Different combinations of reports that are collected, at most: about 1 GB for three services."""
_KEY, _PEOPLE = "sottovoce key", "sottovoce people"


def fuse(
    services: Mapping[str, tuple[Any, Any]], key: str, *, most: int = MOST_COMBINATIONS
) -> Fusion:
    """Join the reports that the same people gave to several services, on the cluster.

    Combinations of reports are counted there, and answers are computed here from the counts. They
    are those of :func:`sottovoce.fuse` on the same reports, whatever the number of people.

    Parameters
    ----------
    services : mapping of str to (pyspark.sql.DataFrame, Survey or Mechanism)
        Per service, by name: its reports with a key column, and what they are of.
    key : str
        The column that tells people apart, of the same name and type in all services, such as
        pseudonyms of one secret. A key may occur once per service.
    most : int
        Different combinations of reports to collect, at most.

    Returns
    -------
    Fusion
        The joined reports, with ``mean()`` and ``distribution()``.

    Raises
    ------
    InvalidInput
        Where a column is missing or of another type, a key is empty or occurs twice in a service,
        or a report is empty or outside its fields.
    Mismatch
        Where services are of different domains, or have no person in common.
    Unfit
        Where there are more than ``most`` combinations.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> both = svs.fuse({"bank": (bank, m1), "shop": (shop, m2)}, key="person")  # doctest: +SKIP
    >>> print(both.mean())  # doctest: +SKIP
    """
    owner = "svs.fuse"
    check_int(most, "most", owner, 1)
    if not isinstance(services, Mapping) or not services:
        raise InvalidInput("services", owner, "a mapping of names to (DataFrame, survey)", services)
    names = service_names(list(services), len(services))
    joined = []
    for number, (name, pair) in enumerate(services.items()):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidInput(f"service {name!r}", owner, "(DataFrame, survey)", pair)
        joined.append(_Service(number, name, pair[0], mechanism_of(pair[1], owner)))
    check_domains(names, [each.mechanism for each in joined])
    kinds = [each.checked(key, owner) for each in joined]
    for name, kind in zip(names, kinds, strict=True):
        if kind != kinds[0]:
            given = f"type {kind}, and type {kinds[0]} in {names[0]!r}"
            raise InvalidInput(f"column {key!r}", f"service {name!r}", "of one type", given)
    table = collected(_combinations(joined, key).limit(most + 1))
    if table.num_rows > most:
        raise Unfit(
            f"these services have more than {most:,} different combinations of reports, too many to "
            "collect. Fuse fewer services, or services with fewer cells (coarser bins), or raise "
            "`most` where the driver has the memory: about 16 bytes per service and combination"
        )
    return _fusion(table, joined)


@dataclass(frozen=True, eq=False)
class _Service:
    """A service, with names for its columns that no other service has."""

    number: int
    name: str
    frame: Any
    mechanism: Mechanism

    def checked(self, key: str, owner: str) -> str:
        """Refuse a frame that does not fit; the type of the key."""
        check_frame(self.frame, owner)
        fields = self.mechanism.fields
        if key in [field.name for field in fields]:
            raise InvalidInput("key", f"service {self.name!r}", "not a field of the report", key)
        check_fields(self.frame, fields, (), f"service {self.name!r}")
        check_named(self.frame, [key], f"service {self.name!r}")
        return str(dict(self.frame.dtypes)[key])

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
    def cell(self) -> str:
        """The cell of a report in the join."""
        ((joined, own),) = self.columns.items()
        sql = cell_sql(self.mechanism, DIALECTS["spark"])
        return sql.replace(quoted(own), quoted(joined))


def _combinations(services: list[_Service], key: str) -> Any:
    """A row per combination of reports: its fields, how many people have it, and what is wrong."""
    from pyspark.sql import functions as f

    stacked = None
    for each in services:
        renamed = [f"{quoted(own)} as {quoted(new)}" for new, own in each.columns.items()]
        there = f"1 as {quoted(each.there)}"
        rows = each.frame.selectExpr(f"{quoted(key)} as {quoted(_KEY)}", there, *renamed)
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
            groups.append(f.expr(present).alias(f"sottovoce cell {each.number}"))
            (name,) = each.columns
            kept.append(f.min(f.col(quoted(name))).alias(name))
        else:
            groups += [f.col(quoted(name)) for name in each.columns]
    # People without a report, or with several, or without a key, are groups of their own.
    groups += [f.col(quoted(each.there)) for each in services]
    groups.append(f.col(quoted(_KEY)).isNull().alias(_KEY))
    return people.groupBy(*groups).agg(f.count(f.lit(1)).alias(_PEOPLE), *kept)


def _fusion(table: Any, services: list[_Service]) -> Fusion:
    if table.num_rows and any(table.column(_KEY).to_pylist()):
        raise InvalidInput("key", "svs.fuse", "not empty", "rows with an empty key")
    rows, reports = [], []
    for each in services:
        there = table.column(each.there).to_numpy()
        if there.max(initial=0) > 1:
            people = int(table.column(_PEOPLE).to_numpy()[there > 1].sum())
            given = f"{people:,} keys in several rows"
            raise InvalidInput("key", f"service {each.name!r}", "different in every row", given)
        present = there > 0
        if not present.any():
            raise InvalidInput("reports", f"service {each.name!r}", "at least one", "none")
        reports.append(_reports(each, table, present))
        rows.append(np.where(present, np.cumsum(present) - 1, -1))
    counts = table.column(_PEOPLE).to_numpy().astype(np.int64)
    check_common([each.name for each in services], in_common(rows))
    return Fusion(
        Aligned(
            tuple(each.name for each in services),
            tuple(each.mechanism for each in services),
            tuple(reports),
            tuple(rows),
            int(counts.sum()),
            (True,) * len(services),
            counts,
        )
    )


def _reports(service: _Service, table: Any, present: Any) -> Reports:
    """A report for each combination in which the service has one."""
    import pyarrow as arrow

    if service.by_cell:
        cells = table.column(f"sottovoce cell {service.number}").to_numpy()[present]
        if cells.min() < 0:
            people = int(table.column(_PEOPLE).to_numpy()[present][cells < 0].sum())
            (field,) = service.mechanism.fields
            allowed = f"whole numbers from 0 to {field.size - 1}, none empty"
            owner, given = f"service {service.name!r}", f"{people:,} other rows"
            raise InvalidInput(f"column {field.name!r}", owner, allowed, given)
    chosen = table.filter(arrow.array(present))
    columns = {own: chosen.column(new) for new, own in service.columns.items()}
    return Reports.from_arrow(arrow.table(columns), service.mechanism)
