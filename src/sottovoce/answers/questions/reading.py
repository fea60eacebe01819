"""Names and texts into questions, as the command line, HTTP and the form receive them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sottovoce.answers.questions.answering import AskedQuestion, Questions
from sottovoce.answers.questions.catalogue import find_question, registered_questions
from sottovoce.answers.questions.subjects import parts_of
from sottovoce.answers.questions.texts import KEY
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain

__all__ = ["Words", "read_questions"]


@dataclass(frozen=True)
class Words:
    """How an interface spells the names of questions and its own name, for errors."""

    owner: str = "a question"
    parameter: Callable[[str], str] = str
    """The name of a question as it is written there."""


def read_questions(
    domain: Domain,
    named_texts: Iterable[tuple[str, str]],
    *,
    confidence: float = 0.95,
    words: Words | None = None,
) -> Questions:
    """The questions that names and texts stand for.

    An unknown name, a text that cannot be read and a question that the domain does not have are
    refused.  Whether a value is in the domain is checked by the estimate.

    >>> from sottovoce.domains.interval import Interval
    >>> read_questions(Interval(0, 100, bins=10), [("range", "20:30")]).asked
    (AskedQuestion(question=<question range>, arguments=(20.0, 30.0)),)
    """
    spelling = words or Words()
    asked = []
    for name, text in named_texts:
        question = find_question(name)
        arguments = question.read(text, domain, spelling.parameter(name), spelling.owner)
        if arguments is not None:
            asked.append(AskedQuestion(question, arguments))
    _check(domain, asked, spelling)
    return Questions(domain, tuple(asked), confidence)


def _check(domain: Domain, asked: Iterable[AskedQuestion], words: Words) -> None:
    """Refuse keys where there are none, and numbers without the key that they belong to."""
    has_keys = parts_of(domain).keys is not None
    subjects = {each.question.about for each in asked}
    if "keys" in subjects and not has_keys:
        names = [each.name for each in registered_questions() if each.about == "keys"]
        needing = " and ".join(map(words.parameter, names))
        raise Unfit(f"{needing} need pairs of keys and numbers; these reports are over {domain}")
    names_key = any(each.question.text is KEY for each in asked)
    if has_keys and "numbers" in subjects and not names_key:
        allowed = "given with questions on numbers, to say whose"
        raise InvalidInput(words.parameter("key"), words.owner, allowed, None)
