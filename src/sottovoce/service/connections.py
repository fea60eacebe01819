"""Connections that must not stay silent: uvicorn's, with a time for the head of a request.

Uvicorn closes a connection that is silent after an answer.  One that never asks anything, or
sends its headers byte by byte, would stay for ever; here the same time holds for it.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sottovoce.service.refusals import Declined, body_of

__all__ = ["Connection"]


class Connection(HttpToolsProtocol):
    """The head of every request must be whole within the time a connection may be silent."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def on_message_begin(self) -> None:
        """Let an answer that cannot be finished break its connection off, unsent bytes and all."""
        super().on_message_begin()
        self.scope["abort"] = self.transport.abort  # type: ignore[typeddict-unknown-key]

    def data_received(self, data: bytes) -> None:
        timer, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None
        super().data_received(data)
        asked = self.cycle is not None and not self.cycle.response_complete
        if asked or self.transport.is_closing():
            if timer is not None:
                timer.cancel()
        elif self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = timer

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is refused in the form of all refusals."""
        body = body_of(Declined("malformed", "this is no HTTP request"))
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
