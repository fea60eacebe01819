"""Numbers over HTTP, for who may read: status, estimates, answers, differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.questions import Questions, Row, read_questions, registered_questions
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.view import View
from sottovoce.base.errors import InvalidInput
from sottovoce.base.text import csv_text
from sottovoce.domains.base import Domain
from sottovoce.service.analysis.answering import EstimateOptions, SurveyEstimate
from sottovoce.service.api.replies import (
    answers_document,
    differences_document,
    json_reply,
    parquet_bytes,
    survey_document,
)
from sottovoce.service.documents import Status, WindowStatus
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.surveys.survey import Survey

__all__ = [
    "QUESTION", "answers", "answers_csv", "confidence_of", "differences", "estimate", "estimate_csv", "estimate_parquet",
    "file_reply", "flag", "question_domain", "questions_of", "status", "view_of",
]  # fmt: skip

QUESTION = "question"
"""The parameter that names a question of a record."""
COLUMNS = ("question", "label", "value", "stderr", "low", "high", "about")
_SURVEYS = ("first", "second")
_DIGITS = 15
"""Of a planned number of people."""


async def status(state: CollectorState, request: Request) -> Response:
    """How much has come and how much of it is released, window by window, and what was refused."""
    published = state.published(request.path_params["fingerprint"])
    fingerprint = published.survey.fingerprint
    counts = await state.lookup(state.store.counts, fingerprint)
    released = await state.lookup(state.analyst.released, published)
    held = await state.lookup(state.store.windows, fingerprint)
    closed = await state.lookup(state.store.closed_windows, fingerprint, state.ended())
    windows = [
        WindowStatus(
            name,
            held.get(name, 0),
            seen.reports,
            published.survey.shows(seen.reports),
            name in closed,
        )
        for name, seen in released.items()
    ]
    document = Status(
        **msgspec.structs.asdict(survey_document(published, state.settings)), windows=windows, stored=counts.stored,
        duplicates=counts.duplicates, refused=dict(counts.refused), deleted=counts.deleted,
        expired=counts.expired,
    )  # fmt: skip
    return json_reply(document)


async def estimate(state: CollectorState, request: Request) -> Response:
    """All that is known: the share of every value, or frequency and mean of every key."""
    told, questions = await _told(state, request, needs_question=False)
    rows = await state.aside(questions.of, told.estimate)
    return json_reply(answers_document(told, rows, questions.confidence))


async def estimate_csv(state: CollectorState, request: Request) -> Response:
    """The same as a table."""
    told, questions = await _told(state, request, needs_question=False)
    return _table(told, await state.aside(questions.of, told.estimate))


async def estimate_parquet(state: CollectorState, request: Request) -> Response:
    """The same as Parquet, with the survey and the method in its metadata."""
    told, questions = await _told(state, request, needs_question=False)
    rows = _about(told, await state.aside(questions.of, told.estimate))
    data = await state.aside(lambda: parquet_bytes(COLUMNS, rows, told))
    return _file(data, told, "parquet", "application/vnd.apache.parquet")


async def answers(state: CollectorState, request: Request) -> Response:
    """Answers to the questions in the address."""
    told, rows, confidence = await _answered(state, request)
    return json_reply(answers_document(told, rows, confidence))


async def answers_csv(state: CollectorState, request: Request) -> Response:
    """The same as a table."""
    told, rows, _ = await _answered(state, request)
    return _table(told, rows)


async def differences(state: CollectorState, request: Request) -> Response:
    """How a second side differs from a first: windows of one survey, or two surveys."""
    query = request.query_params
    published = [state.published(_needed(query, name)) for name in _SURVEYS]
    windows = [query.getlist(f"{name}_window") for name in _SURVEYS]
    for other in published[1:]:
        question_domain(query, other.survey)
    questions = questions_of(query, question_domain(query, published[0].survey))
    way, view = _way(query, questions), view_of(query, published[0].survey)
    first, second, found = await state.aside(
        state.analyst.difference, (published[0], windows[0]), (published[1], windows[1]), way, view
    )
    rows = await state.aside(questions.of, found)
    return json_reply(differences_document(first, second, found, rows, questions.confidence))


def _table(told: SurveyEstimate, rows: Sequence[Row]) -> Response:
    text = csv_text(COLUMNS, ([row[name] for name in COLUMNS] for row in _about(told, rows)))
    return _file(text.encode(), told, "csv", "text/csv; charset=utf-8")


def _about(told: SurveyEstimate, rows: Sequence[Row]) -> list[Row]:
    """Rows of a table, which say whom they are about."""
    return [{**row, "about": told.estimate.about} for row in rows]


def _file(data: bytes, told: SurveyEstimate, form: str, media: str) -> Response:
    """Something to be kept under the survey's fingerprint."""
    return file_reply(data, f"answers-{told.survey.fingerprint}.{form}", media)


def file_reply(data: bytes, name: str, media: str) -> Response:
    """Something to be kept, under a name."""
    headers = {
        "cache-control": "no-store",
        "content-disposition": f'attachment; filename="{name}"',
        "x-content-type-options": "nosniff",
    }
    return Response(data, 200, headers, media)


async def _answered(
    state: CollectorState, request: Request
) -> tuple[SurveyEstimate, list[Row], float]:
    told, questions = await _told(state, request, needs_question=True)
    return told, await state.aside(questions.of, told.estimate), questions.confidence


async def _told(
    state: CollectorState, request: Request, *, needs_question: bool
) -> tuple[SurveyEstimate, Questions]:
    query = request.query_params
    published = state.published(request.path_params["fingerprint"])
    questions = questions_of(query, question_domain(query, published.survey))
    if needs_question and not questions.asked:
        allowed = f"one of {', '.join(each.name for each in registered_questions())}"
        raise InvalidInput("question", "a request for answers", allowed, None)
    way, view = _way(query, questions), view_of(query, published.survey)
    told = await state.aside(state.analyst.estimate, published, query.getlist("window"), way)
    seen = await state.aside(view.of, told.estimate)
    return replace(told, estimate=seen), questions


def question_domain(query: QueryParams, survey: Survey) -> Domain:
    """The domain that is asked about: that of one question, where a survey has several."""
    return part_domain(survey.mechanism.domain, query.get(QUESTION), QUESTION, "a request")


def questions_of(query: QueryParams, domain: Domain) -> Questions:
    """The questions in the order of the address; parameters of other names are not questions."""
    names = {each.name for each in registered_questions()}
    named_texts = [(name, text) for name, text in query.multi_items() if name in names]
    return read_questions(domain, named_texts, confidence=confidence_of(query))


def confidence_of(query: QueryParams) -> float:
    """That of the intervals."""
    text = query.get("confidence", "0.95")
    try:
        confidence = float(text)
    except ValueError:
        confidence = 0.0
    if not 0 < confidence < 1:
        raise InvalidInput("confidence", "a request", "a number between 0 and 1", text)
    return confidence


def _way(query: QueryParams, questions: Questions) -> EstimateOptions:
    goal = query.get("goal") or questions.goal
    then = tuple(query.getlist("then"))
    return EstimateOptions(query.get("method", "auto"), goal, then, query.get(QUESTION))


def view_of(query: QueryParams, survey: Survey) -> View:
    """About whom, and for how many looks."""
    planned = query.get("planned")
    if planned is not None and not (planned.isdecimal() and len(planned) <= _DIGITS):
        raise InvalidInput("planned", "a request", "a whole number of at least 1", planned)
    return View(
        query.get("about"), flag(query, "same_people"), flag(query, "anytime"),
        None if planned is None else int(planned), survey.minimum_batch,
    ).check("a request")  # fmt: skip


def flag(query: QueryParams, name: str) -> bool:
    """1 for yes, 0 or nothing for no."""
    text = query.get(name, "0")
    if text not in ("0", "1"):
        raise InvalidInput(name, "a request", "0 or 1", text)
    return text == "1"


def _needed(query: QueryParams, name: str) -> str:
    if name not in query:
        raise Declined("invalid", f"{name} is needed: the fingerprint of a survey")
    return query[name]
