"""How the collector itself is: alive, ready, its numbers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sottovoce.service.counters import metrics_text
from sottovoce.service.desk import Desk
from sottovoce.service.refusals import Declined
from sottovoce.service.replies import json_reply

__all__ = ["health", "metrics"]


async def health(desk: Desk, request: Request) -> Response:
    """Alive if it answers; ready if the writer does, and no commit failed a moment ago."""
    if not desk.ready:
        raise Declined("stopping", live=True, ready=False)
    if desk.commits.failing:
        raise Declined("store-down", "a commit failed a moment ago", live=True, ready=False)
    await desk.commits.call(desk.store.surveys)
    return json_reply({"live": True, "ready": True, "upkeep": desk.counters.upkeep.document()})


async def metrics(desk: Desk, request: Request) -> Response:
    """Numbers for Prometheus."""
    counts, upkeep = await desk.commits.call(desk.store.counts), desk.counters.upkeep
    gauges = {
        "surveys": ("surveys published", float(len(desk.takers))),
        "uploads_waiting": ("uploads that wait for their commit", float(desk.commits.waiting)),
        "bytes_taken": ("bytes of uploads under way", float(desk.bytes_taken)),
        "ready": ("1 while requests are taken", float(desk.ready)),
        "upkeep_failing": ("upkeep that failed at its last try", float(len(upkeep.failing))),
        "clock_trusted": ("0 after the clock jumped ahead", float(upkeep.clock_trusted)),
    }
    text = metrics_text(desk.counters, counts, gauges)
    return Response(text.encode(), 200, None, "text/plain; version=0.0.4; charset=utf-8")
