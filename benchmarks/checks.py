"""Whether what was timed is right.  A check that could not fail is refused too.

Noise hides mistakes: among 1024 values, uniform garbage has nearly the error of
honest randomized response.  So besides the mean squared error every check looks
where the signal is (the estimate along the true distribution, the reports'
support of their senders' values) and raises :class:`TooWeak` when its own
tolerance would let garbage pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.peers import Peer
from benchmarks.population import Population
from benchmarks.theory import Support

__all__ = [
    "TooWeak",
    "Wrong",
    "check_aggregate",
    "check_estimates",
    "check_mean_squared_error",
    "check_reports",
    "check_same",
    "check_unbiased",
    "mean_squared_error",
]

_DEVIATIONS = 5.0
"""Standard deviations tolerated: a right program fails once in a million checks."""
_SPREAD = 6.0
"""The same for the mean of d squared errors, whose spread is little above sqrt(2/d)."""


class Wrong(AssertionError):
    """What was measured computes something else than it should."""


class TooWeak(AssertionError):
    """The check could not have failed on this little data."""


def mean_squared_error(shares: NDArray[Any], truth: NDArray[Any]) -> float:
    """Over all values."""
    return float(np.mean((shares - truth) ** 2))


def check_mean_squared_error(found: float, expected: float, size: int, who: str) -> float:
    """The error must be the expected one, neither more nor less; their quotient."""
    quotient, tolerance = found / expected, _SPREAD * math.sqrt(2 / size)
    if abs(quotient - 1) > tolerance:
        raise Wrong(
            f"{who}: mean squared error {found:.3g} is {quotient:.3f} times the expected "
            f"{expected:.3g}, more than {tolerance:.2f} away from 1"
        )
    return quotient


def check_unbiased(estimates: Sequence[sv.Estimate], truth: NDArray[Any], who: str) -> float:
    """Along the true distribution the estimates must be right on average.

    ``truth . shares`` has a known value and a known standard error; the sum of
    the standardised deviations of r estimates has standard deviation sqrt(r).
    Garbage would answer near 0.
    """
    answers = [estimate.linear(truth) for estimate in estimates]
    expected = float(truth @ truth)
    root = math.sqrt(len(answers))
    if max(answer.stderr for answer in answers) * _DEVIATIONS / root > expected / 2:
        raise TooWeak(f"{who}: {len(answers)} estimates are too noisy to be told from garbage")
    deviation = sum((answer.value - expected) / answer.stderr for answer in answers) / root
    if abs(deviation) > _DEVIATIONS:
        raise Wrong(f"{who}: the estimate is {deviation:.1f} standard errors off the truth")
    return deviation


def check_estimates(
    estimates: Sequence[sv.Estimate], population: Population, support: Support, who: str
) -> dict[str, Any]:
    """Our estimates, of independent reports: no bias, and the textbook's error in each."""
    for estimate in estimates:
        if estimate.n != population.n:
            raise Wrong(f"{who}: {estimate.n} of {population.n} reports were counted")
    deviation = check_unbiased(estimates, population.truth, who)
    expected = support.mean_variance(population.truth, population.n)
    errors = [mean_squared_error(estimate.shares, population.truth) for estimate in estimates]
    return {
        "expected_mean_squared_error": expected,
        "error_over_theory": [
            check_mean_squared_error(error, expected, population.size, who) for error in errors
        ],
        "standard_errors_off": deviation,
    }


def check_same(estimates: Sequence[sv.Estimate], who: str) -> None:
    """The same reports, counted again, must say the same."""
    if not all(np.array_equal(e.shares, estimates[0].shares) for e in estimates):
        raise Wrong(f"{who}: the same reports gave different shares")


def check_reports(peer: Peer, reports: Sequence[Any], population: Population) -> None:
    """A peer's reports must support their senders' values at rate p, and others' at rate q."""
    n, rates = len(reports), (peer.support.p, peer.support.q)
    if n != population.n:
        raise Wrong(f"{peer}: {n} reports of {population.n} people")
    tolerances = [_DEVIATIONS * math.sqrt(rate * (1 - rate) / n) for rate in rates]
    if sum(tolerances) > rates[0] - rates[1]:
        raise TooWeak(f"{peer}: {n} reports are too few to tell p from q")
    own, size = population.values, population.size
    for values, rate, tolerance in zip((own, (own + 1) % size), rates, tolerances, strict=True):
        found = sum(map(peer.supports, reports, values.tolist())) / n
        if abs(found - rate) > tolerance:
            raise Wrong(f"{peer}: support at rate {found:.5f}, expected {rate:.5f}")


def check_aggregate(peer: Peer, reports: Sequence[Any], shares: NDArray[Any]) -> None:
    """A peer's shares must follow from its reports, seen at a few values counted anew.

    A library that clips at 0 and rescales is held to that: its shares must be
    proportional to the clipped ones.
    """
    values = np.argsort(shares)[:: -(len(shares) // 16)]  # from the largest share downwards
    supported = np.array([sum(peer.supports(report, v) for report in reports) for v in values])
    expected, found = peer.support.unbiased(supported, len(reports)), shares[values]
    if not peer.unbiased:
        expected = np.maximum(expected, 0) / expected.max()
        found = found / found.max()
    if not np.allclose(expected, found, rtol=1e-6, atol=1e-9):
        raise Wrong(f"{peer}: shares {found} where its reports say {expected}")
