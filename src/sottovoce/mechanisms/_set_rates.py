"""How often devices draw each set of questions."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["design_rates", "pooled_variances"]

_PARTS = 64
"""The part of people who get one question is a multiple of 1/64."""


def pooled_variances(
    alpha: float, questions: int, size: float, variance: float
) -> tuple[float, float]:
    """n times the variance of a question's share and of a pair's cell, made to agree.

    A part ``alpha`` of people gets one of k questions of d answers, the others one of
    ``K = k(k-1)/2`` pairs; an oracle's n Var is ``V`` at a share of 0.  With ``s = K V / (1 - alpha)``
    and ``m = 1 / [alpha / (k V) + (k-1) / (d s)]`` these are

        (1 - 1/d) m   and   s (1 - 1/d)^2 + 2 (1 - 1/d) m / d^2

    for uncorrelated cells.

    >>> [round(x, 2) for x in pooled_variances(0.25, 3, 5, 3.68)]
    [16.06, 10.71]
    """
    k, d, rest = questions, size, 1 - 1 / size
    cell = k * (k - 1) / 2 * variance / (1 - alpha)
    mean = 1 / (alpha / (k * variance) + (k - 1) / (d * cell))
    return rest * mean, cell * rest**2 + 2 * rest * mean / d**2


def design_rates(sets: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[int, ...]:
    """Equal rates for sets of one order; else alpha for single questions, drawn equally.

    Alpha is the multiple of 1/64 with the least product of the variances of a question and of a
    pair (:func:`pooled_variances`, d the geometric mean of the questions' sizes): neither is preferred.
    The variance of the oracle cancels out.
    """
    singles = [size for asked, size in zip(sets, sizes, strict=True) if len(asked) == 1]
    k, pairs = len(singles), len(sets) - len(singles)
    if k == 0 or pairs == 0:
        return (1,) * len(sets)
    size = math.exp(sum(math.log(each) for each in singles) / k)

    def product(part: int) -> float:
        return math.prod(pooled_variances(part / _PARTS, k, size, 1.0))

    best = min(range(1, _PARTS), key=product)
    one, two = best * pairs, (_PARTS - best) * k
    common = math.gcd(one, two)
    return tuple((one if len(asked) == 1 else two) // common for asked in sets)
