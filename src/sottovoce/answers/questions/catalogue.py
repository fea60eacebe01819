"""All questions, registered under their names."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from typing import Any

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import examples, texts
from sottovoce.answers.questions.record import Question
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.suggestions import unknown
from sottovoce.core.plugins import Plugins

__all__ = [
    "GROUP", "QUESTIONS", "RESERVED", "find_question", "register_question", "registered_questions",
    "unregister_question",
]  # fmt: skip

GROUP = "sottovoce.questions"
"""The entry points by which other distributions offer questions."""

RESERVED = frozenset({
    "about", "anytime", "confidence", "goal", "method", "option", "planned", "same_people", "then",
    "by", "by_window", "first", "first_window", "second", "second_window", "source", "survey", "window",
    "csv", "as_csv", "force", "help", "json", "as_json", "kind", "output", "plot", "status",
    "key_file", "plain_http", "url", "first_day", "last_day", "from", "to", "smooth", "overlap",
    "sources", "given", "independence", "part", "percent", "question", "table",
})  # fmt: skip
"""Names of other options and parameters where questions are asked."""

_QUESTIONS: dict[str, Question] = {}


def register_question(question: Question) -> Question:
    """Make a question known in the library, on the command line, over HTTP and in the form.

    A name that is taken, or that another option or parameter has, is refused.
    """
    if question.name in _QUESTIONS or question.name in RESERVED:
        raise InvalidInput("name", "register_question", "not taken yet", question.name)
    _QUESTIONS[question.name] = question
    return question


def _add_plugin(name: str, loaded: Any) -> None:
    """Register the question of an entry point, unless its module already did."""
    if not isinstance(loaded, Question):
        raise InvalidInput("entry point", name, "a Question", loaded)
    if loaded.name != name:
        raise InvalidInput("entry point", name, f"named {loaded.name!r}, as its question", name)
    if _QUESTIONS.get(name) is not loaded:
        register_question(loaded)


_plugins = Plugins(GROUP, _add_plugin)


def unregister_question(name: str) -> None:
    """Forget a question; an unknown name is refused."""
    del _QUESTIONS[find_question(name).name]


def registered_questions() -> tuple[Question, ...]:
    """Every question, ours first, in the order in which they were registered."""
    _plugins.load_all()
    return tuple(_QUESTIONS.values())


def find_question(name: str) -> Question:
    """The question of that name; an unknown one is refused with the nearest name.

    >>> find_question("share")
    <question share>
    """
    if name not in _QUESTIONS:
        _plugins.load_all()
    if name not in _QUESTIONS:
        raise Unfit(unknown("question", name, _QUESTIONS))
    return _QUESTIONS[name]


def _pickled(question: Question) -> tuple[Any, ...]:
    """A registered question is pickled as its name: what it runs may be any function."""
    if _QUESTIONS.get(question.name) is not question:
        raise Unfit(f"{question.name} cannot be pickled: it is not a registered question")
    return find_question, (question.name,)


copyreg.pickle(Question, _pickled)


def _the_key(_: Estimate, key: Any) -> Iterable[Any]:
    return (key,)


def _top_keys(estimate: Estimate, count: int) -> Iterable[Any]:
    return (answer.label for answer in estimate.top_keys(count))


QUESTIONS = tuple(
    register_question(question)
    for question in (
        Question(
            "share", "the share of one value", "values", texts.VALUE, examples.value_example,
            metavar="VALUE", in_trend=True,
        ),
        Question(
            "total", "the share of several values together, separated by commas", "values",
            texts.VALUES, examples.values_example, goals=("subset",), metavar="A,B",
            in_trend=True,
        ),
        Question(
            "top", "the N most frequent values", "values", texts.COUNT, examples.count_example,
            metavar="N", repeatable=False,
        ),
        Question(
            "range", "the share of numbers in a range LOW:HIGH", "numbers", texts.BOUNDS,
            examples.range_example, goals=("range",), metavar="LOW:HIGH", in_trend=True,
        ),
        Question(
            "cdf", "the share of numbers up to X", "numbers", texts.UPPER,
            examples.upper_example, goals=("range",), metavar="X",
        ),
        Question(
            "quantile", "the number below which a share Q lies, 0.5 for the median", "numbers",
            texts.NUMBER, lambda _: "0.5", goals=("range",), unit="number", metavar="Q",
            in_trend=True,
        ),
        Question(
            "median", "the number below which half of the numbers lie", "numbers", texts.FLAG,
            lambda _: "1", goals=("range",), unit="number", repeatable=False, in_form=False,
        ),
        Question(
            "mean", "the mean of the numbers", "numbers", texts.FLAG, lambda _: "1",
            goals=("mean", "range"), unit="number", repeatable=False, in_form=False,
            in_trend=True, in_every_key=True, needs_ends=True,
        ),
        Question(
            "variance", "the variance of the numbers", "numbers", texts.FLAG, lambda _: "1",
            goals=("range",), unit="square", repeatable=False, in_form=False, needs_ends=True,
        ),
        Question(
            "std", "the standard deviation of the numbers", "numbers", texts.FLAG, lambda _: "1",
            goals=("range",), unit="number", repeatable=False, in_form=False, needs_ends=True,
        ),
        Question(
            "key", "the frequency of a key and the mean of its numbers", "keys", texts.KEY,
            examples.key_example, "frequency", goals=("mean",), metavar="KEY", chooses=_the_key,
            note="Other questions about numbers then apply to this key.",
        ),
        Question(
            "top_keys", "the N most frequent keys, with their means", "keys", texts.COUNT,
            examples.key_count_example, goals=("mean",), metavar="N", repeatable=False,
            chooses=_top_keys,
        ),
    )
)  # fmt: skip
"""The questions of sottovoce itself."""
