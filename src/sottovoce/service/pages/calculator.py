"""The calculator: any two of epsilon, users and error give the third, before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.answer import two_sided
from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.core.odds import privacy_in_words
from sottovoce.domains.interval import Interval
from sottovoce.service.analysis.calculating import Asked, Calculation, Row, calculate
from sottovoce.service.pages.charts.lines import Line, lines
from sottovoce.service.pages.charts.numbers import number
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState

__all__ = ["FIELDS", "Shown", "answer", "calculator_page", "read_form"]

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
}
"""The parameters of the page, all of them fields of its form."""

KINDS = {"categories": "One of several", "numbers": "A number"}
GOALS = {
    "shares": "Shares of answers",
    "mean": "Mean of numbers",
    "range": "Share of a range",
    "distribution": "Share up to a number",
}
_KNOWN = {
    "shares": "the share of an answer",
    "mean": "the mean",
    "range": "the share of a tenth of the interval",
    "distribution": "the share up to a number",
}
_DEFAULTS = {
    "kind": "categories", "values": "10", "low": "0", "high": "100", "bins": "32", "goal": "shares",
}  # fmt: skip
_THREE = {"epsilon": "1", "users": "10000", "error": ""}
_MOST_VALUES, _MOST_BINS = 10_000, 256
_LEAST_EPSILON, _MOST_EPSILON = 0.01, 20.0
_MOST_USERS = 10**12
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
    epsilon = form.real("epsilon", _LEAST_EPSILON, _MOST_EPSILON)
    users = form.whole("users", 1, _MOST_USERS)
    error = _error(form, goal, high - low)
    if not form.problems.keys() & _THREE.keys():
        _check_two(form)
    if form.problems:
        return form, None
    return form, Asked(kind, size, low, high, goal, epsilon, users, error)


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
    shown, pending = None, False
    if asked is not None:
        prepared = await state.calculator.board(
            asked, None, lambda: _asked_apart(state, asked), patient=is_patient(request)
        )
        if prepared.declined is not None:  # raised often: it must not gather tracebacks
            raise prepared.declined.with_traceback(None)
        shown, pending = prepared.board, prepared.board is None and prepared.pending
    if isinstance(shown, dict):
        form.problems |= shown
        shown = None
    return page(
        request, "calculator.html", 400 if form.problems else 200, form=form, kinds=KINDS,
        goals=GOALS, asked=asked, shown=shown, pending=pending, incomplete=pending,
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
        return msgspec.msgpack.encode(_shown(asked, calculate(asked)))
    except SottovoceError as error:
        return msgspec.msgpack.encode(_problem(error))


def _problem(error: SottovoceError) -> dict[str, str]:
    """What is wrong, under the name of its field."""
    if isinstance(error, InvalidInput):
        known = error.parameter if error.parameter in FIELDS else "error"
        return {known: f"It must be {error.allowed}."}
    return {"goal": str(error)}


# -- what is shown -------------------------------------------------------------------------


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """The words and pictures of a calculation; ``best`` is the mechanism of the least error.

    ``tried`` is whether what fake senders could do is known only as far as it was tried.
    """

    answer: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chart: str
    """Markup; empty where nothing is drawn."""
    privacy: list[str]
    lies: list[str]
    epsilon: float
    best: str
    tried: bool


def _shown(asked: Asked, found: Calculation) -> Shown:
    needed = {"users": "people needed", "epsilon": "epsilon needed"}.get(found.found)
    head = ("mechanism", "rms error", "give or take, 95%", "bytes per report")
    rows = [
        (row.name, _size(asked, row.error), f"±{_size(asked, reach(row.error))}",
         f"{row.report_bytes:,}", *([_needed(asked, found, row)] if needed else []))
        for row in found.rows
    ]  # fmt: skip
    return Shown(
        _answer(asked, found),
        (*head, needed) if needed else head,
        tuple(rows),
        str(_chart(asked, found) or ""),
        privacy_in_words(found.rows[0].mechanism.certificate()).splitlines(),
        [str(each) for each in found.influences],
        found.epsilon,
        found.rows[0].name,
        any(each.how == "tried" for each in found.influences),
    )


def reach(error: float) -> float:
    """Half of a 95% interval."""
    return two_sided(0.95) * error


def _size(asked: Asked, error: float) -> str:
    """An error in points of a share, or in units of the mean: three digits."""
    if asked.goal == "mean":
        return f"{error:.3g}"
    told = f"{100 * error:.3g}"
    return f"{told} point" if told == "1" else f"{told} points"


def _needed(asked: Asked, found: Calculation, row: Row) -> str:
    """What the wanted error takes of a mechanism; of one not searched, on which side it lies."""
    if found.found == "users":
        return "never" if row.needed is None else f"{row.needed:,.0f}"
    if row.needed is not None and row.needed > _LEAST_EPSILON:
        return f"{row.needed:.3g}"
    assert asked.error is not None
    enough = row.needed is not None or row.error <= asked.error
    return f"{'at most' if enough else 'above'} {found.epsilon:g}"


def _answer(asked: Asked, found: Calculation) -> str:
    """The number that was sought, in a sentence."""
    best = found.rows[0]
    people, privacy = f"{found.users:,} people", f"epsilon {found.epsilon:g}"
    error = best.error if asked.error is None else asked.error
    within = f"within ±{_size(asked, reach(error))}"
    of = _KNOWN[asked.goal]
    if found.found == "users":
        return f"{people} are needed to know {of} {within}, 95% of the time, at {privacy}."
    if found.found == "epsilon" and found.epsilon <= _LEAST_EPSILON:
        told = f"E{privacy[1:]} is enough to know {of} {within} from {people}"
        return f"{told}; it is the least that is looked at."
    if found.found == "epsilon":
        return f"E{privacy[1:]} is needed to know {of} {within} from {people}."
    return f"{people} at {privacy} estimate {of} {within}, 95% of the time."


def _chart(asked: Asked, found: Calculation) -> Markup | None:
    """The give or take against epsilon, of the best few mechanisms."""
    series = [
        Line(name, tuple((epsilon, reach(error)) for epsilon, error in line))
        for name, line in found.lines
        if all(error > 0 for _, error in line)
    ]
    if not series:
        return None
    ends = series[0].points[0], series[0].points[-1]
    told = (
        f"{series[0].label}: ±{_size(asked, ends[0][1])} at epsilon {ends[0][0]:g}, "
        f"±{_size(asked, ends[1][1])} at epsilon {ends[1][0]:g}."
    )
    unit = "give or take, 95%" + ("" if asked.goal == "mean" else " (points)")
    times = 1 if asked.goal == "mean" else 100
    return lines(
        series, name="errors", title=f"The error against epsilon, for {found.users:,} people",
        description=told, across_is="epsilon: more is less private", down_is=unit,
        write_x=lambda x: f"{x:.3g}", write_y=lambda y: f"{times * y:.2g}", mark=found.epsilon,
    )  # fmt: skip
