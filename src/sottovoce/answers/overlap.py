"""How much two windows have in common: people who answered in both, and what that does to answers.

Errors of two windows are independent but for people who answered in both.  With m such people whose
value stayed, of n_s and n_t, the covariance of two answers is ``m / (n_s n_t)`` times what one of them
adds: the noise of the memo, where devices keep one, and about the population the spread of values.

What is known of m is a pair of bounds.  An answer is a sum of windows with weights c, and its variance

    sum_t c_t^2 V_t + 2 sum_(s<t) c_s c_t C_st

is at most what the upper bound of C gives where ``c_s c_t`` is positive, and the lower one where it is
negative: means take the largest overlap there can be, differences the smallest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats

__all__ = ["Overlap", "largest_variance", "read_overlap"]

Distances = NDArray[np.int64]
"""Between any two windows, 1 for the next."""
_ALLOWED = (
    "None, or a number from 0 to 1 (the part of people with the same value in the next window), such "
    "numbers by distance of windows, or a matrix of them"
)


def read_overlap(text: str | None, parameter: str, owner: str) -> float | str | None:
    """What is said of the overlap on a command line or in an address: a number, cohorts, ``estimate``, nothing.

    >>> [read_overlap(text, "overlap", "trend") for text in ("0.5", "1/7", "estimate")]
    [0.5, '1/7', 'estimate']
    """
    if text is None or text == "estimate" or cohorts_of(text) is not None:
        return text
    try:
        part = float(text)
    except ValueError:
        part = -1.0
    if not 0 <= part <= 1:
        allowed = "a number from 0 to 1, cohorts such as 1/7, or estimate"
        raise InvalidInput(parameter, owner, allowed, text)
    return part


def cohorts_of(text: object) -> int | None:
    """How many cohorts a text such as ``"1/7"`` stands for; None for any other."""
    found = re.fullmatch("1/([1-9][0-9]{0,3})", text) if isinstance(text, str) else None
    return None if found is None else int(found[1])


@dataclass(frozen=True, eq=False)
class Overlap:
    """Bounds of ``m / (n_s n_t)`` for every two windows, and how they are known."""

    low: Floats
    high: Floats
    why: str

    @classmethod
    def unknown(cls, people: Floats) -> Overlap:
        """Between nobody and everybody."""
        return cls(
            np.zeros((len(people),) * 2), _together(people), "the overlap of people is not known"
        )

    @classmethod
    def cohorts(cls, count: int, people: Floats, apart: Distances) -> Overlap:
        """Each person answers in one window of ``count``: only windows so far apart may have people in common."""
        again = np.where(apart % count == 0, _together(people), 0.0)
        return cls(np.zeros_like(again), again, f"each person is asked in one window of {count}")

    @classmethod
    def given(cls, part: Any, people: Floats, apart: Distances, kappa: float = 0.0) -> Overlap:
        """As the caller says: a number, numbers by distance, or a matrix.

        A number r is the part of people who answer with the same value in the next window; r^k do so k
        windows later.  ``apart`` are the distances of windows.  With a hash that is kept, the others share
        ``kappa`` of it.
        """
        rho = _matrix(part, apart)
        rho = rho + (1 - rho) * kappa if np.any(rho > 0) else rho
        shared = rho * _together(people)
        return cls(shared, shared, "the overlap of people was given")

    @classmethod
    def estimated(cls, found: Floats, error: Floats, people: Floats) -> Overlap:
        """From tallies: correlations of memos between windows, with their standard errors."""
        scale = 1 / np.sqrt(np.outer(people, people))
        low, high = (np.clip(found + side * _REACH * error, 0.0, None) * scale for side in (-1, 1))
        most = _together(people)
        return cls(
            np.minimum(low, most), np.minimum(high, most), "the overlap of people was estimated"
        )

    @property
    def is_known(self) -> bool:
        """Whether both bounds are one."""
        return bool(np.array_equal(self.low, self.high))

    def covariance(self, own: Floats, least: float, most: float) -> tuple[Floats, Floats]:
        """Bounds of the covariance of windows, their own variances on both diagonals.

        One person who answered in two windows adds at least ``least`` and at most ``most``.
        """
        alone = np.diag(own)
        return alone + self.low * least, alone + self.high * most


def largest_variance(weights: Floats, low: Floats, high: Floats) -> float:
    """The largest variance that a sum of windows can have, between bounds of their covariance."""
    at = np.flatnonzero(weights)
    products, pairs = np.outer(weights[at], weights[at]), np.ix_(at, at)
    return max(0.0, float(np.sum(products * np.where(products > 0, high[pairs], low[pairs]))))


_REACH = 2.0
"""Standard errors that the bounds of an estimated overlap are from it."""


def _together(people: Floats) -> Floats:
    """``min(n_s, n_t) / (n_s n_t)``, nothing on the diagonal: everybody answers in both."""
    together = 1 / np.maximum.outer(people, people)
    np.fill_diagonal(together, 0.0)
    return together


def _matrix(part: Any, apart: Distances) -> Floats:
    windows, farthest = len(apart), int(apart.max())
    try:
        given = np.asarray(part, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("overlap", "trend", _ALLOWED, part) from None
    if not np.all(np.isfinite(given)) or np.any((given < 0) | (given > 1)):
        raise InvalidInput("overlap", "trend", _ALLOWED, part)
    if given.ndim == 0:
        return np.asarray(given**apart, dtype=np.float64)
    if given.ndim == 1 and len(given) >= farthest:
        return np.concatenate([[1.0], given])[apart]
    if given.shape == (windows, windows) and np.array_equal(given, given.T):
        return given
    allowed = f"numbers for {farthest} distances, or a symmetric matrix of {windows} windows"
    raise InvalidInput("overlap", "trend", allowed, f"shape {given.shape}")
