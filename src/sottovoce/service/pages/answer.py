"""The page to answer a survey on: the one page with a script.

The server renders what there is to know: the question, who asks, until when, what the privacy
means.  Its script, built from ``clients/js/page``, randomizes the answer in the browser.  The
policy names the script by its hash and the element repeats it, so that no other script runs, and
nothing is loaded from or sent to another origin.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import math
from functools import cache
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.core.odds import belief
from sottovoce.domains.base import Domain
from sottovoce.service.pages.charts import people
from sottovoce.service.pages.rendering import FILE_HEADERS, page, page_file
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.surveys.all_reports import cost_in_words, lifetime_of
from sottovoce.surveys.repeating import one_in
from sottovoce.surveys.survey import Survey

__all__ = ["answer_page", "answer_script", "script_digest"]

_SCRIPT = "answer.js"
_MOST_SHOWN = 12
"""Values that are named one by one where no script runs."""
_LARGEST_CHANNEL = 1000
"""Values up to which the picture is drawn from the channel, which takes no time then."""


class _Script(NamedTuple):
    """The script as bytes and compressed, and its SHA-256."""

    data: bytes
    packed: bytes
    digest: bytes

    @property
    def integrity(self) -> str:
        """Its hash as policies and elements name it."""
        return f"sha256-{base64.b64encode(self.digest).decode()}"


@cache
def _script() -> _Script:
    data = page_file(_SCRIPT)
    return _Script(data, gzip.compress(data, 9, mtime=0), hashlib.sha256(data).digest())


def script_digest() -> str:
    """The SHA-256 of the script in hexadecimal, to compare with that of a release."""
    return _script().digest.hex()


def _headers() -> dict[str, str]:
    return {
        "content-security-policy": (
            f"default-src 'none'; script-src '{_script().integrity}'; style-src 'self'; "
            "img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; "
            "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
    }


async def answer_page(state: CollectorState, request: Request) -> Response:
    """The page of one survey; no route where the setting ``answer_page`` is off."""
    _check_offered(state)
    published = state.published(request.path_params["fingerprint"])
    survey, today = published.survey, state.today().isoformat()
    closed = published.closed or bool(survey.closes and survey.closes < today)
    return page(
        request, "answer.html", headers=_headers(), published=published, survey=survey,
        host=request.url.netloc, closed=closed, early=today < survey.opens,
        answers=_answers(survey), questions=_questions(survey), script=_script(),
        **await state.aside(_privacy, survey),
    )  # fmt: skip


async def answer_script(state: CollectorState, request: Request) -> Response:
    """The script; a browser asks each time whether it is still the same, and mostly gets no body."""
    _check_offered(state)
    script = _script()
    tag = f'"{script.digest.hex()}"'
    headers = {**FILE_HEADERS, "cache-control": "no-cache", "etag": tag, "vary": "accept-encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    media = "text/javascript; charset=utf-8"
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(script.packed, 200, {**headers, "content-encoding": "gzip"}, media)
    return Response(script.data, 200, headers, media)


def _check_offered(state: CollectorState) -> None:
    if not state.settings.answer_page:
        told = "the page to answer on is turned off here (setting answer_page)"
        raise Declined("no-such-route", told)


def _answers(survey: Survey) -> list[str]:
    """The possible answers one by one, where they are few names."""
    domain = survey.mechanism.domain
    return (
        list(map(str, domain.labels())) if _is_named(domain) and domain.size <= _MOST_SHOWN else []
    )


def _is_named(domain: Domain) -> bool:
    """Whether a value is a name, or a whole number in place of one."""
    held = (
        domain.numbers,
        domain.dates,
        domain.keyed,
        domain.vector,
        domain.record,
        domain.choices,
    )
    return all(each is None for each in held)


def _questions(survey: Survey) -> list[tuple[str, str]]:
    """The questions of a record, each with what its answer is."""
    record = survey.mechanism.domain.record
    if record is None:
        return []
    pairs = zip(record.names, record.domains, strict=True)
    return [(survey.text_of(name), each.in_words()) for name, each in pairs]


def _privacy(survey: Survey) -> dict[str, Any]:
    """What the privacy means, in words and as a picture, and whether the promise may fail."""
    words = survey.privacy().splitlines()
    certificate = survey.mechanism.certificate()
    may_fail = bool(certificate.delta)
    reveals = certificate.scope is not None and certificate.scope.any_two is None
    return {
        "reveals": reveals,
        "privacy": words,
        "may_fail": may_fail,
        "often": _often(survey),
        "cost": cost_in_words(survey),
        "repeated": survey.ask != "1" or survey.mechanism.remembers,
        "pictures": () if may_fail or reveals else _pictures(survey),
    }


def _often(survey: Survey) -> str:
    """How often a person is asked, in a few words."""
    if survey.ask != "1":
        return f"once in {one_in(survey)} {survey.window}s; each device draws in which"
    return "once" if survey.window == "once" else f"once a {survey.window}"


def _pictures(survey: Survey) -> tuple[tuple[Markup, str], ...]:
    """Two pictures of 100 dots, and what they show: reports of people, or guesses of others."""
    lifetime = lifetime_of(survey)
    if lifetime is not None:
        return _guesses(
            belief(lifetime.ratio), "between two answers", "your reports", "all of them"
        )
    fits = _fits(survey)
    if fits is not None:
        own, others = (round(100 * each) for each in fits)
        return (
            _drawn(own, "own", f"Of 100 people with one answer, {own} send a report that fits it."),
            _drawn(others, "others", f"Of 100 with another answer, {others} send one that fits it too."),
        )  # fmt: skip
    certificate = survey.mechanism.certificate()
    after, scope = belief(certificate.ratio), certificate.scope
    about = "between two answers" if scope is None else f"about one {scope.hidden}"
    return _guesses(after, about, "your report", "it")


def _guesses(
    after: float, about: str, before: str, them: str
) -> tuple[tuple[Markup, str], tuple[Markup, str]]:
    return (
        _drawn(50, "before", f"Before {before}, a guess {about} is right 50 times of 100."),
        _drawn(math.ceil(after), "after", f"After {them}, at most {after:g} times."),
    )


def _drawn(filled: int, name: str, says: str) -> tuple[Markup, str]:
    title, description = f"{filled} of 100", "A hundred dots in ten rows."
    return people(filled, name=name, title=title, description=description), says


def _fits(survey: Survey) -> tuple[float, float] | None:
    """How likely a report fits a person's own answer, and another one; None where reports are not sets of answers."""
    domain = survey.mechanism.domain
    single = _is_named(domain) or domain.numbers is not None
    if not single or not 2 <= domain.size <= _LARGEST_CHANNEL:
        return None
    if domain.numbers is not None and not domain.numbers.whole:
        return None
    found = survey.mechanism.channel().support_probabilities
    return None if found is None else (found.p, found.q)
