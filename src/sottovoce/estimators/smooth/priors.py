"""Priors of a smooth distribution: how rough it is taken to be, and where.

A distribution on G neighbouring cells of widths ``h`` (together 1) is written

    w_j = h_j g(t(u_j)) / sum,     t(u) = sum_i sd_i z_i phi_i(u),     z_i standard normal,

with a *link* g that keeps shares positive and g(0) = 1, the uniform distribution:

- ``log``: g(t) = e^t; roughness is relative, so that high parts may vary more;
- ``linear``: g(t) = s log(1 + (e^(1/s) - 1) e^(t/s)), s = 1/4: the straight line 1 + t wherever it
  is well above 0; roughness is the same at every height.

The functions are cosines ``sqrt(2) cos(pi i u)`` with ``sd_i = roughness / (pi i)^order``: free
Brownian motion for order 1, its first and second integral (the priors behind linear, cubic and
quintic smoothing splines) for orders 2 and 3.  Cosines are flat at both ends; from order 2 on a
straight line and a parabola free the slopes there.  On a ring sines and cosines of whole periods
take the place of all of these.  Order 0 has no functions: the uniform distribution itself.

The axis is ``u = (1 - warp) x + warp F(x)``, F a first estimate of the cumulative distribution
without spikes: with ``warp`` above 0 the same roughness allows narrow peaks where many people are, and
asks for smoothness where there are few.

Bins of a domain that differ in width are equally far apart on the axis, for bins are made narrow where people
are; h is by how much each is wider than a steady growth of widths has it.

*Scatter*: real numbers are seldom as smooth as that (people round, bins are uneven), so each cell may have
a few percent more or less than the smooth part, which its neighbours have less or more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import lgamma

import numpy as np

from sottovoce.channels.base import Floats

__all__ = [
    "ATOM",
    "LINKS",
    "ORDERS",
    "UNIFORM",
    "SCATTERS",
    "Axis",
    "Smoothness",
    "inverse_link",
    "link",
    "log_density_of_atoms",
    "prior_functions",
]

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

_UNIFORM_ODDS = 3.0
"""The same of the uniform distribution against one prior of level 0.

Some twenty priors explain any reports about as well as the best: with e^3 the uniform distribution counts
as much as all of them where reports say nothing, and not at all where they speak against it.
"""

SCATTERS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Deviations of cells from the smooth part, in parts of it."""
_SCATTER_ODDS = 0.5
"""Logarithm of the odds of a scatter against the next larger one."""

ATOM = 0.1
"""b, see :func:`log_density_of_atoms`: the size of an atom where no other is known."""

_NEIGHBOURS = 2
"""Cells on either side whose median density is that without spikes."""

_REACH = 4
"""Cells on either side from which rounding takes people."""


_MOST_FUNCTIONS = {1: 256, 2: 120, 3: 60}
_POLYNOMIAL = 1.5
"""Prior deviation of line and parabola."""

_BEND = 0.25
_OFFSET = float(np.log(np.expm1(1 / _BEND)))


@dataclass(frozen=True, order=True)
class Smoothness:
    """One prior: its link, order, warp, and level of roughness; cells scatter by parts of themselves."""

    link: str
    order: int
    warp: float
    level: float
    scatter: float = 0.0
    """One of ``SCATTERS``."""

    @property
    def roughness(self) -> float:
        """Deviation of the ``order``-th derivative of t over the whole axis.

        It grows with the order so that priors of the same level are about equally rough.
        """
        return float(10 ** (_STEP * self.level + _ORDER_STEP * (self.order - 1)))

    @property
    def log_odds(self) -> float:
        """How much likelier a rough prior is held than a smooth one before any report."""
        smooth = _UNIFORM_ODDS if self.order == 0 else _ODDS * self.level
        return smooth - _SCATTER_ODDS * SCATTERS.index(self.scatter)

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
        scattered = f", cells scattered by {self.scatter:.0%}" if self.scatter else ""
        if self.order == 0:
            return f"uniform{scattered}"
        return f"{self.link} link, order {self.order}, roughness {self.roughness:.3g}{warped}{scattered}"


def link(kind: str, values: Floats) -> tuple[Floats, Floats, Floats]:
    """``g(t)`` and its first two derivatives."""
    if kind == "log":
        heights: Floats = np.exp(np.minimum(values, 50.0))
        return heights, heights, heights
    scaled = values / _BEND + _OFFSET
    heights = _BEND * np.logaddexp(0.0, scaled)
    slopes = 1 / (1 + np.exp(-np.clip(scaled, -50.0, 50.0)))
    return np.maximum(heights, 1e-12), slopes, slopes * (1 - slopes) / _BEND


def inverse_link(kind: str, heights: Floats) -> Floats:
    """The t whose ``g(t)`` is nearest to ``heights``, which may be 0."""
    if kind == "log":
        values: Floats = np.log(np.maximum(heights, 1e-4))
        return values
    scaled = np.maximum(heights, 1e-4) / _BEND
    return _BEND * (scaled + np.log(-np.expm1(-scaled)) - _OFFSET)


UNIFORM = Smoothness("log", 0, 0.0, 0)
"""No roughness at all."""


@dataclass(frozen=True, eq=False)
class Axis:
    """Cells in order: their ``widths``, together 1, and a first guess of their ``shares``."""

    widths: Floats
    shares: Floats
    ring: bool = False
    centres_apart: Floats | None = None
    """The middles of cells, from 0 to 1, where cells are equally far apart though not equally wide."""
    _known: dict[tuple[int, float], Floats] = field(default_factory=dict)

    @cached_property
    def centres(self) -> Floats:
        """The middles of the cells."""
        if self.centres_apart is not None:
            return self.centres_apart
        return np.cumsum(self.widths) - self.widths / 2

    @cached_property
    def level(self) -> Floats:
        """The shares without spikes: none above the median density of its neighbourhood."""
        density = self.shares / self.widths
        padded = np.pad(
            density, _NEIGHBOURS, mode="reflect" if len(density) > _NEIGHBOURS else "edge"
        )
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
        return np.minimum(density, np.median(around, axis=1)) * self.widths

    @cached_property
    def moves(self) -> Floats:
        """``D``, a column a cell: it has as much again, its neighbours have that much less."""
        cells = len(self.level)
        apart = np.abs(np.subtract.outer(np.arange(cells), np.arange(cells)))
        if self.ring:
            apart = np.minimum(apart, cells - apart)
        near = (apart > 0) & (apart <= _REACH)
        near = np.where(near, np.maximum(self.level, 1e-12)[:, None], 0.0)
        total = near.sum(axis=0)
        taken = np.divide(near, total, out=np.zeros_like(near), where=total > 0)
        return np.diag(self.level) - taken * self.level

    def functions(self, smoothness: Smoothness) -> Floats:
        """The prior's functions on the cells, a column each."""
        key = smoothness.order, smoothness.warp
        if key not in self._known:
            cumulative = (np.cumsum(self.level) - self.level / 2) / self.level.sum()
            places = (1 - smoothness.warp) * self.centres + smoothness.warp * cumulative
            self._known[key] = prior_functions(smoothness.order, places, self.ring)
        return self._known[key]

    def deviations(self, smoothness: Smoothness) -> Floats:
        """Their prior deviations."""
        return prior_deviations(smoothness, len(self.widths), self.ring)

    def log_odds_of_atoms(self, sizes: Floats) -> float:
        """Prior density of atoms of these shares, see :func:`log_density_of_atoms`, in any cells.

        Every number k of atoms is as likely, and so is every choice of k cells.
        """
        atoms, cells = len(sizes), len(self.widths)
        which = lgamma(atoms + 1) + lgamma(cells - atoms + 1) - lgamma(cells + 1)
        return which + log_density_of_atoms(atoms, float(sizes.sum()))


def log_density_of_atoms(atoms: int, total: float) -> float:
    """Prior density of the shares of atoms, of which only the number and the ``total`` matter.

    Shares are exponential with a common mean m, which is not known: ``1/m`` is exponential with
    mean ``1/b``, b = 0.1.  Integrated over m the density of k shares is ``k! b / (b + total)^(k+1)``.
    """
    return lgamma(atoms + 1) + float(np.log(ATOM) - (atoms + 1) * np.log(ATOM + total))


def prior_functions(order: int, places: Floats, ring: bool) -> Floats:
    """The functions at ``places`` (u from 0 to 1), a column each: polynomials, then waves."""
    if order == 0:
        return np.empty((len(places), 0))
    count = min(_MOST_FUNCTIONS[order], len(places) - 1)
    if ring:
        periods = 2 * (np.arange(count) // 2 + 1)
        phases = np.where(np.arange(count) % 2, 0.5, 0.0)
        return np.sqrt(2) * np.cos(np.pi * (places[:, None] * periods - phases))
    waves = np.sqrt(2) * np.cos(np.pi * places[:, None] * (np.arange(count) + 1))
    if order == 1:
        return waves
    side = 2 * places[:, None] - 1
    line, parabola = np.sqrt(3) * side, np.sqrt(5) * (3 * side**2 - 1) / 2
    return np.hstack([line, parabola, waves])


def prior_deviations(smoothness: Smoothness, cells: int, ring: bool) -> Floats:
    """The prior deviations of :func:`prior_functions` on so many cells."""
    order = smoothness.order
    if order == 0:
        return np.empty(0)
    count = np.arange(min(_MOST_FUNCTIONS[order], cells - 1), dtype=np.float64)
    periods = 2 * (count // 2 + 1) if ring else count + 1
    polynomials = [] if ring or order == 1 else [_POLYNOMIAL, _POLYNOMIAL]
    decay = smoothness.roughness / (np.pi * periods) ** order
    return np.concatenate([polynomials, decay])
