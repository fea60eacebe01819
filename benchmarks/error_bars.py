"""The default with all of its errors: beside the bootstrap that it replaces, and against its targets.

Timed is the estimate *and* the standard error of every share, the interval of every share and the error
of one sum; of numbers the median with its interval.  The bootstrap has the same shares to repeat, from
plausible truths (:mod:`sottovoce.estimators.errors.bootstrap`); both must agree on the errors.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from benchmarks.checks import Wrong
from benchmarks.consistency import row_of_target
from benchmarks.measure import ROUNDS, Progress, repeated, sliced
from benchmarks.population import Population, zipf_population
from benchmarks.results import SECONDS, Benchmark, Row, ratio_of
from sottovoce.estimators.errors.bootstrap import Bootstrap
from sottovoce.estimators.exchangeable.exchangeable import posterior_of
from sottovoce.estimators.unbiased import unbiased_shares

__all__ = ["BENCHMARKS", "errors_of_keys", "errors_of_numbers", "errors_of_values"]

_SIZES = {1_000: 0.05, 100_000: 1.0}
"""Values, and seconds they may take."""
_NUMBERS, _KEYS = 0.3, 5.0
_LEAST_RATIO = 20.0
_AGREE = 0.5, 2.0


def errors_of_values(population: Population, progress: Progress) -> list[Row]:
    """Values without order through unary encoding."""
    rows = []
    for size, limit in _SIZES.items():
        group = zipf_population(population.n, size=size, epsilon=population.epsilon)
        mechanism = sv.mechanism("oue", sv.Categories(size), group.epsilon)
        counts = np.bincount(group.values, minlength=size)
        tally = mechanism.simulate(counts)
        progress.say(f"error bars: {size:,} values, ours {1 + ROUNDS} times, bootstrap once")
        ours, errors = repeated(lambda tally=tally: _all_errors(tally), 1, lambda e: e)  # type: ignore[misc]
        task = f"default with all errors, {size:,} values (OUE)"
        rows.append(row_of_target("error-bars", task, ours, limit, f"{ROUNDS} calls"))
        theirs, (again,) = sliced(lambda _, tally=tally: _by_bootstrap(tally), [[0]])  # type: ignore[misc]
        ratio = float((errors[0] ** 2).mean() / (again**2).mean())
        if not _AGREE[0] < ratio < _AGREE[1]:
            raise Wrong(f"{task}: mean variance {ratio:.2f} times that of the bootstrap")
        rows.append(
            Row(
                benchmark="error-bars", task=task, unit=SECONDS, ours=ours.best,
                against="bootstrap", theirs=theirs.best, measured_on="one call",
                ratio_at_worst=theirs.best / ours.worst, target=ratio_of(_LEAST_RATIO),
                details={"ours": ours.document(), "theirs": theirs.document()},
            )
        )  # fmt: skip
    return rows


def _all_errors(tally: sv.Tally) -> np.ndarray:
    estimate = sv.estimate(tally)
    estimate.bounds()
    estimate.linear(np.arange(estimate.domain.size) % 2)
    return estimate.stderr


def _by_bootstrap(tally: sv.Tally) -> np.ndarray:
    again = Bootstrap(tally, unbiased_shares(tally), lambda raw: posterior_of(raw).shares)
    return again.stderr("respondents")


def errors_of_numbers(population: Population, progress: Progress) -> list[Row]:
    """Numbers in 256 bins through waves, a hierarchy, and local hashing over bins."""
    random = np.random.default_rng(1)
    counts = np.histogram(random.beta(5, 2, population.n), 256, (0, 1))[0]
    rows = []
    for name in ("sw", "hh", "olh"):
        mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=256), 1.0)
        tally = mechanism.simulate(counts)
        progress.say(f"error bars: numbers by {name}, {1 + ROUNDS} times")
        timing, medians = repeated(
            lambda tally=tally: sv.estimate(tally).quantile(0.5),
            1,
            lambda e: e,  # type: ignore[misc]
        )
        if not all(one.low < one.value < one.high for one in medians):
            raise Wrong(f"{name}: a median outside of its interval")
        task = f"adaptive, 256 bins, median and its interval ({name})"
        rows.append(row_of_target("error-bars-numbers", task, timing, _NUMBERS, f"{ROUNDS} calls"))
    return rows


def errors_of_keys(population: Population, progress: Progress) -> list[Row]:
    """Keys with numbers by ``em``, as the default runs it, every key with its errors."""
    domain = sv.KeyValues(sv.Categories(20), 0, 1, bins=16)
    mechanism = sv.mechanism("pckv-pm", domain, 2.0)
    counts = np.random.default_rng(2).multinomial(
        population.n // 10, np.full(domain.size, 1 / domain.size)
    )
    tally = mechanism.simulate(counts)
    progress.say(f"error bars: keys, {1 + ROUNDS} times")
    timing, frames = repeated(lambda: sv.estimate(tally).keys(), 1, lambda e: e)
    if len(frames[0]) != 20:
        raise Wrong(f"keys: {len(frames[0])} rows, not 20")
    task = "keys with numbers by em, 20 keys of 16 bins with all errors"
    return [row_of_target("error-bars-keys", task, timing, _KEYS, f"{ROUNDS} calls")]


BENCHMARKS = (
    Benchmark("error-bars", errors_of_values),
    Benchmark("error-bars-numbers", errors_of_numbers),
    Benchmark("error-bars-keys", errors_of_keys),
)
