"""An estimate seen frequency by frequency: what was observed, and the power of its noise.

In the frequencies k of the Fourier transform, ``G_k = H_k F_k + N_k``: F are the true
shares, H what the channel does to them, N noise.  For a pure oracle the frequencies of
support are ``q + (p - q) f``, so that ``H_k = p - q``.  For a circulant channel H is the
transform of its kernel.  Any other unbiased estimate is observed as it is, ``H_k = 1``.

The expected power of the noise is known.  With the variances of all shares and of their
total, and noise that is alike for all values,

    P_k = |H_k|^2 (d tr C - 1'C1) / (d - 1),   k > 0

C being the covariances of unbiased shares: the trace of C is the power of all frequencies,
and the variance of the total is that of frequency 0.  For independent bits (OUE) this is
``[d q(1-q) + (p-q)(1-p-q)] / n``; for reports of one size (GRR, SS), whose total is
certain, it is d/(d-1) times as much.  Of a circulant channel in which people report one
cell it is ``(1 - |H_k|^2) / n``.
"""

from __future__ import annotations

import numpy as np

from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Floats
from sottovoce.channels.frequencies import Spectrum, circulant_spectrum
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["noise_power", "spectrum_of"]


def noise_power(unbiased: UnbiasedShares) -> float:
    """The expected power of the noise of unbiased shares at every frequency but 0.

    At the nearest distribution: the sum of shares that are only clipped may be far above 1.
    """
    channel, d = unbiased.channel, unbiased.size
    shares = project_to_simplex(unbiased.shares)
    noise = np.maximum(channel.variance(shares), 0.0) / unbiased.n
    of_each = float(np.sum(noise + channel.hash_variances(shares, noise)))
    of_all = channel.variance_of(np.ones(d), channel.forward(shares), shares) / unbiased.n
    return max(0.0, d * of_each - of_all) / (d - 1)


def spectrum_of(
    unbiased: UnbiasedShares, shares: Floats | None = None, total: float = 1.0
) -> Spectrum:
    """The spectrum of an estimate, or of other ``shares`` with the same noise."""
    if unbiased.channel.inverse is None:
        kernel = unbiased.channel.kernel
        assert kernel is not None and unbiased.frequencies is not None
        return circulant_spectrum(unbiased.frequencies, kernel, unbiased.n)
    seen = np.fft.rfft(unbiased.shares if shares is None else shares)
    gain = (
        1.0
        if unbiased.channel.support_probabilities is None
        else unbiased.channel.support_probabilities.p - unbiased.channel.support_probabilities.q
    )
    flat = np.full(len(seen), gain, dtype=np.complex128)
    noise = np.full(len(seen), gain**2 * noise_power(unbiased))
    return Spectrum(gain * seen, flat, noise, unbiased.size, total)
