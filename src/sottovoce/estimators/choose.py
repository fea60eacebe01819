"""The automatic choice of a method: ordered rules kept as data, the first that fits wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sottovoce.core.errors import Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.methods import methods

__all__ = ["RULES", "Rule", "choose"]


@dataclass(frozen=True)
class Rule:
    """Where ``fits`` holds, ``method`` is chosen, and ``why`` is told."""

    method: str
    fits: Callable[[Mechanism], bool]
    why: str


def _invertible(mechanism: Mechanism) -> bool:
    return mechanism.channel().inverse is not None


RULES: tuple[Rule, ...] = (
    Rule("unbiased", _invertible, "the channel has an unbiased estimate with exact errors"),
)


def choose(mechanism: Mechanism) -> tuple[str, str]:
    """The name of the method and the reason."""
    for rule in RULES:
        if rule.fits(mechanism):
            return rule.method, rule.why
    reasons = "; ".join(f"{row['method']}: {row['why']}" for row in methods(mechanism))
    raise Unfit(f"no method applies to {mechanism}: {reasons}")
