"""Errors of the likeliest distribution from its curvature, where reports are too many to draw again.

Near the fit w the log-likelihood of n users is quadratic.  Its curvature ``H = sum c r r'``, with
``r_i = L_i / (L_i w)``, also says how its slope varies.  A user of value v has the mean slope
``E[r | v] = H_v / n``; if users have the shares p, the slope at w is ``H p`` and noise e,

    Var e = H - H diag(w) H / n        (the users being these, not drawn anew)

So who answers again is estimated at the maximum of ``(H p + e)' u - u' H u / 2`` over
distributions u: a replicate costs some factorizations of H and no pass over reports.  Shares stay
non-negative as those of the fit do.  Reference: Geyer 1994, *On the asymptotics of constrained
M-estimation*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.base.caches import state_without_caches
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.estimators.errors.replicates import Counts, Replicates
from sottovoce.estimators.likelihood.base import as_distribution
from sottovoce.estimators.likelihood.interior_point import newton_step

__all__ = ["CurvatureReplicates"]

_REPEATS = 40
_STEPS, _NEAR = 60, 1e-10
"""Newton steps of a replicate, at most, and the part of n that ``w . z`` may be at the end."""
_TIED = 1e3
"""Times n that a sum of shares other than 1 costs."""


@dataclass(frozen=True, eq=False)
class CurvatureReplicates(Replicates):
    """Replicates of a fit with its curvature H; no report is drawn."""

    fit: Floats
    curvature: Floats
    users: int

    def __getstate__(self) -> dict[str, object]:
        return state_without_caches(self)

    def truths(self, source: Seeded) -> list[Floats]:
        return [self.fit] * _REPEATS

    def again(self, counts: Counts, source: Seeded) -> Floats:
        noise = self._noise @ source.generator().standard_normal(len(counts))
        tie = _TIED * self.users
        return _largest(self.curvature + tie, self.curvature @ (counts / self.users) + noise + tie)

    @cached_property
    def _noise(self) -> Floats:
        """A root of the variance of the slope."""
        through = self.curvature * np.sqrt(self.fit)
        sizes, ways = np.linalg.eigh(self.curvature - through @ through.T / self.users)
        return np.asarray(ways * np.sqrt(np.maximum(sizes, 0.0)))

    @property
    def shares(self) -> Floats:
        return self.fit

    @property
    def n(self) -> int:
        return self.users


def _largest(matrix: Floats, linear: Floats) -> Floats:
    """The distribution u at which ``linear . u - u' matrix u / 2`` is largest."""
    size = len(linear)
    shares = np.full(size, 1 / size)
    scale = float(shares @ matrix @ shares)
    slack = np.full(size, 0.1 * scale)
    for _ in range(_STEPS):
        shares, slack = newton_step(matrix, matrix @ shares - linear, shares, slack)
        if float(shares @ slack) <= _NEAR * scale:
            break
    return as_distribution(shares)
