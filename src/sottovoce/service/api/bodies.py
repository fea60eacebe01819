"""Bodies of requests: limited in bytes, in seconds, and in how much is read at once."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from sottovoce.base.canonical import read_document
from sottovoce.service.refusals import Declined
from sottovoce.service.schemas import read_as
from sottovoce.service.state import CollectorState

__all__ = ["Gone", "Receive", "read_body", "read_json"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
T = TypeVar("T", bound=msgspec.Struct)


class Gone(Exception):
    """The sender hung up before the body was whole."""


async def read_body(
    state: CollectorState, headers: Mapping[bytes, bytes], receive: Receive, most: int
) -> bytes:
    """The whole body.  Its bytes count as under way until the caller takes them off again."""
    length = headers.get(b"content-length", b"0")
    # Digits without end are not even read as a number.
    if len(length) > 18 or (length.isdigit() and int(length) > most):
        raise Declined("too-large", f"at most {most} bytes are taken at once")
    whole, size = io.BytesIO(), 0
    try:
        async with asyncio.timeout(state.settings.body_seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Gone
                part, more = message.get("body", b""), message.get("more_body", False)
                size += len(part)
                state.bytes_taken += len(part)
                if size > most:
                    raise Declined("too-large", f"at most {most} bytes are taken at once")
                if state.bytes_taken > state.settings.waiting_bytes:
                    raise Declined("rate-limited", "too much is under way already", retry=1)
                whole.write(part)
    except TimeoutError:
        state.bytes_taken -= size
        seconds = state.settings.body_seconds
        raise Declined("too-slow", f"the body did not come in {seconds:g} s") from None
    except BaseException:
        state.bytes_taken -= size
        raise
    return whole.getvalue()  # without a copy


async def read_json(state: CollectorState, request: Request, kind: type[T], most: int) -> T:
    """The body as a document of that kind; an empty body is an empty object.

    JSON is read as surveys are, so that a key that is there twice is refused.
    """
    data = await read_body(state, dict(request.scope["headers"]), request.receive, most)
    state.bytes_taken -= len(data)
    return read_as(kind, read_document(data, "the body", longest=most) if data.strip() else {})
