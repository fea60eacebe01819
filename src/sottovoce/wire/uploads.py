"""Uploads: how reports travel, version 2, as MessagePack or as JSON.

An upload is ``[2, fingerprint, window, [[id, payload], ...]]``: reports of one survey and
one window, each under a random id of 16 bytes that makes sending it twice harmless.
All payloads of a survey have one length, and so have all uploads of one report.
It is taken whole or refused whole, with one of the codes of :data:`REFUSALS`.
The page ``docs/reference/wire.md`` specifies it byte for byte.  Devices write uploads, with numpy
alone; collectors read them (:mod:`sottovoce.service.upload.reading`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sottovoce.base.errors import InvalidInput, Refused
from sottovoce.base.randomness import OperatingSystem, Source
from sottovoce.core.reports import Reports
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today, window_days, window_name
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import payload_width, payloads_of

__all__ = [
    "FORMS",
    "ID_BYTES",
    "MAXIMUM_BYTES",
    "MAXIMUM_REPORTS",
    "REFUSALS",
    "VERSION",
    "Refusal",
    "Upload",
    "check_form",
    "check_upload_window",
    "encode_upload",
    "new_id",
    "upload_size",
]

VERSION = 2
FORMS = {"msgpack": "application/msgpack", "json": "application/json"}
"""The forms of an upload and their media types."""

MAXIMUM_BYTES = 2**20
MAXIMUM_REPORTS = 10_000
"""What an upload may hold unless the collector says otherwise."""

ID_BYTES = 16
"""Of the id of a report."""


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
        """The upload of some reports to a survey, in a window of it."""
        if reports.mechanism is not survey.mechanism and reports.mechanism != survey.mechanism:
            allowed = f"drawn by {survey.mechanism}, the mechanism of survey {survey.name!r}"
            raise InvalidInput("reports", "an upload", allowed, str(reports.mechanism))
        if not reports.certified:
            allowed = "drawn by the mechanism itself, not converted from floats"
            raise InvalidInput("reports", "an upload", allowed, reports)
        if len(ids) != len(reports):
            raise InvalidInput("ids", "an upload", f"{len(reports)}, one per report", len(ids))
        for number in ids:
            if not isinstance(number, bytes) or len(number) != ID_BYTES:
                raise InvalidInput("id", "an upload", f"{ID_BYTES} bytes", number)
        check_upload_window(survey, window)
        return cls(survey.fingerprint, window, tuple(ids), tuple(payloads_of(reports)))


def new_id(source: Source | None = None) -> bytes:
    """A fresh id: 16 random bytes."""
    return (OperatingSystem() if source is None else source).words(2).astype("<u8").tobytes()


def encode_upload(upload: Upload, form: str = "msgpack") -> bytes:
    """The bytes of an upload, the same for the same upload."""
    reports = zip(upload.ids, upload.payloads, strict=True)
    if form == "msgpack":
        fingerprint = bytes.fromhex(upload.fingerprint)
        return pack([VERSION, fingerprint, upload.window, [[i, p] for i, p in reports]])
    check_form(form)
    listed = [{"id": i.hex(), "payload": p.hex()} for i, p in reports]
    document = {"version": VERSION, "fingerprint": upload.fingerprint, "window": upload.window}
    return json.dumps({**document, "reports": listed}, separators=(",", ":")).encode()


def upload_size(survey: Survey) -> int:
    """Bytes of an upload of one report: the same for every value."""
    window = window_name(survey.window, today())
    payload = bytes(payload_width(survey.mechanism))
    return len(encode_upload(Upload(survey.fingerprint, window, (bytes(ID_BYTES),), (payload,))))


def check_form(form: str) -> None:
    """Refuse what is not one of :data:`FORMS`."""
    if form not in FORMS:
        raise InvalidInput("form", "an upload", f"one of {', '.join(FORMS)}", form)


def check_upload_window(survey: Survey, window: str) -> None:
    """Refuse what is not the name of a window of the survey."""
    try:
        window_days(survey.window, window)
    except InvalidInput as error:
        raise Refused("malformed", str(error)) from error
