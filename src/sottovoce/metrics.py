"""How far an estimate is from the truth.

Every function takes shares along the last axis, the estimate first, and
returns one number a row: many estimates can be compared with one truth at once.

>>> import sottovoce as sv
>>> truth = [0.7, 0.1, 0.1, 0.1]
>>> near, far = [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]
>>> sv.metrics.mean_squared_error([near, far], truth).tolist()
[0.18, 0.18]
>>> sv.metrics.wasserstein([near, far], truth).round(3).tolist()
[0.15, 0.45]

Distances of distributions (:func:`wasserstein`, :func:`kolmogorov_smirnov`,
:func:`quantile_error`, :func:`jensen_shannon`, :func:`kullback_leibler`) ask for
shares that are not negative and sum to 1; :func:`mean_error` and :func:`variance_error` for
shares that sum to 1.  All others take any finite shares, unbiased ones too.

Orders matter to :func:`wasserstein`, :func:`kolmogorov_smirnov`, :func:`range_error`,
:func:`mean_error`, :func:`variance_error` and :func:`quantile_error`: the d shares are those of
d equal bins of [0, 1], or of the bins of ``domain``, in whose units the answer then is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sottovoce.core.channel import Floats
from sottovoce.core.checks import check_int, check_real
from sottovoce.core.errors import InvalidInput
from sottovoce.core.interval import Interval

__all__ = [
    "DECILES",
    "Positives",
    "group_error",
    "jensen_shannon",
    "kolmogorov_smirnov",
    "kullback_leibler",
    "mean_absolute_error",
    "mean_error",
    "mean_squared_error",
    "positives",
    "quantile_error",
    "range_error",
    "subset_error",
    "top_error",
    "top_found",
    "variance_error",
    "wasserstein",
]

DECILES = tuple(k / 10 for k in range(1, 10))
"""10%, 20%, ..., 90%."""

_OFF = 1e-6
"""By how much a sum of shares may miss 1, and a share be below 0."""
_ROUNDING = 1e-12
"""0.1 + 0.2 is meant to be 0.3."""


# -- distances of distributions on a line ----------------------------------------------


def wasserstein(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The work of moving one histogram into the other: ``1/d sum_v |F'(v) - F(v)|``.

    F is the share of people up to bin v.  On [0, 1] neighbouring bins are 1/d
    apart; with ``domain`` the answer is in its units.
    """
    found, true = _distributions(estimate, truth, "wasserstein")
    gap = np.abs(np.cumsum(found - true, axis=-1))
    return _length(domain, gap.shape[-1], "wasserstein") * gap.mean(axis=-1)


def kolmogorov_smirnov(estimate: Any, truth: Any) -> Floats:
    """The largest error of a share of people up to some bin: ``max_v |F'(v) - F(v)|``."""
    found, true = _distributions(estimate, truth, "kolmogorov_smirnov")
    worst: Floats = np.abs(np.cumsum(found - true, axis=-1)).max(axis=-1)
    return worst


def quantile_error(
    estimate: Any,
    truth: Any,
    *,
    at: Sequence[float] = DECILES,
    domain: Interval | None = None,
) -> Floats:
    """The mean absolute error of quantiles, the deciles unless ``at`` says otherwise.

    A quantile is the upper end of the last bin up to which there are at most
    ``at`` of all people (Li et al. 2020, section 3.2); 0 where already the first has more.
    """
    owner = "quantile_error"
    found, true = _distributions(estimate, truth, owner)
    levels = [check_real(level, "at", owner) for level in at]
    if not levels or not all(0 < level < 1 for level in levels):
        raise InvalidInput("at", owner, "numbers between 0 and 1", list(at))
    length, total = _length(domain, found.shape[-1], owner), np.zeros(found.shape[:-1])
    for level in levels:
        ends = [
            (np.cumsum(shares, axis=-1) <= level + _ROUNDING).mean(axis=-1)
            for shares in (found, true)
        ]
        total += np.abs(ends[0] - ends[1])
    return length * total / len(levels)


# -- questions about numbers -------------------------------------------------------------


def range_error(estimate: Any, truth: Any, width: float) -> Floats:
    """The mean absolute error of the share in a random range of ``width``, a part of the whole.

    The range is ``[x, x + width]``, x uniform between 0 and ``1 - width``, with shares
    spread evenly in their bins.  Nothing is sampled: the error is a broken line in
    x, whose absolute value is integrated piece by piece.
    """
    found, true = _shares(estimate, truth, "range_error")
    alpha = check_real(width, "width", "range_error", "a number between 0 and 1")
    if not 0 < alpha < 1:
        raise InvalidInput("width", "range_error", "a number between 0 and 1", width)
    d = found.shape[-1]
    errors = np.cumsum(found - true, axis=-1)
    errors = np.concatenate([np.zeros((*errors.shape[:-1], 1)), errors], axis=-1)
    edges = np.arange(d + 1) / d
    kinks = np.concatenate([edges, edges - alpha, [0.0, 1 - alpha]])
    kinks = np.unique(kinks[(kinks >= 0) & (kinks <= 1 - alpha)])
    line = _along(errors, (kinks + alpha) * d) - _along(errors, kinks * d)
    return _mean_absolute(line, kinks) / (1 - alpha)


def _along(values: Floats, places: Floats) -> Floats:
    """Values given at 0, 1, 2, ... along the last axis, read at places between them."""
    last = values.shape[-1] - 2
    start = np.clip(places.astype(np.int64), 0, last)
    rest = places - start
    read: Floats = values[..., start] * (1 - rest) + values[..., start + 1] * rest
    return read


def _mean_absolute(line: Floats, places: Floats) -> Floats:
    """The integral of the absolute value of a broken line through ``line`` at ``places``."""
    left, right = np.abs(line[..., :-1]), np.abs(line[..., 1:])
    crosses = line[..., :-1] * line[..., 1:] < 0
    total = left + right
    triangles = (left**2 + right**2) / np.where(crosses, total, 1.0)
    integral: Floats = np.where(crosses, triangles, total) @ np.diff(places) / 2
    return integral


def mean_error(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The absolute error of the mean, people being in the middle of their bin."""
    found, true = _summing_to_one(estimate, truth, "mean_error")
    middles = _middles(domain, found.shape[-1], "mean_error")
    error: Floats = np.abs((found - true) @ middles)
    return error


def variance_error(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The absolute error of the variance, people being in the middle of their bin.

    People spread evenly in their bins would add the same constant to both variances.
    """
    found, true = _summing_to_one(estimate, truth, "variance_error")
    middles = _middles(domain, found.shape[-1], "variance_error")
    variances = [s @ middles**2 - (s @ middles) ** 2 for s in (found, true)]
    error: Floats = np.abs(variances[0] - variances[1])
    return error


# -- divergences ------------------------------------------------------------------------


def jensen_shannon(estimate: Any, truth: Any, *, base: float = math.e) -> Floats:
    """The square root of the Jensen-Shannon divergence: a distance, at most ``sqrt(log 2)``.

    ``sqrt((KL(f || m) + KL(f' || m)) / 2)``, m being the mean of the two.  ``base=2`` makes 1 the most.
    """
    found, true = _distributions(estimate, truth, "jensen_shannon")
    middle = (found + true) / 2
    both = (_relative_entropy(true, middle) + _relative_entropy(found, middle)) / 2
    return np.sqrt(np.maximum(both, 0.0) / _log(base, "jensen_shannon"))


def kullback_leibler(estimate: Any, truth: Any, *, base: float = math.e) -> Floats:
    """``sum f log(f / f')``, what coding the truth by the estimate wastes.

    Infinite where the estimate gives no share to a value that somebody holds.
    """
    found, true = _distributions(estimate, truth, "kullback_leibler")
    return np.maximum(_relative_entropy(true, found), 0.0) / _log(base, "kullback_leibler")


def _relative_entropy(of: Floats, to: Floats) -> Floats:
    held, possible = of > 0, to > 0
    ratio = np.where(held & possible, of, 1.0) / np.where(held & possible, to, 1.0)
    sums = np.sum(np.where(held, of, 0.0) * np.log(ratio), axis=-1)
    wasted: Floats = np.where((held & ~possible).any(axis=-1), np.inf, sums)
    return wasted


def _log(base: float, owner: str) -> float:
    if check_real(base, "base", owner, "a number above 1") <= 1:
        raise InvalidInput("base", owner, "a number above 1", base)
    return math.log(base)


# -- value by value, and sets of values -------------------------------------------------


def mean_squared_error(estimate: Any, truth: Any) -> Floats:
    """``1/d sum (f' - f)^2``."""
    found, true = _shares(estimate, truth, "mean_squared_error")
    error: Floats = np.mean((found - true) ** 2, axis=-1)
    return error


def mean_absolute_error(estimate: Any, truth: Any) -> Floats:
    """``1/d sum |f' - f|``."""
    found, true = _shares(estimate, truth, "mean_absolute_error")
    error: Floats = np.mean(np.abs(found - true), axis=-1)
    return error


def top_error(estimate: Any, truth: Any, count: int) -> Floats:
    """The mean squared error on the ``count`` values that are truly the largest."""
    found, true = _shares(estimate, truth, "top_error")
    k = check_int(count, "count", "top_error", 1, found.shape[-1])
    largest = _largest(true, k)
    errors = np.take_along_axis(found, largest, -1) - np.take_along_axis(true, largest, -1)
    error: Floats = np.mean(errors**2, axis=-1)
    return error


def top_found(estimate: Any, truth: Any, count: int) -> Floats:
    """Which part of the truly ``count`` largest values is among the estimated ones.

    Equal shares are taken in the order of the domain.
    """
    found, true = _shares(estimate, truth, "top_found")
    k = check_int(count, "count", "top_found", 1, found.shape[-1])
    chosen = np.zeros(found.shape, dtype=bool)
    np.put_along_axis(chosen, _largest(found, k), True, -1)
    part: Floats = np.take_along_axis(chosen, _largest(true, k), -1).mean(axis=-1)
    return part


def _largest(shares: Floats, count: int) -> Any:
    return np.argsort(-shares, axis=-1, kind="stable")[..., :count]


def subset_error(estimate: Any, truth: Any, count: int) -> Floats:
    """The squared error of the total of ``count`` values, exactly averaged over all such sets.

    With ``e`` the errors of single values, over all sets of m out of d values it is

        ``m/d sum e^2  +  m(m-1) / (d(d-1)) ((sum e)^2 - sum e^2)``,

    because a value is in the set with probability m/d and two with probability
    ``m(m-1) / (d(d-1))``.  Where shares sum to 1 the errors sum to 0, and this is
    ``m(d-m)/(d-1)`` times the mean squared error of single values: the same for m
    and d - m, and the same ranking of methods as on the full domain.
    """
    found, true = _shares(estimate, truth, "subset_error")
    errors, d = found - true, found.shape[-1]
    m = check_int(count, "count", "subset_error", 1, d)
    squares, square = np.sum(errors**2, axis=-1), np.sum(errors, axis=-1) ** 2
    both = m * (m - 1) / (d * (d - 1)) if d > 1 else 0.0
    return np.maximum(m / d * squares + both * (square - squares), 0.0)


def group_error(estimate: Any, truth: Any, groups: Any, *, clip: bool = False) -> Floats:
    """The mean squared error of the totals of groups; ``groups`` names that of every value.

    Groups are numbered from 0.  With ``clip`` negative totals are raised to 0.
    """
    found, true = _shares(estimate, truth, "group_error")
    names = np.asarray(groups)
    if names.shape != found.shape[-1:] or names.dtype.kind not in "iu" or names.min() < 0:
        allowed = f"{found.shape[-1]} whole numbers from 0"
        given = f"shape {names.shape}, dtype {names.dtype}"
        raise InvalidInput("groups", "group_error", allowed, given)
    members = np.eye(int(names.max()) + 1)[names]
    totals = found @ members
    return mean_squared_error(np.maximum(totals, 0.0) if clip else totals, true @ members)


class Positives(NamedTuple):
    """How many values were rightly, and how many wrongly, said to be frequent."""

    true: Any
    false: Any


def positives(estimate: Any, truth: Any, threshold: float) -> Positives:
    """Which of the values estimated at ``threshold`` or above are truly there, and which not."""
    found, true = _shares(estimate, truth, "positives")
    least = check_real(threshold, "threshold", "positives")
    said, held = found >= least, true >= least
    return Positives((said & held).sum(axis=-1), (said & ~held).sum(axis=-1))


# -- checks -------------------------------------------------------------------------------


def _shares(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    """Both as arrays of one shape: finite numbers, equally many in a row."""
    checked = []
    for name, given in (("estimate", estimate), ("truth", truth)):
        try:
            array = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(name, owner, "numbers, equally many in a row", given) from None
        if array.ndim == 0 or array.shape[-1] == 0:
            raise InvalidInput(name, owner, "at least one share", given)
        if not np.isfinite(array).all():
            raise InvalidInput(name, owner, "finite", float(array[~np.isfinite(array)][0]))
        checked.append(array)
    found, true = checked
    if found.shape[-1] != true.shape[-1]:
        given = f"{found.shape[-1]} and {true.shape[-1]}"
        raise InvalidInput("estimate and truth", owner, "of the same length", given)
    try:
        return tuple(np.broadcast_arrays(found, true))  # type: ignore[return-value]
    except ValueError:
        given = f"{found.shape} and {true.shape}"
        raise InvalidInput("estimate and truth", owner, "rows that match", given) from None


def _summing_to_one(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    both = _shares(estimate, truth, owner)
    for name, shares in zip(("estimate", "truth"), both, strict=True):
        sums = shares.sum(axis=-1)
        if (off := np.abs(sums - 1) > _OFF).any():
            raise InvalidInput(name, owner, "shares that sum to 1", float(sums[off].flat[0]))
    return both


def _distributions(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    both = _summing_to_one(estimate, truth, owner)
    for name, shares in zip(("estimate", "truth"), both, strict=True):
        if (least := float(shares.min(initial=0.0))) < -_OFF:
            hint = 'then="norm-sub" makes a distribution of an estimate'
            raise InvalidInput(name, owner, "shares that are not negative", least, hint=hint)
    return both


def _length(domain: Interval | None, d: int, owner: str) -> float:
    """The length of the whole range."""
    if domain is None:
        return 1.0
    if not isinstance(domain, Interval) or domain.bins != d:
        raise InvalidInput("domain", owner, f"an Interval with {d} bins", domain)
    return domain.high - domain.low


def _middles(domain: Interval | None, d: int, owner: str) -> Floats:
    """Middles of bins, from the middle of all: what is the same for both is left out."""
    return _length(domain, d, owner) * ((np.arange(d) + 0.5) / d - 0.5)
