"""Compiled passes over users with several reports each; see :mod:`sottovoce.kernels.joint`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_users", "cut_users", "sum_users"]


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
def cut_users(codes: Any, tables: Any, width: int) -> Any:
    """All pieces of some users: where those of a user begin, and ends and constant of each.

    Ends are places in the prefix sums of all patterns side by side, ``width`` numbers a pattern.
    """
    most, users = tables[4], codes.shape[0]
    room = (
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.float64),
    )
    starts_at, ends_at, pattern_of, constant_of = room
    begins, total = np.empty(codes.shape[1], np.int64), 0
    firsts = np.zeros(users + 1, np.int64)
    lows, highs = np.empty(users * most, np.int32), np.empty(users * most, np.int32)
    constants = np.empty(users * most, np.float64)
    for i in range(users):
        count = _pieces(codes[i], tables, begins, room)
        for s in range(count):
            lows[total] = pattern_of[s] * width + starts_at[s]
            highs[total] = pattern_of[s] * width + ends_at[s]
            constants[total] = constant_of[s]
            total += 1
        firsts[i + 1] = total
    return firsts, lows[:total].copy(), highs[:total].copy(), constants[:total].copy()


@njit(cache=True, nogil=True)
def add_users(cut: Any, counts: Any, prefix: Any, slopes: Any) -> Any:
    """For every user ``x = L w``: adds ``c/x`` to the differences ``slopes``; returns ``sum c log x``."""
    firsts, lows, highs, constants = cut
    likelihood = 0.0
    for i in range(len(counts)):
        expected = 0.0
        for s in range(firsts[i], firsts[i + 1]):
            expected += constants[s] * (prefix[highs[s]] - prefix[lows[s]])
        likelihood += counts[i] * np.log(expected)
        quotient = counts[i] / expected
        for s in range(firsts[i], firsts[i + 1]):
            push = quotient * constants[s]
            slopes[lows[s]] += push
            slopes[highs[s]] -= push
    return likelihood


@njit(cache=True, nogil=True)
def sum_users(cut: Any, prefixes: Any, out: Any) -> None:
    """``out[i, f] = (L u_f)_i`` for several vectors u, given their prefix sums."""
    firsts, lows, highs, constants = cut
    for i in range(out.shape[0]):
        for f in range(prefixes.shape[0]):
            total = 0.0
            for s in range(firsts[i], firsts[i + 1]):
                total += constants[s] * (prefixes[f, highs[s]] - prefixes[f, lows[s]])
            out[i, f] = total
