"""Whether two questions of a record are independent, under the noise of a joint oracle.

Pearson's statistic takes the noise of randomization for dependence.  Here ``h = f_ab - f_a f_b'``, from
the reports about both questions; h has no row or column sums, so that it is ``Q_a h Q_b'`` in orthonormal
contrasts Q.  To first order a contrast Z of h is the sum of ``Z - (Z f_b) 1' - 1 (f_a' Z)`` over the table,
whose covariance under independence is that of the reports with frequencies ``x = A (f_a f_b')``:

    W = h' Cov^-1 h   is chi-square with (d_a - 1)(d_b - 1) degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sottovoce.answers.pooled_sets import PooledSets, oracle_inverse
from sottovoce.answers.records.strength import strength_of
from sottovoce.base.errors import Unfit
from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

__all__ = ["Independence", "independence_of"]

_MOST_CELLS = 1024
"""Cells of a table up to which it is tested: their covariance takes 8 MB."""
_CLEARLY = 2.0
"""Standard errors above 0 from which all shares of a question must be for Cramer's V."""


@dataclass(frozen=True)
class Independence:
    """A test of independence: ``p_value`` is how often noise alone gives a statistic as large.

    ``cramers_v`` is from 0 (independent) to 1, corrected for what noise adds, with an interval from
    ``low`` to ``high``; None where some answer is so rare that its share cannot be told from 0.
    """

    statistic: float
    freedom: int
    p_value: float
    cramers_v: float | None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95

    def __str__(self) -> str:
        strength = ""
        if self.cramers_v is not None:
            ends = f"({self.confidence:.0%} from {self.low:.3f} to {self.high:.3f})"
            strength = f", Cramer's V {self.cramers_v:.3f} {ends}"
        return f"W = {self.statistic:.2f} ({self.freedom} degrees of freedom), p = {self.p_value:.3g}{strength}"


def independence_of(
    sets: PooledSets, pair: tuple[int, int], base: int, confidence: float = 0.95
) -> Independence:
    """Test two questions, in order, on the reports of the set ``base``."""
    channel, asked = sets.channel, sets.channel.sets[base]
    table = channel.margin(sets.tables[base], asked, pair)
    if table.size > _MOST_CELLS:
        raise Unfit(
            f"independence is tested in tables of at most {_MOST_CELLS} cells; "
            f"this one has {table.size}"
        )
    stats = optional("scipy.stats", extra="analyse", purpose="a test of independence")
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    oracle, n = channel.channels[base], sets.counts[base]
    inverse = oracle_inverse(oracle)

    def add(weights: Floats) -> Floats:
        """What every cell of the set adds to the sum of ``weights * table``."""
        spread = channel.expand(weights, pair, asked).ravel()
        return inverse.adjoint(spread - spread.mean())

    def gains(weights: Floats) -> Floats:
        """The same for ``weights * h``, to first order."""
        return add(weights - (weights @ columns)[:, None] - (rows @ weights)[None, :])

    first, second = _contrasts(len(rows)), _contrasts(len(columns))
    every = np.stack([gains(np.outer(u, v)) for u in first for v in second])
    seen, size = sets.seen[base], math.prod(channel.shape(asked))
    if size == table.size:
        expected = oracle.forward(np.outer(rows, columns).ravel())
        seen = np.maximum(expected, 0.0) / np.maximum(expected, 0.0).sum()
    mean = every @ seen
    covariance = ((every * seen) @ every.T - np.outer(mean, mean)) / n
    h = table - np.outer(rows, columns)
    contrasts = (first @ h @ second.T).ravel()
    statistic = float(contrasts @ np.linalg.lstsq(covariance, contrasts, rcond=None)[0])
    freedom = len(contrasts)

    found = statistic, freedom, float(stats.chi2.sf(statistic, freedom))
    observed, ones = sets.seen[base], np.ones(table.shape)
    of_rows = np.stack([add(unit[:, None] * ones) for unit in np.eye(len(rows))])
    of_columns = np.stack([add(unit * ones) for unit in np.eye(len(columns))])
    for margin, added in ((rows, of_rows), (columns, of_columns)):
        errors = np.sqrt((added**2 @ observed - (added @ observed) ** 2) / n)
        if (margin < _CLEARLY * errors).any():
            return Independence(*found, None)
    units = np.eye(table.size).reshape(-1, *table.shape)
    of_cells = np.stack([gains(unit) for unit in units])
    of_margins = of_rows, of_columns
    v = strength_of((rows, columns), h, of_cells, observed, n, of_margins, confidence)
    return Independence(*found, v.value, v.low, v.high, confidence)


def _contrasts(size: int) -> Floats:
    """Orthonormal rows without a sum (Helmert)."""
    rows = np.tri(size)[:-1]
    rows[np.arange(size - 1), np.arange(1, size)] = -np.arange(1.0, size)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
