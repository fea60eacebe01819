"""People asked again and again: our memory beside the longitudinal protocols of multi-freq-ldpy.

One window of the same people through both: time to randomize, tally and estimate, and the mean squared error
of the estimates that each library gives by itself (the peer clips at 0 and rescales).  The peer draws both rounds
anew in every report and keeps no memo.  ``details`` say which epsilon one of its reports keeps in truth, beside
the claimed one: the second round that was published for GRR and hashes forgets some ways in which an output can
come about, and adds noise that buys nothing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

import sottovoce as sv
from benchmarks.checks import mean_squared_error
from benchmarks.measure import Progress, repeated, sliced
from benchmarks.population import Population, zipf_population
from benchmarks.results import MEAN_SQUARED_ERROR, SECONDS_A_REPORT, Benchmark, Row, ratio_of

__all__ = ["BENCHMARKS", "compare_protocols", "published_epsilon"]

EPSILON, LIFETIME = 1.0, 2.0
_PEER = "multi-freq-ldpy"


@dataclass(frozen=True)
class Protocol:
    """A protocol by the name of the papers, and the peer's module for it."""

    name: str
    module: str
    size: int
    people: int = 3_000
    """In a slice of the peer's; ours are a hundred times as many for the time."""
    takes_size: bool = True
    """Whether the peer's aggregator is told the number of values."""

    def ours(self) -> sv.Mechanism:
        """Our mechanism of that name."""
        domain = sv.Categories(self.size)
        linkable = {"linkable": True} if self.name.endswith("ue") else {}
        return sv.mechanism(self.name, domain, EPSILON, lifetime=LIFETIME, **linkable)

    def theirs(self) -> Callable[[list[int]], Any]:
        """Randomize and aggregate, as the peer's documentation says."""
        found = import_module(f"multi_freq_ldpy.long_freq_est.{self.module}")
        client = getattr(found, f"{self.module}_Client")
        aggregator = getattr(found, f"{self.module}_Aggregator_MI")
        told = {"k": self.size} if self.takes_size else {}

        def run(values: list[int]) -> Any:
            reports = [client(value, self.size, LIFETIME, EPSILON) for value in values]
            return aggregator(reports, eps_perm=LIFETIME, eps_1=EPSILON, **told)

        return run

    @property
    def true_epsilon(self) -> float:
        """What one report of the peer keeps."""
        if self.name == "l-grr":
            return published_epsilon(self.size)
        return published_epsilon(_published_range()) if self.name == "loloha" else EPSILON


def published_epsilon(outputs: int) -> float:
    """Epsilon of one report with the published second round over so many outputs."""
    e, k = math.exp(EPSILON), outputs
    p1 = math.exp(LIFETIME) / (math.exp(LIFETIME) + k - 1)
    q1 = (1 - p1) / (k - 1)
    p2 = (e * p1 - q1) / (p1 * (k - 1) - q1 + e * p1 - e * q1 * (k - 1))
    q2 = (1 - p2) / (k - 1)
    own = p1 * p2 + (k - 1) * q1 * q2
    other = p1 * q2 + q1 * p2 + (k - 2) * q1 * q2
    return math.log(own / other)


def _published_range() -> int:
    """The peer's range of hashes."""
    e, a = math.exp(LIFETIME), math.exp(EPSILON)
    root = math.sqrt(e**4 - 14 * e**2 - 12 * (e * a) ** 2 + 12 * e * a + 12 * e**3 * a + 1)
    return int(max(np.rint((root - e**2 + 6 * e - 6 * a + 1) / (6 * (e - a))), 2))


def compare_protocols(protocol: Protocol, population: Population, progress: Progress) -> list[Row]:
    """Time and error of one window."""
    many = 100 * protocol.people
    people = zipf_population(many, size=protocol.size, seed=2)
    mechanism, peer = protocol.ours(), protocol.theirs()
    progress.say(f"{protocol.name}: ours, {people.n:,} people")

    def window(values: Any) -> sv.Estimate:
        return sv.estimate(mechanism.tally(mechanism.randomize(values)))

    ours, _ = repeated(lambda: window(people.values), people.n, lambda found: found.n)
    slices = people.slices(protocol.people, 5)
    progress.say(f"{protocol.name}: {_PEER}, {len(slices)} x {protocol.people:,} people")
    theirs, shares = sliced(peer, [list(map(int, part.values)) for part in slices])
    wrong = [mean_squared_error(np.asarray(found), part.truth) for found, part in zip(shares, slices, strict=True)]  # fmt: skip
    right = [mean_squared_error(window(part.values).shares, part.truth) for part in slices]
    details = {"claimed_epsilon": EPSILON, "their_true_epsilon": protocol.true_epsilon}
    against = f"{_PEER} {version(_PEER)}"
    on = f"{len(slices)} x {protocol.people:,} people, {protocol.size} values"
    task = f"Memory ({protocol.name}), one window"
    return [
        Row(
            protocol.name, f"{task}: randomize, tally, estimate", SECONDS_A_REPORT, ours.best, against,
            theirs.median, on, theirs.best / ours.worst, theirs.best_processor / ours.best_processor,
            ratio_of(50), details=details,
        ),
        Row(
            protocol.name, f"{task}: error", MEAN_SQUARED_ERROR, statistics.fmean(right), against,
            statistics.fmean(wrong), on, target=ratio_of(1), details=details,
        ),
    ]  # fmt: skip


_PROTOCOLS = (
    Protocol("l-grr", "L_GRR", 10),
    Protocol("loloha", "L_LH", 1024, 500),
    Protocol("l-osue", "L_OSUE", 100, takes_size=False),
    Protocol("l-sue", "L_SUE", 100, takes_size=False),
    Protocol("l-oue", "L_OUE", 100, takes_size=False),
    Protocol("l-soue", "L_SOUE", 100, takes_size=False),
)

BENCHMARKS = tuple(
    Benchmark(protocol.name, partial(compare_protocols, protocol)) for protocol in _PROTOCOLS
)
