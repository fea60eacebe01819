"""Reports as files: Parquet, which :meth:`sottovoce.Reports.read` reads, and CSV.

They come in the order of their ids, which says nothing about when they came, and without the ids:
who has an id may delete the report.  Only windows that have ended are in a file, as
:mod:`sottovoce.store.handing_out` says.

A file is written while it is sent, some megabytes at a time, by a thread that waits for its
reader.  It ends when the file does, when the reader goes, or when the reader takes nothing for
too long.  A file that cannot be finished breaks off: the connection is closed before its end.
"""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, BinaryIO, cast

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sottovoce.core.reports import Reports
from sottovoce.service.logs import log_failure
from sottovoce.service.refusals import RETRY_SECONDS, Declined
from sottovoce.service.state import CollectorState
from sottovoce.store import Published
from sottovoce.wire.files import write_reports

__all__ = ["reports_csv", "reports_parquet"]

_PIECE = 2**18
"""Bytes that are handed to the connection at once."""
_AHEAD = 4
"""Pieces that may be written before they are sent."""


async def reports_parquet(state: CollectorState, request: Request) -> Response:
    """The reports of windows that have ended, as Parquet."""
    return await _download(state, request, "parquet", "application/vnd.apache.parquet")


async def reports_csv(state: CollectorState, request: Request) -> Response:
    """The reports of windows that have ended, as CSV: numbers as they are, bytes in hexadecimal."""
    return await _download(state, request, "csv", "text/csv; charset=utf-8")


async def _download(state: CollectorState, request: Request, form: str, media: str) -> Response:
    published = state.published(request.path_params["fingerprint"])
    wanted = request.query_params.getlist("window")
    shown, left_out = await state.aside(state.analyst.windows_to_hand_out, published, wanted)
    if state.downloads >= state.settings.downloads:
        told = f"{state.downloads} downloads are under way; try again later"
        raise Declined("rate-limited", told, retry=RETRY_SECONDS)

    def write(file: BinaryIO) -> None:
        mechanism = published.survey.mechanism
        write_reports(file, form, mechanism, _reports(state, published, shown))

    state.downloads += 1
    writing = _Writing(write, state.settings.download_seconds)
    try:
        first = await writing.next()
    except BaseException:
        _end(state, writing)
        raise
    name = f"{published.survey.fingerprint}.{form}"
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "cache-control": "no-store",
        "sottovoce-left-out": ",".join(left_out),
    }
    end = BackgroundTask(_end, state, writing)
    seconds = state.settings.download_seconds
    return _Download(first, writing, seconds, headers=headers, media=media, end=end)


def _end(state: CollectorState, writing: _Writing) -> None:
    state.downloads -= 1
    writing.stop()


def _reports(
    state: CollectorState, published: Published, windows: Sequence[str]
) -> Iterator[Reports]:
    for window in windows:
        yield from state.store.hand_out(published.survey.fingerprint, window)


class _Writing(io.RawIOBase):
    """A file that is written by a thread, and read by the event loop piece by piece."""

    def __init__(self, write: Callable[[BinaryIO], None], seconds: float) -> None:
        super().__init__()
        self._loop, self._seconds = asyncio.get_running_loop(), seconds
        self._pieces: asyncio.Queue[bytes | Exception | None] = asyncio.Queue(_AHEAD)
        self._part, self._stopped = bytearray(), False
        work = threading.Thread(target=self._work, args=(write,), name="download", daemon=True)
        work.start()

    # -- the event loop ----------------------------------------------------------------------

    async def next(self) -> bytes | None:
        """The next piece; None after the last."""
        piece = await self._pieces.get()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def stop(self) -> None:
        """Write no more; who waits to hand over a piece need not."""
        self._stopped = True
        while not self._pieces.empty():
            self._pieces.get_nowait()

    # -- the thread --------------------------------------------------------------------------

    def _work(self, write: Callable[[BinaryIO], None]) -> None:
        try:
            write(cast(BinaryIO, self))
            if self._part:
                self._hand_over(bytes(self._part))
            self._hand_over(None)
        except _Stopped:
            pass
        except Exception as error:
            self._part.clear()
            with suppress(_Stopped):
                self._hand_over(error)

    def _hand_over(self, piece: bytes | Exception | None) -> None:
        """Wait until there is room for a piece."""
        if self._stopped:
            raise _Stopped
        try:
            put: Future[None] = asyncio.run_coroutine_threadsafe(
                self._pieces.put(piece), self._loop
            )
        except RuntimeError:  # the event loop has ended
            raise _Stopped from None
        try:
            put.result(2 * self._seconds)
        except TimeoutError:
            put.cancel()
            raise _Stopped from None
        if self._stopped:
            raise _Stopped

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._part += data
        while len(self._part) >= _PIECE:
            piece = bytes(self._part[:_PIECE])
            del self._part[:_PIECE]
            self._hand_over(piece)
        return len(data)


class _Stopped(Exception):
    """Nobody reads the file any more."""


class _Download(Response):
    """A file sent as it is written; ``end`` is done whatever becomes of it."""

    def __init__(
        self, first: bytes | None, writing: _Writing, seconds: float, *, headers: dict[str, str],
        media: str, end: BackgroundTask,
    ) -> None:  # fmt: skip
        self.status_code, self.media_type, self.background = 200, media, end
        self._first, self._writing, self._seconds = first, writing, seconds
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(send))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and (error := sending.exception()) is not None:
                if not isinstance(error, TimeoutError):
                    log_failure(cast(Exception, error))
                scope.get("abort", _nothing)()
        finally:
            for task in (sending, gone):
                task.cancel()
            if self.background is not None:
                await self.background()

    async def _send(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        piece = self._first
        while piece is not None:
            body = {"type": "http.response.body", "body": piece, "more_body": True}
            async with asyncio.timeout(self._seconds):
                await send(body)
            piece = await self._writing.next()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    """Returns when nobody is there any more."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _nothing() -> None:
    """Servers other than ours have no way to break a connection off."""
