"""Answers on numbers: means, variances, quantiles and cumulative shares of an estimate over bins.

Numbers are taken to lie anywhere in their bin alike.  So the mean has every bin at its
middle, the variance adds ``width^2 / 12``, and the cumulative share F is a line within a bin.
Whole numbers lie in the middle of theirs: the variance adds nothing, and F is a step there.

Bins may differ in width; an open one has no middle, and holds what lies anywhere beyond its edge.

Shares sum to 1, but unbiased ones only on average.  What their sum lacks is spread over
all bins alike: with ``z`` the weights of an answer and ``z0`` their mean over bins, the
answer is ``z0 + (z - z0) . f``.  It is unbiased where ``z . f`` is; it does not depend on
where zero lies; ``F(high) = 1`` is certain; and its noise is smaller, or the same where
the sum is 1 already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.answers.answer import Answer, answer, two_sided
from sottovoce.answers.errors import ErrorModel, LinearErrors
from sottovoce.answers.pooled_sets import PartErrors
from sottovoce.answers.records.asked import AskedErrors
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["Cumulative", "cumulative", "mean", "quantile", "root", "variance"]

_MOST_EDGES = 1024
"""At so many edges the error of F is computed; between them its square is interpolated."""
_EXACT = 1e-12
"""F within rounding of q is q."""


@dataclass(frozen=True, eq=False)
class Cumulative:
    """The cumulative share F at the ``edges`` of bins, a line in between, and its standard errors.

    Unbiased shares may be negative, and F may then fall.  Its crossing of q is taken
    half way between the first and the last: the one reading that is symmetric and that
    grows with q.  For a true distribution the two differ only where nobody is, and half way
    is the usual median of an even sample.
    """

    edges: Floats
    values: Floats
    stderr: Floats

    def quantile(self, q: float) -> float:
        """The number below which a share q lies; for 0 and 1 the ends of where anybody is."""
        return self.place(q)

    def place(self, q: float) -> float:
        """Where the line crosses q."""
        first = _first_reach(self.edges, self.values, q)
        last = _last_below(self.edges, self.values, q)
        return (first + last) / 2

    def interval(self, q: float, reach: float) -> tuple[float, float]:
        """All numbers x whose ``F(x)`` lies within ``reach`` standard errors of q, and those between.

        A number outside is rejected as the quantile by a test of ``F(x) = q``, so that the
        interval holds the true one as often as ``F(x)`` with its error bar holds the true F.
        The error within a bin is interpolated, which is never too small: standard errors are
        convex.
        """
        low = _first_reach(self.edges, self.values + reach * self.stderr, q)
        high = _last_below(self.edges, self.values - reach * self.stderr, q)
        return low, high

    def error(self, q: float, reach: float) -> float:
        """Half of the interval's width, in units of the normal law."""
        low, high = Cumulative.interval(self, q, reach)
        return (high - low) / (2 * reach)


class OpenCumulative(Cumulative):
    """The same where the last bin is open: what lies in it lies above its edge, at infinity.

    The last edge is any number beyond; where in the bin the line crosses q, nobody knows.
    """

    def place(self, q: float) -> float:
        return (
            self._told(_first_reach(self._drawn, self.values, q))
            + self._told(_last_below(self._drawn, self.values, q))
        ) / 2

    def interval(self, q: float, reach: float) -> tuple[float, float]:
        low = _first_reach(self._drawn, self.values + reach * self.stderr, q)
        high = _last_below(self._drawn, self.values - reach * self.stderr, q)
        return self._told(low), self._told(high)

    def error(self, q: float, reach: float) -> float:
        low, high = self.interval(q, reach)
        return (high - low) / (2 * reach) if isfinite(high) else inf

    @property
    def _drawn(self) -> Floats:
        """The edges, with a finite one at the end."""
        beyond = 2 * self.edges[-2] - self.edges[-3]
        return np.append(self.edges[:-1], beyond)

    def _told(self, x: float) -> float:
        return x if x <= self.edges[-2] else inf


class WholeCumulative(Cumulative):
    """The same for whole numbers: edges lie half way between two of them, where F does not change.

    A number k is the quantile where ``F(k - 1) <= q <= F(k)``.  Its interval may hold a single
    number; how sure that is, :meth:`place` and :meth:`error` tell, which are those of the line.
    """

    def quantile(self, q: float) -> float:
        steps = _first_step(self.values, q) + _last_step(self.values, q)
        return self._least + steps / 2

    def interval(self, q: float, reach: float) -> tuple[float, float]:
        low = _first_step(self.values + reach * self.stderr, q)
        high = _last_step(self.values - reach * self.stderr, q)
        return self._least + low, self._least + high

    @property
    def _least(self) -> float:
        """The least number."""
        return float(self.edges[0]) + 0.5


def _first_step(curve: Floats, level: float) -> int:
    """The index of the first number, with anybody up to it, where the curve has reached ``level``."""
    up_to = curve[1:]
    reached = np.flatnonzero((up_to >= level - _EXACT) & (np.abs(up_to) > _EXACT))
    return int(reached[0]) if len(reached) else len(up_to) - 1


def _last_step(curve: Floats, level: float) -> int:
    """The last one before which it is at most ``level``: the same from the other end."""
    return len(curve) - 2 - _first_step(1 - curve[::-1], 1 - level)


def _first_reach(edges: Floats, curve: Floats, level: float) -> float:
    """The first number where a line through the points of ``curve`` reaches ``level``.

    Where it starts with a stretch at 0, nobody is there, and it is left out.
    """
    start = max(0, int(np.argmax(np.append(np.abs(curve) > _EXACT, True))) - 1)
    reached = np.flatnonzero(curve[start:] >= level - _EXACT)
    if len(reached) == 0:
        return float(edges[-1])
    k = start + int(reached[0])
    return float(edges[start]) if k == start else _between(edges, curve, k, level)


def _last_below(edges: Floats, curve: Floats, level: float) -> float:
    """The last number where it is at most ``level``: the same from the other end, where F is 1."""
    return -_first_reach(-edges[::-1], 1 - curve[::-1], 1 - level)


def _between(edges: Floats, curve: Floats, k: int, level: float) -> float:
    """Where the line from point k - 1 to point k is at ``level``."""
    part = (level - curve[k - 1]) / (curve[k] - curve[k - 1])
    return float(edges[k - 1] + np.clip(part, 0.0, 1.0) * (edges[k] - edges[k - 1]))


def cumulative(estimate: Estimate, domain: Interval) -> Cumulative:
    """F at every edge, with errors."""
    shares = estimate.require_shares("cdf")
    d = domain.bins
    values = np.concatenate([[0.0], np.cumsum(shares)]) + (1 - shares.sum()) * np.arange(d + 1) / d
    values[-1] = 1.0  # but for rounding
    places = np.unique(np.linspace(0, d, min(d, _MOST_EDGES) + 1).astype(np.int64))
    squares = [_squared_error(estimate, int(k), d) for k in places]
    stderr = np.sqrt(np.interp(np.arange(d + 1), places, squares))
    kind = WholeCumulative if domain.whole else OpenCumulative if domain.open_end else Cumulative
    return kind(domain.edges, values, stderr)


def _squared_error(estimate: Estimate, k: int, bins: int) -> float:
    if k in (0, bins):
        return 0.0
    weights = np.full(bins, -k / bins)
    weights[:k] += 1.0
    return estimate.error_model.stderr_of(weights, estimate.about) ** 2


def quantile(estimate: Estimate, domain: Interval, q: float, confidence: float) -> Answer:
    """The q-quantile; its interval need not be symmetric, and its standard error is half of
    its width in units of the normal law.

    What lies in an open bin is infinite: the value, an end of the interval, and its error.
    """
    share = check_real(q, "q", "quantile", "a number from 0 to 1")
    if not 0 <= share <= 1:
        raise InvalidInput("q", "quantile", "a number from 0 to 1", q)
    reach = estimate.reach(confidence)
    curve = estimate.cumulative
    value, (low, high) = curve.quantile(share), curve.interval(share, reach)
    stderr = curve.error(share, reach)
    beyond = domain.high if domain.open_end else None
    label = f"quantile {share:g}"
    return Answer(value, stderr, low, high, label, confidence, unit=domain.unit, beyond=beyond)


def mean(estimate: Estimate, domain: Interval, top: float | None, confidence: float) -> Answer:
    """``c + f . (m - c)``, m the middles of bins and c their mean; ``top`` stands for an open bin."""
    if top is None:
        middles, label = domain.midpoints, "mean"
    else:
        middles, label = domain.places, _label_of(domain, top)
        middles[-1] = top
    center = domain.center if top is None else float(middles.mean())
    bounds = (domain.span[0], domain.high if top is None else top)
    told = estimate.sum_of(middles - center, center, label, confidence, bounds=bounds)
    return replace(told, unit=domain.unit)


def _label_of(domain: Interval, top: float) -> str:
    """What a mean with a stated value for the open bin is called."""
    if not domain.open_end:
        allowed = "left out: no bin has an open end"
        raise InvalidInput("top", f"mean of {domain}", allowed, top)
    allowed = f"a number of at least {domain.high:g}, where the open bin begins"
    if check_real(top, "top", "mean", allowed) < domain.high:
        raise InvalidInput("top", "mean", allowed, top)
    if top == domain.high:
        return f"mean, at least: {domain.high:g} or more as {domain.high:g}"
    return f"mean, {domain.high:g} or more as {top:g}"


def variance(estimate: Estimate, domain: Interval, confidence: float) -> Answer:
    """``f . ((m - mu)^2 + width^2 / 12)``, m the middles of bins and mu the mean.

    Whole numbers are nowhere but in the middle, and the second part is left out.

    With e the errors of shares and mu the true mean, its own error is
    ``e . (m - mu)^2 - (e . m)^2``.  The second part, small unless the mean is hardly known,
    has the mean ``s^2``, s the standard error of the mean, and the variance ``2 s^4`` under
    the normal law.  An unbiased estimate adds ``s^2`` back; all take ``2 s^4`` into account.
    """
    shares = estimate.require_shares("variance")
    domain.require_closed("the variance")
    middles = domain.midpoints - domain.center
    mean = float(shares @ middles)
    within = np.zeros(domain.bins) if domain.whole else domain.widths**2 / 12
    from_mean = (middles - mean) ** 2 + within
    typical = float(from_mean.mean())
    value = typical + float(shares @ (from_mean - typical))
    if _is_linear(estimate.error_model):
        value += estimate.error_model.stderr_of(middles, "respondents") ** 2
    of_mean = estimate.error_model.stderr_of(middles, estimate.about)
    first = estimate.error_model.stderr_of(from_mean - typical, estimate.about)
    unit = f"{domain.unit}^2" if domain.unit else ""
    stderr = np.hypot(first, np.sqrt(2) * of_mean**2)
    return answer(value, stderr, "variance", confidence, unit=unit)


def root(variance: Answer) -> Answer:
    """The standard deviation: value and interval are the roots of those of the variance.

    A variance that is estimated as negative has the root 0.  The standard error is half of the
    interval's width in units of the normal law.

    >>> print(root(Answer(4.0, 0.5, 3.02, 4.98, "variance")))
    standard deviation: 2.0000 +- 0.1260 (95% from 1.7378 to 2.2316)
    """
    value, low, high = (sqrt(max(0.0, x)) for x in (variance.value, variance.low, variance.high))
    stderr = (high - low) / (2 * two_sided(variance.confidence))
    unit = variance.unit.removesuffix("^2")
    label = "standard deviation"
    return Answer(value, stderr, low, high, label, variance.confidence, unit=unit)


def _is_linear(errors: ErrorModel) -> bool:
    """Whether shares are unbiased."""
    inner = errors.inner if isinstance(errors, AskedErrors) else errors
    return isinstance(inner, (LinearErrors, PartErrors))
