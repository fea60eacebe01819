"""Surveys over HTTP: published, shown, closed; tokens for them; reports taken out again."""

from __future__ import annotations

import asyncio
import re

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.base.canonical import LONGEST_DOCUMENT
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.service import documents
from sottovoce.service.api.bodies import read_json
from sottovoce.service.api.replies import canonical, json_reply, survey_document
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.store import LogPart, Rules
from sottovoce.surveys.default_limits import default_client, windows_answered
from sottovoce.surveys.signing import SignedSurvey
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.wording import doubts

__all__ = [
    "close", "delete_report", "issue_tokens", "list_surveys", "publish", "show_about", "show_log",
    "show_signed", "show_survey",
]  # fmt: skip

_LONGEST_BODY = LONGEST_DOCUMENT + 2**12
"""Bytes: the longest survey, and its rules."""
MOST_ENTRIES = 1000
"""Entries of the log per answer."""
_ID = re.compile("[0-9a-f]{32}")


async def list_surveys(state: CollectorState, request: Request) -> Response:
    """All surveys, with what everybody may know of them."""
    surveys = [
        survey_document(intake.published, state.settings) for intake in state.intakes.values()
    ]
    return json_reply(documents.Surveys(sorted(surveys, key=lambda each: each.name)))


async def show_survey(state: CollectorState, request: Request) -> Response:
    """The survey itself, for devices."""
    survey = state.published(request.path_params["fingerprint"]).survey
    return canonical(survey, survey.fingerprint)


async def show_signed(state: CollectorState, request: Request) -> Response:
    """The survey with the signature of its publisher, for devices that pin one."""
    found = state.published(request.path_params["fingerprint"])
    if not found.publisher:
        raise Declined("not-signed", f"survey {found.survey.name!r} is not signed")
    signed = SignedSurvey(found.survey, found.publisher, found.signature)
    return canonical(signed, found.signature)


async def show_log(state: CollectorState, request: Request) -> Response:
    """Entries of the log of publications."""
    start = request.query_params.get("start", "0")
    if not re.fullmatch("0|[1-9][0-9]{0,8}", start):
        raise InvalidInput("start", "the log", "a whole number from 0 to 999999999", start)
    head, entries = LogPart(state.log_head, [])
    if int(start) < head.size:
        head, entries = await state.lookup(state.store.log, int(start), MOST_ENTRIES)
    told = documents.Log(head.size, head.head, [documents.LogEntry(**each) for each in entries])
    return json_reply(told)


async def show_about(state: CollectorState, request: Request) -> Response:
    """What a device wants to know before it spends: whether the survey is closed, and needs tokens."""
    found = state.published(request.path_params["fingerprint"])
    return json_reply(survey_document(found, state.settings))


async def publish(state: CollectorState, request: Request) -> Response:
    """Take a survey and its rules; the same again changes nothing."""
    publication = await read_json(state, request, documents.Publication, _LONGEST_BODY)
    given = await asyncio.to_thread(_survey, publication)
    survey = given.survey if isinstance(given, SignedSurvey) else given
    rules = Rules(**msgspec.structs.asdict(publication.rules))
    new = await state.commits.call(state.store.publish, given, rules)
    state.refresh()
    about = msgspec.structs.asdict(
        survey_document(state.published(survey.fingerprint), state.settings)
    )
    clients = {
        "windows_answered": windows_answered(survey),
        "default_client": default_client(survey),
    }
    told = documents.Published(published=new, **about, **clients, doubts=doubts(survey))
    return json_reply(told, 201 if new else 200)


def _survey(publication: documents.Publication) -> Survey | SignedSurvey:
    """The survey of a publication; a signature is verified."""
    publisher, signature = publication.publisher, publication.signature
    try:
        survey = Survey.from_document(publication.survey)
    except MemoryError as error:
        raise CorruptBytes("the survey is too large for this collector") from error
    if publisher is msgspec.UNSET and signature is msgspec.UNSET:
        return survey
    if publisher is msgspec.UNSET or signature is msgspec.UNSET:
        allowed = "given together, or neither"
        raise InvalidInput("publisher and signature", "a publication", allowed, "one of them")
    return SignedSurvey(survey, publisher, signature)


async def close(state: CollectorState, request: Request) -> Response:
    """Take no more reports of a survey; what is there stays."""
    survey = state.published(request.path_params["fingerprint"]).survey
    await state.commits.call(state.store.close_survey, survey.fingerprint)
    state.refresh()
    return json_reply(survey_document(state.published(survey.fingerprint), state.settings))


async def issue_tokens(state: CollectorState, request: Request) -> Response:
    """Fresh tokens of one allowance; nothing about them is stored."""
    survey = state.published(request.path_params["fingerprint"]).survey
    wanted = await read_json(state, request, documents.TokensWanted, _LONGEST_BODY)
    tokens = [
        state.keys.issue_token(survey.fingerprint, wanted.allowance) for _ in range(wanted.count)
    ]
    return json_reply(documents.Tokens(tokens, wanted.allowance), 201)


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
    return json_reply(documents.Deleted(True))


def _check_delete_rate(state: CollectorState, request: Request) -> None:
    """As for uploads: the rate of one address first, so that it cannot use up everybody's."""
    wait = state.addresses.wait(request.client.host if request.client else "")
    wait = wait or state.deletions.wait()
    if wait:
        raise Declined("rate-limited", "too many deletions at once", retry=wait)
