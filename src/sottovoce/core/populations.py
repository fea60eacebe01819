"""Simulated populations: how many people hold each input, checked, and these people in parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Indices

__all__ = ["check_counts", "people_in_parts"]


def check_counts(true_counts: Any, size: int, owner: str) -> Indices:
    """People per input as whole numbers; at least one person."""
    counts = np.asarray(true_counts)
    if counts.dtype.kind not in "iu" or counts.shape != (size,):
        given = f"shape {counts.shape}, dtype {counts.dtype}"
        raise InvalidInput("true_counts", owner, f"{size} whole numbers", given)
    if counts.min() < 0 or counts.sum() < 1:
        allowed = "not negative, with at least one person"
        given = f"minimum {counts.min()}, sum {counts.sum()}"
        raise InvalidInput("true_counts", owner, allowed, given)
    return counts.astype(np.int64)


def people_in_parts(counts: Indices, most: int) -> Iterator[Indices]:
    """The inputs of all people in order, at most ``most`` of them at a time.

    >>> [part.tolist() for part in people_in_parts(np.array([2, 0, 3]), 2)]
    [[0, 0], [2, 2], [2]]
    """
    ends = np.cumsum(counts)
    for start in range(0, int(ends[-1]), most):
        people = np.arange(start, min(int(ends[-1]), start + most))
        yield np.searchsorted(ends, people, side="right")
