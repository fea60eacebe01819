"""Surveys over HTTP: published, shown, closed; tokens for them; reports taken out again."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sottovoce.base.canonical import LONGEST_DOCUMENT, read_document
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.service.api.bodies import read_body
from sottovoce.service.api.replies import canonical, json_reply, survey_document
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.store import Rules
from sottovoce.surveys.survey import Survey

__all__ = ["close", "delete_report", "issue_tokens", "list_surveys", "publish", "show_survey"]

_LONGEST_BODY = LONGEST_DOCUMENT + 2**12
"""Bytes: the longest survey, and its rules."""
_MOST_TOKENS = 10_000
_ID = re.compile("[0-9a-f]{32}")


async def list_surveys(state: CollectorState, request: Request) -> Response:
    """All surveys, with what everybody may know of them."""
    told = [survey_document(intake.published) for intake in state.intakes.values()]
    return json_reply({"surveys": sorted(told, key=lambda each: each["name"])})


async def show_survey(state: CollectorState, request: Request) -> Response:
    """The survey itself, for devices."""
    return canonical(state.published(request.path_params["fingerprint"]).survey)


async def publish(state: CollectorState, request: Request) -> Response:
    """Take a survey and its rules; the same again changes nothing."""
    document = await _document(state, request)
    _check_keys(document, {"survey", "rules"}, {"survey"})
    survey, rules = await asyncio.to_thread(_read, document)
    new = await state.commits.call(state.store.publish, survey, rules)
    state.refresh()
    told = survey_document(state.published(survey.fingerprint))
    return json_reply({"published": new, **told}, 201 if new else 200)


def _read(document: dict[str, Any]) -> tuple[Survey, Rules]:
    """The survey and the rules of a document, with a clear error for whatever else it holds."""
    given = document.get("rules", {})
    if not isinstance(given, dict):
        raise InvalidInput("rules", "a request", "an object", given)
    try:
        rules = Rules(**given)
    except TypeError:
        allowed = "an object with some of upload, retention, scrub"
        raise InvalidInput("rules", "a request", allowed, given) from None
    try:
        survey = Survey.from_document(document["survey"])
    except MemoryError as error:
        raise CorruptBytes("the survey is too large for this collector") from error
    return survey, rules


async def close(state: CollectorState, request: Request) -> Response:
    """Take no more reports of a survey; what is there stays."""
    survey = state.published(request.path_params["fingerprint"]).survey
    await state.commits.call(state.store.close_survey, survey.fingerprint)
    state.refresh()
    return json_reply(survey_document(state.published(survey.fingerprint)))


async def issue_tokens(state: CollectorState, request: Request) -> Response:
    """So many fresh tokens of one allowance; nothing about them is kept."""
    survey = state.published(request.path_params["fingerprint"]).survey
    document = await _document(state, request)
    _check_keys(document, {"count", "allowance"}, set())
    count, allowance = document.get("count", 1), document.get("allowance", 1)
    if type(count) is not int or not 1 <= count <= _MOST_TOKENS:
        raise InvalidInput("count", "a request", f"from 1 to {_MOST_TOKENS}", count)
    tokens = [state.keys.issue_token(survey.fingerprint, allowance) for _ in range(count)]
    return json_reply({"tokens": tokens, "allowance": allowance}, 201)


async def delete_report(state: CollectorState, request: Request) -> Response:
    """Take a report out again, for whoever knows its id: 128 random bits that only its sender has."""
    survey = state.published(request.path_params["fingerprint"]).survey
    text = request.path_params["id"]
    if not _ID.fullmatch(text):
        raise InvalidInput("id", "a report", "32 lower-case hexadecimal digits", text)
    _check_delete_rate(state, request)
    number = bytes.fromhex(text)
    if not await state.commits.call(state.store.delete, survey.fingerprint, number):
        raise Declined("no-such-report")
    return json_reply({"deleted": True})


def _check_delete_rate(state: CollectorState, request: Request) -> None:
    """As for uploads: the rate of one address first, so that it cannot use up everybody's."""
    wait = state.addresses.wait(request.client.host if request.client else "")
    wait = wait or state.deletions.wait()
    if wait:
        raise Declined("rate-limited", "too many deletions at once", retry=wait)


async def _document(state: CollectorState, request: Request) -> dict[str, Any]:
    """The body as a JSON object."""
    headers = dict(request.scope["headers"])
    data = await read_body(state, headers, request.receive, _LONGEST_BODY)
    state.bytes_taken -= len(data)
    document = read_document(data, "the body", longest=_LONGEST_BODY) if data.strip() else {}
    if not isinstance(document, dict):
        raise InvalidInput("body", "a request", "a JSON object", type(document).__name__)
    return document


def _check_keys(document: dict[str, Any], known: set[str], needed: set[str]) -> None:
    if not needed <= document.keys() <= known:
        allowed = f"an object with {', '.join(sorted(known))}"
        raise InvalidInput("body", "a request", allowed, sorted(document))
