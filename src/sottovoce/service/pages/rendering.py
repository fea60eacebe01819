"""Templates become pages: everything is escaped, nothing is loaded from elsewhere, and no script runs
but that of the page to answer on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from sottovoce import __version__
from sottovoce.service.pages import words
from sottovoce.service.pages.charts.numbers import number, percent

__all__ = [
    "FILE_HEADERS",
    "PAGE_HEADERS",
    "answer_style_sheet",
    "compile_templates",
    "WAIT",
    "icon",
    "is_patient",
    "page",
    "page_file",
    "root_of",
    "style_sheet",
]

PAGE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
"""What a browser may do with a page: show it, and send its forms back here."""
FILE_HEADERS = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}
"""What a browser may do with a file that pages load."""

_FOLDER = Path(__file__).parent
WAIT = "wait"
"""The parameter of a page that comes again, to wait for what it lacked."""
_PAUSE = 1
"""Seconds until a page comes again."""


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("sottovoce.service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=words.count, number=number, percent=percent, short=words.short)
    return environment


def compile_templates() -> None:
    """Read all templates, so that the first page does not wait for it."""
    environment = _templates()
    for name in environment.list_templates():
        environment.get_template(name)


def page(
    request: Request,
    template: str,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    incomplete: bool = False,
    **context: Any,
) -> Response:
    """A page made of a template, which finds the top of this collector's addresses in ``root``.

    One that is incomplete comes again by itself.
    """
    told = {"root": root_of(request), "version": __version__, **context}
    text = _templates().get_template(template).render(told)
    data = text.encode("utf-8", "replace")  # lone surrogates of hostile names
    more = {**PAGE_HEADERS, **(headers or {}), **(_again(request) if incomplete else {})}
    return Response(data, status, more, "text/html; charset=utf-8")


def is_patient(request: Request) -> bool:
    """Whether a page is asked for again by one that was incomplete."""
    return WAIT in request.query_params


def _again(request: Request) -> dict[str, str]:
    """What makes a browser ask once more, by a request that waits for what is missing.

    Until its answer is there the page stays as it is, and can be read: it does not change
    every moment under somebody's eyes or screen reader.
    """
    asked = [pair for pair in request.query_params.multi_items() if pair[0] != WAIT]
    return {"refresh": f"{_PAUSE}; url=?{urlencode([*asked, (WAIT, '1')])}"}


def root_of(request: Request) -> str:
    """The way from a page up to the front page, relative: it holds behind any prefix of a proxy."""
    return "../" * (request.url.path.count("/") - 1) or "./"


async def style_sheet(_: object, request: Request) -> Response:
    """The one style sheet of all pages."""
    return Response(page_file("style.css"), 200, FILE_HEADERS, "text/css; charset=utf-8")


async def answer_style_sheet(_: object, request: Request) -> Response:
    """What the page to answer on adds to it."""
    return Response(page_file("answer.css"), 200, FILE_HEADERS, "text/css; charset=utf-8")


async def icon(_: object, request: Request) -> Response:
    """The mark of all pages, which browsers show beside their title."""
    return Response(page_file("icon.svg"), 200, FILE_HEADERS, "image/svg+xml")


@cache
def page_file(name: str) -> bytes:
    """A file beside this module; read once."""
    return (_FOLDER / name).read_bytes()
