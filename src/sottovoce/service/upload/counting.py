"""How much an upload holds, told before anything is built of it.

A megabyte of MessagePack or JSON can stand for a million empty arrays: 60 MB of objects, and a
second of work to say what is wrong with them.  Here values are counted without being built, up to
as many as an upload may have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["has_too_many_values", "reports_in"]

_REPORT_VALUES = 3
"""Of a report: the pair, its id and its payload."""
_OTHER_VALUES = 8
_BLOCK = 2**18
"""Bytes of JSON among which there is a quotation mark."""

_parts = msgspec.msgpack.Decoder(tuple[msgspec.Raw, bytes, msgspec.Raw, msgspec.Raw]).decode

_skip = msgspec.msgpack.Decoder(msgspec.Raw).decode


class _Head(msgspec.Struct):
    """What is read of an upload in JSON that was refused: everything else is skipped."""

    fingerprint: str


_head = msgspec.json.Decoder(_Head).decode


def has_too_many_values(data: bytes, form: str, most_reports: int) -> bool:
    """Whether an upload holds more values than one of ``most_reports`` reports can.

    >>> has_too_many_values(b"\\xdd\\x00\\x01\\x00\\x00" + b"\\x90" * 65536, "msgpack", 100)
    True
    >>> has_too_many_values(b"[" * 65536, "json", 100)
    True
    """
    most = _REPORT_VALUES * most_reports + _OTHER_VALUES
    if form == "json":  # text with these in it is counted too high, and no upload has such text
        return sum(map(data.count, (b",", b"[", b"{"))) > most or _has_long_token(data)
    try:
        _skip(data)
    except RecursionError:  # a thousand arrays within each other: no need to count them
        return True
    except msgspec.MsgspecError:
        pass
    return _is_above(data, most)


def reports_in(data: bytes, form: str, surveys: Mapping[bytes, Any]) -> tuple[str, int]:
    """How many reports a refused upload has, and its fingerprint where it is one of ``surveys``.

    An empty one and one report where they cannot be counted.
    """
    try:
        if form == "json":
            fingerprint, count = bytes.fromhex(_head(data).fingerprint), data.count(b'"id"')
        else:
            _, fingerprint, _, reports = _parts(data)
            count = _items(bytes(memoryview(reports)[:5]))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return "", 1
    return (fingerprint.hex() if fingerprint in surveys else ""), max(1, count)


def _has_long_token(data: bytes) -> bool:
    """Whether JSON has a number, a text or blanks of 512 KiB, which would be copied several times.

    Blanks at the end are skipped where they are.
    """
    starts = range(0, len(data.rstrip()) - _BLOCK + 1, _BLOCK)
    return any(data.find(b'"', start, start + _BLOCK) < 0 for start in starts)


def _items(head: bytes) -> int:
    """The number of items of an array, by its first bytes; 1 for what is no array."""
    if 0x90 <= head[0] <= 0x9F:
        return head[0] & 0x0F
    width = {0xDC: 2, 0xDD: 4}.get(head[0], 0)
    return int.from_bytes(head[1 : 1 + width], "big") if width else 1


# -- values of MessagePack -------------------------------------------------------------------

_FIXED = {
    **{code: code & 0x1F for code in range(0xA0, 0xC0)},
    0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8,
    0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip
"""Codes with a value of fixed length after them: its bytes."""
_INSIDE = {code: (code & 0x0F) * (2 if code < 0x90 else 1) for code in range(0x80, 0xA0)}
"""Short maps and arrays: the values that they hold."""
_LONG = {
    0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 0), 0xC8: (2, 0), 0xC9: (4, 0),
    0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0), 0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2),
}  # fmt: skip
"""Codes with a length after them: its bytes, and how many values each of that length is."""


def _is_above(data: bytes, most: int) -> bool:
    """Whether MessagePack has more than ``most`` values, announced or there."""
    at, due, size = 0, 1, len(data)
    seen = 0
    while due and at < size:
        code = data[at]
        due -= 1
        seen += 1
        if code in _LONG:
            width, values = _LONG[code]
            length = int.from_bytes(data[at + 1 : at + 1 + width], "big")
            due += length * values
            at += 1 + width + (0 if values else length + (0xC7 <= code <= 0xC9))
        else:
            due += _INSIDE.get(code, 0)
            at += 1 + _FIXED.get(code, 0)
        if seen + due > most:
            return True
    return False
