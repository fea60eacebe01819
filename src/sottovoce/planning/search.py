"""How many people, or which epsilon, an error takes: found for every mechanism.

A yardstick says what is meant by a mechanism's error.  Its square is ``V/n + M``: V falls
with the number of people n, and M, zero for most, does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Protocol

import numpy as np

from sottovoce.base.checks import MAX_EPSILON
from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.core.mechanism import Mechanism
from sottovoce.planning.result import Prospect

__all__ = ["MOST_USERS", "Needed", "Yardstick", "epsilons_needed", "first", "least", "users_needed"]

MOST_USERS = 2**62
"""As many reports as a tally counts."""
_GRAIN = 10**6
"""Epsilon is searched in millionths, from 1e-6 to 20."""

Needed = dict[str, float | None]
"""By name, what each takes; None where nothing is enough."""


class Yardstick(Protocol):
    """What the error of a mechanism is."""

    @property
    def goal(self) -> str:
        """What it is an error of, in a word."""

    @property
    def told(self) -> str:
        """What the errors speak of, in a line."""

    def why_not(self, mechanism: Mechanism, *, users: int | None) -> str:
        """Why a mechanism cannot be measured, or nothing; no users where they or epsilon are sought."""

    def parts(self, mechanism: Mechanism) -> tuple[float, float]:
        """V and M of the squared error ``V/n + M``."""

    def prospect(
        self, mechanism: Mechanism, name: str, users: int, needed: float | None
    ) -> Prospect:
        """What is to be expected of one mechanism."""


def users_needed(mechanisms: Mapping[str, Mechanism], yardstick: Yardstick, error: float) -> Needed:
    """The least whole n with ``V/n + M <= error^2``, in exact arithmetic."""
    needed: Needed = {}
    for name, mechanism in mechanisms.items():
        variance, floor = map(Fraction, yardstick.parts(mechanism))
        spare = Fraction(error) ** 2 - floor
        n = max(1, math.ceil(variance / spare)) if spare > 0 else MOST_USERS + 1
        needed[name] = n if n <= MOST_USERS else None
    return needed


def epsilons_needed(
    names: list[str],
    make: Callable[[str, float], Mechanism],
    yardstick: Yardstick,
    *,
    users: int,
    error: float,
) -> Needed:
    """The smallest epsilon for each, in millionths, up to 20."""

    def reached(name: str, millionths: int) -> bool:
        try:
            mechanism = make(name, millionths / _GRAIN)
        except SottovoceError:
            return False
        if yardstick.why_not(mechanism, users=None):
            return False
        variance, floor = yardstick.parts(mechanism)
        return variance / users + floor <= error**2

    found = {name: first(partial(reached, name), round(MAX_EPSILON * _GRAIN)) for name in names}
    return {name: None if k is None else k / _GRAIN for name, k in found.items()}


def first(reached: Callable[[int], bool], most: int) -> int | None:
    """The first whole number from 1 to ``most`` with ``reached``, or None.

    By bisection, as errors fall with epsilon.  Where an option chosen by default (the
    range of hashes, the size of sets) changes with epsilon the error may rise a little,
    so that the last quarter before the number found is searched again, in 64 steps.
    """
    if not reached(most):
        return None
    high = _bisect(reached, 0, most)
    steps = np.unique(np.linspace(3 * high // 4, high, 65).astype(np.int64)).tolist()
    for low, step in pairwise(steps):
        if reached(step):
            return _bisect(reached, low, step)
    return high


def _bisect(reached: Callable[[int], bool], low: int, high: int) -> int:
    """Not reached at ``low``, reached at ``high``: where that changes."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def least(needed: Needed, error: float, impossible: str) -> float:
    """The least that any of them takes; an error where none is enough."""
    enough = [value for value in needed.values() if value is not None]
    if not enough:
        raise InvalidInput("error", "plan", impossible, error)
    return min(enough)
