"""Choosing a method by simulation: which one errs least on surveys like this one.

1. Truths are drawn that could have given the reports (:mod:`sottovoce.estimators.errors.plausible_truths`).
2. People with each truth answer the survey again, and every candidate is run on the same
   simulated tallies, so that errors are compared in pairs.
3. Candidates are ranked by their mean error in what the goal asks.

The choice looks at the answers.  Intervals of the chosen method are those it would have had
if it had been named in advance.

Reference: section VII of Ye, Wang, Zhang, Feng 2025, who simulate from an estimate.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sottovoce.base.checks import check_choice, check_int, check_real
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.base.tasks import Run, one_by_one
from sottovoce.channels.base import Floats
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.choose import GOALS
from sottovoce.estimators.coarse_bins import observed_of_bins
from sottovoce.estimators.compare.candidates import (
    Candidate,
    Score,
    candidates_for,
    named_candidates,
    score_for,
)
from sottovoce.estimators.compare.comparison import Comparison, Contender, ranked
from sottovoce.estimators.errors.plausible_truths import draw_truths
from sottovoce.estimators.errors.replicates import whole_counts
from sottovoce.estimators.methods import find_method
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.run import run_method

__all__ = ["compare"]

"""Called with what was just done and the part of the work that is."""

_Runs = dict[Candidate, list[tuple[float, float]]]
"""The error and the seconds of every run."""

_Result = tuple[int, tuple[float, float] | str]
"""The index of a task, and its error and seconds, or why its candidate is unfit."""

_LEAST = 5
"""Runs that a slow candidate needs to be ranked."""
_LOOKS, _WORSE, _CLEARLY = (5, 10, 20, 40), 1.25, 4.0
"""After so many surveys, what is by so many standard errors a quarter worse is not run on more."""


def compare(
    observed: Tally | Reports,
    goal: str = "distribution",
    *,
    methods: Sequence[str] | None = None,
    replicates: int = 100,
    seconds: float = 30.0,
    progress: Progress | None = None,
    run: Run = one_by_one,
) -> Comparison:
    """Rank methods by their expected error, on surveys simulated like this one.

    Truths are drawn that could have given the reports; people with each truth answer again in a
    simulation; every method is run on the same simulated tallies. Errors are about the respondents.
    The same reports give the same simulated surveys.

    Parameters
    ----------
    observed : Tally or Reports
        The survey at hand.
    goal : str
        What the error is of: ``"distribution"``, ``"subset"``, ``"top"``, ``"mean"`` or ``"range"``.
    methods : sequence of str, optional
        Names of methods, ``"iiw + norm-sub"`` for one after the other; all that apply if not given.
    replicates : int
        Simulated surveys.
    seconds : float
        Time budget. Slow methods run on fewer surveys; one that ran fewer than five times is left
        out, and ``Comparison.left_out`` lists it.
    progress : callable, optional
        Called with a text and the part of the work that is done.
    run : callable
        Who runs methods on surveys: this process, or ``sottovoce.spark.runner(...)``. The budget
        is then of all workers together.

    Returns
    -------
    Comparison
        The methods, best first, with their errors.

    Raises
    ------
    Unfit
        Where no method applies, or the domain has a single value.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(200), 1.0)
    >>> tally = m.simulate([9000] * 10 + [10] * 190, source=sv.Seeded(1))
    >>> sv.compare(tally, methods=["unbiased", "norm-sub"], replicates=10).best
    'norm-sub'
    """
    given = Observed.of(observed)
    check_choice(goal, "goal", "compare", GOALS)
    count = check_int(replicates, "replicates", "compare", 2)
    budget = _check_seconds(seconds)
    if isinstance(coarse := given.mechanism, CoarseMechanism):
        given = Observed.of(observed_of_bins(given, coarse))
    mechanism = given.mechanism
    if mechanism.domain.size == 1:
        raise Unfit(
            "the domain has a single value: its share is 1, and there is nothing to compare"
        )
    measure, score = score_for(goal, mechanism.domain)
    candidates, unfit = _candidates(mechanism, goal, methods)
    left_out: dict[str, str] = {}
    surveys = _Surveys(given, count, score, budget)
    contenders = _run(
        candidates, surveys, budget, left_out=left_out, progress=progress or silent, run=run
    )
    return Comparison(observed, goal, measure, contenders, left_out, unfit, surveys.count)


def _check_seconds(seconds: float) -> float:
    allowed = "a number above 0; math.inf for no limit"
    if seconds == math.inf:
        return math.inf
    if check_real(seconds, "seconds", "compare", allowed) <= 0:
        raise InvalidInput("seconds", "compare", allowed, seconds)
    return float(seconds)


def _candidates(
    mechanism: Mechanism, goal: str, methods: Sequence[str] | None
) -> tuple[list[Candidate], dict[str, str]]:
    if methods is not None:
        names = [methods] if isinstance(methods, str) else list(methods)
        if not names:
            raise InvalidInput("methods", "compare", "at least one name, or None for all", methods)
        named = named_candidates(names, mechanism, goal)
        return list({candidate.name: candidate for candidate in named}.values()), {}
    found, unfit = candidates_for(mechanism, goal)
    if not found:
        serve = [other for other in GOALS if other != goal and _serves(mechanism, other)]
        would = f"what would work: {', '.join(f'goal={other!r}' for other in serve) or 'no goal'}"
        reason = unfit["em"]
        raise Unfit(
            f"no method serves goal {goal!r} for {mechanism}: {reason}; {would}, or reports of another "
            "mechanism, such as square-wave for numbers, pckv-pm for keys with numbers"
        )
    return found, unfit


def _serves(mechanism: Mechanism, goal: str) -> bool:
    try:
        score_for(goal, mechanism.domain)
    except Unfit:
        return False
    return bool(candidates_for(mechanism, goal)[0])


# -- the work --------------------------------------------------------------------------


class _TooLong(Exception):
    """A run took more than its part of the time."""


class _Surveys:
    """Simulated surveys with known truths, made when first asked for."""

    def __init__(self, observed: Observed, count: int, score: Score, budget: float) -> None:
        self._score = score
        self._mechanism, self._n = observed.mechanism, observed.n
        self._source = Seeded(observed.n)
        self._truths = draw_truths(observed, count, self._source)
        self._made: list[tuple[Tally, Floats]] = []
        start = time.perf_counter()
        _ = self[0]
        most = budget / max(time.perf_counter() - start, 1e-9)
        self.count = count if most >= count else min(count, max(_LEAST, int(most)))
        """As many as asked for; fewer, but five, where to simulate them takes too long."""

    def __getitem__(self, number: int) -> tuple[Tally, Floats]:
        while len(self._made) <= number:
            counts = whole_counts(self._truths[len(self._made)] * self._n, self._n)
            tally = self._mechanism.simulate(counts, source=self._source)
            self._made.append((tally, counts / self._n))
        return self._made[number]

    def task(self, candidate: Candidate, number: int, limit: float = math.inf) -> _Task:
        """A candidate in one survey."""
        return _Task(candidate, *self[number], self._score, limit)


@dataclass(frozen=True, eq=False)
class _Task:
    """To run a candidate on one survey, in about ``limit`` seconds at most."""

    candidate: Candidate
    tally: Tally
    truth: Floats
    score: Score
    limit: float

    def run(self) -> tuple[float, float]:
        """The error of the candidate, and the seconds it took."""
        start = time.perf_counter()

        def watch(*_: object) -> None:
            if time.perf_counter() - start > self.limit:
                raise _TooLong

        method, options = self.candidate.method, dict(self.candidate.options)
        fit = find_method(method, self.tally.mechanism).fit
        if fit is not None and "progress" in inspect.signature(fit).parameters:
            options["progress"] = watch
        found = run_method(self.tally, method, then=self.candidate.then, **options)
        taken = time.perf_counter() - start
        return self.score(found, self.truth), taken


def _run_task(task: _Task) -> tuple[float, float] | str:
    """What a task gives, or why the candidate is unfit."""
    try:
        return task.run()
    except Unfit as error:
        return str(error)


def _run(
    candidates: Sequence[Candidate],
    surveys: _Surveys,
    budget: float,
    *,
    left_out: dict[str, str],
    progress: Progress,
    run: Run,
) -> tuple[Contender, ...]:
    """All that fit in the budget, ranked; what does not is added to ``left_out``."""
    runs: _Runs = {}
    needed, ends = min(_LEAST, surveys.count), len(candidates) * surveys.count
    limit = budget / needed
    for done, candidate in enumerate(candidates, start=1):
        try:
            runs[candidate] = [_warm(surveys, candidate, limit)]
        except _TooLong:
            left_out[candidate.name] = _too_slow(f"more than {limit:.2g}", needed, budget)
        except Unfit as error:
            left_out[candidate.name] = str(error)
        progress(candidate.name, done / ends)
    allowed = _shared_out(runs, surveys.count, budget)
    for candidate in [one for one in runs if allowed[one] < needed]:
        taken = runs.pop(candidate)[0][1]
        left_out[candidate.name] = _too_slow(f"{taken:.2g}", needed, budget)
    for number, stop in pairwise([1, *(k for k in _LOOKS if k < surveys.count), surveys.count]):
        if number in _LOOKS:
            _stop_the_hopeless(runs, allowed, number, surveys.count, budget)
        numbers = range(number, stop)
        tasks = [surveys.task(one, k) for k in numbers for one in runs if k < allowed[one]]
        results = []
        for result in run(_run_task, tasks):
            results.append(result)
            part = (number + (stop - number) * len(results) / len(tasks)) / surveys.count
            progress(f"surveys {number + 1} to {stop} of {surveys.count}", part)
        _append_results(runs, tasks, left_out, results)
    if not runs:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise Unfit(f"no candidate could be run in seconds={budget:g}: {reasons}")
    return ranked([_contender(candidate, told) for candidate, told in runs.items()])


def _append_results(
    runs: _Runs, tasks: Sequence[_Task], left_out: dict[str, str], results: Sequence[_Result]
) -> None:
    """Results of tasks, in whatever order they come; a candidate that is unfit is left out."""
    found = dict(results)
    for index, task in enumerate(tasks):
        result = found[index]
        if isinstance(result, str):
            left_out.setdefault(task.candidate.name, result)
            runs.pop(task.candidate, None)
        elif task.candidate in runs:
            runs[task.candidate].append(result)


def _too_slow(taken: str, needed: int, budget: float) -> str:
    return f"a run takes {taken} s, and {needed} do not fit in seconds={budget:g} with the others"


def _warm(surveys: _Surveys, candidate: Candidate, limit: float) -> tuple[float, float]:
    """A first run; where it takes too long, another: the first one may have had to compile."""
    try:
        error, taken = surveys.task(candidate, 0, limit).run()
        return (error, taken) if taken <= limit else surveys.task(candidate, 0, limit).run()
    except _TooLong:
        return surveys.task(candidate, 0, limit).run()


def _shared_out(runs: _Runs, count: int, budget: float) -> dict[Candidate, int]:
    """How often each may run: an equal part of the time, of which the fast leave most to the slow."""
    allowed, left = {}, budget
    for number, candidate in enumerate(sorted(runs, key=lambda one: runs[one][0][1])):
        taken = max(runs[candidate][0][1], 1e-9)
        most = left / (len(runs) - number) / taken
        allowed[candidate] = count if most >= count else int(most)
        left -= allowed[candidate] * taken
    return allowed


def _stop_the_hopeless(
    runs: _Runs, allowed: dict[Candidate, int], number: int, count: int, budget: float
) -> None:
    """Run no more what by now is clearly worse than the best; the others share the time it leaves."""
    still = [_contender(one, told) for one, told in runs.items() if len(told) == number]
    if not still:
        return
    best, going = ranked(still)[0], {}
    for contender in still:
        ratio, spread = contender.ratio(best)
        if ratio - _CLEARLY * spread > _WORSE:
            allowed[contender.candidate] = number
        else:
            going[contender.candidate] = runs[contender.candidate]
    spent = sum(seconds for told in runs.values() for _, seconds in told)
    for candidate, more in _shared_out(going, count - number, max(budget - spent, 0.0)).items():
        allowed[candidate] = number + more


def _contender(candidate: Candidate, told: list[tuple[float, float]]) -> Contender:
    errors, seconds = zip(*told, strict=True)
    return Contender(candidate, np.array(errors), float(np.median(seconds)))
