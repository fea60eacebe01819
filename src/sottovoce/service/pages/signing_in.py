"""Signing in and out, and what a person sees who is refused: words, and the way on."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sottovoce.service.api.bodies import read_body
from sottovoce.service.api.visitors import SESSION, may_read
from sottovoce.service.auth.sessions import SESSION_TIME
from sottovoce.service.pages.rendering import PAGE_HEADERS, page, root_of
from sottovoce.service.refusals import CODES, Declined
from sottovoce.service.state import CollectorState

__all__ = ["refusal_page", "sign_in", "sign_in_page", "sign_out"]

_LONGEST_FORM = 4096
_WAY_ON = re.compile(r"dashboard/[0-9a-f]{32}(/differences)?")
"""Pages that a person may be led to after signing in; no address elsewhere is one."""


async def sign_in_page(state: CollectorState, request: Request) -> Response:
    """The form to sign in with."""
    return _form(state, request, request.query_params.get("to", ""))


async def sign_in(state: CollectorState, request: Request) -> Response:
    """Take a reader's key, and give the browser a session for it."""
    data = await read_body(state, dict(request.scope["headers"]), request.receive, _LONGEST_FORM)
    state.bytes_taken -= len(data)
    form = parse_qs(data.decode("utf-8", "replace"))
    key, to = form.get("key", [""])[0].strip(), form.get("to", [""])[0]
    if "read" not in state.keys.roles(f"Bearer {key}"):
        problem = "This is not the key of a reader." if key else "A key is needed."
        return _form(state, request, to, status=403, problem=problem)
    reply = _go(request, to if _WAY_ON.fullmatch(to) else "")
    reply.set_cookie(
        SESSION,
        state.sessions.issue(state.clock()),
        max_age=int(SESSION_TIME.total_seconds()),
        path=None,  # a browser takes that of this page: behind a prefix others do not get it
        secure=_is_encrypted(request),
        httponly=True,
        samesite="strict",
    )
    return reply


def _is_encrypted(request: Request) -> bool:
    """Whether the browser came by https, here or to the first of several proxies.

    A sender that lies about it harms nobody else.
    """
    first = request.headers.get("x-forwarded-proto", "").partition(",")[0]
    return "https" in (request.url.scheme, first.strip().lower())


async def sign_out(state: CollectorState, request: Request) -> Response:
    """End the session of this browser, here and in its cookie."""
    state.sessions.end(request.cookies.get(SESSION, ""))
    reply = _go(request, "")
    reply.set_cookie(
        SESSION, "", max_age=0, path=None, secure=_is_encrypted(request), httponly=True,
        samesite="strict",
    )  # fmt: skip
    return reply


def refusal_page(state: CollectorState, request: Request, declined: Declined) -> Response:
    """What a refusal says, to a person: where a key is missing, the form to sign in with."""
    if declined.code == "no-key":
        here = request.url.path.lstrip("/")
        return _form(state, request, here, status=declined.status, headers=declined.headers)
    return page(
        request, "refusal.html", declined.status, headers=declined.headers, declined=declined,
        meaning=CODES[declined.code].meaning, reads=may_read(state, request), state=state,
    )  # fmt: skip


def _form(
    state: CollectorState,
    request: Request,
    to: str,
    *,
    status: int = 200,
    problem: str = "",
    headers: dict[str, str] | None = None,
) -> Response:
    way_on = to if _WAY_ON.fullmatch(to) else ""
    return page(
        request, "sign_in.html", status, headers=headers, to=way_on, problem=problem,
        reads=may_read(state, request), state=state,
    )  # fmt: skip


def _go(request: Request, to: str) -> Response:
    """Lead a browser on with GET, by an address that holds behind any prefix of a proxy."""
    return RedirectResponse(root_of(request) + to, 303, PAGE_HEADERS)
