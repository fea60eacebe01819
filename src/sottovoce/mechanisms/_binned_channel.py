"""What reports about wide bins do to a distribution over narrow ones."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.channels.binning import Binning

__all__ = ["BinnedChannel"]


class BinnedChannel(Channel):
    """The channel of the wide bins, ``inner``, after gathering narrow bins into wide ones.

    Distributions that differ only within a wide bin give the same reports, so nothing
    undoes it.  Its ``inverse`` is the inner one, with what it finds spread evenly over
    each wide bin.
    """

    def __init__(self, binning: Binning, inner: Channel) -> None:
        self.binning, self.inner = binning, inner
        self.inputs, self.cells, self.blocks = binning.fine, inner.cells, inner.blocks
        # People of a bin on an edge are of either side: that ties the blocks of a report.
        self.independent = inner.independent and (binning.aligned or inner.blocks == 1)
        self.exact_inverse = inner.exact_inverse and binning.fine == binning.coarse

    def forward(self, shares: Floats) -> Floats:
        return self.inner.forward(self.binning.gather(shares))

    def adjoint(self, values: Floats) -> Floats:
        return self.binning.mean(self.inner.adjoint(values))

    @property
    def inverse(self) -> Inverse | None:
        inverse = self.inner.inverse
        return None if inverse is None else _SpreadInverse(self.binning, inverse)

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """As :meth:`variance_of` every share; those within one wide bin all at once."""
        binning, wide = self.binning, self.binning.gather(shares)
        part, first, second = binning.part, binning.first, binning.second
        squares = np.bincount(first, part**2 * shares, binning.coarse)
        squares += np.bincount(second, (1 - part) ** 2 * shares, binning.coarse)
        of_wide = self.inner.variance(wide, frequencies) + wide - squares
        found = (binning.coarse / binning.fine) ** 2 * of_wide[first]
        seen = self.inner.forward(wide) if frequencies is None else frequencies
        for i in np.flatnonzero(first != second).tolist():
            found[i] = self.variance_of(np.eye(1, binning.fine, i)[0], seen, shares)
        return found

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """The inner variance, and that of where people are within a narrow bin on an edge.

        The answer has a weight u for each wide bin.  A person whose narrow bin has parts
        C in the wide ones adds u of one of them: ``sum C u^2 - (sum C u)^2``.
        """
        binning, wide = self.binning, self.binning.gather(shares)
        asked = binning.collect(weights)
        placing = float(wide @ asked**2 - shares @ binning.mean(asked) ** 2)
        return self.inner.variance_of(asked, frequencies, wide) + placing

    def hash_variances(self, shares: Floats, noise: Floats | None = None) -> Floats:
        """Of the inner channel's public hashes; what spreading evenly hides is not known."""
        scale = self.binning.coarse / self.binning.fine
        return scale**2 * self.inner.hash_variances(self.binning.gather(shares))[self.binning.first]

    def hash_variance(self, weights: Floats, shares: Floats, noise: Floats | None = None) -> float:
        asked = self.binning.collect(weights)
        return self.inner.hash_variance(asked, self.binning.gather(shares))

    def expected_variance_of_all(self, shares: Floats) -> float:
        return self.inner.expected_variance_of_all(self.binning.gather(shares))


class _SpreadInverse:
    def __init__(self, binning: Binning, inner: Inverse) -> None:
        self._binning, self._inner = binning, inner

    def forward(self, frequencies: Floats) -> Floats:
        return self._binning.expand(self._inner.forward(frequencies))

    def adjoint(self, weights: Floats) -> Floats:
        return self._inner.adjoint(self._binning.collect(weights))
