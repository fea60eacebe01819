"""How private Gaussian noise is: the analytic formula, and exact bounds for an integer table.

**Formula** (Balle, Wang 2018).  Normal noise of standard deviation sigma on values at most
D apart is (epsilon, delta)-private exactly for, with ``m = D / sigma``,

    delta >= Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m)

**Table.**  Let w be the real numbers that the recursion of
:mod:`~sottovoce.mechanisms._noise_on_grid` would give without rounding.  Their ratios
``w(k+1)/w(k)`` fall with k.  If also ``tail <= w(size-1) q/(1-q)``, q the last of these
ratios, then the chances of a report from bin x and from bin x' > x have a ratio that falls
from cell to cell, the end cells included.  Hence the best test of x against x' is a
threshold, and with C(j) the weight of all noise up to j, t the distance of the bins,

    total delta = max over j of C(j) - e^eps C(j - t)

No pair is worse than the outermost bins, ``t = bins - 1`` (see the proof page).  The integer
weights h are at most 1 above w and hardly ever below, which adds a margin of a few parts in
2^62 for every height of the table.

**Several coordinates.**  A threshold test is no better than one between two normal laws
with means m apart, ``m = Phi^-1(F(j)) - Phi^-1(F(j - t))``; with the largest m over all j
the whole table is no less private than such a pair, and k independent coordinates than a
pair ``m sqrt(k)`` apart (Dong, Roth, Su 2022): the formula then gives delta.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate

from sottovoce.base.exact import exp_bounds
from sottovoce.mechanisms._noise_on_grid import FIXED_POINT, GUARD, NoiseTable

__all__ = ["delta_of_normal", "delta_of_table", "falls_steadily", "normal_scale", "normal_tail"]

_SLACK = 1e-12
"""Margin for floating point.  Quantiles and tails are right to 1e-13 and better: ``inv_cdf`` and
``erfc`` to a few units in the last place, which an argument z, at most 9, magnifies by z^2."""


def _phi(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def delta_of_normal(epsilon: float, separation: float) -> float:
    """delta of normal noise on values ``separation`` standard deviations apart.

    >>> round(delta_of_normal(1.0, 1 / 3.73063) * 1e5, 4)
    1.0
    """
    return _delta_of_normal(epsilon, separation, 0.0)


def _delta_of_normal(epsilon: float, separation: float, slack: float) -> float:
    """The two parts raised and lowered by ``slack``: where both are nearly equal, so are their errors."""
    near = _phi(separation / 2 - epsilon / separation) * (1 + slack)
    far = _phi(-separation / 2 - epsilon / separation) * (1 - slack)
    return max(0.0, near - math.exp(epsilon) * far)


def normal_scale(epsilon: float, delta: float) -> float:
    """The smallest standard deviation, in units of the distance D, for that formula.

    Rounded up to nine digits, so that it is the same on every machine.

    >>> normal_scale(1.0, 1e-5)
    3.73063164
    """
    low, high = 1e-3, 1e9
    while high / low > 1 + 1e-13:
        middle = math.sqrt(low * high)
        if delta_of_normal(epsilon, 1 / middle) <= delta:
            high = middle
        else:
            low = middle
    digits = 8 - math.floor(math.log10(high))
    return float(Fraction(math.ceil(high * 10.0**digits)) / Fraction(10) ** digits)


def normal_tail(z: Decimal) -> Decimal:
    """``1 - Phi(z)`` for z from 0 to 9, the same on every machine.

    By the series ``Phi(z) - 1/2 = phi(z) (z + z^3/3 + z^5/15 + ...)``, all of one sign.
    """
    with localcontext() as context:
        context.prec = 60
        term, total, n = z, z, 1
        while term > total.scaleb(-58):
            n += 2
            term = term * z * z / n
            total += term
        density = (-z * z / 2).exp() / Decimal(_TWO_PI).sqrt()
        return Decimal("0.5") - density * total


_TWO_PI = "6.28318530717958647692528676655900576839433879875021164194989"


def falls_steadily(table: NoiseTable) -> bool:
    """Whether the tail is short enough for thresholds to be the best tests (see above)."""
    if len(table.guarded) < 2:
        return True
    left = (table.tail << GUARD) * (2**FIXED_POINT - table.last_ratio)
    return left <= table.guarded[-1] * table.last_ratio


def delta_of_table(table: NoiseTable, bins: int, epsilon: float, coordinates: int = 1) -> Fraction:
    """An upper bound of delta, tight but for rounding, for noise that :func:`falls_steadily`."""
    if bins == 1:
        return Fraction(0)
    size = len(table.guarded)
    below = list(  # C(-size), ..., C(size - 1), in units of 2^-64
        accumulate([table.tail << GUARD, *table.guarded[:0:-1], *table.guarded])
    )
    if coordinates == 1:
        return _delta_of_thresholds(below, table.total, bins, epsilon, size)
    separation = (_normal_separation(below, bins) + _SLACK) * math.sqrt(coordinates)
    above = coordinates * 4 * size / table.total
    kept = epsilon - above - coordinates * float(_drift(size))
    return Fraction(_delta_of_normal(kept, separation * (1 + _SLACK), _SLACK) + above)


def _drift(size: int) -> Fraction:
    """How far floors may take a height below w.

    A floor loses up to 2^-128 of a ratio and 2^-64 of a height, and heights are below 2^63:
    after k steps less than k 2^-128 are lost of q, and of a height, summed over all steps,
    ``size^2 / 4 + size`` units of 2^-64.
    """
    return Fraction(size**2 + 4 * size, 4 * 2**GUARD)


def _delta_of_thresholds(
    below: list[int], total: int, bins: int, epsilon: float, size: int
) -> Fraction:
    E = exp_bounds(epsilon)[0]
    scaled = int(E * 2**64)  # rounded down: delta comes out larger
    pairs = zip(below[bins - 1 :], below, strict=False)
    worst = max((near << 64) - scaled * far for near, far in pairs)
    margin = 4 * size + 2 * size * (1 + E) * _drift(size)
    return (max(Fraction(worst, 2 ** (GUARD + 64)), Fraction(0)) + margin) / total


def _normal_separation(below: list[int], bins: int) -> float:
    """The largest distance of normal quantiles over all thresholds.

    ``below[i]`` is C(i - size), up to what floors took off.  C(j) and C(-j-1) are mirror
    images, so that only quantiles under 1/2 are computed, where they are exact.
    """
    from statistics import NormalDist  # brings much that a device with one number never needs

    inverse, size = NormalDist().inv_cdf, len(below) // 2
    total = float(below[-1] + below[0])
    lost = 2 * size * math.ceil(_drift(size) * 2**GUARD)
    least = [inverse(weight / total) for weight in below[:size]]
    most = [inverse((weight + lost) / total) for weight in below[:size]]
    high = [*most, *(-z for z in reversed(least))]
    low = [*least, *(-z for z in reversed(most))]
    return max(near - far for near, far in zip(high[bins - 1 :], low, strict=False))
