"""Who asks: the roles of a request, by the key it brings, by its session, or because all may read.

A person signs in with the key of a reader and gets a session in a cookie, which scripts cannot see
and other sites cannot send (HttpOnly, SameSite=Strict).  It proves the reading role only, and
only where nothing is changed.
"""

from __future__ import annotations

from starlette.requests import Request

from sottovoce.service.state import CollectorState

__all__ = ["SESSION", "has_key", "may_read", "roles_of"]

SESSION = "sottovoce_session"
"""The name of the cookie."""


def roles_of(state: CollectorState, request: Request) -> set[str]:
    """The roles that a request proves."""
    held = state.keys.roles(request.headers.get("authorization"))
    if request.method in ("GET", "HEAD") and may_read(state, request):
        held.add("read")
    return held


def may_read(state: CollectorState, request: Request) -> bool:
    """Whether whoever looks at a page may see numbers."""
    if state.settings.open_reading or _is_signed_in(state, request):
        return True
    return "read" in state.keys.roles(request.headers.get("authorization"))


def has_key(state: CollectorState, request: Request) -> bool:
    """Whether a request brings the key of any role, or a session."""
    header = request.headers.get("authorization")
    return bool(header and state.keys.roles(header)) or _is_signed_in(state, request)


def _is_signed_in(state: CollectorState, request: Request) -> bool:
    session = request.cookies.get(SESSION, "")
    return bool(session) and state.sessions.holds(session, state.clock())
