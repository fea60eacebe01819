"""Tables of likelihoods cut into pieces, where their rows have so much structure.

A row of a table says how likely one report is from every value.  Three structures make long
products of rows cheap (:mod:`sottovoce.kernels.joint`):

* *few* different reports, as of stochastic rounding: every row is a shape of its own;
* *steps*: rows that are constant but for a few jumps, as of square waves;
* *slopes*: rows that rise and then fall by one factor a value, as of Laplace noise.

Anything else is multiplied out, value by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.kernels.joint import Pieces

__all__ = ["Cut", "cut_table", "joined"]

Indices = NDArray[np.int64]

_FEW = 2
"""Reports up to which each gets a shape of its own."""
_MEAN_STEPS = 16
"""Steps a row up to which pieces are cheaper than values."""
_EQUAL = 1e-13
"""Relative difference of neighbours that are taken for equal."""
_EXACT = 1e-12
"""Relative error that slopes may have."""
_LARGEST = 2**21
"""Numbers of all patterns together (16 MB) beyond which rows are multiplied out."""


@dataclass(frozen=True, eq=False)
class Cut:
    """One table in pieces: row r has pieces ``first[r]`` to ``first[r + 1]``."""

    first: Indices
    ends: Indices
    constants: Floats
    shape_of: Indices
    shapes: Floats
    kind: str

    @property
    def most(self) -> int:
        """Pieces of the row that has most."""
        return int(np.diff(self.first).max())


def cut_table(table: Floats) -> Cut | None:
    """The table in pieces, or None where it has no such structure."""
    reports, values = table.shape
    if reports <= _FEW:
        whole = np.full(reports, values)
        rows = np.arange(reports)
        return Cut(np.arange(reports + 1), whole, np.ones(reports), rows, table, "few")
    return _slopes(table) or _steps(table)


def _steps(table: Floats) -> Cut | None:
    reports, values = table.shape
    largest = np.maximum(table[:, 1:], table[:, :-1])
    jumps = np.abs(np.diff(table, axis=1)) > _EQUAL * largest
    if jumps.sum() > _MEAN_STEPS * reports:
        return None
    ends_here = np.concatenate([jumps, np.ones((reports, 1), dtype=np.bool_)], axis=1)
    which, last = np.nonzero(ends_here)
    first = np.searchsorted(which, np.arange(reports + 1))
    shape_of, flat = np.zeros(len(which), dtype=np.int64), np.ones((1, values))
    return Cut(first, last + 1, table[which, last], shape_of, flat, "steps")


def _slopes(table: Floats) -> Cut | None:
    """Every row ``c r^-v`` up to its peak and ``c' r^v`` beyond, with one ratio r for all."""
    reports, values = table.shape
    if values < 4 or table.min() <= 0:
        return None
    middle = table[reports // 2]
    ratio = float(middle[-1] / middle[-2])
    if not 0 < ratio < 1:
        return None
    places = np.arange(values) - (values - 1) / 2
    shapes = np.stack([ratio**-places, ratio**places])
    peaks = np.argmax(table, axis=1)
    rows = np.arange(reports)
    up, down = table[:, 0] / shapes[0, 0], table[:, -1] / shapes[1, -1]
    rebuilt = np.where(
        np.arange(values) <= peaks[:, None], up[:, None] * shapes[0], down[:, None] * shapes[1]
    )
    if np.abs(rebuilt / table - 1).max() > _EXACT:
        return None
    pieces = np.stack([peaks + 1, np.full(reports, values)], axis=1)
    constants = np.stack([up, down], axis=1)
    both = np.ones((reports, 2), dtype=np.bool_)
    both[peaks == values - 1, 1] = False
    kept = both.ravel()
    first = np.concatenate([[0], np.cumsum(both.sum(axis=1))])
    shape_of = np.tile([0, 1], len(rows))[kept]
    return Cut(first, pieces.ravel()[kept], constants.ravel()[kept], shape_of, shapes, "slopes")


def joined(cuts: Sequence[Cut], missing: Sequence[bool]) -> Pieces | None:
    """The tables of all services as one set of pieces; None where patterns would be too many.

    ``missing`` tells of each service whether some users have no report there: their pattern
    needs a flat shape in its place.
    """
    cuts = [_with_flat(cut) if some else cut for cut, some in zip(cuts, missing, strict=True)]
    values = cuts[0].shapes.shape[1]
    numbers = np.prod([float(len(cut.shapes)) for cut in cuts]) * values
    if numbers > _LARGEST:
        return None
    shapes, patterns = np.ones((1, values)), []
    for cut in cuts:
        stride = len(shapes)
        patterns.append(cut.shape_of * stride)
        shapes = (cut.shapes[:, None, :] * shapes[None, :, :]).reshape(-1, values)
    starts = np.concatenate([[0], np.cumsum([len(cut.ends) for cut in cuts])])
    rows = np.full((len(cuts), max(len(cut.first) for cut in cuts)), -1)
    for j, cut in enumerate(cuts):
        rows[j, : len(cut.first)] = cut.first + starts[j]
    return Pieces(
        rows=rows,
        ends=np.concatenate([cut.ends for cut in cuts]),
        constants=np.concatenate([cut.constants for cut in cuts]),
        patterns=np.concatenate(patterns),
        shapes=shapes,
        most=sum(cut.most for cut in cuts),
    )


def _with_flat(cut: Cut) -> Cut:
    """With a flat shape before all others, if there is none yet."""
    if cut.kind == "steps":
        return cut
    flat = np.ones((1, cut.shapes.shape[1]))
    return replace(cut, shape_of=cut.shape_of + 1, shapes=np.concatenate([flat, cut.shapes]))
