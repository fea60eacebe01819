"""Error bars of many groups: Spark beside one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
import sottovoce.spark as svs
from benchmarks.spark.cost import Wrong, cost_of

__all__ = ["groups"]

_LOOPED = 20
"""One process does one group in so many; all of them would only take longer."""


def groups(spark: Any, folder: Path, count: int, tasks: int) -> dict[str, Any]:
    """Seconds of ``count`` groups of four values, by the default method."""
    mechanism = sv.mechanism("grr", sv.Categories(4), 1.0)
    survey = sv.Survey("drinks", "Which?", mechanism)
    random = np.random.default_rng(3)
    tallies = {}
    for i in range(count):
        people = random.multinomial(random.integers(50, 5000), random.dirichlet(np.ones(4)))
        tallies[f"g{i}"] = mechanism.simulate(people, source=sv.Seeded(i))
    rows = [(name, tally.n, bytearray(tally.to_bytes())) for name, tally in tallies.items()]
    frame = spark.createDataFrame(rows, "g string, n bigint, tally binary")
    frame.write.parquet(str(folder / "tallies"))
    frame = spark.read.parquet(str(folder / "tallies"))
    found, cost = cost_of(lambda: svs.estimate(frame, survey, tasks=tasks).toPandas())
    shown = {name: tally for name, tally in tallies.items() if survey.shows(tally.n)}
    chosen = dict(list(shown.items())[::_LOOPED])
    wanted, loop = cost_of(lambda: {name: sv.estimate(t).frame() for name, t in chosen.items()})
    _check(found, shown, wanted, count)
    each = len(shown) / len(chosen)
    return {
        "groups": count,
        "shown": len(shown),
        "left out": count - len(shown),
        "spark seconds": cost.clock,
        "spark processor seconds": cost.processor,
        "one process seconds": loop.clock * each,
        "one process processor seconds": loop.processor * each,
        "groups of one process": len(chosen),
    }


def _check(found: Any, shown: dict[str, Any], wanted: dict[str, Any], count: int) -> None:
    answered = found[found["share"].notna()]
    if set(answered["g"]) != set(shown) or found["g"].nunique() != count:
        raise Wrong("a group is lost, or one below the minimum batch is shown")
    by_group = answered.set_index("g")
    for name, frame in wanted.items():
        ours = by_group.loc[name]
        if not np.allclose(ours["share"], frame["share"], rtol=0, atol=1e-12):
            raise Wrong(f"group {name} is not that of a loop")
