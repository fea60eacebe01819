"""Checks shared by everything that takes parameters: one message shape for the whole library."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Collection, Hashable, Iterable

import numpy as np

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.suggestions import did_you_mean

__all__ = [
    "MAX_EPSILON",
    "MAX_RETENTION",
    "MIN_EPSILON",
    "check_choice",
    "check_decimal",
    "check_epsilon",
    "check_int",
    "check_pinned",
    "check_real",
    "first_repeated",
]

MIN_EPSILON = 1e-6
MAX_EPSILON = 20.0
"""Above e^20 (one in 485 million) a report is the value itself: refused."""

MAX_RETENTION = 36_500
"""Days that reports may be kept for at most, unless they are kept for ever: a hundred years."""


def check_real(
    value: object, parameter: str, owner: str, allowed: str = "a finite number"
) -> float:
    """A finite real number as float; booleans, text, NaN and infinities are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InvalidInput(parameter, owner, allowed, value)
    number = float(value)
    if not math.isfinite(number):
        raise InvalidInput(parameter, owner, allowed, value)
    return number


def check_decimal(value: object, parameter: str, owner: str, allowed: str) -> float:
    """A number, or the decimal text that stands for one in the JSON of a mechanism."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InvalidInput(parameter, owner, allowed, value) from None
    return check_real(value, parameter, owner, allowed)


def check_int(value: object, parameter: str, owner: str, low: int, high: int | None = None) -> int:
    """A whole number from ``low`` to ``high`` (no upper end where ``high`` is None)."""
    allowed = (
        f"a whole number of at least {low}"
        if high is None
        else f"a whole number from {low} to {high}"
    )
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InvalidInput(parameter, owner, allowed, value)
    number = int(value)
    if number < low or (high is not None and number > high):
        raise InvalidInput(parameter, owner, allowed, value)
    return number


def check_epsilon(value: object, owner: str) -> float:
    """The privacy budget: a number from 1e-6 to 20."""
    allowed = f"a number from {MIN_EPSILON:g} to {MAX_EPSILON:g}"
    epsilon = check_real(value, "epsilon", owner, allowed)
    if not MIN_EPSILON <= epsilon <= MAX_EPSILON:
        raise InvalidInput("epsilon", owner, allowed, value)
    return epsilon


def check_choice(value: object, parameter: str, owner: str, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        allowed, hint = f"one of {', '.join(sorted(choices))}", did_you_mean(value, choices)
        raise InvalidInput(parameter, owner, allowed, value, hint=hint)
    return value


def first_repeated(items: Iterable[Hashable]) -> Hashable:
    """The first item that was there before; None where all are distinct."""
    seen: set[Hashable] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def check_pinned(pinned: object, fingerprint: str, parameter: str, owner: str, what: str) -> None:
    """Refuse ``what`` unless it has the ``pinned`` fingerprint; without one, anything passes."""
    if pinned is None:
        return
    if not isinstance(pinned, str) or not re.fullmatch("[0-9a-f]{32}", pinned):
        raise InvalidInput(parameter, owner, "32 hexadecimal digits in lower case", pinned)
    if pinned != fingerprint:
        raise Mismatch(
            f"{what} has the fingerprint {fingerprint}, not {pinned}, which was agreed to: "
            "it is not answered"
        )
