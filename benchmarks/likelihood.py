"""Likelihood methods: EM and EMS beside a dense numpy loop, and exact maxima with their gap.

The dense loop is the method as it is printed, over the written-out matrix, to the
same rule: it must make the same passes and end at the same shares.  Exact maxima have no
peer; each row is held against a target, and its gap in log-likelihood is checked.
"""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.checks import Wrong
from benchmarks.measure import ROUNDS, Progress, Timing, repeated, sliced
from benchmarks.population import Population, zipf_population
from benchmarks.results import BYTES, SECONDS, Benchmark, Row, Target, ratio_of, seconds_below

__all__ = ["BENCHMARKS", "dense_loop", "em_loops", "em_memory", "exact_maxima"]

Floats = NDArray[np.float64]

_BINS, _MANY_BINS = 1024, 65_536
_EPSILON = 1.0
_LEAST_RATIO = 20.0
_GAP, _WITHIN = 0.01, 5.0
_PRINTED_SECONDS = 6482.0
"""EM on local hashing, 300,000 reports of 300 values at epsilon 1, as published (Table II)."""
_A_FEW = 50
"""Numbers of 8 bytes for every input that EM may hold, the channel included."""


def dense_loop(
    matrix: Floats, counts: Floats, tolerance: float, smoothing: Floats | None
) -> tuple[Floats, int]:
    """Shares and passes by two products with the matrix a pass."""
    shares = np.full(matrix.shape[1], 1 / matrix.shape[1])
    expected, before, passes = matrix @ shares, -math.inf, 0
    now = float(counts @ np.log(expected))
    while abs(now - before) > tolerance and passes < 10_000:
        shares = shares * (matrix.T @ (counts / expected))
        shares /= shares.sum()
        if smoothing is not None:
            shares = _smoothed(shares, smoothing)
        expected, before, passes = matrix @ shares, now, passes + 1
        now = float(counts @ np.log(expected))
    return shares, passes


def _smoothed(shares: Floats, ends: Floats) -> Floats:
    out = np.convolve(shares, [0.25, 0.5, 0.25], mode="same")
    out[0], out[-1] = shares[:2] @ ends, shares[:-3:-1] @ ends
    return out / out.sum()


def em_loops(population: Population, progress: Progress) -> list[Row]:
    """EM and EMS on square-wave reports, to the published rule."""
    tally, matrix = _square_wave(population, _BINS)
    counts = tally.cells.astype(np.float64)
    matrix, counts = matrix[counts > 0], counts[counts > 0]
    rows = []
    for name, tolerance, smoothing in (
        ("em", 1e-3 * math.exp(_EPSILON), None),
        ("ems", 1e-3, np.array([2 / 3, 1 / 3])),
    ):
        progress.say(f"likelihood: {name}, {_BINS} bins, ours {1 + ROUNDS} times, dense once")
        ours, fits = repeated(lambda name=name: sv.estimate(tally, name), 1, lambda e: e)  # type: ignore[misc]
        theirs, ((shares, passes),) = sliced(
            lambda _, t=tolerance, s=smoothing: dense_loop(matrix, counts, t, s),  # type: ignore[misc]
            [[0]],
        )
        for fit in fits:
            _same(fit, shares, passes, name)
        rows.append(_loop_row(name, tally.n, ours, theirs, passes))
    return rows


def _same(fit: sv.Estimate, shares: Floats, passes: int, name: str) -> None:
    if fit.iterations != passes or not np.allclose(fit.shares, shares, rtol=0, atol=1e-9):
        apart = float(np.abs(fit.shares - shares).max())
        raise Wrong(f"{name}: {fit.iterations} passes, dense {passes}; shares {apart:.2g} apart")


def _loop_row(name: str, n: int, ours: Timing, theirs: Timing, passes: int) -> Row:
    return Row(
        benchmark="likelihood",
        task=f"{name.upper()} on the square wave to the published rule, {_BINS} bins",
        unit=SECONDS,
        ours=ours.best,
        against="dense numpy loop",
        theirs=theirs.best,
        measured_on=f"{passes} passes, {n:,} reports",
        ratio_at_worst=theirs.best / ours.worst,
        ratio_of_processor=theirs.best_processor / ours.best_processor,
        target=ratio_of(_LEAST_RATIO),
        details={"ours": ours.document(), "theirs": theirs.document(), "passes": passes},
    )


def em_memory(population: Population, progress: Progress) -> list[Row]:
    """The most that EM holds at once among many bins, beside what the matrix alone would take."""
    progress.say(f"likelihood: memory of EM, {_MANY_BINS} bins")
    tally, _ = _square_wave(population, _MANY_BINS, dense=False)
    sv.estimate(tally, "em", max_iterations=2)  # compiled and imported before anything is counted
    tracemalloc.start()
    estimate = sv.estimate(tally, "em", max_iterations=50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    if estimate.iterations != 50 or not np.isfinite(estimate.shares).all():
        raise Wrong(f"em of {_MANY_BINS} bins made {estimate.iterations} passes of 50")
    limit = 8 * _A_FEW * _MANY_BINS
    return [
        Row(
            benchmark="likelihood-memory",
            task=f"EM on the square wave, {_MANY_BINS:,} bins: memory",
            unit=BYTES,
            ours=peak,
            against="dense matrix",
            theirs=8.0 * len(tally.cells) * _MANY_BINS,
            measured_on="size of the matrix",
            target=Target(f"ours < {_A_FEW} d numbers", lambda row: row.ours < limit),
            details={"numbers_for_each_input": peak / 8 / _MANY_BINS},
        )
    ]


def exact_maxima(population: Population, progress: Progress) -> list[Row]:
    """The greatest likelihood to 0.01: local hashing of both kinds, and the square wave."""
    group = zipf_population(min(population.n, 300_000), size=300, epsilon=_EPSILON)
    linear = sv.mechanism("olh", sv.Categories(group.size), _EPSILON)
    seeded = sv.mechanism("olh-seeded", sv.Categories(group.size), _EPSILON)
    tally, _ = _square_wave(population, _BINS, dense=False)
    hashing = "EM as published, on its authors' machine"
    return [
        _maximum(
            "local hashing, linear family", linear.tally(linear.randomize(group.values)),
            hashing, _PRINTED_SECONDS, progress,
        ),
        _maximum(
            "local hashing, free seeds, whole reports", seeded.randomize(group.values),
            hashing, _PRINTED_SECONDS, progress,
        ),
        _maximum(f"square wave, {_BINS} bins", tally, "target", _WITHIN, progress),
    ]  # fmt: skip


def _maximum(
    what: str, evidence: sv.Tally | sv.Reports, against: str, theirs: float, progress: Progress
) -> Row:
    n = evidence.n if isinstance(evidence, sv.Tally) else len(evidence)
    progress.say(f"likelihood: mle, {what}, {n:,} reports, {1 + ROUNDS} times")
    timing, fits = repeated(lambda: sv.estimate(evidence, "mle"), 1, lambda e: e)
    gap = max(fit.optimality for fit in fits)
    if not all(fit.converged for fit in fits) or gap > _GAP:
        raise Wrong(f"mle of {what}: a gap of {gap:.3g}")
    return Row(
        benchmark="likelihood-maximum",
        task=f"MLE of {what}: gap {gap:.2g}",
        unit=SECONDS,
        ours=timing.best,
        against=against,
        theirs=theirs,
        measured_on=f"{n:,} reports, {fits[0].iterations} steps",
        ratio_at_worst=theirs / timing.worst,
        target=seconds_below(_WITHIN),
        details={"ours": timing.document(), "gap": gap, "why": fits[0].why},
    )


def _square_wave(
    population: Population, bins: int, *, dense: bool = True
) -> tuple[sv.Tally, Floats]:
    """Reports of a beta distribution, and the matrix of their channel."""
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=bins), _EPSILON)
    values = np.random.default_rng(1).beta(5, 2, population.n)
    counts = np.histogram(values, bins, (0, 1))[0]
    matrix: Any = mechanism.channel().dense() if dense else np.empty((0, 0))
    return mechanism.simulate(counts, source=sv.Seeded(2)), matrix


BENCHMARKS = (
    Benchmark("likelihood", em_loops),
    Benchmark("likelihood-memory", em_memory),
    Benchmark("likelihood-maximum", exact_maxima),
)
