"""Options that ask: what is wanted of an estimate, and how it is made; of files and of a collector."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from sottovoce.answers.questions import Words
from sottovoce.base.errors import InvalidInput

__all__ = [
    "METHOD", "AsCsv", "AskedOptions", "Confidence", "Goal", "Method", "Then", "check_formats",
    "option_words",
]  # fmt: skip

_QUESTIONS = "What is asked (nothing: the share of every value, or every key)"
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
AsCsv = Annotated[bool, typer.Option("--csv", help="The answers as CSV.")]


@dataclass(frozen=True)
class AskedOptions:
    """What is wanted of an estimate."""

    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", rich_help_panel=_QUESTIONS, help="The N most frequent values."
        ),
    ] = None
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="VALUE",
            rich_help_panel=_QUESTIONS,
            help="The share of one value. Repeatable.",
        ),
    ] = None
    total: Annotated[
        list[str] | None,
        typer.Option(
            "--total",
            metavar="A,B",
            rich_help_panel=_QUESTIONS,
            help="The share of several values together. Repeatable.",
        ),
    ] = None
    range_: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="LOW:HIGH",
            rich_help_panel=_QUESTIONS,
            help="The share of numbers in a range. Repeatable.",
        ),
    ] = None
    cdf: Annotated[
        list[float] | None,
        typer.Option(
            "--cdf",
            metavar="X",
            rich_help_panel=_QUESTIONS,
            help="The share of numbers up to X. Repeatable.",
        ),
    ] = None
    quantile: Annotated[
        list[float] | None,
        typer.Option(
            "--quantile",
            metavar="Q",
            rich_help_panel=_QUESTIONS,
            help="The number below which a share Q lies: 0.5 for the median. Repeatable.",
        ),
    ] = None
    mean: Annotated[
        bool, typer.Option("--mean", rich_help_panel=_QUESTIONS, help="The mean of the numbers.")
    ] = False
    variance: Annotated[
        bool,
        typer.Option("--variance", rich_help_panel=_QUESTIONS, help="The variance of the numbers."),
    ] = False
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="KEY",
            rich_help_panel=_QUESTIONS,
            help="The frequency of a key and the mean of its numbers, which other questions on numbers "
            "are then about. Repeatable.",
        ),
    ] = None
    top_keys: Annotated[
        int | None,
        typer.Option(
            "--top-keys",
            metavar="N",
            rich_help_panel=_QUESTIONS,
            help="The N most frequent keys, with their means.",
        ),
    ] = None

    @property
    def questions(self) -> list[tuple[str, str]]:
        """Questions by name and text; an option that was not used asks nothing.

        Keys that are named come after those that are found, as they are shown.
        """
        given = {each.name.rstrip("_"): getattr(self, each.name) for each in fields(self)}
        given["key"] = given.pop("key")  # to the end
        asked = []
        for name, told in given.items():
            if told is None or told is False:
                continue
            texts = told if isinstance(told, list) else [int(told)]
            asked += [(name, str(text)) for text in texts]
        return asked


def check_formats(command: str, *, as_csv: bool, as_json: bool) -> None:
    """Answers are shown in one form."""
    if as_csv and as_json:
        raise InvalidInput("--csv, --json", command, "one of the two", "both")


def option_words(command: str) -> Words:
    """Questions as a command's options are written, for its errors."""
    return Words(command, lambda name: f"--{name.replace('_', '-')}")
