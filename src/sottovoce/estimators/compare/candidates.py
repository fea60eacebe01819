"""The methods that can be compared for a goal, and by which error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.keys import means
from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.estimators.methods import Method, find_method, find_step, registered_methods
from sottovoce.metrics import (
    mean_squared_error,
    range_error,
    subset_error,
    top_error,
    wasserstein,
)

__all__ = ["Candidate", "Score", "candidates_for", "named_candidates", "score_for"]

Score = Callable[[Estimate, Floats], float]
"""The error of an estimate, given the true shares."""

TOP = 10
PART = 0.1


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method, its options, and what is applied to its result."""

    method: str
    then: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As :attr:`Estimate.method` would say, options besides."""
        told = ", ".join(f"{option}={value}" for option, value in self.options.items())
        return " + ".join([f"{self.method}({told})" if told else self.method, *self.then])


_WIDE_NEEDS = 10
"""Values below which variants, such as a filter three values wide, have nothing to tell apart."""


def candidates_for(mechanism: Mechanism, goal: str) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates, and methods that are none with the reason."""
    apply: dict[str, Method] = {}
    unfit = {}
    for method in registered_methods():
        if reason := method.why_not(mechanism) or _no_use(method, mechanism, goal):
            unfit[method.name] = reason
        else:
            apply[method.name] = method
    distribution = goal == "distribution" and mechanism.domain.numbers is not None
    found = []
    for name, method in apply.items():
        if not method.completed_by or not distribution:
            found.append(Candidate(name))
        if method.completed_by in apply:
            found.append(Candidate(name, (method.completed_by,)))
    if mechanism.domain.size >= _WIDE_NEEDS:
        for name, method in apply.items():
            found += [
                Candidate(name, variant.then, variant.options)
                for variant in method.variants
                if {*variant.then} <= set(apply)
            ]
    return found, unfit


def _no_use(method: Method, mechanism: Mechanism, goal: str) -> str:
    """Why a method that applies is no candidate for the goal."""
    if method.same_shares_as:
        return f"its shares are those of {method.same_shares_as}"
    told = method.tells_only(mechanism)
    if told and goal != "mean":
        return f"it estimates only {told} here, no {goal}"
    if (
        goal == "distribution"
        and mechanism.domain.numbers is not None
        and not method.is_distribution
    ):
        return "its shares are not a distribution, which the histogram distance needs"
    return ""


def named_candidates(names: Sequence[str], mechanism: Mechanism, goal: str) -> list[Candidate]:
    """Candidates by name, ``"iiw + norm-sub"`` for one after the other."""
    known = {candidate.name: candidate for candidate in candidates_for(mechanism, goal)[0]}
    found = []
    for name in names:
        if name in known:
            found.append(known[name])
            continue
        first, *others = [part.strip() for part in str(name).split("+")]
        method = find_method(first, mechanism)
        steps = tuple(find_step(step, mechanism).name for step in others)
        if steps and (told := method.tells_only(mechanism)):
            raise Unfit(f"{method.name} estimates only {told}: nothing can follow it")
        if method.fit is not None and steps:
            raise Unfit(f"{method.name} gives a distribution: nothing can follow it")
        if not steps and (reason := _no_use(method, mechanism, goal)):
            serve = ", ".join(known) or "none"
            raise Unfit(
                f"{method.name} is not a candidate for goal {goal!r}: {reason}; what is: {serve}"
            )
        found.append(Candidate(method.name, steps))
    return found


# -- errors ----------------------------------------------------------------------------


def score_for(goal: str, domain: Domain) -> tuple[str, Score]:
    """What is measured for the goal, in words, and its function."""
    interval = domain.numbers
    if goal in ("mean", "range"):
        return _score_on_numbers(goal, domain)
    if goal == "distribution" and interval is not None:
        return (
            "Wasserstein distance",
            lambda e, truth: _one(wasserstein(e.shares, truth, domain=interval)),
        )
    if goal == "distribution":
        return (
            "mean squared error of shares",
            lambda e, truth: _one(mean_squared_error(e.shares, truth)),
        )
    if goal == "subset":
        some = max(1, round(PART * domain.size))
        return (
            f"squared error of the total of {some} values, over all such sets",
            lambda e, truth: _one(subset_error(e.shares, truth, some)),
        )
    most = min(TOP, domain.size)
    return (
        f"mean squared error of the {most} largest shares",
        lambda e, truth: _one(top_error(e.shares, truth, most)),
    )


def _score_on_numbers(goal: str, domain: Domain) -> tuple[str, Score]:
    """Those of the goals mean and range."""
    numbers, pairs = domain.numbers, domain.keyed
    if goal == "mean" and pairs is not None:
        return (
            "absolute error of the mean per key, keys weighted by frequency",
            lambda e, truth: _key_error(e, truth, pairs),
        )
    if numbers is None:
        would = "" if pairs is None else ", mean"
        raise Unfit(
            f"goal {goal!r} needs numbers (an Interval), and these are {domain}; "
            f"goals that would work: distribution, subset, top{would}"
        )
    if goal == "range":
        return (
            "absolute error of the share in a tenth of the interval",
            lambda e, truth: _one(range_error(_of_sum_one(e), truth, PART)),
        )
    return "absolute error of the mean", lambda e, truth: _mean_error(e, truth, numbers)


def _one(errors: Floats) -> float:
    return float(errors)


def _of_sum_one(estimate: Estimate) -> Floats:
    """Shares as ranges and means of an estimate take them: what the sum lacks is spread evenly."""
    shares = estimate.require_shares("range")
    return shares + (1 - shares.sum()) / len(shares)


def _key_error(estimate: Estimate, truth: Floats, domain: KeyValues) -> float:
    size, bins = domain.keys.size, domain.interval.bins
    held = truth[: size * bins].reshape(size, bins)
    shares, middles = held.sum(axis=1), domain.interval.midpoints
    off = np.abs(means(estimate, domain) * shares - held @ middles)
    return float(off.sum() / shares.sum())


def _mean_error(estimate: Estimate, truth: Floats, domain: Interval) -> float:
    if estimate.shares is None:
        return abs(estimate.mean().value - float(truth @ domain.midpoints))
    return float(np.abs((_of_sum_one(estimate) - truth) @ domain.midpoints))
