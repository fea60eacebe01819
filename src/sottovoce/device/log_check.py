"""The log of a collector, checked by a device: it only grows, and the survey is in it.

A device keeps the last head of every collector's log that it checked.  The log must continue it, so
that no survey that was ever shown to this device can be taken back or replaced.  A survey that is not
in the log gets no report: nobody is asked what others cannot see.
"""

from __future__ import annotations

import math
import time
from typing import Any

from sottovoce.base.errors import NotTrusted
from sottovoce.device.http import NoAnswer
from sottovoce.device.ledger import Ledger
from sottovoce.device.remote_collector import Declined, RemoteCollector
from sottovoce.surveys.publications import EMPTY, LogHead, Publication, digest_of, follow
from sottovoce.surveys.survey import Survey

__all__ = ["check_continues", "check_log", "read_log"]

_MOST_ENTRIES = 10**6
"""A longer log is refused: an endless one would keep a device busy for ever."""
_MOST_SECONDS = 60.0
"""For the whole log: to a device, a collector that gives one entry at a time, slowly, does not answer."""
_NO_LOG = {"no-such-route", "status-404", "status-410"}
"""Codes of a collector that has no log; any other may answer a moment later."""


def check_log(collector: RemoteCollector, ledger: Ledger, survey: Survey) -> None:
    """Refuse a collector whose log does not continue the kept one, or does not have the survey.

    :class:`~sottovoce.device.http.NoAnswer` where the collector does not answer now.
    """
    digest = digest_of(survey)
    while True:
        kept = ledger.log_head(collector.url)
        known = ledger.is_logged(collector.url, digest)
        start = kept if known else EMPTY
        entries, head = read_log(collector, start, _MOST_SECONDS)
        check_continues(collector.url, kept, start, entries, head)
        if not known and digest not in {entry.survey for entry in entries}:
            raise NotTrusted(
                f"survey {survey.name!r} ({survey.fingerprint}) is not in the log of {collector.url}: "
                "others cannot see that it is asked, so it is not answered"
            )
        if ledger.keep_log(collector.url, kept, head, digest):
            return


def read_log(
    collector: RemoteCollector, start: LogHead = EMPTY, seconds: float = math.inf
) -> tuple[list[Publication], LogHead]:
    """All entries after a head, one chain, and the head of the log; no answer after so many seconds."""
    entries: list[Publication] = []
    head, end = start, time.monotonic() + seconds
    while True:
        size, told, documents = _page(collector, head.size)
        if time.monotonic() > end:
            raise NoAnswer(f"the log of {collector.url} did not come in time")
        head = follow(head, documents)
        entries += map(Publication.from_document, documents)
        if head.size == size:
            if head.head != told:
                raise _broken(collector.url, "its head is not that of its entries")
            return entries, head
        if size < head.size:
            raise _broken(collector.url, f"it has {size} entries, and had {head.size}")
        if not documents or size > _MOST_ENTRIES:
            raise _broken(collector.url, f"it says {size} entries and does not give them")


def check_continues(
    url: str, kept: LogHead, start: LogHead, entries: list[Publication], head: LogHead
) -> None:
    """The head that was kept is one of those on the way from ``start`` to ``head``."""
    if head.size < kept.size:
        raise _broken(url, f"it has {head.size} entries, and had {kept.size}")
    heads = {start.size: start.head, **{each.index + 1: each.head.head for each in entries}}
    if heads.get(kept.size) != kept.head:
        raise _broken(url, f"its first {kept.size} entries are not those that were there before")


def _page(collector: RemoteCollector, start: int) -> tuple[int, str, list[Any]]:
    try:
        document = collector.get("/log", [("start", start)])
    except Declined as declined:
        if declined.code in _NO_LOG:
            raise _broken(collector.url, f"it is not shown ({declined.code})") from declined
        raise NoAnswer(f"no log from {collector.url}: {declined}") from declined
    size, head, entries = (
        (document.get("size"), document.get("head"), document.get("entries"))
        if isinstance(document, dict)
        else (None, None, None)
    )
    if type(size) is not int or not isinstance(head, str) or not isinstance(entries, list):
        raise _broken(collector.url, "it is not shown in the form of a log")
    return size, head, entries


def _broken(url: str, why: str) -> NotTrusted:
    return NotTrusted(
        f"the log of {url} does not show every survey that was ever published there: {why}. "
        "Nothing is sent"
    )
