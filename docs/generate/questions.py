"""The page of questions: what each asks, over which values, in Python, by command and by HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import sottovoce as sv
from docs.generate.examples import session
from docs.generate.markdown import bullets, fence, sentence
from sottovoce.answers.errors import Exact
from sottovoce.answers.questions import QUESTIONS, read_questions
from sottovoce.core.mechanism import Mechanism

__all__ = ["askable", "question_pages"]

_TEXTS = {
    "share": "tea", "total": "tea,coffee", "top": "3", "range": "20:30", "cdf": "30", "quantile": "0.5",
    "mean": "1", "variance": "1", "key": "film", "top_keys": "2",
}  # fmt: skip
"""A text for every question, as written on a command line or in an address."""

_PYTHON: dict[str, str] = {
    "share": 'share("tea")', "total": 'total(["tea", "coffee"])', "top": "top(3)", "range": "range(20, 30)",
    "cdf": "cdf(30)", "quantile": "quantile(0.5)", "mean": "mean()", "variance": "variance()",
    "key": 'frequency("film")', "top_keys": "top_keys(2)",
}  # fmt: skip

_DOMAINS: dict[str, sv.Categories | sv.Interval | sv.KeyValues] = {
    "Categories": sv.Categories(["tea", "coffee", "water"]),
    "Interval": sv.Interval(0, 100, bins=10),
    "KeyValues": sv.KeyValues(["film", "book"], 0, 5, bins=4),
}
_FLAGS = {"mean", "variance"}
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
    for name, means in QUESTIONS.items():
        python = _PYTHON[name]
        answers: Callable[..., Any] = getattr(sv.Estimate, python.partition("(")[0])
        flag = f"--{name.replace('_', '-')}"
        command = flag if name in _FLAGS else f"{flag} {_TEXTS[name]}"
        over = ", ".join(f"`{kind}`" for kind, domain in _DOMAINS.items() if _fits(name, domain))
        items = [
            f"in Python `estimate.{python}`",
            f"on the command line `{command}`",
            f"over HTTP `{name}={_TEXTS[name]}`: {means}",
            f"of values in {over}",
        ]
        parts.append(f"## {name}\n\n{sentence(answers.__doc__)}\n\n{bullets(items)}")
    return "\n\n".join(parts) + "\n"


def _fits(name: str, domain: Any) -> bool:
    given = [(name, _text(name, domain))]
    if name in ("range", "cdf", "quantile", "variance", "mean") and isinstance(
        domain, sv.KeyValues
    ):
        given.append(("key", "film"))
    return _answers(_estimate(domain), given)


def _text(name: str, domain: Any) -> str:
    if name in ("share", "total"):
        return ",".join(_written(domain, i) for i in range(2 if name == "total" else 1))
    numbers = domain.interval if isinstance(domain, sv.KeyValues) else domain
    if name in ("range", "cdf") and isinstance(numbers, sv.Interval):
        low, high = numbers.low, numbers.high
        third = low + (high - low) / 3
        return {"range": f"{low}:{third}", "cdf": str(third)}[name]
    return "film" if name == "key" else _TEXTS[name]


def _written(domain: Any, index: int) -> str:
    """A value of a domain as text: a bin by the number in its middle."""
    return str(domain.midpoints[index] if isinstance(domain, sv.Interval) else domain.label(index))


def _answers(estimate: sv.Estimate, given: list[tuple[str, str]]) -> bool:
    try:
        read_questions(estimate.domain, given).of(estimate)
    except sv.SottovoceError:
        return False
    return True


@cache
def _estimate(domain: Any) -> sv.Estimate:
    shares = np.full(domain.size, 1 / domain.size)
    return sv.Estimate(domain, shares, 1000, "certain", "", Exact(domain.size))


def askable(mechanism: Mechanism) -> set[str]:
    """The questions that an estimate from reports of ``mechanism`` answers: all are asked."""
    tally = mechanism.simulate([20] * mechanism.domain.size, source=sv.Seeded(1))
    if isinstance(mechanism.domain, sv.Vector):
        tally = sv.coordinates(tally)[0]
    found = sv.estimate(tally)
    if found.shares is not None:  # whether it answers does not depend on how sure it is
        found = replace(found, error_model=Exact(found.domain.size))
    asked = set()
    for name in QUESTIONS:
        given = [(name, _text(name, found.domain))]
        if isinstance(found.domain, sv.KeyValues) and name not in (
            "share",
            "total",
            "top",
            "key",
            "top_keys",
        ):
            given.append(("key", _written(found.domain.keys, 0)))
        if _answers(found, given):
            asked.add(name)
    return asked


_HEAD = """\
# Questions

What can be asked of an estimate, and what it is called: in Python, where an
[estimate](python/answers.md#estimate) has a method for it, on the [command line](command-line.md) of `estimate` and
`answers`, and [over HTTP](http.md#numbers). Every answer has a standard error and an interval; no question at all asks for
everything. The [gallery](../gallery/index.md) has a picture for each kind.

"""
