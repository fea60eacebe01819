"""EM and mixture reduction on 300,000 reports, beside the seconds that their authors print.

Theirs is table II of the paper at epsilon 1, on its authors' machine.  Every fit is checked: EM must have
stopped by its rule with a likelihood that never fell, and both must beat the unbiased shares or, for numbers,
saying that all are alike.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.checks import Wrong
from benchmarks.measure import ROUNDS, Progress, repeated
from benchmarks.population import Population, zipf_population
from benchmarks.results import SECONDS, Benchmark, Row, seconds_below
from sottovoce.experiments.mixture_reduction.convergence import paper_seconds
from sottovoce.experiments.mixture_reduction.values import BINS, two_bells
from sottovoce.metrics import mean_squared_error

__all__ = ["BENCHMARKS", "reductions"]

_PEOPLE, _VALUES, _EPSILON, _WITHIN = 300_000, 300, 1.0, 10.0
_FALL = 1e-6
"""What rounding may take from a log-likelihood in the hundred thousands."""


def reductions(population: Population, progress: Progress) -> list[Row]:
    """Randomized response, local hashing and Laplace; EM and MR on each."""
    rows = []
    for name, (tally, truth, plain) in _tallies(min(population.n, _PEOPLE)).items():
        for method in ("em", "mr"):
            progress.say(f"reduction: {method} on {name}, {tally.n:,} reports, {1 + ROUNDS} times")
            timing, fits = repeated(partial(sv.estimate, tally, method), 1, lambda fit: fit)
            for fit in fits:
                _check(fit, truth, plain, f"{method} on {name}")
            theirs = paper_seconds(_PEOPLE, f"{name}-{method}", _EPSILON)
            rows.append(
                Row(
                    benchmark="reduction",
                    task=f"{_TITLES[name]}: {method.upper()}",
                    unit=SECONDS,
                    ours=timing.best,
                    against="as published, on its authors' machine",
                    theirs=theirs,
                    measured_on=f"{tally.n:,} reports, {fits[0].iterations:,} passes",
                    ratio_at_worst=theirs / timing.worst,
                    target=seconds_below(_WITHIN),
                    details={"ours": timing.document(), "why": fits[0].why},
                )
            )
    return rows


_TITLES = {
    "grr": f"Randomized response, {_VALUES} values",
    "olh": f"Local hashing, {_VALUES} values",
    "laplace": f"Laplace, {BINS} bins",
}


def _tallies(people: int) -> dict[str, tuple[sv.Tally, NDArray[np.float64], float]]:
    """Tallies, the truth, and the error that a fit must beat."""
    group = zipf_population(people, size=_VALUES, epsilon=_EPSILON)
    counts = np.bincount(group.values, minlength=_VALUES)
    truth, found = counts / people, {}
    for name in ("grr", "olh"):
        tally = sv.mechanism(name, sv.Categories(_VALUES), _EPSILON).simulate(counts)
        plain = mean_squared_error(sv.estimate(tally, "unbiased").shares, truth)
        found[name] = (tally, truth, float(plain))
    numbers = two_bells(people, np.random.default_rng(3))
    counts = np.histogram(numbers, BINS, (-1, 1))[0]
    truth = counts / people
    tally = sv.mechanism("laplace", sv.Interval(-1, 1, bins=BINS), _EPSILON).simulate(counts)
    alike = mean_squared_error(np.full(BINS, 1 / BINS), truth)
    found["laplace"] = (tally, truth, float(alike))
    return found


def _check(fit: sv.Estimate, truth: NDArray[np.float64], plain: float, what: str) -> None:
    shares = fit.require_shares("the check")
    error = float(mean_squared_error(shares, truth))
    if not fit.converged or abs(shares.sum() - 1) > 1e-9 or not error < plain:
        raise Wrong(f"{what}: squared error {error:.3g}, to beat {plain:.3g}; {fit.why}")
    if fit.method == "em" and np.diff(fit.history).min() < -_FALL:
        raise Wrong(f"{what}: the likelihood fell by {-np.diff(fit.history).min():.3g}")


BENCHMARKS = (Benchmark("reduction", reductions),)
