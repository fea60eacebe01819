"""What key-value reports make of a distribution over pairs.

Let A be the law of a true number (cells by bins), u that of a made-up one.  Of a person
with the pair (k, i), key k is reported with chance a and a true number, any other with
chance b and a made-up one; whoever has no pair says everything with b.  With ``W_k`` the
shares of key k, ``F_k`` their sum and F the sum of all shares, the cells of key k expect

    a A W_k + b u (F - F_k)

**Response.**  One block: these cells, key after key, and "no pair", which is reported with
``q = l b`` of anybody and with ``q + a - b`` of those without a pair.

**Unary.**  A block a key: "unset", ``(1 - a) F_k + (1 - b)(F - F_k)``, and these cells.

**Gains.**  Let ``y_c`` be what cell c stands for, less its mean for made-up numbers, and ``m_i``
its mean for true ones: a straight line in i, ``m_i = m + s (i - middle)``.  For weights
``alpha_k + beta_k (i - middle)``, and ``omega`` for no pair, let ``d_k = beta_k / (a s)`` and

    g_kc = gamma_k + d_k y_c

Made-up numbers then add ``gamma_k`` on average, and a true one ``alpha_k - d_k a m`` is left for
``gamma`` to explain, as for an oracle over keys alone:

    response: gamma = (alpha - base . alpha) / (a - b), base = (b, ..., b, q), alpha ending in omega
    unary:    gamma_k = (1 - b)(alpha_k - omega)/(a - b), unset -b (alpha_k - omega)/(a - b),
              and omega / K in every cell of all

so that ``A' g`` is the weights, but for what ``m_i`` lacks of a straight line.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import AFFINE, CellWeights
from sottovoce.channels.key_blocks import KeyBlocks
from sottovoce.kernels.pairs import Pairs, PairsEm
from sottovoce.mechanisms._grid_channel import GridChannel
from sottovoce.mechanisms._key_value_numbers import ReportedNumbers

__all__ = ["PairsChannel", "ResponsePairsChannel", "UnaryPairsChannel"]


class PairsChannel(Channel):
    """What both ways to report keys share."""

    unset: bool
    """Whether every key is a block of its own, its first cell being "unset"."""

    def __init__(
        self, numbers: ReportedNumbers, keys: int, *, own: float, other: float, nobody: float | None
    ) -> None:
        """``own`` and ``other`` are a and b; ``nobody`` is q, None where all hold a pair."""
        self.numbers, self.keys, self.bins = numbers.channel(), keys, numbers.bins
        self.own, self.other, self.nobody = own, other, nobody
        self.uniform = numbers.uniform
        self.inputs = keys * numbers.bins + (nobody is not None)
        self.identifies_distribution = self.numbers.identifies_distribution
        self._edges = numbers.edges

    def _apart(self, inputs: Floats) -> tuple[Floats, float]:
        """A row a key, and what belongs to no pair."""
        held = inputs[: self.keys * self.bins].reshape(self.keys, self.bins)
        return held, 0.0 if self.nobody is None else float(inputs[-1])

    def _joined(self, held: Floats, nobody: float) -> Floats:
        return held.ravel() if self.nobody is None else np.append(held.ravel(), nobody)

    def _expected(self, held: Floats, total: float) -> Floats:
        """``a A W_k + b u (F - F_k)``, a row a key."""
        others = self.other * (total - held.sum(axis=1))
        return self.own * self.numbers.forward_rows(held) + others[:, None] * self.uniform

    # -- passes of EM, compiled where numbers are piecewise ------------------------------

    @cached_property
    def _pairs(self) -> Pairs | None:
        if not isinstance(self.numbers, GridChannel):
            return None
        nobody = -1.0 if self.nobody is None else self.nobody
        pairs = Pairs(self.numbers.segments, self.uniform, self.own, self.other, self.unset, nobody)
        return pairs if pairs.compiled else None

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        if self._pairs is None:
            return super().em_step(shares, cells)
        return self._pairs.em_step(shares, cells)

    def em_run(self, cells: Floats, stride: int = 1) -> PairsEm | None:
        return None if self._pairs is None else self._pairs.em_run(cells, stride)

    # -- what reports say, key by key ----------------------------------------------------

    @cached_property
    def key_blocks(self) -> KeyBlocks:
        matrix = self.own * self.numbers.dense() - self.other * self.uniform[:, None]
        base = self.other * self.uniform
        if self.unset:
            unset = np.full((1, self.bins), self.other - self.own)
            matrix, base = np.vstack([unset, matrix]), np.append(1 - self.other, base)
        told = None
        if self.nobody is not None and not self.unset:
            told = self.nobody, self.nobody + self.own - self.other
        return KeyBlocks(self.keys, matrix, base, self.unset, self.nobody is not None, told)

    # -- gains ---------------------------------------------------------------------------

    @cached_property
    def _line(self) -> tuple[Floats, float, float, float]:
        """The numbers y of the cells, the mean and slope of their straight line, what it misses."""
        first, last = self._edges[:-1], self._edges[1:] - 1
        stands_for = (first + last) / 2 - (self._edges[-1] - 1) / 2
        means = self.numbers.adjoint(stands_for)
        places = self._places
        slope = float(places @ means) / max(float(places @ places), 1.0)
        middle = float(means.mean())
        return stands_for, middle, slope, float(np.abs(means - middle - slope * places).max())

    @property
    def _places(self) -> Floats:
        """``i - middle``."""
        return np.arange(self.bins, dtype=np.float64) - (self.bins - 1) / 2

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """For weights that are, within every key, on a straight line."""
        held, nobody = self._apart(weights)
        alpha = (held[:, 0] + held[:, -1]) / 2
        beta = (held[:, -1] - held[:, 0]) / max(self.bins - 1, 1)
        crooked = np.abs(held - alpha[:, None] - beta[:, None] * self._places).max()
        if crooked > AFFINE * max(float(np.ptp(weights)), float(np.abs(weights).max())):
            return None
        stands_for, middle, slope, misses = self._line
        tilt = np.zeros(self.keys) if slope == 0.0 else beta / (self.own * slope)
        if slope == 0.0 and beta.any():
            return None
        alpha = alpha - tilt * self.own * middle
        values = self._gains_of(alpha, nobody, tilt[:, None] * stands_for)
        return CellWeights(values, float(np.abs(tilt).max()) * self.own * misses)

    @abstractmethod
    def _gains_of(self, alpha: Floats, nobody: float, of_numbers: Floats) -> Floats:
        """The gains of all cells."""


class ResponsePairsChannel(PairsChannel):
    """One block: the cells of all keys, and "no pair" where people hold sets."""

    unset = False

    def __init__(
        self, numbers: ReportedNumbers, keys: int, *, own: float, other: float, nobody: float | None
    ) -> None:
        super().__init__(numbers, keys, own=own, other=other, nobody=nobody)
        self.cells = keys * numbers.cells + (nobody is not None)

    def forward(self, shares: Floats) -> Floats:
        held, nobody = self._apart(shares)
        total = float(shares.sum())
        expected = self._expected(held, total).ravel()
        if self.nobody is None:
            return expected
        return np.append(expected, self.nobody * total + (self.own - self.other) * nobody)

    def adjoint(self, values: Floats) -> Floats:
        told = values[: self.keys * len(self.uniform)].reshape(self.keys, -1)
        made_up = self.other * (told @ self.uniform)
        anybody = float(made_up.sum())
        if self.nobody is not None:
            anybody += self.nobody * float(values[-1])
        held = self.own * self.numbers.adjoint_rows(told) - made_up[:, None] + anybody
        return self._joined(held, anybody + (self.own - self.other) * float(values[-1]))

    def _gains_of(self, alpha: Floats, nobody: float, of_numbers: Floats) -> Floats:
        everybody = self.other * float(alpha.sum()) + (self.nobody or 0.0) * nobody
        gamma = (alpha - everybody) / (self.own - self.other)
        cells = (gamma[:, None] + of_numbers).ravel()
        if self.nobody is None:
            return cells
        return np.append(cells, (nobody - everybody) / (self.own - self.other))


class UnaryPairsChannel(PairsChannel):
    """A block a key: unset, and its cells.  Given the pair, blocks are independent."""

    unset = True

    def __init__(
        self, numbers: ReportedNumbers, keys: int, *, own: float, other: float, nobody: float | None
    ) -> None:
        super().__init__(numbers, keys, own=own, other=other, nobody=nobody)
        self.blocks, self.cells = keys, keys * (numbers.cells + 1)
        self.stride = keys

    def forward(self, shares: Floats) -> Floats:
        held, _ = self._apart(shares)
        total, of_keys = float(shares.sum()), held.sum(axis=1)
        unset = (1 - self.own) * of_keys + (1 - self.other) * (total - of_keys)
        return np.column_stack([unset, self._expected(held, total)]).ravel()

    def adjoint(self, values: Floats) -> Floats:
        table = values.reshape(self.keys, -1)
        unset, told = table[:, 0], table[:, 1:]
        made_up = (1 - self.other) * unset + self.other * (told @ self.uniform)
        anybody = float(made_up.sum())
        own = (1 - self.own) * unset - made_up + anybody
        return self._joined(self.own * self.numbers.adjoint_rows(told) + own[:, None], anybody)

    def _gains_of(self, alpha: Floats, nobody: float, of_numbers: Floats) -> Floats:
        """Where all hold a pair, weights that do not tell keys apart are sure: omega is theirs."""
        omega = nobody
        if self.nobody is None and np.ptp(alpha) <= AFFINE * np.abs(alpha).max():
            omega = float(alpha[0])
        scaled = (alpha - omega) / (self.own - self.other)
        told = (1 - self.other) * scaled[:, None] + of_numbers
        return np.column_stack([-self.other * scaled, told]).ravel() + omega / self.keys
