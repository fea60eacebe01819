"""A question typed into the page of a survey, and its answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import (
    Question,
    Row,
    Words,
    find_question,
    read_questions,
    registered_questions,
)
from sottovoce.answers.questions.texts import COUNT, VALUES
from sottovoce.base.errors import InvalidInput, SottovoceError, shown
from sottovoce.base.suggestions import did_you_mean
from sottovoce.domains.base import Domain
from sottovoce.service.pages.words import number_row, share_row, text

__all__ = ["Asked", "asked", "offered"]

_LONGEST = 1000
"""Characters of a question."""
_MOST_ROWS = 500


@dataclass(frozen=True)
class Asked:
    """What was asked and what came of it: rows of a table, or what was wrong."""

    question: str = ""
    text: str = ""
    rows: Sequence[tuple[str, ...]] = ()
    problem: str = ""


def offered(domain: Domain) -> list[tuple[str, str, str]]:
    """Questions that a form offers: name, summary, and an example from the survey's own domain."""
    return [
        (each.name, each.summary, each.example(domain))
        for each in registered_questions()
        if each.is_offered_for(domain)
    ]


def asked(query: QueryParams, estimate: Estimate) -> Asked:
    """The answer to the question in an address, if there is one."""
    name, typed = query.get("ask", ""), query.get("text", "").strip()
    if not name and not typed:
        return Asked()
    names = [each for each, _, _ in offered(estimate.domain)]
    if name not in names:
        hint = did_you_mean(name, names)
        problem = f"ask must be one of {', '.join(names)}" + (f". {hint}" if hint else "")
        return Asked(name, typed[:_LONGEST], problem=problem)
    question = find_question(name)
    if len(typed) > _LONGEST:
        return Asked(name, typed[:_LONGEST], problem=f"at most {_LONGEST:,} characters are read")
    if question.text is COUNT and typed.isdecimal() and int(typed) > _MOST_ROWS:
        problem = f"at most {_MOST_ROWS} are shown here; all are in the downloads"
        return Asked(name, typed, problem=problem)
    try:
        words = Words("this question", lambda _: "the text")
        named_text = (name, _tidy(question, typed))
        rows = read_questions(estimate.domain, [named_text], words=words).of(estimate)
    except SottovoceError as error:
        return Asked(name, typed, problem=_problem(error))
    units = {each.name: each.unit for each in registered_questions()}
    return Asked(name, typed, [_written(row, units.get(row["question"], "share")) for row in rows])


def _tidy(question: Question, typed: str) -> str:
    """A list without the blanks that people type after commas; what is in quotes stays."""
    if question.text is not VALUES:
        return typed
    try:
        items = next(csv.reader([typed], skipinitialspace=True), [])
    except csv.Error:
        return typed  # which is refused where it is read
    tidy = io.StringIO()
    csv.writer(tidy, lineterminator="").writerow(items)
    return tidy.getvalue()


def _problem(error: SottovoceError) -> str:
    if isinstance(error, InvalidInput) and error.parameter == "value":
        return f"{shown(error.given)} is not an answer here; it must be {error.allowed}"
    return str(error)


def _written(row: Row, unit: str) -> tuple[str, ...]:
    answer = Answer(row["value"], row["stderr"], row["low"], row["high"])
    written = share_row(answer) if unit == "share" else number_row(answer)
    head = "mean of " if row["question"] == "mean" else ""
    return (f"{head}{text(row['label'])}", *written)
