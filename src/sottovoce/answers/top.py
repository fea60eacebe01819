"""The most frequent values: which can be distinguished from 0, and from each other.

Values are listed by their estimated shares, and of many values the largest estimates are largest by
chance as well.  Two things are therefore said of each, both from the unbiased shares and their noise:

* ``false_discovery``.  Under the hypothesis that nobody holds a value, its share has a p-value.  The
  adjusted one of Benjamini and Hochberg (1995) bounds false discoveries: of all values whose number is
  at most 0.05, at most 5% on average are held by nobody.
* ``ranks``.  A value is surely above another if their difference exceeds what chance gives any of
  all pairs (Bonferroni).  Its rank lies after all values surely above it and before all surely below.

For a pure oracle with n reports and supports c among them the p-value is that of the signed root of the
deviance, ``sqrt(2 n (x log(x/q) + (1-x) log((1-x)/(1-q))))`` with x = c/n, which is normal even far in
the tail of few chance supports; else that of the share over its standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import Answer
from sottovoce.answers.errors import LinearErrors
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["NOISE", "TopAnswer", "false_discoveries", "ranks_of", "top_answers"]

NOISE = 0.05
"""False discoveries above which a value cannot be distinguished from 0."""


@dataclass(frozen=True)
class TopAnswer(Answer):
    """One of the most frequent values.

    Parameters
    ----------
    false_discovery : float, optional
        Of the values with at most this number, the expected part that nobody holds; None where the
        reports have no unbiased shares.
    ranks : tuple of int, optional
        The least and the greatest rank that the value may have, all values together; 1 is the
        most frequent.
    """

    false_discovery: float | None = None
    ranks: tuple[int, int] | None = None

    @property
    def is_noise(self) -> bool:
        """Whether the value cannot be distinguished from one that nobody holds."""
        return self.false_discovery is not None and self.false_discovery > NOISE

    @property
    def standing(self) -> str:
        """Its ranks in words, or that it cannot be distinguished from 0; empty where neither is known."""
        if self.is_noise:
            return "cannot be distinguished from 0"
        if self.ranks is None:
            return ""
        first, last = self.ranks
        return f"rank {first}" if first == last else f"rank {first} to {last}"

    def __str__(self) -> str:
        return ", ".join(filter(None, (super().__str__(), self.standing)))


def top_answers(
    estimate: Estimate, answers: list[Answer], indices: list[int], confidence: float
) -> list[TopAnswer]:
    """The same answers, with what can be told of their values."""
    unbiased = estimate.unbiased
    discovery: list[float | None] = [None] * len(answers)
    ranks: list[tuple[int, int] | None] = [None] * len(answers)
    if unbiased is not None and unbiased.shares is not None:
        discovery = false_discoveries(unbiased)[indices].tolist()
        ranks = ranks_of(unbiased, indices, confidence)
    return [
        TopAnswer(
            one.value,
            one.stderr,
            one.low,
            one.high,
            one.label,
            one.confidence,
            false_discovery=found,
            ranks=rank,
        )
        for one, found, rank in zip(answers, discovery, ranks, strict=True)
    ]


def false_discoveries(unbiased: Estimate) -> Floats:
    """The adjusted p-value of every value, against that nobody holds it."""
    p_values = np.array([0.5 * math.erfc(z / math.sqrt(2)) for z in _roots(unbiased)])
    order = np.argsort(p_values, kind="stable")
    size = len(order)
    steps = p_values[order] * size / np.arange(1, size + 1)
    adjusted = np.empty(size)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def _roots(unbiased: Estimate) -> Floats:
    """About normal where nobody holds a value, and large where somebody does."""
    shares, errors = unbiased.require_shares("top"), unbiased.error_model
    odds = errors.channel.support_probabilities if isinstance(errors, LinearErrors) else None
    if odds is None:
        stderr = errors.stderr("respondents")
        certain = np.where(shares > 0, np.inf, 0.0)
        return np.divide(shares, stderr, out=certain, where=stderr > 0)
    x = np.clip(odds.q + shares * (odds.p - odds.q), 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        both = x * np.log(x / odds.q), (1 - x) * np.log((1 - x) / (1 - odds.q))
    deviance = 2 * unbiased.n * sum(np.nan_to_num(part) for part in both)
    return np.sign(shares) * np.sqrt(np.maximum(deviance, 0.0))


def ranks_of(
    unbiased: Estimate, indices: list[int], confidence: float
) -> list[tuple[int, int] | None]:
    """The least and the greatest rank of each value, all right at once with that confidence."""
    shares, size = unbiased.require_shares("top"), unbiased.domain.size
    if size == 1:
        return [(1, 1) for _ in indices]
    variances = unbiased.stderr**2
    whole = unbiased.error_model.stderr_of(np.ones(size), unbiased.about) ** 2
    common = (whole - float(variances.sum())) / (size * (size - 1))
    reach = NormalDist().inv_cdf(1 - (1 - confidence) / (size * (size - 1)))
    found: list[tuple[int, int] | None] = []
    for index in indices:
        apart = reach * np.sqrt(np.maximum(variances + variances[index] - 2 * common, 0.0))
        above: NDArray[np.bool_] = shares - shares[index] > apart
        below: NDArray[np.bool_] = shares[index] - shares > apart
        found.append((1 + int(above.sum()), size - int(below.sum())))
    return found
