"""What a mechanism does to a distribution: a linear map with structure.

A channel takes a distribution ``w`` over the ``inputs`` of a domain to the
expected frequencies of the ``cells`` of a tally.  Cells form ``blocks`` of
equal size; a report falls in exactly one cell of each block.  Hence every
column of the channel sums to the number of blocks, every block of a tally sums
to n, and the (composite) log-likelihood of a tally ``c`` is ``sum c log(A w)``.

Mechanisms and estimators never import each other: they meet here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.cell_weights import CellWeights
from sottovoce.channels.key_blocks import KeyBlocks
from sottovoce.channels.support_rule import SupportRule

if TYPE_CHECKING:
    from sottovoce.channels.choices import ChoicesChannel
    from sottovoce.channels.record import RecordChannel

__all__ = [
    "Channel",
    "EmRun",
    "Floats",
    "Inverse",
    "SupportProbabilities",
]

Floats = NDArray[np.float64]

_LARGEST_DENSE = 2**26
"""Entries (512 MB) above which :meth:`Channel.dense` refuses."""


@dataclass(frozen=True)
class SupportProbabilities:
    """Support probabilities of a pure oracle: ``p`` for one's own value, ``q`` for another's."""

    p: float
    q: float

    def variance(self, shares: Floats) -> Floats:
        """n times the variance of each unbiased share, given the respondents' histogram.

        ``[q(1-q) + f(p-q)(1-p-q)] / (p-q)^2``: the reporter of the value and the
        others each add a Bernoulli's variance.
        """
        p, q = self.p, self.q
        scaled: Floats = (q * (1 - q) + shares * (p - q) * (1 - p - q)) / (p - q) ** 2
        return scaled


class Inverse(Protocol):
    """An unbiased linear estimate ``f = B x`` of shares from cell frequencies: ``B A = I``."""

    def forward(self, frequencies: Floats) -> Floats:
        """``B x``: shares from cell frequencies (cells / n)."""

    def adjoint(self, weights: Floats) -> Floats:
        """``B' z``: what each cell adds to the answer ``z . f``."""


class EmRun(Protocol):
    """Passes of expectation-maximisation on given cells, many at a call."""

    def run(
        self, shares: Floats, passes: int, tolerance: float, smoothing: int
    ) -> tuple[Floats, Floats, Floats]:
        """At most ``passes`` from ``shares``, fewer if one changes the likelihood too little.

        The shares after the last, their ratio, and the log-likelihoods: at the start and
        after every pass.  ``smoothing`` averages neighbours after each: 0 not, 1 on a line,
        2 on a ring.  Without it a pass is too little if it gains at most ``tolerance``,
        with it if it changes the log-likelihood by no more than that.
        """


class Channel(ABC):
    """A linear operator from distributions to cell frequencies.

    ``support_probabilities``, ``kernel`` and ``inverse`` are knowledge that some estimators ask
    for; None says that this channel has none.
    """

    inputs: int
    cells: int
    blocks: int = 1
    independent: bool = True
    """Whether blocks are independent given the value."""

    stride: int = 1
    """How many times as long a pass of EM may be: the blocks, where each speaks of other inputs.

    A composite likelihood counts every report once per block, and its passes are so much shorter."""

    ring: bool = False
    """Whether the last input is the first one's neighbour, as with times of day."""

    support_probabilities: SupportProbabilities | None = None
    """Support probabilities, where the mechanism is a pure oracle."""

    exact_inverse: bool = True
    """Whether ``inverse`` undoes this channel; if not, only its average over public hashes, or
    only as far as reports tell distributions apart."""

    identifies_distribution: bool = True
    """Whether reports tell distributions apart, if need be with smoothing; else a mean at most."""

    inverse_name: str = "unbiased"
    """The method that ``inverse`` is, where it goes by a name of its own."""

    def conditioned_on(self, frequencies: Floats) -> Channel:
        """This channel with what a tally tells of devices' random choices besides the answers.

        Where a device draws what it speaks of, such as a level of a hierarchy, the cells
        tell how many spoke of each: estimates take these numbers, not the expected ones.
        """
        return self

    @property
    def kernel(self) -> Floats | None:
        """First column of a circulant channel: ``(A w)_y = sum_v kernel[y - v] w_v``."""
        return None

    @property
    def inverse(self) -> Inverse | None:
        """An unbiased linear estimate, where the channel has one."""
        return None

    @property
    def support_rule(self) -> SupportRule | None:
        """The same estimate as a rule by which cells support values, where there is one."""
        return None

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """What each cell adds to the answer ``weights . shares``, where that can be told.

        A channel without an inverse may know it for some weights, as stochastic rounding
        does for the mean; see :func:`~sottovoce.channels.cell_weights.gains_of_outputs`.
        """
        inverse = self.inverse
        if inverse is None:
            return None
        values = inverse.adjoint(weights)
        exact = self.exact_inverse
        return CellWeights(
            values, 0.0 if exact else float(np.abs(self.adjoint(values) - weights).max())
        )

    def reach_of_reports(self, gains: Floats) -> tuple[float, float]:
        """The least and the largest sum of ``gains`` that one report can have: any cell of each block."""
        table = gains.reshape(self.blocks, -1)
        return float(table.min(axis=1).sum()), float(table.max(axis=1).sum())

    @abstractmethod
    def forward(self, shares: Floats) -> Floats:
        """``A w``: expected cell frequencies."""

    @abstractmethod
    def adjoint(self, values: Floats) -> Floats:
        """``A' r``: each input's mean of a function of the cells."""

    def dense(self) -> Floats:
        """The matrix itself, cells by inputs; only for small channels and for tests."""
        if self.cells * self.inputs > _LARGEST_DENSE:
            raise InvalidInput(
                "channel",
                type(self).__name__,
                f"of at most {_LARGEST_DENSE} entries to be made dense",
                f"{self.cells} x {self.inputs}",
            )
        return self._dense()

    def _dense(self) -> Floats:
        return np.stack([self.forward(unit) for unit in np.eye(self.inputs)], axis=1)

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """n times the variance of each unbiased share, given the respondents' histogram.

        ``frequencies`` of the cells are those expected from ``shares`` unless they
        were seen, beside the shares estimated from them.
        """
        if self.support_probabilities is not None:
            return self.support_probabilities.variance(shares)
        frequencies = self.forward(shares) if frequencies is None else frequencies
        units = np.eye(self.inputs)
        return np.array([self.variance_of(unit, frequencies, shares) for unit in units])

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """n times the variance of the answer ``weights . shares``, given the respondents.

        Every report adds ``g`` of the cells it falls in, ``g = B' z``.  Blocks are
        independent given the value, and each block's mean is ``z_v`` for one
        value ``v`` (or all) and zero for the others, so that summing over users
        ``n Var = frequencies . g^2 - shares . z^2``.  Where the inverse is not exact
        (one block only) the means are ``A' g`` instead of z.  A channel whose blocks
        depend on each other must override this.
        """
        inverse = self.inverse
        if inverse is None:
            raise InvalidInput("channel", type(self).__name__, "invertible for a variance", None)
        cell_weights = inverse.adjoint(weights)
        means = weights if self.exact_inverse else self.adjoint(cell_weights)
        spread = float(np.sum(frequencies * cell_weights**2)) - float(np.sum(shares * means**2))
        return max(0.0, spread)

    def least_variance_of(self, weights: Floats) -> float:
        """n times the least variance that ``weights . shares`` can have, whatever the respondents.

        ``Var(g | v) = (A' g^2)_v - (A' g)_v^2`` at its least noisy input v; with several blocks,
        where each block's mean is ``z_v`` for one value or 0, likewise.  0 where that is not known.
        """
        cell_weights = self.cell_weights(weights)
        apart = self.independent and self.support_probabilities is not None
        if cell_weights is None or not (self.blocks == 1 or apart):
            return 0.0
        means = self.adjoint(cell_weights.values) if self.blocks == 1 else weights
        return max(0.0, float(np.min(self.adjoint(cell_weights.values**2) - means**2)))

    def hash_variances(self, shares: Floats, noise: Floats | None = None) -> Floats:
        """The variance of each share's bias over the draw of public hashes, whatever n.

        Zero where the inverse is exact.  ``shares`` are the true ones, or estimates
        whose variances (of noise alone) are ``noise``.
        """
        return np.zeros(self.inputs)

    def hash_variance(self, weights: Floats, shares: Floats, noise: Floats | None = None) -> float:
        """The same for the answer ``weights . shares``."""
        return 0.0

    def expected_variance(self, shares: Floats) -> Floats:
        """:meth:`variance` to plan with: on average over public hashes not yet drawn."""
        return (
            self.variance(shares)
            if self.support_probabilities is None
            else self.support_probabilities.variance(shares)
        )

    def expected_variance_of_all(self, shares: Floats) -> float:
        """The same for the sum of all shares."""
        return self.variance_of(np.ones(self.inputs), self.forward(shares), shares)

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        """One pass of expectation-maximisation: ``(ratio, log-likelihood)`` at ``shares``.

        ``ratio = A'(c / (A w)) / sum c``; the next distribution is ``w * ratio``,
        its mass is 1, its likelihood is not lower, and ``ratio <= 1`` everywhere
        exactly at the maximum.  (The sum of the cells is n times the blocks.)  Where reports fell in
        a cell that has no chance at ``shares``, the log-likelihood is ``-inf``.
        """
        expected = self.forward(shares)
        seen = cells > 0
        possible = seen & (expected > 0)
        quotient = np.zeros_like(expected)
        np.divide(cells, expected, out=quotient, where=possible)
        likelihood = float(cells[possible] @ np.log(expected[possible]))
        if not possible[seen].all():
            likelihood = -np.inf
        return self.adjoint(quotient) / cells.sum(), likelihood

    def em_run(self, cells: Floats, stride: int = 1) -> EmRun | None:
        """Many passes on these cells at once, each ``stride`` long; None where that is not compiled."""
        return None

    @property
    def key_blocks(self) -> KeyBlocks | None:
        """The likelihood parted by keys, where it is."""
        return None

    @property
    def choices(self) -> ChoicesChannel | None:
        """The channel, if reports are about sets of options; else None."""
        return None

    @property
    def record(self) -> RecordChannel | None:
        """The channel, if reports are about sets of questions; else None."""
        return None
