"""Error of the unbiased shares: ours beside the textbook's variance, and beside a peer's.

Speed means nothing if accuracy was paid for it.  Everyone answers for the same
people, several times over; the mean of the mean squared errors is compared, and
its standard error is kept in the details.  multi-freq-ldpy is absent: it always
clips at 0 and rescales, so its unbiased shares cannot be had.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.checks import check_estimates, check_mean_squared_error, mean_squared_error
from benchmarks.frequency_oracles import our_mechanism, our_support, unbiased
from benchmarks.measure import Progress
from benchmarks.peers import Peer, peers_of
from benchmarks.population import Population
from benchmarks.results import MEAN_SQUARED_ERROR, Benchmark, Row, between, ratio_of

__all__ = ["BENCHMARKS", "compare_errors"]


@dataclass(frozen=True)
class Trial:
    """An oracle asked of ``people``, ``ours`` times by us and ``theirs`` times by a peer.

    Among 1024 values a mean squared error varies by about 4.5%, so ours is known
    to about 1% and a peer's to 1 or 2%.
    """

    name: str
    title: str
    oracle: str
    people: int
    theirs: int
    ours: int = 30


def compare_errors(trial: Trial, population: Population, progress: Progress) -> list[Row]:
    """Ours against theory and against every peer with an unbiased estimate."""
    group = population.first(trial.people)
    mechanism = our_mechanism(trial.oracle, group)
    progress.say(f"{trial.name}: ours, {group.n:,} people, {trial.ours} times")
    estimates = [unbiased(mechanism.randomize(group.values)) for _ in range(trial.ours)]
    support = our_support(trial.oracle, mechanism, group)
    check_estimates(estimates, group, support, f"our {trial.name}")
    ours = [mean_squared_error(estimate.shares, group.truth) for estimate in estimates]
    theory = support.mean_variance(group.truth, group.n)

    def row(against: str, theirs: Sequence[float], on: str, least: float, most: float) -> Row:
        return Row(
            benchmark=trial.name,
            task=f"{trial.title}: error of {group.n:,} people",
            unit=MEAN_SQUARED_ERROR,
            ours=statistics.fmean(ours),
            against=against,
            theirs=statistics.fmean(theirs),
            measured_on=on,
            target=ratio_of(least) if math.isinf(most) else between(least, most),
            details={
                "ours": {"runs": trial.ours, "standard_error": _standard_error(ours)},
                "theirs": {"runs": len(theirs), "standard_error": _standard_error(theirs)},
            },
        )

    rows = [row("theory", [theory], "formula", 0.9, 1.1)]
    for peer in peers_of(trial.oracle, group):
        if peer.unbiased:
            progress.say(f"{trial.name}: {peer}, {group.n:,} people, {trial.theirs} times")
            theirs = [_error_of(peer, group) for _ in range(trial.theirs)]
            rows.append(
                row(str(peer), theirs, f"{trial.theirs} x {group.n:,} people", 0.9, math.inf)
            )
    return rows


def _error_of(peer: Peer, group: Population) -> float:
    shares = peer.shares(peer.aggregate(peer.randomize(peer.items(group))))
    found = mean_squared_error(shares, group.truth)
    expected = peer.support.mean_variance(group.truth, group.n)
    check_mean_squared_error(found, expected, group.size, str(peer))
    return found


def _standard_error(values: Sequence[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


_TRIALS = (
    Trial("grr-error", "Randomized response (GRR)", "grr", people=20_000, theirs=20),
    Trial("olh-error", "Local hashing (OLH)", "olh", people=2_000, theirs=8),
    Trial("oue-error", "Unary encoding (OUE)", "oue", people=20_000, theirs=6),
    Trial("ss-error", "Subset selection (SS)", "ss", people=20_000, theirs=6),
    Trial("hr-error", "Hadamard response (HR)", "hr", people=20_000, theirs=20),
)

BENCHMARKS = tuple(Benchmark(trial.name, partial(compare_errors, trial)) for trial in _TRIALS)
