"""The compiled loop of :mod:`sottovoce.kernels.pairs`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sottovoce.kernels.compiled_segments import _gather, _row, _scatter, _sum_up

__all__ = ["run_em", "em_step"]

_NEGLIGIBLE = 1e-290


@njit(nogil=True, cache=True)
def em_step(law: Any, shares: Any, counts: Any, ratio: Any) -> float:
    """``A'(c / A w) / sum c`` into ``ratio``; returns ``sum c log A w``.

    ``law = (matrix, uniform, own, other, unset, nobody)`` as :class:`sottovoce.kernels.pairs.Pairs`
    says.  ``counts`` has a row a key; the last row holds "no pair", at its first place.
    """
    matrix, uniform, own, other, unset, nobody = law
    keys, cells = len(counts) - 1, len(uniform)
    bins, first = (len(shares) - (nobody >= 0.0)) // keys, int(unset)
    sums, ends = np.empty((2, bins + 1)), np.empty((2, bins + 1))
    everybody, total, likelihood, anybody = shares.sum(), 0.0, 0.0, 0.0
    for k in range(keys):
        held, back = shares[k * bins : (k + 1) * bins], ratio[k * bins : (k + 1) * bins]
        _sum_up(held, sums)
        mine, made_up, true = sums[0, bins], 0.0, 0.0
        ends[:], back[:] = 0.0, 0.0
        if unset and counts[k, 0] > 0.0:
            expected = (1.0 - own) * mine + (1.0 - other) * (everybody - mine)
            quotient = counts[k, 0] / expected
            likelihood += counts[k, 0] * np.log(expected)
            total += counts[k, 0]
            made_up += (1.0 - other) * quotient
            true += (1.0 - own) * quotient
        for c in range(cells):
            count = counts[k, first + c]
            if count > 0.0:
                background = other * uniform[c]
                expected = own * _row(c, matrix, held, sums) + background * (everybody - mine)
                quotient = count / expected
                likelihood += count * np.log(expected)
                total += count
                made_up += background * quotient
                true += own * quotient * matrix[0][c]
                _scatter(c, own * quotient, matrix, back, ends)
        _gather(back, true - made_up, ends, 1.0)
        anybody += made_up
    if nobody >= 0.0:
        ratio[len(shares) - 1] = 0.0
    if counts[keys, 0] > 0.0:
        expected = nobody * everybody + (own - other) * shares[len(shares) - 1]
        quotient = counts[keys, 0] / expected
        likelihood += counts[keys, 0] * np.log(expected)
        total += counts[keys, 0]
        anybody += nobody * quotient
        ratio[len(shares) - 1] = (own - other) * quotient
    for i in range(len(ratio)):
        ratio[i] = (ratio[i] + anybody) / total
    return likelihood


@njit(nogil=True, cache=True)
def run_em(law: Any, counts: Any, state: Any, tolerance: float, stride: int) -> int:
    """Passes on ``state = (shares, ratio, likelihoods)`` until one gains at most ``tolerance``.

    Each is ``stride`` long (:func:`sottovoce.kernels.pairs.long_ratio`), or a plain one where
    that would lower the likelihood.  Returns how many, at most one less than there is room for
    likelihoods.
    """
    shares, ratio, likelihoods = state
    likelihoods[0] = em_step(law, shares, counts, ratio)
    last, before, plain = len(likelihoods) - 1, shares.copy(), ratio.copy()
    for done in range(1, last + 1):
        before[:], plain[:] = shares, ratio
        if stride > 1:
            for i in range(len(shares)):
                more = ratio[i] - 1.0
                shares[i] *= 1.0 + stride * more if more > 0.0 else ratio[i] ** stride
            shares /= shares.sum()
            likelihoods[done] = em_step(law, shares, counts, ratio)
        if stride == 1 or likelihoods[done] < likelihoods[done - 1]:
            shares[:] = before * plain
            for i in range(len(shares)):
                if shares[i] < _NEGLIGIBLE:
                    shares[i] = 0.0
            likelihoods[done] = em_step(law, shares, counts, ratio)
        if likelihoods[done] - likelihoods[done - 1] <= tolerance:
            return done
    return last
