"""The part of MessagePack that uploads are made of, written in plain Python: devices have only numpy.

Written are unsigned integers, text, bytes and arrays, each in its shortest form.
"""

from __future__ import annotations

from typing import Any

from sottovoce.base.errors import InvalidInput

__all__ = ["pack"]

_LARGEST = 2**64 - 1


def pack(value: Any) -> bytes:
    """The shortest bytes of an unsigned integer, text, bytes, or a list of such.

    >>> pack([1, b"ab", "w"]).hex(" ")
    '93 01 c4 02 61 62 a1 77'
    """
    parts: list[bytes] = []
    _pack(value, parts)
    return b"".join(parts)


def _pack(value: Any, parts: list[bytes]) -> None:
    if type(value) is int and 0 <= value <= _LARGEST:
        parts.append(_integer(value))
    elif isinstance(value, bytes):
        parts += [_head(len(value), 0xC4, 0xC5, 0xC6), value]
    elif isinstance(value, str):
        text = value.encode()
        short = len(text) < 32
        parts += [
            bytes([0xA0 | len(text)]) if short else _head(len(text), 0xD9, 0xDA, 0xDB),
            text,
        ]
    elif isinstance(value, (list, tuple)):
        count = len(value)
        parts.append(bytes([0x90 | count]) if count < 16 else _head(count, None, 0xDC, 0xDD))
        for item in value:
            _pack(item, parts)
    else:
        allowed = "whole numbers from 0 to 2^64 - 1, text, bytes and lists of them"
        raise InvalidInput("value", "MessagePack", allowed, value)


def _integer(value: int) -> bytes:
    if value < 0x80:
        return bytes([value])
    for code, size in ((0xCC, 1), (0xCD, 2), (0xCE, 4)):
        if value < 1 << 8 * size:
            return bytes([code]) + value.to_bytes(size, "big")
    return b"\xcf" + value.to_bytes(8, "big")


def _head(length: int, one: int | None, two: int, four: int) -> bytes:
    """The code and the length, in 1, 2 or 4 bytes."""
    if one is not None and length < 1 << 8:
        return bytes([one, length])
    if length < 1 << 16:
        return bytes([two]) + length.to_bytes(2, "big")
    return bytes([four]) + length.to_bytes(4, "big")
