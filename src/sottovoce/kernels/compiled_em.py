"""The compiled loop of :mod:`sottovoce.kernels.em`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["run_em"]

_FAST = {"reassoc", "contract", "nsz"}
"""Sums in any order and fused products, so that loops become vectors; NaN stays NaN."""
_SERIES = 0.01
"""Up to this the series of log(1 + x), cut after x^7/7, is right to 1 in 10^15."""
_NEGLIGIBLE = 1e-290


@njit(nogil=True, cache=True, fastmath=_FAST)
def _running_sums(values: Any, sums: Any) -> None:
    """``sums[i]`` is the sum of the first i values: four quarters side by side, then joined."""
    quarter = len(values) // 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(quarter):
        j, k, m = i + quarter, i + 2 * quarter, i + 3 * quarter
        sums[i], sums[j], sums[k], sums[m] = a, b, c, d
        a += values[i]
        b += values[j]
        c += values[k]
        d += values[m]
    b += a
    c += b
    for i in range(quarter):
        sums[i + quarter] += a
        sums[i + 2 * quarter] += b
        sums[i + 3 * quarter] += c
    d += c
    for i in range(4 * quarter, len(values)):
        sums[i] = d
        d += values[i]
    sums[len(values)] = d


@njit(nogil=True, cache=True, fastmath=_FAST)
def _add_entries(entries: Any, values: Any, rest: Any, given: Any, out: Any) -> None:
    """Add to every owner its partners' ``given`` times their values: whole columns, then the rest."""
    columns = len(entries)
    for k in range(0, columns - 1, 2):
        one, other, at, also = values[k], values[k + 1], entries[k], entries[k + 1]
        for i in range(len(out)):
            out[i] += one[i] * given[at[i]] + other[i] * given[also[i]]
    if columns % 2:
        one, at = values[columns - 1], entries[columns - 1]
        for i in range(len(out)):
            out[i] += one[i] * given[at[i]]
    owners, partners, weights = rest
    for k in range(len(owners)):
        out[owners[k]] += weights[k] * given[partners[k]]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _expect(forward: Any, shares: Any, sums: Any, spare: Any, expected: Any) -> None:
    """``A w`` by running sums and single entries."""
    base, levels, slopes, sloped, starts, stops, entries, values, rest = forward
    _running_sums(shares, sums)
    total = sums[len(shares)]
    level, start, stop = levels[0], starts[0], stops[0]
    for r in range(len(base)):
        expected[r] = base[r] * total + level[r] * (sums[stop[r]] - sums[start[r]])
    for s in range(1, len(levels)):
        level, start, stop = levels[s], starts[s], stops[s]
        for r in range(len(base)):
            expected[r] += level[r] * (sums[stop[r]] - sums[start[r]])
    _add_entries(entries, values, rest, shares, expected)
    if sloped.any():
        middle = len(shares) // 2
        for i in range(len(shares)):
            spare[i] = shares[i] * (i - middle)
        _running_sums(spare, sums)
        for s in range(len(levels)):
            slope, start, stop = slopes[s], starts[s], stops[s]
            if sloped[s]:
                for r in range(len(base)):
                    expected[r] += slope[r] * (sums[stop[r]] - sums[start[r]])


@njit(nogil=True, cache=True, fastmath=_FAST)
def _explain(forward: Any, back: Any, quotient: Any, spare: Any, ratio: Any) -> None:
    """``A' q``: the rows that cover an input are a range of every piece."""
    base, levels, slopes, sloped = forward[0], forward[1], forward[2], forward[3]
    firsts, lasts, entries, values, rest = back
    rows, middle, constant = len(base), len(ratio) // 2, 0.0
    products, sums = spare
    for r in range(rows):
        constant += base[r] * quotient[r]
    for s in range(len(levels)):
        level, slope, first, last = levels[s], slopes[s], firsts[s], lasts[s]
        for r in range(rows):
            products[r] = level[r] * quotient[r]
        _running_sums(products, sums)
        if s == 0:
            for i in range(len(ratio)):
                ratio[i] = constant + sums[last[i]] - sums[first[i]]
        else:
            for i in range(len(ratio)):
                ratio[i] += sums[last[i]] - sums[first[i]]
        if sloped[s]:
            for r in range(rows):
                products[r] = slope[r] * quotient[r]
            _running_sums(products, sums)
            for i in range(len(ratio)):
                ratio[i] += (i - middle) * (sums[last[i]] - sums[first[i]])
    _add_entries(entries, values, rest, quotient, ratio)


@njit(nogil=True, cache=True, fastmath=_FAST)
def _compare(counts: Any, inverse: Any, expected: Any, quotient: Any) -> float:
    """``sum c log(new / old)``, where ``old = c / quotient``; the quotient becomes ``c / new``.

    ``inverse = 1 / c``.  The logarithm of 1 + x is its series up to x^7 while x is small.
    """
    gain, large = 0.0, 0.0
    for r in range(len(counts)):
        x = expected[r] * quotient[r] * inverse[r] - 1.0
        large += 1.0 if abs(x) > _SERIES else 0.0
        tail = 1 / 4 - x * (1 / 5 - x * (1 / 6 - x * (1 / 7)))
        gain += counts[r] * (x * (1.0 - x * (1 / 2 - x * (1 / 3 - x * tail))))
    if large > 0.0:
        gain = 0.0
        for r in range(len(counts)):
            gain += counts[r] * np.log(expected[r] * quotient[r] * inverse[r])
    for r in range(len(counts)):
        quotient[r] = counts[r] / expected[r]
    return gain


@njit(nogil=True, cache=True, fastmath=_FAST)
def _smooth(shares: Any, spare: Any, ring: bool) -> None:
    """Every share averaged with its neighbours, as ``smooth`` of the estimators; sum 1."""
    size = len(shares)
    if size == 1:
        return
    for i in range(1, size - 1):
        spare[i] = 0.5 * shares[i] + 0.25 * (shares[i - 1] + shares[i + 1])
    if ring:
        spare[0] = 0.5 * shares[0] + 0.25 * (shares[size - 1] + shares[1])
        spare[size - 1] = 0.5 * shares[size - 1] + 0.25 * (shares[size - 2] + shares[0])
    else:
        spare[0] = (2.0 * shares[0] + shares[1]) / 3.0
        spare[size - 1] = (2.0 * shares[size - 1] + shares[size - 2]) / 3.0
    total = 0.0
    for i in range(size):
        total += spare[i]
    for i in range(size):
        shares[i] = spare[i] / total


@njit(nogil=True, cache=True, fastmath=_FAST)
def run_em(forward: Any, back: Any, counts: Any, state: Any, rule: Any) -> int:
    """Passes on ``state = (shares, ratio, likelihoods)`` by ``rule = (smoothing, tolerance)``.

    Smoothing is 0 for none, 1 on a line, 2 on a ring.  Returns the passes made, at most
    one less than there is room for likelihoods.
    """
    shares, ratio, likelihoods = state
    smoothing, tolerance = rule
    size, rows = len(shares), len(counts)
    sums, spare, aside = np.empty(size + 1), np.empty(size), (np.empty(rows), np.empty(rows + 1))
    expected, inverse, total = np.empty(rows), 1.0 / counts, counts.sum()
    _expect(forward, shares, sums, spare, expected)
    quotient = counts / expected
    likelihoods[0] = (counts * np.log(expected)).sum()
    last = len(likelihoods) - 1
    for done in range(last + 1):
        _explain(forward, back, quotient, aside, ratio)
        for i in range(size):
            ratio[i] /= total
        gain = likelihoods[done] - likelihoods[done - 1] if done else np.inf
        if done == last or (abs(gain) if smoothing else gain) <= tolerance:
            return done
        for i in range(size):
            share = shares[i] * ratio[i]
            shares[i] = share if share >= _NEGLIGIBLE else 0.0
        if smoothing:
            _smooth(shares, spare, smoothing == 2)
        _expect(forward, shares, sums, spare, expected)
        likelihoods[done + 1] = likelihoods[done] + _compare(counts, inverse, expected, quotient)
    return last
