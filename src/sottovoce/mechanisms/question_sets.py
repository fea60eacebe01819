"""A record of several questions by one set of them, drawn by the device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import MIN_EPSILON, check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import (
    OperatingSystem,
    Queue,
    Source,
    uniform_below,
    uniform_below_many,
)
from sottovoce.channels.base import Floats
from sottovoce.channels.record import RecordChannel
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, MOST_CELLS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.renamed import RenamedMechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.domains.record import Record
from sottovoce.mechanisms._designs import DESIGNS, MOST_APART, Design, best_design
from sottovoce.mechanisms._level_oracle import oracle_of_range
from sottovoce.mechanisms._set_oracles import AnswersApart, OneOracle, PairParities, SetOracle
from sottovoce.mechanisms._set_rates import design_rates, expected_variances

__all__ = ["QuestionSets"]

_LARGEST_TOTAL = 2**32
"""Sum of rates at most: one word draws the set."""
_WHY = {
    "sample": "Every report is about one question with the whole epsilon; nothing is learned of two together.",
    "pairs": "Every report is about two questions; shares of questions are pooled from all pairs with them.",
    "mixed": "Some reports are about one question, for its shares, and others about a pair, for its table.",
    "parities": "A parity is one bit, whatever the number of answers: it errs less at small epsilon.",
    "joint": "All answers together are few enough to be reported as one value.",
    "split": "Epsilon is large enough to be divided by the number of questions.",
}
"""Why a design errs least, where it does."""


@register
@dataclass(frozen=True)
class QuestionSets(Mechanism):
    """One set of questions, drawn whatever the answers are, and the answers to it by one oracle.

    The whole epsilon goes into that set, and holds for the record: any two records, however many
    answers differ.  ``design`` says which sets there are:

    * ``"sample"``: single questions.  Shares of every question; nothing about two together.
    * ``"pairs"``: all pairs of questions.  Every table of two questions.
    * ``"mixed"``: single questions and pairs.  Tables, and shares of questions with smaller errors.
    * ``"parities"``: the sets of ``"mixed"``, one parity of the answers each (a Fourier coefficient):
      for few answers and small epsilon.
    * ``"joint"``: all questions as one value, for few answers in all.
    * ``"split"``: all questions, each with an equal part of epsilon: for large epsilon and few answers.

    A set of d cells is answered by randomized response or by local hashing over a linear family,
    whichever has the smaller variance (``hash_ranges``: 0, or the prime g, for every set).  A report
    is one integer, a cell of one set.  With ``V`` n times the variance of the oracle and r the chance
    of its set, ``n Var = V / r + (1/r - 1) f(1-f)`` given the respondents.

    Three words per report: set, hash, response; with ``"split"`` a hash and a response per question.

    Reference: Nguyen et al. 2016 for one question drawn; Yang et al. 2020 for pairs; Barak et al. 2007
    for parities.

    >>> import sottovoce as sv
    >>> people = sv.Record({"os": sv.Categories(["mac", "linux"]), "age": sv.Interval(0, 90, bins=9)})
    >>> m = sv.mechanism("record", people, epsilon=2.0, design="pairs")
    >>> m.sets, m.hash_ranges
    (((0, 1),), (5,))
    >>> len(m.randomize([{"os": "mac", "age": 31}, {"os": "linux", "age": 60}]))
    2
    """

    name: ClassVar[str] = "question-sets"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"record": {}}
    lists_inputs: ClassVar[bool] = False
    is_planned: ClassVar[bool] = False
    named_options: ClassVar[tuple[str, ...]] = ("design",)
    domain: Record

    _: KW_ONLY
    design: str = ""
    """Which sets of questions a device draws from.  Allowed: "sample", "pairs", "mixed", "parities",
    "joint" or "split".  Unless given: the one with the least product of the standard errors to expect
    of a share and of a table's cell, on average over questions and pairs.
    """
    rates: tuple[int, ...] | str | None = None
    """How often each set is drawn, in proportion: single questions first, then pairs, each in order.
    Allowed: a whole number from 1 for each set, 2^32 in all, or "least": the largest errors of questions
    that differ in size fall.  Unless given: equal, and with "mixed" and "parities" those of least
    variance of questions times variance of pairs.
    """
    hash_ranges: tuple[int, ...] | None = None
    """Range of each set's hashes, with "split" of each question's; 0 is randomized response on the
    cells of its table.  Allowed: 0 or a prime for each, with "parities" 2.  Unless given: the one of
    less variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_domain(self) -> None:
        if not isinstance(self.domain, Record):
            raise InvalidInput("domain", self.name, "a Record of questions", self.domain)

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        if self.design == "":
            object.__setattr__(self, "design", self._best_design())
        check_choice(self.design, "design", self.name, DESIGNS)
        largest = max(self._design.set_sizes)
        if largest > MOST_CELLS:
            allowed = f"such that no set of questions has more than {MOST_CELLS} cells"
            raise InvalidInput("design", self.name, allowed, f"{self.design} with {largest} cells")
        if self._design.apart:
            self._check_apart()
        object.__setattr__(self, "hash_ranges", self._check_ranges())
        object.__setattr__(self, "rates", self._check_rates())

    def _best_design(self) -> str:
        """Of all that fit this domain and epsilon, for shares and tables together."""
        given = {"rates": self.rates, "hash_ranges": self.hash_ranges, "weights": self.weights}
        for option, value in given.items():
            if value is not None:
                raise InvalidInput("design", self.name, f"given where {option} are", None)
        return best_design(self.domain.sizes, self.epsilon)

    def _check_apart(self) -> None:
        most, questions = max(self.domain.sizes), len(self.domain.sizes)
        if most > MOST_APART:
            allowed = f"other than split for questions of more than {MOST_APART} answers"
            raise InvalidInput("design", self.name, allowed, f"split with {most} answers")
        if self._design.response_epsilon < MIN_EPSILON:
            allowed = f"at least {questions * MIN_EPSILON:g} to be split over {questions} questions"
            raise InvalidInput("epsilon", self.name, allowed, self.epsilon)

    def _check_rates(self) -> tuple[int, ...]:
        if self.rates is None or self.rates == "least":
            assert self.hash_ranges is not None  # checked before
            errors = self._design.errors(self.hash_ranges)
            return design_rates(errors, least=self.rates is not None)
        rates = self._one_each("rates", self.rates, 1, len(self.sets))
        if sum(rates) > _LARGEST_TOTAL:
            raise InvalidInput("rates", self.name, "at most 2^32 in all", sum(rates))
        return rates

    def _check_ranges(self) -> tuple[int, ...]:
        count, name = len(self._design.response_sizes), "hash_ranges"
        if self.hash_ranges is None:
            return self._design.best_ranges
        ranges = self._one_each(name, self.hash_ranges, 0, count)
        if self.design == "parities" and set(ranges) != {2}:
            raise InvalidInput(name, self.name, 'all 2 with design "parities"', self.hash_ranges)
        return ranges

    def _one_each(self, option: str, numbers: Any, least: int, count: int) -> tuple[int, ...]:
        if not isinstance(numbers, Sequence) or len(numbers) != count:
            things = "questions" if option == "hash_ranges" and self.design == "split" else "sets"
            allowed = f"a whole number for each of {count} {things}"
            raise InvalidInput(option, self.name, allowed, numbers)
        return tuple(check_int(number, option, self.name, least) for number in numbers)

    # -- sets --------------------------------------------------------------------------

    @cached_property
    def _design(self) -> Design:
        return Design(self.design, self.domain.sizes, self.epsilon)

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of questions, by position: single ones first, then pairs."""
        return self._design.sets

    @property
    def _rates(self) -> tuple[int, ...]:
        """The rates, completed."""
        assert isinstance(self.rates, tuple)
        return self.rates

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Sums of the rates up to and with each set."""
        return tuple(accumulate(self._rates))

    def expected_variances(self) -> tuple[Floats, Floats]:
        """n times the variance of a share of every question, and of a cell of every pair of questions.

        Given the respondents, all answers equally frequent; infinite where a design has no tables.
        """
        assert self.hash_ranges is not None  # completed at birth
        return expected_variances(self._design.errors(self.hash_ranges), self._rates)

    def why_least_error(self) -> str:
        return _WHY[self.design]

    def _make_oracles(self, weights: Sequence[Any]) -> list[SetOracle]:
        """The oracle of every set; ``weights`` has an object for each response, or None.

        Weights that are given may be of any responses that keep epsilon together.
        """
        assert self.hash_ranges is not None  # completed at birth
        derived = None in weights
        epsilon = self._design.response_epsilon if derived else self.epsilon
        common: dict[str, Any] = {"epsilon": epsilon, "bits": self.bits}
        responses = zip(self._design.response_sizes, self.hash_ranges, weights, strict=True)
        if self._design.apart:
            parts = [
                oracle_of_range(size, g, weights=given, **common) for size, g, given in responses
            ]
            return [AnswersApart(parts)]
        return [
            PairParities(self._design.shape(asked), weights=given, **common)
            if self.design == "parities" and len(asked) == 2
            else OneOracle(oracle_of_range(size, g, weights=given, **common))
            for asked, (size, g, given) in zip(self.sets, responses, strict=True)
        ]

    @cached_property
    def oracles(self) -> tuple[SetOracle, ...]:
        """The oracle of every set."""
        return tuple(self._make_oracles(self._weights_document()))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """Where the cells of every set begin, and where the last ones end."""
        return (0, *accumulate(oracle.cells for oracle in self.oracles))

    def of_question(self, question: int) -> Mechanism | None:
        """The oracle of the set that holds this question alone."""
        if (question,) not in self.sets:
            return None
        alone, domain = self.oracles[self.sets.index((question,))], self.domain.domains[question]
        assert isinstance(alone, OneOracle)
        return RenamedMechanism(domain, self.epsilon, inner=alone.oracle)

    def _derive_weights(self) -> Any:
        return self._weights_of([None] * len(self._design.response_sizes))

    def _check_weights(self, weights: Any) -> Any:
        count = len(self._design.response_sizes)
        if not isinstance(weights, Sequence) or len(weights) != count:
            things = "questions" if self.design == "split" else "sets"
            allowed = f"those of the oracles of {count} {things}"
            raise InvalidInput("weights", self.name, allowed, weights)
        return self._weights_of(weights)

    def _weights_of(self, weights: Sequence[Any]) -> Any:
        return tuple(pair for oracle in self._make_oracles(weights) for pair in oracle.weights)

    def _weights_document(self) -> list[dict[str, int]]:
        return [dict(zip(("keep", "other"), pair, strict=True)) for pair in self.weights]

    # -- device ------------------------------------------------------------------------

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("cell", self.cells),)

    @property
    def cells(self) -> int:
        return self._starts[-1]

    @property
    def words_per_report(self) -> int:
        return 1 + self.oracles[0].words

    def locate(self, values: Any) -> Indices:
        """The indices of all answers, a row per record: records may have no index of 64 bits."""
        return self.domain.rows(values)

    def respond(self, index: int, source: Source) -> tuple[int]:
        drawn = uniform_below(self._ends[-1], source)
        chosen = int(np.searchsorted(self._ends, drawn, side="right"))
        answers, node = self.domain.digits(index), 0
        for question in self.sets[chosen]:
            node = node * self.domain.sizes[question] + answers[question]
        return (self._starts[chosen] + self.oracles[chosen].respond(node, source),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        """Reports of records by index, or by a row of answers each."""
        rows, n = self._rows(indices), len(indices)
        drawn = uniform_below_many(self._ends[-1], n, source).astype(np.int64)
        chosen = np.searchsorted(self._ends, drawn, side="right")
        words = [source.words(n) for _ in range(self.words_per_report - 1)]
        cells = np.empty(n, dtype=np.int64)
        for number, (oracle, start) in enumerate(zip(self.oracles, self._starts, strict=False)):
            people = np.flatnonzero(chosen == number)
            prepared = [Queue(each[people], source) for each in words]
            nodes = self._nodes(rows[people], number)
            cells[people] = start + oracle.respond_many(nodes, prepared)
        return (cells,)

    def _rows(self, indices: Indices) -> Indices:
        if indices.ndim == 2:
            return indices
        self.domain.check_listed("records by index")
        return np.stack(np.unravel_index(indices, self.domain.sizes), axis=1)

    def _nodes(self, rows: Indices, number: int) -> Indices:
        """The cell of every row in the table of a set."""
        asked = self.sets[number]
        columns = tuple(rows[:, list(asked)].T)
        return np.ravel_multi_index(columns, self._design.shape(asked)).astype(np.int64)

    # -- collector -----------------------------------------------------------------------

    def cell_expression(self) -> CellExpression:
        return FieldValue("cell")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Set by set: its oracle's law for those who draw it."""
        channel, every = self.channel(), tuple(range(len(self.domain.names)))
        drawn = source.generator().multinomial(counts, channel.rates).T
        parts = zip(self.oracles, self.sets, drawn, strict=True)
        return np.concatenate(
            [
                oracle.simulate(_whole(channel.margin(people, every, asked)), source)
                for oracle, asked, people in parts
            ]
        )

    # -- analyst and auditor -----------------------------------------------------------------

    def channel(self) -> RecordChannel:
        """What this mechanism does to a distribution of records."""
        channel = super().channel()
        assert isinstance(channel, RecordChannel)
        return channel

    def _channel(self) -> RecordChannel:
        total, channels = self._ends[-1], [oracle.channel() for oracle in self.oracles]
        rates = [rate / total for rate in self._rates]
        beyond = self.design == "parities"
        return RecordChannel(self.domain.sizes, self.sets, rates, channels, beyond_margins=beyond)

    def certificate(self) -> Certificate:
        """The worst set's ratio, between any two records: the set does not depend on the answers."""
        worst = max(oracle.certificate().ratio for oracle in self.oracles)
        return Certificate(worst.numerator, worst.denominator)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Whether all answers that a report is about are, as far as it says, those of the record."""
        return self._supports(reports, self.domain.digits(index))

    def _supports(self, reports: Reports, answers: tuple[int, ...]) -> NDArray[np.bool_]:
        cells, row = reports.columns["cell"].astype(np.int64), np.array([answers])
        found = np.zeros(len(cells), dtype=np.bool_)
        for number, (oracle, start) in enumerate(zip(self.oracles, self._starts, strict=False)):
            people = np.flatnonzero((cells >= start) & (cells < start + oracle.cells))
            node = int(self._nodes(row, number)[0])
            found[people] = oracle.supports(cells[people] - start, node)
        return found

    def audit_plan(self) -> AuditPlan:
        """Records that differ in every answer, and in one; the events are every answer as in the record,
        and, where there are several, which set was drawn.
        """
        last = tuple(size - 1 for size in self.domain.sizes)
        first = (0,) * len(last)
        values = [first, last, (*first[:-1], last[-1])]

        def sample(answers: tuple[int, ...], count: int) -> Reports:
            return self.randomize_positions(np.tile(answers, (count, 1)), OperatingSystem())

        def drawn(reports: Reports) -> Indices:
            return np.searchsorted(self._starts, reports.columns["cell"], side="right") - 1

        sets = AuditPlan(values, sample, outcomes=len(self.sets), read=drawn)
        return AuditPlan(
            values, sample, self._supports, further=[sets] if len(self.sets) > 1 else []
        )

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        three = Record({"a": Categories(2), "b": Categories(3), "c": Categories(2)})
        two = Record({"os": Categories(["mac", "linux"]), "age": Interval(0, 90, bins=9)})
        yield cls(three, 1.0, design="sample")
        yield cls(three, 2.0, design="pairs", bits=16)
        yield cls(two, 0.5, design="mixed")
        yield cls(two, 1.0, design="joint")
        yield cls(three, 1.0, design="parities")
        yield cls(three, 6.0, design="split", hash_ranges=(0, 2, 0), bits=16)


def _whole(table: Floats) -> Indices:
    """The cells of a table of people, as numbers of people."""
    return table.ravel().astype(np.int64)
