"""Time of decoding large domains: every post-processing method, and a million values.

No peer does this, so the rows are held against targets alone.  Ours is the best
of three calls after a warm-up.  Every call of a method gets another tally, of
another number of people, so that nothing kept from the call before can help.
Only shares are timed, not the error bars, which are computed when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.checks import Wrong, check_estimates, check_same, mean_squared_error
from benchmarks.frequency_oracles import our_mechanism, our_support, unbiased
from benchmarks.measure import ROUNDS, Progress, Timing, repeated
from benchmarks.population import Population, zipf_population
from benchmarks.results import SECONDS, Benchmark, Row, seconds_below
from sottovoce.estimators.catalogue import METHODS

__all__ = ["BENCHMARKS", "check_method", "many_values", "post_processing"]

_WORDS, _MANY = 42_178, 1_000_000
_WITHIN, _WITHIN_MANY = 1.0, 10.0
_ROUNDING = 1e-9

_MAY_BE_NEGATIVE = {"unbiased", "post-pos", "norm"}
_SUM_TO_ONE = {
    "norm",
    "norm-mul",
    "norm-sub",
    "norm-hyb",
    "mle-apx",
    "power-ns",
}
_MAY_ERR_MORE = {"norm-mul"}
"""Scaling takes most from the large shares, and among many values nearly everything."""


def post_processing(population: Population, progress: Progress) -> list[Row]:
    """Shares by every method, from the tally of unary reports on the values of a dictionary."""
    group = zipf_population(population.n, size=_WORDS, epsilon=population.epsilon)
    mechanism = our_mechanism("oue", group)
    support = our_support("oue", mechanism, group)
    people = iter(range(group.n, 0, -1))
    rows = []
    for method in METHODS:
        # Filters mix neighbours, which in a dictionary have nothing to do with each other.
        if method.fit or method.completed_by or method.why_not(mechanism):
            continue
        name = f"consistency: {method.name}"
        progress.say(f"{name}, {group.size:,} values, {1 + ROUNDS} times")
        groups = [group.first(next(people)) for _ in range(1 + ROUNDS)]
        tallies = [mechanism.simulate(_counts(part)) for part in groups]
        timing, estimates = _time_method(method.name, tallies)
        for part, tally, estimate in zip(groups, tallies, estimates, strict=True):
            raw = unbiased(tally)
            check_estimates([raw], part, support, "unbiased")
            check_method(method.name, estimate.shares, raw.shares, part.truth)
        task = f"{method.name}: shares of {group.size:,} values (OUE)"
        rows.append(row_of_target("consistency", task, timing, _WITHIN, f"{ROUNDS} tallies"))
    return rows


def many_values(population: Population, progress: Progress) -> list[Row]:
    """Hadamard response among a million values: from reports to unbiased shares."""
    group = zipf_population(population.n, size=_MANY, epsilon=population.epsilon)
    progress.say(f"hr-million: {group.n:,} people, {group.size:,} values, {1 + ROUNDS} times")
    mechanism = our_mechanism("hr", group)
    reports = mechanism.randomize(group.values)
    timing, estimates = repeated(lambda: unbiased(mechanism.tally(reports)), 1, lambda e: e)
    check_same(estimates, "our hr-million")
    support = our_support("hr", mechanism, group)
    check = check_estimates(estimates[:1], group, support, "our hr-million")
    task = f"Hadamard response (HR): tally and decode {group.size:,} values"
    on = f"{ROUNDS} calls, {group.n:,} reports"
    return [row_of_target("hr-million", task, timing, _WITHIN_MANY, on, check=check)]


def check_method(
    name: str, shares: NDArray[Any], raw: NDArray[Any], truth: NDArray[np.float64]
) -> None:
    """Shares must have what the method promises, and point where the truth is."""

    def need(holds: Any, what: str) -> None:
        if not holds:
            raise Wrong(f"{name}: {what}")

    total = float(shares.sum())
    need(np.isfinite(shares).all(), "shares that are no numbers")
    need(name in _MAY_BE_NEGATIVE or shares.min() >= 0, f"a share of {shares.min()}")
    need(name not in _SUM_TO_ONE or abs(total - 1) < _ROUNDING, f"shares sum to {total}")
    need(name != "norm-cut" or total < 1 + _ROUNDING, f"shares sum to {total}")
    need(name not in ("unbiased", "post-pos") or np.array_equal(shares, raw), "changed shares")
    need(shares.argmax() == truth.argmax(), "another value is the most frequent")
    found, before = mean_squared_error(shares, truth), mean_squared_error(raw, truth)
    need(name in _MAY_ERR_MORE or found <= before, f"error {found:.3g}, before {before:.3g}")


def _time_method(name: str, tallies: Sequence[sv.Tally]) -> tuple[Timing, list[sv.Estimate]]:
    each: Iterator[sv.Tally] = iter(tallies)
    return repeated(lambda: sv.estimate(next(each), name), 1, lambda estimate: estimate)


def _counts(group: Population) -> NDArray[np.int64]:
    return np.bincount(group.values, minlength=group.size)


def row_of_target(
    benchmark: str, task: str, timing: Timing, limit: float, on: str, **details: Any
) -> Row:
    return Row(
        benchmark=benchmark,
        task=task,
        unit=SECONDS,
        ours=timing.best,
        against="target",
        theirs=limit,
        measured_on=on,
        ratio_at_worst=limit / timing.worst,
        target=seconds_below(limit),
        details={"ours": timing.document(), **details},
    )


BENCHMARKS = (
    Benchmark("consistency", post_processing),
    Benchmark("hr-million", many_values),
)
