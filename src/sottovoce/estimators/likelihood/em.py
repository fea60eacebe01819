"""Expectation-maximisation, plain (EM) and with a smoothing step (EMS).

A pass of EM is ``w <- w * ratio``.  The likelihood never falls, and in the limit it
is greatest.  It is *not* run to the limit: the first passes find what many
reports agree on, the later ones fit noise, so that stopping early regularises.
EMS averages neighbours after every pass, and so may be run on.

The rules are those of Li, Wang, Lopuhaa-Zwakenberg, Skoric, Li 2020, section 5.5:
from uniform shares until a pass adds less than ``tau`` to the total
log-likelihood, ``tau = 0.001 e^epsilon`` for EM and ``0.001`` for EMS, in at most
10,000 passes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import Meter, Progress
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.likelihood.base import (
    NEGLIGIBLE,
    as_distribution,
    first_shares,
    gap_of,
    unidentified,
)
from sottovoce.estimators.likelihood.key_errors import key_errors
from sottovoce.estimators.likelihood.key_start import start_of_keys
from sottovoce.estimators.observed import Fit, Observations
from sottovoce.kernels.pairs import long_ratio

__all__ = ["em", "ems", "smooth", "unordered"]

MOST_PASSES = 10_000
NONE, LINE, RING = 0, 1, 2
"""Kinds of smoothing."""
_TOLERANCE = 1e-3
_AT_ONCE = 500
"""Passes of a compiled run between two looks at the clock."""


def em(
    observed: Observations,
    *,
    tolerance: float | None = None,
    max_iterations: int = MOST_PASSES,
    start: Any = None,
    long_passes: bool = False,
    progress: Progress | None = None,
) -> Fit:
    """The likeliest distribution, nearly: stopped where passes no longer gain much.

    ``tolerance`` is the gain in log-likelihood below which to stop, ``0.001 e^epsilon``
    unless given; ``max_iterations`` the most passes; ``start`` the shares to begin with instead of
    uniform ones (over keys, where no report says "no pair", instead of those that frequencies by
    formula give); ``long_passes`` whether a pass over keys that are blocks of their own is as long as
    there are keys: the same way in so many fewer passes; ``progress(text, part)`` is called now and then.

    ``history`` holds the log-likelihood at the start and after every pass, and
    ``optimality`` bounds how much more likelihood the best distribution has.
    """
    if tolerance is None:
        tolerance = _TOLERANCE * math.exp(observed.epsilon)
    if not isinstance(long_passes, bool):
        raise InvalidInput("long_passes", "em", "True or False", long_passes)
    stride = observed.channel.stride if long_passes and observed.rows is None else 1
    if start is None and observed.rows is None:
        start = start_of_keys(observed.channel, observed.cells / observed.n)
    fit = _climb(
        observed, "em", smoothing=NONE, tolerance=tolerance, max_iterations=max_iterations,
        start=start, progress=progress, stride=stride,
    )  # fmt: skip
    if observed.rows is not None or observed.channel.key_blocks is None:
        return fit
    return replace(fit, error_model=key_errors(observed, fit.shares, stride * fit.iterations))


def ems(
    observed: Observations,
    *,
    tolerance: float | None = None,
    max_iterations: int = MOST_PASSES,
    start: Any = None,
    progress: Progress | None = None,
) -> Fit:
    """EM with neighbouring shares averaged after every pass; for ordered domains.

    The options are those of :func:`em`.  ``tolerance`` is the change in log-likelihood below which
    to stop, 0.001 unless given.

    It maximises no likelihood, so that ``optimality`` is infinite: there is nothing to be near to.
    """
    if not observed.domain.ordered:
        raise InvalidInput("domain", "ems", "ordered", observed.domain)
    tolerance = _TOLERANCE if tolerance is None else tolerance
    return _climb(
        observed, "ems", smoothing=RING if observed.channel.ring else LINE, tolerance=tolerance,
        max_iterations=max_iterations, start=start, progress=progress,
    )  # fmt: skip


def unordered(mechanism: Mechanism) -> str:
    """Why EMS does not apply: also where neighbouring inputs are not neighbouring values."""
    if not mechanism.domain.ordered:
        return "its values have no order, so neighbors are not similar"
    return unidentified(mechanism)


def smooth(shares: Floats, ring: bool = False) -> Floats:
    """Every share averaged with its neighbours by (1, 2, 1)/4, at the ends by (2, 1)/3; sum 1.

    On a ring the last and the first are neighbours, and there are no ends.
    """
    if len(shares) == 1:
        return shares
    if ring:
        return shares / 2 + (np.roll(shares, 1) + np.roll(shares, -1)) / 4
    smoothed = np.empty_like(shares)
    smoothed[1:-1] = shares[1:-1] / 2 + (shares[:-2] + shares[2:]) / 4
    smoothed[0] = (2 * shares[0] + shares[1]) / 3
    smoothed[-1] = (2 * shares[-1] + shares[-2]) / 3
    return as_distribution(smoothed)


def _climb(
    observed: Observations,
    name: str,
    *,
    smoothing: int,
    tolerance: float,
    max_iterations: int,
    start: Any,
    progress: Progress | None,
    stride: int = 1,
) -> Fit:
    """Passes from ``start`` until one changes the log-likelihood by no more than ``tolerance``.

    Plain passes only ever raise it; after smoothing it may also fall.
    """
    tolerance = check_real(tolerance, "tolerance", name, "a number of at least 0")
    if tolerance < 0:
        raise InvalidInput("tolerance", name, "a number of at least 0", tolerance)
    check_int(max_iterations, "max_iterations", name, 1)
    shares = first_shares(observed, start, name)
    meter = Meter(progress, name, "passes", "gain", max_iterations)
    climb = None if observed.rows is not None else observed.channel.em_run(observed.cells, stride)
    run, at_once = (
        (_PassByPass(observed, stride).run, 1) if climb is None else (climb.run, _AT_ONCE)
    )
    history, gain, converged = [observed.em_step(shares)[1]], math.inf, False
    while not converged and (done := len(history) - 1) < max_iterations:
        shares, ratio, found = run(
            shares, min(at_once, max_iterations - done), tolerance, smoothing
        )
        history.extend(found[1:].tolist())
        gain = history[-1] - history[-2]
        converged = (abs(gain) if smoothing else gain) <= tolerance
        meter.show(len(history) - 1, gain)
    passes = len(history) - 1
    meter.end(passes, gain)
    ended = f"changed it by at most {tolerance:.3g}" if converged else "was the last allowed"
    return Fit(
        as_distribution(shares), converged, passes, tuple(history),
        math.inf if smoothing else gap_of(ratio, observed.total),
        f"{observed.likelihood}; stopped after {passes} passes, when one {ended}",
    )  # fmt: skip


class _PassByPass:
    """A :class:`~sottovoce.channels.base.EmRun` over any evidence; shares are those it last gave."""

    def __init__(self, observed: Observations, stride: int = 1) -> None:
        self._evidence, self._stride = observed, stride
        self._here: tuple[Floats, float] | None = None

    def run(
        self, shares: Floats, passes: int, tolerance: float, smoothing: int
    ) -> tuple[Floats, Floats, Floats]:
        ratio, likelihood = self._here or self._evidence.em_step(shares)
        likelihoods = [likelihood]
        for _ in range(passes):
            shares, ratio, likelihood = self._pass(shares, ratio, likelihood, smoothing)
            gain = likelihood - likelihoods[-1]
            likelihoods.append(likelihood)
            if (abs(gain) if smoothing else gain) <= tolerance:
                break
        self._here = ratio, likelihood
        return shares, ratio, np.array(likelihoods)

    def _pass(
        self, before: Floats, ratio: Floats, likelihood: float, smoothing: int
    ) -> tuple[Floats, Floats, float]:
        """One pass: a long one, or a plain one where that would lower the likelihood."""
        if self._stride > 1:
            shares = as_distribution(before * long_ratio(ratio, self._stride))
            found, reached = self._evidence.em_step(shares)
            if reached >= likelihood:
                return shares, found, reached
        shares = before * ratio
        shares[shares < NEGLIGIBLE] = 0.0
        shares = smooth(shares, smoothing == RING) if smoothing else shares
        return shares, *self._evidence.em_step(shares)
