"""What is asked of an estimate or a difference: names and texts into answers, a row each.

A question is a name of :data:`QUESTIONS` and a text, such as ``range`` and ``20:30``; so they
are asked on the command line and over HTTP alike.  Where keys are named, questions on numbers
are about their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.difference import Difference
from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.parsing import read_value, split_list

__all__ = [
    "QUESTIONS", "Question", "Questions", "Row", "Words", "example_of", "read_questions",
]  # fmt: skip

Row = dict[str, Any]
Askable = Estimate | Difference

QUESTIONS = {
    "share": "the share of a value",
    "total": "the share of several values together, by commas",
    "top": "so many values of largest share",
    "range": "the share of numbers in a range LOW:HIGH",
    "cdf": "the share of numbers up to one",
    "quantile": "the number below which a share lies, 0.5 for the median",
    "mean": "1 for the mean of the numbers",
    "variance": "1 for the variance of the numbers",
    "key": "the frequency of a key and the mean of its numbers",
    "top_keys": "so many keys of largest frequency, with their means",
}
"""Every question, and what its text is."""

_ON_KEYS = {"key", "top_keys"}
_BEYOND_THE_MEAN = {"range", "cdf", "quantile", "variance"}
_ON_NUMBERS = {"mean", *_BEYOND_THE_MEAN}
_GOALS = {"top": "top", "share": "distribution", "total": "subset", **dict.fromkeys(_ON_NUMBERS, "range")}  # fmt: skip
_ROW = ("stderr", "low", "high", "p_value", "adjusted")


class Question(NamedTuple):
    """One question; named as the method that answers it, with the arguments of that."""

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Questions:
    """Questions in the order they were asked; none asks for everything.

    Everything is the share of every value, or over pairs the frequency and mean of every key.
    """

    domain: Domain
    asked: tuple[Question, ...] = ()
    confidence: float = 0.95

    @property
    def goal(self) -> str:
        """The goal that the questions have in common, else the whole distribution.

        Ranges, quantiles, the mean and the variance are sums over many values alike; so are
        the frequencies and means of keys.
        """
        names = {each.name for each in self.asked}
        if isinstance(self.domain, KeyValues):
            return "mean" if names <= {*_ON_KEYS, "mean"} else "distribution"
        if names == {"mean"}:
            return "mean"
        goals = {_GOALS[name] for name in names}
        return goals.pop() if len(goals) == 1 else "distribution"

    def of(self, told: Askable) -> list[Row]:
        """The answers, a row each; over pairs, first what is told of keys, then of their numbers."""
        if isinstance(self.domain, KeyValues):
            return self._of_pairs(told, self.domain)
        if not self.asked:
            return _whole(told, self.confidence)
        return [row for each in self.asked for row in _answered(told, each, self.confidence)]

    def _of_pairs(self, told: Askable, domain: KeyValues) -> list[Row]:
        rows: list[Row] = []
        named: list[Any] = []
        chosen: list[Any] = []
        on_numbers: list[Question] = []
        for each in self.asked:
            if each.name == "key":
                named += each.arguments
                chosen += each.arguments
            elif each.name == "top_keys":
                tops = [side.top_keys(*each.arguments) for side in _sides(told)]
                chosen += [answer.label for top in tops for answer in top]
            elif each.name in _BEYOND_THE_MEAN:
                on_numbers.append(each)
            elif each.name != "mean":  # which every chosen key has
                rows += _answered(told, each, self.confidence)
        confidence = self.confidence
        keys = list(dict.fromkeys(chosen)) if self.asked else domain.keys.labels()
        rows += [_row("frequency", told.frequency(key, confidence=confidence)) for key in keys]
        rows += [_row("mean", told.mean(key, confidence=confidence)) for key in keys]
        for key in dict.fromkeys(named) if on_numbers else ():
            numbers = told.distribution(key)
            for each in on_numbers:
                for row in _answered(numbers, each, confidence):
                    rows.append({**row, "label": f"{key}: {row['label']}"})
        return rows


def _answered(told: Askable, question: Question, confidence: float) -> list[Row]:
    if question.name == "top":
        return _tops(told, question.arguments[0], confidence)
    answer = getattr(told, question.name)(*question.arguments, confidence=confidence)
    return [_row(question.name, answer)]


def _row(question: str, answer: Answer) -> Row:
    row = {
        "question": question, "label": answer.label, "value": answer.value, "stderr": answer.stderr,
        "low": answer.low, "high": answer.high,
    }  # fmt: skip
    return row if answer.p_value is None else {**row, "p_value": answer.p_value}


def _whole(told: Askable, confidence: float) -> list[Row]:
    """Every value, in the order of the domain."""
    middle = "difference" if isinstance(told, Difference) else "share"
    return [
        {
            "question": "share", "label": row["value"], "value": row[middle],
            **{name: row[name] for name in _ROW if name in row},
        }
        for row in told.frame(confidence=confidence)
    ]  # fmt: skip


def _tops(told: Askable, count: int, confidence: float) -> list[Row]:
    """The values on top; of a difference, those on top of either side."""
    if isinstance(told, Estimate):
        return [_row("top", answer) for answer in told.top(count, confidence=confidence)]
    orders = [np.argsort(-side.require_shares("top"), kind="stable") for side in _sides(told)]
    places = sorted({place for order in orders for place in order[:count].tolist()})
    rows = _whole(told, confidence)
    for row in rows:
        row["question"] = "top"
        del row["adjusted"]  # it is for all values together, not for a few of them
    return [rows[place] for place in places]


def _sides(told: Askable) -> list[Estimate]:
    return [told.first, told.second] if isinstance(told, Difference) else [told]


# -- examples --------------------------------------------------------------------------------


def example_of(name: str, domain: Domain) -> str:
    """A text that the question of that name may have, about this domain; empty if none is short.

    >>> from sottovoce.domains.categories import Categories
    >>> from sottovoce.domains.interval import Interval
    >>> hours = Interval(0, 12, bins=48)
    >>> example_of("range", hours), example_of("cdf", hours), example_of("quantile", hours)
    ('6:8', '8', '0.5')
    >>> example_of("total", Categories(["tea", "coffee", "water"]))
    'tea,coffee'
    """
    return _EXAMPLES[name](domain)


def _bounds_of(domain: Domain) -> tuple[float, float]:
    """Half and two thirds of the way, on edges of bins, or among the whole numbers."""
    numbers = domain.interval if isinstance(domain, KeyValues) else domain
    if not isinstance(numbers, Interval):
        return 20.0, 30.0
    first, second = (round(numbers.size * part) for part in (1 / 2, 2 / 3))
    second = min(max(second, first + 1), numbers.size)
    if numbers.whole:
        last = numbers.size - 1
        return float(numbers.label(min(first, last))), float(numbers.label(min(second, last)))
    low, high = numbers.span
    return tuple(low + (high - low) * place / numbers.size for place in (first, second))  # type: ignore[return-value]


def _labels_of(domain: Domain, count: int) -> str:
    labels = [str(domain.label(place)) for place in range(min(count, domain.size))]
    short = all(label.isprintable() and len(label) <= _LONGEST_LABEL for label in labels)
    plain = short and not any(mark in label for label in labels for mark in '",')
    return ",".join(labels) if plain else ""


def _keys_of(domain: Domain) -> Domain:
    return domain.keys if isinstance(domain, KeyValues) else domain


_LONGEST_LABEL = 24
_EXAMPLES: dict[str, Callable[[Domain], str]] = {
    "share": lambda domain: _labels_of(domain, 1),
    "total": lambda domain: _labels_of(domain, 2),
    "top": lambda domain: str(min(10, domain.size)),
    "range": lambda domain: ":".join(f"{bound:.6g}" for bound in _bounds_of(domain)),
    "cdf": lambda domain: f"{_bounds_of(domain)[1]:.6g}",
    "quantile": lambda domain: "0.5",
    "mean": lambda domain: "1",
    "variance": lambda domain: "1",
    "key": lambda domain: _labels_of(_keys_of(domain), 1),
    "top_keys": lambda domain: str(min(10, _keys_of(domain).size)),
}

# -- reading ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words:
    """What those who ask call the questions and themselves, for errors that they understand."""

    owner: str = "a question"
    parameter: Callable[[str], str] = str
    """The name of a question as they write it."""


def read_questions(
    domain: Domain,
    asked: Iterable[tuple[str, str]],
    *,
    confidence: float = 0.95,
    words: Words | None = None,
) -> Questions:
    """The questions that names and texts stand for; refused where one is not in order.

    Whether a value is in the domain, and an estimate can answer, is found out by asking.

    >>> from sottovoce.domains.interval import Interval
    >>> read_questions(Interval(0, 100, bins=10), [("range", "20:30"), ("mean", "1")]).asked
    (Question(name='range', arguments=(20.0, 30.0)), Question(name='mean', arguments=()))
    """
    reader = _Reader(domain, words or Words())
    read = []
    for name, text in asked:
        arguments = reader.arguments(name, text)
        if arguments is not None:
            read.append(Question(name, arguments))
    reader.check({each.name for each in read})
    return Questions(domain, tuple(read), confidence)


@dataclass(frozen=True)
class _Reader:
    """Reads the texts of questions: the arguments, or None where a text says "not asked"."""

    domain: Domain
    words: Words

    def arguments(self, name: str, text: str) -> tuple[Any, ...] | None:
        """Those of any question."""
        return _HOW[name](self, name, text)

    def check(self, names: set[str]) -> None:
        """Refuse keys where there are none, and numbers of nobody where there are keys."""
        pairs = isinstance(self.domain, KeyValues)
        if names & _ON_KEYS and not pairs:
            both = " and ".join(map(self.words.parameter, ("key", "top_keys")))
            raise Unfit(
                f"{both} need pairs of keys and numbers; these reports are over {self.domain}"
            )
        if pairs and names & _ON_NUMBERS and "key" not in names:
            raise self._wrong("key", "given with questions on numbers, to say whose", None)

    def share(self, name: str, text: str) -> tuple[Any]:
        return (self._value(name, text, self.domain),)

    def total(self, name: str, text: str) -> tuple[list[Any]]:
        items = split_list(text, self.words.parameter(name), self.words.owner)
        return ([self._value(name, item, self.domain) for item in items],)

    def key(self, name: str, text: str) -> tuple[Any]:
        pairs = self.domain if isinstance(self.domain, KeyValues) else None
        return (text if pairs is None else self._value(name, text, pairs.keys),)

    def count(self, name: str, text: str) -> tuple[int]:
        try:
            count = int(text)
        except ValueError:
            raise self._wrong(name, "a whole number of at least 1", text) from None
        return (check_int(count, self.words.parameter(name), self.words.owner, 1),)

    def bounds(self, name: str, text: str) -> tuple[float, float]:
        low, _, high = text.partition(":")
        try:
            bounds = float(low), float(high)
        except ValueError:
            bounds = math.nan, math.nan
        if not all(map(math.isfinite, bounds)):
            raise self._wrong(name, f"two numbers such as {example_of(name, self.domain)}", text)
        return bounds

    def number(self, name: str, text: str) -> tuple[float]:
        try:
            return (float(text),)
        except ValueError:
            raise self._wrong(name, "a number", text) from None

    def flag(self, name: str, text: str) -> tuple[()] | None:
        if text not in ("0", "1"):
            raise self._wrong(name, "1, or 0", text)
        return () if text == "1" else None

    def _value(self, name: str, text: str, domain: Domain) -> Any:
        return read_value(text, domain, self.words.parameter(name), self.words.owner)

    def _wrong(self, name: str, allowed: str, given: object) -> InvalidInput:
        return InvalidInput(self.words.parameter(name), self.words.owner, allowed, given)


_HOW: dict[str, Callable[[_Reader, str, str], tuple[Any, ...] | None]] = {
    "share": _Reader.share, "total": _Reader.total, "top": _Reader.count, "range": _Reader.bounds,
    "cdf": _Reader.number, "quantile": _Reader.number, "mean": _Reader.flag,
    "variance": _Reader.flag, "key": _Reader.key, "top_keys": _Reader.count,
}  # fmt: skip
