"""The automatic choice of a method: ordered rules kept as data, the first that fits wins.

Rules look at the goal, the mechanism, its domain and the number of reports, never at the
answers, so that intervals stay honest.

For a mean the number of reports decides, by the standard error to expect of the plain average:

- where that is large beside the interval, that the mean lies in it is worth knowing;
- where it is small, the average is as good as anything, at once, and without bias;
- in between, that no share is negative and that neighbours are alike tells where people cannot be,
  which an average does not know: of waves and the piecewise mechanism ``adaptive`` errs less, by up
  to a half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sottovoce.base.checks import check_choice
from sottovoce.base.errors import Unfit
from sottovoce.channels.noise import CensoredNoiseChannel
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.cell_means import average_noise, only_keys, only_the_mean
from sottovoce.estimators.methods import applies, registered_methods

__all__ = ["GOALS", "RULES", "Rule", "choose", "find_rule"]

GOALS = ("distribution", "subset", "top", "mean", "range")

_MANY = 100
"""Values in order from which a filter has frequencies enough to learn from."""
_AS_THEY_ARE = 0.75
"""How likely a number must be reported as it is for smoothing to do more harm than good."""
_DROWNED, _EXACT = 0.1, 0.0005
"""Standard errors of a plain average, in parts of the interval.

Measured on four sets of numbers, 2,000 to 300,000 reports, epsilon 0.1 to 3 (docs, ask about means).
"""


@dataclass(frozen=True)
class Rule:
    """For ``goals``, where ``fits`` holds, ``method`` (and ``then``) is chosen, and ``why`` is told.

    ``options`` are the method's unless others are given.

    ``reports`` says for how many reports; without it, for any number.
    """

    goals: tuple[str, ...]
    method: str
    fits: Callable[[Mechanism], bool]
    why: str
    then: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    reports: Callable[[Mechanism, int], bool] | None = None

    def holds(self, mechanism: Mechanism, n: int | None) -> bool:
        """Whether it fits ``mechanism`` and n reports; None are more than any rule asks for."""
        if not self.fits(mechanism):
            return False
        return self.reports is None or (n is not None and self.reports(mechanism, n))


def _invertible(mechanism: Mechanism) -> bool:
    return mechanism.channel().inverse is not None


def _many_in_order(mechanism: Mechanism) -> bool:
    return mechanism.domain.ordered and _invertible(mechanism) and mechanism.domain.size >= _MANY


def _numbers(mechanism: Mechanism) -> bool:
    """Ordered, without unbiased shares, but with reports that tell distributions apart."""
    channel = mechanism.channel()
    return mechanism.domain.ordered and channel.inverse is None and channel.identifies_distribution


def _hardly_moved(mechanism: Mechanism) -> bool:
    """Whole numbers that are reported as they are three times in four."""
    domain = mechanism.domain.numbers
    if domain is None or not domain.whole or not _numbers(mechanism):
        return False
    somewhere = np.eye(1, domain.bins, domain.bins // 2)[0]
    return bool(mechanism.channel().forward(somewhere).max() > _AS_THEY_ARE)


def _halves(mechanism: Mechanism) -> bool:
    """Unbiased shares whose noise is tied: to change them one by one would ruin their sums."""
    return mechanism.channel().inverse_name == "haar"


def _tells_no_shares(mechanism: Mechanism) -> bool:
    return only_the_mean(mechanism) and not mechanism.channel().identifies_distribution


def _tells_keys(mechanism: Mechanism) -> bool:
    return only_keys(mechanism) and not mechanism.channel().identifies_distribution


def _waved(mechanism: Mechanism) -> bool:
    """A mean, and shares by another method, of numbers that reports do not tell as they are.

    Not where noise was added, however much: of such reports the average is about the best there is.
    """
    if isinstance(mechanism.channel(), CensoredNoiseChannel) or _hardly_moved(mechanism):
        return False
    return _numbers(mechanism) and only_the_mean(mechanism)


def _drowned(mechanism: Mechanism, n: int) -> bool:
    return average_noise(mechanism, n) > _DROWNED


def _not_yet_exact(mechanism: Mechanism, n: int) -> bool:
    return average_noise(mechanism, n) > _EXACT


def _always(mechanism: Mechanism) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    Rule(
        ("mean",), "bounded-mean", only_the_mean, reports=_drowned,
        why=f"for the mean: an average of so few reports errs by more than {_DROWNED:.0%} of the interval, "
        "so that its bounds are worth knowing",
    ),
    Rule(
        ("mean",), "adaptive", _waved, reports=_not_yet_exact,
        why=f"for the mean: an average of so few reports errs by more than {_EXACT:.2%} of the interval; "
        "a smooth distribution, nowhere negative, errs less",
    ),
    Rule(
        ("mean",), "unbiased", only_the_mean,
        why="for the mean: the plain average of what reports stand for",
    ),
    Rule(
        ("distribution", "subset", "top", "range"), "em", _hardly_moved,
        why="whole numbers that noise rarely moves, so EM stopped early; smoothing "
        "would move them more",
    ),
    Rule(
        ("distribution", "subset", "top", "mean", "range"), "adaptive", _numbers,
        why="numbers: a smooth distribution, with the smoothness learned from the reports",
    ),
    Rule(
        ("distribution", "subset", "top", "range"), "unbiased", _tells_no_shares,
        why="these reports identify only the mean",
    ),
    Rule(
        GOALS, "unbiased", _tells_keys,
        why="these reports identify only frequencies and means of keys",
    ),
    Rule(
        GOALS, "em", only_keys,
        why="keys with numbers: EM stopped early, whose frequencies and means have smaller errors "
        "than by formula",
    ),
    Rule(
        ("range", "mean"), "hh-ci", _always,
        why="for ranges: the levels of the hierarchy made to agree, unbiased",
    ),
    Rule(
        ("distribution", "subset"), "hh-admm", _always,
        why="the nearest distribution to all levels of the hierarchy",
    ),
    Rule(
        ("range", "mean"), "haar", _always,
        why="for ranges: sums of differences between halves, unbiased",
    ),
    Rule(
        ("distribution", "subset"), "adaptive", _halves,
        why="halves of intervals: a smooth distribution, with the smoothness learned from the reports",
    ),
    Rule(
        ("top",), "exchangeable", _invertible, options={"top": 10},
        why="for the most frequent values: how unequal shares are is learned from all together, and each "
        "is what it is if its value is among the ten largest",
    ),
    Rule(
        ("mean", "range"), "unbiased", _invertible,
        why="for sums over many values: unbiased, with exact errors",
    ),
    Rule(
        ("distribution",), "iiw", _many_in_order, then=("norm-sub",),
        why=f"at least {_MANY} values in order, neighbors assumed to be similar: noise filtered "
        "out frequency by frequency",
    ),
    Rule(
        ("distribution", "subset"), "exchangeable", _invertible,
        why="values without neighbours: how unequal shares are is learned from all together",
    ),
    Rule(
        ("distribution", "subset", "top", "mean", "range"), "em", _always,
        why="no unbiased shares, and no order to smooth along: EM stopped early",
    ),
)  # fmt: skip


def find_rule(mechanism: Mechanism, goal: str, n: int | None = None) -> Rule | None:
    """The first rule that fits the goal, the mechanism and n reports, and whose method applies."""
    for rule in RULES:
        if goal in rule.goals and rule.holds(mechanism, n) and applies(rule.method, mechanism):
            return rule
    return None


def choose(mechanism: Mechanism, goal: str, n: int | None = None) -> Rule:
    """The rule for a goal and n reports, many where left out; an error where no method applies."""
    check_choice(goal, "goal", "estimate", GOALS)
    if rule := find_rule(mechanism, goal, n):
        return rule
    unbiased, *_ = registered_methods()
    reason = unbiased.why_not(mechanism)
    raise Unfit(f"no method applies to {mechanism}: {reason}")
