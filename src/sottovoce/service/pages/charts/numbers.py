"""Numbers as people read them, and round ticks.

A minus is the sign of mathematics, as wide as a plus, not the hyphen; thousands are parted by
commas; what is too long for that is written as a power of ten.
"""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = [
    "compact",
    "decimals",
    "digits_of",
    "number",
    "percent",
    "points",
    "room",
    "signed",
    "ticks",
]

_LONG = 1e15  # from here a double no longer holds every tenth, and nobody counts the commas
_WIDE = 1e7  # percents from here on are no shares, and wider than an axis has room
_FINE, _TINY = 12, 5  # decimals beyond which a power of ten is shorter; and if no digit comes early
_NARROW = 1e-12  # a span below this part of the values is lost in their rounding
_SLACK = Fraction(1, 10**9)  # of a step: shares that add to 1 + 1e-16 need no tick beyond 1
_ROUNDING = 1e-13  # a share below this is what rounding left of 0
_NOTHING = 1e-290  # below this, ratios of numbers leave the range of doubles
_MINUS, _TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAMED = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def number(value: float, digits: int | None = None) -> str:
    r"""A number with that many decimals; up to four significant digits if not said.

    >>> number(1234567.0), number(0.031264), number(2.5), number(2.5, 2), number(-0.001, 1)
    ('1,234,567', '0.03126', '2.5', '2.50', '0.0')
    >>> number(-3) == "\N{MINUS SIGN}3", number(1e300) == "1\N{MULTIPLICATION SIGN}10³⁰⁰"
    (True, True)
    """
    trimmed = digits is None
    if digits is None:
        digits = max(0, 3 - _exponent(abs(value))) if value else 0
    if value == 0 and digits > _TINY:
        return "0"
    if abs(value) >= _LONG or digits > (_TINY if abs(value) < 1e-3 else _FINE):
        return _power(value)
    text = f"{abs(value):,.{digits}f}"
    if trimmed and "." in text:
        text = text.rstrip("0").rstrip(".")
    negative = value < 0 and any(digit in text for digit in "123456789")
    return f"{_MINUS}{text}" if negative else text


def percent(value: float, digits: int = 1) -> str:
    """A share as percent with that many decimals.

    >>> percent(0.4213), percent(0.004, 2), percent(1, 0), percent(3e-17, 6)
    ('42.1%', '0.40%', '100%', '0%')
    """
    whole = _in_percent(value)
    return f"{_power(whole) if abs(whole) >= _WIDE else number(whole, digits)}%"


def points(value: float, digits: int = 1) -> str:
    """A difference of shares, signed, in percentage points.

    >>> points(0.012), points(0.5, 0), points(0.0), points(-2e-16, 6)
    ('+1.2', '+50', '0.0', '0')
    """
    return signed(_in_percent(value), digits)


def _in_percent(value: float) -> float:
    return 0.0 if abs(value) < _ROUNDING else 100 * value


def signed(value: float, digits: int | None = None) -> str:
    """A number with its sign, unless it is shown as zero.

    >>> signed(3.0), signed(0.01, 1)
    ('+3', '0.0')
    """
    text = number(value, digits)
    positive = value > 0 and any(digit in text for digit in "123456789")
    return f"+{text}" if positive else text


def compact(value: float) -> str:
    """A count for a narrow place: millions and more are named.

    >>> compact(25_000), compact(1_250_000), compact(3e9)
    ('25,000', '1.25M', '3B')
    """
    for size, letter in _NAMED:
        if size <= abs(value) < _LONG:
            return f"{value / size:.3g}".replace("-", _MINUS) + letter
    return number(value)


def digits_of(width: float) -> int:
    """Decimals that show two significant digits of an uncertainty of that width.

    >>> digits_of(1.23), digits_of(0.04), digits_of(25.0), digits_of(0.0)
    (1, 3, 0, 1)
    """
    if not width > _NOTHING:
        return 1
    return min(max(0, 1 - _exponent(width)), 6)


def decimals(step: float) -> int:
    """Decimals that tell ticks of that step apart.

    >>> decimals(0.05), decimals(20), decimals(1e-7)
    (2, 0, 7)
    """
    return max(0, -_exponent(step))


def ticks(low: float, high: float, about: int = 5) -> tuple[float, ...]:
    """Round numbers (1, 2 or 5 times a power of ten apart) that cover the span from low to high.

    They part it in at most ``about`` steps and the two that may reach beyond its ends.  Reckoned
    in fractions, so that 0.1 + 0.2 is 0.3 and a span of 1e300 or 1e-12 is as good as any.

    >>> ticks(0, 0.42), ticks(-3, 11, 4), ticks(7, 7)
    ((0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (-5.0, 0.0, 5.0, 10.0, 15.0), (6.0, 6.5, 7.0, 7.5, 8.0))
    """
    wide_low, wide_high = (Fraction(end) for end in room(low, high))
    least = (wide_high - wide_low) / about
    unit = Fraction(10) ** _exponent(float(least))
    step = next(times * unit for times in (1, 2, 5, 10, 20) if times * unit >= least * (1 - _SLACK))
    first, last = math.floor(wide_low / step + _SLACK), math.ceil(wide_high / step - _SLACK)
    return tuple(float(position * step) for position in range(first, last + 1))


def room(low: float, high: float) -> tuple[float, float]:
    """The span itself, or a wider one around it where it is too narrow to be drawn.

    >>> room(2, 3), room(5, 5), room(0, 0)
    ((2, 3), (4.5, 5.5), (0.0, 1.0))
    """
    size = max(abs(low), abs(high))
    if size < _NOTHING:
        return 0.0, 1.0
    if high - low >= _NARROW * size:
        return low, high
    return low - size / 10, high + size / 10


def _exponent(value: float) -> int:
    """The power of ten of the first digit; a value just below a power counts as that power."""
    return math.floor(math.log10(value) + 1e-9)


def _power(value: float) -> str:
    mantissa, exponent = f"{abs(value):.2e}".split("e")
    sign = _MINUS if value < 0 else ""
    plain = mantissa.rstrip("0").rstrip(".")
    return f"{sign}{plain}{_TIMES}10{str(int(exponent)).translate(_RAISED)}"
