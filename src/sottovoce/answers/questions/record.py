"""The record of a question: what it asks, how it is written, and what answers it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sottovoce.answers.answer import Answer
from sottovoce.answers.difference import Difference
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions.subjects import SUBJECTS, can_be_written, parts_of
from sottovoce.answers.questions.texts import Context, Text
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain

__all__ = ["UNITS", "Askable", "Question"]

Askable = Estimate | Difference
Answering = Callable[..., Answer | list[Answer]]

UNITS = {
    "share": "a share, from 0 to 1",
    "number": "a number in the unit of the domain",
    "square": "a number in the squared unit of the domain",
}
"""What an answer is."""

_NAME = re.compile("[a-z][a-z0-9_]*")


@dataclass(frozen=True, eq=False, repr=False)
class Question:
    """One question about an estimate, or about the difference of two.

    Options of the command line, parameters over HTTP with their OpenAPI schema, the form of the
    dashboard and the reference page derive from it.
    """

    name: str
    """In Python and over HTTP; the option of the command line has ``-`` for ``_``."""
    summary: str
    """What it asks, in a line that begins in lower case and has no full stop."""
    about: str
    """``"values"``, ``"numbers"`` or ``"keys"``: what a domain must have to be asked."""
    text: Text
    """How its text is read into arguments."""
    example: Callable[[Domain], str]
    """A text about a domain; empty where none is short."""
    answer: str | Answering = ""
    """The method of an estimate and a difference that answers it, or a function.

    The function takes one of the two, then the arguments, and ``confidence`` by keyword.  The
    method is the one of the question's name unless another is named.
    """
    goals: tuple[str, ...] = ("distribution",)
    """What ``auto`` chooses a method for, the best first; several questions need one in common."""
    unit: str = "share"
    """What the answer is: one of :data:`UNITS`."""
    metavar: str = ""
    """What stands for the text in the help of the command line."""
    repeatable: bool = True
    """Whether the option of the command line can be repeated; over HTTP all can."""
    in_form: bool = True
    """Whether the form of the dashboard offers it."""
    note: str = ""
    """A sentence more, for the help of the command line and the reference."""
    chooses: Callable[..., Iterable[Any]] | None = None
    """For a question about keys: the keys, from an estimate and the arguments.

    Every key that is chosen is answered with its frequency and its mean.
    """
    in_trend: bool = False
    """Whether a trend over windows answers it too, by the method of its name."""
    in_every_key: bool = False
    """Whether the answer about every key already holds it, as it holds the mean."""

    needs_ends: bool = False
    """Whether numbers must have both ends: where an open bin ends, no report says."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(str(self.name)) or keyword.iskeyword(self.name):
            allowed = (
                "lower-case letters, digits and _, beginning with a letter, not a Python keyword"
            )
            raise InvalidInput("name", "Question", allowed, self.name)
        check_choice(self.about, "about", self.name, SUBJECTS)
        check_choice(self.unit, "unit", self.name, UNITS)
        if not self.goals:
            raise InvalidInput("goals", self.name, "at least one goal", self.goals)
        if (self.about == "keys") != (self.chooses is not None):
            allowed = "given for a question about keys, and only there"
            raise InvalidInput("chooses", self.name, allowed, self.chooses)

    def __repr__(self) -> str:
        return f"<question {self.name}>"

    @property
    def description(self) -> str:
        """The summary as a sentence, and the note."""
        return f"{self.summary[:1].upper()}{self.summary[1:]}. {self.note}".rstrip()

    def read(self, text: str, domain: Domain, parameter: str, owner: str) -> tuple[Any, ...] | None:
        """The arguments that a text stands for; None where it says that nothing is asked."""
        return self.text.read(text, Context(domain, parameter, owner, self.example(domain)))

    def fits(self, domain: Domain) -> bool:
        """Whether it can be asked about a domain.

        Whether an estimate answers it depends on the mechanism too: some tell only a mean.
        """
        parts = parts_of(domain)
        if (self.about == "keys" and parts.keys is None) or (
            self.about == "numbers" and parts.numbers is None
        ):
            return False
        if self.needs_ends and parts.numbers is not None and parts.numbers.open_end:
            return False
        return not self.text.names_values or can_be_written(domain)

    def is_offered_for(self, domain: Domain) -> bool:
        """Whether the form of the dashboard offers it for a domain."""
        return self.in_form and self.about == parts_of(domain).subject

    def answers(
        self, source: Askable, arguments: tuple[Any, ...], *, confidence: float
    ) -> list[Answer]:
        """The answers of an estimate or a difference."""
        domain = source.domain if isinstance(source, Estimate) else source.first.domain
        if self.about == "numbers" and domain.may_decline is not None and self.fits(domain):
            found = self.answers(source.answered(), arguments, confidence=confidence)
            return [replace(each, label=f"{each.label}, of those who answered") for each in found]
        if self.about == "numbers" and parts_of(domain).numbers is not domain:
            raise Unfit(f"{self.name} needs numbers (an Interval); this estimate is over {domain}")
        if isinstance(self.answer, str):
            result = getattr(source, self.answer or self.name)(*arguments, confidence=confidence)
        else:
            result = self.answer(source, *arguments, confidence=confidence)
        return result if isinstance(result, list) else [result]
