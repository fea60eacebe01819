"""Wiener filters: noise taken out of an estimate frequency by frequency.

Where neighbouring values are alike, a distribution has its power in low frequencies,
while the noise of a frequency oracle is spread over all.  Wiener's filter

    F = conj(H) G / (|H|^2 + P_n / P_f)

(see :mod:`~sottovoce.estimators.filters.spectrum` for G, H and P_n) errs least among linear ones,
if the power P_f of the true shares is known.  The methods differ in what they take for it:

* ``dw`` (direct): ``P_f = |G / H|^2``, or that of smoothed shares;
* ``iiw`` (improved iterative): ``P_f(i) = |F(i-1)|^2 + P_n / (|H|^2 + P_n / P_f(i-1))``, 30
  passes.  Its limit is ``F = (G / H) max(1 - P_n / |G|^2, 0)``;
* ``iiw-g``: the same from ``P_f = |G|^2``, 10 passes: it holds on to the smoothest shares
  longer.  For randomized response only, and only while ``d sqrt(Var) < 1``;
* ``amrp``: the mean of ``dw`` over random orders of the values, which then need no order.

Of noise alone ``dw`` leaves 0.385 of the power, 30 passes of ``iiw`` 0.223, its limit 0.2194.

Reference: Fang, Chen, Liu, Gao 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sottovoce.base.checks import check_choice, check_int, check_real
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.channels.frequencies import Complex, Spectrum
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.filters.plain import gaussian_filter, smooth
from sottovoce.estimators.filters.spectrum import spectrum_of
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["amrp", "dw", "iiw", "iiw_g", "is_randomized_response"]

PASSES, PASSES_FROM_G, PERMUTATIONS = 30, 10, 100
_PRIORS = ("observed", "smooth", "gaussian")
_BATCH = 2**22
"""Values times permutations that are transformed at once."""


def dw(
    unbiased: UnbiasedShares,
    *,
    prior: str = "observed",
    sigma: float = 3.0,
    keep: float | None = None,
) -> Floats:
    """Wiener's filter with the observed power for the true one.

    ``prior`` takes the power of smoothed shares instead: ``"smooth"`` of neighbours averaged,
    ``"gaussian"`` of a Gaussian filter; ``sigma`` is the width of that.  ``keep`` leaves alone what is
    more than so many standard errors above 0.
    """
    check_choice(prior, "prior", "dw", _PRIORS)

    def power(spectrum: Spectrum, shares: Floats) -> Floats:
        if prior == "observed":
            return np.abs(spectrum.plain) ** 2
        start = replace(unbiased, shares=shares)
        smoothed = smooth(start) if prior == "smooth" else gaussian_filter(start, sigma=sigma)
        return np.abs(np.fft.rfft(smoothed)) ** 2

    return _filtered(unbiased, keep, "dw", lambda s, shares: _wiener(s, power(s, shares)))


def iiw(
    unbiased: UnbiasedShares, *, passes: int | str = PASSES, keep: float | None = None
) -> Floats:
    """Wiener's filter with its own result for the true power, again and again.

    ``passes`` is how often; ``"limit"`` is where that leads.  ``keep`` is as in :func:`dw`.
    """
    if passes == "limit":
        return _filtered(unbiased, keep, "iiw", lambda s, _: _limit(s))
    count = check_int(passes, "passes", 'iiw (or "limit")', 0)
    return _filtered(unbiased, keep, "iiw", lambda s, _: _iterated(s, np.abs(s.plain) ** 2, count))


def iiw_g(
    unbiased: UnbiasedShares, *, passes: int = PASSES_FROM_G, keep: float | None = None
) -> Floats:
    """:func:`iiw` from the power of the reports themselves; refused where it is not trustworthy.

    ``passes`` is how often the result is taken for the truth.  ``keep`` is as in :func:`dw`.
    """
    count = check_int(passes, "passes", "iiw-g", 0)
    spread = unbiased.size * float(np.mean(unbiased.sigma))
    if spread >= 1:
        raise Unfit(
            f"iiw-g needs d sqrt(Var) below 1, and here it is {spread:.3g} (d = {unbiased.size}, "
            f"n = {unbiased.n}): a larger epsilon, more reports or fewer values would do; iiw works"
        )
    return _filtered(
        unbiased, keep, "iiw-g", lambda s, _: _iterated(s, np.abs(s.observed) ** 2, count)
    )


def amrp(
    unbiased: UnbiasedShares, *, permutations: int = PERMUTATIONS, keep: float | None = None
) -> Floats:
    """The mean of :func:`dw` over random orders of the values; the same orders every time.

    ``permutations`` is how many orders.  ``keep`` is as in :func:`dw`.
    """
    count = check_int(permutations, "permutations", "amrp", 1)
    large = _large(unbiased, keep, "amrp")
    shares, total = _without(unbiased, large)
    base, random = spectrum_of(unbiased, shares, total), Seeded(unbiased.size).generator()
    gain, mean = base.kernel[0].real, np.zeros(unbiased.size)
    batch = max(1, _BATCH // unbiased.size)
    for start in range(0, count, batch):
        rows = min(batch, count - start)
        orders = random.permuted(np.tile(np.arange(unbiased.size), (rows, 1)), axis=1)
        seen = gain * np.fft.rfft(shares[orders], axis=1)
        power = np.abs(seen) ** 2
        filtered = seen / gain * (power / np.maximum(power + base.noise, np.finfo(float).tiny))
        filtered[:, 0] = total
        back = np.fft.irfft(filtered, unbiased.size, axis=1)
        mean += np.bincount(orders.ravel(), back.ravel(), minlength=unbiased.size)
    return _put_back(unbiased, large, mean / count)


# -- the filters ---------------------------------------------------------------------


def _wiener(s: Spectrum, power: Floats) -> Complex:
    above = np.conj(s.kernel) * s.observed * power
    below = np.abs(s.kernel) ** 2 * power + s.noise
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _iterated(s: Spectrum, power: Floats, passes: int) -> Complex:
    found = _wiener(s, power)
    for _ in range(passes):
        below = np.abs(s.kernel) ** 2 * power + s.noise
        missing = np.divide(s.noise * power, below, out=np.zeros_like(power), where=below > 0)
        power = np.abs(found) ** 2 + missing
        found = _wiener(s, power)
    return found


def _limit(s: Spectrum) -> Complex:
    power = np.abs(s.observed) ** 2
    left = np.divide(s.noise, power, out=np.full_like(power, np.inf), where=power > 0)
    return s.plain * np.maximum(1 - left, 0.0)


# -- large values left alone -----------------------------------------------------------


def _filtered(
    unbiased: UnbiasedShares,
    keep: float | None,
    owner: str,
    filter_: Callable[[Spectrum, Floats], Complex],
) -> Floats:
    large = _large(unbiased, keep, owner)
    shares, total = _without(unbiased, large)
    spectrum = spectrum_of(unbiased, shares, total)
    return _put_back(unbiased, large, spectrum.shares(filter_(spectrum, shares)))


def _large(unbiased: UnbiasedShares, keep: float | None, owner: str) -> Any:
    if keep is None:
        return np.zeros(unbiased.size, dtype=bool)
    allowed = "a number above 0, in standard errors"
    limit = check_real(keep, "keep", owner, allowed)
    if limit <= 0:
        raise InvalidInput("keep", owner, allowed, keep)
    if unbiased.channel.inverse is None:
        raise Unfit(f"keep of {owner} needs unbiased shares, which {owner} has not here")
    return unbiased.shares > limit * unbiased.sigma


def _without(unbiased: UnbiasedShares, large: Any) -> tuple[Floats, float]:
    """Large values replaced by the mean of the others, and what the shares then sum to."""
    if not large.any() or large.all():
        return unbiased.shares, 1.0
    fill = float(unbiased.shares[~large].mean())
    total = 1.0 - float(unbiased.shares[large].sum()) + fill * int(large.sum())
    return np.where(large, fill, unbiased.shares), total


def _put_back(unbiased: UnbiasedShares, large: Any, filtered: Floats) -> Floats:
    """Large values as they were; the others moved alike so that all sum to 1."""
    if not large.any() or large.all():
        return filtered
    rest = filtered[~large]
    missing = 1.0 - float(unbiased.shares[large].sum()) - float(rest.sum())
    return np.where(large, unbiased.shares, filtered + missing / len(rest))


# -- when they apply ---------------------------------------------------------------------


def is_randomized_response(mechanism: Mechanism) -> str:
    """Why IIW-G does not apply; empty where it does."""
    channel = mechanism.channel()
    if channel.support_probabilities is None or channel.cells != channel.inputs:
        return "it is for randomized response only; iiw is for all"
    return ""
