"""The calculator: any two of epsilon, users and error give the third, before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.answer import two_sided
from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.domains.interval import Interval
from sottovoce.service.analysis.calculating import Asked, calculate
from sottovoce.service.pages.calculated import LEAST_EPSILON, Shown, shown
from sottovoce.service.pages.charts.numbers import number
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState

__all__ = ["FIELDS", "answer", "calculator_page", "read_form"]

FIELDS = {
    "kind": "what people answer: categories or numbers",
    "values": "how many categories there are",
    "low": "the least number",
    "high": "the greatest number",
    "bins": "how many bins numbers have",
    "goal": "what the error is of: shares, or of numbers mean, range or distribution",
    "epsilon": "the privacy budget per report; empty to compute it",
    "users": "how many people answer; empty to find it",
    "error": "half the width of a 95% interval: points of a share, or units of a mean; empty to compute it",
    "windows": "in how many windows the same people are asked, such as 30 days; 1 or empty for once",
    "lifetime": "the privacy budget of a person for all windows; empty for twice epsilon",
}
"""The parameters of the page, all of them fields of its form."""

KINDS = {"categories": "One of several", "numbers": "A number"}
GOALS = {
    "shares": "Shares of answers",
    "mean": "Mean of numbers",
    "range": "Share of a range",
    "distribution": "Share up to a number",
}
_DEFAULTS = {
    "kind": "categories", "values": "10", "low": "0", "high": "100", "bins": "32", "goal": "shares",
    "windows": "1",
}  # fmt: skip
_THREE = {"epsilon": "1", "users": "10000", "error": ""}
_MOST_VALUES, _MOST_BINS = 10_000, 256
_MOST_EPSILON = 20.0
_MOST_USERS, _MOST_WINDOWS = 10**12, 1000
_LARGEST = 1e12
_LONGEST = 40


@dataclass
class Form:
    """What was typed, and what is wrong with it, field by field."""

    texts: dict[str, str]
    problems: dict[str, str] = field(default_factory=dict)

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number, thousands apart or not; None where it is empty or wrong."""
        text = self.texts[name].replace(",", "").replace(" ", "")
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if text and not low <= value <= high:
            self.problems[name] = f"Give a whole number from {low:,} to {high:,}."
            return None
        return value if text else None

    def real(self, name: str, low: float, high: float) -> float | None:
        """A number; None where it is empty or wrong."""
        text = self.texts[name]
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if text and not low <= value <= high:  # nor NaN
            self.problems[name] = f"Give a number from {number(low)} to {number(high)}."
            return None
        return value if text else None

    def choice(self, name: str, allowed: Mapping[str, str]) -> str:
        """One of a few words."""
        if self.texts[name] not in allowed:
            self.problems[name] = f"Choose one of {', '.join(allowed)}."
        return self.texts[name]

    def needed(self, name: str, value: Any) -> Any:
        """A value that may not be left out."""
        if value is None and name not in self.problems:
            self.problems[name] = "Fill this in."
        return value


def read_form(query: Mapping[str, str]) -> tuple[Form, Asked | None]:
    """The form as typed, and the question it asks; None where something is wrong.

    Of epsilon, users and error all default only where none of them is in the address.
    """
    told = {name: query.get(name, _DEFAULTS.get(name, "")).strip()[:_LONGEST] for name in FIELDS}
    if not any(name in query for name in _THREE):
        told |= _THREE
    form = Form(told)
    kind, goal = form.choice("kind", KINDS), form.choice("goal", GOALS)
    size, low, high = _answers(form, kind)
    if kind == "categories" and goal in GOALS and goal != "shares":
        form.problems["goal"] = "Categories have shares only: a mean or a range is of numbers."
    epsilon = form.real("epsilon", LEAST_EPSILON, _MOST_EPSILON)
    users = form.whole("users", 1, _MOST_USERS)
    error = _error(form, goal, high - low)
    if not form.problems.keys() & _THREE.keys():
        _check_two(form)
    windows, lifetime = _repeated(form, goal, epsilon)
    if form.problems:
        return form, None
    return form, Asked(kind, size, low, high, goal, epsilon, users, error, windows, lifetime)


def _repeated(form: Form, goal: str, epsilon: float | None) -> tuple[int, float | None]:
    """In how many windows, and what they cost together."""
    windows = form.whole("windows", 1, _MOST_WINDOWS) or 1
    lifetime = form.real("lifetime", LEAST_EPSILON, _MOST_EPSILON)
    if windows == 1:
        return 1, None
    if goal != "shares" and goal in GOALS:
        form.problems["windows"] = "Several windows are compared for shares of answers only."
    if lifetime is not None and epsilon is not None and lifetime <= epsilon:
        form.problems["lifetime"] = f"Give more than the epsilon of one report, {epsilon:g}."
    return windows, lifetime


def _answers(form: Form, kind: str) -> tuple[int, float, float]:
    """How many values or bins, and the bounds of numbers; only what the kind needs is looked at."""
    if kind != "numbers":
        size = form.needed("values", form.whole("values", 2, _MOST_VALUES))
        return size or 2, 0.0, 1.0
    size = form.needed("bins", form.whole("bins", 2, _MOST_BINS))
    low = form.needed("low", form.real("low", -_LARGEST, _LARGEST))
    high = form.needed("high", form.real("high", -_LARGEST, _LARGEST))
    if low is None or high is None:
        return size or 2, 0.0, 1.0
    if not high - low > 1e-9 * max(1.0, abs(low), abs(high)):
        form.problems["high"] = f"Give a number above {number(low)}."
        return size or 2, 0.0, 1.0
    if size is not None and Interval.agreed(low, high, size).misleads:
        ratings = f"bounds from {number(low - 0.5)} to {number(high + 0.5)}"
        form.problems["bins"] = (
            f"Give more or fewer: they do not center on whole numbers. For ratings, give {ratings}."
        )
    return size or 2, low, high


def _error(form: Form, goal: str, width: float) -> float | None:
    """A standard error, from the half width of a 95% interval."""
    mean = goal == "mean"
    typed = form.real("error", 1e-6 * (width if mean else 1.0), width if mean else 50.0)
    if typed is None:
        return None
    return typed / (1 if mean else 100) / two_sided(0.95)


def _check_two(form: Form) -> None:
    given = [name for name in _THREE if form.texts[name]]
    if len(given) == 3:
        form.problems["error"] = "Leave one of the three empty: it is what is found."
    elif len(given) < 2:
        first = next(name for name in _THREE if not form.texts[name])
        form.problems[first] = "Give two of the three: privacy, people and error."


async def calculator_page(state: CollectorState, request: Request) -> Response:
    """The form, and what comes of it; wrong input is told beside its field."""
    if not state.settings.calculator:
        raise Declined("no-such-route", "the calculator is turned off here (setting calculator)")
    form, asked = read_form(request.query_params)
    found, pending = None, False
    if asked is not None:
        prepared = await state.calculator.board(
            asked, None, lambda: _asked_apart(state, asked), patient=is_patient(request)
        )
        if prepared.declined is not None:  # raised often: it must not gather tracebacks
            raise prepared.declined.with_traceback(None)
        found, pending = prepared.board, prepared.board is None and prepared.pending
    if isinstance(found, dict):
        form.problems |= found
        found = None
    return page(
        request, "calculator.html", 400 if form.problems else 200, form=form, kinds=KINDS,
        goals=GOALS, asked=asked, shown=found, pending=pending, incomplete=pending,
    )  # fmt: skip


# -- in a process of its own -----------------------------------------------------------------


def _asked_apart(state: CollectorState, asked: Asked) -> Shown | dict[str, str]:
    """What the page shows of a question, or what is wrong with its fields."""
    reply = state.apart.ask(msgspec.msgpack.encode(asked))
    return msgspec.msgpack.decode(reply, type=Shown | dict[str, str])


def answer(question: bytes) -> bytes:
    """The same, computed: this runs in the process of the calculator."""
    asked = msgspec.msgpack.decode(question, type=Asked)
    try:
        return msgspec.msgpack.encode(shown(asked, calculate(asked)))
    except SottovoceError as error:
        return msgspec.msgpack.encode(_problem(error))


def _problem(error: SottovoceError) -> dict[str, str]:
    """What is wrong, under the name of its field."""
    if isinstance(error, InvalidInput):
        known = error.parameter if error.parameter in FIELDS else "error"
        return {known: f"It must be {error.allowed}."}
    return {"goal": str(error)}
