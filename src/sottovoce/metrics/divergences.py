"""Measures of information between two distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.metrics.checks import two_distributions

__all__ = ["jensen_shannon", "kullback_leibler"]


def jensen_shannon(estimate: Any, truth: Any, *, base: float = math.e) -> Floats:
    """The square root of the Jensen-Shannon divergence: a distance, at most ``sqrt(log 2)``.

    ``sqrt((KL(f || m) + KL(f' || m)) / 2)``, m being the mean of the two.  ``base=2`` makes 1 the most.
    """
    found, true = two_distributions(estimate, truth, "jensen_shannon")
    middle = (found + true) / 2
    both = (_relative_entropy(true, middle) + _relative_entropy(found, middle)) / 2
    return np.sqrt(np.maximum(both, 0.0) / _log(base, "jensen_shannon"))


def kullback_leibler(estimate: Any, truth: Any, *, base: float = math.e) -> Floats:
    """``sum f log(f / f')``, what coding the truth by the estimate wastes.

    Infinite where the estimate gives no share to a value that somebody holds.
    """
    found, true = two_distributions(estimate, truth, "kullback_leibler")
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
