"""Bodies of requests: so many bytes at most, within so many seconds, not too many at once."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState

__all__ = ["Gone", "Receive", "read_body"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


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
