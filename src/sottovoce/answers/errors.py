"""How far an estimate may be from the truth, by formula where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sottovoce.answers.answer import two_sided
from sottovoce.answers.intervals import count_low, score_interval
from sottovoce.base.errors import NotIdentified
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.binning import Binning

__all__ = [
    "CellErrors",
    "ErrorModel",
    "Exact",
    "ExpandedErrors",
    "LinearErrors",
]


class ErrorModel(Protocol):
    """What is known of an estimate's error."""

    def stderr(self, about: str) -> Floats:
        """The standard error of every share."""

    def stderr_of(self, weights: Floats, about: str) -> float:
        """The standard error of ``weights . shares``, covariances included."""


@dataclass(frozen=True)
class LinearErrors:
    """The exact noise of an unbiased linear estimate.

    About these respondents, ``n Var(z . f) = x . g^2 - f . z^2`` (``x`` the cell
    frequencies, ``g = B' z`` what each cell adds; see ``Channel.variance_of``).
    About the population they were drawn from, add the sampling variance
    ``f . z^2 - (f . z)^2``.  Both are linear or quadratic in f, so the unbiased
    shares themselves are put in.  Where the inverse is right only on average
    over public hashes, its hash variance is added, and does not vanish with n.
    """

    channel: Channel
    n: int
    frequencies: Floats
    shares: Floats

    @cached_property
    def _variance(self) -> Floats:
        """n times the variance of each share, from randomization alone."""
        return self.channel.variance(self.shares, self.frequencies)

    @property
    def _noise(self) -> Floats:
        return np.maximum(self._variance, 0.0) / self.n

    def stderr(self, about: str) -> Floats:
        variance = self._variance
        if about == "population":
            variance = variance + np.maximum(self.shares * (1 - self.shares), 0.0)
        hash_variances = self.channel.hash_variances(self.shares, self._noise)
        return np.sqrt(np.maximum(variance, 0.0) / self.n + hash_variances)

    def intervals(
        self, about: str, confidence: float, chosen: float = 1.0
    ) -> tuple[Floats, Floats] | None:
        """Of a pure oracle: all shares that the supports do not rule out."""
        odds = self.channel.support_probabilities
        if odds is None:
            return None
        nobody, everybody = odds.variance(np.array([0.0, 1.0])) / self.n
        sampling = 1 / self.n if about == "population" else 0.0
        reach = two_sided(confidence, chosen)
        slope = everybody - nobody + sampling
        low, high = score_interval(self.shares, nobody, slope, reach, sampling)
        if chosen < 1 and slope > 0:
            low = np.minimum(low, count_low(self.shares, np.asarray(nobody), slope, reach))
        return low, high

    def centre_of(self, weights: Floats, about: str) -> float | None:
        """None: the answer is unbiased itself."""
        return None

    def stderr_of(self, weights: Floats, about: str) -> float:
        variance = self.channel.variance_of(weights, self.frequencies, self.shares)
        if about == "population":
            total = float(self.shares @ weights)
            variance += max(0.0, float(self.shares @ weights**2) - total**2)
        hash_variance = 0.0
        if not self.channel.exact_inverse:
            hash_variance = self.channel.hash_variance(weights, self.shares, self._noise)
        return float(np.sqrt(max(variance, 0.0) / self.n + hash_variance))


@dataclass(frozen=True)
class CellErrors:
    """Answers straight from the cells, where a channel tells no shares but some sums of them.

    The answer ``z . f`` is the mean over reports of ``g``, the gains of its cells.  About
    the population, ``n Var = x . g^2 - (z . f)^2``.  About these respondents it is
    ``x . g^2 - f . z^2``, smaller by the spread of z among them.  Where such reports do not tell
    that either (the squares have no gains), ``shares`` of another method do, or else the larger one
    stands for both.  What the gains miss,
    ``bias_bound``, is added.  In ``(z . f)^2`` the answer is first brought between the least and
    the largest weight, in ``f . z^2`` likewise, so that a few reports that agree are not certain;
    with one block all are seen from the middle of the weights.
    """

    channel: Channel
    n: int
    frequencies: Floats
    shares: Floats | None = None
    """Shares by another method, for ``f . z^2`` where the squares have no gains."""

    def value_of(self, weights: Floats) -> float | None:
        """The answer itself; None where these reports do not tell it."""
        cell_weights = self.channel.cell_weights(weights)
        return None if cell_weights is None else float(self.frequencies @ cell_weights.values)

    def stderr(self, about: str) -> Floats:
        raise NotIdentified(
            "these reports do not identify shares, so there are no errors of shares"
        )

    def stderr_of(self, weights: Floats, about: str) -> float:
        cell_weights = self.channel.cell_weights(weights)
        if cell_weights is None:
            raise NotIdentified("these reports do not identify this sum of shares")
        middle = (weights.min() + weights.max()) / 2 if self.channel.blocks == 1 else 0.0
        away, seen = weights - middle, cell_weights.values - middle
        squares = self._squares(away**2) if about == "respondents" else None
        if squares is None:
            taken = np.clip(self.frequencies @ seen, away.min(), away.max()) ** 2
        else:
            taken = np.clip(squares, np.min(away**2), np.max(away**2))
        variance = max(0.0, float(self.frequencies @ seen**2 - taken))
        return float(np.sqrt(variance / self.n + cell_weights.bias_bound**2))

    def _squares(self, squares: Floats) -> float | None:
        """``f . z^2``, from the cells or else from shares; None where neither has it."""
        found = self.value_of(squares)
        return float(self.shares @ squares) if found is None and self.shares is not None else found


@dataclass(frozen=True)
class Exact:
    """Nothing is uncertain: the domain has a single value."""

    size: int

    def stderr(self, about: str) -> Floats:
        return np.zeros(self.size)

    def stderr_of(self, weights: Floats, about: str) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class ExpandedErrors:
    """The noise of shares that were estimated for coarse bins and spread evenly over fine ones."""

    coarse: ErrorModel
    binning: Binning

    def stderr(self, about: str) -> Floats:
        binning = self.binning
        found = binning.expand(self.coarse.stderr(about))
        for i in np.flatnonzero(binning.first != binning.second).tolist():
            found[i] = self.stderr_of(np.eye(1, binning.fine, i)[0], about)
        return found

    def stderr_of(self, weights: Floats, about: str) -> float:
        return self.coarse.stderr_of(self.binning.collect(weights), about)
