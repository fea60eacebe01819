"""Models of an answer given covariates x, and the likelihood of randomized reports under them.

A report i has the odds ``L_iv`` under answer v, and so the likelihood ``l_i = sum_v L_iv p_v(x_i)``.

*Multinomial* (logistic for two answers): ``p_v ~ exp(x b_v)``, ``b`` of the first answer 0.  With ``m_a = p_a (L_a - l)``

    dl/dh_a = m_a,   d2l/dh_a dh_b = [a = b] m_a - p_a m_b - p_b m_a.

*Cumulative*: answers up to v have the probability ``F(u_v)``, ``u_v = T_v g - x b``.  Summed by parts
``l = L_d + sum_v (L_v - L_(v+1)) F(u_v)``, so that the derivatives in u stand apart:

    dl/du_v = (L_v - L_(v+1)) f(u_v),   d2l/du_v^2 = (L_v - L_(v+1)) f'(u_v).

With F logistic and T the identity these are proportional odds.  With F normal and T the edges of bins, ``g = 1/s`` and
``b = c/s``, they are a linear model ``x c`` with normal errors of deviation s, seen in bins; the first and the last bin
are open.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

__all__ = ["Cumulative", "Likelihood", "Model", "Multinomial"]


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log-likelihood, every report's gradient of it, and its second derivatives."""

    value: float
    scores: Floats
    hessian: Floats


class Model(ABC):
    """Probabilities of answers, and the likelihood of reports, at parameters."""

    @abstractmethod
    def start(self, rows: Floats) -> Floats:
        """Parameters to begin with."""

    @abstractmethod
    def shares(self, parameters: Floats, rows: Floats) -> Floats:
        """The probability of every answer, a row per respondent."""

    @abstractmethod
    def likelihood(self, parameters: Floats, rows: Floats, odds: Floats) -> Likelihood | None:
        """Of reports; None where parameters are not possible."""

    def value(self, parameters: Floats, rows: Floats, odds: Floats) -> float:
        """The log-likelihood alone."""
        shares = self.shares(parameters, rows)
        seen = np.einsum("iv,iv->i", odds, shares)
        if not (np.isfinite(seen).all() and seen.min() > 0 and shares.min() >= 0):
            return -math.inf
        return float(np.log(seen).sum())


@dataclass(frozen=True)
class Multinomial(Model):
    """The logarithm of the odds of every answer but the first, to the first, is linear in x."""

    answers: int

    def start(self, rows: Floats) -> Floats:
        return np.zeros((self.answers - 1) * rows.shape[1])

    def shares(self, parameters: Floats, rows: Floats) -> Floats:
        slopes = parameters.reshape(self.answers - 1, rows.shape[1])
        scores = np.concatenate([np.zeros((len(rows), 1)), rows @ slopes.T], axis=1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def likelihood(self, parameters: Floats, rows: Floats, odds: Floats) -> Likelihood | None:
        shares = self.shares(parameters, rows)
        seen = np.einsum("iv,iv->i", odds, shares)
        if not (np.isfinite(seen).all() and seen.min() > 0):
            return None
        p = shares[:, 1:]
        pulls = p * (odds[:, 1:] / seen[:, None] - 1)
        width, count = rows.shape[1], self.answers - 1
        scores = (pulls[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
        hessian = -scores.T @ scores
        for a in range(count):
            for b in range(count):
                bend = -p[:, a] * pulls[:, b] - p[:, b] * pulls[:, a]
                if a == b:
                    bend = bend + pulls[:, a]
                block = slice(a * width, (a + 1) * width), slice(b * width, (b + 1) * width)
                hessian[block] += rows.T @ (bend[:, None] * rows)
        return Likelihood(float(np.log(seen).sum()), scores, hessian)


@dataclass(frozen=True, eq=False)
class Cumulative(Model):
    """Parameters g of thresholds, then b.  ``points`` is T; ``normal`` says which F."""

    points: Floats
    normal: bool
    first: Floats
    """Parameters of the thresholds to begin with."""

    def start(self, rows: Floats) -> Floats:
        return np.concatenate([self.first, np.zeros(rows.shape[1])])

    def _law(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        """F, its derivative and the next one."""
        special = optional("scipy.special", extra="analyse", purpose="regress")
        if self.normal:
            density = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
            return special.ndtr(u), density, -u * density
        up_to = special.expit(u)
        density = up_to * (1 - up_to)
        return up_to, density, density * (1 - 2 * up_to)

    def _thresholds(self, parameters: Floats, rows: Floats) -> tuple[Floats, Floats]:
        many = self.points.shape[1]
        ends = self.points @ parameters[:many]
        return ends, ends[None, :] - (rows @ parameters[many:])[:, None]

    def shares(self, parameters: Floats, rows: Floats) -> Floats:
        _, u = self._thresholds(parameters, rows)
        return np.diff(self._law(u)[0], axis=1, prepend=0.0, append=1.0)

    def likelihood(self, parameters: Floats, rows: Floats, odds: Floats) -> Likelihood | None:
        ends, u = self._thresholds(parameters, rows)
        if (np.diff(ends) <= 0).any():
            return None
        steps = odds[:, :-1] - odds[:, 1:]
        up_to, density, bend = self._law(u)
        seen = odds[:, -1] + np.einsum("iv,iv->i", steps, up_to)
        if not (np.isfinite(seen).all() and seen.min() > 0):
            return None
        first, second = steps * density / seen[:, None], steps * bend / seen[:, None]
        scores = np.concatenate([first @ self.points, -first.sum(axis=1)[:, None] * rows], axis=1)
        of_points = self.points.T @ (second.sum(axis=0)[:, None] * self.points)
        of_both = -(second @ self.points).T @ rows
        of_rows = rows.T @ (second.sum(axis=1)[:, None] * rows)
        hessian = np.block([[of_points, of_both], [of_both.T, of_rows]]) - scores.T @ scores
        return Likelihood(float(np.log(seen).sum()), scores, hessian)
