"""Priors of a smooth distribution: how rough it is taken to be, and where.

A distribution on G neighbouring cells of widths ``h`` (together 1) is written

    w_j = h_j g(t(u_j)),     t(u) = sum_i sd_i z_i phi_i(u),     z_i standard normal,

with a *link* g that keeps shares positive and g(0) = 1, the uniform distribution:

- ``log``: g(t) = e^t; roughness is relative, so that high parts may vary more;
- ``linear``: g(t) = s log(1 + (e^(1/s) - 1) e^(t/s)), s = 1/4: the straight line 1 + t wherever it
  is well above 0; roughness is the same at every height.

The functions are cosines ``sqrt(2) cos(pi i u)`` with ``sd_i = roughness / (pi i)^order``: free
Brownian motion for order 1, its first and second integral (the priors behind linear, cubic and
quintic smoothing splines) for orders 2 and 3.  Cosines are flat at both ends; from order 2 on a
straight line and a parabola free the slopes there.  On a ring sines and cosines of whole periods
take the place of all of these.

The axis is ``u = (1 - warp) x + warp F(x)``, F a first estimate of the cumulative distribution:
with ``warp`` above 0 the same roughness allows narrow peaks where many people are, and asks for
smoothness where there are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["LINKS", "ORDERS", "Smoothness", "inverse_link", "link", "prior_functions"]

LINKS = ("log", "linear")
ORDERS = (1, 2, 3)
LEVELS = (-4, 9)
"""Least and greatest roughness, in steps."""

_STEP, _ORDER_STEP = 0.5, 0.75
"""Decades of roughness between two levels, and between two orders of the same level."""

_ODDS = 0.6
"""Logarithm of the odds of a level against the one below.

Half way from 0 (all orders of magnitude alike, which leans to no roughness at all where reports tell
little) to 1.15 (the roughness itself uniform, as is advised for deviations).
"""

_MOST_FUNCTIONS = {1: 256, 2: 120, 3: 60}
_CONSTANT, _POLYNOMIAL = 10.0, 1.5
"""Prior deviations of the constant (free, as the total is known) and of line and parabola."""

_BEND = 0.25
_OFFSET = float(np.log(np.expm1(1 / _BEND)))


@dataclass(frozen=True, order=True)
class Smoothness:
    """One prior: its link, order, warp, and level of roughness."""

    link: str
    order: int
    warp: float
    level: float

    @property
    def roughness(self) -> float:
        """Deviation of the ``order``-th derivative of t over the whole axis.

        It grows with the order so that priors of the same level are about equally rough.
        """
        return float(10 ** (_STEP * self.level + _ORDER_STEP * (self.order - 1)))

    @property
    def log_odds(self) -> float:
        """How much likelier a rough prior is held than a smooth one before any report."""
        return _ODDS * self.level

    def neighbours(self, warps: tuple[float, ...]) -> list[Smoothness]:
        """The priors that differ from this one in one respect, by one step."""
        found = [replace(self, level=level) for level in (self.level + 1, self.level - 1)]
        found = [s for s in found if LEVELS[0] <= s.level <= LEVELS[1]]
        found += [replace(self, order=o) for o in ORDERS if abs(o - self.order) == 1]
        found += [replace(self, link=kind) for kind in LINKS if kind != self.link]
        found += [replace(self, warp=warp) for warp in warps if warp != self.warp]
        return found

    def __str__(self) -> str:
        warped = f", axis warped by {self.warp:g}" if self.warp else ""
        return f"{self.link} link, order {self.order}, roughness {self.roughness:.3g}{warped}"


def link(kind: str, values: Floats) -> tuple[Floats, Floats]:
    """``g(t)`` and its derivative."""
    if kind == "log":
        heights: Floats = np.exp(np.minimum(values, 50.0))
        return heights, heights
    scaled = values / _BEND + _OFFSET
    heights = _BEND * np.logaddexp(0.0, scaled)
    return np.maximum(heights, 1e-12), 1 / (1 + np.exp(-np.clip(scaled, -50.0, 50.0)))


def inverse_link(kind: str, heights: Floats) -> Floats:
    """The t whose ``g(t)`` is nearest to ``heights``, which may be 0."""
    if kind == "log":
        values: Floats = np.log(np.maximum(heights, 1e-4))
        return values
    scaled = np.maximum(heights, 1e-4) / _BEND
    return _BEND * (scaled + np.log(-np.expm1(-scaled)) - _OFFSET)


def prior_functions(smoothness: Smoothness, places: Floats, ring: bool) -> tuple[Floats, Floats]:
    """The functions at ``places`` (u from 0 to 1), a column each, and their deviations."""
    order = smoothness.order
    count = min(_MOST_FUNCTIONS[order], len(places) - 1)
    constant = np.ones((len(places), 1))
    if ring:
        periods = 2 * (np.arange(count, dtype=np.float64) // 2 + 1)
        phases = np.where(np.arange(count) % 2, 0.5, 0.0)
        waves = np.sqrt(2) * np.cos(np.pi * (places[:, None] * periods - phases))
        return np.hstack([constant, waves]), _deviations(smoothness, periods, [])
    periods = np.arange(count, dtype=np.float64) + 1
    waves = np.sqrt(2) * np.cos(np.pi * places[:, None] * periods)
    if order == 1:
        return np.hstack([constant, waves]), _deviations(smoothness, periods, [])
    side = 2 * places[:, None] - 1
    line, parabola = np.sqrt(3) * side, np.sqrt(5) * (3 * side**2 - 1) / 2
    return (
        np.hstack([constant, line, parabola, waves]),
        _deviations(smoothness, periods, [_POLYNOMIAL, _POLYNOMIAL]),
    )


def _deviations(smoothness: Smoothness, periods: Floats, polynomials: list[float]) -> Floats:
    decay = smoothness.roughness / (np.pi * periods) ** smoothness.order
    return np.concatenate([[_CONSTANT], polynomials, decay])
