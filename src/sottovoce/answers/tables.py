"""Tables of two questions of a record: shares, shares within a row or column, independence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.independence import Independence, independence_of
from sottovoce.answers.intervals import within
from sottovoce.answers.pooled_sets import PooledSets
from sottovoce.answers.records import grouped
from sottovoce.answers.records.groups import group_of
from sottovoce.answers.records.table_html import NOT_ENOUGH, TOTAL, table_html
from sottovoce.answers.set_noise import MOST_CELLS
from sottovoce.answers.show import renderer
from sottovoce.base.caches import state_without_caches
from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.frame import Frame
from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record

__all__ = ["NOT_ENOUGH", "Table"]


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
        return self._turned(self.sets.table(self._ordered, self.base))

    @cached_property
    def possible(self) -> Floats:
        """The nearest table (Euclidean) of shares that are not negative and sum to 1.

        Where cells are few people each, it errs less than :attr:`shares`; its margins are not
        those of ``part``, and it has no errors of its own: read the intervals of the cells.

        >>> import sottovoce as sv
        >>> people = sv.Record({"os": sv.Categories(["mac", "linux"]), "vi": sv.YesNo()})
        >>> m = sv.mechanism("record", people, 1.0, design="pairs")
        >>> table = sv.estimate(m.simulate([90, 0, 0, 10], source=sv.Seeded(1))).table("os", "vi")
        >>> bool(table.shares.min() < 0), bool(table.possible.min() >= 0)
        (True, True)
        """
        return project_to_simplex(self.shares.ravel()).reshape(self.shares.shape)

    @property
    def _ordered(self) -> tuple[int, int]:
        first, second = sorted(self.questions)
        return first, second

    def _turned(self, table: Floats) -> Floats:
        """From the order of the record to that of this table, or back."""
        return table if self.questions == self._ordered else table.T

    # -- answers -------------------------------------------------------------------------

    def _variance(self, weights: Floats) -> float:
        if (known := self._covariance) is not None:
            return max(0.0, float(weights.ravel() @ known @ weights.ravel()))
        parts = self.sets.pair_weights(self._ordered, self.base, self._turned(weights))
        shares = self.shares
        spread = float(np.sum(shares * weights**2) - np.sum(shares * weights) ** 2)
        return self.sets.variance(parts, max(0.0, spread), self.about)

    @cached_property
    def _covariance(self) -> Floats | None:
        """Of all shares, row by row; None where tables are too large to write it out."""
        if self.shares.size > MOST_CELLS:
            return None
        found = np.zeros((self.shares.size, self.shares.size))
        parts: dict[int, list[Floats]] = {}
        for unit in np.eye(self.shares.size).reshape(-1, *self.shares.shape):
            weights = self.sets.pair_weights(self._ordered, self.base, self._turned(unit))
            for number, part in weights.items():
                parts.setdefault(number, []).append(part.ravel())
        for number, rows in parts.items():
            covariance = self.sets.covariance(number)
            if covariance is None:
                return None
            stacked = np.stack(rows)
            found += stacked @ covariance @ stacked.T
        if self.about == "respondents":
            flat = self.shares.ravel()
            found -= (np.diag(flat) - np.outer(flat, flat)) / self.sets.n
        return found

    def sums(self, weights: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Several sums of ``weights * shares``, and their covariance."""
        values = np.array([float(np.sum(self.shares * one)) for one in weights])
        if (known := self._covariance) is not None:
            flat = np.stack([one.ravel() for one in weights])
            return values, flat @ known @ flat.T
        own = np.array([self._variance(one) for one in weights])
        both = [[self._variance(one + other) for other in weights] for one in weights]
        return values, (np.array(both) - own[:, None] - own[None, :]) / 2

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

    def frame(self, *, totals: bool = False, sort: bool = False, confidence: float = 0.95) -> Frame:
        """Every pair of answers with its share, standard error and interval.

        With ``totals`` also every answer to one question, whatever that to the other is; with ``sort``
        the largest shares first.
        """
        rows, columns = self.shares.shape
        shown = [self._cell(row, column, confidence) for row, column in np.ndindex(rows, columns)]
        if sort:
            shown.sort(key=lambda answer: -answer.value)
        if totals:
            for axis in (0, 1):
                shown += [
                    self._margin(axis, index, confidence) for index in range((rows, columns)[axis])
                ]
        first, second = self.names
        return Frame(
            {
                first: [a.label[0] for a in shown],
                second: [a.label[1] for a in shown],
                "share": [a.value for a in shown],
                "stderr": [a.stderr for a in shown],
                "low": [a.low for a in shown],
                "high": [a.high for a in shown],
            }
        )  # fmt: skip

    def _margin(self, axis: int, index: int, confidence: float) -> Answer:
        """The share of one answer to a question, whatever that to the other is."""
        label, held = self.domains[axis].label(index), np.zeros(self.shares.shape)
        np.moveaxis(held, axis, 0)[index] = 1.0
        pair = (label, TOTAL) if axis == 0 else (TOTAL, label)
        return self.linear(held, pair, confidence=confidence)

    def to_pandas(self, of: str | None = None) -> Any:
        """The shares as a ``pandas.DataFrame``, a row per answer to the first question, with totals.

        With ``of`` the shares of the other question within every answer to that one; missing where
        there are not enough people.
        """
        pandas = optional("pandas", extra="spark", purpose="Table.to_pandas")
        rows, columns = (domain.labels() for domain in self.domains)
        if of is None:
            whole = np.block([
                [self.shares, self.shares.sum(axis=1, keepdims=True)],
                [self.shares.sum(axis=0, keepdims=True), np.array([[self.shares.sum()]])],
            ])  # fmt: skip
            index, heads = [*rows, TOTAL], [*columns, TOTAL]
        else:
            axis, index, heads = self._axis(of, "to_pandas"), rows, columns
            found = np.array(self.percentages(of)["share"], dtype=np.float64)
            shape = self.shares.shape if axis == 0 else self.shares.shape[::-1]
            whole = found.reshape(shape) if axis == 0 else found.reshape(shape).T
        first, second = self.names
        frame = pandas.DataFrame(whole, index=index, columns=heads)
        return frame.rename_axis(index=first, columns=second)

    # -- shares within a row or a column ---------------------------------------------------

    def given(self, condition: Any = None, /, *, confidence: float = 0.95, **answer: Any) -> Frame:
        """Shares of the other question among people with one answer: ``given(os="mac")``.

        A list of answers is all people with one of them, and for numbers a pair of numbers those between.
        A mapping in place of the keyword serves names that are not Python names.  Intervals are
        Fieller's: all shares that the reports do not rule out.  Where the people with that answer
        may be none, there is no number, and ``note`` says "not enough people".
        """
        axis, group = grouped.condition(self, condition, answer, "given")
        return grouped.within(self, axis, group_of(self.domains[axis], group), confidence)

    def percentages(
        self, of: str, *, totals: bool = False, sort: bool = False, confidence: float = 0.95
    ) -> Frame:
        """Shares of the other question within every answer to ``of``: :meth:`given` for all of them.

        With ``totals`` also the shares among everybody; with ``sort`` the largest first, within each.
        """
        axis = self._axis(of, "percentages")
        return grouped.percentages(self, axis, totals=totals, sort=sort, confidence=confidence)

    def mean(
        self, condition: Any = None, /, *, confidence: float = 0.95, **answer: Any
    ) -> Answer | None:
        """The mean of the other question's numbers among people with one answer: ``mean(os="mac")``.

        Its interval is Fieller's; None where there are not enough people.
        """
        axis, group = grouped.condition(self, condition, answer, "mean")
        return grouped.mean(self, axis, group, confidence)

    def difference(
        self, condition: Any = None, /, *, confidence: float = 0.95, **answers: Any
    ) -> Frame:
        """Shares of the other question in two groups: ``difference(os=("mac", "linux"))``.

        Second minus first, with intervals by the profile of Fieller's test, p-values, and p-values
        adjusted for all answers (Holm).  Where one of the groups may be empty there are no numbers, and
        ``note`` says "not enough people".  Each group may be a list of answers, or a pair of numbers.
        """
        axis, pair = grouped.condition(self, condition, answers, "difference")
        return grouped.difference(self, axis, pair, confidence)

    def mean_difference(
        self, condition: Any = None, /, *, confidence: float = 0.95, **answers: Any
    ) -> Answer | None:
        """The mean of the other question's numbers in two groups, second minus first; as :meth:`difference`."""
        axis, pair = grouped.condition(self, condition, answers, "mean_difference")
        return grouped.mean_difference(self, axis, pair, confidence)

    def _axis(self, of: str, owner: str) -> int:
        if of not in self.names:
            allowed = f"one of {', '.join(self.names)}"
            raise InvalidInput("of", owner, allowed, of)
        return self.names.index(of)

    # -- independence --------------------------------------------------------------------

    def independence(self, *, confidence: float = 0.95) -> Independence:
        """Whether the answers to the two questions depend on each other, in the population.

        ``confidence`` is that of the interval of Cramer's V.
        """
        two_sided(confidence)  # which refuses what is not a level
        return independence_of(self.sets, self._ordered, self.base, confidence)

    # -- shown ---------------------------------------------------------------------------

    def plot(self, kind: str = "heat", **options: Any) -> Any:
        """A matplotlib figure: a heat map of the shares with their numbers, or bars of percentages.

        See :func:`sottovoce.plots.table.draw_table` for options.
        """
        return renderer("table")(self, kind, **options)

    def _repr_html_(self) -> str:
        return table_html(self)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<table of {first} and {second} from {self.n} reports>"
