"""Numbers of documents: whole ones, decimal text, and how they compare with e^epsilon."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import isinf

from independent.documents import demand

WEIGHT = re.compile("0|[1-9][0-9]{0,39}")
DECIMAL = re.compile("-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?")
GUARD = 320
"""Binary digits behind the point of e^epsilon."""


def whole(value: object, low: int, high: int | None = None) -> int:
    """A whole number of a document, within bounds."""
    demand(type(value) is int, "not a whole number")
    assert isinstance(value, int)
    demand(low <= value and (high is None or value <= high), "out of bounds")
    return value


def weights_of(document: object) -> object:
    """Every decimal text of some weights as an integer."""
    if isinstance(document, dict):
        return {key: weights_of(value) for key, value in document.items()}
    if isinstance(document, list):
        return [weights_of(value) for value in document]
    demand(isinstance(document, str) and WEIGHT.fullmatch(document), "not a weight")
    assert isinstance(document, str)
    return int(document)


def double(value: object) -> float:
    """The double that a decimal text stands for, if it is the shortest one."""
    demand(isinstance(value, str) and DECIMAL.fullmatch(value), "not a decimal")
    assert isinstance(value, str)
    number = float(value)
    demand(not isinf(number) and plain(number) == value, "not the shortest decimal")
    return number


def plain(number: float) -> str:
    """The shortest decimal that reads back as a double, without exponent or trailing zeros."""
    text = format(Decimal(repr(number)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def exp_below(epsilon: Fraction) -> Fraction:
    """A little less than e^epsilon: series and squares in fixed point, all rounded down."""
    halvings = 8
    x = epsilon.numerator * 2 ** (GUARD - halvings) // epsilon.denominator
    total = term = 2**GUARD
    for k in range(1, 60):
        term = term * x // (k * 2**GUARD)
        total += term
    for _ in range(halvings):
        total = total * total >> GUARD
    return Fraction(total, 2**GUARD)


def refuse_above(numerator: int, denominator: int, epsilon: Fraction) -> None:
    """Refuse a worst ratio that exceeds e^epsilon."""
    demand(Fraction(numerator, denominator) <= exp_below(epsilon), "the ratio exceeds e^epsilon")
