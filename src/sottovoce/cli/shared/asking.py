"""Options for questions about an estimate and for how it is made, from files or from a collector."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from sottovoce.answers.questions import Question, Words, registered_questions
from sottovoce.answers.questions.subjects import SUBJECTS
from sottovoce.answers.questions.texts import COUNT
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput

__all__ = [
    "METHOD", "About", "Anytime", "AsCsv", "AskedOptions", "Confidence", "Goal", "Method", "Planned",
    "SamePeople", "Then", "TrendQuestions", "check_formats", "option_name", "option_words",
]  # fmt: skip

_QUESTIONS = "Questions (if none is given: the share of every value, or every key)"
METHOD = "How it is estimated"

Method = Annotated[
    str,
    typer.Option("--method", metavar="NAME", rich_help_panel=METHOD, help="The method, by name."),
]
Goal = Annotated[
    str | None,
    typer.Option(
        "--goal",
        metavar="GOAL",
        rich_help_panel=METHOD,
        help="What auto chooses a method for: distribution, subset, top, mean or range. "
        "If not given, what is asked decides.",
    ),
]
Then = Annotated[
    list[str] | None,
    typer.Option(
        "--then",
        metavar="NAME",
        rich_help_panel=METHOD,
        help="A method to apply to the result. Repeatable, in order.",
    ),
]
Confidence = Annotated[
    float,
    typer.Option(
        "--confidence",
        metavar="X",
        rich_help_panel=METHOD,
        help="Of the intervals, between 0 and 1.",
    ),
]
About = Annotated[
    str | None,
    typer.Option(
        "--about",
        metavar="WHOM",
        rich_help_panel=METHOD,
        help="Whom intervals are about: respondents, or the population that they were drawn from. "
        "If not given: respondents; for differences population.",
    ),
]
SamePeople = Annotated[
    bool,
    typer.Option(
        "--same-people",
        rich_help_panel=METHOD,
        help="Both sides of a difference are the same people: their sampling does not count.",
    ),
]
Anytime = Annotated[
    bool,
    typer.Option(
        "--anytime",
        rich_help_panel=METHOD,
        help="Intervals that may be looked at as often as you like while reports come in, by the "
        "unbiased estimate.",
    ),
]
Planned = Annotated[
    int | None,
    typer.Option(
        "--planned",
        metavar="N",
        rich_help_panel=METHOD,
        help="With --anytime: people expected in the end, fixed before the first look; on each "
        "side of a difference. If not given: 20 times the minimum batch.",
    ),
]
AsCsv = Annotated[bool, typer.Option("--csv", help="The answers as CSV.")]


@dataclass(frozen=True)
class AskedOptions:
    """The questions on a command line: an option for every question that is registered."""

    values: Mapping[str, Any]
    """By the name of the question; None, or False, for an option that was not used."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """One option per question."""
        return [_option(question) for question in _in_order()]

    @classmethod
    def from_options(cls, **values: Any) -> AskedOptions:
        """From the value of every option."""
        return cls(values)

    @property
    def questions(self) -> list[tuple[str, str]]:
        """Questions by name and text, in the order in which they are answered."""
        return [
            (question.name, text) for question in _in_order() for text in self.texts(question.name)
        ]

    def texts(self, name: str) -> list[str]:
        """The texts of one question; none where its option was not used."""
        value = self.values.get(name)
        if value is None or value is False:
            return []
        if value is True:
            return ["1"]
        return [str(each) for each in (value if isinstance(value, list) else [value])]

    def check_counts(self, command: str) -> None:
        """Refuse counts below 1 before anything is read."""
        for question in registered_questions():
            if question.text is COUNT:
                for text in self.texts(question.name):
                    check_int(int(text), option_name(question.name), command, 1)


@dataclass(frozen=True)
class TrendQuestions(AskedOptions):
    """The questions that a trend over windows answers."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """One option per question."""
        return [
            _option(question, "Questions (at least one)")
            for question in _in_order()
            if question.in_trend
        ]


def _in_order() -> list[Question]:
    """By subject; questions that find values or keys come before those that name them."""
    return sorted(
        registered_questions(),
        key=lambda each: (SUBJECTS.index(each.about), each.text is not COUNT),
    )


def _option(question: Question, panel: str = _QUESTIONS) -> inspect.Parameter:
    """The option of a question."""
    kind: Any = question.text.option
    default = False if kind is bool else None
    if kind is not bool:
        kind = (list[kind] if question.repeatable else kind) | None
    option = typer.Option(
        option_name(question.name),
        metavar=question.metavar or None,
        rich_help_panel=panel,
        help=_help(question),
    )
    return inspect.Parameter(
        question.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _help(question: Question) -> str:
    repeatable = question.repeatable and question.text.option is not bool
    return question.description + (" Repeatable." if repeatable else "")


def option_name(name: str) -> str:
    """The option of a question: ``--top-keys`` for ``top_keys``."""
    return f"--{name.replace('_', '-')}"


def check_formats(command: str, *, as_csv: bool, as_json: bool) -> None:
    """Answers are shown in one form."""
    if as_csv and as_json:
        raise InvalidInput("--csv, --json", command, "one of the two", "both")


def option_words(command: str) -> Words:
    """Questions as a command's options are written, for its errors."""
    return Words(command, option_name)
