"""What reports say of the shares of G cells: the log-likelihood near one distribution, as a parabola.

Reports are counted in ``rows``; ``matrix`` A has the probability of every row from every cell.  Near
the shares ``a`` the log-likelihood of n reports is

    l(w)  ~  l(a) + s . (w - a) - (w - a)' M (w - a) / 2,

so that a fit under a prior costs products of G numbers, however many rows there are.  The parabola is
accurate where ``A w / A a`` is near 1.  Local privacy keeps that quotient near 1 already for a rough
guess a, and :mod:`sottovoce.estimators.smooth.adaptive` moves a to its fit and starts again.

*One row per report* (waves, response, hashing, sampled hierarchies): the multinomial,

    l(w) = c . log(A w),    s = A'(c / A a),    M = n A' diag(1 / A a) A.

*One bit per row* (unary encoding, also of all nodes of a tree): bits are independent given the value.
With ``x = A a`` and ``v = x - (A o A) a``, the variance of a bit given the values, the reports have
the information ``N = n A' diag(1/v) A`` on the shares of the respondents.  Those differ from the
population's by a draw, ``S = (diag(a) - a a') / n``, so that

    M = (I + N S)^-1 N,    s = (I + N S)^-1 A'((c - n x) / v).

Only differences of distributions are put in, whose sum is 0.

*Scatter*: where people moved between near cells of a smooth distribution, ``e = D x`` with x standard normal
and the sum of every column of D 0.  With
``V = D D'`` and ``K = (I + V M)^-1 V``, the integral over e is again a parabola,

    l(a) + s . K s / 2 - log det(I + V M) / 2,    s - M K s,    M - M K M,

and given the smooth part w the shares themselves are normal around ``w + K (s - M (w - a))`` with covariance K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["Parabola", "Readings", "solved"]


def solved(matrix: Floats, right: Floats) -> Floats:
    """``M^-1 r``; the least solution where M says nothing along some direction."""
    try:
        found = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(matrix, right, rcond=None)[0]
    return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Parabola:
    """The log-likelihood near ``at``: its ``value`` and ``slope`` there, and its curvature ``bend`` M."""

    at: Floats
    value: float
    slope: Floats
    bend: Floats

    def scattered(self, moves: Floats) -> tuple[Parabola, Floats]:
        """The same of the smooth part of shares that scatter by these ``moves`` D, and K."""
        variance = moves @ moves.T
        system = variance @ self.bend
        system[np.diag_indices_from(system)] += 1.0
        followed = solved(system, variance)
        followed = (followed + followed.T) / 2
        taken, bent = followed @ self.slope, followed @ self.bend
        logdet = float(np.linalg.slogdet(system)[1])
        value = self.value + float(self.slope @ taken) / 2 - logdet / 2
        bend = self.bend - self.bend @ bent
        return Parabola(self.at, value, self.slope - self.bend @ taken, bend), followed

    def pull(self, shares: Floats) -> Floats:
        """The gradient at ``shares``, ``s - M (w - a)``."""
        pull: Floats = self.slope - self.bend @ (shares - self.at)
        return pull

    def height(self, shares: Floats, pull: Floats) -> float:
        """The log-likelihood at ``shares``, where the gradient is ``pull``."""
        return self.value + float((self.slope + pull) @ (shares - self.at)) / 2


@dataclass(frozen=True, eq=False)
class Readings:
    """Counts of rows, and what the rows say of cells.

    ``bits``: every report has a bit for each row, else it is in one row.
    """

    matrix: Floats
    counts: Floats
    n: float
    bits: bool = False

    def around(self, shares: Floats) -> Parabola:
        """The log-likelihood near ``shares``, a distribution."""
        expected = self.matrix @ shares
        if self.bits:
            return self._of_bits(shares, expected)
        scaled = self.matrix * np.sqrt(self.n / expected)[:, None]
        slope = self.matrix.T @ (self.counts / expected)
        value = float(self.counts @ np.log(expected))
        return Parabola(shares, value, slope, scaled.T @ scaled)

    def _of_bits(self, shares: Floats, expected: Floats) -> Parabola:
        n = self.n
        spread = np.maximum(expected - self.matrix**2 @ shares, 1e-300)
        scaled = self.matrix * np.sqrt(n / spread)[:, None]
        told = scaled.T @ scaled
        followed = (told * shares - np.outer(told @ shares, shares)) / n
        followed[np.diag_indices_from(followed)] += 1.0
        score = self.matrix.T @ ((self.counts - n * expected) / spread)
        both = solved(followed, np.column_stack([told, score]))
        bend = (both[:, :-1] + both[:, :-1].T) / 2
        return Parabola(shares, 0.0, both[:, -1], bend)
