"""Lies tried on a method that has no formula: fit again with them, and see what changes.

The lies are those that push hardest by one of four guesses:

- every liar sends the cell from which people of the told shares hold most on average
  (``A(w z) / A w``: the cell with the largest step of expectation-maximisation);
- the same for people who hold everything alike;
- the cell of the largest gain in the unbiased answer, where there is one;
- every liar follows the mechanism, and holds the value of the largest weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.estimate import Estimate
from sottovoce.channels.base import Channel, Floats
from sottovoce.core.tally import Tally
from sottovoce.privacy.one_report import gains_of

__all__ = ["push_by_trying"]


def push_by_trying(
    tally: Tally,
    weights: Floats,
    fakes: float,
    fit: Callable[[Tally], Estimate],
    ask: Callable[[Estimate], float],
) -> tuple[float, float]:
    """The largest rise and fall that lies brought; ``weights`` say which values they speak for."""
    told = fit(tally)
    channel, shares, liars = tally.mechanism.channel(), told.shares, _liars(tally.n, fakes)
    shifts = [0.0]
    if liars:
        for wanted in (weights, -weights):
            for cells in _guesses(channel, shares, wanted, liars):
                people = tally.n + liars
                both = Tally(tally.mechanism, people, tally.cells + cells, tally.window)
                shifts.append(ask(fit(both)) - ask(told))
    return max(shifts), -min(shifts)


def _liars(honest: int, fakes: float) -> int:
    """How many must join the honest to be a share ``fakes`` of all."""
    return round(honest * fakes / (1 - fakes))


def _guesses(
    channel: Channel, shares: Floats | None, weights: Floats, liars: int
) -> Iterator[NDArray[np.int64]]:
    """The cells of lies to try, each once."""
    alike = np.full(channel.inputs, 1 / channel.inputs)
    scores = [_held(channel, alike, weights)]
    if shares is not None:
        scores.append(_held(channel, np.maximum(shares, 0.0), weights))
    cell_weights = gains_of(channel, weights)
    if cell_weights is not None:
        scores.append(cell_weights)
    tried: set[bytes] = set()
    for score in scores:
        best = score.reshape(channel.blocks, -1).argmax(axis=1)
        if best.tobytes() not in tried:
            tried.add(best.tobytes())
            cells = np.zeros((channel.blocks, channel.cells // channel.blocks), dtype=np.int64)
            cells[np.arange(channel.blocks), best] = liars
            yield cells.ravel()
    yield _followers(channel, int(weights.argmax()), liars)


def _held(channel: Channel, shares: Floats, weights: Floats) -> Floats:
    """What people who fell in each cell hold on average, in weights."""
    expected = channel.forward(shares)
    held = channel.forward(shares * weights)
    return np.divide(held, expected, out=np.zeros_like(held), where=expected > 0)


def _followers(channel: Channel, index: int, liars: int) -> NDArray[np.int64]:
    """The cells of people who all hold one value, as many as expected, every block with all of them."""
    expected = channel.forward(np.eye(1, channel.inputs, index)[0])
    table = np.maximum(expected, 0.0).reshape(channel.blocks, -1)
    ends = np.rint(liars * np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True))
    return np.diff(ends.astype(np.int64), axis=1, prepend=0).ravel()
