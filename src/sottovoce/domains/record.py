"""Several named questions, answered together by one person."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sottovoce.base.checks import first_repeated
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.suggestions import did_you_mean
from sottovoce.domains.base import (
    Domain,
    Indices,
    Read,
    domain_from_json,
    register_domain,
)

__all__ = ["Record"]

_MOST_QUESTIONS = 30
_LONGEST_NAME = 100
_NAME = re.compile(rf"(?! )[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{_LONGEST_NAME}}}(?<! )")
"""Names of questions: the same in every language, and whatever its version of Unicode."""
_LARGEST_INDEX = 2**62
"""Records up to which all of them have an index of 64 bits."""


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Record(Domain):
    """Answers to 2 to 30 named questions, each over a domain of its own.

    A value is a mapping of every question to its answer.  Records are numbered with the last
    question varying fastest; ``size`` is the product of the sizes of all questions and may be far
    more than can be listed.

    Parameters
    ----------
    questions : mapping of str to Domain
        The questions in order; each holds one value per person, out of at least 2.

    Raises
    ------
    InvalidInput
        Where there are too few or too many questions, or one cannot be part of a record.

    Examples
    --------
    >>> from sottovoce.domains.categories import Categories
    >>> from sottovoce.domains.interval import Interval
    >>> people = Record({"age": Interval(0, 120, bins=24), "os": Categories(["mac", "linux"])})
    >>> people.size, people.index({"age": 31, "os": "linux"})
    (48, 13)
    >>> people.rows([{"age": 31, "os": "linux"}, {"os": "mac", "age": 4}]).tolist()
    [[6, 1], [0, 0]]
    """

    kind: ClassVar[str] = "record"

    names: tuple[str, ...]
    domains: tuple[Domain, ...]

    def __init__(self, questions: Mapping[str, Domain]) -> None:
        allowed = f"a mapping of 2 to {_MOST_QUESTIONS} names to domains"
        if not isinstance(questions, Mapping):
            raise InvalidInput("questions", "Record", allowed, questions)
        if not 2 <= len(questions) <= _MOST_QUESTIONS:
            raise InvalidInput("questions", "Record", allowed, f"{len(questions)} questions")
        for name, domain in questions.items():
            _check_question(name, domain)
        object.__setattr__(self, "names", tuple(questions))
        object.__setattr__(self, "domains", tuple(questions.values()))

    @property
    def size(self) -> int:
        return math.prod(self.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of answers to each question."""
        return tuple(domain.size for domain in self.domains)

    @property
    def record(self) -> Record:
        return self

    def part(self, question: str) -> Domain:
        return self.domains[self.question(question)]

    @cached_property
    def _name_set(self) -> frozenset[str]:
        return frozenset(self.names)

    def question(self, name: Any) -> int:
        """The position of a question; an unknown name is refused with the nearest one."""
        if name not in self.names:
            allowed = f"one of {', '.join(self.names)}"
            hint = did_you_mean(name, self.names)
            raise InvalidInput("question", str(self), allowed, name, hint=hint)
        return self.names.index(name)

    # -- values and inputs -----------------------------------------------------------

    def is_one(self, values: object) -> bool:
        return isinstance(values, Mapping)

    def answers(self, value: Any) -> tuple[int, ...]:
        """The index of every answer of one record."""
        if not isinstance(value, Mapping):
            raise InvalidInput("value", str(self), "a mapping of questions to answers", value)
        self._check_names(list(value))
        pairs = zip(self.names, self.domains, strict=True)
        return tuple(_answer(name, domain.index, value[name]) for name, domain in pairs)

    def rows(self, values: Any) -> Indices:
        """The indices of all answers: a row per record, a column per question.

        ``values`` is a list of mappings, or a table with a column per question (pandas, polars,
        Arrow, or a :class:`~sottovoce.base.frame.Frame`).
        """
        names = getattr(values, "column_names", getattr(values, "columns", None))
        if names is not None:
            self._check_names(list(names))
            self._refuse_empty(len(values), values)
            return self._columns(values)
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            allowed = "a list of mappings, or a table with a column per question"
            raise InvalidInput("values", str(self), allowed, values)
        records = list(values)
        self._refuse_empty(len(records), values)
        for value in records:
            if not isinstance(value, Mapping) or value.keys() != self._name_set:
                self.answers(value)  # refused, with what is missing or too much
        try:
            return self._columns({name: [value[name] for value in records] for name in self.names})
        except (TypeError, ValueError):
            for value in records:
                self.answers(value)  # refused in the words for one value
            raise

    def _columns(self, table: Any) -> Indices:
        pairs = zip(self.names, self.domains, strict=True)
        columns = [_answer(name, domain.indices, table[name]) for name, domain in pairs]
        return np.stack(columns, axis=1)

    def _check_names(self, names: Sequence[Any]) -> None:
        for name in names:
            if name not in self.names:
                allowed = f"among {', '.join(self.names)}"
                hint = did_you_mean(name, self.names)
                raise InvalidInput("a question", str(self), allowed, name, hint=hint)
        missing = [name for name in self.names if name not in names]
        if missing:
            raise InvalidInput(f"question {missing[0]!r}", str(self), "answered", None)
        if len(names) > len(self.names):
            raise InvalidInput("questions", str(self), "distinct", first_repeated(names))

    def read(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A record from texts, such as the row of a CSV file; other columns are left out."""
        self._check_names([name for name in self.names if name in row])
        found = {}
        for name, domain in zip(self.names, self.domains, strict=True):
            try:
                found[name] = domain.reader()(row[name])
            except ValueError:
                parameter = f"answer to {name!r}"
                raise InvalidInput(parameter, str(self), domain.written_as, row[name]) from None
        return found

    def pair(self, text: str) -> tuple[str, str]:
        """The two questions that a text such as ``"age,os"`` names.

        >>> from sottovoce.domains.yes_no import YesNo
        >>> Record({"smokes": YesNo(), "age, in years": YesNo()}).pair("age, in years,smokes")
        ('age, in years', 'smokes')
        """
        parts = text.split(",")
        splits = [
            (",".join(parts[:place]).strip(), ",".join(parts[place:]).strip())
            for place in range(1, len(parts))
        ]
        for first, second in splits:
            if first in self.names and second in self.names and first != second:
                return first, second
        if len(splits) == 1 and splits[0][0] != splits[0][1]:
            for name in splits[0]:
                self.question(name)
        allowed = f"two different questions with a comma between them, of {', '.join(self.names)}"
        raise InvalidInput("table", str(self), allowed, text)

    def index(self, value: Any) -> int:
        number = 0
        for answer, size in zip(self.answers(value), self.sizes, strict=True):
            number = number * size + answer
        return number

    def indices(self, values: Any) -> Indices:
        self.check_listed("indices of 64 bits")
        return np.ravel_multi_index(tuple(self.rows(values).T), self.sizes).astype(np.int64)

    def check_listed(self, purpose: str) -> None:
        """Refuse what needs an index of 64 bits for every record."""
        if self.size > _LARGEST_INDEX:
            allowed = f"of at most {_LARGEST_INDEX} records for {purpose}"
            raise InvalidInput("domain", str(self), allowed, f"{self.size} records")

    def digits(self, index: int) -> tuple[int, ...]:
        """The index of every answer of the record at ``index``."""
        found = []
        for size in reversed(self.sizes):
            index, answer = divmod(index, size)
            found.append(answer)
        return tuple(reversed(found))

    def label(self, index: int) -> dict[str, Any]:
        triples = zip(self.names, self.domains, self.digits(index), strict=True)
        return {name: domain.label(answer) for name, domain, answer in triples}

    # -- in words and as text --------------------------------------------------------

    def summary(self) -> str:
        return f"answers to {len(self.names)} questions: {', '.join(self.names)}"

    def in_words(self) -> str:
        pairs = zip(self.names, self.domains, strict=True)
        return "; ".join(f"{name}: {domain.in_words()}" for name, domain in pairs)

    def reader(self) -> Read:
        raise Unfit(f"a value of {self} cannot be read from one text; it has a text per question")

    # -- as JSON --------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        pairs = zip(self.names, self.domains, strict=True)
        questions = [{"name": name, "domain": domain.to_json()} for name, domain in pairs]
        return {"kind": self.kind, "version": 1, "questions": questions}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Record:
        rows = document["questions"]
        _check_distinct([row["name"] for row in rows])
        return cls({row["name"]: domain_from_json(row["domain"]) for row in rows})

    def __repr__(self) -> str:
        pairs = zip(self.names, self.domains, strict=True)
        return f"Record({', '.join(f'{name}={domain}' for name, domain in pairs)})"


def _check_question(name: object, domain: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        allowed = (
            f"text of 1 to {_LONGEST_NAME} characters, none of them a control character, without "
            "spaces at the ends"
        )
        raise InvalidInput("name of a question", "Record", allowed, name)
    parameter = f"question {name!r}"
    plain = isinstance(domain, Domain) and not (
        domain.holds_sets or domain.keyed or domain.vector or domain.record or domain.choices
    )
    if not plain:
        allowed = "a domain of one value per person, such as Categories or Interval"
        raise InvalidInput(parameter, "Record", allowed, domain)
    assert isinstance(domain, Domain)
    if domain.size < 2:
        raise InvalidInput(parameter, "Record", "a domain of at least 2 values", domain)


def _check_distinct(names: Sequence[Any]) -> None:
    if (repeated := first_repeated(map(str, names))) is not None:
        raise InvalidInput("names of questions", "Record", "distinct", repeated)


def _answer(name: str, find: Any, answer: Any) -> Any:
    """What a question's domain finds; its refusal names the question."""
    try:
        return find(answer)
    except InvalidInput as error:
        parameter = f"answer to {name!r}"
        raise InvalidInput(
            parameter, error.owner, error.allowed, error.given, hint=error.hint
        ) from None
