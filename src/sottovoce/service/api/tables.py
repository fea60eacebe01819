"""Tables of two questions over HTTP, as JSON or as a table."""

from __future__ import annotations

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.questions.cross_tables import CrossTable, cross_table, read_condition
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import csv_text, label_text
from sottovoce.domains.record import Record
from sottovoce.service import documents
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.api.replies import json_reply, plain_document
from sottovoce.service.api.results import confidence_of, file_reply, flag, view_of
from sottovoce.service.state import CollectorState
from sottovoce.surveys.survey import Survey

__all__ = ["table", "table_csv"]

_OWNER = "a request for a table"
_MOST_CELLS = 10_000
"""Cells of a table, each with an error of its own."""


async def table(state: CollectorState, request: Request) -> Response:
    """The shares of all pairs of answers to two questions."""
    told, found = await _asked(state, request)
    survey = told.survey
    document = documents.CrossTable(
        fingerprint=survey.fingerprint, name=survey.name, windows=list(told.windows),
        left_out=list(told.left_out),
        **msgspec.structs.asdict(msgspec.convert(plain_document(found.document()), _Shown)),
    )  # fmt: skip
    return json_reply(document)


_Shown = msgspec.defstruct(
    "_Shown",
    [
        (each.name, each.type)
        for each in msgspec.structs.fields(documents.CrossTable)
        if each.name not in ("fingerprint", "name", "windows", "left_out")
    ],
)
"""The fields of the document that are those of a table."""


async def table_csv(state: CollectorState, request: Request) -> Response:
    """The same as a table, a row per pair of answers."""
    told, found = await _asked(state, request)
    names = (*found.questions, "share", "stderr", "low", "high", "note", "about")
    rows = (
        (
            label_text(cell.row), label_text(cell.column), cell.share, cell.stderr, cell.low,
            cell.high, cell.note, found.about,
        )
        for cell in found.cells
    )  # fmt: skip
    name = f"table-{told.survey.fingerprint}.csv"
    return file_reply(csv_text(names, rows).encode(), name, "text/csv; charset=utf-8")


def _record_of(survey: Survey) -> Record:
    """The questions of a survey of several."""
    record = survey.mechanism.domain.record
    if record is None:
        raise Unfit(f"a table needs answers to several questions; {survey.name!r} asks one")
    return record


def _pair_of(query: QueryParams, survey: Survey) -> tuple[str, str]:
    """The two questions that a request names."""
    record = _record_of(survey)
    if "table" not in query:
        allowed = f"given: two of {', '.join(record.names)}, with a comma between them"
        raise InvalidInput("table", _OWNER, allowed, None)
    pair = record.pair(query["table"])
    cells = record.part(pair[0]).size * record.part(pair[1]).size
    if cells > _MOST_CELLS:
        raise Unfit(f"a table of at most {_MOST_CELLS:,} cells is answered; this one has {cells:,}")
    return pair


async def _asked(state: CollectorState, request: Request) -> tuple[SurveyEstimate, CrossTable]:
    query = request.query_params
    published = state.published(request.path_params["fingerprint"])
    survey = published.survey
    pair, confidence, independence = (
        _pair_of(query, survey),
        confidence_of(query),
        flag(query, "independence"),
    )
    view, condition, given = view_of(query, survey), query.get("given"), None
    if condition is not None:
        given = read_condition(condition, _record_of(survey), pair, "given", _OWNER)
    told, found = await state.aside(
        state.analyst.table, published, query.getlist("window"), pair, view
    )

    def work() -> CrossTable:
        return cross_table(
            found, percent=query.get("percent", ""), given=given, independence=independence,
            confidence=confidence,
        )  # fmt: skip

    return told, await state.aside(work)
