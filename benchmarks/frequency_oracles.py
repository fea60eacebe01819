"""Speed of the frequency oracles: randomizing on devices, counting at the collector.

Ours randomizes with the operating system's randomness, all people in one call;
best of three calls after a warm-up.  A peer handles a slice of the people, one
report at a time; median of three slices, taken to grow in proportion to n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Literal

import sottovoce as sv
from benchmarks.checks import check_aggregate, check_estimates, check_reports, check_same
from benchmarks.fresh import in_fresh_process
from benchmarks.measure import ROUNDS, Progress, Timing, repeated, sliced
from benchmarks.peers import Peer, peers_of
from benchmarks.population import Population
from benchmarks.results import SECONDS_A_REPORT, Benchmark, Row, Target, rate_above, ratio_of
from benchmarks.theory import Support, textbook

__all__ = [
    "BENCHMARKS",
    "RACES",
    "Ours",
    "Race",
    "our_mechanism",
    "our_support",
    "run_race",
    "unbiased",
]


def our_mechanism(oracle: str, population: Population) -> sv.Mechanism:
    """Our mechanism under the name that papers and peers give it."""
    return sv.mechanism(oracle, sv.Categories(population.size), population.epsilon)


def our_support(oracle: str, mechanism: sv.Mechanism, population: Population) -> Support:
    """The textbook's probabilities for what was asked.

    Only the hash range or subset size, which is ours to choose, is taken from the
    mechanism; its epsilon is not, lest one that spends another epsilon be found right.
    """
    choice = getattr(mechanism, "hash_range", getattr(mechanism, "subset_size", None))
    return textbook(oracle, population.size, population.epsilon, choice)


unbiased = partial(sv.estimate, method="unbiased")
"""The estimate that all checks are about."""


@dataclass(frozen=True)
class Ours:
    """Our side of a race: the work that is timed, and the estimate that shows it was right."""

    work: Callable[[], Any]
    digest: Callable[[Any], sv.Estimate]
    support: Support
    repeatable: bool
    """Whether the same work must give the same estimate again."""


@dataclass(frozen=True)
class Race:
    """One stage of one oracle: who runs, on how many reports, and what is to be reached."""

    name: str
    task: str
    oracle: str
    stage: Literal["randomize", "tally", "tally and decode", "all"]
    """``all`` is randomize, tally and decode."""
    slice_size: int
    """Reports in each of a peer's three slices."""
    targets: dict[str, Target] = field(default_factory=dict)
    """By library."""

    def prepare(self, population: Population) -> Ours:
        """Everything before the work: the mechanism and, to count, the reports."""
        mechanism = our_mechanism(self.oracle, population)
        support = our_support(self.oracle, mechanism, population)
        values = population.values
        if self.stage == "randomize":
            return Ours(lambda: mechanism.randomize(values), unbiased, support, False)
        if self.stage == "all":
            return Ours(
                lambda: unbiased(mechanism.tally(mechanism.randomize(values))),
                lambda estimate: estimate,
                support,
                False,
            )
        reports = mechanism.randomize(values)
        if self.stage == "tally":
            return Ours(lambda: mechanism.tally(reports), unbiased, support, True)
        return Ours(lambda: unbiased(mechanism.tally(reports)), lambda e: e, support, True)


def run_race(race: Race, population: Population, progress: Progress) -> list[Row]:
    """Ours in a fresh process, ours warm, then every peer that has the oracle."""
    progress.say(f"{race.name}: ours, {population.n:,} people, in a fresh process")
    fresh = in_fresh_process(race.name, population.n)
    progress.say(f"{race.name}: ours, {population.n:,} people, {1 + ROUNDS} times")
    timing, check = _time_ours(race, population)
    rows = []
    for peer in peers_of(race.oracle, population):
        progress.say(f"{race.name}: {peer}, {ROUNDS} x {race.slice_size:,} people")
        theirs = _time_peer(race, peer, population)
        rows.append(
            Row(
                benchmark=race.name,
                task=race.task,
                unit=SECONDS_A_REPORT,
                ours=timing.best,
                against=str(peer),
                theirs=theirs.median,
                measured_on=f"{ROUNDS} x {theirs.reports:,} reports",
                ratio_at_worst=theirs.best / timing.worst,
                ratio_of_processor=theirs.best_processor / timing.best_processor,
                target=race.targets.get(peer.library),
                first_call=fresh["first_call_seconds"],
                details={
                    "ours": timing.document(),
                    "theirs": theirs.document(),
                    "fresh": fresh,
                    "check": check,
                },
            )
        )
    return rows


def _time_ours(race: Race, population: Population) -> tuple[Timing, dict[str, Any]]:
    ours, who = race.prepare(population), f"our {race.name}"
    timing, estimates = repeated(ours.work, population.n, ours.digest)
    if ours.repeatable:
        check_same(estimates, who)
        estimates = estimates[:1]
    return timing, check_estimates(estimates, population, ours.support, who)


def _time_peer(race: Race, peer: Peer, population: Population) -> Timing:
    """A peer's time never includes its decoding where that can be told apart."""
    groups = [peer.items(group) for group in population.slices(race.slice_size, ROUNDS)]
    kept: list[Any] = []
    if race.stage == "all":
        timing, both = sliced(lambda group: _randomize_and_aggregate(peer, group), groups)
        sent, kept = [reports for reports, _ in both], [aggregate for _, aggregate in both]
    elif race.stage == "randomize":
        timing, sent = sliced(peer.randomize, groups)
    else:
        sent = [peer.randomize(group) for group in groups]
        timing, kept = sliced(peer.aggregate, sent)
    if race.stage in ("randomize", "all"):
        checked = population.first(ROUNDS * race.slice_size)
        check_reports(peer, list(chain.from_iterable(sent)), checked)
    if race.stage == "randomize":
        return timing
    for reports, aggregate in zip(sent, kept, strict=True):
        check_aggregate(peer, reports, peer.shares(aggregate))
    return timing


def _randomize_and_aggregate(peer: Peer, group: list[int]) -> tuple[list[Any], Any]:
    reports = peer.randomize(group)
    return reports, peer.aggregate(reports)


_ALL = (
    Race(
        name="grr-randomize",
        task="Randomized response (GRR): randomize",
        oracle="grr",
        stage="randomize",
        slice_size=30_000,
        targets={"pure-ldp": rate_above(10e6)},
    ),
    Race(
        name="olh-randomize",
        task="Local hashing (OLH): randomize",
        oracle="olh",
        stage="randomize",
        slice_size=10_000,
        targets={"pure-ldp": ratio_of(30)},
    ),
    Race(
        name="olh-estimate",
        task="Local hashing (OLH): tally and decode",
        oracle="olh",
        stage="tally and decode",
        slice_size=500,
        targets={"pure-ldp": ratio_of(5_000)},
    ),
    Race(
        name="oue-randomize",
        task="Unary encoding (OUE): randomize",
        oracle="oue",
        stage="randomize",
        slice_size=5_000,
        targets={"pure-ldp": ratio_of(5)},
    ),
    Race(
        name="oue-tally",
        task="Unary encoding (OUE): tally packed reports",
        oracle="oue",
        stage="tally",
        slice_size=5_000,
        targets={"pure-ldp": ratio_of(50)},
    ),
    Race(
        name="ss-randomize",
        task="Subset selection (SS): randomize",
        oracle="ss",
        stage="randomize",
        slice_size=3_000,
    ),
    Race(
        name="ss-tally",
        task="Subset selection (SS): tally packed reports",
        oracle="ss",
        stage="tally",
        slice_size=3_000,
    ),
    Race(
        name="ss-total",
        task="Subset selection (SS): randomize, tally and decode",
        oracle="ss",
        stage="all",
        slice_size=3_000,
        targets={"multi-freq-ldpy": ratio_of(50)},
    ),
    Race(
        name="hr-randomize",
        task="Hadamard response (HR): randomize",
        oracle="hr",
        stage="randomize",
        slice_size=10_000,
    ),
    Race(
        name="hr-estimate",
        task="Hadamard response (HR): tally and decode",
        oracle="hr",
        stage="tally and decode",
        slice_size=10_000,
    ),
    Race(
        name="hr-total",
        task="Hadamard response (HR): randomize, tally and decode",
        oracle="hr",
        stage="all",
        slice_size=10_000,
        targets={"pure-ldp": ratio_of(50)},
    ),
)

RACES = {race.name: race for race in _ALL}
BENCHMARKS = tuple(Benchmark(race.name, partial(run_race, race)) for race in _ALL)
