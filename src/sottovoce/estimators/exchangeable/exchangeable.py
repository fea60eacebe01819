"""``exchangeable``: shares of values without order, as unequal as the reports themselves tell.

The likeliest distribution takes noise for differences.  Merging what drowns in noise takes
differences for noise, all or none of them.  Here values are *exchangeable*: before the reports, any
order of the same shares is as probable as another.  How unequal they are is a prior; many priors
are weighed by their evidence, the probability that each gives to what was seen, and the answer is
the mean of what they say.  It is uniform where reports tell nothing and the likeliest distribution
where they tell all; nothing is cut off, and the order of values does not matter.

* Frequency oracles give every value an unbiased share with about the same noise.  The priors are
  those of :mod:`sottovoce.estimators.exchangeable.share_priors`: all alike, one kind of values, a power law, two
  kinds; see :mod:`sottovoce.estimators.exchangeable.prior_averaging`.
* Any other channel speaks through its likelihood, and the priors are Dirichlet's; see
  :mod:`sottovoce.estimators.exchangeable.dirichlet`.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.base.progress import Meter, Progress
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Channel
from sottovoce.channels.dense import DenseChannel
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.exchangeable.dirichlet import CONCENTRATIONS, concentrate
from sottovoce.estimators.exchangeable.prior_averaging import Seen, weigh
from sottovoce.estimators.likelihood.base import unidentified
from sottovoce.estimators.likelihood.mle import LARGEST_NEWTON
from sottovoce.estimators.observed import Fit, Observations
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["exchangeable", "seen_in", "too_many_to_weigh"]

_LARGEST_MATRIX = 2**22
"""Entries (32 MB) of cells by values up to which a channel is written out."""
_CONVERGED = 0.01
_STRAIGHT = 1e6
"""Offsets beyond which the variance of noise does not depend on the share."""


def exchangeable(observed: Observations, *, progress: Progress | None = None) -> Fit:
    """The mean of what priors of inequality say, weighed by their evidence; ``why`` names the best.

    ``progress(text, part)`` is called now and then.
    """
    unbiased, channel = observed.unbiased, observed.channel
    meter = Meter(progress, "exchangeable", "priors", "log marginal", len(CONCENTRATIONS))
    with one_product_thread():
        if unbiased is not None and (_values_apart(channel) or not _small(channel)):
            weighed = weigh(seen_in(unbiased))
            count = len(weighed.labels)
            meter.end(count, weighed.log_marginal)
            why = f"unbiased shares; {_told(weighed.best, count)}"
            return Fit(weighed.shares, True, weighed.steps, why=why)
        found = concentrate(observed, meter)
    count, gap = len(found.fits), max(one.gap for one in found.fits)
    meter.end(count, max(one.log_marginal for one in found.fits))
    return Fit(
        found.shares, gap <= _CONVERGED, sum(one.passes for one in found.fits), optimality=gap,
        why=f"{observed.likelihood}; {_told(found.best, count)}",
    )  # fmt: skip


def _told(best: str, count: int) -> str:
    return f"inequality averaged by marginal likelihood, {count} priors matter; best: {best}"


def seen_in(unbiased: UnbiasedShares) -> Seen:
    """Unbiased shares, with the noise of the differences between them.

    Noise that all values have in common does not matter, and a negative correlation, as that which
    keeps sums of randomized response at 1, sets them apart: ``variance - covariance``, on average.
    """
    size, channel = unbiased.size, unbiased.channel
    uniform = np.full(size, 1 / size)
    single = float(channel.variance(uniform).sum())
    whole = channel.variance_of(np.ones(size), channel.forward(uniform), uniform)
    apart = (single - whole / size) / (size - 1) / (single / size)
    offset = math.inf
    if channel.support_probabilities is not None:
        nobody, everybody = channel.support_probabilities.variance(np.array([0.0, 1.0]))
        if everybody - nobody > nobody / _STRAIGHT:
            offset = float(nobody / (everybody - nobody))
    return Seen(unbiased.shares, unbiased.sigma * math.sqrt(apart), offset)


def _values_apart(channel: Channel) -> bool:
    """Whether unbiased shares have noise of their own, and nothing else.

    Not those of a matrix that somebody gave, nor of hierarchies, where values borrow from each
    other, nor those that are right only on average over public hashes.
    """
    own = channel.inverse_name == "unbiased" and not isinstance(channel, DenseChannel)
    return own and channel.exact_inverse


def _small(channel: Channel) -> bool:
    """Whether there is little enough to write out how the likelihood bends."""
    return channel.inputs <= LARGEST_NEWTON and channel.inputs * channel.cells <= _LARGEST_MATRIX


def too_many_to_weigh(mechanism: Mechanism) -> str:
    """Why it does not apply: no distribution is told, several are, or too many shares without formula."""
    channel = mechanism.channel()
    if mechanism.domain.vector is not None:
        return "the shares of each coordinate have a sum of their own"
    if channel.inverse is None and not _small(channel):
        return f"without unbiased shares it takes at most {LARGEST_NEWTON} values"
    return unidentified(mechanism)
