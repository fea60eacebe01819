"""Shares of questions and of pairs of questions, from reports about several sets of questions.

Given how many reports there are of each set, sets are independent samples of the population, and a
random partition of the respondents.  An answer is ``sum over S of W_S . f_S`` with ``f_S`` the unbiased
table of set S, from n_S reports with cell frequencies x_S.  With ``g = B_S' W_S``

    Var = sum over S of [x_S . g^2 - (x_S . g)^2] / n_S

about the population; about the respondents it is less by ``[f . z^2 - (f . z)^2] / n``, z the sum of all
``W_S``: what the answer itself varies by among people (see ``LevelSampling.variance_of``).

All sets with a question agree on its shares after one pass of least squares.  Every table is first
made to sum to 1; the share of an answer is the mean of what the tables say, weighted by
``1 / (other cells * variance of a cell)``; and a table's rows are shifted evenly to those shares.
Shifts of different questions are orthogonal, so that one pass is the least-squares solution for
uncorrelated cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.answers.set_noise import set_covariance
from sottovoce.base.caches import state_without_caches
from sottovoce.base.errors import NotIdentified
from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.channels.record import RecordChannel

__all__ = ["PartErrors", "PooledSets", "SetWeights", "oracle_inverse"]

SetWeights = dict[int, Floats]
"""Weights of the cells of some sets' tables, by the number of the set."""

_FEW = 512
"""Answers to a question up to which errors of shares have all covariances."""


def oracle_inverse(channel: Channel) -> Inverse:
    """The unbiased estimate of one set."""
    assert channel.inverse is not None  # every set has a pure oracle
    return channel.inverse


@dataclass(frozen=True, eq=False)
class PooledSets:
    """The tally of a record by its sets of questions: ``frequencies`` of all cells among n reports."""

    channel: RecordChannel
    n: int
    frequencies: Floats

    def __getstate__(self) -> dict[str, object]:
        return state_without_caches(self)

    @cached_property
    def counts(self) -> tuple[float, ...]:
        """Reports of each set."""
        return tuple(self.n * float(part.sum()) for part in self.channel.parts(self.frequencies))

    @cached_property
    def seen(self) -> tuple[Floats, ...]:
        """The cell frequencies among the reports of each set."""
        return tuple(
            part / max(part.sum(), 1 / self.n) for part in self.channel.parts(self.frequencies)
        )

    @cached_property
    def tables(self) -> tuple[Floats, ...]:
        """The unbiased table of every set, shifted evenly to sum to 1."""
        pairs = zip(self.channel.channels, self.seen, strict=True)
        raw = [oracle_inverse(channel).forward(seen) for channel, seen in pairs]
        return tuple(table + (1 - table.sum()) / len(table) for table in raw)

    # -- which sets say what ---------------------------------------------------------

    def mixture(self, question: int) -> dict[int, float]:
        """How much each set's table counts for the shares of a question; sums to 1."""
        found = {}
        for number, asked in enumerate(self.channel.sets):
            known = question in asked and self.channel.has_margins(number)
            if known and self.counts[number] >= 1:
                odds = self.channel.channels[number].support_probabilities
                if odds is None:  # answers apart: it is the only set
                    return {number: 1.0}
                cells = math.prod(self.channel.shape(asked))
                others, even = cells / self.channel.sizes[question], 1 / cells
                noise = float(odds.variance(np.array([even]))[0]) / (1 - even) + even
                found[number] = self.counts[number] / (others * noise)
        if not found:
            raise NotIdentified("no report is about this question")
        total = sum(found.values())
        return {number: weight / total for number, weight in found.items()}

    def set_of(self, pair: tuple[int, int]) -> int | None:
        """The set with reports about both questions; None where there is none."""
        for number, asked in enumerate(self.channel.sets):
            if set(pair) <= set(asked) and self.counts[number] >= 1:
                return number
        return None

    def part_weights(self, question: int, weights: Floats) -> SetWeights:
        """What ``weights . shares`` of a question takes from every set."""
        return {
            number: mixed * self.channel.expand(weights, (question,), self.channel.sets[number])
            for number, mixed in self.mixture(question).items()
        }

    def pair_weights(self, pair: tuple[int, int], base: int, weights: Floats) -> SetWeights:
        """What ``weights . table`` of two questions, in order, takes from every set.

        The table is ``T + (M_a - T_a) / d_b + (M_b - T_b) / d_a``, T that of the set ``base``, T_a
        and T_b its margins, M_a and M_b the shares of the questions from all sets.
        """
        asked = self.channel.sets[base]
        rows, columns = weights.mean(axis=1), weights.mean(axis=0)
        own = weights - rows[:, None] - columns[None, :]
        found = {base: self.channel.expand(own, pair, asked).astype(np.float64)}
        for question, margin in zip(pair, (rows, columns), strict=True):
            for number, part in self.part_weights(question, margin).items():
                found[number] = found[number] + part if number in found else part
        return found

    def table(self, pair: tuple[int, int], base: int) -> Floats:
        """The table of two questions, in order, with the margins that all sets give."""
        (a, b), asked = pair, self.channel.sets[base]
        table = self.channel.margin(self.tables[base], asked, pair)
        rows = (self.shares(a) - table.sum(axis=1)) / table.shape[1]
        columns = (self.shares(b) - table.sum(axis=0)) / table.shape[0]
        return np.asarray(table + rows[:, None] + columns[None, :])

    # -- values and errors -------------------------------------------------------------

    def value(self, weights: SetWeights) -> float:
        """``sum over S of W_S . f_S``."""
        return sum(float(part.ravel() @ self.tables[number]) for number, part in weights.items())

    def variance(self, weights: SetWeights, spread: float, about: str) -> float:
        """Of :meth:`value`; ``spread`` is what the answer varies by among people."""
        total = sum(self._set_variance(number, part) for number, part in weights.items())
        return max(0.0, total - (spread / self.n if about == "respondents" else 0.0))

    @cached_property
    def _known(self) -> dict[tuple[int, bytes], float]:
        """Variances of parts of one set: cells of one row share most of them."""
        return {}

    def _set_variance(self, number: int, weights: Floats) -> float:
        flat = weights.ravel()
        if (covariance := self.covariance(number)) is not None:
            return float(flat @ covariance @ flat)
        key = number, flat.tobytes()
        if key not in self._known:
            gains = oracle_inverse(self.channel.channels[number]).adjoint(flat - flat.mean())
            seen = self.seen[number]
            squares = float(seen @ gains**2) - float(seen @ gains) ** 2
            self._known[key] = squares / self.counts[number]
        return self._known[key]

    def covariance(self, number: int) -> Floats | None:
        """Of the cells of a set's table, about the population; None where they are too many."""
        if number not in self._covariances:
            channel, n = self.channel.channels[number], self.counts[number]
            self._covariances[number] = set_covariance(channel, self.seen[number], n)
        return self._covariances[number]

    @cached_property
    def _covariances(self) -> dict[int, Floats | None]:
        """Those of sets that were asked for."""
        return {}

    # -- shares of one question ----------------------------------------------------------

    def shares(self, question: int) -> Floats:
        """The share of every answer to a question."""
        found = np.zeros(self.channel.sizes[question])
        for number, mixed in self.mixture(question).items():
            asked = self.channel.sets[number]
            found += mixed * self.channel.margin(self.tables[number], asked, (question,))
        return found

    def uncorrelated(self, question: int) -> Floats:
        """The variance of every share about the population, as if cells of a set were uncorrelated."""
        found = np.zeros(self.channel.sizes[question])
        for number, mixed in self.mixture(question).items():
            odds, table = self.channel.channels[number].support_probabilities, self.tables[number]
            assert odds is not None  # every set has a pure oracle
            noise = odds.variance(table) + np.maximum(table * (1 - table), 0.0)
            margin = self.channel.margin(noise, self.channel.sets[number], (question,))
            found += mixed**2 * margin / self.counts[number]
        return found


@dataclass(frozen=True, eq=False)
class PartErrors:
    """The noise of the shares of one question."""

    sets: PooledSets
    question: int
    shares: Floats

    def stderr(self, about: str) -> Floats:
        if len(self.shares) <= _FEW:
            return np.array([self.stderr_of(unit, about) for unit in self._units()])
        variances = self.sets.uncorrelated(self.question)
        if about == "respondents":
            variances -= np.maximum(self.shares * (1 - self.shares), 0.0) / self.sets.n
        return np.sqrt(np.maximum(variances, 0.0))

    def _units(self) -> Iterator[Floats]:
        return iter(np.eye(len(self.shares)))

    def stderr_of(self, weights: Floats, about: str) -> float:
        spread = max(0.0, float(self.shares @ weights**2 - (self.shares @ weights) ** 2))
        parts = self.sets.part_weights(self.question, weights)
        return math.sqrt(self.sets.variance(parts, spread, about))
