"""Million reports per second and core: a bare loop, workers that read files, SQL, record batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
import sottovoce.spark as svs
from benchmarks.spark.cost import Cost, Wrong, cost_of
from sottovoce.base.parquet import open_parquet

__all__ = ["counting"]

_VALUES, _EPSILON = 1024, 1.0
_FILES = 4
_BATCH = 2**17
_RUNS, _LONG = 8, 90.0
"""Runs of a way, and seconds after which there is no further one."""
_TARGETS = {"olh": (0.7, 15.0), "sw": (0.7, 15.0), "grr": (0.7, 15.0), "oue": (0.6, None)}
"""Per mechanism: the part of the bare loop that files must reach, and the millions of SQL.

The fastest does not come first: Java is still compiling then.
"""


def counting(spark: Any, folder: Path, rows: int) -> Iterator[dict[str, Any]]:
    """A row per mechanism."""
    for name, (part, millions) in _TARGETS.items():
        mechanism = _mechanism(name)
        few, many = _written(mechanism, folder / name, rows)
        rates: dict[str, dict[str, Any]] = {}
        wanted = _loop(mechanism, few[0])
        for way, count, act in _ways(spark, mechanism, few, many):
            found, cost = _measured(act)
            rates[way] = {"per core": count / cost.processor / 1e6, "seconds": cost.clock}
            if not np.array_equal(found.cells, wanted.cells * (count // few[1])):
                raise Wrong(f"{name}, {way}: not the tally of the loop")
        ratio = rates["files"]["per core"] / rates["bare loop"]["per core"]
        met = ratio >= part and (millions is None or rates["sql"]["per core"] >= millions)
        yield {
            "mechanism": name,
            "rows of files": many[1],
            "rows of others": few[1],
            "rates": rates,
            "files over loop": ratio,
            "target": f"files {part:g} of the loop" + (f", SQL {millions:g}" if millions else ""),
            "met": met,
        }


def _measured(act: Callable[[], sv.Tally]) -> tuple[sv.Tally, Cost]:
    """The median of some runs, after some for Java to compile what runs often; fewer of long ones."""
    costs: list[Cost] = []
    while len(costs) < _RUNS and sum(cost.clock for cost in costs) < _LONG:
        found, cost = cost_of(act)
        costs.append(cost)
    later = sorted(costs[len(costs) // 2 :], key=lambda cost: cost.processor)
    return found, later[len(later) // 2]


def _mechanism(name: str) -> sv.Mechanism:
    domain = sv.Interval(0, 1, bins=_VALUES) if name == "sw" else sv.Categories(_VALUES)
    return sv.mechanism(name, domain, _EPSILON)


def _written(
    mechanism: sv.Mechanism, folder: Path, rows: int
) -> tuple[tuple[Path, int], tuple[Path, int]]:
    """A few files, and many links to them: the same bytes, read again and again."""
    each = min(rows // 40, 10**8 // sum(field.width for field in mechanism.fields))
    few, many = folder / "few", folder / "many"
    few.mkdir(parents=True)
    many.mkdir()
    held = np.random.default_rng(1).integers(_VALUES, size=each)
    for i in range(_FILES):
        mechanism.randomize_indices(held, sv.Seeded(i)).write(few / f"{i}.parquet")
    for i in range(rows // (each * _FILES)):
        for k in range(_FILES):
            os.link(few / f"{k}.parquet", many / f"{i}-{k}.parquet")
    count = each * _FILES
    return (few, count), (many, rows // count * count)


def _ways(
    spark: Any, mechanism: sv.Mechanism, few: tuple[Path, int], many: tuple[Path, int]
) -> Iterator[tuple[str, int, Callable[[], sv.Tally]]]:
    def files() -> sv.Tally:
        return svs.collect(svs.tally_files(str(many[0]), mechanism, spark=spark))[()]

    def frame() -> sv.Tally:
        reports = spark.read.parquet(str(few[0]))
        return svs.collect(reports.transform(svs.tally(mechanism)))[()]

    yield "bare loop", few[1], lambda: _loop(mechanism, few[0])
    yield "files", many[1], files
    yield "sql" if mechanism.cell_expression() is not None else "batches", few[1], frame


def _loop(mechanism: sv.Mechanism, folder: Path) -> sv.Tally:
    """What nobody can do without: read, count, add."""
    cells, n = np.zeros(mechanism.cells, dtype=np.int64), 0
    for path in sorted(folder.glob("*.parquet")):
        with open_parquet(path) as file:
            for batch in file.iter_batches(_BATCH, use_threads=False):
                reports = sv.Reports.from_arrow(batch, mechanism)
                cells += mechanism.count(reports)
                n += len(reports)
    return sv.Tally(mechanism, n, cells)
