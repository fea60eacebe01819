"""What a post-processing starts from: unbiased shares and the size of their noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Channel, Floats, SupportProbabilities
from sottovoce.channels.frequencies import circulant_spectrum
from sottovoce.core.tally import Tally

__all__ = ["UnbiasedShares", "unbiased_shares"]


@dataclass(frozen=True)
class UnbiasedShares:
    """Unbiased shares ``f~`` of n respondents, and the channel that made them noisy."""

    shares: Floats
    n: int
    channel: Channel
    frequencies: Floats | None = None
    """Of the cells; for channels that have a circulant kernel and no unbiased shares."""

    @property
    def size(self) -> int:
        """d, the number of values."""
        return len(self.shares)

    @cached_property
    def sigma(self) -> Floats:
        """The standard error of a rare value's share: one that nobody holds, under a pure oracle.

        For other channels it depends on who holds what: on everybody alike, then.
        What public hashes add whatever n, if anything, is in it.
        """
        if self.channel.support_probabilities is not None:
            variance = self.channel.support_probabilities.variance(np.zeros(self.size))
        else:
            variance = self.channel.variance(np.full(self.size, 1 / self.size))
        noise = variance / self.n
        return np.sqrt(noise + self.channel.hash_variances(self.shares, noise))

    @cached_property
    def variance(self) -> Floats:
        """The variance of every share about the respondents', what public hashes add included."""
        noise = self.channel.variance(np.clip(self.shares, 0.0, 1.0)) / self.n
        return np.maximum(noise, 0.0) + self.channel.hash_variances(self.shares, noise)

    @property
    def support_probabilities(self) -> SupportProbabilities:
        """Support probabilities; only methods that check for them ask."""
        if self.channel.support_probabilities is None:
            raise Unfit("this method needs a pure oracle, with two support probabilities p and q")
        return self.channel.support_probabilities


def unbiased_shares(tally: Tally) -> UnbiasedShares:
    """``f = B x`` with ``B A = I``: right on average, negative or above 1 by chance.

    For a pure oracle ``f_v = (c_v / n - q) / (p - q)``.
    """
    frequencies = tally.cells / tally.n
    channel = tally.mechanism.channel().conditioned_on(frequencies)
    inverse = channel.inverse
    if inverse is not None:
        return UnbiasedShares(inverse.forward(frequencies), tally.n, channel)
    if channel.kernel is None:
        raise InvalidInput("channel", str(tally.mechanism), "invertible", None)
    spectrum = circulant_spectrum(frequencies, channel.kernel, tally.n)
    shares = np.fft.irfft(spectrum.plain, spectrum.size)  # what the channel lets through
    return UnbiasedShares(shares, tally.n, channel, frequencies)
