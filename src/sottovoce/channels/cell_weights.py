"""What each cell of a tally adds to one answer, without shares in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["AFFINE", "CellWeights", "affine", "gains_of_outputs"]

AFFINE = 1e-9
"""How far weights may be from a straight line, in parts of their spread."""


@dataclass(frozen=True, eq=False)
class CellWeights:
    """Per-cell ``values`` g with ``A' g = weights``: ``frequencies . g`` is then an unbiased answer.

    ``bias_bound`` bounds ``|A' g - weights|`` over all inputs, in the answer's units: the
    bias that is left, whatever the distribution.
    """

    values: NDArray[np.float64]
    bias_bound: float = 0.0


def affine(weights: NDArray[np.float64]) -> tuple[float, float] | None:
    """``(a, b)`` where the weight of input i is ``a + b i`` for every i, else None."""
    if len(weights) == 1:
        return float(weights[0]), 0.0
    slope = float(weights[-1] - weights[0]) / (len(weights) - 1)
    line = weights[0] + slope * np.arange(len(weights))
    spread = max(float(np.ptp(weights)), float(np.abs(weights).max()))
    if np.abs(weights - line).max() > AFFINE * spread:
        return None
    return float(weights[0]), slope


def gains_of_outputs(
    adjoint: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    outputs: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> CellWeights | None:
    """Gains for weights on a straight line, where cells stand for numbers that are right on average.

    ``outputs`` are the cells' numbers y and ``adjoint`` is ``A'`` of a one-block channel, so that
    ``A' y`` is each input's mean report.  Where that is ``alpha + beta i``, the weights ``a + b i``
    have the gains ``a + b (y - alpha) / beta``; what it lacks of a straight line is the bias bound.
    None where the weights lie on no straight line, or reports do not depend on the input.
    """
    line = affine(weights)
    if line is None:
        return None
    a, b = line
    means = adjoint(outputs)
    places = np.arange(len(means)) - (len(means) - 1) / 2
    beta = float(places @ means) / max(float(places @ places), 1.0)
    if b == 0.0:
        return CellWeights(np.full(len(outputs), a))
    if beta == 0.0:
        return None
    alpha = float(means.mean()) - beta * (len(means) - 1) / 2
    values = a + b * (outputs - alpha) / beta
    return CellWeights(values, float(np.abs(adjoint(values) - weights).max()))
