"""Uploads as a collector reads them: their parts, then their reports, or a refusal with its code.

Everything that :mod:`sottovoce.wire.uploads` may write is read, in any of the lengths that MessagePack
has for it.  What is wrong first, in the order of ``docs/reference/wire.md``, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sottovoce.base.canonical import read_document
from sottovoce.base.errors import CorruptBytes, Refused
from sottovoce.core.reports import Reports
from sottovoce.surveys.survey import Survey
from sottovoce.wire.payloads import reports_from_payloads
from sottovoce.wire.uploads import (
    ID_BYTES,
    MAXIMUM_BYTES,
    MAXIMUM_REPORTS,
    VERSION,
    Upload,
    check_form,
    check_upload_window,
)

__all__ = ["OTHER", "Received", "admit_upload", "decode_upload", "parse_upload", "unpack"]

_FINGERPRINT_BYTES = 16
_HEX = re.compile("(?:[0-9a-f]{2})*")


@dataclass(frozen=True)
class Received:
    """An upload found in order: whose it is, and its reports under their ids."""

    survey: Survey
    window: str
    ids: tuple[bytes, ...]
    reports: Reports


def decode_upload(
    data: bytes,
    surveys: Survey | Mapping[str, Survey],
    form: str = "msgpack",
    *,
    maximum_bytes: int = MAXIMUM_BYTES,
    maximum_reports: int = MAXIMUM_REPORTS,
) -> Received:
    """The reports of an upload to one of ``surveys`` (by fingerprint), or :class:`Refused`."""
    upload = parse_upload(data, form, maximum_bytes=maximum_bytes, maximum_reports=maximum_reports)
    known = {surveys.fingerprint: surveys} if isinstance(surveys, Survey) else surveys
    survey = known.get(upload.fingerprint)
    if survey is None:
        raise Refused("unknown-survey", f"no survey has the fingerprint {upload.fingerprint}")
    return Received(survey, upload.window, upload.ids, admit_upload(upload, survey))


def admit_upload(upload: Upload, survey: Survey) -> Reports:
    """The reports of an upload to this survey; its window and payloads are checked."""
    if upload.fingerprint != survey.fingerprint:
        raise Refused("unknown-survey", f"{upload.fingerprint} is not {survey.fingerprint}")
    check_upload_window(survey, upload.window)
    return reports_from_payloads(survey.mechanism, upload.payloads)


def parse_upload(
    data: bytes,
    form: str = "msgpack",
    *,
    maximum_bytes: int = MAXIMUM_BYTES,
    maximum_reports: int = MAXIMUM_REPORTS,
) -> Upload:
    """The parts of an upload, whosever it is: all that can be checked without its survey."""
    check_form(form)
    if len(data) > maximum_bytes:
        raise Refused("too-large", f"{len(data)} bytes; at most {maximum_bytes} are taken at once")
    if form == "json":
        return _checked(*_json_parts(data), maximum_reports)
    try:
        parts = unpack(data)
    except CorruptBytes as error:
        raise Refused("malformed", str(error)) from error
    if type(parts) is not list or not parts:
        raise Refused("malformed", "an upload must be an array")
    _check_version(parts[0])
    if len(parts) != 4:
        raise Refused("malformed", f"an upload has 4 parts, this one {len(parts)}")
    return _checked(parts[1], parts[2], parts[3], maximum_reports)


def _checked(fingerprint: Any, window: Any, reports: Any, maximum_reports: int) -> Upload:
    if type(fingerprint) is not bytes or len(fingerprint) != _FINGERPRINT_BYTES:
        raise Refused("malformed", f"the fingerprint must be {_FINGERPRINT_BYTES} bytes")
    if type(window) is not str:
        raise Refused("malformed", "the window must be text")
    if type(reports) is not list or not reports:
        raise Refused("malformed", "the reports must be an array with at least one report")
    if len(reports) > maximum_reports:
        raise Refused(
            "too-large", f"{len(reports)} reports; at most {maximum_reports} are taken at once"
        )
    ids, payloads = [], []
    for position, report in enumerate(reports):
        if type(report) is not list or len(report) != 2:
            raise Refused("malformed", "a report must be an id and a payload", position)
        number, payload = report
        if type(number) is not bytes or len(number) != ID_BYTES:
            raise Refused("no-id", f"the id must be {ID_BYTES} bytes", position)
        if type(payload) is not bytes:
            raise Refused("wrong-payload", "the payload must be bytes", position)
        ids.append(number)
        payloads.append(payload)
    return Upload(fingerprint.hex(), window, tuple(ids), tuple(payloads))


def _check_version(version: Any) -> None:
    if type(version) is not int:
        raise Refused("malformed", "an upload begins with its version, a whole number")
    if version != VERSION:
        raise Refused("wrong-version", f"version {version}; this collector takes {VERSION}")


# -- MessagePack -------------------------------------------------------------------------

OTHER = object()
"""What a map or an extension type is read as: neither belongs anywhere in an upload."""
DEEPEST = 8
"""Arrays in arrays; an upload needs four."""

_whole = msgspec.msgpack.Decoder(msgspec.Raw).decode
_items = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_scalar = msgspec.msgpack.Decoder().decode


def unpack(data: bytes) -> Any:
    """The one value that MessagePack holds, in any of its lengths; arrays become lists.

    Bytes that break off, that go on after the value, text that is not UTF-8, the byte
    C1, which means nothing, and more than 8 arrays in each other are refused.  msgspec alone would
    also refuse keys of maps and times that it cannot represent, wherever they are.

    >>> unpack(bytes.fromhex("93 01 c4 02 61 62 a1 77"))
    [1, b'ab', 'w']
    """
    try:
        return _value(_whole(data), 0)
    except RecursionError:
        raise CorruptBytes(f"more than {DEEPEST} arrays in each other") from None
    except UnicodeDecodeError as error:
        raise CorruptBytes("a text is not UTF-8") from error
    except msgspec.MsgspecError as error:
        raise CorruptBytes(f"not one whole value of MessagePack: {error}") from error


def _value(raw: msgspec.Raw, depth: int) -> Any:
    data = bytes(raw)
    code = data[0]
    if code in _EXTENSIONS:
        return OTHER
    if code not in _ARRAYS and code not in _MAPS:
        return _scalar(data)
    if depth == DEEPEST:
        raise CorruptBytes(f"more than {DEEPEST} arrays in each other")
    if code in _ARRAYS:
        return [_value(item, depth + 1) for item in _items(data)]
    size = _MAPS[code]
    pairs = int.from_bytes(data[1 : 1 + size], "big") if size else code & 0x0F
    for item in _items(b"\xdd" + (2 * pairs).to_bytes(4, "big") + data[1 + size :]):
        _value(item, depth + 1)  # as an array of keys and values
    return OTHER


_ARRAYS = frozenset([*range(0x90, 0xA0), 0xDC, 0xDD])
_MAPS = {**dict.fromkeys(range(0x80, 0x90), 0), 0xDE: 2, 0xDF: 4}
"""Codes of maps, with the bytes of their length."""
_EXTENSIONS = frozenset([0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9)])


# -- JSON --------------------------------------------------------------------------------


def _json_parts(data: bytes) -> tuple[Any, Any, Any]:
    """The parts of an upload in JSON, as MessagePack would have given them."""
    try:
        document = read_document(data, "the upload")
    except CorruptBytes as error:
        raise Refused("malformed", str(error)) from error
    if not isinstance(document, dict) or "version" not in document:
        raise Refused("malformed", "an upload must be an object with its version")
    _check_version(document["version"])
    _check_keys(document, {"version", "fingerprint", "window", "reports"})
    reports = document["reports"]
    if isinstance(reports, list):
        reports = [_json_report(report, place) for place, report in enumerate(reports)]
    return _bytes(document["fingerprint"]), document["window"], reports


def _json_report(report: Any, position: int) -> Any:
    if not isinstance(report, dict):
        return None  # refused in its turn: only an object is a report
    _check_keys({"id": None, **report}, {"id", "payload"}, position)
    return [_bytes(report.get("id")), _bytes(report["payload"])]


def _bytes(text: Any) -> Any:
    """Bytes of lower-case hexadecimal text; anything else as it is, to be refused in its place."""
    return bytes.fromhex(text) if isinstance(text, str) and _HEX.fullmatch(text) else text


def _check_keys(given: Mapping[str, Any], wanted: set[str], position: int | None = None) -> None:
    if given.keys() != wanted:
        what = "an upload" if position is None else "a report"
        allowed = ", ".join(sorted(wanted))
        raise Refused("malformed", f"{what} has exactly the keys {allowed}", position)
