"""Trends over HTTP: answers window by window, their changes and shifts, as JSON or a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.about import check_about
from sottovoce.answers.overlap import read_overlap
from sottovoce.answers.questions import Questions
from sottovoce.answers.questions.over_windows import check_has_trend, check_over_windows, series_of
from sottovoce.answers.series_document import COLUMNS, SMOOTHED, series_rows
from sottovoce.base.text import csv_text
from sottovoce.service import documents
from sottovoce.service.analysis.trends import SurveyTrend, TrendOptions
from sottovoce.service.api.replies import json_reply, plain_document
from sottovoce.service.api.results import QUESTION, file_reply, flag, question_domain, questions_of
from sottovoce.service.state import CollectorState

__all__ = ["trend", "trend_csv"]

_OWNER = "a request for a trend"


async def trend(state: CollectorState, request: Request) -> Response:
    """Answers in every window, changes, shifts and the mean."""
    found, questions, series = await _asked(state, request)
    survey = found.survey
    document = documents.Trend(
        fingerprint=survey.fingerprint, name=survey.name, windows=list(found.windows),
        left_out=list(found.left_out), reports=found.reports, confidence=questions.confidence,
        trends=[msgspec.convert(plain_document(each), documents.Series) for each in series],
    )  # fmt: skip
    return json_reply(document)


async def trend_csv(state: CollectorState, request: Request) -> Response:
    """The same as a table, a row per window."""
    found, _, series = await _asked(state, request)
    smooth = flag(request.query_params, "smooth")
    names = (*COLUMNS, *(SMOOTHED if smooth else ()), "about")
    rows = [
        {**row, "about": each["about"]}
        for each in series
        for row in series_rows(each, each["question"], each["label"])
    ]
    text = csv_text(names, ([row[name] for name in names] for row in rows))
    name = f"trend-{found.survey.fingerprint}.csv"
    return file_reply(text.encode(), name, "text/csv; charset=utf-8")


async def _asked(
    state: CollectorState, request: Request
) -> tuple[SurveyTrend, Questions, Sequence[dict[str, Any]]]:
    query = request.query_params
    published = state.published(request.path_params["fingerprint"])
    domain = question_domain(query, published.survey)
    check_has_trend(domain)
    questions = questions_of(query, domain)
    check_over_windows(domain, questions, _OWNER)
    way, smooth = _way(query), flag(query, "smooth")
    found = await state.aside(
        state.analyst.trend, published, query.get("from"), query.get("to"), way
    )

    def work() -> list[dict[str, Any]]:
        return [
            {
                "question": name,
                **series.document(confidence=questions.confidence, smooth=smooth),
            }
            for name, series in series_of(found.trend, questions)
        ]

    return found, questions, await state.aside(work)


def _way(query: QueryParams) -> TrendOptions:
    about = query.get("about", "population")
    check_about(about, _OWNER)
    return TrendOptions(
        about,
        flag(query, "same_people"),
        read_overlap(query.get("overlap"), "overlap", _OWNER),
        query.get("method", "auto"),
        query.get(QUESTION),
    )
