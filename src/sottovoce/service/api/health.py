"""How the collector itself is: alive, ready, its numbers."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response

from sottovoce.base.errors import SottovoceError
from sottovoce.service.api.replies import json_reply
from sottovoce.service.documents import Live, Ready
from sottovoce.service.metrics import metrics_text
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState

__all__ = ["Probe", "live", "metrics", "ready"]

_SECONDS = 2.0
"""In which the database must answer."""
_FRESH = 1.0
"""Seconds for which an answer of the database holds: probes cost it little, however many come."""


class Probe:
    """Asks the database whether it answers, in a thread that nothing else waits for.

    One question is under way at a time: a database that hangs does not gather threads.
    """

    def __init__(self, state: CollectorState) -> None:
        self._desk, self._loop = state, asyncio.get_running_loop()
        self._under_way: asyncio.Future[bool] | None = None
        self._answered = -_FRESH

    async def check(self) -> None:
        """Return if the collector can take reports; else refuse with the reason."""
        if not self._desk.ready:
            raise Declined("stopping", ready=False)
        if self._desk.commits.failing:
            raise Declined("store-down", "a commit failed a moment ago", ready=False)
        if self._under_way is None or (self._under_way.done() and self._is_old()):
            self._under_way = self._loop.create_future()
            threading.Thread(target=self._ask, args=[self._under_way], daemon=True).start()
        await asyncio.wait({self._under_way}, timeout=_SECONDS)
        if not self._under_way.done():
            told = f"the database did not answer in {_SECONDS:g} s"
            raise Declined("store-down", told, ready=False)
        if not self._under_way.result():
            raise Declined("store-down", "the database cannot be read or written to", ready=False)

    def _is_old(self) -> bool:
        return self._loop.time() - self._answered > _FRESH

    def _ask(self, future: asyncio.Future[bool]) -> None:
        try:
            self._desk.store.probe()
            answers = True
        except SottovoceError:
            answers = False
        with suppress(RuntimeError):  # the collector has ended meanwhile
            self._loop.call_soon_threadsafe(self._settle, future, answers)

    def _settle(self, future: asyncio.Future[bool], answers: bool) -> None:
        self._answered = self._loop.time()
        future.set_result(answers)


async def live(state: CollectorState, request: Request) -> Response:
    """The process answers: a supervisor need not start it again."""
    return json_reply(Live(True))


async def ready(state: CollectorState, request: Request) -> Response:
    """Reports are taken: the database answers, and no commit failed a moment ago."""
    await state.probe.check()
    return json_reply(Ready(True, state.counters.upkeep.document()))


async def metrics(state: CollectorState, request: Request) -> Response:
    """Numbers for Prometheus; those of the store are left out while it does not answer."""
    counts, upkeep = None, state.counters.upkeep
    try:
        await state.probe.check()
        counts = await state.commits.call(state.store.counts)
    except (Declined, SottovoceError):
        pass
    gauges = {
        "surveys": ("surveys published", float(len(state.intakes))),
        "uploads_waiting": ("uploads that wait for their commit", float(state.commits.waiting)),
        "bytes_taken": ("bytes of uploads under way", float(state.bytes_taken)),
        "ready": ("1 while reports are taken, as /health/ready says", float(counts is not None)),
        "upkeep_failing": ("upkeep that failed at its last try", float(len(upkeep.failing))),
        "clock_trusted": ("0 after the clock jumped ahead", float(upkeep.clock_trusted)),
    }
    text = metrics_text(state.counters, counts, gauges)
    return Response(text.encode(), 200, None, "text/plain; version=0.0.4; charset=utf-8")
