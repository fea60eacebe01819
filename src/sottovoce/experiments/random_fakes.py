"""RS+FD and RS+RFD, for comparison: one real answer among fakes, and what their epsilon is for a record.

A device draws one of k questions, randomizes its answer with an *amplified* ratio ``E'``, and sends made-up
answers to all others; nobody learns which is real.  The papers claim that the report keeps
``E = 1 + (E' - 1)/k``, and amplify to ``E' = k (E - 1) + 1``.

A report y has the chance ``sum over j of 1/k P(y_j | x_j) prod over i != j of F_i(y_i)``, F the law of fakes.
So its odds between two records that differ in *every* answer are those of its most telling answer for all
terms at once: the ratio is E', and epsilon of the record is ``ln(k (E - 1) + 1)``.  Between records that differ in
one answer the other terms stay equal; the claim then holds where all questions have as many answers and

* randomized response has uniform fakes, or unary encoding has fakes of no value (zeros),

and fails for unequal sizes, for fakes of random values (unary), and for fakes from a prior (RS+RFD).

The library does not offer them.  With the same epsilon for the record, one question that is named has a smaller
variance; and who is content with one answer at a time can answer every question with the whole epsilon.

References: Arcolezi, Couchot, Al Bouna, Xiao, Random Sampling Plus Fake Data, CIKM 2021; Arcolezi, Gambs, Couchot,
Palamidessi, On the Risks of Collecting Multidimensional Data Under Local Differential Privacy, VLDB 2023.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput

__all__ = ["RandomFakes", "amplified", "variance_among_fakes"]

_OWNER = "RandomFakes"
_VARIANTS = ("response", "unary-zeros", "unary-random")
_MOST = 2**21
"""Chances of reports, over all records, up to which they are enumerated."""

Answer = int | tuple[int, ...]
Law = dict[Answer, Fraction]


def amplified(ratio: Fraction, questions: int) -> Fraction:
    """``E' = k (E - 1) + 1``, what the papers let one answer have.

    >>> amplified(Fraction(3), 2)
    Fraction(5, 1)
    """
    return questions * (ratio - 1) + 1


@dataclass(frozen=True)
class RandomFakes:
    """One real answer at ``E' = k (E - 1) + 1`` and k - 1 fakes, in exact fractions.

    ``sizes`` are the numbers of answers and ``ratio`` is the claimed E.  ``variant`` is ``"response"``
    (randomized response, fakes uniform or from ``prior``, the shares of the first question's answers and
    of all others of that size), ``"unary-zeros"`` or ``"unary-random"`` (optimized unary encoding).

    >>> fakes = RandomFakes((3, 3), Fraction(3))
    >>> str(fakes.worst_ratio(answers=1)), str(fakes.worst_ratio())
    ('3', '5')
    """

    sizes: tuple[int, ...]
    ratio: Fraction
    variant: str = "response"
    prior: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        check_choice(self.variant, "variant", _OWNER, _VARIANTS)
        if len(self.sizes) < 2:
            raise InvalidInput("sizes", _OWNER, "at least two questions", self.sizes)
        for size in self.sizes:
            check_int(size, "sizes", _OWNER, 2)
        if not self.ratio > 1:
            raise InvalidInput("ratio", _OWNER, "above 1", self.ratio)
        if self.prior is not None:
            uniform = self.variant == "response" and {*self.sizes} == {len(self.prior)}
            if not uniform or min(self.prior) <= 0 or sum(self.prior) != 1:
                allowed = "positive shares with sum 1 of every question's answers, for response"
                raise InvalidInput("prior", _OWNER, allowed, self.prior)

    @property
    def amplified(self) -> Fraction:
        """E', the ratio of the real answer."""
        return amplified(self.ratio, len(self.sizes))

    # -- laws ------------------------------------------------------------------------

    def _real(self, value: int, size: int) -> Law:
        """The law of the randomized answer."""
        e = self.amplified
        if self.variant == "response":
            return {y: (e if y == value else Fraction(1)) / (e + size - 1) for y in range(size)}
        return self._bits([Fraction(1, 2) if v == value else 1 / (e + 1) for v in range(size)])

    def _fake(self, size: int) -> Law:
        """The law of a made-up answer."""
        if self.variant == "response":
            prior = self.prior or (Fraction(1, size),) * size
            return dict(enumerate(prior))
        if self.variant == "unary-zeros":
            return self._bits([1 / (self.amplified + 1)] * size)
        laws = [self._real(value, size) for value in range(size)]
        return {y: sum((law[y] for law in laws), Fraction(0)) / size for y in laws[0]}

    @staticmethod
    def _bits(chances: list[Fraction]) -> Law:
        """Independent bits."""
        return {
            bits: math.prod((p if b else 1 - p for b, p in zip(bits, chances, strict=True)), start=Fraction(1))
            for bits in product((0, 1), repeat=len(chances))
        }  # fmt: skip

    @cached_property
    def _odds(self) -> list[list[list[Fraction]]]:
        """``P(y_j | v) / F_j(y_j)`` by question, answer and report; reports with equal odds once."""
        found = []
        for size in self.sizes:
            fake = self._fake(size)
            laws = [self._real(value, size) for value in range(size)]
            columns = {tuple(law[y] / fake[y] for law in laws) for y in fake}
            found.append([[column[value] for column in sorted(columns)] for value in range(size)])
        reports = math.prod(len(rows[0]) for rows in found)
        if reports * math.prod(self.sizes) > _MOST:
            raise InvalidInput(
                "sizes", _OWNER, f"of at most {_MOST} reports and records", self.sizes
            )
        return found

    def worst_ratio(self, answers: int | None = None) -> Fraction:
        """The worst ratio of a report's chances between two records that differ in this number of answers.

        All of them unless given.  By enumeration: the chance is ``prod F times sum of the odds / k``.
        """
        k = len(self.sizes)
        differ = k if answers is None else check_int(answers, "answers", _OWNER, 1, k)
        worst = Fraction(1)
        for report in product(*(range(len(rows[0])) for rows in self._odds)):
            odds = [[row[y] for row in rows] for rows, y in zip(self._odds, report, strict=True)]
            for base in self._kept(odds, differ):
                least, most = base
                worst = max(worst, most / least)
        return worst

    def _kept(self, odds: list[list[Fraction]], differ: int) -> Iterator[tuple[Fraction, Fraction]]:
        """Sums of odds, least and most, where any ``differ`` answers are changed and others kept."""
        k = len(odds)
        for changed in range(2**k):
            if changed.bit_count() != differ:
                continue
            free = [odds[j] for j in range(k) if changed >> j & 1]
            rest = [odds[j] for j in range(k) if not changed >> j & 1]
            low, high = sum(map(min, free), Fraction(0)), sum(map(max, free), Fraction(0))
            kept = sum(map(min, rest), Fraction(0))
            yield low + kept, high + kept

    # -- simulation --------------------------------------------------------------------

    def sample(
        self, record: tuple[int, ...], count: int, random: np.random.Generator
    ) -> NDArray[np.int64]:
        """Reports of one record by randomized response: for simulation, and for audits."""
        if self.variant != "response":
            raise InvalidInput("variant", "sample of RandomFakes", "response", self.variant)
        columns = [random.choice(d, count, p=self._chances(self._fake(d))) for d in self.sizes]
        reports, real = np.stack(columns, axis=1), random.integers(len(self.sizes), size=count)
        for question, (value, size) in enumerate(zip(record, self.sizes, strict=True)):
            people = np.flatnonzero(real == question)
            law = self._chances(self._real(value, size))
            reports[people, question] = random.choice(size, len(people), p=law)
        return reports

    @staticmethod
    def _chances(law: Law) -> list[float]:
        return [float(chance) for chance in law.values()]


def variance_among_fakes(questions: int, size: int, ratio: float, *, unary: bool = False) -> float:
    """n times the variance of a share of 0 about the population, the real answer at ``ratio``.

    The estimate is ``(k c/n - q - (k - 1) u)/(p - q)``, u the chance of a fake: uniform over the answers, or q
    of a zero; so that ``n Var = k^2 s (1 - s)/(p - q)^2`` with ``s = (q + (k - 1) u)/k``.

    >>> round(variance_among_fakes(5, 5, math.e), 1)
    58.8
    """
    p, q = (0.5, 1 / (ratio + 1)) if unary else (x / (ratio + size - 1) for x in (ratio, 1.0))
    fake = q if unary else 1 / size
    seen = (q + (questions - 1) * fake) / questions
    return questions**2 * seen * (1 - seen) / (p - q) ** 2
