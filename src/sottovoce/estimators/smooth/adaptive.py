"""``adaptive``: a distribution over ordered values, as smooth as the reports themselves show.

EM follows the noise; EMS smooths by a fixed kernel, too much for some data and too little for
others.  Here many priors (:mod:`sottovoce.estimators.smooth.priors`) are weighed by their evidence
(:mod:`sottovoce.estimators.smooth.map_fit`), the probability that each gives to the reports as they came.
Under a prior the shares of cells are a smooth distribution, single cells that hold people of their own
(*atoms*, :mod:`sottovoce.estimators.smooth.atoms`), and a *scatter* of every cell.  The mean w of the
most probable distributions, weighted by the probability of their priors, is that of the population.
The estimate is of these respondents: where people are expected given w and their reports
(:mod:`sottovoce.estimators.smooth.posterior`).  Nothing but the tally enters.

The log-likelihood is taken as a parabola (:mod:`sottovoce.estimators.smooth.information`) around the
fit of the turn before:

1. From the uniform distribution: one prior, its roughness raised or lowered while the evidence grows.
2. The same, with atoms if they raise the evidence.
3. Cells narrow where the fit puts many people, and an axis warped by its cumulative distribution.
   Every order, warp and scatter is tried, and the neighbours of every prior whose evidence
   is within a factor of e^3 of the best.
4. Where the warped axis won, 3. once more with the better fit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.progress import Meter, Progress
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.edges import drawn
from sottovoce.estimators.likelihood.em import unordered
from sottovoce.estimators.observed import Fit, Observations
from sottovoce.estimators.smooth.coarsening import cell_edges, coarse_readings, expand
from sottovoce.estimators.smooth.map_fit import Problem
from sottovoce.estimators.smooth.posterior import Posterior
from sottovoce.estimators.smooth.prior_search import MOST_PRIORS, PriorSearch
from sottovoce.estimators.smooth.priors import LEVELS, Axis, Smoothness

__all__ = ["adaptive", "no_single_likelihood", "posterior"]

_FIRST = Smoothness("log", 2, 0.0, 1)
_WARPS: tuple[float, ...] = (0.0, 0.5, 0.8)
_TURNS = 4
_CONVERGED = 1.0
"""Twice the log-likelihood that may be missing: far less than an answer's standard error is worth."""


def adaptive(observed: Observations, *, progress: Progress | None = None) -> Fit:
    """Shares under priors of smoothness weighed by their evidence; ``why`` names the best prior.

    ``progress(text, part)`` is called now and then.  ``optimality`` is about how far the
    penalised likelihood under the best prior is from its greatest.
    """
    with one_product_thread():
        found = posterior(observed, progress=progress)
    tried, best = len(found.search.tried), found.search.refined()
    return Fit(
        found.shares, best.promised <= _CONVERGED, found.search.steps, optimality=best.promised,
        why=f"smoothness averaged by marginal likelihood over {tried} priors; best: {best.smoothness}",
        error_model=found,
    )  # fmt: skip


def posterior(observed: Observations, *, progress: Progress | None = None) -> Posterior:
    """The shares that :func:`adaptive` finds, with what is known of their error."""
    channel = observed.channel
    meter = Meter(progress, "adaptive", "priors", "log marginal", MOST_PRIORS)
    shares, steps = np.full(channel.inputs, 1 / channel.inputs), 0
    start, warps, atoms = _FIRST, _WARPS, np.zeros(0, dtype=np.int64)
    edges = cell_edges(channel, shares)
    for turn in range(_TURNS):
        before, edges = edges, cell_edges(channel, shares)
        atoms = _same_cells(atoms, before, edges)
        near = np.add.reduceat(shares, edges[:-1])
        readings = coarse_readings(channel, observed.cells, edges)
        axis = _axis(observed, edges, near)
        problem = Problem(readings.around(near), axis, atoms)
        search = PriorSearch(problem, meter, steps)
        if turn == 0:
            search.climb(start, near)
        elif turn == 1:
            best = search.climb(start, near)
            smoother = replace(start, level=max(best.smoothness.level - 3, LEVELS[0]))
            search = max(
                (search.with_atoms(base) for base in (best, search.try_one(smoother, near))),
                key=lambda one: one.best.log_marginal,
            )
            atoms = search.problem.atoms
        else:
            search.explore(start, near, warps)
        shares, steps, start = expand(search.mean(), edges), search.steps, search.best.smoothness
        if turn > 1 and not start.warp:
            break
        if turn > 1:
            warps = tuple(sorted({one.smoothness.warp for _, one in search.probabilities()}))
    meter.end(len(search.tried), search.best.log_marginal)
    return Posterior(search, readings.around(search.mean()), edges, float(observed.n))


def _axis(observed: Observations, edges: NDArray[np.int64], near: Floats) -> Axis:
    """Cells between ``edges``; of bins that are not equally wide, with heights that follow their widths.

    Bins that widen by a steady factor, as on a logarithmic scale, are taken as equal: their shares are
    smooth.  Where a bin is wider than that, its share is larger in proportion.  Against shares that are
    smooth whatever the widths, and a density that is, over three sets of edges, two mechanisms and 20,000
    people at epsilon 1 (100 surveys each): errors of shares 8 to 33% smaller than of the first, and intervals
    of shares that hold in 93.6 to 98.4% rather than 88.9 to 98.3%.
    """
    channel, numbers = observed.channel, observed.domain.numbers
    places = np.diff(edges) / channel.inputs
    if numbers is None or numbers.uneven is None:
        return Axis(places, near, channel.ring)
    _, widths = drawn(numbers.edges, numbers.scale)
    bins, logs = np.arange(channel.inputs), np.log(widths)
    steady = np.polynomial.Polynomial.fit(bins, logs, 1)(bins) if len(bins) > 2 else logs
    wide = np.add.reduceat(np.exp(logs - steady), edges[:-1])
    return Axis(wide / wide.sum(), near, channel.ring, np.cumsum(places) - places / 2)


def _same_cells(
    cells: NDArray[np.int64], before: NDArray[np.int64], edges: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those cells between edges ``before`` that are cells between ``edges`` too, as indices there."""
    index = np.searchsorted(edges, before[cells])
    same = (edges[index] == before[cells]) & (edges[index + 1] == before[cells + 1])
    return index[same]


def no_single_likelihood(mechanism: Mechanism) -> str:
    """Why it does not apply: no order to be smooth along, or no likelihood to weigh priors by."""
    channel = mechanism.channel()
    if channel.blocks > 1 and channel.cells != 2 * channel.blocks:
        return "it needs reports of one cell, or of bits that are independent given the value"
    return unordered(mechanism)
