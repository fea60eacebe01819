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
from sottovoce.estimators.methods import methods

__all__ = ["GOALS", "RULES", "Rule", "choose"]

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


RULES: tuple[Rule, ...] = (
    Rule(
        ("top",), "norm", _invertible, then=("base-pos",),
        why="for the most frequent values: whoever shrinks errs on them; Norm, clipped at 0",
    ),
    Rule(
        ("mean", "range"), "unbiased", _invertible,
        why="for sums over many values: unbiased, with exact errors",
    ),
    Rule(
        ("distribution", "subset"), "empirical-bayes", _many_values,
        why=f"at least {MIXTURE_NEEDS} values: how to shrink them is learned from all together",
    ),
    Rule(
        ("distribution", "subset"), "norm-sub", _invertible,
        why="few values: the nearest distribution to the unbiased shares",
    ),
)  # fmt: skip


def choose(mechanism: Mechanism, goal: str) -> Rule:
    """The first rule that fits the goal and the mechanism."""
    check_choice(goal, "goal", "estimate", GOALS)
    for rule in RULES:
        if goal in rule.goals and rule.fits(mechanism):
            return rule
    reasons = "; ".join(dict.fromkeys(methods(mechanism)["why"]))
    raise Unfit(f"no method applies to {mechanism}: {reasons}")
