"""How results show themselves in a notebook: a line of text, a picture, a table."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Callable
from html import escape
from typing import Any

from sottovoce.base.errors import SottovoceError

__all__ = ["picture_html", "result_html", "text_html"]

_DPI = 144
"""Pixels per inch of a picture: sharp where a screen has two pixels for each of a page."""


def result_html(heading: str, *parts: str) -> str:
    """A heading as text, and parts that are HTML already; empty parts are left out.

    >>> result_html("a < b", "", "<p>more</p>")
    '<div><p><strong>a &lt; b</strong></p><p>more</p></div>'
    """
    return f"<div><p><strong>{escape(heading)}</strong></p>{''.join(parts)}</div>"


def text_html(text: str) -> str:
    """Text as paragraphs, a line each."""
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line)


def picture_html(draw: Callable[[], Any], described: str) -> str:
    """What ``draw`` draws, as a picture inside of the page; nothing where it cannot be drawn.

    The figure is drawn on white, whatever the notebook's theme is, so that it can always be read.
    """
    try:
        figure = draw()
    except SottovoceError:
        return ""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DPI, facecolor="white")
    width = round(figure.get_figwidth() * 96)
    data = b64encode(picture.getvalue()).decode("ascii")
    return (
        f'<img src="data:image/png;base64,{data}" alt="{escape(described)}" '
        f'style="width:{width}px;max-width:100%">'
    )
