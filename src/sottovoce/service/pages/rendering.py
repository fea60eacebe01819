"""Templates become pages: everything is escaped, nothing is loaded from elsewhere, no script runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from sottovoce import __version__
from sottovoce.service.pages import words
from sottovoce.service.pages.charts.numbers import number, percent

__all__ = ["PAGE_HEADERS", "icon", "page", "root_of", "style_sheet"]

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
_FILE_HEADERS = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}

_FOLDER = Path(__file__).parent


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


def page(
    request: Request,
    template: str,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """A page made of a template, which finds the top of this collector's addresses in ``root``."""
    told = {"root": root_of(request), "version": __version__, "refresh": None, **context}
    text = _templates().get_template(template).render(told)
    data = text.encode("utf-8", "replace")  # lone surrogates of hostile names
    more = {**PAGE_HEADERS, **(headers or {})}
    return Response(data, status, more, "text/html; charset=utf-8")


def root_of(request: Request) -> str:
    """The way from a page up to the front page, relative: it holds behind any prefix of a proxy."""
    return "../" * (request.url.path.count("/") - 1) or "./"


async def style_sheet(_: object, request: Request) -> Response:
    """The one style sheet of all pages."""
    return Response(_file("style.css"), 200, _FILE_HEADERS, "text/css; charset=utf-8")


async def icon(_: object, request: Request) -> Response:
    """The mark of all pages, which browsers show beside their title."""
    return Response(_file("icon.svg"), 200, _FILE_HEADERS, "image/svg+xml")


@cache
def _file(name: str) -> bytes:
    return (_FOLDER / name).read_bytes()
