"""Errors of ``em`` over keys with numbers, from the curvature of the likelihood: no fit is repeated.

**Stopping early is a prior.**  Near a distribution w a pass of EM moves shares by ``diag(w) u / N``,
u the slope of the log-likelihood and N its sum of counts.  With H the information of the reports, T passes
from a start bring the part ``1 - (1 - L)^T`` of the way to the maximum along a direction in which
``diag(w) H / N`` is L; the maximum under a normal prior of precision ``R = (N / T) diag(1/w)`` has
``L / (L + 1/T)`` of it.  Both agree at both ends, so the errors are those of that prior: with F the
inverse of ``H + R`` on differences of distributions (whose sum is 0) and J the variance of u, the
error about the population is

    F (J + R) F:    noise, and what stopping is expected to leave out.

What it does leave out is seen as well, ``F u`` at the fit, and its square is added.  About the respondents,
who are a draw of covariance ``S = (diag(w) - w w') / n``, the rule of
:mod:`sottovoce.estimators.covariance_errors` adds ``S - F H S - S H F``.  Where that makes an error larger (reports that
follow less than half of the draw), it is added about the population too.

**Key by key.**  H has a block per key (:mod:`sottovoce.channels.key_blocks`), and so has ``G = H + R``.  With
``o = G^-1 1`` and ``s = sum o``, ``F = G^-1 - o o' / s``: nothing larger than a key's bins is ever solved.
Where a report is in one cell of all, ``J = H``.  Where every key has a part of each report, a person's parts are
independent given the pair, and with ``h = H w / n``, ``J = H + n (blocks of h_k h_k' - h h')``.

**Positive shares are biased upwards** where many bins hold nobody: what noise adds to them is kept, what it takes
away is not.  Frequencies and means of keys have unbiased answers as well
(:class:`~sottovoce.answers.errors.CellErrors`).  An answer with less noise than the unbiased one differs from it by a
variance of D, the difference of theirs.  By as much as the square of the difference is above D, the variance is
raised; by all of it where no report says "no pair", for nothing keeps the keys from growing together there.

Information is taken at w with a tenth of it spread evenly: a bin that the fit leaves empty is not certain to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.answers.errors import CellErrors
from sottovoce.base.caches import state_without_caches
from sottovoce.channels.base import Floats
from sottovoce.channels.key_blocks import KeyBlocks
from sottovoce.estimators.observed import Observations

__all__ = ["KeyCurvature", "key_errors"]

_SPREAD = 0.1
"""Part of the fit that is spread evenly before information is taken."""


def key_errors(observed: Observations, shares: Floats, passes: int) -> KeyCurvature:
    """The errors of ``shares`` that so many plain passes of EM gave."""
    blocks = observed.channel.key_blocks
    assert blocks is not None
    ratio, _ = observed.em_step(shares)
    slope = observed.total * (ratio - 1)
    n = observed.n
    unbiased = CellErrors(observed.channel, n, observed.cells / n, shares)
    return KeyCurvature(blocks, shares, n, observed.total / passes, slope, unbiased)


@dataclass(frozen=True, eq=False)
class KeyCurvature:
    """The errors of ``shares`` among ``n`` people; ``pull`` is N / T, ``slope`` is u.

    ``unbiased`` has the answers that need no shares.
    """

    blocks: KeyBlocks
    shares: Floats
    n: int
    pull: float
    slope: Floats
    unbiased: CellErrors

    def __getstate__(self) -> dict[str, object]:
        return state_without_caches(self)

    @cached_property
    def _spread(self) -> Floats:
        """w."""
        return (1 - _SPREAD) * self.shares + _SPREAD / len(self.shares)

    @cached_property
    def _inverses(self) -> tuple[Floats, float]:
        """``G^-1``: of every key, and of no pair."""
        (held, nobody), n = self.blocks.split(self._spread), self.n
        of_keys, of_nobody = self.blocks.information(self._spread)
        system = n * of_keys
        diagonal = np.arange(self.blocks.bins)
        system[:, diagonal, diagonal] += self.pull / held
        last = 1 / (n * of_nobody + self.pull / nobody) if self.blocks.sets else 0.0
        return np.asarray(np.linalg.inv(system), dtype=np.float64), last

    def _solve(self, weights: Floats) -> Floats:
        """``G^-1 z``."""
        (of_keys, of_nobody), (held, nobody) = self._inverses, self.blocks.split(weights)
        return self.blocks.join(np.matmul(of_keys, held[:, :, None])[:, :, 0], of_nobody * nobody)

    @cached_property
    def _ones(self) -> Floats:
        """``o = G^-1 1``."""
        return self._solve(np.ones(len(self.shares)))

    def _inverse(self, weights: Floats) -> Floats:
        """``F z``."""
        ones = self._ones
        found: Floats = self._solve(weights) - ones * float(ones @ weights) / float(ones.sum())
        return found

    @cached_property
    def _missing(self) -> Floats:
        """``F u``: what more passes would have brought, as far as reports tell."""
        return self._inverse(self.slope)

    @cached_property
    def _moved(self) -> Floats:
        """``h = H w / n``, where every key has a part of each report; else 0."""
        if not self.blocks.apart:
            return np.zeros(len(self.shares))
        of_keys, _ = self.blocks.information(self._spread)
        held, _ = self.blocks.split(self._spread)
        return self.blocks.join(np.matmul(of_keys, held[:, :, None])[:, :, 0], 0.0)

    def _of_keys(self, values: Floats) -> Floats:
        """Sums over the bins of every key."""
        return self.blocks.split(values)[0].sum(axis=1)

    def stderr_of(self, weights: Floats, about: str) -> float:
        """The standard error of ``weights . shares``."""
        w, n, ones = self._spread, self.n, self._ones
        y = self._inverse(weights)
        moved = self._of_keys(self._moved * y)
        variance = float(weights @ y) + n * float(moved @ moved - moved.sum() ** 2)
        variance += float(weights @ self._missing) ** 2
        level = float(ones @ weights) / float(ones.sum())
        followed = weights - level - self.pull * y / w  # H y
        mean = float(w @ weights)
        draw = float(w @ weights**2 - mean**2)
        draw -= 2 * float(w @ (followed * weights) - (w @ followed) * mean)
        variance += draw / n if about == "respondents" else max(draw, 0.0) / n
        return float(np.sqrt(max(variance, 0.0) + self._bias_of(weights, about, variance)))

    def _bias_of(self, weights: Floats, about: str, variance: float) -> float:
        """By how much the square of the difference to the unbiased answer is above chance."""
        value = self.unbiased.value_of(weights)
        if value is None:
            return 0.0
        apart = (float(weights @ self.shares) - value) ** 2
        if self.blocks.apart and self.blocks.sets:
            return apart
        less = max(0.0, self.unbiased.stderr_of(weights, about) ** 2 - variance)
        return max(0.0, apart - less)

    def stderr(self, about: str) -> Floats:
        """The standard error of every share: the same, with weights that are 1 for one and 0 for others."""
        w, n, blocks = self._spread, self.n, self.blocks
        of_keys, of_nobody = self._inverses
        level = self._ones / float(self._ones.sum())
        own = blocks.join(np.diagonal(of_keys, axis1=1, axis2=2), of_nobody) - self._ones * level
        sums = self._of_keys(self._moved * self._ones)
        mine = self._solve(self._moved)
        key = blocks.join(np.repeat(sums[:, None], blocks.bins, axis=1), 0.0)
        squares = (mine - key * level) ** 2 + (float(sums @ sums) - key**2) * level**2
        variance = own + n * (squares - (mine - float(sums.sum()) * level) ** 2)
        variance += self._missing**2
        followed = w * (1 - level) - self.pull * own - w * (w - level)
        draw = w * (1 - w) - 2 * followed
        variance += (draw if about == "respondents" else np.maximum(draw, 0.0)) / n
        return np.sqrt(np.maximum(variance, 0.0))
