"""One cell: a data set asked through one mechanism at one epsilon, by every method, many times.

All methods see the same draws.  The error of a method is its mean over draws.  A method is dropped
after some draws if its error is half as large again as the best one's for every measure: it cannot be
the best, and most methods are far from it.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults.sets import SETS, DataSet, load_set
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import SottovoceError
from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.estimators.compare.candidates import Candidate, candidates_for
from sottovoce.estimators.run import run_method
from sottovoce.metrics import mean_squared_error, subset_error, top_error

__all__ = ["EPSILONS", "Cell", "all_cells", "errors_of_auto", "errors_of_methods", "find_cell"]

EPSILONS = (0.5, 1.0, 3.0)
ORACLES = ("grr", "olh", "oue", "sue", "ss", "hr")
NUMERIC = ("sw", "gw", "pm", "laplace", "hh", "haar", "olh", "oue", "grr")
DRAWS = 50
_FIRST, _HOPELESS = 10, 1.5
_TOP, _PART = 10, 0.1
_QUARTILES = (0.25, 0.5, 0.75)

Floats = NDArray[np.float64]
Measure = Callable[[Estimate, Floats], float]
GOALS = {
    "distribution": "distribution", "subset": "subset", "top": "top", "missed": "top",
    "W1": "distribution", "mean": "mean", "quartiles": "distribution", "range": "range",
}  # fmt: skip
"""What ``auto`` is asked for, by measure."""


@dataclass(frozen=True)
class Cell:
    """A data set, a mechanism by name, an epsilon."""

    set: DataSet
    oracle: str
    epsilon: float

    @property
    def name(self) -> str:
        """How it is called in results."""
        return f"{self.set.name} | {self.oracle} | {self.epsilon:g}"

    def mechanism(self, size: int) -> Mechanism:
        """Over that many values."""
        return mechanism(self.oracle, self.set.domain(size), self.epsilon)

    def draws(self, counts: NDArray[np.int64], count: int) -> Iterator[tuple[Tally, Floats]]:
        """Tallies and their truth, the same at every run.

        Values without order are dealt anew to the domain at every draw: an order that happens to
        suit a filter would be luck.
        """
        asked, seed = self.mechanism(len(counts)), zlib.crc32(self.name.encode())
        for draw in range(count):
            dealt = counts
            if not self.set.numbers:
                dealt = np.random.default_rng(seed + draw).permutation(counts)
            yield asked.simulate(dealt, source=Seeded(seed + draw)), dealt / dealt.sum()


def all_cells(*, held_out: bool) -> list[Cell]:
    """Every cell of one half of the sets."""
    return [
        Cell(one, oracle, epsilon)
        for one in SETS
        if one.held_out == held_out
        for oracle in (NUMERIC if one.numbers else ORACLES)
        for epsilon in EPSILONS
    ]


def find_cell(name: str) -> Cell:
    """The cell of that name."""
    chosen, oracle, epsilon = name.split(" | ")
    return Cell(next(one for one in SETS if one.name == chosen), oracle, float(epsilon))


# -- what is measured ------------------------------------------------------------------------


def _measures(cell: Cell, size: int) -> dict[str, Measure]:
    if cell.set.numbers:
        return {"W1": _w1, "mean": _mean, "quartiles": _quartiles, "range": _range}
    some, most = max(1, round(_PART * size)), min(_TOP, size)
    return {
        "distribution": lambda e, t: float(mean_squared_error(e.shares, t)),
        "subset": lambda e, t: float(subset_error(e.shares, t, some)),
        "top": lambda e, t: float(top_error(e.shares, t, most)),
        "missed": lambda e, t: _missed(e, t, most),
    }


def _missed(estimate: Estimate, truth: Floats, most: int) -> float:
    """The share of the truly largest values less that of those taken for them.

    Of values that tie for the last place any is as good as another: their mean counts.
    """
    shares = estimate.require_shares("top")
    last = np.sort(shares)[-most]
    above, tied = shares > last, shares == last
    found = truth[above].sum() + (most - np.count_nonzero(above)) * truth[tied].mean()
    return max(0.0, float(np.sort(truth)[-most:].sum() - found))  # but for rounding


def _of_sum_one(estimate: Estimate) -> Floats:
    shares = estimate.require_shares("range")
    return shares + (1 - shares.sum()) / len(shares)


def _w1(estimate: Estimate, truth: Floats) -> float:
    off = np.cumsum(_of_sum_one(estimate) - truth)[:-1]
    return float(np.abs(off).sum() / len(truth))


def _range(estimate: Estimate, truth: Floats) -> float:
    """The mean absolute error of ranges of a tenth of the interval that begin at an edge."""
    size = len(truth)
    width = max(1, round(_PART * size))
    off = np.concatenate([[0.0], np.cumsum(_of_sum_one(estimate) - truth)])
    return float(np.abs(off[width:] - off[:-width]).mean())


def _mean(estimate: Estimate, truth: Floats) -> float:
    assert isinstance(estimate.domain, Interval)
    middles = estimate.domain.midpoints
    if estimate.shares is None:
        return abs(estimate.mean().value - float(truth @ middles))
    return abs(float((_of_sum_one(estimate) - truth) @ middles))


def _quartiles(estimate: Estimate, truth: Floats) -> float:
    """The mean absolute error of the quartiles, numbers spread evenly over their bin."""
    off = _quantiles(np.maximum(_of_sum_one(estimate), 0.0)) - _quantiles(truth)
    return float(np.abs(off).mean())


def _quantiles(shares: Floats) -> Floats:
    cumulative = np.concatenate([[0.0], np.cumsum(shares) / shares.sum()])
    return np.interp(_QUARTILES, cumulative, np.linspace(0, 1, len(cumulative)))


# -- methods and the default -------------------------------------------------------------------

Errors = dict[str, dict[str, list[float]]]
"""By measure and method, one error a draw."""


def errors_of_methods(cell: Cell, folder: Path | None, count: int = DRAWS) -> Errors | None:
    """Every method that is in the race to the end; None where the set is not there.

    The unbiased estimate is always among them, ``mle`` where there is none.
    """
    counts = load_set(cell.set, folder)
    if counts is None:
        return None
    measures = _measures(cell, len(counts))
    racing = _candidates(cell.mechanism(len(counts)))
    errors: Errors = {measure: {one.name: [] for one in racing} for measure in measures}
    for draw, (tally, truth) in enumerate(cell.draws(counts, count)):
        for one in racing:
            _add(errors, measures, truth, tally, one)
        if draw + 1 == _FIRST:
            racing = [one for one in racing if _has_a_chance(errors, one.name)]
    full = {one.name for one in racing}
    return {m: {k: v for k, v in by.items() if k in full} for m, by in errors.items()}


def _candidates(asked: Mechanism) -> list[Candidate]:
    found = {
        one.name: one
        for goal in ("distribution", "subset")
        for one in candidates_for(asked, goal)[0]
    }
    if asked.domain.numbers is not None:
        found |= {one.name: one for one in candidates_for(asked, "mean")[0]}
    return list(found.values())


def _add(
    errors: Errors, measures: dict[str, Measure], truth: Floats, tally: Tally, one: Candidate
) -> None:
    """One draw's errors; infinite where a method refuses this tally or this question."""
    try:
        estimate = run_method(tally, one.method, then=one.then, **dict(one.options))
    except SottovoceError:
        estimate = None
    for measure, score in measures.items():
        try:
            error = math.inf if estimate is None else score(estimate, truth)
        except SottovoceError:
            error = math.inf
        errors[measure][one.name].append(error)


def _has_a_chance(errors: Errors, name: str) -> bool:
    if name in ("unbiased", "mle"):
        return True
    for by_method in errors.values():
        best = min(float(np.mean(draws)) for draws in by_method.values())
        if float(np.mean(by_method[name])) <= _HOPELESS * best:
            return True
    return False


def errors_of_auto(cell: Cell, folder: Path | None, count: int = DRAWS) -> Errors | None:
    """The default's, one run a goal on the same draws."""
    counts = load_set(cell.set, folder)
    if counts is None:
        return None
    measures = _measures(cell, len(counts))
    errors: Errors = {measure: {"auto": []} for measure in measures}
    for tally, truth in cell.draws(counts, count):
        by_goal: dict[str, Estimate] = {}
        for measure, score in measures.items():
            goal = GOALS[measure]
            if goal not in by_goal:
                by_goal[goal] = run_method(tally, goal=goal)
            errors[measure]["auto"].append(score(by_goal[goal], truth))
    return errors
