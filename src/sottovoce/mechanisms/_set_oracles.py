"""What randomizes the answers to one set of questions: an oracle over the cells of their table.

A table's cells are *nodes*, numbered with the last question varying fastest.  The oracle reports one of
its own cells, with the whole epsilon, in the same number of random words whatever the node.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Channel
from sottovoce.channels.product import ProductChannel
from sottovoce.core.certificate import Certificate
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.populations import people_in_parts
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.kernels.bits import popcount
from sottovoce.mechanisms._level_oracle import LevelOracle
from sottovoce.mechanisms._parity_channel import PairParityChannel, order_above
from sottovoce.mechanisms.randomized_response import RandomizedResponse, respond_all, respond_one

__all__ = ["AnswersApart", "OneOracle", "PairParities", "SetOracle"]

Weights = tuple[tuple[int, int], ...]
_SIMULATED = 2**20
"""People drawn at a time in a simulation."""


class SetOracle(ABC):
    """The randomizer of one set of questions."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells it reports."""

    @property
    def words(self) -> int:
        """Random words per report."""
        return 2

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """``keep`` and ``other`` of every response that it makes."""

    @abstractmethod
    def certificate(self) -> Certificate:
        """The exact worst ratio between any two nodes."""

    @abstractmethod
    def channel(self) -> Channel:
        """What it does to a table."""

    @abstractmethod
    def respond(self, node: int, source: Source) -> int:
        """The cell that one device reports."""

    @abstractmethod
    def respond_many(self, nodes: Indices, sources: Sequence[Source]) -> Indices:
        """:meth:`respond` for many: the j-th source gives everybody's j-th word."""

    @abstractmethod
    def supports(self, cells: Indices, node: int) -> NDArray[np.bool_]:
        """Whether every answer that a cell is about is, as far as it says, that of ``node``."""

    @abstractmethod
    def simulate(self, counts: Indices, source: Source) -> Indices:
        """A random tally of ``counts`` people at every node."""


class OneOracle(SetOracle):
    """Randomized response, or local hashing, on the cells of the table."""

    def __init__(self, oracle: Mechanism) -> None:
        self.oracle, self._cells = oracle, LevelOracle(oracle, 0)

    @property
    def cells(self) -> int:
        return self.oracle.cells

    @property
    def weights(self) -> Weights:
        return (self.oracle.weights,)

    def certificate(self) -> Certificate:
        return self.oracle.certificate()

    def channel(self) -> Channel:
        return self.oracle.channel()

    def respond(self, node: int, source: Source) -> int:
        return self._cells.respond(node, source)

    def respond_many(self, nodes: Indices, sources: Sequence[Source]) -> Indices:
        return self._cells.respond_many(nodes, *sources)

    def supports(self, cells: Indices, node: int) -> NDArray[np.bool_]:
        return self._cells.supports(cells, node)

    def simulate(self, counts: Indices, source: Source) -> Indices:
        return self.oracle._simulate(counts, source)


class PairParities(SetOracle):
    """One parity of both answers, by randomized response on two values.

    Parity (s, t) of answers (a, b) is the parity of the ones in ``s & a`` and ``t & b``; s and t are any
    numbers but 0 below the powers of two that hold the answers.  Number ``h`` stands for
    ``s = 1 + h div (D_b - 1)`` and ``t = 1 + h mod (D_b - 1)``; its cells are ``2 h`` and ``2 h + 1``.
    """

    def __init__(self, sizes: Sequence[int], epsilon: float, bits: int, weights: Any) -> None:
        first, second = sizes
        self.sizes, self.bits = (first, second), bits
        self._orders = order_above(first), order_above(second)
        self._response = RandomizedResponse(Categories(2), epsilon, weights=weights, bits=bits)

    @property
    def hashes(self) -> int:
        """How many parities there are."""
        return (self._orders[0] - 1) * (self._orders[1] - 1)

    @property
    def cells(self) -> int:
        return 2 * self.hashes

    @property
    def weights(self) -> Weights:
        return (self._response.weights,)

    def certificate(self) -> Certificate:
        return self._response.certificate()

    @cached_property
    def _channel(self) -> PairParityChannel:
        return PairParityChannel(self.sizes, self._response.weights, 2**self.bits)

    def channel(self) -> PairParityChannel:
        return self._channel

    def bit(self, drawn: int, node: int) -> int:
        """The parity number ``drawn`` of the answers of a node, in plain integers."""
        first, second = divmod(drawn, self._orders[1] - 1)
        a, b = divmod(node, self.sizes[1])
        return (((1 + first) & a).bit_count() + ((1 + second) & b).bit_count()) % 2

    def _bits(self, drawn: Indices, nodes: Indices) -> Indices:
        first, second = np.divmod(drawn, self._orders[1] - 1)
        a, b = np.divmod(nodes, self.sizes[1])
        ones = [popcount(((1 + s) & v).view(np.uint64)) for s, v in ((first, a), (second, b))]
        return (ones[0].astype(np.int64) + ones[1]) % 2

    def respond(self, node: int, source: Source) -> int:
        drawn = uniform_below(self.hashes, source)
        own = self.bit(drawn, node)
        return 2 * drawn + respond_one(own, self._response.weights, self.bits, source)

    def respond_many(self, nodes: Indices, sources: Sequence[Source]) -> Indices:
        for_parities, for_responses = sources
        drawn = uniform_below_many(self.hashes, len(nodes), for_parities).view(np.int64)
        own = self._bits(drawn, nodes)
        return 2 * drawn + respond_all(own, self._response.weights, self.bits, for_responses)

    def supports(self, cells: Indices, node: int) -> NDArray[np.bool_]:
        drawn, answers = np.divmod(cells, 2)
        return np.asarray(answers == self._bits(drawn, np.full(len(cells), node)))

    def simulate(self, counts: Indices, source: Source) -> Indices:
        return _drawn(self, counts, source)


class AnswersApart(SetOracle):
    """Every answer by its own oracle with a part of epsilon; a cell has one of each.

    Cells are numbered with the last question varying fastest.  Responses are independent given the
    answers, so that the worst ratio is the product of all.
    """

    def __init__(self, oracles: Sequence[Mechanism]) -> None:
        self.oracles = tuple(oracles)
        self._parts = [LevelOracle(oracle, 0) for oracle in oracles]
        self._sizes = [oracle.domain.size for oracle in oracles]
        self._widths = [oracle.cells for oracle in oracles]

    @property
    def cells(self) -> int:
        return math.prod(self._widths)

    @property
    def words(self) -> int:
        return 2 * len(self._parts)

    @property
    def weights(self) -> Weights:
        return tuple(oracle.weights for oracle in self.oracles)

    def certificate(self) -> Certificate:
        ratios = [oracle.certificate().ratio for oracle in self.oracles]
        *_, worst = accumulate(ratios, mul)
        return Certificate(worst.numerator, worst.denominator)

    @cached_property
    def _channel(self) -> ProductChannel:
        return ProductChannel([oracle.channel() for oracle in self.oracles])

    def channel(self) -> ProductChannel:
        return self._channel

    def respond(self, node: int, source: Source) -> int:
        answers: list[int] = []
        for size in reversed(self._sizes):
            node, answer = divmod(node, size)
            answers.append(answer)
        cell = 0
        for answer, part, width in zip(reversed(answers), self._parts, self._widths, strict=True):
            cell = cell * width + part.respond(answer, source)
        return cell

    def respond_many(self, nodes: Indices, sources: Sequence[Source]) -> Indices:
        cells = np.zeros(len(nodes), dtype=np.int64)
        pairs = zip(sources[::2], sources[1::2], strict=True)
        places = zip(
            self._digits(nodes, self._sizes), self._parts, self._widths, pairs, strict=True
        )
        for answers, part, width, words in places:
            cells = cells * width + part.respond_many(answers, *words)
        return cells

    def supports(self, cells: Indices, node: int) -> NDArray[np.bool_]:
        answers = self._digits(np.array([node]), self._sizes)
        found = np.ones(len(cells), dtype=np.bool_)
        places = zip(self._digits(cells, self._widths), answers, self._parts, strict=True)
        for reported, answer, part in places:
            found &= part.supports(reported, int(answer[0]))
        return found

    @staticmethod
    def _digits(numbers: Indices, sizes: Sequence[int]) -> list[Indices]:
        return [digit.astype(np.int64) for digit in np.unravel_index(numbers, sizes)]

    def simulate(self, counts: Indices, source: Source) -> Indices:
        return _drawn(self, counts, source)


def _drawn(oracle: SetOracle, counts: Indices, source: Source) -> Indices:
    """Tallied report by report, in bounded memory."""
    cells = np.zeros(oracle.cells, dtype=np.int64)
    for nodes in people_in_parts(counts, _SIMULATED):
        cells += np.bincount(
            oracle.respond_many(nodes, [source] * oracle.words), minlength=oracle.cells
        )
    return cells
