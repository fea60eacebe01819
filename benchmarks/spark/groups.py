"""Error bars of many groups: the clock of Spark on two cores, and that of one process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
import sottovoce.spark as svs
from benchmarks.machine import describe_machine
from benchmarks.spark.cost import Wrong, cost_of

__all__ = ["groups"]

_WARM = 40
"""Groups that both estimate before the clock starts: workers have started and compiled then."""


@dataclass(frozen=True)
class _Case:
    """Reports of one mechanism, estimated by the default method."""

    name: str
    mechanism: sv.Mechanism
    part: int
    """One in so many of the groups asked for: error bars that cost more need fewer."""


_CASES = (
    _Case("grr, 4 values", sv.mechanism("grr", sv.Categories(4), 1.0), 1),
    _Case("sw, 64 bins", sv.mechanism("sw", sv.Interval(0, 24, bins=64), 1.0), 10),
)


def groups(spark: Any, folder: Path, count: int, tasks: int) -> Iterator[dict[str, Any]]:
    """A row per case: all groups by Spark, and the same groups by a loop."""
    for i, case in enumerate(_CASES):
        yield _measured(spark, folder / str(i), case, count // case.part, tasks)


def _measured(spark: Any, folder: Path, case: _Case, count: int, tasks: int) -> dict[str, Any]:
    survey = sv.Survey("groups", "Which?", case.mechanism)
    tallies = _tallies(case.mechanism, count)
    rows = [(name, tally.n, bytearray(tally.to_bytes())) for name, tally in tallies.items()]
    frame = spark.createDataFrame(rows, "g string, n bigint, tally binary")
    frame.write.parquet(str(folder))
    frame = spark.read.parquet(str(folder))
    shown = {name: tally for name, tally in tallies.items() if survey.shows(tally.n)}
    svs.estimate(frame.limit(_WARM), survey, tasks=tasks).toPandas()
    for tally in list(shown.values())[:_WARM]:
        sv.estimate(tally).frame()
    load = os.getloadavg()[0]
    found, cost = cost_of(lambda: svs.estimate(frame, survey, tasks=tasks).toPandas())
    wanted, loop = cost_of(lambda: {name: sv.estimate(t).frame() for name, t in shown.items()})
    _check(found, shown, wanted, count)
    return {
        "case": case.name,
        "date": describe_machine(())["date"],
        "groups": count,
        "shown": len(shown),
        "left out": count - len(shown),
        "load average": load,
        "spark seconds": cost.clock,
        "spark processor seconds": cost.processor,
        "one process seconds": loop.clock,
        "one process processor seconds": loop.processor,
        "one process over spark": loop.clock / cost.clock,
    }


def _tallies(mechanism: sv.Mechanism, count: int) -> dict[str, sv.Tally]:
    """Groups of 50 to 5,000 people, each with a distribution of its own."""
    random, size = np.random.default_rng(3), mechanism.domain.size
    found = {}
    for i in range(count):
        people = random.multinomial(random.integers(50, 5000), random.dirichlet(np.ones(size)))
        found[f"g{i}"] = mechanism.simulate(people, source=sv.Seeded(i))
    return found


def _check(found: Any, shown: dict[str, Any], wanted: dict[str, Any], count: int) -> None:
    answered = found[found["share"].notna()]
    if set(answered["g"]) != set(shown) or found["g"].nunique() != count:
        raise Wrong("a group is lost, or one below the minimum batch is shown")
    by_group = dict(list(answered.groupby("g")))
    for name, frame in wanted.items():
        for column in ("share", "stderr", "low", "high"):
            if not np.allclose(by_group[name][column], frame[column], rtol=0, atol=1e-12):
                raise Wrong(f"{column} of group {name} is not that of a loop")
