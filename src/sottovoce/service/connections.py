"""Connections with limits: uvicorn's, which has none for the head of a request.

Everything that a request has besides its body counts as its head: the request line, headers,
sizes and extensions of chunks, trailers.  It has at most :data:`HEAD_BYTES` bytes and
:data:`HEAD_FIELDS` fields, a body at most :data:`CHUNKS` chunks, and a head must be complete within
``idle_seconds``.  Requests that are sent
before the answer to an earlier one wait, at most :data:`PIPELINED` of them.  An answer that is not
read for ``idle_seconds`` ends its connection.  The process keeps some of its open files for itself:
connections beyond the others are refused.
"""

from __future__ import annotations

import asyncio
import resource
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sottovoce.service.documents import refusal_body
from sottovoce.service.refusals import RETRY_SECONDS, Declined

__all__ = ["CHUNKS", "HEAD_BYTES", "HEAD_FIELDS", "PIPELINED", "Connection", "most_connections"]

HEAD_BYTES = 2**15
"""Bytes of a request besides its body."""
HEAD_FIELDS = 100
"""Headers and trailers of a request."""
CHUNKS = 1000
"""Chunks of a body: each costs a call of the parser, however small it is."""
PIPELINED = 4
"""Requests that may wait on a connection behind the one that is being answered."""
_PIECE = 2**14
"""Bytes of a body that are parsed at once."""
_LINGER = 0.25
"""Seconds in which a refused sender can read why; what it still sends is not read."""
_RESERVED_FILES = 128
"""Open files that are kept for the store and for analysis."""


def most_connections() -> int:
    """Connections that may be open at once, by the limit on open files of this process."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit - min(_RESERVED_FILES, limit // 2)


class _Stop(Exception):
    """Raised within the parser, which passes it on as an error of its own."""


class Connection(HttpToolsProtocol):
    """One connection.  ``_head`` counts bytes besides the body, ``_fields`` headers and trailers."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head = self._fields = self._chunks = 0
        self._in_head, self._ended = True, False
        self._refusal: Declined | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._running: RequestResponseCycle | None = None

    # -- what comes ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            self.config.app.collector_state.note_out_of_files()  # type: ignore[union-attr]
            told = "too many connections are open"
            self._refuse(Declined("rate-limited", told, retry=RETRY_SECONDS), linger=0.0)
            return
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        timer, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None
        self._parse(data)
        asked = self.cycle is not None and not self.cycle.response_complete
        if asked or self.transport.is_closing():
            if timer is not None:
                timer.cancel()
        elif self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = timer

    def _parse(self, data: bytes) -> None:
        """Hand data to the parser in pieces that end where a head would become too large."""
        start = 0
        while start < len(data) and not self._ended:
            room = HEAD_BYTES - self._head
            piece = data[start : start + (room if self._in_head else max(room, _PIECE))]
            start += len(piece)
            self._head += len(piece)
            super().data_received(piece)
            full = self._head >= HEAD_BYTES if self._in_head else self._head > HEAD_BYTES
            if full and not self._ended:
                self._refuse(Declined("head-too-large"))

    # -- what the parser finds ----------------------------------------------------------------

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= PIPELINED:
            self._refusal = Declined("rate-limited", "too many requests wait on this connection")
            raise _Stop
        super().on_message_begin()
        # So that an answer that cannot be finished breaks its connection off, unsent bytes and all.
        self.scope["abort"] = self.transport.abort  # type: ignore[typeddict-unknown-key]

    def on_header(self, name: bytes, value: bytes) -> None:
        self._fields += 1
        if self._fields > HEAD_FIELDS:
            self._refusal = Declined("head-too-large")
            raise _Stop
        if self._in_head:  # trailers are not headers
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._in_head = False

    def on_chunk_header(self) -> None:
        self._chunks += 1
        if self._chunks > CHUNKS:
            self._refusal = Declined("head-too-large", f"a body has at most {CHUNKS} chunks")
            raise _Stop

    def on_body(self, body: bytes) -> None:
        self._head = max(0, self._head - len(body))  # a piece may begin in the request before
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head = self._fields = self._chunks = 0
        self._in_head = True
        super().on_message_complete()

    # -- refusals ------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn where the parser fails: our limits, or what is no HTTP."""
        self._refuse(self._refusal or Declined("malformed", "not an HTTP request"))

    def _refuse(self, declined: Declined, linger: float = _LINGER) -> None:
        """Parse nothing more, and answer with a refusal, unless another answer is due or was given."""
        self._ended = True
        self.flow.pause_reading()
        self.parser = self.scope = self.headers = None  # type: ignore[assignment]
        self.url = b""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if self._in_head:  # of a request behind this one
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.body.clear()  # or every refused connection would hold it while it lingers
            cycle.message_event.set()
        if self.pipeline or (cycle is not None and cycle.response_started and not self._in_head):
            self.transport.close()
            return
        self.config.app.collector_state.counters.count(declined.status, declined.code)  # type: ignore[union-attr]
        body = refusal_body(declined)
        more = "".join(f"{name}: {value}\r\n" for name, value in declined.headers.items())
        head = (
            f"HTTP/1.1 {declined.status} {HTTPStatus(declined.status).phrase}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n{more}"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        if linger:
            self.transport.write_eof()
            self.loop.call_later(linger, self.transport.close)
        else:
            self.transport.close()

    # -- what is not read ------------------------------------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_unread()

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.get_write_buffer_size():  # closing would wait for a reader
            self.transport.abort()
        super().timeout_keep_alive_handler()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered, which uvicorn does not where others wait behind it.

        What came of bodies is dropped at once, and not when the garbage collector comes round.
        """
        super().connection_lost(exc)
        self._forget_unread()
        for cycle in (self._running, self.cycle):
            if cycle is not None:
                cycle.disconnected = cycle.disconnected or not cycle.response_complete
                cycle.message_event.set()
                cycle.body.clear()
        self.pipeline.clear()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
