"""Uploads of several reports, in other lengths than the shortest, and wrong ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.wire.msgpack import pack
from sottovoce.wire.uploads import MAXIMUM_BYTES, Upload, encode_upload
from vectors.report_cases import WINDOWS, long
from vectors.words import Stream, as_if_drawn
from vectors.wrong_uploads import wrong_json, wrong_msgpack

__all__ = ["known_surveys", "refused_uploads", "taken_uploads"]


@lru_cache
def known_surveys() -> dict[str, sv.Survey]:
    """The surveys that uploads are for: every kind and width of field."""
    letters, pairs = sv.Categories(["a", "b", "c"]), sv.KeyValues(["x", "y"], 0, 1, bins=2)
    large = {"steps": 40_000, "output_bins": 70_000}
    mechanisms = {
        "one number": sv.mechanism("grr", letters, 1.0),
        "two numbers": sv.mechanism("olh-seeded", letters, 1.0),
        "bits": sv.mechanism("oue", sv.Categories(11), 1.0),
        "row": sv.mechanism("pckv-pm", pairs, 2.0, **large),
        "full bytes": sv.mechanism("oue", sv.Categories(16), 1.0),
        "wide number": sv.mechanism("grr", sv.Categories(300), 1.0),
        "two bit fields": sv.mechanism("pckv-ue", pairs, 2.0, steps=2),
        "coordinates": sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=4), 3), 1.0, inner="grr"),
    }  # fmt: skip
    return {
        name: sv.Survey(name, "Which?", mechanism, WINDOWS[place % 4][0])
        for place, (name, mechanism) in enumerate(mechanisms.items())
    }


def identity_of(number: int) -> bytes:
    """An id."""
    return hashlib.shake_256(f"sottovoce vectors 2 id {number}".encode()).digest(16)


def taken_uploads() -> Iterator[dict[str, Any]]:
    """Uploads that are taken, with the same upload in its shortest form."""
    yield from _batches()
    yield from _longer_forms()
    yield from _at_limits()


def _batches() -> Iterator[dict[str, Any]]:
    """Several reports in an upload; 16 are one more than a short array holds."""
    for place, (name, survey) in enumerate(known_surveys().items()):
        for count in (2, 15, 16, 40) if place < 2 else (3,):
            source = Stream(f"sottovoce vectors 2 batch {name} {count}")
            positions = np.arange(count) % survey.mechanism.domain.size
            reports = survey.mechanism.randomize_indices(positions, source)
            ids = [identity_of(100 * count + i) for i in range(count)]
            upload = Upload.of(survey, WINDOWS[place % 4][1], ids, as_if_drawn(reports))
            data, text = encode_upload(upload), encode_upload(upload, "json").decode()
            yield {
                "why": f"{count} reports of {name}", "form": "msgpack", "upload": data.hex(),
                "shortest": long(data), "json": text,
            }  # fmt: skip


def _longer_forms() -> Iterator[dict[str, Any]]:
    """Right uploads in longer forms: taken, and the same as the shortest."""
    survey, number = known_surveys()["one number"], identity_of(1)
    mark = bytes.fromhex(survey.fingerprint)
    shortest = pack([2, mark, "", [[number, b"\2"]]])
    head, first = b"\x94\x02\xc4\x10" + mark, b"\xc4\x10" + mark
    tail = b"\xa0\x91\x92\xc4\x10" + number + b"\xc4\x01\x02"
    forms = {
        "version in 2 bytes": b"\x94\xcc\x02" + first + tail,
        "version in 3 bytes": b"\x94\xcd\x00\x02" + first + tail,
        "version in 5 bytes": b"\x94\xce\x00\x00\x00\x02" + first + tail,
        "version in 9 bytes": b"\x94\xcf" + bytes(7) + b"\x02" + first + tail,
        "version as a signed number": b"\x94\xd0\x02" + first + tail,
        "version as a signed number of 2 bytes": b"\x94\xd1\x00\x02" + first + tail,
        "version as a signed number of 4 bytes": b"\x94\xd2\x00\x00\x00\x02" + first + tail,
        "version as a signed number of 8 bytes": b"\x94\xd3" + bytes(7) + b"\x02" + first + tail,
        "an upload in a long array": b"\xdc\x00\x04" + shortest[1:],
        "an upload in a longer array": b"\xdd\x00\x00\x00\x04" + shortest[1:],
        "fingerprint with a length of 2 bytes": b"\x94\x02\xc5\x00\x10" + mark + tail,
        "fingerprint with a length of 4 bytes": b"\x94\x02\xc6\x00\x00\x00\x10" + mark + tail,
        "window with a length of 1 byte": head + b"\xd9\x00" + tail[1:],
        "window with a length of 2 bytes": head + b"\xda\x00\x00" + tail[1:],
        "window with a length of 4 bytes": head + b"\xdb\x00\x00\x00\x00" + tail[1:],
        "reports in a long array": head + b"\xa0\xdc\x00\x01" + tail[2:],
        "a report in a long array": head + b"\xa0\x91\xdc\x00\x02" + tail[3:],
        "an id with a length of 2 bytes": head + b"\xa0\x91\x92\xc5\x00\x10" + number + tail[-3:],
        "a payload with a length of 2 bytes": head + tail[:-3] + b"\xc5\x00\x01\x02",
        "a payload with a length of 4 bytes": head + tail[:-3] + b"\xc6\x00\x00\x00\x01\x02",
    }  # fmt: skip
    for why, data in forms.items():
        yield {"why": why, "form": "msgpack", "upload": data.hex(), "shortest": shortest.hex()}
    report = {"id": number.hex(), "payload": "02"}
    told = {"version": 2, "fingerprint": survey.fingerprint, "window": "", "reports": [report]}
    turned = {**told, "reports": [dict(reversed(report.items()))]}
    texts = {
        "JSON with white space": "\r\n\t " + json.dumps(told, indent=1),
        "JSON in another order": json.dumps(dict(reversed(turned.items()))),
        "JSON with an escape": json.dumps(told).replace("window", "wind\\u006fw"),
    }
    for why, text in texts.items():
        yield {"why": why, "form": "json", "text": text, "shortest": shortest.hex()}


def _at_limits() -> Iterator[dict[str, Any]]:
    """As many reports as are taken, and as many bytes."""
    survey, number = known_surveys()["one number"], identity_of(1)
    piece = pack([number, b"\2"])
    whole = pack([2, bytes.fromhex(survey.fingerprint), "", [[number, b"\2"]] * 10_000])
    yield {
        "why": "10,000 reports", "form": "msgpack", "upload": whole[: -10_000 * len(piece)].hex(),
        "piece": piece.hex(), "pieces": 10_000, "shortest": long(whole),
    }  # fmt: skip
    text = encode_upload(_one(survey, number), "json").decode()
    short = encode_upload(_one(survey, number)).hex()
    spaces = MAXIMUM_BYTES - len(text)
    yield {
        "why": "1 MiB exactly", "form": "json", "text": text, "piece": "20", "pieces": spaces,
        "shortest": short,
    }  # fmt: skip


def _one(survey: sv.Survey, number: bytes) -> Upload:
    return Upload(survey.fingerprint, "", (number,), (b"\2",))


def refused_uploads() -> Iterator[dict[str, Any]]:
    """Uploads with something wrong: the code, and the report at fault."""
    marks = {name: bytes.fromhex(survey.fingerprint) for name, survey in known_surveys().items()}
    ids = [identity_of(number) for number in range(1, 4)]
    for why, data, code, position in wrong_msgpack(marks, ids):
        yield {"why": why, "form": "msgpack", **_told(data), "code": code, "position": position}
    for why, data, code, position in wrong_json(marks["one number"].hex(), ids[0].hex()):
        yield {"why": why, "form": "json", **_told(data), "code": code, "position": position}
    survey = known_surveys()["one number"]
    text = encode_upload(_one(survey, ids[0]), "json").decode()
    yield {
        "why": "a byte more than 1 MiB", "form": "json", "text": text, "piece": "20",
        "pieces": MAXIMUM_BYTES - len(text) + 1, "code": "too-large", "position": None,
    }  # fmt: skip
    piece = pack([ids[0], b"\2"])
    whole = pack([2, marks["one number"], "", [[ids[0], b"\2"]] * 10_001])
    yield {
        "why": "10,001 reports", "form": "msgpack", "upload": whole[: -10_001 * len(piece)].hex(),
        "piece": piece.hex(), "pieces": 10_001, "code": "too-large", "position": None,
    }  # fmt: skip
    deep = b"[" * 100_000
    yield {
        "why": "deep arrays", "form": "json", "upload": "", "piece": "5b", "pieces": len(deep),
        "code": "malformed", "position": None,
    }  # fmt: skip


def _told(data: bytes) -> dict[str, str]:
    """Text where it is plain, else hexadecimal digits."""
    if data.startswith(b"{") and data.isascii():
        return {"text": data.decode()}
    return {"upload": data.hex()}
