"""The automatic choice of a method: ordered rules kept as data, the first that fits wins.

Rules look at the goal, the mechanism and its domain, never at the answers, so
that intervals stay honest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sottovoce.core.checks import check_choice
from sottovoce.core.errors import Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.empirical_bayes import MIXTURE_NEEDS
from sottovoce.estimators.means import only_the_mean
from sottovoce.estimators.methods import applies, methods

__all__ = ["GOALS", "RULES", "Rule", "choose", "find_rule"]

GOALS = ("distribution", "subset", "top", "mean", "range")


@dataclass(frozen=True)
class Rule:
    """For ``goals``, where ``fits`` holds, ``method`` (and ``then``) is chosen, and ``why`` is told."""

    goals: tuple[str, ...]
    method: str
    fits: Callable[[Mechanism], bool]
    why: str
    then: tuple[str, ...] = ()


def _invertible(mechanism: Mechanism) -> bool:
    return mechanism.channel().inverse is not None


def _many_values(mechanism: Mechanism) -> bool:
    return _invertible(mechanism) and mechanism.domain.size >= MIXTURE_NEEDS


def _many_in_order(mechanism: Mechanism) -> bool:
    return mechanism.domain.ordered and _many_values(mechanism)


def _many_without_order(mechanism: Mechanism) -> bool:
    return not mechanism.domain.ordered and _many_values(mechanism)


def _numbers(mechanism: Mechanism) -> bool:
    """Ordered, without unbiased shares, but with reports that tell distributions apart."""
    channel = mechanism.channel()
    return mechanism.domain.ordered and channel.inverse is None and channel.tells_shares


def _halves(mechanism: Mechanism) -> bool:
    """Unbiased shares whose noise is tied: to change them one by one would ruin their sums."""
    return mechanism.channel().inverse_name == "haar"


def _tells_no_shares(mechanism: Mechanism) -> bool:
    return only_the_mean(mechanism) and not mechanism.channel().tells_shares


def _always(mechanism: Mechanism) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    Rule(
        ("mean",), "unbiased", only_the_mean,
        why="for the mean: the plain average of what reports stand for",
    ),
    Rule(
        ("distribution", "subset", "top", "mean", "range"), "adaptive", _numbers,
        why="numbers: the likeliest distribution that is as smooth as the reports say",
    ),
    Rule(
        ("distribution", "subset", "top", "range"), "unbiased", _tells_no_shares,
        why="whatever is asked, these reports tell nothing but the mean",
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
        why="halves of intervals: the likeliest distribution that is as smooth as the reports say",
    ),
    Rule(
        ("top",), "norm", _invertible, then=("base-pos",),
        why="for the most frequent values: whoever shrinks errs on them; Norm, clipped at 0",
    ),
    Rule(
        ("mean", "range"), "unbiased", _invertible,
        why="for sums over many values: unbiased, with exact errors",
    ),
    Rule(
        ("distribution",), "iiw", _many_in_order, then=("norm-sub",),
        why=f"at least {MIXTURE_NEEDS} values in order, neighbours taken to be alike: noise filtered "
        "out frequency by frequency",
    ),
    Rule(
        ("distribution", "subset"), "empirical-bayes", _many_without_order,
        why=f"at least {MIXTURE_NEEDS} values: how to shrink them is learned from all together; they "
        "have no order, so no neighbours for a filter to compare",
    ),
    Rule(
        ("distribution", "subset"), "empirical-bayes", _many_values,
        why=f"at least {MIXTURE_NEEDS} values: how to shrink them is learned from all together",
    ),
    Rule(
        ("distribution", "subset"), "norm-sub", _invertible,
        why="few values: the nearest distribution to the unbiased shares",
    ),
    Rule(
        ("distribution", "subset", "top", "mean", "range"), "em", _always,
        why="no unbiased shares, and no order to smooth along: the likelihood, climbed a while",
    ),
)  # fmt: skip


def find_rule(mechanism: Mechanism, goal: str) -> Rule | None:
    """The first rule that fits the goal and the mechanism, and whose method applies."""
    for rule in RULES:
        if goal in rule.goals and rule.fits(mechanism) and applies(rule.method, mechanism):
            return rule
    return None


def choose(mechanism: Mechanism, goal: str) -> Rule:
    """The rule for a goal; an error says why no method applies where there is none."""
    check_choice(goal, "goal", "estimate", GOALS)
    if rule := find_rule(mechanism, goal):
        return rule
    reason, *_ = methods(mechanism)["why"]  # of the unbiased estimate, which comes first
    raise Unfit(f"no method applies to {mechanism}: {reason}")
