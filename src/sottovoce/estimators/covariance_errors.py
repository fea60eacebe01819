"""Errors from a covariance of all shares: of a population, and of the respondents drawn from it.

A posterior that is nearly normal has a covariance P of the shares of a *population*.  Those of these
n *respondents* differ from it by a draw, of covariance ``S = (diag(w) - w w') / n``.  Their reports saw
that draw: with H the information of the reports on the shares, the estimate follows a change of the
respondents by ``P H``.  Its error about them, the draw and the randomization being independent, is

    C = P + S - P H S - S H P,

P - S where the reports tell everything (P H = I), and P + S where they tell nothing of the draw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from sottovoce.base.caches import state_without_caches
from sottovoce.channels.base import Floats

__all__ = ["CovarianceErrors", "respondents_covariance"]


def respondents_covariance(posterior: Floats, information: Floats, w: Floats, n: float) -> Floats:
    """C of the shares w, from P and H."""
    draw = (np.diag(w) - np.outer(w, w)) / n
    followed = posterior @ information @ draw
    return posterior + draw - followed - followed.T


class CovarianceErrors(ABC):
    """An error model that has whole covariances, about the population and about respondents."""

    def __getstate__(self) -> dict[str, object]:
        return state_without_caches(self)

    @abstractmethod
    def covariance(self, about: str) -> Floats:
        """Of all shares."""

    @cached_property
    def _covariances(self) -> dict[str, Floats]:
        return {}

    def _known(self, about: str) -> Floats:
        if about not in self._covariances:
            self._covariances[about] = self.covariance(about)
        return self._covariances[about]

    def stderr(self, about: str) -> Floats:
        """The standard error of every share."""
        return np.sqrt(np.maximum(np.diag(self._known(about)), 0.0))

    def stderr_of(self, weights: Floats, about: str) -> float:
        """The standard error of ``weights . shares``."""
        return float(np.sqrt(max(float(weights @ self._known(about) @ weights), 0.0)))
