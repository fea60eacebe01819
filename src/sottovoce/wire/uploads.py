"""Uploads: how reports travel, version 2, as MessagePack or as JSON.

An upload is ``[2, fingerprint, window, [[id, payload], ...]]``: reports of one survey and
one window, each under a random id of 16 bytes that makes sending it twice harmless.
All payloads of a survey have one length, and so have all uploads of one report.
It is taken whole or refused whole, with one of the codes of :data:`REFUSALS`.
The page ``docs/reference/wire.md`` says it byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.base.canonical import read_document
from sottovoce.base.errors import CorruptBytes, InvalidInput, Refused
from sottovoce.base.randomness import OperatingSystem, Source
from sottovoce.core.reports import Reports
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today, window_days, window_name
from sottovoce.wire.msgpack import pack, unpack
from sottovoce.wire.payloads import payloads_of, reports_from_payloads

__all__ = [
    "FORMS",
    "MAXIMUM_BYTES",
    "MAXIMUM_REPORTS",
    "REFUSALS",
    "VERSION",
    "Received",
    "Refusal",
    "Upload",
    "admit_upload",
    "decode_upload",
    "encode_upload",
    "new_id",
    "parse_upload",
    "payloads_of",
    "reports_from_payloads",
    "upload_from_parts",
    "upload_size",
]

VERSION = 2
FORMS = {"msgpack": "application/msgpack", "json": "application/json"}
"""The forms of an upload and their media types."""

MAXIMUM_BYTES = 2**20
MAXIMUM_REPORTS = 10_000
"""What an upload may hold unless the collector says otherwise."""

_ID_BYTES = 16
_FINGERPRINT_BYTES = 16
_HEX = re.compile("(?:[0-9a-f]{2})*")


@dataclass(frozen=True)
class Refusal:
    """A way to be refused: the HTTP status, whether sending again is in vain, what it means."""

    status: int
    final: bool
    meaning: str


REFUSALS = {
    "unknown-survey": Refusal(404, True, "no survey here has this fingerprint"),
    "wrong-version": Refusal(400, True, "an upload of another version"),
    "malformed": Refusal(400, True, "not the form of an upload, or no window of this survey"),
    "wrong-payload": Refusal(422, True, "a payload outside the fields of the mechanism"),
    "no-id": Refusal(422, True, "a report without an id of 16 bytes"),
    "too-large": Refusal(413, True, "more bytes or reports than are taken at once"),
    "window-closed": Refusal(410, True, "the window is over, or not within the survey's dates"),
    "clock-skew": Refusal(409, False, "the window has not begun by the collector's clock"),
    "not-allowed": Refusal(403, False, "no token, a wrong one, or one already used"),
    "rate-limited": Refusal(429, False, "too much at once; Retry-After says when to come back"),
}
"""Every code, in words for people and machines."""


@dataclass(frozen=True)
class Upload:
    """Reports of one survey and window, as they travel: ids and payloads side by side."""

    fingerprint: str
    window: str
    ids: tuple[bytes, ...]
    payloads: tuple[bytes, ...]

    @classmethod
    def of(cls, survey: Survey, window: str, ids: list[bytes], reports: Reports) -> Upload:
        """The upload of some reports, checked as a collector would."""
        upload = cls(survey.fingerprint, window, tuple(ids), tuple(payloads_of(reports)))
        if not reports.certified:
            allowed = "drawn by the mechanism itself, not converted from floats"
            raise InvalidInput("reports", "an upload", allowed, reports)
        if len(ids) != len(reports):
            raise InvalidInput("ids", "an upload", f"{len(reports)}, one per report", len(ids))
        for number in ids:
            if not isinstance(number, bytes) or len(number) != _ID_BYTES:
                raise InvalidInput("id", "an upload", f"{_ID_BYTES} bytes", number)
        admit_upload(upload, survey)
        return upload


@dataclass(frozen=True)
class Received:
    """An upload found in order: whose it is, and its reports under their ids."""

    survey: Survey
    window: str
    ids: tuple[bytes, ...]
    reports: Reports


def new_id(source: Source | None = None) -> bytes:
    """A fresh id: 16 random bytes."""
    return (OperatingSystem() if source is None else source).words(2).astype("<u8").tobytes()


def encode_upload(upload: Upload, form: str = "msgpack") -> bytes:
    """The bytes of an upload, the same for the same upload."""
    reports = zip(upload.ids, upload.payloads, strict=True)
    if form == "msgpack":
        fingerprint = bytes.fromhex(upload.fingerprint)
        return pack([VERSION, fingerprint, upload.window, [[i, p] for i, p in reports]])
    _check_form(form)
    listed = [{"id": i.hex(), "payload": p.hex()} for i, p in reports]
    document = {"version": VERSION, "fingerprint": upload.fingerprint, "window": upload.window}
    return json.dumps({**document, "reports": listed}, separators=(",", ":")).encode()


def upload_size(survey: Survey) -> int:
    """Bytes of an upload of one report: the same for every value."""
    window = window_name(survey.window, today())
    payload = bytes(sum(field.width for field in survey.mechanism.fields))
    return len(encode_upload(Upload(survey.fingerprint, window, (bytes(_ID_BYTES),), (payload,))))


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
    try:
        window_days(survey.window, upload.window)
    except InvalidInput as error:
        raise Refused("malformed", str(error)) from error
    return reports_from_payloads(survey.mechanism, upload.payloads)


def parse_upload(
    data: bytes,
    form: str = "msgpack",
    *,
    maximum_bytes: int = MAXIMUM_BYTES,
    maximum_reports: int = MAXIMUM_REPORTS,
) -> Upload:
    """The parts of an upload, whosever it is: all that can be checked without its survey."""
    _check_form(form)
    if len(data) > maximum_bytes:
        raise Refused("too-large", f"{len(data)} bytes; at most {maximum_bytes} are taken at once")
    if form == "json":
        return _checked(*_json_parts(data), maximum_reports)
    try:
        parts = unpack(data)
    except CorruptBytes as error:
        raise Refused("malformed", str(error)) from error
    return upload_from_parts(parts, maximum_reports=maximum_reports)


def upload_from_parts(parts: Any, *, maximum_reports: int = MAXIMUM_REPORTS) -> Upload:
    """The upload that unpacked MessagePack is, by whatever library it was unpacked."""
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
        if type(number) is not bytes or len(number) != _ID_BYTES:
            raise Refused("no-id", f"the id must be {_ID_BYTES} bytes", position)
        if type(payload) is not bytes:
            raise Refused("wrong-payload", "the payload must be bytes", position)
        ids.append(number)
        payloads.append(payload)
    return Upload(fingerprint.hex(), window, tuple(ids), tuple(payloads))


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise InvalidInput("form", "an upload", f"one of {', '.join(FORMS)}", form)


def _check_version(version: Any) -> None:
    if type(version) is not int:
        raise Refused("malformed", "an upload begins with its version, a whole number")
    if version != VERSION:
        raise Refused("wrong-version", f"version {version}; this collector takes {VERSION}")


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
