"""``POST /reports``, where nearly all requests go: plain ASGI, without a framework in between.

In order: the media type; the body, its size and its time; the rate; the upload itself; its window;
its token.  Then the reports wait for their commit, and only after it is anything answered.  Refusals
are counted in the store as reports are, and answered when they are there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from sottovoce.service.api.bodies import Gone, Receive, read_body
from sottovoce.service.documents import Acknowledgement, refusal_body
from sottovoce.service.logs import log_failure
from sottovoce.service.refusals import Declined, declined_by
from sottovoce.service.state import CollectorState
from sottovoce.service.upload.counting import reports_in
from sottovoce.service.upload.intake import ParsedUpload, take_carefully, take_quickly
from sottovoce.store import Receipt, Refusals, Submission
from sottovoce.wire.uploads import FORMS

__all__ = ["Uploads"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = dict[bytes, bytes]

_FORMS = {media.encode(): form for form, media in FORMS.items()}
_LONG = 2**12
"""Bytes from which an upload that needs careful reading is read beside the event loop."""

_JSON = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode


class Uploads:
    """The route of uploads."""

    def __init__(self, state: CollectorState) -> None:
        self.state = state
        self._beside = ThreadPoolExecutor(1, "careful")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state, data, headers = self.state, b"", dict(scope["headers"])
        began = state.counters.clock()
        try:
            try:
                form = _form(headers)
                data = await read_body(state, headers, receive, state.settings.body_bytes)
                self._check_rate(scope.get("client"))
                receipt = await self._stored(await self._read(data, form, receive), headers)
            except Gone:
                return
            except Exception as error:
                declined = await self._counted(declined_by(error), error, data, headers)
                state.counters.count(declined.status, declined.code)
                more = [(k.encode(), v.encode()) for k, v in declined.headers.items()]
                await _answer(send, declined.status, refusal_body(declined), more)
            else:
                state.counters.took(began)
                body = _encode(Acknowledgement(receipt.stored, receipt.duplicates))
                await _answer(send, 200, body, [])
        finally:
            state.bytes_taken -= len(data)

    # -- what came -----------------------------------------------------------------------

    def _check_rate(self, client: tuple[str, int] | None) -> None:
        """Everybody's rate is asked last, so that one address cannot use it up."""
        state = self.state
        wait = state.addresses.wait(client[0] if client else "") or state.rate.wait()
        if wait:
            raise Declined("rate-limited", "too many uploads at once", retry=wait)

    async def _read(self, data: bytes, form: str, receive: Receive) -> ParsedUpload:
        state = self.state
        most = state.settings.upload_reports
        taken = take_quickly(data, state.intakes, most) if form == "msgpack" else None
        if taken is not None:
            return taken
        if len(data) < _LONG:
            return take_carefully(data, form, state.intakes, most)
        held = [data]  # emptied when its sender is gone: work in line holds what it was given
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(
            self._beside, lambda: take_carefully(held.pop(), form, state.intakes, most)
        )
        try:
            await _while_there(work, receive)
            return work.result()
        finally:
            held.clear()
            del work  # an error would hold this frame, and the frame the error

    # -- what becomes of it --------------------------------------------------------------

    async def _stored(self, taken: ParsedUpload, headers: Headers) -> Receipt:
        state, intake = self.state, taken.intake
        intake.check_window(taken.window, *state.days())
        mark, allowance = None, 1
        if intake.wants_token:
            given = headers.get(b"authorization", b"").decode("latin-1")
            token = state.keys.read_token(intake.fingerprint, given)
            if token is None:
                raise Declined("not-allowed", "this survey needs a token")
            mark = state.keys.used_mark(token[0], intake.fingerprint, taken.window)
            allowance = token[1]
        receipt = await state.commits.submit(
            Submission(intake.fingerprint, taken.window, taken.ids, taken.rows, mark, allowance)
        )
        if receipt.code:
            raise _Counted(receipt.code)
        return receipt

    async def _counted(
        self, declined: Declined, error: Exception, data: bytes, headers: Headers
    ) -> Declined:
        """The refusal, once it is counted; what the store cannot count is told as its failure."""
        if declined.status >= 500:
            log_failure(error)
            return declined
        if isinstance(error, _Counted):
            return declined
        try:
            fingerprint, reports = "", 1
            if data:
                fingerprint, reports = reports_in(data, _form(headers), self.state.intakes)
            await self.state.commits.refuse(Refusals(fingerprint, declined.code, reports))
        except Exception as failure:
            return await self._counted(declined_by(failure), failure, data, headers)
        return declined


class _Counted(Declined):
    """A refusal that the store found, and has counted."""


def _form(headers: Headers) -> str:
    """The form of an upload by its media type.

    Without one it is refused: browsers send bodies of no type, and of the types of forms, for any
    web page without asking the collector first.
    """
    media = headers.get(b"content-type", b"")
    form = _FORMS.get(media) or _FORMS.get(media.partition(b";")[0].strip().lower())
    if form is None:
        raise Declined(
            "wrong-media-type", f"the Content-Type must be {' or '.join(FORMS.values())}"
        )
    if headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        raise Declined(
            "wrong-media-type", "uploads are taken uncompressed, without Content-Encoding"
        )
    return form


async def _while_there(work: asyncio.Future[ParsedUpload], receive: Receive) -> None:
    """Wait for work, or give it up when its sender hangs up: uploads that nobody waits for do not gather."""
    gone = asyncio.ensure_future(receive())
    both: set[asyncio.Future[Any]] = {work, gone}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if not work.done():
        work.cancel()
        raise Gone
    gone.cancel()


async def _answer(send: Send, status: int, body: bytes, more: list[tuple[bytes, bytes]]) -> None:
    headers = [_JSON, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
