"""Exact arithmetic for privacy: bounds of e^epsilon, and decimals.

A mechanism's probabilities are integers over a power of two.  They are derived
from rational *lower bounds* of e^epsilon, 60 decimal digits long, so that every
ratio of weights is at most e^epsilon and no floating-point number takes part.

An epsilon given as the float 0.1 means the decimal 0.1: the shortest decimal
that prints the same, which is also what canonical JSON carries.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

__all__ = [
    "ceil_divide",
    "decimal_text",
    "exp_bounds",
    "log_above",
]

_DIGITS = 60
_CONTEXT = decimal.Context(prec=_DIGITS, rounding=decimal.ROUND_HALF_EVEN)


def decimal_text(number: float) -> str:
    """The shortest plain decimal that stands for a float: ``1.0`` -> ``"1"``, ``1e-6`` -> ``"0.000001"``."""
    return format(Decimal(repr(float(number))).normalize(), "f")


@lru_cache(maxsize=1024)
def exp_bounds(epsilon: float, divided_by: int = 1) -> tuple[Fraction, Fraction]:
    """Rational bounds ``low < e^(epsilon/divided_by) < high``, equal to about 59 digits.

    ``Decimal.exp`` is correctly rounded, so its neighbours enclose the true value.

    >>> low, high = exp_bounds(1.0)
    >>> float(low), float(high - low) < 1e-58
    (2.718281828459045, True)
    """
    exponent = _CONTEXT.divide(Decimal(repr(float(epsilon))), Decimal(divided_by))
    # The quotient itself may be rounded: one more unit in its last place on either side.
    low = exponent.next_minus(_CONTEXT).exp(_CONTEXT).next_minus(_CONTEXT)
    high = exponent.next_plus(_CONTEXT).exp(_CONTEXT).next_plus(_CONTEXT)
    return Fraction(low), Fraction(high)


def ceil_divide(numerator: int, denominator: Fraction) -> int:
    """``ceil(numerator / denominator)`` in exact arithmetic."""
    return -((-numerator * denominator.denominator) // denominator.numerator)


def log_above(ratio: Fraction, power: int = 1) -> float:
    """A float at least ``power ln(ratio)``, within two units in its last place."""
    if ratio <= 1:
        return 0.0
    exact = _CONTEXT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)).ln(_CONTEXT)
    return math.nextafter(float(_CONTEXT.multiply(exact, Decimal(power))), math.inf)
