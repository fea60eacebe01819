"""Services joined by key: Spark beside the library, with the same answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from benchmarks.spark.cost import Wrong, cost_of

__all__ = ["services"]

_BINS = 64
_PART = 0.7
"""The part of all people that each service has."""


def services(spark: Any, folder: Path, people: int) -> dict[str, Any]:
    """Three services, three mechanisms: joined, the mean, the distribution by ``mle``."""
    domain = sv.Interval(-1, 1, bins=_BINS)
    asked = {"pm": 1.0, "sw": 0.5, "laplace": 1.0}
    mechanisms = {name: sv.mechanism(name, domain, e) for name, e in asked.items()}
    random = np.random.default_rng(5)
    held = domain.indices(2 * random.beta(2, 5, people) - 1)
    reports, keys, frames = [], [], {}
    for i, (name, mechanism) in enumerate(mechanisms.items()):
        who = np.flatnonzero(random.random(people) < _PART)
        random.shuffle(who)
        reports.append(mechanism.randomize_indices(held[who], sv.Seeded(i)))
        keys.append(_pseudonyms(who))
        column = arrow.FixedSizeBinaryArray.from_buffers(arrow.binary(16), len(who), [None, arrow.py_buffer(keys[-1])])  # fmt: skip
        table = reports[-1].to_arrow().append_column("person", column)
        parquet.write_table(table, folder / f"{name}.parquet")
        frames[name] = (spark.read.parquet(str(folder / f"{name}.parquet")), mechanism)
    ours, spark_join = cost_of(lambda: svs.fuse(frames, key="person"))
    rows = [key.view("V16").ravel() for key in keys]
    library, join = cost_of(lambda: sv.fuse(list(mechanisms.values()), reports, keys=rows))
    found, spark_fit = cost_of(lambda: (ours.mean(), ours.distribution(inner="mle")))
    wanted, fit = cost_of(lambda: (library.mean(), library.distribution(inner="mle")))
    off = abs(found[0].value - wanted[0].value)
    apart = float(np.abs(found[1].shares - wanted[1].shares).max())
    if ours.n != library.n or off > 1e-10 or apart > 1e-7:
        raise Wrong(f"n {ours.n} and {library.n}, mean off by {off}, shares by {apart}")
    return {
        "people": ours.n,
        "combinations": ours.aligned.entries,
        "spark join seconds": spark_join.clock,
        "spark join processor seconds": spark_join.processor,
        "library join seconds": join.clock,
        "library join processor seconds": join.processor,
        "fit from counts seconds": spark_fit.clock,
        "library fit seconds": fit.clock,
        "mean off by": off,
        "shares off by": apart,
    }


def _pseudonyms(who: np.ndarray) -> np.ndarray:
    """Sixteen bytes that look random, the same for the same person."""
    low = (who.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    high = (low ^ (low >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.ascontiguousarray(np.column_stack([high, low]))
