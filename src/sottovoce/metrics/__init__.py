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

from sottovoce.metrics.divergences import jensen_shannon, kullback_leibler
from sottovoce.metrics.line import (
    DECILES,
    kolmogorov_smirnov,
    mean_error,
    quantile_error,
    range_error,
    variance_error,
    wasserstein,
)
from sottovoce.metrics.values import (
    Positives,
    group_error,
    mean_absolute_error,
    mean_squared_error,
    positives,
    subset_error,
    top_error,
    top_found,
)

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
