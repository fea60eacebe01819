"""A set of items, likelier where it meets one's own (PrivSet)."""

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

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.choices import ItemPairs, ItemSetsChannel
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.choices import Choices
from sottovoce.kernels.bits import column_counts
from sottovoce.mechanisms._choices import ChoiceMechanism
from sottovoce.mechanisms._support_blocks import in_and_out

__all__ = ["ChoiceSubsets", "best_report_size"]


@register
@dataclass(frozen=True)
class ChoiceSubsets(ChoiceMechanism):
    """A set is filled up with blanks to m of D = d + m items; the report is a set of l items.

    A set that has an item in common with one's own has E times the weight of one that has none, so that the
    ratio between any two *sets* of options is E.  With ``Z = C(D-m, l) + E (C(D, l) - C(D-m, l))`` an item is in
    the report with probability ``p = E C(D-1, l-1)/Z`` where one holds it, else with
    ``q = (E (C(D-1, l-1) - C(D-m-1, l-1)) + C(D-m-1, l-1))/Z``.

    With l = 1 it is ``choice-response``.  For many options, above 50: a report of several items then errs less.

    ``report_size`` is l; by default the one of least variance of a rare option.

    The weights are a table of how many items of the report are one's own, from 0 to min(m, l): all own sets have m items, so
    that it does not depend on the set.  A word draws that number; the m own items and l of the others are then shuffled,
    whatever it is, and the first of each are taken.

    Reference: Wang, Huang, Nie, Wang, Xu, Qiao 2018.

    >>> import sottovoce as sv
    >>> m = sv.ChoiceSubsets(sv.Choices([f"film {i}" for i in range(200)], most=5), epsilon=1.0)
    >>> m.report_size
    10
    """

    name: ClassVar[str] = "choice-subsets"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"privset": {}}
    domain: Choices

    _: KW_ONLY
    report_size: int | None = None
    """Number l of items in a report.  Allowed: 1 to d.  Unless given: the one of least variance."""
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        d, m = self.options_count, self.domain.most
        if self.report_size is None:
            object.__setattr__(self, "report_size", best_report_size(d, m, self.epsilon))
        else:
            size = check_int(self.report_size, "report_size", self.name, 1, d)
            object.__setattr__(self, "report_size", size)

    @property
    def l(self) -> int:  # noqa: E743 - as in the paper
        """The size of a report."""
        assert self.report_size is not None  # completed at birth
        return self.report_size

    @cached_property
    def _ways(self) -> tuple[int, ...]:
        """How many reports have j items in common with a set, from j = 0."""
        return ways_of(self.options_count, self.domain.most, self.l)

    def _derive_weights(self) -> tuple[int, ...]:
        """Of j items in common ``floor(2^bits E C(m, j) C(d, l - j) / Z)``, and of none all that is left.

        So a report with items in common has at most ``2^bits E / Z``, and one without at least ``2^bits / Z``.
        """
        total, e = 2**self.bits, exp_bounds(self.epsilon)[0]
        none, *some = self._ways
        z = none + e * sum(some)
        common = [math.floor(total * e * ways / z) for ways in some]
        weights = (total - sum(common), *common)
        if min(weights) <= 0 or not self._favours(weights):
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for reports of {self.l} of {self.items} items with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision a report is impossible, or the answer would carry nothing.",
            )
        return weights

    def _favours(self, weights: Sequence[int]) -> bool:
        """Whether an item that one holds is in more often than another."""
        p, q = self._chances(weights)
        return p > q

    def _chances(self, weights: Sequence[int]) -> tuple[Fraction, Fraction]:
        """p and q, exactly."""
        m, total = self.domain.most, sum(weights)
        own = sum(weight * j for j, weight in enumerate(weights))
        return Fraction(own, total * m), Fraction(self.l * total - own, total * self.options_count)

    def _check_weights(self, weights: Any) -> tuple[int, ...]:
        count = len(self._ways)
        allowed = f"{count} positive whole numbers of sum 2^{self.bits}, larger for items in common"
        if (
            isinstance(weights, (str, bytes))
            or not isinstance(weights, Sequence)
            or len(weights) != count
        ):
            raise InvalidInput("weights", self.name, allowed, weights)
        checked = tuple(check_int(weight, "weight", self.name, 1) for weight in weights)
        if sum(checked) != 2**self.bits or not self._favours(checked):
            raise InvalidInput("weights", self.name, allowed, weights)
        return checked

    def _weights_document(self) -> list[int]:
        return list(self.weights)

    @property
    def fields(self) -> tuple[BitField]:
        return (BitField("bits", self.items),)

    @property
    def cells(self) -> int:
        return 2 * self.items

    @property
    def blocks(self) -> int:
        return self.items

    @property
    def words_per_report(self) -> int:
        return 1 + self.domain.most + self.l

    def respond(self, index: int, source: Source) -> tuple[bytes]:
        drawn = int(source.words(1)[0]) >> (64 - self.bits)
        common = int(np.searchsorted(list(accumulate(self.weights)), drawn, side="right"))
        own = self.items_of_one(index)
        others = sorted({*range(self.items)} - {*own})
        report = _shuffled(own, len(own), source)[:common]
        report += _shuffled(others, self.l, source)[: self.l - common]
        bits = sum(1 << item for item in report)
        return (bits.to_bytes(self.fields[0].width, "little"),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        n, (field,) = len(indices), self.fields
        drawn = source.words(n) >> np.uint64(64 - self.bits)
        ends = np.array(list(accumulate(self.weights))[:-1], dtype=np.uint64)
        common = np.searchsorted(ends, drawn, side="right")
        own = self.items_of(indices)
        held = np.zeros((n, self.items), dtype=np.bool_)
        held[np.arange(n)[:, None], own] = True
        others = np.nonzero(~held)[1].reshape(n, -1)
        _shuffle_many(own, own.shape[1], source)
        _shuffle_many(others, self.l, source)
        members = np.zeros((n, self.items), dtype=np.bool_)
        slots = np.arange(self.l)
        for part, taken in ((own[:, : self.l], common), (others[:, : self.l], self.l - common)):
            people, places = np.nonzero(slots[: part.shape[1]] < taken[:, None])
            members[people, part[people, places]] = True
        return (np.packbits(members, axis=1, bitorder="little")[:, : field.width],)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        return in_and_out(column_counts(reports.columns["bits"], self.items), len(reports))

    def _channel(self) -> ItemSetsChannel:
        p, q = map(float, self._chances(self.weights))
        return ItemSetsChannel(self.domain, self.items, p, q, pairs=self._pairs())

    def _pairs(self) -> ItemPairs:
        """Chances that a report has two items, of which one holds none, one or both."""
        m, d, total = self.domain.most, self.options_count, sum(self.weights)
        both = one = none = Fraction(0)
        for j, weight in enumerate(self.weights):
            chance, rest = Fraction(weight, total), self.l - j
            both += chance * j * (j - 1)
            one += chance * j * rest
            none += chance * rest * (rest - 1)
        return (
            float(none / max(1, d * (d - 1))),
            float(one / (m * d)),
            float(both / max(1, m * (m - 1))),
        )

    def certificate(self) -> Certificate:
        """A report with j items in common has ``weight_j / (C(m, j) C(d, l - j))``, whichever set is held."""
        chances = [
            Fraction(weight, ways) for weight, ways in zip(self.weights, self._ways, strict=True)
        ]
        worst = max(chances) / min(chances)
        return Certificate(worst.numerator, worst.denominator)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Whether the report has an item of the set, its blanks included."""
        mask = np.packbits(self._held(index, self.items), bitorder="little")
        return np.asarray((reports.columns["bits"] & mask).any(axis=1))

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Choices(["a", "b", "c", "d"], most=2), 1.0, report_size=2)
        yield cls(Choices(["a", "b", "c", "d", "e"], most=3), 2.0)
        yield cls(Choices(["a", "b", "c", "d", "e", "f"], most=1), 0.5)
        yield cls(Choices(["a", "b", "c", "d"], most=2), 1.0, report_size=3, bits=16)


def ways_of(d: int, m: int, size: int) -> tuple[int, ...]:
    """How many sets of ``size`` out of d + m items have j items in common with m of them, from j = 0."""
    return tuple(math.comb(m, j) * math.comb(d, size - j) for j in range(min(m, size) + 1))


def best_report_size(d: int, m: int, epsilon: float) -> int:
    """The l of least variance of an option that nobody ticks, from 1 to d.

    The variance falls and then rises with l, so that the first rise ends the search.
    """
    e, best, least = math.exp(epsilon), 1, math.inf
    for size in range(1, d + 1):
        none, *some = ways_of(d, m, size)
        own = sum(j * ways for j, ways in enumerate(some, start=1))
        z = Fraction(none) + Fraction(e) * sum(some)
        p = float(Fraction(e) * own / (z * m))
        q = float((Fraction(size) - Fraction(e) * own / z) / d)
        if p <= q:
            break
        variance = q * (1 - q) / (p - q) ** 2
        if variance >= least:
            break
        best, least = size, variance
    return best


def _shuffled(items: list[int], count: int, source: Source) -> list[int]:
    """The first ``count`` of a random order."""
    order = list(items)
    for place in range(count):
        other = place + uniform_below(len(order) - place, source)
        order[place], order[other] = order[other], order[place]
    return order[:count]


def _shuffle_many(rows: Indices, count: int, source: Source) -> None:
    """The first ``count`` of a random order of every row, in place; the j-th call is everybody's j-th draw."""
    people = np.arange(len(rows))
    for place in range(count):
        drawn = uniform_below_many(rows.shape[1] - place, len(rows), source).astype(np.int64)
        other = place + drawn
        rows[people, place], rows[people, other] = rows[people, other], rows[people, place].copy()
