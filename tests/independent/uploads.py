"""Uploads: MessagePack and JSON, written and read, with the first thing that is wrong."""

from __future__ import annotations

import re

from independent.documents import Refused, canonical, read
from independent.surveys import Survey, days_of

MOST_BYTES = 2**20
MOST_REPORTS = 10_000
DEEPEST = 8


class Wrong(Exception):
    """A code, and the report at fault or None."""


def need(condition: object, code: str, place: int | None = None) -> None:
    """Refuse unless."""
    if not condition:
        raise Wrong(code, place)


def write(value) -> bytes:
    """The shortest MessagePack of what an upload is made of."""
    if isinstance(value, int):
        return bytes([value])
    if isinstance(value, list):
        body = b"".join(map(write, value))
        if len(value) < 16:
            return bytes([0x90 + len(value)]) + body
        return b"\xdc" + len(value).to_bytes(2, "big") + body
    if isinstance(value, str):
        return bytes([0xA0 + len(value)]) + value.encode()
    code, size = (0xC4, 1) if len(value) < 256 else (0xC5, 2)
    return bytes([code]) + len(value).to_bytes(size, "big") + value


def upload(fingerprint: str, window: str, reports: list) -> bytes:
    """An upload in MessagePack, of ids and payloads."""
    return write([2, bytes.fromhex(fingerprint), window, [list(report) for report in reports]])


def upload_json(fingerprint: str, window: str, reports: list) -> bytes:
    """The same in JSON."""
    listed = [{"id": i.hex(), "payload": payload.hex()} for i, payload in reports]
    parts = {"version": 2, "fingerprint": fingerprint, "window": window, "reports": listed}
    return canonical(parts).encode()


class Unpacker:
    """MessagePack as far as uploads need it; what else there is becomes an odd object."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes; where they break off, the end is never met again."""
        start, self.at = self.at, self.at + count
        return self.data[start : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def value(self, depth: int):
        code = self.number(1)
        if code < 0x80 or code >= 0xE0:
            return code  # those from e0 on are below 0, and no version
        if code < 0x90:
            return self.other(2 * (code - 0x80), depth)
        if code < 0xA0:
            return self.items(code - 0x90, depth)
        if code < 0xC0:
            return self.text(code - 0xA0)
        if code in (0xC4, 0xC5, 0xC6):
            return self.take(self.number(1 << code - 0xC4))
        if 0xCC <= code <= 0xD3:
            return self.number(1 << code % 4)
        if code in (0xD9, 0xDA, 0xDB):
            return self.text(self.number(1 << code - 0xD9))
        if code in (0xDC, 0xDD):
            return self.items(self.number(2 << code - 0xDC), depth)
        if code in (0xDE, 0xDF):
            return self.other(2 * self.number(2 << code - 0xDE), depth)
        if code in (0xC7, 0xC8, 0xC9):
            return self.odd(self.number(1 << code - 0xC7) + 1)
        need(code != 0xC1, "malformed")
        return self.odd(SKIPPED[code])

    def text(self, length: int) -> str:
        try:
            return self.take(length).decode()
        except UnicodeDecodeError:
            raise Wrong("malformed", None) from None

    def items(self, count: int, depth: int) -> list:
        need(depth < DEEPEST and count <= len(self.data), "malformed")
        return [self.value(depth + 1) for _ in range(count)]

    def other(self, count: int, depth: int) -> object:
        self.items(count, depth)
        return object()

    def odd(self, length: int) -> object:
        self.take(length)
        return object()


SKIPPED = {
    0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17
}  # fmt: skip
"""Nothing, false and true, floats, extensions: how many bytes follow the code."""


def check_version(version: object) -> None:
    need(type(version) is int, "malformed")
    need(version == 2, "wrong-version")


def parts_of_msgpack(data: bytes) -> list:
    reader = Unpacker(data)
    parts = reader.value(0)
    need(reader.at == len(data) and isinstance(parts, list) and parts, "malformed")
    check_version(parts[0])
    need(len(parts) == 4, "malformed")
    return parts[1:]


def unhex(text: object) -> object:
    is_hex = isinstance(text, str) and re.fullmatch("([0-9a-f]{2})*", text)
    return bytes.fromhex(str(text)) if is_hex else text


def parts_of_json(data: bytes) -> list:
    try:
        told = read(data)
    except Refused:
        raise Wrong("malformed", None) from None
    need(isinstance(told, dict) and "version" in told, "malformed")
    check_version(told["version"])
    need(set(told) == {"version", "fingerprint", "window", "reports"}, "malformed")
    reports = told["reports"]
    if isinstance(reports, list):
        for place, report in enumerate(reports):
            reports[place] = None
            if isinstance(report, dict):
                need(set(report) | {"id"} == {"id", "payload"}, "malformed", place)
                reports[place] = [unhex(report.get("id")), unhex(report["payload"])]
    return [unhex(told["fingerprint"]), told["window"], reports]


def take(data: bytes, form: str, surveys: dict[str, Survey]) -> tuple[str, str, list]:
    """Fingerprint, window and reports of an upload, or ``Wrong``."""
    need(len(data) <= MOST_BYTES, "too-large")
    mark, window, reports = (parts_of_msgpack if form == "msgpack" else parts_of_json)(data)
    need(isinstance(mark, bytes) and len(mark) == 16, "malformed")
    need(isinstance(window, str), "malformed")
    need(isinstance(reports, list) and reports, "malformed")
    need(len(reports) <= MOST_REPORTS, "too-large")
    for place, report in enumerate(reports):
        need(isinstance(report, list) and len(report) == 2, "malformed", place)
        need(isinstance(report[0], bytes) and len(report[0]) == 16, "no-id", place)
        need(isinstance(report[1], bytes), "wrong-payload", place)
    need(mark.hex() in surveys, "unknown-survey")
    survey = surveys[mark.hex()]
    try:
        days_of(survey.window, window)
    except Refused:
        raise Wrong("malformed", None) from None
    for place, (_, payload) in enumerate(reports):
        need(survey.mechanism.reads(payload), "wrong-payload", place)
    return mark.hex(), window, reports
