"""Plausible truths: distributions that could have given the reports at hand.

To compare methods a survey is simulated from truths that look like the real one in what
matters to them: whether many values are rare, and whether neighbours are alike.  A single
estimate would be a poor truth, smoother or rougher than the real one.  So truths are drawn:

- from the posterior of ``adaptive`` where there are no unbiased shares but an order and an
  exact likelihood (see :mod:`sottovoce.estimators.smooth.posterior`);
- else around unbiased shares, under three priors, of which the reports choose: each is drawn
  from as often as it is probable given the shares as they came.

  * *Values apart*: every share drawn from one prior (:mod:`sottovoce.estimators.exchangeable`).
  * *Neighbours alike*: normal in the frequencies of their Fourier transform, with a power P
    that is constant in bands of half an octave, and drawn from its posterior, band by band.
    With noise of power N, ``|G|^2`` is exponential with mean P + N, and given P

        ``F | G ~ normal(G P / (P + N), P N / (P + N))``.

  * *A smooth histogram*, the posterior of ``adaptive`` again: shares that are nowhere negative
    and may be smoother in one place than in another.

- where there is nothing of the kind, from the likelihood climbed a while (``em``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.keys import key_weights, means
from sottovoce.base.randomness import Seeded
from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.dense import DenseChannel
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.estimators.cell_means import estimate_without_shares
from sottovoce.estimators.errors.bootstrap import plausible_truths
from sottovoce.estimators.errors.replicates import whole_counts
from sottovoce.estimators.exchangeable.exchangeable import posterior_of
from sottovoce.estimators.exchangeable.prior_averaging import LEARNING_NEEDS
from sottovoce.estimators.filters.spectrum import noise_power
from sottovoce.estimators.likelihood.em import em
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.smooth.adaptive import no_single_likelihood, posterior
from sottovoce.estimators.smooth.posterior import Posterior
from sottovoce.estimators.trees.hh_admm import no_hierarchy
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares

__all__ = ["Neighbours", "as_response", "draw_truths", "log_density_apart", "log_density_smooth"]

_BANDS_NEED = 8
"""Values below which a band would have no frequency to average over."""
_SMOOTH_UP_TO = 1024
"""Values beyond which priors of smoothness take too long to weigh."""
_NO_DOUBT = 300.0
"""Values apart so much likelier than neighbours alike need no third opinion."""
_NOISE_DRAWS = 20
"""Simulated surveys that tell the noise of a hierarchy, frequency by frequency."""


def draw_truths(observed: Observed, count: int, source: Seeded) -> list[Floats]:
    """``count`` distributions that could have given these reports."""
    channel, mechanism = observed.channel, observed.mechanism
    if not channel.identifies_distribution:
        return [_of_that_mean(observed.tally)] * count
    tied = channel.inverse_name != "unbiased" or not no_hierarchy(mechanism)
    if (channel.inverse is None or tied) and not no_single_likelihood(mechanism):
        return posterior(observed).draws(count, source.generator())
    if channel.inverse is None:
        return [em(observed).shares] * count
    unbiased = unbiased_shares(observed.tally)
    if unbiased.size < _BANDS_NEED:
        return plausible_truths(unbiased, count, source)
    if tied:
        return Neighbours(unbiased, _simulated_noise(observed, unbiased, source)).draws(
            count, source
        )
    return _of_the_likelier(observed, unbiased, count, source)


def _of_the_likelier(
    observed: Observed, unbiased: UnbiasedShares, count: int, source: Seeded
) -> list[Floats]:
    """Draws under all priors, in the numbers that their probabilities say."""
    noise = noise_power(unbiased)
    alike = Neighbours(unbiased, np.full(unbiased.size // 2, noise))
    densities = [alike.log_density]
    draws: list[Callable[[int], list[Floats]]] = [lambda some: alike.draws(some, source)]
    if unbiased.size >= LEARNING_NEEDS:
        densities.append(log_density_apart(unbiased))
        draws.append(lambda some: plausible_truths(unbiased, some, source))
    told = noise < 1  # the most that any frequency of a distribution has
    if told and unbiased.size <= _SMOOTH_UP_TO and densities[-1] - densities[0] < _NO_DOUBT:
        given = as_response(observed, unbiased, noise)
        found = posterior(given)
        densities.append(log_density_smooth(given, found, noise))
        draws.append(lambda some: found.draws(some, source.generator()))
    odds = np.exp(np.array(densities) - max(densities))
    parts = whole_counts(count * odds / odds.sum(), count)
    drawn = [truth for draw, some in zip(draws, parts, strict=True) for truth in draw(int(some))]
    return [drawn[i] for i in source.generator().permutation(count)]


# -- neighbours alike ------------------------------------------------------------------


_RATIOS: Floats = np.concatenate([[0.0], 2.0 ** np.arange(-4, 24, 0.5)])
"""Powers of true shares over the power of noise that a band may have."""
_SILENT = 0.9
"""Bands that have no power, before anything is seen: smooth shares have it in few."""
_LOG_PRIOR: Floats = np.log(
    np.concatenate([[_SILENT], np.full(len(_RATIOS) - 1, (1 - _SILENT) / (len(_RATIOS) - 1))])
)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Shares whose power is constant in bands of frequencies, seen through noise.

    ``noise`` is the expected power of the noise at the frequencies 1 .. d // 2, alike in a band.
    """

    unbiased: UnbiasedShares
    noise: Floats

    @cached_property
    def _seen(self) -> NDArray[np.complex128]:
        return np.fft.rfft(self.unbiased.shares)[1:]

    @cached_property
    def _edges(self) -> list[int]:
        return _bands(len(self.noise))

    @cached_property
    def _log_posterior(self) -> Floats:
        """A row a band: the log-density of what was seen in it, and of each ratio of powers."""
        d, weights = self.unbiased.size, np.ones(len(self.noise))
        weights[-1] = 1.0 if d % 2 else 0.5  # the last frequency of an even number is real
        seen = np.abs(self._seen) ** 2 / self.noise
        constant = -np.log(2 * np.pi * self.noise / d)
        sums = [
            np.add.reduceat(weights * part, self._edges[:-1])[:, None]
            for part in (constant, np.ones(len(seen)), seen)
        ]
        found: Floats = sums[0] - sums[1] * np.log1p(_RATIOS) - sums[2] / (1 + _RATIOS) + _LOG_PRIOR
        return found

    @property
    def log_density(self) -> float:
        """Of the unbiased shares as they came, under this prior; their total is certain."""
        total = -0.5 * np.log(2 * np.pi * float(self.noise.mean()) / self.unbiased.size)
        return float(np.logaddexp.reduce(self._log_posterior, axis=1).sum() + total)

    def draws(self, count: int, source: Seeded) -> list[Floats]:
        """Distributions that could have given these shares."""
        random, found = source.generator(), []
        logs, sizes = self._log_posterior, np.diff(self._edges)
        chances = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)).cumsum(axis=1)
        for _ in range(count):
            below = chances < random.random(len(chances))[:, None] * chances[:, -1:]
            ratio = np.repeat(_RATIOS[below.sum(axis=1)], sizes)
            kept = ratio / (1 + ratio)
            apart = random.normal(size=len(kept)) + 1j * random.normal(size=len(kept))
            drawn = kept * self._seen + np.sqrt(kept * self.noise / 2) * apart
            found.append(
                project_to_simplex(np.fft.irfft(np.concatenate([[1.0], drawn]), self.unbiased.size))
            )
        return found


def _bands(count: int) -> list[int]:
    """Where bands of half an octave begin, and the end of the last: 0, 1, 2, 3, 5, 7, 11, ..."""
    edges, wide = [0, 1], 1.0
    while edges[-1] < count:
        wide *= np.sqrt(2)
        edges.append(min(count, max(edges[-1] + 1, round(wide))))
    return edges[: edges.index(count) + 1]


def _simulated_noise(observed: Observed, unbiased: UnbiasedShares, source: Seeded) -> Floats:
    """The power of the noise where it is not alike at all frequencies: seen in simulated surveys."""
    counts = whole_counts(project_to_simplex(unbiased.shares) * unbiased.n, unbiased.n)
    powers = np.zeros(unbiased.size // 2)
    for _ in range(_NOISE_DRAWS):
        again = unbiased_shares(observed.mechanism.simulate(counts, source=source))
        powers += np.abs(np.fft.rfft(again.shares - counts / unbiased.n)[1:]) ** 2
    edges = _bands(len(powers))
    sizes = np.diff(edges)
    means: Floats = np.repeat(np.add.reduceat(powers, edges[:-1]) / sizes / _NOISE_DRAWS, sizes)
    return np.maximum(means, np.finfo(float).tiny)


# -- a smooth histogram ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _AsResponse(Observed):
    """Unbiased shares of any oracle as if randomized response had given them.

    With ``A = (1 - g) / d + g I`` and as many reports as make its noise that of the shares, the
    likelihood of the counts ``n A f`` is nearly that of normal noise.
    """

    frequencies: Floats = field(default_factory=lambda: np.ones(1))
    people: float = 1.0
    gap: float = 1.0

    @cached_property
    def channel(self) -> Channel:
        d = len(self.frequencies)
        return DenseChannel(np.full((d, d), (1 - self.gap) / d) + self.gap * np.eye(d))

    @cached_property
    def cells(self) -> Floats:
        return self.people * self.frequencies


def as_response(observed: Observed, unbiased: UnbiasedShares, noise: float) -> _AsResponse:
    """The same shares, whose noise has this power, with an exact likelihood."""
    d = unbiased.size
    shares = unbiased.shares + (1 - unbiased.shares.sum()) / d
    gap = 0.05 / (d * float(np.abs(shares).max()))
    base = (1 - gap) / d
    people = base / (gap**2 * noise / d)
    return _AsResponse(observed.tally, None, base + gap * shares, people, gap)


def log_density_smooth(given: _AsResponse, found: Posterior, noise: float) -> float:
    """Of the unbiased shares as they came, under the priors of ``adaptive``."""
    d, counts = len(given.frequencies), given.cells
    best = float(counts @ np.log(given.frequencies))
    missing = found.search.best.log_marginal - best
    return missing - 0.5 * d * float(np.log(2 * np.pi * noise / d))


# -- values apart ----------------------------------------------------------------------


def log_density_apart(unbiased: UnbiasedShares) -> float:
    """Of the unbiased shares as they came, under the priors of ``exchangeable``.

    Its marginal likelihood is relative to shares at their most likely, these to noise that is 0, and
    that has a density of its own.
    """
    weighed = posterior_of(unbiased).weighed
    without_noise = -float(np.log(np.sqrt(2 * np.pi) * weighed.seen.sigma).sum())
    return weighed.log_marginal + weighed.hidden.log_peak + without_noise


# -- only the mean, or only the keys -----------------------------------------------------


def _of_that_mean(tally: Tally) -> Floats:
    """People at the two bins around the estimated mean, of every key: all that such reports tell."""
    told = estimate_without_shares(tally, "unbiased", "")
    if (numbers := tally.mechanism.domain.numbers) is not None:
        return _around(told.mean().value, numbers)
    domain = tally.mechanism.domain.keyed
    assert domain is not None
    places = range(domain.keys.size)
    held = np.array([told.value_of(key_weights(domain, place)) for place in places])
    nobody = [] if domain.pairs is None else [1 - held.sum()]
    weights = project_to_simplex(np.concatenate([held, nobody]))
    around = [_around(one, domain.interval) for one in means(told, domain)]
    parts = [weights[place] * around[place] for place in places]
    return np.concatenate([*parts, weights[domain.keys.size :]])


def _around(told: float, domain: Interval) -> Floats:
    """Shares of that mean, in the two bins next to it."""
    place = float(np.interp(told, domain.midpoints, np.arange(domain.bins)))
    first = min(int(place), domain.bins - 2)
    shares = np.zeros(domain.bins)
    shares[first], shares[first + 1] = 1 - (place - first), place - first
    return shares
