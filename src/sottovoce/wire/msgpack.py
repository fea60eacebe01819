"""The part of MessagePack that uploads are made of, in plain Python.

Written are unsigned integers, text, bytes and arrays, each in its shortest form.
Read is all that is well formed, in any of its lengths: what belongs where is for the
reader to say.  Maps and extension types never belong anywhere and become :data:`OTHER`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from sottovoce.base.errors import CorruptBytes, InvalidInput

__all__ = ["OTHER", "pack", "unpack"]

OTHER = object()
"""What stands for a map or an extension type."""

DEEPEST = 8
"""Arrays in arrays; an upload needs four."""

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


def unpack(data: bytes) -> Any:
    """The one value that ``data`` holds; arrays become lists.

    Bytes that break off, that go on after the value, text that is no UTF-8, the byte
    C1, which means nothing, and more than 8 arrays in each other are refused.

    >>> unpack(bytes.fromhex("93 01 c4 02 61 62 a1 77"))
    [1, b'ab', 'w']
    """
    try:
        value, end = _unpack(data, 0, 0)
    except (IndexError, struct.error):
        raise CorruptBytes("the bytes break off within a value") from None
    except UnicodeDecodeError as error:
        raise CorruptBytes("a text is not UTF-8") from error
    if end != len(data):
        raise CorruptBytes(f"{len(data) - end} bytes follow the value")
    return value


def _unpack(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    """The value whose code is at ``at``, and where the next one begins."""
    return _READERS[data[at]](data, at, depth)


_Reader = Callable[[bytes, int, int], tuple[Any, int]]
"""Reads the value whose code is at a place, at a depth."""


def _slice(data: bytes, at: int, length: int) -> bytes:
    part = data[at : at + length]
    if len(part) != length:
        raise IndexError
    return part


def _small(data: bytes, at: int, depth: int) -> tuple[int, int]:
    code = data[at]
    return code if code < 0x80 else code - 0x100, at + 1


def _no_value(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    raise CorruptBytes(f"the byte {data[at]:02x} begins no value")


def _constant(value: Any) -> _Reader:
    return lambda data, at, depth: (value, at + 1)


def _number(form: str, size: int) -> _Reader:
    unpack_from = struct.Struct(form).unpack_from
    return lambda data, at, depth: (unpack_from(data, at + 1)[0], at + 1 + size)


_Body = Callable[[bytes, int, int, int], tuple[Any, int]]
"""Reads what follows a code: where, how long or how many, at which depth."""


def _short(body: _Body, mask: int) -> _Reader:
    """The length is in the lowest bits of the code."""
    return lambda data, at, depth: body(data, at + 1, data[at] & mask, depth)


def _long(body: _Body, size: int) -> _Reader:
    """The length is in the ``size`` bytes after the code."""

    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        length = int.from_bytes(_slice(data, at + 1, size), "big")
        return body(data, at + 1 + size, length, depth)

    return read


def _fixed(body: _Body, length: int) -> _Reader:
    """The length is told by the code."""
    return lambda data, at, depth: body(data, at + 1, length, depth)


def _bytes(data: bytes, at: int, length: int, depth: int) -> tuple[bytes, int]:
    return _slice(data, at, length), at + length


def _text(data: bytes, at: int, length: int, depth: int) -> tuple[str, int]:
    return _slice(data, at, length).decode(), at + length


def _array(data: bytes, at: int, count: int, depth: int) -> tuple[list[Any], int]:
    if depth == DEEPEST:
        raise CorruptBytes(f"more than {DEEPEST} arrays in each other")
    if count > len(data) - at:
        raise IndexError  # before room is made for items that cannot be there
    items = []
    for _ in range(count):
        item, at = _READERS[data[at]](data, at, depth + 1)
        items.append(item)
    return items, at


def _map(data: bytes, at: int, count: int, depth: int) -> tuple[object, int]:
    return OTHER, _array(data, at, 2 * count, depth)[1]


def _extension(data: bytes, at: int, length: int, depth: int) -> tuple[object, int]:
    _slice(data, at, length + 1)  # its type, one byte, comes before what it holds
    return OTHER, at + length + 1


_READERS: list[_Reader] = (
    [_small] * 0x80                      # 00 to 7f
    + [_short(_map, 0x0F)] * 16          # 80 to 8f
    + [_short(_array, 0x0F)] * 16        # 90 to 9f
    + [_short(_text, 0x1F)] * 32         # a0 to bf
    + [_constant(None), _no_value, _constant(False), _constant(True)]
    + [_long(_bytes, size) for size in (1, 2, 4)]  # c4
    + [_long(_extension, size) for size in (1, 2, 4)]
    + [_number(">f", 4), _number(">d", 8)]  # ca
    + [_number(">B", 1), _number(">H", 2), _number(">I", 4), _number(">Q", 8)]
    + [_number(">b", 1), _number(">h", 2), _number(">i", 4), _number(">q", 8)]
    + [_fixed(_extension, length) for length in (1, 2, 4, 8, 16)]  # d4
    + [_long(_text, size) for size in (1, 2, 4)]  # d9
    + [_long(_array, size) for size in (2, 4)]
    + [_long(_map, size) for size in (2, 4)]
    + [_small] * 32                      # e0 to ff
)  # fmt: skip
"""For every code, how its value is read."""
