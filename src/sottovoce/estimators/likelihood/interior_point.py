"""The likeliest distribution by a primal-dual interior point method: a dozen Newton steps.

To maximise ``l(w) = sum c log(A w)`` over distributions is to minimise

    f(w) = N sum w - l(w)   over   w >= 0,      N = sum c

since l gains ``N log t`` when w is scaled by t, so that the best w has sum 1 by itself.
With g the gradient of f and z the multipliers of ``w >= 0``, the best has
``g = z``, ``w z = 0``.  Newton's method is applied to ``g = z``, ``w z = mu``, while mu goes
to 0 (Mehrotra's predictor and corrector).  A step solves

    (H + z/w) dw = mu/w - g,      H = A' diag(c / (A w)^2) A

in the scaling ``dw = sqrt(w) u``, in which the matrix stays well conditioned although most
shares go to 0.  Its cost is that of the matrix H, ``cells d^2``, and of a factorization.
"""

from __future__ import annotations

import numpy as np

from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.channels.rows import Rows
from sottovoce.estimators.likelihood.base import Optimum, as_distribution, gap_of
from sottovoce.kernels.products import gram, product

__all__ = ["DenseLikelihood", "inverse_factor", "interior_point", "newton_step"]

MOST_STEPS = 80
_BACK = 0.995
"""Part of the way to the border ``w = 0`` or ``z = 0`` that a step may go."""
_FLOOR = 1e-3
"""Part of a start that is made uniform: Newton's method wants to begin inside."""
_SMALL = 64
"""Rows up to which a matrix is factored at once; larger ones by halves, as products."""


class DenseLikelihood:
    """Counts of cells under a matrix; cells that nobody fell in do not matter."""

    def __init__(self, matrix: Floats, counts: Floats) -> None:
        seen = counts > 0
        self._matrix, self._counts = np.ascontiguousarray(matrix[seen]), counts[seen]
        self.inputs, self.total = matrix.shape[1], float(counts.sum())

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        expected = self._matrix @ shares
        ratio = self._matrix.T @ (self._counts / expected)
        return ratio / self.total, float(self._counts @ np.log(expected))

    def curvature(self, shares: Floats) -> Floats:
        expected = self._matrix @ shares
        scaled = self._matrix * (np.sqrt(self._counts) / expected)[:, None]
        return gram(scaled.T)


def interior_point(problem: Rows, start: Floats, gap: float, meter: Meter) -> Optimum:
    """Newton steps from ``start`` until the log-likelihood is within ``gap`` of its maximum.

    If rounding or a curvature that is only nearly right stop the progress before, the
    best distribution on the way is returned with its own gap.
    """
    total, size = problem.total, problem.inputs
    shares = (1 - _FLOOR) * start + _FLOOR / size
    slack = 0.1 * total / size / shares
    history: list[float] = []
    best: Optimum | None = None
    for step in range(MOST_STEPS + 1):
        mass = float(shares.sum())
        ratio, likelihood = problem.em_step(shares)
        history.append(likelihood - total * float(np.log(mass)))  # at shares / mass
        found = gap_of(ratio * mass, total)
        if best is None or found < best.gap:
            best = Optimum(as_distribution(shares), found, ())
        meter.show(step, found)
        if best.gap <= gap or step == MOST_STEPS:
            break
        shares, slack = newton_step(problem.curvature(shares), total * (1 - ratio), shares, slack)
    assert best is not None
    return Optimum(best.shares, best.gap, tuple(history))


def newton_step(
    curvature: Floats, slope: Floats, shares: Floats, slack: Floats
) -> tuple[Floats, Floats]:
    """One predictor and corrector step in w and z, of any convex f with this slope and curvature."""
    root, size = np.sqrt(shares), len(shares)
    matrix = curvature * root[:, None] * root
    matrix[np.diag_indices(size)] += slack
    factor = inverse_factor(matrix)

    def direction(centre: Floats) -> tuple[Floats, Floats]:
        """Towards ``w z = centre`` and ``g = z``."""
        way = root * (factor.T @ (factor @ (root * (centre / shares - slope))))
        return way, (centre - slack * way) / shares - slack

    mean = float(shares @ slack) / size
    way, turn = direction(np.zeros(size))
    far = shares + _reach(shares, way) * way
    reached = float(far @ (slack + _reach(slack, turn) * turn)) / size
    target = mean * (reached / mean) ** 3
    way, turn = direction(target - way * turn)
    one, other = _reach(shares, way, _BACK), _reach(slack, turn, _BACK)
    return shares + one * way, slack + other * turn


def _reach(point: Floats, way: Floats, part: float = 1.0) -> float:
    """The longest step, up to 1, that leaves ``point + step * way`` positive (by ``part`` of it)."""
    falls = way < 0
    if not falls.any():
        return 1.0
    return min(1.0, part * float(np.min(point[falls] / -way[falls])))


def inverse_factor(matrix: Floats) -> Floats:
    """F with ``F' F`` the inverse of a positive definite matrix: the inverse of its Cholesky factor.

    By halves, ``[[A, B'], [B, C]]`` has the factor of A, then ``B F_A'``, then that of what
    is left of C.  Nearly all work is in products.
    """
    size = len(matrix)
    if size <= _SMALL:
        return np.linalg.inv(np.linalg.cholesky(matrix))
    half = size // 2
    first = inverse_factor(matrix[:half, :half])
    across = product(matrix[half:, :half], first.T)
    second = inverse_factor(matrix[half:, half:] - gram(across))
    factor = np.zeros_like(matrix)
    factor[:half, :half], factor[half:, half:] = first, second
    factor[half:, :half] = -product(second, product(across, first))
    return factor
