"""Tables of two questions of a record: shares, shares within a row or column, independence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.fieller import ratio_interval
from sottovoce.answers.independence import Independence, independence_of
from sottovoce.answers.intervals import within
from sottovoce.answers.pooled_sets import PooledSets
from sottovoce.base.caches import state_without_caches
from sottovoce.base.errors import InvalidInput
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record

__all__ = ["NOT_ENOUGH", "Table"]

NOT_ENOUGH = "not enough people"
"""What is said of a share among people who may be none."""


@dataclass(frozen=True, eq=False)
class Table:
    """The table of two questions of a record; errors have all covariances.

    ``shares`` has a row per answer to the first question and a column per answer to the second; they
    are unbiased, sum to 1, and their margins are the shares of ``part``.  The questions are
    positions in ``record``; ``base`` is the set of questions whose reports are about both.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> people = sv.Record({"os": sv.Categories(["mac", "linux"]), "vi": sv.Categories(["no", "yes"])})
    >>> m = sv.mechanism("record", people, 2.0, design="pairs")
    >>> table = sv.estimate(m.simulate([4000, 1000, 1000, 4000], source=sv.Seeded(1))).table("os", "vi")
    >>> table.shares.round(1).tolist(), table.independence().p_value < 0.001
    ([[0.4, 0.1], [0.1, 0.4]], True)
    >>> [round(share, 1) for share in table.given(os="mac")["share"]]
    [0.8, 0.2]
    """

    sets: PooledSets
    record: Record
    questions: tuple[int, int]
    base: int
    about: str = "respondents"

    def __getstate__(self) -> dict[str, Any]:
        return state_without_caches(self)

    @property
    def names(self) -> tuple[str, str]:
        """The two questions."""
        first, second = self.questions
        return self.record.names[first], self.record.names[second]

    @property
    def domains(self) -> tuple[Domain, Domain]:
        """The answers to them."""
        first, second = self.questions
        return self.record.domains[first], self.record.domains[second]

    @property
    def n(self) -> int:
        """Reports about both questions."""
        return round(self.sets.counts[self.base])

    @cached_property
    def shares(self) -> Floats:
        """The share of every pair of answers."""
        (a, b), sets = self._ordered, self.sets
        asked = sets.channel.sets[self.base]
        table = sets.channel.margin(sets.tables[self.base], asked, (a, b))
        rows = (sets.shares(a) - table.sum(axis=1)) / table.shape[1]
        columns = (sets.shares(b) - table.sum(axis=0)) / table.shape[0]
        return self._turned(table + rows[:, None] + columns[None, :])

    @property
    def _ordered(self) -> tuple[int, int]:
        first, second = sorted(self.questions)
        return first, second

    def _turned(self, table: Floats) -> Floats:
        """From the order of the record to that of this table, or back."""
        return table if self.questions == self._ordered else table.T

    # -- answers -------------------------------------------------------------------------

    def _variance(self, weights: Floats) -> float:
        parts = self.sets.pair_weights(self._ordered, self.base, self._turned(weights))
        shares = self.shares
        spread = float(np.sum(shares * weights**2) - np.sum(shares * weights) ** 2)
        return self.sets.variance(parts, max(0.0, spread), self.about)

    def linear(self, weights: Any, label: Any = "", *, confidence: float = 0.95) -> Answer:
        """The answer ``sum of weights * shares``, its error with all covariances."""
        z = np.asarray(weights, dtype=np.float64)
        if z.shape != self.shares.shape or not np.isfinite(z).all():
            allowed = f"finite numbers of shape {self.shares.shape}"
            raise InvalidInput("weights", "linear of a table", allowed, f"shape {z.shape}")
        value, stderr = float(np.sum(self.shares * z)), math.sqrt(self._variance(z))
        low, high = within(value, stderr, two_sided(confidence), float(z.min()), float(z.max()))
        return Answer(value, stderr, low, high, label, confidence)

    def share(self, first: Any, second: Any, *, confidence: float = 0.95) -> Answer:
        """The share of people with these answers to the two questions."""
        row, column = (
            domain.index(value) for domain, value in zip(self.domains, (first, second), strict=True)
        )
        return self._cell(row, column, confidence)

    def _cell(self, row: int, column: int, confidence: float) -> Answer:
        rows, columns = self.domains
        label = (rows.label(row), columns.label(column))
        return self.linear(self._unit(row, column), label, confidence=confidence)

    def _unit(self, row: int, column: int) -> Floats:
        unit = np.zeros(self.shares.shape)
        unit[row, column] = 1.0
        return unit

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every pair of answers with its share, standard error and interval."""
        answers = [
            self._cell(row, column, confidence) for row, column in np.ndindex(*self.shares.shape)
        ]
        first, second = self.names
        return Frame(
            {
                first: [a.label[0] for a in answers],
                second: [a.label[1] for a in answers],
                "share": [a.value for a in answers],
                "stderr": [a.stderr for a in answers],
                "low": [a.low for a in answers],
                "high": [a.high for a in answers],
            }
        )  # fmt: skip

    # -- shares within a row or a column ---------------------------------------------------

    def given(self, condition: Any = None, /, *, confidence: float = 0.95, **answer: Any) -> Frame:
        """Shares of the other question among people with one answer: ``given(os="mac")``.

        A mapping in place of the keyword serves names that are not Python names.  Intervals are
        Fieller's: all shares that the reports do not rule out.  Where the people with that answer
        may be none, there is no number, and ``note`` says "not enough people".
        """
        asked = dict(condition or {}, **answer)
        if len(asked) != 1 or next(iter(asked)) not in self.names:
            allowed = f"one answer to {' or '.join(self.names)}"
            raise InvalidInput("condition", "given", allowed, asked)
        ((name, value),) = asked.items()
        axis = self.names.index(name)
        return self._within(axis, self.domains[axis].index(value), confidence)

    def percentages(self, of: str, *, confidence: float = 0.95) -> Frame:
        """Shares of the other question within every answer to ``of``: :meth:`given` for all of them."""
        if of not in self.names:
            allowed = f"one of {', '.join(self.names)}"
            raise InvalidInput("of", "percentages", allowed, of)
        axis = self.names.index(of)
        domain = self.domains[axis]
        found: dict[str, list[Any]] = {of: []}
        for index in range(domain.size):
            part = self._within(axis, index, confidence)
            found[of] += [domain.label(index)] * len(part)
            for column, values in part.columns.items():
                found.setdefault(column, []).extend(values)
        return Frame(found)

    def _within(self, axis: int, index: int, confidence: float) -> Frame:
        """A row per answer to the other question, among people with the answer at ``index``."""
        other, held = self.domains[1 - axis], np.zeros(self.shares.shape)
        np.moveaxis(held, axis, 0)[index] = 1.0
        share = float(np.sum(self.shares * held))
        rows = []
        for place in range(other.size):
            unit = self._unit(index, place) if axis == 0 else self._unit(place, index)
            rows.append(self._ratio(unit, held, share, confidence))
        columns = list(zip(*rows, strict=True))
        names = ("share", "low", "high", "note")
        return Frame(
            {self.names[1 - axis]: other.labels(), **dict(zip(names, columns, strict=True))}
        )

    def _ratio(
        self, unit: Floats, held: Floats, share: float, confidence: float
    ) -> tuple[float | None, float | None, float | None, str]:
        if share <= 0:
            return None, None, None, NOT_ENOUGH
        ratio = min(max(float(np.sum(self.shares * unit)) / share, 0.0), 1.0)
        away = unit - ratio * held
        own, of_share = self._variance(away), self._variance(held)
        of_both = (self._variance(away + held) - self._variance(away - held)) / 4
        ends = ratio_interval(ratio, share, (own, of_share, of_both), two_sided(confidence))
        return (None, None, None, NOT_ENOUGH) if ends is None else (ratio, *ends, "")

    # -- independence --------------------------------------------------------------------

    def independence(self) -> Independence:
        """Whether the answers to the two questions depend on each other, in the population."""
        return independence_of(self.sets, self._ordered, self.base)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<table of {first} and {second} from {self.n} reports>"
