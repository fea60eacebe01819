"""From the bytes of an upload to rows for the store: quickly where all is well, else with reasons.

The quick way decodes with msgspec, to the types of an upload and nothing else, so that what is not
one is refused where it begins to differ.  It checks every payload in plain Python, which for one
report or a hundred is several times as fast as arrays would be.  It gives no reasons: what is
not plainly right goes the careful way (:mod:`sottovoce.service.upload.reading`), unless it holds far
more than an upload can.  Both take the same uploads, which tests show on every vector and on generated ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any

import msgspec

from sottovoce.base.errors import InvalidInput, Refused
from sottovoce.service.upload.counting import has_too_many_values, reports_in
from sottovoce.service.upload.reading import admit_upload, parse_upload
from sottovoce.store import Published
from sottovoce.surveys.windows import check_window
from sottovoce.wire.payloads import payload_checker
from sottovoce.wire.uploads import VERSION

__all__ = ["Intake", "ParsedUpload", "take_carefully", "take_quickly"]

_Bytes16 = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
_Window = Annotated[str, msgspec.Meta(max_length=16)]


class Intake:
    """A published survey, prepared to take reports."""

    def __init__(self, published: Published) -> None:
        self.published, self.survey = published, published.survey
        self.fingerprint = published.survey.fingerprint
        self.fits = payload_checker(published.survey.mechanism)
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
class ParsedUpload:
    """An upload in order, but for its window and token: whose, its ids, its rows."""

    intake: Intake
    window: str
    ids: Sequence[bytes]
    rows: Sequence[bytes]


def take_quickly(data: bytes, intakes: dict[bytes, Intake], most: int) -> ParsedUpload | None:
    """The reports of an upload in MessagePack; None wherever anything is unusual.

    One in order, but for its survey, is refused at once.
    """
    try:
        version, fingerprint, window, reports = _decoder(most).decode(data)
    except (msgspec.MsgspecError, ValueError):
        return None
    if version != VERSION:
        return None
    intake = intakes.get(fingerprint)
    if intake is None:
        raise _unknown(fingerprint.hex())
    ids, rows = zip(*reports, strict=True)
    return ParsedUpload(intake, window, ids, rows) if all(map(intake.fits, rows)) else None


@cache
def _decoder(most: int) -> msgspec.msgpack.Decoder[Any]:
    """Reads uploads of at most so many reports; nothing else is built, however it is nested."""
    reports = Annotated[list[tuple[_Bytes16, bytes]], msgspec.Meta(min_length=1, max_length=most)]
    return msgspec.msgpack.Decoder(tuple[int, _Bytes16, _Window, reports])


def take_carefully(data: bytes, form: str, intakes: dict[bytes, Intake], most: int) -> ParsedUpload:
    """The same by :mod:`sottovoce.service.upload.reading`, which refuses with what is wrong first."""
    if has_too_many_values(data, form, most):
        code = "too-large" if reports_in(data, form, intakes)[1] > most else "malformed"
        raise Refused(code, f"more values than {most} reports have")
    upload = parse_upload(data, form, maximum_bytes=len(data), maximum_reports=most)
    intake = intakes.get(bytes.fromhex(upload.fingerprint))
    if intake is None:
        raise _unknown(upload.fingerprint)
    admit_upload(upload, intake.survey)
    return ParsedUpload(intake, upload.window, upload.ids, upload.payloads)


def _unknown(fingerprint: str) -> Refused:
    return Refused("unknown-survey", f"no survey has the fingerprint {fingerprint}")
