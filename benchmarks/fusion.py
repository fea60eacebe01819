"""Several services fused: seconds of means and distributions beside those the paper prints, and memory.

``python -m benchmarks.fusion PEOPLE`` fuses that many people once, in a process of its own, and
prints seconds and the most memory it had.  The paper's seconds are of an RTX 3090 (table 1).
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.checks import Wrong
from benchmarks.fresh import in_fresh_process, peak_memory
from benchmarks.measure import Progress, repeated
from benchmarks.population import Population
from benchmarks.results import BYTES, SECONDS, Benchmark, Row, Target, bytes_below, seconds_below
from sottovoce.fusion.mean import FusedMean
from sottovoce.fusion.services import Fusion
from sottovoce.metrics import jensen_shannon

__all__ = ["BENCHMARKS", "a_million", "ten_million"]

_BINS, _EPSILON = 256, 0.3
_MILLION = 1_000_000
_PAPER = {"ule": (124.05, 12_620.94), "uwa": (3.45, 349.37)}
"""Seconds with a million and with ten million people."""
_RULES = {"printed": (_EPSILON, 10.0), "published": (1e-3 * math.exp(_EPSILON), 60.0)}
"""What a pass must change the log-likelihood by, and seconds that it may take."""
_SIGMAS = 6.0
_PART = 0.6

Floats = NDArray[np.float64]


def _fusion(people: int, names: tuple[str, ...]) -> tuple[Fusion, Floats]:
    """Services that all have reports of the same people, and the true distribution."""
    domain, random = sv.Interval(-1, 1, bins=_BINS), np.random.default_rng(25)
    values = 2 * random.beta(2, 5, people) - 1
    mechanisms = [sv.mechanism(name, domain, _EPSILON) for name in names]
    reports = [each.randomize(values, source=sv.Seeded(i)) for i, each in enumerate(mechanisms)]
    truth = np.bincount(domain.indices(values), minlength=_BINS) / people
    return sv.fuse(mechanisms, reports), truth


def _check_distribution(found: sv.Estimate, truth: Floats) -> dict[str, float]:
    """It must be a distribution, converged, and much nearer to the truth than equal shares are."""
    shares = found.shares
    if shares is None or abs(float(shares.sum()) - 1) > 1e-9 or not found.converged:
        raise Wrong("a fused distribution does not sum to 1, or has not converged")
    divergence, equal = jensen_shannon(np.array([shares, np.full(_BINS, 1 / _BINS)]), truth)
    if not divergence < _PART * equal:
        raise Wrong(f"fused divergence {divergence:.3g}, of equal shares {equal:.3g}")
    return {"divergence": float(divergence), "passes": float(found.iterations)}


def _check_mean(found: FusedMean, truth: Floats) -> None:
    middles = sv.Interval(-1, 1, bins=_BINS).midpoints
    apart = abs(found.value - float(truth @ middles))
    if not apart < _SIGMAS * found.stderr:
        raise Wrong(
            f"{found.method}: {apart:.3g} from the truth, standard error {found.stderr:.3g}"
        )


def a_million(population: Population, progress: Progress) -> list[Row]:
    """Distributions under both rules of stopping, and means by both kinds of weights."""
    n, rows = population.n, []
    fusion, truth = _fusion(n, ("sr", "pm", "sw"))
    for rule, (tolerance, limit) in _RULES.items():
        progress.say(f"fusion: ule, EM to {tolerance:.3g}, {n:,} people, 4 times")
        timing, found = repeated(partial(_distribution, fusion, tolerance), 1, lambda e: e)
        check = [_check_distribution(each, truth) for each in found]
        task = f"ULE of three services, EM to a gain below {tolerance:.3g} ({rule} rule)"
        rows.append(_row(task, n, (timing.best, timing.worst), "ule", limit=limit, check=check[0]))
    four, truth = _fusion(n, ("sr", "laplace", "pm", "sw"))
    for method in ("uwa", "population"):
        progress.say(f"fusion: {method}, {n:,} people, 4 times")
        timing, means = repeated(partial(_mean, four, method), 1, lambda e: e)
        for each in means:
            _check_mean(each, truth)
        task = f"mean of four services, {method}"
        rows.append(_row(task, n, (timing.best, timing.worst), "uwa"))
    return rows


def _mean(fusion: Fusion, method: str) -> FusedMean:
    """From the reports on: nothing that was computed before is used."""
    return Fusion(fusion.aligned).mean(method)


def _distribution(fusion: Fusion, tolerance: float) -> sv.Estimate:
    return Fusion(fusion.aligned).distribution(inner="em", tolerance=tolerance)


def _row(
    task: str,
    n: int,
    seconds: tuple[float, float],
    paper: str,
    *,
    limit: float | None = None,
    check: dict[str, float] | None = None,
) -> Row:
    """Our fastest and slowest seconds beside the paper's."""
    theirs = _PAPER[paper][0 if n <= _MILLION else 1]
    whole = n in (_MILLION, 10 * _MILLION)  # else the paper had other people
    return Row(
        benchmark="fusion",
        task=f"{task}, {n:,} people",
        unit=SECONDS,
        ours=seconds[0],
        against="paper, RTX 3090",
        theirs=theirs,
        measured_on="table 1",
        ratio_at_worst=theirs / seconds[1],
        target=seconds_below(limit) if limit is not None and whole else None,
        details={"check": check or {}},
    )


def ten_million(population: Population, progress: Progress) -> list[Row]:
    """Ten times the people, once, in a fresh process: seconds and the most memory."""
    n = 10 * population.n
    progress.say(f"fusion: {n:,} people, in a fresh process")
    found = in_fresh_process("fusion", n, module="benchmarks.fusion")
    limits = {"ule": 120.0, "uwa": 10.0, "population": 10.0}
    rows = []
    for name, limit in limits.items():
        paper, both = "ule" if name == "ule" else "uwa", (found[name], found[name])
        task = f"{name}, once in a fresh process"
        rows.append(_row(task, n, both, paper, limit=limit, check=found["check"]))
    target: Target | None = bytes_below(4e9) if n == 10 * _MILLION else None
    rows.append(
        Row(
            benchmark="fusion",
            task=f"memory of fusing {n:,} people",
            unit=BYTES,
            ours=found["peak_bytes"],
            against="matrix of likelihoods, 8 bytes each",
            theirs=8.0 * _BINS * n,
            measured_on="its size",
            target=target,
            details={"ours": found},
        )
    )
    return rows


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def _mean_seconds(people: int) -> dict[str, float]:
    four, truth = _fusion(people, ("sr", "laplace", "pm", "sw"))
    found = {}
    for method in ("uwa", "population"):
        found[method], mean = _timed(partial(_mean, four, method))
        _check_mean(mean, truth)
    return found


def _measure_this_process(people: int) -> dict[str, Any]:
    _mean_seconds(1_000)  # compiled before
    found: dict[str, Any] = dict(_mean_seconds(people))
    three, truth = _fusion(people, ("sr", "pm", "sw"))
    found["ule"], fused = _timed(partial(_distribution, three, _EPSILON))
    return found | {
        "check": _check_distribution(fused, truth),
        "peak_bytes": peak_memory(),
    }


BENCHMARKS = (Benchmark("fusion", a_million), Benchmark("fusion-ten-million", ten_million))


if __name__ == "__main__":
    print(json.dumps(_measure_this_process(int(sys.argv[-1]))))
