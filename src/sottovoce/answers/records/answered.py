"""Estimates among those who answered, where people may decline.

With f the shares of all values, d of them answers and the last one declining, what their sum lacks of 1 is
spread over all values, as everywhere.  ``S = 1 - f_d`` is the share who answered, and ``r = f / S`` are
the shares among them.  An answer ``z . r`` is a ratio of two sums of shares; to first order its error is

    e . w / S,     w = (z - z . r) on answers, 0 on declining, less its mean over all values,

which holds all covariances.  Intervals of single shares are Fieller's: the shares ratio that
``numerator - ratio * S`` does not rule out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.answers.answer import two_sided
from sottovoce.answers.errors import ErrorModel
from sottovoce.answers.fieller import ratio_interval
from sottovoce.base.errors import NotIdentified, Unfit
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["answered"]


@dataclass(frozen=True, eq=False)
class AnsweredErrors:
    """The errors of ``shares`` among the part ``answered`` of people, from those of all values."""

    inner: ErrorModel
    shares: Floats
    answered: float

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        rows = np.eye(len(self.shares))
        return np.array([self.stderr_of(row, about) for row in rows])

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        return self._noise(weights - weights @ self.shares, 0.0, about) / self.answered

    def _noise(self, on_answers: Floats, on_declining: float, about: str) -> float:
        """The error of a sum over all values, whose shares sum to 1."""
        weights = np.append(on_answers, on_declining)
        return self.inner.stderr_of(weights - weights.mean(), about)

    def intervals(
        self, about: str, confidence: float, chosen: float = 1.0
    ) -> tuple[Floats, Floats] | None:
        """Fieller's, of every share."""
        reach = two_sided(confidence, chosen)
        everybody = np.ones(len(self.shares))
        of_part = self._noise(everybody, 0.0, about) ** 2
        found = []
        for place, share in enumerate(self.shares.tolist()):
            own = -share * everybody
            own[place] += 1.0
            both = [self._noise(own + sign * everybody, 0.0, about) ** 2 for sign in (1.0, -1.0)]
            variances = self._noise(own, 0.0, about) ** 2, of_part, (both[0] - both[1]) / 4
            found.append(ratio_interval(share, self.answered, variances, reach) or (0.0, 1.0))
        low, high = np.array(found).T
        return low, high

    def centre_of(self, weights: Floats, about: str) -> float | None:
        """None: intervals lie around the answer."""
        return None


def answered(estimate: Estimate) -> Estimate:
    """The answers of those who answered, as an estimate over them."""
    domain = estimate.domain.may_decline
    if domain is None:
        raise Unfit(
            f"answered needs people who may decline (MayDecline); this estimate is over {estimate.domain}"
        )
    shares = estimate.require_shares("answered")
    shares = shares + (1 - shares.sum()) / len(shares)
    part = 1 - float(shares[-1])
    whole = np.append(np.ones(len(shares) - 1), 0.0)
    error = estimate.error_model.stderr_of(whole - whole.mean(), estimate.about)
    if part <= two_sided(0.95) * error:
        raise NotIdentified(
            f"too few people answered: {part:.1%} of all, give or take "
            f"{two_sided(0.95) * error:.1%}"
        )
    among, source = shares[:-1] / part, estimate.unbiased_source
    return replace(
        estimate, domain=domain.domain, shares=among,
        why=f"among the {part:.1%} who answered; {estimate.why}",
        error_model=AnsweredErrors(estimate.error_model, among, part),
        unbiased_source=None if source is None else functools.partial(_answered_of, source),
        trace=(),
    )  # fmt: skip


def _answered_of(source: Callable[[], Estimate | None]) -> Estimate | None:
    """What a source makes, of those who answered."""
    found = source()
    return None if found is None else answered(found)
