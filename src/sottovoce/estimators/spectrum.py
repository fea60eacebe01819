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

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.core.channel import Floats
from sottovoce.estimators.consistency import project_to_simplex
from sottovoce.estimators.raw import Raw

__all__ = ["Spectrum", "noise_power", "spectrum_of"]

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """``observed`` G, ``kernel`` H and power of ``noise`` at the frequencies 0 .. d // 2."""

    observed: Complex
    kernel: Complex
    noise: Floats
    size: int
    total: float = 1.0
    """What the shares sum to."""

    @property
    def told(self) -> NDArray[np.bool_]:
        """Where noise leaves anything to tell: no frequency of a distribution has a power above 1."""
        return np.asarray(np.abs(self.kernel) ** 2 > self.noise)

    @property
    def plain(self) -> Complex:
        """``G / H``, the transform of the unbiased shares; 0 where nothing is told."""
        return np.divide(
            self.observed, self.kernel, out=np.zeros_like(self.observed), where=self.told
        )

    def shares(self, transform: Complex) -> Floats:
        """The shares of a transform, their total put right."""
        fixed = np.where(self.told, transform, 0.0)
        fixed[0] = self.total
        return np.fft.irfft(fixed, self.size)


def noise_power(raw: Raw) -> float:
    """The expected power of the noise of unbiased shares at every frequency but 0.

    At the nearest distribution: the sum of shares that are only clipped may be far above 1.
    """
    channel, d = raw.channel, raw.size
    shares = project_to_simplex(raw.shares)
    noise = np.maximum(channel.variance(shares), 0.0) / raw.n
    of_each = float(np.sum(noise + channel.misfits(shares, noise)))
    of_all = channel.variance_of(np.ones(d), channel.forward(shares), shares) / raw.n
    return max(0.0, d * of_each - of_all) / (d - 1)


def spectrum_of(raw: Raw, shares: Floats | None = None, total: float = 1.0) -> Spectrum:
    """The spectrum of an estimate, or of other ``shares`` with the same noise."""
    if raw.channel.inverse is None:
        return _of_kernel(raw)
    seen = np.fft.rfft(raw.shares if shares is None else shares)
    gain = 1.0 if raw.channel.pure is None else raw.channel.pure.p - raw.channel.pure.q
    kernel = np.full(len(seen), gain, dtype=np.complex128)
    noise = np.full(len(seen), gain**2 * noise_power(raw))
    return Spectrum(gain * seen, kernel, noise, raw.size, total)


def _of_kernel(raw: Raw) -> Spectrum:
    kernel: Any = raw.channel.kernel
    assert kernel is not None and raw.frequencies is not None
    transform = np.fft.rfft(kernel)
    noise = np.maximum(0.0, 1 - np.abs(transform) ** 2) / raw.n
    return Spectrum(np.fft.rfft(raw.frequencies), transform, noise, raw.size)
