"""A tally frequency by frequency: what was observed, what the channel let through, what is noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats

__all__ = ["Complex", "Spectrum", "circulant_spectrum"]

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


def circulant_spectrum(frequencies: Floats, kernel: Floats, n: int) -> Spectrum:
    """The spectrum of n reports, one cell each, through a circulant channel: noise ``(1 - |H|^2) / n``."""
    transform = np.fft.rfft(kernel)
    noise = np.maximum(0.0, 1 - np.abs(transform) ** 2) / n
    return Spectrum(np.fft.rfft(frequencies), transform, noise, len(kernel))
