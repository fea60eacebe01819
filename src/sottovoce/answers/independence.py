"""Whether two questions of a record are independent, under the noise of a joint oracle.

Pearson's statistic takes the noise of randomization for dependence.  Here ``h = f_ab - f_a f_b'``, from
the reports about both questions; h has no row or column sums, so that it is ``Q_a h Q_b'`` in orthonormal
contrasts Q.  To first order a contrast Z of h is the sum of ``Z - (Z f_b) 1' - 1 (f_a' Z)`` over the table,
whose covariance under independence is that of the reports with frequencies ``x = A (f_a f_b')``:

    W = h' Cov^-1 h   is chi-square with (d_a - 1)(d_b - 1) degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.answers.pooled_sets import PooledSets, SetWeights, oracle_inverse
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
    channel = sets.channel
    size = math.prod(channel.sizes[question] for question in pair)
    if size > _MOST_CELLS:
        raise Unfit(
            f"independence is tested in tables of at most {_MOST_CELLS} cells; this one has {size}"
        )
    stats = optional("scipy.stats", extra="analyse", purpose="a test of independence")
    reports = _Reports(sets, pair, base)
    table = reports.table
    rows, columns = table.sum(axis=1), table.sum(axis=0)

    def gains(weights: Floats) -> list[Floats]:
        """What cells add to the sum of ``weights * h``, to first order."""
        return reports.gains(weights - (weights @ columns)[:, None] - (rows @ weights)[None, :])

    first, second = _contrasts(len(rows)), _contrasts(len(columns))
    every = [gains(np.outer(u, v)) for u in first for v in second]
    covariance = reports.covariance(every, under=np.outer(rows, columns))
    h = table - np.outer(rows, columns)
    contrasts = (first @ h @ second.T).ravel()
    statistic = float(contrasts @ np.linalg.lstsq(covariance, contrasts, rcond=None)[0])
    freedom = len(contrasts)

    found = statistic, freedom, float(stats.chi2.sf(statistic, freedom))
    ones, units = np.ones(table.shape), np.eye(size).reshape(-1, *table.shape)
    of_rows = [reports.gains(unit[:, None] * ones) for unit in np.eye(len(rows))]
    of_columns = [reports.gains(unit * ones) for unit in np.eye(len(columns))]
    noise = reports.covariance([*map(gains, units), *of_rows, *of_columns])
    errors = np.sqrt(np.maximum(np.diag(noise)[size:], 0.0))
    if (np.concatenate([rows, columns]) < _CLEARLY * errors).any():
        return Independence(*found, None)
    v = strength_of((rows, columns), h, noise, confidence)
    return Independence(*found, v.value, v.low, v.high, confidence)


class _Reports:
    """The reports about a pair: those of the set ``base``, and where these say nothing about the
    questions one by one, those of each question.
    """

    def __init__(self, sets: PooledSets, pair: tuple[int, int], base: int) -> None:
        self._sets, self._pair, self._base = sets, pair, base
        channel = sets.channel
        self._pooled = not channel.has_margins(base)
        table = channel.margin(sets.tables[base], channel.sets[base], pair)
        if self._pooled:
            rows, columns = (sets.shares(question) for question in pair)
            table = table + ((rows - table.sum(axis=1)) / len(columns))[:, None]
            table = table + (columns - table.sum(axis=0)) / len(rows)
        self.table = table
        self._numbers = sorted(self._parts(np.ones(table.shape)))

    def _parts(self, weights: Floats) -> SetWeights:
        if self._pooled:
            return self._sets.pair_weights(self._pair, self._base, weights)
        asked = self._sets.channel.sets[self._base]
        return {self._base: self._sets.channel.expand(weights, self._pair, asked)}

    def gains(self, weights: Floats) -> list[Floats]:
        """What every cell of each set adds to the sum of ``weights * table``."""
        parts, channels = self._parts(weights), self._sets.channel.channels
        flat = [(number, parts[number].ravel()) for number in self._numbers]
        return [oracle_inverse(channels[i]).adjoint(part - part.mean()) for i, part in flat]

    def covariance(self, answers: Sequence[list[Floats]], under: Floats | None = None) -> Floats:
        """Of sums with these gains; with the frequencies of the base that a table ``under`` gives."""
        total = np.zeros((len(answers), len(answers)))
        for place, number in enumerate(self._numbers):
            every, seen = np.stack([each[place] for each in answers]), self._sets.seen[number]
            if number == self._base and under is not None:
                seen = self._expected(under)
            mean = every @ seen
            total += ((every * seen) @ every.T - np.outer(mean, mean)) / self._sets.counts[number]
        return total

    def _expected(self, table: Floats) -> Floats:
        """The frequencies of the base if this is the table; those seen where it has more questions."""
        oracle = self._sets.channel.channels[self._base]
        if oracle.inputs != table.size:
            return self._sets.seen[self._base]
        expected = np.maximum(oracle.forward(table.ravel()), 0.0)
        return expected / expected.sum()


def _contrasts(size: int) -> Floats:
    """Orthonormal rows without a sum (Helmert)."""
    rows = np.tri(size)[:-1]
    rows[np.arange(size - 1), np.arange(1, size)] = -np.arange(1.0, size)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
