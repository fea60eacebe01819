"""The application: routes around one desk, and what happens at its start and end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sottovoce import __version__
from sottovoce.answers.questions import Question, registered_questions
from sottovoce.base.errors import InvalidInput
from sottovoce.base.suggestions import did_you_mean
from sottovoce.engines.handover import check_lake
from sottovoce.service.api.bodies import Gone
from sottovoce.service.api.gate import Gate, is_upload
from sottovoce.service.api.health import Probe
from sottovoce.service.api.replies import json_reply, refusal_reply
from sottovoce.service.api.uploads import Uploads
from sottovoce.service.api.visitors import roles_of
from sottovoce.service.auth.keys import Keys, read_secret
from sottovoce.service.documents import OpenApi
from sottovoce.service.logs import log_failure
from sottovoce.service.openapi import openapi_document
from sottovoce.service.pages.rendering import compile_templates
from sottovoce.service.pages.signing_in import refusal_page
from sottovoce.service.refusals import Declined, declined_by
from sottovoce.service.routes import ROUTES, Described
from sottovoce.service.settings import OWNER, Settings
from sottovoce.service.state import Clock, CollectorState, now
from sottovoce.service.upkeep import Upkeep
from sottovoce.service.upload.commits import Commits
from sottovoce.store import Store

__all__ = ["Collector", "collector"]

_PAUSE = 0.2
"""Seconds before requests, uploads aside, are told that they come too often."""
_HTTP_CODES = {404: "no-such-route", 405: "wrong-method"}


class Collector(Starlette):
    """A collector as an ASGI application: the gate, then uploads past the router, then all others."""

    def __init__(self, state: CollectorState) -> None:
        self.collector_state, self.uploads = state, Uploads(state)
        self.gate = Gate(
            state,
            devices=[(each.method, each.path) for each in ROUTES if each.device],
            light=[each.path for each in ROUTES if each.light],
            free=[each.path for each in ROUTES if each.free],
        )
        super().__init__(
            routes=[_route(state, each, self.uploads) for each in ROUTES],
            lifespan=_lifespan,
            exception_handlers={HTTPException: _by_starlette, Exception: _by_starlette},
        )
        self.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin = self.gate.allowed_origin(scope, headers)
        send = self.gate.shared(origin, send)
        try:
            self.gate.check(scope, headers)
        except Declined as declined:
            self.collector_state.counters.count(declined.status, declined.code)
            await _slow_down(declined)
            await refusal_reply(declined)(scope, receive, send)
            return
        if is_upload(scope):
            await self.uploads(scope, receive, send)
        elif origin is not None and self.gate.is_preflight(scope, headers):
            await self.gate.answer_preflight(scope, send)
        else:
            await super().__call__(scope, receive, send)


def collector(
    store: Store, settings: Settings | None = None, *, keys: Keys | None = None, clock: Clock = now
) -> Collector:
    """The application of a store; ``keys`` are those of the secret file unless given."""
    told = Settings() if settings is None else settings
    if told.hand_over:
        check_lake(Path(told.hand_over), "hand_over", OWNER)
    held = Keys(read_secret(told.secret_file)) if keys is None else keys
    return Collector(CollectorState(store, told, held, clock))


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """The writer and the upkeep run as long as the application does."""
    assert isinstance(app, Collector)
    state = app.collector_state
    state.commits = Commits(state.store, state.settings.queue, state.settings.gather_seconds)
    state.probe = Probe(state)
    upkeep = Upkeep(state)
    await asyncio.to_thread(compile_templates)
    state.ready = True
    try:
        yield
    finally:
        state.ready = False
        state.preparer.stop()
        state.calculator.stop()
        state.apart.stop()
        await asyncio.to_thread(upkeep.stop)
        await state.commits.stop()


def _route(state: CollectorState, described: Described, uploads: Uploads) -> Route:
    if described.path == "/reports":
        return Route(described.path, uploads, methods=["POST"])
    return Route(described.path, _endpoint(state, described), methods=[described.method])


def _endpoint(
    state: CollectorState, described: Described
) -> Callable[[Request], Awaitable[Response]]:
    """A handler behind the checks that all have: the role, and the names of parameters."""

    async def answer(request: Request) -> Response:
        try:
            _check_role(state, request, described.role)
            _check_parameters(request, described)
            if described.handler is None:
                reply = json_reply(_openapi(registered_questions()))
            else:
                reply = await described.handler(state, request)
        except Gone:
            return Response(status_code=408)  # nobody is there to read it
        except Exception as error:
            declined = declined_by(error)
            if declined.status >= 500:
                log_failure(error)
            state.counters.count(declined.status, declined.code)
            await _slow_down(declined)
            return _refused(state, request, declined, people=described.gives == "text/html")
        state.counters.count(reply.status_code)
        return reply

    return answer


@lru_cache(1)
def _openapi(questions: tuple[Question, ...]) -> OpenApi:
    """The document, built again when questions have been registered."""
    return openapi_document(ROUTES, __version__)


async def _slow_down(declined: Declined) -> None:
    """Let whoever asks too much wait for the refusal: one that asks again at once costs little then."""
    if declined.code == "rate-limited":
        await asyncio.sleep(_PAUSE)


def _check_role(state: CollectorState, request: Request, role: str) -> None:
    if not role:
        return
    held = roles_of(state, request)
    if role not in held:
        told = f"the key of the role {role} is needed, as Authorization: Bearer KEY"
        if not held and request.headers.get("authorization"):
            told += "; the key that came is none of this collector's"
        raise Declined("wrong-role" if held else "no-key", told)


def _check_parameters(request: Request, described: Described) -> None:
    known = sorted({each.name for each in described.query})
    for name in request.query_params:
        if name not in known:
            allowed = f"one of {', '.join(known)}" if known else "left out: it takes none"
            hint = did_you_mean(name, known)
            raise InvalidInput("parameter", "this address", allowed, name, hint=hint)


def _refused(
    state: CollectorState, request: Request, declined: Declined, *, people: bool
) -> Response:
    """A refusal: on a page for people, as JSON for programs."""
    return refusal_page(state, request, declined) if people else refusal_reply(declined)


async def _by_starlette(request: Request, error: Exception) -> Response:
    """What the router refuses, in the form of all refusals."""
    assert isinstance(request.app, Collector)
    status = error.status_code if isinstance(error, HTTPException) else 500
    declined = Declined(_HTTP_CODES.get(status, "failed"))
    if status >= 500:
        log_failure(error)
    request.app.collector_state.counters.count(declined.status, declined.code)
    people = "text/html" in request.headers.get("accept", "")
    reply = _refused(request.app.collector_state, request, declined, people=people)
    if isinstance(error, HTTPException):
        reply.headers.update(error.headers or {})
    return reply
