"""A question typed into the page of a survey, and its answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import QUESTIONS, Row, Words, example_of, read_questions
from sottovoce.base.errors import InvalidInput, SottovoceError, shown
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.service.pages.words import number_row, share_row, text

__all__ = ["Asked", "asked", "offered"]

_LONGEST = 1000
"""Characters of a question."""
_MOST_ROWS = 500
_COUNTED = {"top", "top_keys"}
_IN_NUMBERS = {"quantile", "mean", "variance"}


@dataclass(frozen=True)
class Asked:
    """What was asked and what came of it: rows of a table, or what was wrong."""

    question: str = ""
    text: str = ""
    rows: Sequence[tuple[str, ...]] = ()
    problem: str = ""


def offered(domain: Domain) -> list[tuple[str, str, str]]:
    """Questions that a form offers: name, meaning, and an example from the survey's own domain."""
    if isinstance(domain, KeyValues):
        names = ["key", "top_keys"]
    elif isinstance(domain, Interval):
        names = ["range", "cdf", "quantile"]
    else:
        names = ["share", "total", "top"]
    return [(name, QUESTIONS[name], example_of(name, domain)) for name in names]


def asked(query: QueryParams, found: Estimate) -> Asked:
    """The answer to the question in an address, if there is one."""
    name, told = query.get("question", ""), query.get("text", "").strip()
    if not name and not told:
        return Asked()
    names = [each for each, _, _ in offered(found.domain)]
    if name not in names:
        return Asked(name, told[:_LONGEST], problem=f"question must be one of {', '.join(names)}")
    if len(told) > _LONGEST:
        return Asked(name, told[:_LONGEST], problem=f"at most {_LONGEST:,} characters are read")
    if name in _COUNTED and told.isdecimal() and int(told) > _MOST_ROWS:
        problem = f"at most {_MOST_ROWS} are shown here; all are in the downloads"
        return Asked(name, told, problem=problem)
    try:
        words = Words("this question", lambda _: "the text")
        rows = read_questions(found.domain, [(name, _tidy(name, told))], words=words).of(found)
    except SottovoceError as error:
        return Asked(name, told, problem=_problem(error))
    return Asked(name, told, [_written(row) for row in rows])


def _tidy(name: str, told: str) -> str:
    """A list without the blanks that people type after commas; what is in quotes stays."""
    if name != "total":
        return told
    try:
        items = next(csv.reader([told], skipinitialspace=True), [])
    except csv.Error:
        return told  # which is refused where it is read
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(items)
    return text.getvalue()


def _problem(error: SottovoceError) -> str:
    if isinstance(error, InvalidInput) and error.parameter == "value":
        return f"{shown(error.given)} is no answer here; it must be {error.allowed}"
    return str(error)


def _written(row: Row) -> tuple[str, ...]:
    answer = Answer(row["value"], row["stderr"], row["low"], row["high"])
    written = number_row(answer) if row["question"] in _IN_NUMBERS else share_row(answer)
    head = "mean of " if row["question"] == "mean" else ""
    return (f"{head}{text(row['label'])}", *written)
