"""The distribution of greatest likelihood, with a certificate of how near it is.

Which way depends on what there is, not on what it says:

* randomized response: a formula;
* any other tally: accelerated EM, and up to :data:`LARGEST_NEWTON` values, if a short run
  does not get there, an interior point method on the cells that somebody fell in;
* whole reports of up to as many values: the interior point method, as every pass over the
  reports is dear and Newton's method needs few.

Every answer carries its gap, an upper bound of what the best distribution could have
more in log-likelihood; ``converged`` says that it is at most ``gap``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import Meter, Progress
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.rows import Rows
from sottovoce.estimators.likelihood.acceleration import MOST_PASSES, accelerated
from sottovoce.estimators.likelihood.base import (
    Optimum,
    as_distribution,
    first_shares,
    gap_of,
)
from sottovoce.estimators.likelihood.interior_point import DenseLikelihood, interior_point
from sottovoce.estimators.observed import Fit, Observations

__all__ = ["LARGEST_NEWTON", "mle", "response_mle"]

LARGEST_NEWTON = 2048
"""Values up to which Newton's method is used: its steps cost the cube of their number."""
_SHORT_RUN = 4000
"""Passes of EM over a tally that are tried before Newton's method."""
_LARGEST_MATRIX = 2**25
"""Entries (256 MB) of cells by values up to which the channel is written out for it."""


def mle(
    observed: Observations,
    *,
    gap: float = 0.01,
    start: Any = None,
    progress: Progress | None = None,
) -> Fit:
    """The likeliest distribution: its log-likelihood is within ``gap`` of the greatest.

    It fits the noise as well: where shares are many and reports few, stopping early
    (``em``), smoothing (``ems``) or shrinking comes nearer to the truth.

    ``gap`` is how much log-likelihood it may lack; ``start`` are shares to begin with;
    ``progress(text, part)`` is called now and then.
    """
    gap = check_real(gap, "gap", "mle", "a number above 0")
    if gap <= 0:
        raise InvalidInput("gap", "mle", "a number above 0", gap)
    shares = first_shares(observed, start, "mle")
    meter = Meter(progress, "mle", "steps", "gap", MOST_PASSES)
    if observed.rows is None and _is_response(observed.channel):
        best, way = _by_formula(observed), "closed form"
    else:
        best, way = _search(observed, shares, gap, meter)
    steps = max(0, len(best.history) - 1)
    meter.end(steps, best.gap)
    return Fit(
        best.shares, best.gap <= gap, steps, best.history, best.gap,
        f"{observed.likelihood}; {way}, within {best.gap:.2g} of its maximum",
    )  # fmt: skip


def _search(observed: Observations, start: Floats, gap: float, meter: Meter) -> tuple[Optimum, str]:
    """The best distribution found by up to three ways in turn, and their names."""
    newton = _newton_fits(observed)
    best, ways = Optimum(start, math.inf, ()), []

    def passes(most: int) -> Optimum:
        ways.append("accelerated EM")
        step, total = observed.em_step, observed.total
        return accelerated(step, total, best.shares, gap=gap, meter=meter, most=most)

    if newton and observed.rows is None:
        best = passes(_SHORT_RUN)
    if newton and best.gap > gap:
        ways.append("interior point")
        found = interior_point(_newton_problem(observed), best.shares, gap, meter)
        best = _after(best, found)
    if best.gap > gap:
        best = _after(best, passes(MOST_PASSES))
    return best, ", then ".join(ways)


def _after(first: Optimum, second: Optimum) -> Optimum:
    """The better of two, with the history of both."""
    better = min(first, second, key=lambda optimum: optimum.gap)
    return Optimum(better.shares, better.gap, first.history + second.history)


def _newton_fits(observed: Observations) -> bool:
    """Whether there is little enough for Newton's method."""
    size, cells = observed.channel.inputs, observed.channel.cells
    fits = observed.rows is not None or cells * size <= _LARGEST_MATRIX
    return size <= LARGEST_NEWTON and fits


def _newton_problem(observed: Observations) -> Rows:
    """What Newton's method works on: whole reports, or the cells with the channel written out."""
    if observed.rows is not None:
        return observed.rows
    return DenseLikelihood(observed.channel.dense(), observed.cells)


def _is_response(channel: Channel) -> bool:
    """Whether the channel is that of randomized response: p on one's own value, q on each other."""
    support_probabilities, kernel = channel.support_probabilities, channel.kernel
    if (
        support_probabilities is None
        or kernel is None
        or channel.blocks != 1
        or channel.cells != channel.inputs
    ):
        return False
    return bool(
        kernel[0] == support_probabilities.p and np.all(kernel[1:] == support_probabilities.q)
    )


def _by_formula(observed: Observations) -> Optimum:
    support_probabilities = observed.channel.support_probabilities
    assert support_probabilities is not None
    shares = response_mle(
        observed.cells,
        support_probabilities.q / (support_probabilities.p - support_probabilities.q),
    )
    ratio, likelihood = observed.em_step(shares)
    found = gap_of(ratio, observed.total)
    return Optimum(shares, found, (likelihood,))


def response_mle(counts: Floats, odds: float) -> Floats:
    """The likeliest shares under randomized response, ``odds = q / (p - q)``.

    A count c expects ``(p - q)(w + odds)``.  At the maximum ``c / (w + odds)`` is one
    number lam wherever w > 0, and at most lam where w = 0: ``w = max(0, c/lam - odds)``.
    If the k largest counts have w > 0, their sum is ``lam (1 + k odds)``; k is the
    greatest number for which the k-th is positive.
    """
    descending = np.sort(counts)[::-1]
    lams = np.cumsum(descending) / (1 + np.arange(1, len(counts) + 1) * odds)
    last = int(np.flatnonzero(descending > lams * odds)[-1])
    return as_distribution(np.maximum(0.0, counts / lams[last] - odds))
