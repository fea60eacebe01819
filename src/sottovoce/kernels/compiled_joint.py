"""Compiled passes over users with several reports each; see :mod:`sottovoce.kernels.joint`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_users", "sum_users"]


@njit(cache=True, nogil=True)
def _pieces(codes: Any, tables: Any, begins: Any, room: Any) -> Any:
    """Cut one user's likelihood: starts, ends, patterns and constants of its pieces, and how many."""
    rows, ends, constants, patterns, _ = tables
    starts_at, ends_at, pattern_of, constant_of = room
    services = codes.shape[0]
    for j in range(services):
        begins[j] = rows[j, codes[j]] if codes[j] >= 0 else -1
    start, count = 0, 0
    last = ends[-1]
    while start < last:
        stop, constant, pattern = last, 1.0, 0
        for j in range(services):
            place = begins[j]
            if place >= 0:
                stop = min(stop, ends[place])
                constant *= constants[place]
                pattern += patterns[place]
        for j in range(services):
            place = begins[j]
            if place >= 0 and ends[place] == stop:
                begins[j] = place + 1
        starts_at[count], ends_at[count] = start, stop
        pattern_of[count], constant_of[count] = pattern, constant
        count += 1
        start = stop
    return count


@njit(cache=True, nogil=True)
def add_users(codes: Any, counts: Any, tables: Any, prefix: Any, slopes: Any) -> Any:
    """For every user ``x = L w``: adds ``c/x`` to the differences ``slopes``; returns ``sum c log x``."""
    most = tables[4]
    room = (
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.float64),
    )
    starts_at, ends_at, pattern_of, constant_of = room
    begins, likelihood = np.empty(codes.shape[1], np.int64), 0.0
    for i in range(codes.shape[0]):
        count = _pieces(codes[i], tables, begins, room)
        expected = 0.0
        for s in range(count):
            row = prefix[pattern_of[s]]
            expected += constant_of[s] * (row[ends_at[s]] - row[starts_at[s]])
        likelihood += counts[i] * np.log(expected)
        quotient = counts[i] / expected
        for s in range(count):
            row, push = slopes[pattern_of[s]], quotient * constant_of[s]
            row[starts_at[s]] += push
            row[ends_at[s]] -= push
    return likelihood


@njit(cache=True, nogil=True)
def sum_users(codes: Any, tables: Any, prefixes: Any, out: Any) -> None:
    """``out[i, f] = (L u_f)_i`` for several vectors u, given their prefix sums."""
    most = tables[4]
    room = (
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.float64),
    )
    starts_at, ends_at, pattern_of, constant_of = room
    begins = np.empty(codes.shape[1], np.int64)
    for i in range(codes.shape[0]):
        count = _pieces(codes[i], tables, begins, room)
        for f in range(prefixes.shape[0]):
            total = 0.0
            for s in range(count):
                row = prefixes[f, pattern_of[s]]
                total += constant_of[s] * (row[ends_at[s]] - row[starts_at[s]])
            out[i, f] = total
