"""A hierarchy of intervals: every device speaks of the nodes above its value (HH)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import MIN_EPSILON, check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Queue, Source, uniform_below, uniform_below_many
from sottovoce.channels.tree import Tree
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._fine_grid import declining_hint
from sottovoce.mechanisms._hierarchy_channel import HierarchyChannel, SampledHierarchyChannel
from sottovoce.mechanisms._level_oracle import (
    LevelOracle,
    best_hash_range,
    oracle_of_range,
    part_of_epsilon,
)
from sottovoce.mechanisms.unary_encoding import UnaryEncoding

__all__ = ["Hierarchy", "check_ordered"]

_SPLITS = ("population", "budget")


@register
@dataclass(frozen=True)
class Hierarchy(Mechanism):
    """A tree over the bins, ``branching`` children a node; reports speak of nodes of all levels.

    A range is then a sum of a few nodes instead of many bins.

    ``split="population"``: a device draws one level, all alike, and reports its node there
    with the whole epsilon, by randomized response or by local hashing, whichever has the
    smaller variance for that many nodes (``hash_ranges``: 0, or the prime g, for every
    level, leaves first).  A report is one small integer, a cell of one level.  Three
    words a report: level, hash, response.

    ``split="budget"``: a report speaks of all h levels, by unary encoding with
    epsilon / h each: a bit for every node.  Much noisier, unless there are few levels or
    epsilon is large.

    Any number of bins has a tree: the last node of a level may have fewer children.

    References: Hay, Rastogi, Miklau, Suciu 2010; Kulkarni, Cormode, Srivastava 2019.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("hh", sv.Interval(0, 1, bins=1024), 1.0)
    >>> m.tree.sizes, m.hash_ranges
    ((1024, 256, 64, 16, 4), (3, 3, 3, 3, 0))
    """

    name: ClassVar[str] = "hierarchy"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"hh": {}}

    _: KW_ONLY
    branching: int = 4
    """Children of a node.  Allowed: 2 or more."""
    split: str = "population"
    """Whether a report speaks of one level with all of epsilon, or of all levels with a part each.
    Allowed: "population" or "budget".
    """
    hash_ranges: tuple[int, ...] | None = None
    """Range of each level's hashes, bins first; 0 is randomized response on the nodes.  Allowed: 0
    or a prime for every level, where the population is split.  Unless given: the one of less
    variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_domain(self) -> None:
        super()._check_domain()
        check_ordered(self)

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        check_int(self.branching, "branching", self.name, 2)
        check_choice(self.split, "split", self.name, _SPLITS)
        object.__setattr__(self, "hash_ranges", self._check_ranges())
        if self._level_epsilon < MIN_EPSILON:
            least = self.tree.height * MIN_EPSILON
            allowed = f"at least {least:g} to be split over {self.tree.height} levels"
            raise InvalidInput("epsilon", self.name, allowed, self.epsilon)

    def _check_ranges(self) -> tuple[int, ...]:
        sizes = self.tree.sizes if self.split == "population" else ()
        if self.hash_ranges is None:
            return tuple(best_hash_range(size, self.epsilon) for size in sizes)
        allowed = f"a whole number for each of {len(sizes)} levels"
        if not isinstance(self.hash_ranges, Sequence) or len(self.hash_ranges) != len(sizes):
            raise InvalidInput("hash_ranges", self.name, allowed, self.hash_ranges)
        return tuple(check_int(g, "hash_ranges", self.name, 0) for g in self.hash_ranges)

    # -- levels ------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """The nodes of all levels."""
        return Tree(self.domain.size, self.branching)

    @cached_property
    def _level_epsilon(self) -> float:
        parts = 1 if self.split == "population" else self.tree.height
        return part_of_epsilon(self.epsilon, parts)

    def _make_oracles(self, weights: Sequence[Any]) -> list[Mechanism]:
        """The oracle of every level, leaves first."""
        common: dict[str, Any] = {"epsilon": self._level_epsilon, "bits": self.bits}
        if self.split == "budget":
            return [
                UnaryEncoding(Categories(size), weights=given, **common)
                for size, given in zip(self.tree.sizes, weights, strict=True)
            ]
        assert self.hash_ranges is not None  # completed at birth
        levels = zip(self.tree.sizes, self.hash_ranges, weights, strict=True)
        return [oracle_of_range(size, g, weights=given, **common) for size, g, given in levels]

    @cached_property
    def oracles(self) -> tuple[Mechanism, ...]:
        """The oracle of every level, leaves first."""
        return tuple(self._make_oracles(self._weights_document()))

    @cached_property
    def _levels(self) -> tuple[LevelOracle, ...]:
        starts = (0, *accumulate(oracle.cells for oracle in self.oracles))
        return tuple(map(LevelOracle, self.oracles, starts))

    def _derive_weights(self) -> Any:
        return tuple(oracle.weights for oracle in self._make_oracles([None] * self.tree.height))

    def _check_weights(self, weights: Any) -> Any:
        if not isinstance(weights, Sequence) or len(weights) != self.tree.height:
            allowed = f"those of the oracles of {self.tree.height} levels"
            raise InvalidInput("weights", self.name, allowed, weights)
        return tuple(oracle.weights for oracle in self._make_oracles(weights))

    def _weights_document(self) -> list[dict[str, int]]:
        names = ("own", "other") if self.split == "budget" else ("keep", "other")
        return [dict(zip(names, pair, strict=True)) for pair in self.weights]

    def _nodes(self, indices: Indices) -> list[Indices]:
        return [indices // self.branching**level for level in range(self.tree.height)]

    # -- reports -----------------------------------------------------------------------

    @property
    def fields(self) -> tuple[IntField | BitField, ...]:
        if self.split == "population":
            return (IntField("cell", self.cells),)
        return tuple(BitField(f"bits{level}", size) for level, size in enumerate(self.tree.sizes))

    @property
    def cells(self) -> int:
        return sum(oracle.cells for oracle in self.oracles)

    @property
    def blocks(self) -> int:
        return 1 if self.split == "population" else sum(self.tree.sizes)

    @property
    def words_per_report(self) -> int:
        if self.split == "population":
            return 3
        return sum(oracle.words_per_report for oracle in self.oracles)

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        nodes = [index // self.branching**level for level in range(self.tree.height)]
        if self.split == "population":
            level = uniform_below(self.tree.height, source)
            return (self._levels[level].respond(nodes[level], source),)
        pairs = zip(self.oracles, nodes, strict=True)
        return tuple(oracle.respond(node, source)[0] for oracle, node in pairs)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        n, nodes = len(indices), self._nodes(indices)
        if self.split == "budget":
            pairs = zip(self.oracles, nodes, strict=True)
            return tuple(oracle.respond_many(held, source)[0] for oracle, held in pairs)
        drawn = uniform_below_many(self.tree.height, n, source)
        hashes, responses = source.words(n), source.words(n)
        cells = np.empty(n, dtype=np.int64)
        for level, (oracle, held) in enumerate(zip(self._levels, nodes, strict=True)):
            rows = np.flatnonzero(drawn == level)
            prepared = (Queue(words[rows], source) for words in (hashes, responses))
            cells[rows] = oracle.respond_many(held[rows], *prepared)
        return (cells,)

    def cell_expression(self) -> CellExpression | None:
        return FieldValue("cell") if self.split == "population" else None

    def count(self, reports: Reports) -> NDArray[np.int64]:
        if self.split == "population":
            return super().count(reports)
        levels = zip(self.oracles, reports.columns.values(), strict=True)
        bits = [oracle.count(Reports(oracle, {"bits": column})) for oracle, column in levels]
        return np.concatenate(bits)

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Level by level: each oracle's law, or its reports, for those who speak of its level."""
        height, spoken = self.tree.height, [counts] * self.tree.height
        if self.split == "population":
            spoken = list(source.generator().multinomial(counts, [1 / height] * height).T)
        nodes = [self.tree.levels(people)[level] for level, people in enumerate(spoken)]
        pairs = zip(self.oracles, nodes, strict=True)
        return np.concatenate([oracle._simulate(held, source) for oracle, held in pairs])

    # -- meaning -----------------------------------------------------------------------

    def _channel(self) -> HierarchyChannel:
        made = SampledHierarchyChannel if self.split == "population" else HierarchyChannel
        return made(self.tree, [oracle.channel() for oracle in self.oracles])

    def certificate(self) -> Certificate:
        """The worst level's ratio, or where a report speaks of all levels the product of all."""
        ratios = [oracle.certificate().ratio for oracle in self.oracles]
        worst = max(ratios) if self.split == "population" else math.prod(ratios, start=Fraction(1))
        return Certificate(worst.numerator, worst.denominator)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_] | None:
        """Where a report has a bit for every node: the bits of the whole path are set."""
        if self.split == "population":
            return None
        found = np.ones(len(reports), dtype=np.bool_)
        for level, (oracle, column) in enumerate(
            zip(self.oracles, reports.columns.values(), strict=True)
        ):
            node = index // self.branching**level
            supported = oracle.supports(Reports(oracle, {"bits": column}), node)
            assert supported is not None
            found &= supported
        return found

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(0, 1, bins=16), 1.0)
        yield cls(Interval(0, 120, bins=21), 2.0, branching=3)
        yield cls(Interval(0, 1, bins=7), 0.5, branching=2, bits=16)
        yield cls(Interval(0, 1, bins=9), 2.0, split="budget")


def check_ordered(mechanism: Mechanism) -> None:
    """Refuse a domain without an order."""
    if not mechanism.domain.ordered:
        raise InvalidInput(
            "domain",
            mechanism.name,
            "numbers in order, such as an Interval",
            mechanism.domain,
            hint=declining_hint(mechanism.domain)
            or "It joins neighbours, and without an order there are none.",
        )
