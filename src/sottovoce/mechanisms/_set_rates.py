"""The errors to expect of designs of a record, and how often devices draw each set of questions.

For equally frequent answers, about the population.  Estimated cells of a set S are uncorrelated but for
their sum: the covariance is ``c (I - 1/N)`` with

    n_S Var = q' (1 - q') / (p - q)^2 = c (1 - 1/N),    q' = p/d + q (1 - 1/d)

of its oracle, N the points that hashes place values on, or d.  With rates r_S, d_S the cells of S and
``s_S = c_S / r_S``, sets are pooled as in :mod:`sottovoce.answers.pooled_sets`:

    m_a      = 1 / [sum over S with a of d_a / (d_S s_S)]
    n Var of a share of a          (1 - 1/d_a) m_a
    n Var of a cell of (a, b)      s_ab (1 - 1/d_a)(1 - 1/d_b) + (1 - 1/d_a) m_a / d_b^2 + (1 - 1/d_b) m_b / d_a^2

A parity of order 2 adds to ``s_ab`` only.  Of answers apart, n Var of a share is ``v_a`` and that of a cell
``(1/d_a^2 + v_a)(1/d_b^2 + v_b) - 1/(d_a d_b)^2``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.mechanisms._parity_channel import order_above
from sottovoce.mechanisms.local_hashing import collision, digits

__all__ = ["SetErrors", "design_errors", "design_rates", "expected_variances"]

_PARTS = 64
"""The part of people who get one question is a multiple of 1/64."""
_FINE = 2**16
"""Rates of least error are multiples of 1/65536 of all, nearly."""
_LARGEST = 64 * 435
"""Denominators of other rates: 64 times as many pairs as there are at most."""


def response_noise(size: int, hash_range: int, epsilon: float) -> float:
    """``c`` of randomized response (0) or local hashing of that range on d values."""
    e = math.exp(epsilon)
    g, points = hash_range or size, size
    p = q = e / (e + g - 1)
    q = (1 - p) / (g - 1)
    if hash_range:
        points = g ** digits(size, g)
        q = collision(p, g, digits(size, g))
    seen = p / size + q * (1 - 1 / size)
    return seen * (1 - seen) / (p - q) ** 2 / (1 - 1 / points)


def pair_noise(orders: Sequence[int], epsilon: float) -> float:
    """``c`` of one parity of two answers: ``K / (D_a D_b tanh(epsilon / 2)^2)``."""
    first, second = orders
    return (first - 1) * (second - 1) / (first * second * math.tanh(epsilon / 2) ** 2)


@dataclass(frozen=True)
class SetErrors:
    """Sets of questions with their noise c: variances of what is pooled from them."""

    sizes: Sequence[int]
    sets: Sequence[tuple[int, ...]]
    noises: Sequence[float]
    beyond_margins: bool = False

    def parts(self, rates: Sequence[float]) -> Floats:
        """n times the variance of a share of each question, about the population."""
        sizes = np.array(self.sizes)
        return (1 - 1 / sizes) / self._precisions(rates)

    def _precisions(self, rates: Sequence[float]) -> Floats:
        """``1 / m_a`` of every question; 0 where no set has it."""
        found = np.zeros(len(self.sizes))
        for asked, noise, rate in zip(self.sets, self.noises, rates, strict=True):
            if not self.beyond_margins or len(asked) == 1:
                cells = math.prod(self.sizes[question] for question in asked)
                for question in asked:
                    found[question] += rate * self.sizes[question] / (cells * noise)
        return found

    def tables(self, rates: Sequence[float]) -> Floats:
        """n times the variance of a cell of each pair of questions; infinite where no set has it."""
        parts = self.parts(rates)
        bases = {
            asked: noise / rate
            for asked, noise, rate in zip(self.sets, self.noises, rates, strict=True)
        }
        every = tuple(range(len(self.sizes)))
        found = []
        for a, b in combinations(every, 2):
            first, second = self.sizes[a], self.sizes[b]
            asked = (a, b) if (a, b) in bases else every
            if asked not in bases:
                found.append(math.inf)
                continue
            others = math.prod(self.sizes) / (first * second) if len(asked) > 2 else 1.0
            own = others * bases[asked] * (1 - 1 / first) * (1 - 1 / second)
            found.append(own + parts[a] / second**2 + parts[b] / first**2)
        return np.array(found)


@dataclass(frozen=True)
class ApartErrors(SetErrors):
    """The same of answers apart, one noise per question."""

    def parts(self, rates: Sequence[float]) -> Floats:
        return (1 - 1 / np.array(self.sizes)) * np.array(self.noises)

    def tables(self, rates: Sequence[float]) -> Floats:
        sizes = np.array(self.sizes, dtype=np.float64)
        squares = 1 / sizes**2 + self.parts(rates)
        pairs = combinations(range(len(sizes)), 2)
        return np.array([squares[a] * squares[b] - (sizes[a] * sizes[b]) ** -2 for a, b in pairs])


def design_errors(
    design: str, sizes: Sequence[int], sets: Sequence[tuple[int, ...]], ranges: Sequence[int], epsilon: float,
) -> SetErrors:  # fmt: skip
    """The errors of a design, from the range of every response and its epsilon."""
    apart = design == "split"
    responses = [(question,) for question in range(len(sizes))] if apart else sets
    noises = []
    for asked, g in zip(responses, ranges, strict=True):
        if design == "parities" and len(asked) == 2:
            noises.append(pair_noise([order_above(sizes[q]) for q in asked], epsilon))
        else:
            noises.append(response_noise(math.prod(sizes[q] for q in asked), g, epsilon))
    if apart:
        return ApartErrors(sizes, sets, noises)
    return SetErrors(sizes, sets, noises, beyond_margins=design == "parities")


def expected_variances(errors: SetErrors, rates: Sequence[int]) -> tuple[Floats, Floats]:
    """n times the variances of shares and of cells, given the respondents: less the spread of people."""
    chances, sizes = [rate / sum(rates) for rate in rates], np.array(errors.sizes, dtype=np.float64)
    cells = np.array([first * second for first, second in combinations(sizes, 2)])
    return (
        errors.parts(chances) - (1 - 1 / sizes) / sizes,
        errors.tables(chances) - (1 - 1 / cells) / cells,
    )


def design_rates(errors: SetErrors, *, least: bool = False) -> tuple[int, ...]:
    """Equal rates for sets of one order, alpha of all for single questions.

    Alpha is the multiple of 1/64 with the least product of the mean variance of a share and that of a
    cell: neither is preferred.  With ``least`` single questions have rates as ``sqrt(c (1 - 1/d))``, in
    65536ths: they minimize the sum of variances where questions differ in size.  (Pairs, whose shares are
    pooled, gain less than 1% by any such rule.)
    """
    weights = np.ones(len(errors.sets))
    single = np.array([len(asked) == 1 for asked in errors.sets])
    if least and single.any():
        sizes = np.array([errors.sizes[asked[0]] for asked in errors.sets])
        weights = np.where(single, np.sqrt(np.array(errors.noises) * (1 - 1 / sizes)), weights)
    for order in (single, ~single):
        weights[order] /= weights[order].sum()
    if single.all() or not single.any():
        return _whole(weights, least=least)

    def mixed(part: int) -> Floats:
        return np.where(single, part / _PARTS, 1 - part / _PARTS) * weights

    def product(part: int) -> float:
        rates = mixed(part).tolist()
        return float(errors.parts(rates).mean() * errors.tables(rates).mean())

    return _whole(mixed(min(range(1, _PARTS), key=product)), least=least)


def _whole(rates: Floats, *, least: bool) -> tuple[int, ...]:
    """As whole numbers, at least 1; equal ones exactly."""
    parts = [Fraction(rate).limit_denominator(_LARGEST) for rate in rates.tolist()]
    whole = math.lcm(*(part.denominator for part in parts))
    if least:
        return tuple(max(1, round(_FINE * rate)) for rate in rates.tolist())
    numbers = [int(part * whole) for part in parts]
    common = math.gcd(*numbers)
    return tuple(number // common for number in numbers)
