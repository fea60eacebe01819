"""Labels of any script and length, made fit for one line of a chart.

Names come from surveys, so they may be empty, 5,000 characters long, written from right to left,
or hostile.  Here they lose only what XML forbids and what breaks a line; escaping is the
serializer's work.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["Cut", "cut", "from_right", "plain", "width"]

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_JOINER = "\u200d"
_MARKS = 4  # code points per column: room for accents and joined signs, not for towers of them
EMPTY = "(empty)"


class Cut(NamedTuple):
    """The start of a text, what more a wide chart shows, and whether still more was left out."""

    head: str
    rest: str
    shortened: bool


def plain(text: str) -> str:
    """The text in one line, without characters that XML forbids.

    >>> plain("two\\nlines\\x00"), plain("  ")
    ('two lines�', '(empty)')
    """
    kept = " ".join(_FORBIDDEN.sub("\ufffd", text).split())
    return kept if any(_columns(sign) for sign in kept) else EMPTY


def cut(text: str, narrow: int, wide: int) -> Cut:
    """The text in two pieces: the columns a narrow chart shows, and those a wide one adds.

    >>> cut("cider", 3, 9), cut("cider", 2, 4)
    (Cut(head='cid', rest='er', shortened=False), Cut(head='ci', rest='de', shortened=True))
    """
    first, second = _fitting(text, narrow), _fitting(text, wide)
    return Cut(text[:first], text[first:second], second < len(text))


def width(text: str) -> float:
    """How wide a text is at most, about, in digits.

    >>> width("2026-01"), width("WW"), width("日本")
    (7.0, 3.3, 4.0)
    """
    return sum((_columns(sign) + 0.65 * sign.isupper() for sign in text), 0.0)


def from_right(text: str) -> bool:
    """Whether the first letter with a direction is written from right to left.

    >>> from_right("שלום 1"), from_right("tea"), from_right("42")
    (True, False, False)
    """
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def _fitting(text: str, columns: int) -> int:
    """How many code points fit, never parting a sign from the marks that follow it."""
    used = whole = 0
    for position, sign in enumerate(text[: _MARKS * columns]):
        width = _columns(sign)
        if width and (position == 0 or text[position - 1] != _JOINER):
            whole = position
        used += width
        if used > columns:
            return whole
    return len(text) if len(text) <= _MARKS * columns else _MARKS * columns


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
