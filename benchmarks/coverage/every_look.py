"""Surveys that grow for 30 days and are looked at every day: is the truth inside at every look?

A value's supports among people drawn from a population are binomial, for every pure oracle, and so
are the two answers of stochastic rounding.  All surveys are drawn at once; intervals are the unbiased
share, its plug-in error with the least it can be, and the library's multiplier.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.coverage.populations import VALUES
from sottovoce.answers.answer import two_sided
from sottovoce.answers.anytime import multiplier

__all__ = ["all_looks", "differences_at_all_looks"]

DAYS = 30
Floats = NDArray[np.float64]


def _growing(
    name: str, epsilon: float, share: float, arrivals: NDArray[np.int64], *, surveys: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Shares and errors, survey by day, and the reports up to each day."""
    key = zlib.crc32(f"{name} {epsilon} {share} {seed}".encode())
    random = np.random.default_rng(key)
    odds = sv.mechanism(name, VALUES, epsilon).channel().support_probabilities
    assert odds is not None
    n = np.cumsum(arrivals).astype(np.float64)
    chance = odds.q + share * (odds.p - odds.q)
    supports = random.binomial(arrivals, chance, (surveys, len(arrivals))).cumsum(axis=1) / n
    scale = odds.p - odds.q
    least = odds.variance(np.array([0.0, 1.0])).min()
    variance = np.maximum(supports * (1 - supports) / scale**2, least) / n
    return (supports - odds.q) / scale, np.sqrt(variance), n


def all_looks(
    name: str, epsilon: float, share: float, *, surveys: int, people: int = 1_000
) -> Iterator[tuple[str, float]]:
    """The share of surveys with the truth inside at all looks: anytime, and with usual intervals."""
    arrivals = np.full(DAYS, people)
    shares, stderr, n = _growing(name, epsilon, share, arrivals, surveys=surveys, seed=1)
    away = np.abs(shares - share) / stderr
    narrowest = n[-1] / 2
    yield "anytime", float(np.mean(np.all(away <= multiplier(n / narrowest, 0.05), axis=1)))
    yield "one look", float(np.mean(np.all(away <= two_sided(0.95), axis=1)))


def differences_at_all_looks(
    name: str, epsilon: float, share: float, *, surveys: int, people: int = 1_000
) -> Iterator[tuple[str, float]]:
    """The same for the difference of two groups; one grows from 90% of arrivals to 10%."""
    part = np.linspace(0.9, 0.1, DAYS)
    for schedule, first in (("equal", np.full(DAYS, 0.5)), ("drifting", part)):
        arrivals = np.round(first * people).astype(np.int64)
        a, one, n = _growing(name, epsilon, share, arrivals, surveys=surveys, seed=2)
        b, two, m = _growing(name, epsilon, share, people - arrivals, surveys=surveys, seed=3)
        stderr = np.hypot(one, two)
        narrowest = (n[-1] + m[-1]) / 4
        tau = (one**2 * n + two**2 * m) / narrowest / stderr**2
        ratio = np.abs(b - a) / stderr
        yield (
            f"difference, {schedule}",
            float(np.mean(np.all(ratio <= multiplier(tau, 0.05), axis=1))),
        )
