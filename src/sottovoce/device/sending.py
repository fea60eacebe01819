"""Sending an upload over HTTP until the collector says that it has it, or never will.

Only an acknowledgement in the collector's own words counts: a page that some gateway shows
in its place, or a redirection, is none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from sottovoce.base.errors import Refused
from sottovoce.base.randomness import OperatingSystem
from sottovoce.device.http import Answer, NoAnswer, TooLong
from sottovoce.device.remote_collector import Declined, RemoteCollector, read_object
from sottovoce.surveys.survey import Survey
from sottovoce.wire.uploads import FORMS, REFUSALS

__all__ = ["Outcome", "Patience", "check_takes_reports", "deliver"]

_LONGEST_ANSWER = 2**16
_AGAIN = {408, 429, 500, 502, 503, 504, 507}
"""Statuses after which the same bytes may be taken a moment later."""


@dataclass(frozen=True)
class Patience:
    """How long to go on: attempts in all, seconds of waiting in all, seconds for one attempt.

    An attempt ends after ``timeout`` seconds, however slowly the answer arrives.
    Before attempt k + 1 a device waits a random time up to ``2^(k-1)`` seconds, at most a minute,
    so that devices that failed together do not come back together; longer, if the
    collector said so by Retry-After.
    """

    attempts: int = 5
    waiting: float = 120.0
    timeout: float = 10.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Outcome:
    """What came of sending: acknowledged, refused for good, or still pending, and a code why.

    Of an acknowledged upload, ``stored`` reports were new to the collector, ``duplicates`` were
    there already.
    """

    state: str
    code: str = ""
    again: bool = False
    wait: float = 0.0
    stored: int = 0
    duplicates: int = 0


def check_takes_reports(collector: RemoteCollector, survey: Survey) -> None:
    """Refuse to draw for a survey that the collector does not have, has closed, or wants tokens for.

    One that answers otherwise, or not at all (:class:`NoAnswer`), has not refused.
    """
    what = f"survey {survey.name!r} at {collector.url}"
    try:
        about = collector.get(f"/surveys/{survey.fingerprint}/about")
    except Declined as declined:
        if declined.code == "unknown-survey":
            raise Refused(declined.code, f"{what} is not published. Nothing was drawn") from None
        return
    if not isinstance(about, dict):
        return
    if about.get("closed") is True:
        raise Refused("window-closed", f"{what} is closed. Nothing was drawn")
    if about.get("upload") == "tokens" and collector.key is None:
        raise Refused("not-allowed", f"{what} needs a token. Nothing was drawn")


def deliver(
    url: str,
    upload: bytes,
    *,
    token: str | None,
    patience: Patience,
    reports: int = 1,
    check: Callable[[], None] = lambda: None,
) -> Outcome:
    """Send an upload of so many ``reports`` until acknowledged or refused for good, or patience ends.

    Nothing is sent before ``check`` has passed; it raises :class:`NoAnswer` where it is to be tried again.
    """
    waited, checked = 0.0, False
    outcome = Outcome("pending", "not-tried")
    for attempt in range(patience.attempts):
        try:
            if not checked:
                check()
            checked = True
        except NoAnswer:
            outcome = Outcome("pending", "no-answer", again=True)
        else:
            outcome = _attempt(url, upload, token, patience.timeout, reports)
        if not outcome.again or attempt == patience.attempts - 1:
            break
        wait = max(outcome.wait, _jitter(attempt))
        waited += wait
        if waited > patience.waiting:
            break
        patience.sleep(wait)
    return outcome


def _jitter(attempt: int) -> float:
    part = int(OperatingSystem().words(1)[0]) / 2**64
    return part * min(60.0, 2.0**attempt)


def _attempt(url: str, upload: bytes, token: str | None, timeout: float, reports: int) -> Outcome:
    collector = RemoteCollector(url, token, timeout)
    try:
        with collector.request("/reports", body=upload, media=FORMS["msgpack"]) as answer:
            document = _document(answer)
    except NoAnswer:
        return Outcome("pending", "no-answer", again=True)
    if 200 <= answer.status < 300:
        return _acknowledged(document, reports)
    return _refused(answer, document)


def _document(answer: Answer) -> dict[str, Any]:
    try:
        return read_object(answer, _LONGEST_ANSWER)
    except TooLong:
        return {}


def _acknowledged(document: dict[str, Any], reports: int) -> Outcome:
    told: list[Any] = [document.get("stored"), document.get("duplicates")]
    counted = all(type(count) is int and count >= 0 for count in told)  # True is no number
    if counted and sum(told) == reports:
        return Outcome("acknowledged", stored=told[0], duplicates=told[1])
    return Outcome("pending", "no-acknowledgement")


def _refused(answer: Answer, document: dict[str, Any]) -> Outcome:
    code, status = document.get("code"), answer.status
    wait = _retry_after(answer.headers.get("Retry-After"))
    if code in REFUSALS and REFUSALS[code].status == status:
        if REFUSALS[code].final:
            return Outcome("refused", code)
        return Outcome("pending", code, again=status in _AGAIN, wait=wait)
    return Outcome("pending", f"status-{status}", again=status in _AGAIN, wait=wait)


def _retry_after(text: str | None) -> float:
    """Seconds to wait, of a number of them or a date; 0 where it says neither."""
    if not text:
        return 0.0
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
