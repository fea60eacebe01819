"""From the bytes of an upload to rows for the store: quickly where all is well, else with reasons.

The quick way decodes with msgspec, to the types of an upload and nothing else, so that what is not
one is refused where it begins to differ.  It looks at every item in plain Python, which for one
report or a hundred is several times as fast as arrays would be.  It gives no reasons: whatever is
not plainly right goes the careful way, which is the wire's own reading, unless it holds far more
than an upload can.  Both take the same uploads, which tests show on every vector and on made-up ones.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Annotated, Any

import msgspec

from sottovoce.core.errors import InvalidInput, Refused
from sottovoce.core.fields import BitField, Field, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.windows import check_window
from sottovoce.core.wire import VERSION, admit_upload, parse_upload
from sottovoce.service.counting import has_too_many_values, reports_in
from sottovoce.store import Published

__all__ = ["Taken", "Taker", "row_maker", "take_carefully", "take_quickly"]

_Bytes16 = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
_Window = Annotated[str, msgspec.Meta(max_length=16)]
_Payload = Annotated[list[int | bytes], msgspec.Meta(max_length=8)]

RowMaker = Callable[[Sequence[Any]], bytes | None]


class Taker:
    """A published survey, prepared to take reports."""

    def __init__(self, published: Published) -> None:
        self.published, self.survey = published, published.survey
        self.fingerprint = published.survey.fingerprint
        self.row = row_maker(published.survey.mechanism)
        self.wants_token = published.rules.upload == "tokens"
        self._days: tuple[date, date] | None = None
        self._open: set[str] = set()

    def check_window(self, name: str, earliest: date, latest: date) -> None:
        """Refuse a window that is not open; those found open are remembered for the day."""
        if self._days != (earliest, latest):
            self._days, self._open = (earliest, latest), set()
        if name in self._open:
            return
        try:
            check_window(self.survey, name, earliest=earliest, latest=latest)
        except InvalidInput as error:
            raise Refused("malformed", str(error)) from error
        if self.published.closed:
            raise Refused("window-closed", f"survey {self.survey.name!r} is closed")
        self._open.add(name)


@dataclass(frozen=True, slots=True)
class Taken:
    """An upload in order, but for its window and token: whose, its ids, its rows."""

    taker: Taker
    window: str
    ids: list[bytes]
    rows: list[bytes]


def take_quickly(data: bytes, takers: dict[bytes, Taker], most: int) -> Taken | None:
    """The reports of an upload in MessagePack; None wherever anything is unusual.

    One in order, but for its survey, is refused at once.
    """
    try:
        version, fingerprint, window, reports = _decoder(most).decode(data)
    except (msgspec.MsgspecError, ValueError):
        return None
    if version != VERSION:
        return None
    taker = takers.get(fingerprint)
    if taker is None:
        raise _unknown(fingerprint.hex())
    ids, rows, row_of = [], [], taker.row
    for number, payload in reports:
        row = row_of(payload)
        if row is None:
            return None
        ids.append(number)
        rows.append(row)
    return Taken(taker, window, ids, rows)


@cache
def _decoder(most: int) -> msgspec.msgpack.Decoder[Any]:
    """Reads uploads of at most so many reports; nothing else is built, however it is nested."""
    reports = Annotated[
        list[tuple[_Bytes16, _Payload]], msgspec.Meta(min_length=1, max_length=most)
    ]
    return msgspec.msgpack.Decoder(tuple[int, _Bytes16, _Window, reports])


def take_carefully(data: bytes, form: str, takers: dict[bytes, Taker], most: int) -> Taken:
    """The same by the wire's own reading, which refuses with what is wrong first."""
    if has_too_many_values(data, form, most):
        code = "too-large" if reports_in(data, form, takers)[1] > most else "malformed"
        raise Refused(code, f"more values than {most} reports have")
    upload = parse_upload(data, form, maximum_bytes=len(data), maximum_reports=most)
    taker = takers.get(bytes.fromhex(upload.fingerprint))
    if taker is None:
        raise _unknown(upload.fingerprint)
    admit_upload(upload, taker.survey)
    rows = [taker.row(payload) or b"" for payload in upload.payloads]
    return Taken(taker, upload.window, list(upload.ids), rows)


def _unknown(fingerprint: str) -> Refused:
    return Refused("unknown-survey", f"no survey has the fingerprint {fingerprint}")


# -- rows ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Item:
    """What is allowed in one place of a payload, and how it is packed."""

    kind: type[Any]
    size: int
    width: int
    code: str
    spare: int = 0
    numbers: struct.Struct | None = field(default=None)

    def fits(self, item: Any) -> bool:
        if type(item) is not self.kind:  # True is no number
            return False
        if self.kind is int:
            return bool(0 <= item < self.size)
        if len(item) != self.width:
            return False
        if self.spare:
            return not item[-1] >> (8 - self.spare)
        return self.numbers is None or max(self.numbers.unpack(item)) < self.size


_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def _item(each: Field) -> _Item:
    if isinstance(each, IntField):
        width = each.dtype.itemsize
        return _Item(int, each.size, width, _CODES[width])
    code = f"{each.width}s"
    if isinstance(each, BitField):
        return _Item(bytes, each.size, each.width, code, spare=8 * each.width - each.size)
    digit = each.dtype.itemsize
    full = each.size == 1 << 8 * digit
    numbers = None if full else struct.Struct(f"<{each.count}{_CODES[digit]}")
    return _Item(bytes, each.size, each.width, code, numbers=numbers)


def row_maker(mechanism: Mechanism) -> RowMaker:
    """What makes a payload the row that is stored: its fields side by side, little-endian.

    It returns None for a payload outside the fields.

    >>> import sottovoce as sv
    >>> row = row_maker(sv.mechanism("grr", sv.Categories(1000), 1.0))
    >>> row([513]), row([1000]), row([True]), row([1, 2])
    (b'\\x01\\x02', None, None, None)
    """
    items = [_item(each) for each in mechanism.fields]
    if len(items) == 1 and items[0].kind is int:
        return _maker_of_one_number(items[0])
    pack = struct.Struct("<" + "".join(item.code for item in items)).pack
    count = len(items)

    def row(payload: Sequence[Any]) -> bytes | None:
        if len(payload) != count:
            return None
        for item, given in zip(items, payload, strict=True):
            if not item.fits(given):
                return None
        return pack(*payload)

    return row


def _maker_of_one_number(item: _Item) -> RowMaker:
    """The same, for the many mechanisms whose report is one number."""
    size, width = item.size, item.width

    def row(payload: Sequence[Any]) -> bytes | None:
        if len(payload) != 1:
            return None
        number = payload[0]
        if type(number) is not int or not 0 <= number < size:
            return None
        return number.to_bytes(width, "little")

    return row
