"""A coarser view of an ordered channel: few cells of the axis, few groups of reports.

Local noise hides what happens within a small part of the axis, so a distribution over many
values is fitted on at most ``CELLS`` neighbouring cells, each of whole values, uniform inside.
Cells are narrow where a first estimate puts many people, down to single values.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Floats
from sottovoce.estimators.smooth.information import Readings

__all__ = ["CELLS", "cell_edges", "coarse_readings", "expand"]

CELLS = 256
_ENTRIES = 2**24
"""Largest matrix of a coarse channel (128 MB)."""

_LOSS = 0.002
"""Part of the information that may be lost when reports are grouped."""


def cell_edges(channel: Channel, shares: Floats) -> NDArray[np.int64]:
    """Where cells begin and end, in values: equal steps of the mean of ``x`` and ``F(x)``.

    So a cell is at most twice as wide as the mean cell, and holds at most twice the mean share
    unless it is a single value.
    """
    size = channel.inputs
    cells = min(size, CELLS, max(2, _ENTRIES // channel.cells))
    if cells == size:
        return np.arange(size + 1)
    cumulative = np.concatenate([[0.0], np.cumsum(shares)])
    axis = np.linspace(0, 1, size + 1) / 2 + cumulative / cumulative[-1] / 2
    inside = np.interp(np.arange(1, cells) / cells, axis, np.arange(size + 1))
    return np.unique(np.concatenate([[0], np.rint(inside).astype(np.int64), [size]]))


def coarse_readings(channel: Channel, counts: Floats, edges: NDArray[np.int64]) -> Readings:
    """What ``counts`` of the channel's cells say of the cells of the axis between ``edges``."""
    bits = channel.blocks > 1
    n = float(counts.sum()) / channel.blocks
    if len(edges) == channel.inputs + 1:
        matrix = channel.dense()
    else:
        matrix = np.empty((channel.cells, len(edges) - 1))
        for cell, (begin, end) in enumerate(pairwise(edges)):
            inside = np.zeros(channel.inputs)
            inside[begin:end] = 1 / (end - begin)
            matrix[:, cell] = channel.forward(inside)
    if bits:
        return Readings(matrix[::2], counts[::2], n, bits=True)
    matrix, counts = _grouped(matrix, counts)
    live = matrix.sum(axis=1) > 0
    return Readings(matrix[live], counts[live], n)


def _grouped(matrix: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Neighbouring reports counted together in pairs, while that loses next to no information.

    Information on the cells, when all are equally frequent: the trace of ``A' diag(1/A u) A``.
    """
    before = _information(matrix)
    while len(matrix) > 2 * matrix.shape[1]:
        pairs = np.arange(0, len(matrix), 2)
        merged = np.add.reduceat(matrix, pairs, axis=0)
        if _information(merged) < (1 - _LOSS) * before:
            break
        matrix, counts = merged, np.add.reduceat(counts, pairs)
    return matrix, counts


def _information(matrix: Floats) -> float:
    """``sum (A - m)^2 / m``, m the mean of a row: what its columns tell beyond their mean."""
    expected = matrix.mean(axis=1)
    squares = np.einsum("ij,ij->i", matrix, matrix)
    live = expected > 0
    return float(np.sum(squares[live] / expected[live]) - matrix.shape[1] * expected.sum())


def expand(cells: Floats, edges: NDArray[np.int64]) -> Floats:
    """Shares of the values from shares of cells: a smooth rise inside each, its total kept.

    The cumulative distribution is a cubic between the edges, monotone (Fritsch and Butland):
    the slope at an edge is the weighted harmonic mean of the two sides', the end cells keep
    their own.
    """
    widths = np.diff(edges).astype(np.float64)
    if widths.max() == 1:
        return cells.copy()
    slopes = cells / widths
    left, right = slopes[:-1], slopes[1:]
    first, second = 2 * widths[1:] + widths[:-1], widths[1:] + 2 * widths[:-1]
    with np.errstate(divide="ignore"):
        inner = (first + second) / (first / left + second / right)
    at = np.concatenate([slopes[:1], inner, slopes[-1:]])
    place = np.arange(edges[-1] + 1)
    cell = np.clip(np.searchsorted(edges, place, side="right") - 1, 0, len(cells) - 1)
    h, p = widths[cell], (place - edges[cell]) / widths[cell]
    total = np.concatenate([[0.0], np.cumsum(cells)])
    cumulative = (
        total[cell] * (1 + 2 * p) * (1 - p) ** 2 + total[cell + 1] * p**2 * (3 - 2 * p)
        + h * at[cell] * p * (1 - p) ** 2 - h * at[cell + 1] * p**2 * (1 - p)
    )  # fmt: skip
    shares = np.maximum(np.diff(cumulative), 0.0)
    scaled: Floats = shares / shares.sum()
    return scaled
