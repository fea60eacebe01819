"""All routes in one table: what answers, who may ask, with what, and what comes of it.

The application, its OpenAPI document and the tests of the reference page read this table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.questions import Question, registered_questions
from sottovoce.service import documents
from sottovoce.service.api import downloads, health, tables, trends
from sottovoce.service.api import results as reading
from sottovoce.service.api import surveys as publishing
from sottovoce.service.pages import (
    answer,
    calculator,
    cross_tables,
    differences,
    questionnaires,
    rendering,
    signing_in,
    surveys,
)
from sottovoce.service.state import CollectorState

__all__ = ["ROUTES", "Described", "Parameter"]

Handler = Callable[[CollectorState, Request], Awaitable[Response]]


@dataclass(frozen=True)
class Parameter:
    """A parameter in the address."""

    name: str
    means: str
    many: bool = False
    needed: bool = False
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    """The JSON Schema of one text."""


@dataclass(frozen=True)
class Described:
    """A route.  ``takes`` and ``gives`` are structs of JSON documents; ``gives`` may be a media type.

    ``handler`` is None where the application answers by other means.
    """

    method: str
    path: str
    means: str
    handler: Handler | None
    gives: Any
    role: str = ""
    parameters: tuple[Parameter, ...] = ()
    takes: type[msgspec.Struct] | None = None
    statuses: tuple[int, ...] = (200,)
    refuses: tuple[str, ...] = ()
    asks: bool = False
    """Whether questions can be asked: every one that is registered is a parameter too."""
    over_windows: bool = False
    """Whether only questions that a trend answers can be asked."""
    device: bool = False
    """Whether devices use it: pages of the setting ``origins`` may, from a browser."""
    light: bool = False
    """Whether it goes with every upload: it counts for the rates of uploads, not for ``open_rate``."""
    free: bool = False
    """Whether it counts for no rate: a file of a page, which costs less than its refusal."""

    @property
    def query(self) -> tuple[Parameter, ...]:
        """Every parameter in the address, questions included."""
        questions = registered_questions() if self.asks else ()
        asked = (each for each in questions if each.in_trend or not self.over_windows)
        return (*self.parameters, *map(_question_parameter, asked))

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code that the route may refuse with."""
        found = [*self.refuses]
        if "{fingerprint}" in self.path:
            found.append("unknown-survey")
        if self.role:
            found += ["no-key", "wrong-role"]
        if self.role == "read" or not (self.role or self.free):
            found.append("rate-limited")
        if self.takes is not None:
            found += ["too-large", "too-slow", "rate-limited"]
        if self.method not in ("GET", "HEAD"):
            found.append("foreign-origin")
        return tuple(
            dict.fromkeys([*found, "invalid", "store-down", "disk-full", "stopping", "wrong-host"])
        )


def _question_parameter(question: Question) -> Parameter:
    hint = f" ({question.text.hint})" if question.text.hint else ""
    summary = f"{question.summary}{hint}"
    return Parameter(question.name, summary, many=True, schema=question.text.schema)


_WINDOW = Parameter("window", "a window, by name; all that may be shown if not given", many=True)
_ABOUT = Parameter("about", "respondents or population; respondents if not given")
_LOOKS = (
    Parameter("anytime", "1 for intervals that hold at every look, by the unbiased estimate"),
    Parameter("planned", "with anytime: people expected in the end; fixed before the first look"),
)
_OF_QUESTION = Parameter(
    "question", "of a survey of several questions, the one that answers are about, by name"
)
_WAY = (
    _OF_QUESTION,
    Parameter("method", "the method by name; auto if not given"),
    Parameter("goal", "what auto chooses for: distribution, subset, top, mean or range"),
    Parameter("then", "a method to apply to the result", many=True),
    Parameter("confidence", "of the intervals; 0.95 if not given"),
    _ABOUT,
    *_LOOKS,
)
_SIDE_WINDOWS = (
    Parameter("first_window", "a window of the first side", many=True),
    Parameter("second_window", "a window of the second side", many=True),
)
_ABOUT_CHANGE = Parameter("about", "respondents or population; population if not given")
_SAME_PEOPLE = Parameter("same_people", "1 where the same people are on both sides")
_SIDES = (
    Parameter("first", "the fingerprint of the first survey", needed=True),
    Parameter("second", "the fingerprint of the second survey, may be the same", needed=True),
    *_SIDE_WINDOWS,
)
_RANGE = (
    Parameter("from", "the first window, by name, or a day in it; the earliest if not given"),
    Parameter("to", "the last window, by name, or a day in it; the latest if not given"),
)
_TREND = (
    *_RANGE,
    _OF_QUESTION,
    Parameter("method", "the method by name; auto if not given"),
    Parameter("confidence", "of the intervals; 0.95 if not given"),
    _ABOUT_CHANGE,
    Parameter("same_people", "1 where the same people answered in all windows"),
    Parameter(
        "overlap",
        "the part of people who answer with the same value in the next window, from 0 (others in each "
        "window) to 1, or estimate; not known if not given, so that errors are the largest there can be",
    ),
    Parameter("smooth", "1 for a smoothed level too"),
)
_TABLE = (
    Parameter("table", "two questions, by name, with a comma between them", needed=True),
    _WINDOW,
    Parameter(
        "percent", "rows or columns: shares within each answer to the first question, or the second"
    ),
    Parameter("given", "shares among people with one answer, such as os=mac"),
    Parameter("independence", "1 to test whether the questions are independent"),
    Parameter("confidence", "of the intervals; 0.95 if not given"),
    _ABOUT,
)
_NUMBERS = ("below-minimum-batch", "unfit", "mismatch")
_UPLOAD = (
    "wrong-media-type", "malformed", "wrong-version", "no-id", "wrong-payload", "unknown-survey", "window-closed",
    "clock-skew", "not-allowed",
)  # fmt: skip
_TYPED = (
    Parameter("ask", "a question about the answers, by name"),
    Parameter("text", "what the question is about"),
)
_LINE = Parameter(
    "line", "the line of the trend that stands out: the index of a value, or mean or median"
)
_WAIT = Parameter(rendering.WAIT, "1 to wait a few seconds for results that are being computed")
_SURVEY = "/surveys/{fingerprint}"

ROUTES = (
    Described(
        "GET", "/", "The dashboard: all surveys.", surveys.list_page, "text/html",
        parameters=(Parameter("page", "the page of a long list; 1 if not given"),),
    ),
    Described(
        "GET", "/dashboard/{fingerprint}", "The dashboard: one survey.",
        questionnaires.dashboard_page, "text/html", "read",
        (*_RANGE, _OF_QUESTION, _LINE, *_TYPED, _ABOUT, _WAIT),
    ),
    Described(
        "GET", "/dashboard/{fingerprint}/table", "The dashboard: two questions together.",
        cross_tables.table_page, "text/html", "read",
        (
            Parameter("rows", "the question in the rows, by name; the first if not given"),
            Parameter("columns", "the question in the columns; the first other one if not given"),
            Parameter("show", "shares, or rows or columns for percentages within them"),
            *_RANGE, _ABOUT, _WAIT,
        ),
    ),
    Described(
        "GET", "/dashboard/{fingerprint}/differences", "The dashboard: differences.",
        differences.differences_page, "text/html", "read",
        (
            Parameter("second", "the fingerprint of the second survey"), *_SIDE_WINDOWS,
            _OF_QUESTION, _ABOUT_CHANGE, _SAME_PEOPLE, _WAIT,
        ),
        refuses=("rate-limited",),
    ),
    Described(
        "GET", "/calculator", "Plan a survey: people, privacy or error.",
        calculator.calculator_page, "text/html",
        parameters=(
            *(Parameter(name, means) for name, means in calculator.FIELDS.items()), _WAIT,
        ),
        refuses=("no-such-route", "too-long"),
    ),
    Described(
        "GET", "/sign-in", "A form to sign in to the dashboard.", signing_in.sign_in_page,
        "text/html", parameters=(Parameter("to", "the page to go on to"),),
    ),
    Described(
        "POST", "/sign-in", "A session for the key of a reader.", signing_in.sign_in, "text/html",
        takes=documents.SignIn, statuses=(303,), refuses=("wrong-role",),
    ),
    Described(
        "POST", "/sign-out", "End the session.", signing_in.sign_out, "text/html", statuses=(303,),
    ),
    Described("GET", "/style.css", "How pages look.", rendering.style_sheet, "text/css", free=True),
    Described(
        "GET", "/answer.js", "The script of the page to answer on.", answer.answer_script,
        "text/javascript", refuses=("no-such-route",), free=True,
    ),
    Described(
        "GET", "/answer.css", "How the page to answer on looks.", rendering.answer_style_sheet,
        "text/css", free=True,
    ),
    Described("GET", "/icon.svg", "The mark of all pages.", rendering.icon, "image/svg+xml", free=True),
    Described(
        "POST", "/reports", "Reports of one survey and window, in MessagePack or JSON.", None,
        documents.Acknowledgement, takes=documents.Upload, refuses=_UPLOAD, device=True,
    ),
    Described("GET", "/surveys", "All surveys.", publishing.list_surveys, documents.Surveys),
    Described(
        "POST", "/surveys", "Publish a survey; the same again changes nothing.", publishing.publish,
        documents.Published, "publish", takes=documents.Publication, statuses=(200, 201),
        refuses=("mismatch", "not-trusted"),
    ),
    Described(
        "GET", _SURVEY, "A survey's canonical JSON.", publishing.show_survey, documents.Survey,
        device=True,
    ),
    Described(
        "GET", f"{_SURVEY}/about", "Whether a survey takes reports, and from whom.",
        publishing.show_about, documents.About, device=True, light=True,
    ),
    Described(
        "GET", f"{_SURVEY}/answer", "A page to answer the survey on, in a browser.",
        answer.answer_page, "text/html", refuses=("no-such-route", "rate-limited"),
    ),
    Described(
        "GET", f"{_SURVEY}/signed", "A survey with its publisher's signature.",
        publishing.show_signed, documents.Signed, refuses=("not-signed",), device=True,
    ),
    Described(
        "GET", "/log", "The log of publications: every survey, in order.", publishing.show_log,
        documents.Log, parameters=(Parameter("start", "the first entry; 0 if not given"),),
        device=True, light=True,
    ),
    Described(
        "POST", f"{_SURVEY}/close", "Take no more reports of a survey.", publishing.close,
        documents.About, "publish",
    ),
    Described(
        "POST", f"{_SURVEY}/tokens", "Fresh tokens to upload with.", publishing.issue_tokens,
        documents.Tokens, "publish", takes=documents.TokensWanted, statuses=(201,),
    ),
    Described(
        "DELETE", _SURVEY + "/reports/{id}", "Delete a report, by its id.",
        publishing.delete_report, documents.Deleted, refuses=("no-such-report", "scrubbed", "rate-limited"),
        device=True,
    ),
    Described(
        "GET", f"{_SURVEY}/status", "Counts by window, and refusals.", reading.status, documents.Status,
        "read",
    ),
    Described(
        "GET", f"{_SURVEY}/estimate", "The share of every value, or all keys.", reading.estimate,
        documents.Answers, "read", (_WINDOW, *_WAY), refuses=_NUMBERS,
    ),
    Described(
        "GET", f"{_SURVEY}/estimate.csv", "The same as a table.", reading.estimate_csv, "text/csv",
        "read", (_WINDOW, *_WAY), refuses=_NUMBERS,
    ),
    Described(
        "GET", f"{_SURVEY}/estimate.parquet", "The same as Parquet.", reading.estimate_parquet,
        "application/vnd.apache.parquet", "read", (_WINDOW, *_WAY),
        refuses=(*_NUMBERS, "not-installed"),
    ),
    Described(
        "GET", f"{_SURVEY}/answers", "Answers to questions.", reading.answers, documents.Answers, "read",
        (_WINDOW, *_WAY), refuses=_NUMBERS, asks=True,
    ),
    Described(
        "GET", f"{_SURVEY}/answers.csv", "The same as a table.", reading.answers_csv, "text/csv",
        "read", (_WINDOW, *_WAY), refuses=_NUMBERS, asks=True,
    ),
    Described(
        "GET", f"{_SURVEY}/table", "The table of two questions.", tables.table, documents.CrossTable,
        "read", _TABLE, refuses=_NUMBERS,
    ),
    Described(
        "GET", f"{_SURVEY}/table.csv", "The same as a table, a row per pair of answers.",
        tables.table_csv, "text/csv", "read", _TABLE, refuses=_NUMBERS,
    ),
    Described(
        "GET", f"{_SURVEY}/trend", "Answers in every window, their changes and shifts.", trends.trend,
        documents.Trend, "read", _TREND, refuses=("below-minimum-batch", "unfit"), asks=True,
        over_windows=True,
    ),
    Described(
        "GET", f"{_SURVEY}/trend.csv", "The same as a table, a row per window.", trends.trend_csv,
        "text/csv", "read", _TREND, refuses=("below-minimum-batch", "unfit"), asks=True,
        over_windows=True,
    ),
    Described(
        "GET", f"{_SURVEY}/reports.parquet", "Reports as Parquet.", downloads.reports_parquet,
        "application/vnd.apache.parquet", "read", (_WINDOW,),
        refuses=("below-minimum-batch", "mismatch", "not-installed"),
    ),
    Described(
        "GET", f"{_SURVEY}/reports.csv", "Reports as CSV.", downloads.reports_csv, "text/csv",
        "read", (_WINDOW,), refuses=("below-minimum-batch", "mismatch"),
    ),
    Described(
        "GET", "/differences", "Second minus first.", reading.differences,
        documents.Differences, "read",
        (*_SIDES, *(each for each in _WAY if each.name != "about"), _ABOUT_CHANGE, _SAME_PEOPLE),
        refuses=(*_NUMBERS, "unknown-survey"), asks=True,
    ),
    Described("GET", "/health/live", "The process answers.", health.live, documents.Live),
    Described("GET", "/health/ready", "Reports are taken.", health.ready, documents.Ready),
    Described("GET", "/metrics", "Numbers for Prometheus.", health.metrics, "text/plain"),
    Described("GET", "/openapi.json", "This address in OpenAPI.", None, documents.OpenApi),
)  # fmt: skip
"""Every route of a collector."""
