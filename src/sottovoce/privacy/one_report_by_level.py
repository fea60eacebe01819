"""Lies to a mechanism whose devices draw which level of a hierarchy they speak of.

Estimates take the levels' parts as counted, so that a liar is one of those who speak of a
level, and the fewer they are the more a lie weighs.  With parts ``rho_l`` of the honest
reports, ``D_l`` what a report of level l can add at most beyond an honest one, and a share
``b_l`` of all reports that are lies of level l, ``sum b_l = beta``, the answer shifts by

    sum over l of  b_l D_l / ((1 - beta) rho_l + b_l)

which is concave in b: liars spread over levels until all have one slope.  Where constrained inference
weighs levels by the counted parts, ``D_l`` depends on b; it is then found again at the b so found,
and what comes out is the best of what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.channels.stacked import LevelSampling
from sottovoce.privacy.one_report import EXACT, TRIED

__all__ = ["push_by_level"]

_ROUNDS = 3
"""How often levels are weighed again by the parts that lies gave them."""


def push_by_level(
    channel: LevelSampling, weights: Floats, honest: Floats, fakes: float
) -> tuple[float, float, str]:
    """The rise and the fall of ``weights . shares``; ``honest`` are the honest cell frequencies."""
    told = _answer(channel, weights, honest)
    rise = max(
        _answer(channel, weights, (1 - fakes) * honest + lies) - told
        for lies in _lies(channel, weights, honest, fakes)
    )
    fall = max(
        told - _answer(channel, weights, (1 - fakes) * honest + lies)
        for lies in _lies(channel, -weights, honest, fakes)
    )
    return rise, fall, EXACT if channel.levels_apart else TRIED


def _answer(channel: LevelSampling, weights: Floats, frequencies: Floats) -> float:
    inverse = channel.conditioned_on(frequencies).inverse
    assert inverse is not None
    return float(inverse.forward(frequencies) @ weights)


def _lies(
    channel: LevelSampling, weights: Floats, honest: Floats, fakes: float
) -> Iterator[Floats]:
    """Frequencies of lies to try: spread over levels, and again at the parts so found."""
    seen = honest
    for _ in range(1 if channel.levels_apart else _ROUNDS):
        best, beyond, parts = _best_cells(channel, weights, seen, honest)
        lies = np.zeros(channel.cells)
        lies[best] = _spread(beyond, (1 - fakes) * parts, fakes)
        yield lies
        seen = (1 - fakes) * honest + lies
    if not channel.levels_apart:
        alone = np.zeros(channel.cells)
        alone[best[int(np.argmax(beyond / np.maximum(parts, 1e-12)))]] = fakes
        yield alone


def _best_cells(
    channel: LevelSampling, weights: Floats, seen: Floats, honest: Floats
) -> tuple[list[int], Floats, Floats]:
    """Of each level the cell that adds most, ``D_l``, and the honest part ``rho_l``."""
    now = channel.conditioned_on(seen)
    assert isinstance(now, LevelSampling) and now.inverse is not None
    cell_weights = now.inverse.adjoint(weights)
    cells, beyond, parts = [], [], []
    levels = zip(now.bounds, now.parts(cell_weights), now.parts(honest), now.rates, strict=False)
    for start, of_level, frequencies, rate in levels:
        part = float(frequencies.sum())
        usual = float(of_level @ frequencies) / part if part > 0 else 0.0
        cells.append(start + int(of_level.argmax()))
        beyond.append(max(0.0, rate * (float(of_level.max()) - usual)))
        parts.append(part)
    return cells, np.array(beyond), np.array(parts)


def _spread(beyond: Floats, parts: Floats, fakes: float) -> Floats:
    """The b >= 0 of sum ``fakes`` with the largest ``sum b D / (parts + b)``.

    At the largest, ``b = sqrt(D parts) t - parts`` where that is positive, one t for all: levels
    of large ``D / parts`` first.  A level that nobody honest speaks of takes one lie for all its
    D, so parts are taken as no smaller than 1e-12.
    """
    parts = np.maximum(parts, 1e-12)
    roots = np.sqrt(beyond * parts)
    order = np.argsort(-roots / parts, kind="stable")
    found = np.zeros(len(parts))
    for last in range(len(order), 0, -1):
        some = order[:last]
        total = float(roots[some].sum())
        if total == 0.0:
            continue
        shares = roots[some] * ((fakes + float(parts[some].sum())) / total) - parts[some]
        if shares.min() >= 0:
            found[some] = shares
            return found
    found[order[0]] = fakes
    return found
