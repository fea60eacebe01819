"""Keys by randomized response: a report names one key, with a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below_many
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, Field, IntField
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._key_value_channel import ResponsePairsChannel
from sottovoce.mechanisms._key_value_numbers import ReportedNumbers

__all__ = ["ResponseKeys"]


@dataclass(frozen=True)
class ResponseKeys:
    """``low`` to every (key, output), dummies included, and the added part to one's own key.

    One draw below ``(keys + dummies) outputs low + added``: below ``added`` it is about one's own
    key, else about any.  Dummies have keys of their own until here; they leave the device as
    one, :attr:`no_pair`, with the number 0.
    """

    weight_names: ClassVar[tuple[str, ...]] = ()

    numbers: ReportedNumbers
    keys: int
    pairs: int | None

    @property
    def dummies(self) -> int:
        """One for every slot, where people hold sets."""
        return self.pairs or 0

    @property
    def no_pair(self) -> int:
        """What is reported for any dummy key."""
        return self.keys

    @property
    def total(self) -> int:
        """The sum of all weights of a position."""
        numbers = self.numbers
        return (self.keys + self.dummies) * numbers.outputs * numbers.low + numbers.added

    @property
    def fields(self) -> tuple[Field, ...]:
        named = self.keys + (self.pairs is not None)
        return IntField("key", named), IntField(self.numbers.field, self.numbers.cells)

    @property
    def cells(self) -> int:
        return self.keys * self.numbers.cells + (self.pairs is not None)

    @property
    def blocks(self) -> int:
        return 1

    @property
    def words_per_report(self) -> int:
        return 1

    def respond_many(self, keys: Indices, places: Indices, source: Source) -> tuple[Column, ...]:
        """Reports of people with these keys (or ``no_pair``) and places of numbers."""
        numbers = self.numbers
        drawn = uniform_below_many(self.total, len(keys), source)
        near = drawn < np.uint64(numbers.added)
        anywhere = ((drawn - np.uint64(numbers.added)) // np.uint64(numbers.low)).view(np.int64)
        others, outputs = np.divmod(np.where(near, 0, anywhere), numbers.outputs)
        reported = np.where(near, keys, np.minimum(others, self.keys))
        outputs = np.where(near, numbers.added_outputs(places, drawn), outputs)
        cells = numbers.cells_of(np.where(reported == self.no_pair, 0, outputs))
        return reported, cells

    def cell_expression(self) -> CellExpression:
        """Key by key, number by number; "no pair" is the last cell, whatever its number."""
        cell = FieldValue("key") * self.numbers.cells + FieldValue(self.numbers.field)
        return cell if self.pairs is None else cell.at_most(self.cells - 1)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        cells = self.cell_expression().of_columns(reports.columns)
        return np.bincount(cells, minlength=self.cells)

    def simulate(self, counts: NDArray[np.int64], nobody: int, source: Source) -> NDArray[np.int64]:
        """Those who speak of their own key, by what they hold; all others are alike."""
        random, numbers = source.generator(), self.numbers
        chance = numbers.added / self.total
        near, dummies = random.binomial(counts, chance), int(random.binomial(nobody, chance))
        others = int(counts.sum() - near.sum()) + nobody - dummies
        sizes = np.tile(numbers.uniform, self.keys)
        if self.pairs is not None:
            sizes = np.append(sizes, float(self.dummies))
        cells = random.multinomial(others, sizes / sizes.sum())
        cells[: counts.shape[0] * numbers.cells] += numbers.simulate_added(near, random).ravel()
        if self.pairs is not None:
            cells[-1] += dummies
        return cells

    def channel(self) -> ResponsePairsChannel:
        numbers, whole = self.numbers, self.total
        background = numbers.outputs * numbers.low
        return ResponsePairsChannel(
            numbers, self.keys, own=numbers.total / whole, other=background / whole,
            nobody=None if self.pairs is None else self.dummies * background / whole,
        )  # fmt: skip

    def certificate(self) -> Certificate:
        """Of sets: the mean over l slots adds ``added / l`` to an output of a key that is held.

        "No pair" comes from at most l - 1 slots, and from none of a full set.
        """
        numbers, slots = self.numbers, self.pairs or 1
        held = Certificate(slots * numbers.low + numbers.top, slots * numbers.low)
        background = slots * slots * numbers.outputs * numbers.low
        most, fewest = slots - 1, slots - min(slots, self.keys)
        unheld = Certificate(background + most * numbers.added, background + fewest * numbers.added)
        return max(held, unheld, key=lambda certificate: certificate.ratio)

    def supports(self, reports: Reports, key: int, place: int) -> NDArray[np.bool_]:
        """Reports of the key with a number that its position makes more likely."""
        named = reports.columns["key"] == key
        if key == self.no_pair:
            return np.asarray(named)
        return named & self.numbers.supported(place)[reports.columns[self.numbers.field]]
