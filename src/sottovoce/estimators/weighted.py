"""Shares of a population from reports with sampling weights.

Respondent i counts ``w_i``.  A report adds ``g = B' z`` of its cell to the answer ``z . f``, so that the weighted mean
``t = sum w_i g_i / sum w_i`` is its estimate (Hajek 1971), with the linearized variance

    sum of w_i^2 (g_i - t)^2 / (sum w_i)^2

about the population.  About the respondents, weighted as they are, only the noise of randomization remains:
``sum w_i^2 (g_i^2 - z_i^2)``, where the unbiased estimate of the weighted squares stands for z.  A tally has whole counts
only, so that reports are taken, not a tally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.answers.about import check_about
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.core.reports import Reports

__all__ = ["WeightedErrors", "weighted"]


def weighted(
    reports: Reports, weights: Sequence[float] | Any, *, about: str = "population"
) -> Estimate:
    """Unbiased shares from reports with a weight each, as of a survey with unequal chances to be asked.

    Parameters
    ----------
    reports : Reports
        The reports of single answers.
    weights : array of float
        A weight per report, in the same order: how many people of the population it stands for.
    about : str
        ``"population"`` or ``"respondents"``.

    Returns
    -------
    Estimate
        Shares and errors. ``why`` has the design effect of the weights.

    Raises
    ------
    InvalidInput
        Where weights are negative, all zero, or not one per report.
    Unfit
        Where a report falls in several cells, or there are no unbiased shares.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.YesNo(), 3.0)
    >>> reports = m.randomize([True] * 3000 + [False] * 1000, source=sv.Seeded(1))
    >>> found = sv.weighted(reports, np.repeat([1.0, 3.0], [3000, 1000]))
    >>> abs(found.share("yes").value - 0.5) < 0.05
    True
    """
    check_about(about, "weighted")
    if not isinstance(reports, Reports):
        raise InvalidInput("reports", "weighted", "Reports: a tally has no rows", reports)
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (len(reports),) or not np.isfinite(w).all() or (w < 0).any() or w.sum() <= 0:
        allowed = f"{len(reports)} finite numbers, not negative and not all 0"
        raise InvalidInput("weights", "weighted", allowed, f"shape {w.shape}")
    mechanism = reports.mechanism
    cells, channel = mechanism.cells_of(reports), mechanism.channel()
    if cells is None or channel.inverse is None:
        raise Unfit(
            f"weighted needs reports of one cell with unbiased shares; of {mechanism}, estimate each "
            "stratum of equal weights by itself"
        )
    total, count = float(w.sum()), mechanism.cells
    first = np.bincount(cells, w, minlength=count) / total
    squares = np.bincount(cells, w**2, minlength=count) / total**2
    shares = channel.inverse.forward(first)
    effect = len(w) * float(np.sum(w**2)) / total**2
    errors = WeightedErrors(channel, first, squares)
    why = f"weights of reports; their design effect is {effect:.2f}"
    return Estimate(mechanism.domain, shares, len(reports), "weighted", why, errors, about=about)


@dataclass(frozen=True, eq=False)
class WeightedErrors:
    """Errors of weighted shares: weights by cell, and their squares, in parts of all weights."""

    channel: Channel
    frequencies: Floats
    squares: Floats

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        return np.array([self.stderr_of(unit, about) for unit in np.eye(self.channel.inputs)])

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        inverse = self._inverse
        gains = inverse.adjoint(weights)
        if about == "population":
            away = gains - self.frequencies @ gains
            return float(np.sqrt(self.squares @ away**2))
        center = float(weights.mean())
        noise = self.squares @ (gains - center) ** 2
        spread = inverse.forward(self.squares) @ (weights - center) ** 2
        return float(np.sqrt(max(0.0, float(noise - spread))))

    @property
    def _inverse(self) -> Inverse:
        assert self.channel.inverse is not None  # refused without one
        return self.channel.inverse
