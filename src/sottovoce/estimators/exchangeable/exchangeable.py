"""``exchangeable``: shares of values without order, as unequal as the reports themselves tell.

The likeliest distribution takes noise for differences.  Merging what drowns in noise takes
differences for noise, all or none of them.  Here values are *exchangeable*: before the reports, any
order of the same shares is as probable as another.  How unequal they are is a prior; many priors
are weighed by their evidence, the probability that each gives to what was seen, and the answer is
the mean of what they say.  It is uniform where reports tell nothing and the likeliest distribution
where they tell all; nothing is cut off, and the order of values does not matter.

* Frequency oracles give every value an unbiased share with about the same noise, less of it where
  cells are weighed (:mod:`sottovoce.estimators.exchangeable.efficient`).  The priors are those of
  :mod:`sottovoce.estimators.exchangeable.share_priors`: all alike, one kind of values, a power law, two
  kinds; see :mod:`sottovoce.estimators.exchangeable.prior_averaging` and
  :mod:`sottovoce.estimators.exchangeable.posterior`.
* Any other channel speaks through its likelihood, and the priors are Dirichlet's; see
  :mod:`sottovoce.estimators.exchangeable.dirichlet`.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.base.checks import check_int
from sottovoce.base.progress import Meter, Progress
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Channel
from sottovoce.channels.dense import DenseChannel
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.exchangeable.dirichlet import CONCENTRATIONS, concentrate
from sottovoce.estimators.exchangeable.efficient import efficient, worth_it
from sottovoce.estimators.exchangeable.posterior import ExchangeablePosterior
from sottovoce.estimators.exchangeable.prior_averaging import Seen, weigh
from sottovoce.estimators.likelihood.base import unidentified
from sottovoce.estimators.likelihood.mle import LARGEST_NEWTON
from sottovoce.estimators.observed import Fit, Observations
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["exchangeable", "posterior_of", "seen_in", "too_many_to_weigh"]

_LARGEST_MATRIX = 2**22
"""Entries (32 MB) of cells by values up to which a channel is written out."""
_CONVERGED = 0.01
_REWEIGHED = 2
"""How often cells are weighed anew by the shares that were found."""


def exchangeable(
    observed: Observations, *, top: int | None = None, progress: Progress | None = None
) -> Fit:
    """The mean of what priors of inequality say, weighed by their evidence; ``why`` names the best.

    ``top`` is a number of values: every share is then what it is if its value is among so many largest,
    which errs least on those that are.  ``progress(text, part)`` is called now and then.
    """
    count = None if top is None else check_int(top, "option top", "exchangeable", 1)
    unbiased, channel = observed.unbiased, observed.channel
    meter = Meter(progress, "exchangeable", "priors", "log marginal", len(CONCENTRATIONS))
    with one_product_thread():
        if unbiased is not None and (_values_apart(channel) or not _small(channel)):
            return _from_unbiased(observed, unbiased, count, meter)
        fitted = concentrate(observed, meter)
    priors, gap = len(fitted.fits), max(one.gap for one in fitted.fits)
    meter.end(priors, max(one.log_marginal for one in fitted.fits))
    return Fit(
        fitted.shares, gap <= _CONVERGED, sum(one.passes for one in fitted.fits), optimality=gap,
        why=f"{observed.likelihood}; {_told(fitted.best, priors)}", error_model=fitted,
    )  # fmt: skip


def _from_unbiased(
    observed: Observations, unbiased: UnbiasedShares, top: int | None, meter: Meter
) -> Fit:
    """From unbiased shares, or from more efficient ones where they are worth it."""
    plain = seen_in(unbiased)
    found = ExchangeablePosterior(weigh(plain))
    for _ in range(_REWEIGHED):
        if not worth_it(observed.channel, found.shares):
            break
        found = ExchangeablePosterior(weigh(efficient(observed, plain, found.shares)))
    priors = len(found.weighed.labels)
    meter.end(priors, found.weighed.log_marginal)
    shares = found.shares if top is None else found.shares_if_among(top)
    why = f"unbiased shares; {_told(found.weighed.best, priors)}"
    return Fit(shares, True, found.weighed.steps, why=why, error_model=found)


def _told(best: str, count: int) -> str:
    return f"inequality averaged by marginal likelihood, {count} priors matter; best: {best}"


def posterior_of(unbiased: UnbiasedShares) -> ExchangeablePosterior:
    """What the priors say of plain unbiased shares."""
    return ExchangeablePosterior(weigh(seen_in(unbiased)))


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
    slope = 1 / unbiased.n
    if channel.support_probabilities is not None:
        nobody, everybody = channel.support_probabilities.variance(np.array([0.0, 1.0]))
        slope += float(everybody - nobody) / unbiased.n
    return Seen(unbiased.shares, unbiased.sigma * math.sqrt(apart), slope, unbiased.n)


def _values_apart(channel: Channel) -> bool:
    """Whether unbiased shares have noise of their own, and nothing else.

    Not those of a matrix that somebody gave, nor of hierarchies, where values borrow from each other.
    """
    return channel.inverse_name == "unbiased" and not isinstance(channel, DenseChannel)


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
