"""How the collector itself is: alive, ready, its numbers; and a page that says what this is."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import Response

from sottovoce.service.counters import metrics_text
from sottovoce.service.desk import Desk
from sottovoce.service.refusals import Declined
from sottovoce.service.replies import json_reply

__all__ = ["front_page", "health", "metrics"]

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>sottovoce collector</title>
<h1>A collector of private reports</h1>
<p>Answers to these surveys are randomized on people's own devices before they are sent.
What comes here is the randomized report: not who sent it, not from where, not when.</p>
<ul>{surveys}</ul>
<p><a href="openapi.json">What can be asked of this address</a></p>
</html>
"""


async def front_page(desk: Desk, request: Request) -> Response:
    """A plain page for people who come here."""
    items = [
        f'<li><a href="surveys/{taker.fingerprint}">{escape(taker.survey.name)}</a>: '
        f"{escape(taker.survey.question)}</li>"
        for taker in desk.takers.values()
    ]
    headers = {"content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff"}
    page = _PAGE.replace("{surveys}", "\n".join(items) or "<li>None yet.</li>")
    return Response(page.encode(), 200, headers, "text/html; charset=utf-8")


async def health(desk: Desk, request: Request) -> Response:
    """Alive if it answers; ready if the writer does, and no commit failed a moment ago."""
    if not desk.ready:
        raise Declined("stopping", live=True, ready=False)
    if desk.commits.failing:
        raise Declined("store-down", "a commit failed a moment ago", live=True, ready=False)
    await desk.commits.call(desk.store.surveys)
    return json_reply({"live": True, "ready": True})


async def metrics(desk: Desk, request: Request) -> Response:
    """Numbers for Prometheus."""
    counts = await desk.commits.call(desk.store.counts)
    gauges = {
        "surveys": ("surveys published", float(len(desk.takers))),
        "uploads_waiting": ("uploads that wait for their commit", float(desk.commits.waiting)),
        "bytes_taken": ("bytes of uploads under way", float(desk.bytes_taken)),
        "ready": ("1 while requests are taken", float(desk.ready)),
    }
    text = metrics_text(desk.counters, counts, gauges)
    return Response(text.encode(), 200, None, "text/plain; version=0.0.4; charset=utf-8")
