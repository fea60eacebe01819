"""Options that ask: what is wanted of an estimate, and how it is made; of files and of a collector."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sottovoce.core.errors import InvalidInput
from sottovoce.questions import Words

__all__ = [
    "METHOD", "AsCsv", "Cdf", "Confidence", "Goal", "Key", "Mean", "Method", "Quantile", "Range", "Share",
    "Then", "Top", "TopKeys", "Total", "Variance", "asked_with", "check_formats", "option_words",
]  # fmt: skip

_QUESTIONS = "What is asked (nothing: the share of every value, or every key)"
METHOD = "How it is estimated"

Top = Annotated[
    int | None,
    typer.Option(
        "--top", metavar="N", rich_help_panel=_QUESTIONS, help="The N most frequent values."
    ),
]
Share = Annotated[
    list[str] | None,
    typer.Option(
        "--share",
        metavar="VALUE",
        rich_help_panel=_QUESTIONS,
        help="The share of one value. Repeatable.",
    ),
]
Total = Annotated[
    list[str] | None,
    typer.Option(
        "--total",
        metavar="A,B",
        rich_help_panel=_QUESTIONS,
        help="The share of several values together. Repeatable.",
    ),
]
Range = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="LOW:HIGH",
        rich_help_panel=_QUESTIONS,
        help="The share of numbers in a range. Repeatable.",
    ),
]
Cdf = Annotated[
    list[float] | None,
    typer.Option(
        "--cdf",
        metavar="X",
        rich_help_panel=_QUESTIONS,
        help="The share of numbers up to X. Repeatable.",
    ),
]
Quantile = Annotated[
    list[float] | None,
    typer.Option(
        "--quantile",
        metavar="Q",
        rich_help_panel=_QUESTIONS,
        help="The number below which a share Q lies: 0.5 for the median. Repeatable.",
    ),
]
Mean = Annotated[
    bool, typer.Option("--mean", rich_help_panel=_QUESTIONS, help="The mean of the numbers.")
]
Variance = Annotated[
    bool,
    typer.Option("--variance", rich_help_panel=_QUESTIONS, help="The variance of the numbers."),
]
Key = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="KEY",
        rich_help_panel=_QUESTIONS,
        help="The frequency of a key and the mean of its numbers, which other questions on numbers "
        "are then about. Repeatable.",
    ),
]
TopKeys = Annotated[
    int | None,
    typer.Option(
        "--top-keys",
        metavar="N",
        rich_help_panel=_QUESTIONS,
        help="The N most frequent keys, with their means.",
    ),
]
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


def check_formats(command: str, *, as_csv: bool, as_json: bool) -> None:
    """Answers are shown in one form."""
    if as_csv and as_json:
        raise InvalidInput("--csv, --json", command, "one of the two", "both")


def asked_with(**options: Any) -> list[tuple[str, str]]:
    """Questions by name and text, in the order of ``options``; one that was not used asks nothing."""
    asked = []
    for name, given in options.items():
        if given is None or given is False:
            continue
        texts = given if isinstance(given, list) else [int(given)]
        asked += [(name, str(text)) for text in texts]
    return asked


def option_words(command: str) -> Words:
    """Questions as a command's options are written, for its errors."""
    return Words(command, lambda name: f"--{name.replace('_', '-')}")
