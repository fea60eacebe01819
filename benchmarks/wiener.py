"""Wiener filters over the values of a dictionary: seconds from a tally to shares.

The truth is smooth, so that a filter which filters nothing is found out: it must leave at most
half of the squared error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import sottovoce as sv
from benchmarks.checks import Wrong
from benchmarks.consistency import row_of_target
from benchmarks.measure import ROUNDS, Progress, repeated
from benchmarks.population import Population
from benchmarks.results import Benchmark, Row
from sottovoce.metrics import mean_squared_error

__all__ = ["BENCHMARKS", "filters"]

_VALUES = 42_178
_EPSILON = 1.0
_LIMITS = {"iiw": ({"passes": "limit"}, 0.020), "amrp": ({"permutations": 100}, 5.0)}
_LEFT = {"iiw": 0.5, "amrp": 1.0}
"""What part of the squared error may be left; random orders leave a smooth truth its noise."""


def filters(population: Population, progress: Progress) -> list[Row]:
    """The limit of IIW, and AMRP with 100 permutations."""
    angle = 2 * np.pi * np.arange(_VALUES) / _VALUES
    smooth = 1.5 + np.sin(angle) + 0.3 * np.cos(3 * angle)
    counts = np.floor(population.n * smooth / smooth.sum()).astype(int)
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=_VALUES), _EPSILON)
    truth, rows = counts / counts.sum(), []
    for name, (options, limit) in _LIMITS.items():
        progress.say(f"wiener: {name}, {_VALUES:,} values, {1 + ROUNDS} times")
        tallies = [mechanism.simulate(counts) for _ in range(1 + ROUNDS)]
        each = iter(tallies)
        run = partial(_next_estimate, each, name, options)
        timing, found = repeated(run, 1, lambda estimate: estimate)
        plain = [mean_squared_error(sv.estimate(t, "unbiased").shares, truth) for t in tallies]
        for estimate, before in zip(found, plain, strict=True):
            if abs(estimate.shares.sum() - 1) > 1e-9:
                raise Wrong(f"{name}: shares sum to {estimate.shares.sum()}")
            left = mean_squared_error(estimate.shares, truth) / before
            if not left <= _LEFT[name]:
                raise Wrong(f"{name}: {left:.3g} of the squared error are left")
        task = f"{name}: shares of {_VALUES:,} values (OUE)"
        rows.append(row_of_target("wiener", task, timing, limit, f"{ROUNDS} tallies"))
    return rows


def _next_estimate(
    tallies: Iterator[sv.Tally], name: str, options: dict[str, object]
) -> sv.Estimate:
    return sv.estimate(next(tallies), name, **options)


BENCHMARKS = (Benchmark("wiener", filters),)
