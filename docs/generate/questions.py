"""The page of questions, from their records: in Python, on the command line, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sottovoce as sv
from docs.generate.examples import session
from docs.generate.markdown import bullets, fence, sentence
from sottovoce.answers.errors import Exact
from sottovoce.answers.questions import (
    Question,
    find_question,
    read_questions,
    registered_questions,
)
from sottovoce.answers.questions.record import UNITS
from sottovoce.answers.questions.subjects import parts_of
from sottovoce.cli.shared.asking import option_name
from sottovoce.core.mechanism import Mechanism

__all__ = ["askable", "question_pages"]

_DOMAINS: dict[str, sv.Categories | sv.Interval | sv.KeyValues] = {
    "Categories": sv.Categories(["tea", "coffee", "water"]),
    "Interval": sv.Interval(0, 100, bins=10),
    "KeyValues": sv.KeyValues(["film", "book"], 0, 5, bins=4),
}
_EXAMPLE = (
    "import sottovoce as sv",
    'm = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)',
    'estimate = sv.estimate(m.simulate([500, 300, 200], source=sv.Seeded(1)), "unbiased")',
    'print(estimate.share("tea"))',
)


def question_pages() -> Iterator[tuple[str, str]]:
    """The page."""
    yield "reference/questions.md", _page()


def _page() -> str:
    parts = [_HEAD + fence("pycon", session(_EXAMPLE))]
    parts += map(_entry, registered_questions())
    return "\n\n".join(parts) + "\n"


def _entry(question: Question) -> str:
    kinds = [kind for kind, domain in _DOMAINS.items() if question.fits(domain)]
    domain = _DOMAINS[kinds[0]]
    text, option = question.example(domain), option_name(question.name)
    items = [
        f"in Python `{_call(question, text, domain)}`{_details(question)}",
        f"on the command line `{option if question.text.option is bool else f'{option} {text}'}`",
        f"over HTTP `{question.name}={text}`",
        f"over {', '.join(f'`{kind}`' for kind in kinds)}",
        f"the answer is {UNITS[question.unit]}",
    ]
    return f"## {question.name}\n\n{question.description}\n\n{bullets(items)}"


def _details(question: Question) -> str:
    """What the method that answers says of itself, where that is more than the summary."""
    if not isinstance(question.answer, str):
        return ""
    details = sentence(getattr(sv.Estimate, question.answer or question.name).__doc__).rstrip(".")
    details = f"{details[:1].lower()}{details[1:]}"
    return "" if question.summary.startswith(details) else f": {details}"


def _call(question: Question, text: str, domain: Any) -> str:
    """The question of an example as a call of the library."""
    arguments = question.read(text, domain, question.name, "an example") or ()
    written = ", ".join(_literal(each) for each in arguments)
    if isinstance(question.answer, str):
        return f"estimate.{question.answer or question.name}({written})"
    return f'read_questions(domain, [("{question.name}", "{text}")]).of(estimate)'


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def _answers(estimate: sv.Estimate, question: Question) -> bool:
    """Whether an estimate answers a question; one about numbers of pairs, with a key."""
    domain = estimate.domain
    named_texts = [(question.name, question.example(domain))]
    if question.about == "numbers" and parts_of(domain).keys is not None:
        named_texts.append(("key", find_question("key").example(domain)))
    try:
        read_questions(domain, named_texts).of(estimate)
    except sv.SottovoceError:
        return False
    return True


def askable(mechanism: Mechanism) -> set[str]:
    """The questions that an estimate from reports of ``mechanism`` answers: all are asked."""
    tally = mechanism.simulate([20] * mechanism.domain.size, source=sv.Seeded(1))
    if isinstance(mechanism.domain, sv.Vector):
        tally = sv.coordinates(tally)[0]
    estimate = sv.estimate(tally)
    if estimate.shares is not None:  # whether it answers does not depend on its errors
        estimate = replace(estimate, error_model=Exact(estimate.domain.size))
    return {each.name for each in registered_questions() if _answers(estimate, each)}


_HEAD = """\
# Questions

What can be asked of an estimate, and what it is called: in Python, where an
[estimate](python/answers.md#estimate) has a method for it, on the [command line](command-line.md) of `estimate` and
`answers`, and [over HTTP](http.md#numbers). Every answer has a standard error and an interval; no question at all asks for
everything. The [gallery](../gallery/index.md) has a picture for each kind. Every question is one record;
[add a question](../how-to/add-a-question.md) shows how to add another.

"""
