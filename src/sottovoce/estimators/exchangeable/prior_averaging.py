"""Shares of exchangeable values: posterior means under many priors, weighed by their evidence.

Seen are ``x_v = t_v + noise`` (in units of the mean share), independent given the shares of a
population.  Under a prior G these are independent draws of G *given that their sum is d*.  The
condition is met by a tilt: with

    Z_v(l) = integral of G(t) p(x_v | t) exp(l t) dt,     f(l) = sum_v log Z_v(l) - l d

the density of (x, sum = d) is about ``exp(f) / sqrt(2 pi f'')`` at the l where f is least (a saddle
point), and there the means ``Z_v'/Z_v`` sum to d.  A common shift of all x is only another l, so
that nothing need be known of it.  Divided by the density of the sum alone, which has the mean d and
the variance d Var(G), this is the evidence of the prior,

    log p(x | G, sum)  ~  f - log(f'')/2 + log(d Var(G))/2,

and the answer is the mean over all priors of what each says, weighted by it
(:mod:`sottovoce.estimators.exchangeable.posterior`).

From many values one more prior is *learned*: the mixture of all the others, by value, under which
what was seen is likeliest.  Having been fitted, it has to be better by a factor of e^6.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.estimators.exchangeable.noisy_values import ClearValues, HiddenValues
from sottovoce.estimators.exchangeable.share_priors import CLEAR, Priors, noise_levels, priors_for

__all__ = ["LEARNING_NEEDS", "Seen", "Weighed", "weigh"]

LEARNING_NEEDS = 100
"""Values that a prior is learned from."""
_LEARNING_COSTS = 6.0
_PASSES = 100
_SLACK = 12.0
"""Priors whose evidence is so much less than the best one's are left out."""
_EQUAL = 3.5
"""Standard errors from the mean share within which all values must be for them to be possibly equal.

They are on the grid then, even if clear: a normal posterior would not follow a prior that has all mass at one place.
"""
_NEGLIGIBLE = 1e-4
_STEPS, _HALVINGS = 60, 30
_EXACT = 1e-9
_TINY = 1e-280


@dataclass(frozen=True, eq=False)
class Seen:
    """Shares seen of n people, with noise that is independent up to a common shift.

    About the population that they are from, a share t is seen with the variance
    ``sigma^2 + slope t``; about themselves, with ``sigma^2 + (slope - 1/n) t``.
    """

    shares: Floats
    sigma: Floats
    slope: float
    n: int


@dataclass(frozen=True, eq=False)
class Weighed:
    """The priors that matter, and what each says; all in units of the mean share.

    ``tilted`` masses are the priors under their tilts, a column each, on cells around ``grid``.
    """

    seen: Seen
    hidden: HiddenValues
    clear: ClearValues
    is_clear: NDArray[np.bool_]
    grid: Floats
    edges: Floats
    tilted: Floats
    clear_means: Floats
    probabilities: Floats
    labels: tuple[str, ...]
    log_marginal: float
    """Of the best prior."""
    steps: int

    @property
    def best(self) -> str:
        """The most probable prior, in words."""
        return self.labels[int(np.argmax(self.probabilities))]


def weigh(seen: Seen) -> Weighed:
    """All priors that have a chance, under the tilts that give the right sum."""
    size = len(seen.shares)
    sigma, slope = seen.sigma * size, seen.slope * size
    places = seen.shares * size
    places = places + (size - places.sum()) * sigma**2 / (sigma @ sigma)
    spread = np.sqrt(sigma**2 + slope * np.maximum(places, 0.0))
    is_clear = (places > CLEAR * spread) & (spread < size / CLEAR)
    at_equal = None
    if is_clear.any() and bool(np.all(np.abs(places - 1) < _EQUAL * spread)):
        is_clear = np.zeros(size, dtype=np.bool_)
        at_equal = noise_levels(np.sqrt(sigma**2 + slope))[0]
    priors = priors_for(size, noise_levels(sigma), at_equal)
    hidden = HiddenValues(places[~is_clear], sigma[~is_clear], slope, priors.grid)
    clear = ClearValues(places[is_clear], sigma[is_clear], slope, priors)
    if size >= LEARNING_NEEDS:
        priors = _with_learned(priors, hidden, clear)
        clear = ClearValues(places[is_clear], sigma[is_clear], slope, priors)
    found = _Tilting(priors, hidden, clear, size)
    steps = found.solve()
    log_marginals = found.log_marginal
    weights = np.exp(log_marginals - log_marginals.max())
    chosen = weights >= _NEGLIGIBLE * weights.max()
    exponents = found.tilt[chosen] * priors.grid[:, None]
    tilted = priors.masses[:, found.kept[chosen]] * np.exp(exponents - exponents.max(axis=0))
    return Weighed(
        seen, hidden, clear, is_clear, priors.grid,
        np.concatenate([[0.0], np.cumsum(priors.widths)]), tilted,
        found.clear_means[:, chosen], weights[chosen] / weights[chosen].sum(),
        tuple(priors.labels[i] for i in found.kept[chosen]), float(log_marginals.max()), steps,
    )  # fmt: skip


def _with_learned(priors: Priors, hidden: HiddenValues, clear: ClearValues) -> Priors:
    """The priors and their mixture of greatest likelihood, nearly: passes of EM on its weights."""
    likelihood = np.concatenate([hidden.likelihood @ priors.masses, np.exp(clear.log_mass)])
    likelihood = np.maximum(likelihood, _TINY)
    counts = np.concatenate([hidden.counts, np.ones(len(clear.places))])
    weights, part = np.exp(priors.log_odds), counts / counts.sum()
    for _ in range(_PASSES):
        weights = weights * ((part / (likelihood @ weights)) @ likelihood)
    learned = priors.masses @ weights
    learned /= learned.sum()
    return Priors(
        priors.grid, priors.widths, np.column_stack([priors.masses, learned]),
        np.append(priors.variances, (priors.grid - 1) ** 2 @ learned),
        np.append(priors.log_odds, -_LEARNING_COSTS), (*priors.labels, "a mixture, learned"),
    )  # fmt: skip


@dataclass(eq=False)
class _Look:
    """What some priors say under their tilts: f, what the sum is off, f'', hidden means."""

    value: Floats
    off: Floats
    curvature: Floats
    means: Floats

    def of(self, some: NDArray[np.bool_]) -> _Look:
        """The same of some of the priors."""
        return _Look(*(getattr(self, field.name)[..., some] for field in fields(self)))

    def put(self, some: NDArray[np.bool_], other: _Look) -> None:
        """Take what others say of some of the priors."""
        for field in fields(self):
            getattr(self, field.name)[..., some] = getattr(other, field.name)


class _Tilting:
    """The tilts of all priors that have a chance, and what is said under them."""

    def __init__(self, priors: Priors, hidden: HiddenValues, clear: ClearValues, size: int) -> None:
        self.priors, self.hidden, self.clear, self.size = priors, hidden, clear, size
        self.kept: NDArray[np.int64] = np.arange(len(priors.labels))
        self.tilt = np.zeros(len(self.kept))
        self.here = self._look(self.kept, self.tilt)
        gain = self.here.off**2 / np.maximum(2 * self.here.curvature, _TINY)
        promised = self.log_marginal - np.where(self.here.curvature > _EXACT, gain, 0.0)
        chosen = promised >= promised.max() - _SLACK
        self.kept, self.tilt, self.here = (
            self.kept[chosen], self.tilt[chosen], self.here.of(chosen),
        )  # fmt: skip

    def solve(self) -> int:
        """Newton's steps, halved where f would rise, until all sums are d; how many."""
        for step in range(_STEPS):
            some = (np.abs(self.here.off) > _EXACT * self.size) & (self.here.curvature > _EXACT)
            if not some.any():
                return step
            before, which, tilt = self.here.of(some), self.kept[some], self.tilt[some]
            move = -before.off / before.curvature
            found = self._look(which, tilt + move)
            for _ in range(_HALVINGS):
                rises = found.value > before.value + _EXACT * (1 + np.abs(before.value))
                if not rises.any():
                    break
                move = np.where(rises, move / 2, move)
                found = self._look(which, tilt + move)
            self.tilt[some] = tilt + move
            self.here.put(some, found)
        return _STEPS

    @property
    def log_marginal(self) -> Floats:
        """Of every prior, its odds included."""
        variances = np.maximum(self.size * self.priors.variances[self.kept], _TINY)
        widths = np.log(variances / np.maximum(self.here.curvature, _TINY)) / 2
        return self.here.value + widths + self.priors.log_odds[self.kept]

    @property
    def clear_means(self) -> Floats:
        """The posterior means of clear values."""
        return self.clear.places[:, self.kept] + self.tilt * self.clear.variance

    def _look(self, which: NDArray[np.int64], tilt: Floats) -> _Look:
        grid, hidden, clear = self.priors.grid[:, None], self.hidden, self.clear
        exponents = tilt * grid
        most = exponents.max(axis=0)
        tilted = self.priors.masses[:, which] * np.exp(exponents - most)
        mass = np.maximum(hidden.likelihood @ tilted, _TINY)
        means = hidden.likelihood @ (grid * tilted) / mass
        variances = np.maximum(hidden.likelihood @ (grid**2 * tilted) / mass - means**2, 0.0)
        seen, variance = clear.places[:, which].sum(axis=0), float(clear.variance.sum())
        value = hidden.counts @ (np.log(mass) + most) + clear.log_mass[:, which].sum(axis=0)
        value += tilt * (seen - self.size) + tilt**2 * variance / 2
        off = hidden.counts @ means + seen + tilt * variance - self.size
        return _Look(value, off, hidden.counts @ variances + variance, means)
