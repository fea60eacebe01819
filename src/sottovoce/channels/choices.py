"""What reports about sets of options say: how many people hold each item."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights
from sottovoce.domains.choices import Choices

__all__ = ["ChoicesChannel", "DrawnOptionChannel", "ItemChannel", "ItemPairs", "ItemSetsChannel"]

_LISTED = 2**24
"""Entries of the table of sets and their items up to which it is written out."""
_ROUNDING = 1e-9
"""What a sum over sets may miss, in parts of its largest weight, and still count as exact."""


class ChoicesChannel(Channel):
    """A channel whose inputs are sets, and whose law depends on who holds each *item* only.

    Items are options, and with ``blanks`` those that fill up a set to ``most``.  A report supports an
    item with probability p from those who hold it, else q.  With t the shares of people who hold each item, which sum to
    ``most`` or less and not to 1, an estimate is ``t~ = (x - q)/(p - q)``, x the frequency of support.  Which items are
    held together is not identified.

    As an operator it lists all sets, where they are few.
    """

    identifies_distribution = False

    def __init__(self, domain: Choices, items: int, p: float, q: float) -> None:
        self._domain, self.items, self.p, self.q = domain, items, p, q
        self.inputs = domain.size

    @property
    def choices(self) -> ChoicesChannel:
        return self

    @cached_property
    def _holds(self) -> Floats:
        """Which items every set holds; refused where there are too many sets."""
        if self.inputs * self.items > _LISTED:
            allowed = f"of at most {_LISTED} entries to be used as an operator"
            raise InvalidInput("channel", type(self).__name__, allowed, f"{self.inputs} sets")
        rows, table = (
            self._domain.items(np.arange(self.inputs)),
            np.zeros((self.inputs, self.items)),
        )
        people, slots = np.nonzero(rows < self.items)
        table[people, rows[people, slots]] = 1.0
        return table

    # -- the operator ------------------------------------------------------------------

    @abstractmethod
    def _cells(self, inside: Floats, total: float) -> Floats:
        """Cell frequencies, from the chance that each item is supported."""

    @abstractmethod
    def _gains(self, values: Floats) -> tuple[float, Floats]:
        """A constant, and what the support of each item adds to a function of the cells, on average."""

    @abstractmethod
    def support(self, frequencies: Floats) -> Floats:
        """How frequently each item is supported, of the reports that could support it."""

    def forward(self, shares: Floats) -> Floats:
        total = float(shares.sum())
        return self._cells(self.q * total + (self.p - self.q) * (shares @ self._holds), total)

    def adjoint(self, values: Floats) -> Floats:
        constant, gains = self._gains(values)
        return constant + self.q * gains.sum() + (self.p - self.q) * (self._holds @ gains)

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """What cells add to a sum over sets that is a constant and a weight for every item."""
        holds = np.hstack([np.ones((self.inputs, 1)), self._holds])
        found: Floats = np.linalg.lstsq(holds, weights, rcond=None)[0].astype(np.float64)
        missed = float(np.abs(holds @ found - weights).max())
        if missed > _ROUNDING * max(1.0, float(np.abs(weights).max())):
            return None
        values = self.gains_of_items(found[1:]) + found[0] / self.blocks
        return CellWeights(values, 0.0)

    @abstractmethod
    def gains_of_items(self, weights: Floats) -> Floats:
        """What each cell adds to ``weights . t``, a sum over items."""

    # -- estimates ---------------------------------------------------------------------------

    def shares_of_items(self, frequencies: Floats) -> Floats:
        """Unbiased shares of people who hold each item."""
        return (self.support(frequencies) - self.q) / (self.p - self.q)

    @abstractmethod
    def item_variance(self, weights: Floats, frequencies: Floats, held: Floats) -> float:
        """n times the variance of ``weights . t~`` about the population; ``held`` are shares of items.

        About the respondents it is smaller by the variance of ``weights . x`` among them, x being what a person
        holds; of a single item that is ``t (1 - t)``.
        """

    def item_variances(self, frequencies: Floats) -> Floats:
        """The same of every single item."""
        x = np.clip(self.support(frequencies), 0.0, 1.0)
        return x * (1 - x) / (self.p - self.q) ** 2 * self._asked_parts(frequencies)

    def planned_variances(self, held: Floats) -> Floats:
        """n times the variance of each item's share given the respondents, if these are the true shares."""
        x = self.q + (self.p - self.q) * held
        return self._asked * x * (1 - x) / (self.p - self.q) ** 2 - held * (1 - held)

    @property
    def _asked(self) -> int:
        """All people by those whose report is about one item."""
        return 1

    def _asked_parts(self, frequencies: Floats) -> Floats:
        """All reports by those about each item."""
        return np.ones(self.items)


class ItemChannel(ChoicesChannel):
    """A report is one item: a cell each, one block."""

    def __init__(self, domain: Choices, items: int, p: float, q: float) -> None:
        super().__init__(domain, items, p, q)
        self.cells = items

    def _cells(self, inside: Floats, total: float) -> Floats:
        return inside

    def _gains(self, values: Floats) -> tuple[float, Floats]:
        return 0.0, values

    def support(self, frequencies: Floats) -> Floats:
        return frequencies

    def gains_of_items(self, weights: Floats) -> Floats:
        return (weights - self.q * weights.sum()) / (self.p - self.q)

    def item_variance(self, weights: Floats, frequencies: Floats, held: Floats) -> float:
        """One cell per report: ``x . g^2 - (x . g)^2``, exactly."""
        gains = self.gains_of_items(weights)
        return max(0.0, float(frequencies @ gains**2) - float(frequencies @ gains) ** 2)


class DrawnOptionChannel(ChoicesChannel):
    """A report is one option, drawn whatever is ticked, and whether it is: cells (not ticked, ticked) per option."""

    def __init__(self, domain: Choices, items: int, p: float, q: float) -> None:
        super().__init__(domain, items, p, q)
        self.cells = 2 * items

    def _cells(self, inside: Floats, total: float) -> Floats:
        return np.stack([total - inside, inside], axis=1).ravel() / self.items

    def _gains(self, values: Floats) -> tuple[float, Floats]:
        outside, inside = values.reshape(-1, 2).T / self.items
        return float(outside.sum()), inside - outside

    def support(self, frequencies: Floats) -> Floats:
        """Of those who drew the option; half where nobody did."""
        not_ticked, ticked = frequencies.reshape(-1, 2).T
        asked = ticked + not_ticked
        return np.divide(ticked, asked, out=np.full(self.items, 0.5), where=asked > 0)

    def gains_of_items(self, weights: Floats) -> Floats:
        gains = np.stack([-self.q * weights, (1 - self.q) * weights], axis=1).ravel()
        return gains * (self.items / (self.p - self.q))

    @property
    def _asked(self) -> int:
        return self.items

    def item_variance(self, weights: Floats, frequencies: Floats, held: Floats) -> float:
        """Options are asked of different people: variances add."""
        return float(weights**2 @ self.item_variances(frequencies))

    def _asked_parts(self, frequencies: Floats) -> Floats:
        asked = frequencies.reshape(-1, 2).sum(axis=1)
        return np.divide(1.0, asked, out=np.full(self.items, np.inf), where=asked > 0)


ItemPairs = tuple[float, float, float]
"""Chances that a report supports two items, of which a person holds 0, 1 or 2."""


class ItemSetsChannel(ChoicesChannel):
    """A report is a set of items: a block (in, out) for each."""

    independent = False

    def __init__(
        self, domain: Choices, items: int, p: float, q: float, *, pairs: ItemPairs
    ) -> None:
        super().__init__(domain, items, p, q)
        self.cells, self.blocks, self._pairs = 2 * items, items, pairs

    def _cells(self, inside: Floats, total: float) -> Floats:
        return np.stack([inside, total - inside], axis=1).ravel()

    def _gains(self, values: Floats) -> tuple[float, Floats]:
        inside, outside = values.reshape(-1, 2).T
        return float(outside.sum()), inside - outside

    def support(self, frequencies: Floats) -> Floats:
        return frequencies.reshape(-1, 2)[:, 0]

    def gains_of_items(self, weights: Floats) -> Floats:
        gains = np.stack([(1 - self.q) * weights, -self.q * weights], axis=1).ravel()
        return gains / (self.p - self.q)

    def item_variance(self, weights: Floats, frequencies: Floats, held: Floats) -> float:
        """At most, whatever is held together.

        Two items u and v are both supported with chance ``c0 + (c1 - c0)(t_u + t_v) + k t_uv``,
        ``k = c2 - 2 c1 + c0``, ``t_uv`` being how many people hold both: from ``max(0, t_u + t_v - 1)`` to
        ``min(t_u, t_v)``.
        """
        c0, c1, c2 = self._pairs
        z, x = weights / (self.p - self.q), self.support(frequencies)
        some = np.flatnonzero(z)
        z, x, t = z[some], x[some], np.clip(held[some], 0.0, 1.0)
        sums, bend = t[:, None] + t[None, :], c2 - 2 * c1 + c0
        most, least = np.minimum.outer(t, t), np.maximum(sums - 1, 0.0)
        products = np.outer(z, z)
        together = np.where(products * bend > 0, most, least)
        both = c0 + (c1 - c0) * sums + bend * together
        np.fill_diagonal(both, x)
        return max(0.0, float((products * both).sum()) - float(z @ x) ** 2)
