"""Unbiased shares of less noise: reports weighed by how likely they were.

The plain inverse of a channel is right on average whatever the distribution, and takes all cells
alike.  Where some cells are far more frequent than others, as Hadamard response at large epsilon
makes them, the best linear estimate at the distribution w weighs each cell by ``1 / (A w)``:

    x = M^-1 A' (c / A w),     M = n A' diag(1 / A w) A.

Its covariance about the population is ``M^-1`` less ``w w' / n``, which keeps the sum.  At the
distribution that was found with the plain one, this is one step of Fisher's scoring.

Small channels are written out; for others ``M^-1`` is applied by conjugate gradients, and its mean
diagonal found by four vectors e of random signs, ``E[e' M^-1 e]``.  Cells of frequent values weigh less, so
that these have more noise: ``sqrt(w) e`` in the place of e has the mean weighted by w, and a line in the share
through both is taken for all values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Channel, Floats
from sottovoce.estimators.exchangeable.prior_averaging import Seen
from sottovoce.estimators.observed import Observations

__all__ = ["efficient", "worth_it"]

_LARGEST_DENSE = 256
_GAIN, _LARGE_GAIN = 1.01, 1.05
"""What noise must fall by for a channel that is written out, and for a larger one."""
_APART = 2.0
"""Cells a value by which public hashes tell values apart."""
_UNEVEN = 0.1
"""Squares of shares above even ones, in parts of these, from which noise is seen to grow with the share."""
_PROBES = 4
_STEPS, _EXACT = 60, 1e-4
_LEAST = 1e-3
"""Of the mean variance: less is not believed of one value."""


def worth_it(channel: Channel, shares: Floats) -> bool:
    """Whether noise falls by enough: by about ``mean(A w) mean(1 / A w)``.

    Where the plain inverse is right only on average over public hashes this one is right for the
    hashes that were used, and worth it in any case where these tell all values apart.
    """
    if channel.blocks > 1 or channel.cells <= channel.inputs:
        return False
    expected = channel.forward(shares)
    if expected.min() <= 0:
        return False
    if not channel.exact_inverse:
        return channel.cells >= _APART * channel.inputs
    gain = _GAIN if channel.inputs <= _LARGEST_DENSE else _LARGE_GAIN
    return bool(expected.mean() * (1 / expected).mean() > gain)


def efficient(observed: Observations, plain: Seen, shares: Floats) -> Seen:
    """What was seen, by cells weighed at ``shares``; noise that all values share is left out."""
    channel, n = observed.channel, observed.n
    expected = channel.forward(shares)
    score = channel.adjoint(observed.cells / expected)
    if channel.inputs <= _LARGEST_DENSE:
        matrix = channel.dense()
        covariance = np.linalg.inv(n * matrix.T @ (matrix / expected[:, None]))
        own = np.diag(covariance)
        own = own - (covariance.sum(axis=1) - own) / (len(own) - 1)
        return _with_variance(plain, covariance @ score, own, shares, plain.slope)

    def information(v: Floats) -> Floats:
        return n * channel.adjoint(channel.forward(v) / expected)

    found = _solve(information, score, plain.shares / plain.shares.sum())
    typical = plain.sigma**2 + plain.slope / channel.inputs
    words = Seeded(channel.inputs).words(_PROBES * channel.inputs).reshape(_PROBES, -1)
    signs = np.where(words >> np.uint64(63) == 0, 1.0, -1.0)
    probes = signs - signs.mean(axis=1, keepdims=True)

    def mean_of(probes: Floats) -> float:
        solved = [probe @ _solve(information, probe, probe * typical) for probe in probes]
        return float(np.mean(solved))

    variance = mean_of(probes) / (channel.inputs - 1)
    weighted = mean_of(np.sqrt(shares) * signs)
    uneven = float(shares @ shares) - 1 / channel.inputs
    slope = max(plain.slope, (weighted - variance) / max(uneven, _UNEVEN / channel.inputs))
    everywhere = np.full(channel.inputs, 1 / channel.inputs)
    return _with_variance(
        plain,
        found,
        np.full(channel.inputs, variance),
        everywhere,
        min(slope, variance * channel.inputs),
    )


def _with_variance(
    plain: Seen, seen: Floats, variance: Floats, shares: Floats, slope: float
) -> Seen:
    """The variance about the population at ``shares``, taken back to a share of 0."""
    squares = np.maximum(variance - slope * shares, _LEAST * float(variance.mean()))
    return Seen(seen, np.sqrt(squares), slope, plain.n)


def _solve(information: Callable[[Floats], Floats], right: Floats, start: Floats) -> Floats:
    """``M^-1 right`` by conjugate gradients."""
    found = start
    residual = right - information(found)
    direction, size = residual, float(residual @ residual)
    enough = _EXACT**2 * float(right @ right)
    for _ in range(_STEPS):
        if size <= enough:
            break
        bent = information(direction)
        length = size / float(direction @ bent)
        found = found + length * direction
        residual = residual - length * bent
        before, size = size, float(residual @ residual)
        direction = residual + size / before * direction
    return found
