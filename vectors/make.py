"""Writes the golden vectors of this folder: ``python vectors/make.py``.

What they are and how to use them is in README.md beside this file.  A vector that is there is
a promise to whoever wrote a client by it: files are only ever added to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.core.msgpack import pack
from sottovoce.core.registry import registered
from sottovoce.core.windows import window_days, window_name
from sottovoce.core.wire import Upload, encode_upload

HERE = Path(__file__).parent
WINDOWS = (("once", ""), ("day", "2026-11-16"), ("week", "2026-W47"), ("month", "2026-11"))
CASES = [(b"", place) for place in range(5)]
CASES += [(b"\xff" * 8, 3), (b"\x00" * 8, 1), (b"\x00" * 8, 4)]
"""The first word of every case, where it is not like the others, and the place of its value."""
QUESTION = 'Què vols? "Sí" / \\no\\ \t 好 \U0001f600'
"""Text whose canonical JSON has something to escape and something not to."""


class Stream:
    """Words from SHAKE-256 of a label, after those of ``first``; remembers what was drawn."""

    secure = False

    def __init__(self, label: str, first: bytes = b"") -> None:
        self.bytes = first + hashlib.shake_256(label.encode()).digest(1 << 16)
        self.drawn = 0

    def words(self, count: int) -> Any:
        start, self.drawn = self.drawn, self.drawn + 8 * count
        assert self.drawn <= len(self.bytes)
        return np.frombuffer(self.bytes[start : self.drawn], dtype="<u8").astype(np.uint64)

    def generator(self) -> Any:
        raise AssertionError("a device never asks for a generator")


def example_values(domain: Any) -> list[Any]:
    """Values of a domain that JSON can say: its ends and some between."""
    if isinstance(domain, sv.KeyValues):
        keys = [domain.keys.label(i % domain.keys.size) for i in (0, -1, 1, 0, -1)]
        pairs = [
            [key, number] for key, number in zip(keys, numbers_of(domain.interval), strict=True)
        ]
        if domain.pairs is None:
            return pairs
        return [[pairs[0]], pairs[:2][: domain.pairs], [pairs[4]], [pairs[2]], [pairs[3]]]
    if isinstance(domain, sv.Vector):
        numbers = numbers_of(domain.interval) * domain.coordinates
        return [numbers[i : i + domain.coordinates] for i in range(5)]
    if isinstance(domain, sv.Counts):
        return [0, domain.most, domain.most // 2, 1, 2 * domain.most // 3]
    if isinstance(domain, sv.Interval):
        return numbers_of(domain)
    return [domain.label(int(i)) for i in np.linspace(0, domain.size - 1, 5)[[0, 4, 2, 1, 3]]]


def numbers_of(interval: sv.Interval) -> list[float]:
    low, high = interval.span
    return [low, high, *(low + part * (high - low) for part in (0.3, 0.52, 0.81))]


def held(domain: Any, value: Any) -> Any:
    """A value of the JSON as Python takes it."""
    if isinstance(domain, sv.KeyValues):
        return tuple(value) if domain.pairs is None else dict(value)
    return value


def edges(mechanism: Any, value: Any) -> list[int]:
    """First words on either side of a threshold: the first that is above it, the last below."""
    told, shift = mechanism.document()["weights"], 64 - getattr(mechanism, "bits", 64)
    if mechanism.name in ("randomized-response", "hadamard-response"):
        above = told["keep"] << shift
    elif mechanism.name in ("unary-encoding", "subset-selection"):
        above = told["own"] << shift
    elif mechanism.name == "stochastic-rounding":
        above = told["base"] + int(mechanism.locate([value])[0]) * told["unit"]
    elif mechanism.name in ("square-wave", "piecewise", "wave"):
        above = mechanism.total - told["low"] * mechanism.outputs
    else:
        return []
    return [above, above - 1]


def report_vectors(cls: type[sv.Mechanism]) -> dict[str, Any]:
    """Every example of a mechanism: words and value in, payload and upload out."""
    surveys = []
    for place, mechanism in enumerate(cls.examples()):
        window, name = WINDOWS[place % len(WINDOWS)]
        survey = sv.Survey(f"{cls.name} {place}", QUESTION, mechanism, window)
        values, cases = example_values(mechanism.domain), []
        tried = [(first, values[chosen % len(values)]) for first, chosen in CASES]
        tried += [(word.to_bytes(8, "little"), values[2]) for word in edges(mechanism, values[2])]
        for case, (first, value) in enumerate(tried):
            label = f"sottovoce vectors 1 {cls.name} {place} {case}"
            source = Stream(label, first)
            report = mechanism.randomize(held(mechanism.domain, value), source=source)
            identity = hashlib.shake_256(f"{label} id".encode()).digest(16)
            upload = Upload.of(survey, name, [identity], report)
            text = encode_upload(upload, "json").decode()
            cases.append(
                {
                    "value": value,
                    "words": source.bytes[: source.drawn].hex(),
                    "window": name,
                    "id": identity.hex(),
                    "payload": json.loads(text)["reports"][0]["payload"],
                    "msgpack": encode_upload(upload).hex(),
                    "json": text,
                }
            )
        surveys.append(
            {"survey": survey.to_json(), "fingerprint": survey.fingerprint, "cases": cases}
        )
    return {"version": 1, "mechanism": cls.name, "surveys": surveys}


# -- uploads of several reports, in other lengths than the shortest, and wrong ones ----------


def known_surveys() -> dict[str, sv.Survey]:
    """The surveys that the uploads below are for: every kind of field."""
    letters, pairs = sv.Categories(["a", "b", "c"]), sv.KeyValues(["x", "y"], 0, 1, bins=2)
    large = {"steps": 40_000, "output_bins": 70_000}
    mechanisms = {
        "one number": sv.mechanism("grr", letters, 1.0),
        "two numbers": sv.mechanism("olh-seeded", letters, 1.0),
        "bits": sv.mechanism("oue", sv.Categories(11), 1.0),
        "row": sv.mechanism("pckv-pm", pairs, 2.0, **large),
    }
    return {
        name: sv.Survey(name, "Which?", mechanism, window)
        for (name, mechanism), (window, _) in zip(mechanisms.items(), WINDOWS, strict=True)
    }


def identity_of(number: int) -> bytes:
    return hashlib.shake_256(f"sottovoce vectors 1 id {number}".encode()).digest(16)


def batch_vectors() -> Iterator[dict[str, Any]]:
    """Several reports in an upload; 16 are one more than a short array holds."""
    for (name, survey), (_, window) in zip(known_surveys().items(), WINDOWS, strict=True):
        for count in (2, 16, 40):
            domain = survey.mechanism.domain
            source = Stream(f"sottovoce vectors 1 batch {name} {count}")
            positions = np.arange(count) % domain.size
            reports = survey.mechanism.randomize_indices(positions, source)
            ids = [identity_of(100 * count + i) for i in range(count)]
            upload = Upload.of(survey, window, ids, reports)
            yield {
                "why": f"{count} reports of {name}",
                "form": "msgpack",
                "upload": encode_upload(upload).hex(),
                "shortest": encode_upload(upload).hex(),
                "json": encode_upload(upload, "json").decode(),
            }


def longer_vectors() -> Iterator[dict[str, Any]]:
    """Right uploads in longer forms: taken, and the same as the shortest."""
    survey = known_surveys()["one number"]
    mark, number = bytes.fromhex(survey.fingerprint), identity_of(1)
    upload = Upload.of(survey, "", [number], sv.Reports(survey.mechanism, {"value": np.array([2])}))
    shortest = encode_upload(upload)
    head, report = b"\x94\x01\xc4\x10" + mark, b"\xc4\x10" + number
    tail = b"\xa0\x91\x92" + report + b"\x91\x02"
    forms = {
        "version in 2 bytes": b"\x94\xcc\x01\xc4\x10" + mark + tail,
        "version in 9 bytes": b"\x94\xcf" + bytes(7) + b"\x01\xc4\x10" + mark + tail,
        "version as a signed number": b"\x94\xd0\x01\xc4\x10" + mark + tail,
        "an upload in a long array": b"\xdc\x00\x04" + shortest[1:],
        "an upload in a longer array": b"\xdd\x00\x00\x00\x04" + shortest[1:],
        "fingerprint with a length of 2 bytes": b"\x94\x01\xc5\x00\x10" + mark + tail,
        "fingerprint with a length of 4 bytes": b"\x94\x01\xc6\x00\x00\x00\x10" + mark + tail,
        "window with a length of 1 byte": head + b"\xd9\x00" + tail[1:],
        "window with a length of 2 bytes": head + b"\xda\x00\x00" + tail[1:],
        "window with a length of 4 bytes": head + b"\xdb\x00\x00\x00\x00" + tail[1:],
        "reports in a long array": head + b"\xa0\xdc\x00\x01" + tail[2:],
        "a report in a long array": head + b"\xa0\x91\xdc\x00\x02" + tail[3:],
        "a payload in a long array": head + tail[:-2] + b"\xdc\x00\x01\x02",
        "a number in 2 bytes": head + tail[:-1] + b"\xcc\x02",
        "a number in 3 bytes": head + tail[:-1] + b"\xcd\x00\x02",
        "a number in 5 bytes": head + tail[:-1] + b"\xce\x00\x00\x00\x02",
        "a number in 9 bytes": head + tail[:-1] + b"\xcf" + bytes(7) + b"\x02",
        "a signed number in 2 bytes": head + tail[:-1] + b"\xd0\x02",
        "a signed number in 9 bytes": head + tail[:-1] + b"\xd3" + bytes(7) + b"\x02",
    }
    for why, data in forms.items():
        yield {"why": why, "form": "msgpack", "upload": data.hex(), "shortest": shortest.hex()}
    text = encode_upload(upload, "json").decode()
    spaced = json.dumps(json.loads(text), indent=1)
    turned = json.dumps(dict(reversed(json.loads(text).items())))
    for why, other in (("JSON with white space", spaced), ("JSON in another order", turned)):
        yield {"why": why, "form": "json", "upload": other, "shortest": shortest.hex()}


def wrong_msgpack() -> Iterator[tuple[str, bytes, str, int | None]]:
    """Uploads that must be refused: why, bytes, code, and the report at fault."""
    surveys, number = known_surveys(), identity_of(1)
    mark = {name: bytes.fromhex(survey.fingerprint) for name, survey in surveys.items()}
    one, two, bits, row = mark.values()
    fine = [1, one, "", [[number, [2]]]]
    data = pack(fine)
    yield "no bytes", b"", "malformed", None
    yield "one byte short", data[:-1], "malformed", None
    yield "half of it", data[: len(data) // 2], "malformed", None
    yield "a byte too much", data + b"\x00", "malformed", None
    yield "the byte that means nothing", b"\xc1", "malformed", None
    yield "a number", pack(1), "malformed", None
    yield "a text", pack("upload"), "malformed", None
    yield "an empty array", pack([]), "malformed", None
    yield "a map", b"\x81\x01\x02", "malformed", None
    yield "an array said to hold 2^32 - 1 items", b"\xdd\xff\xff\xff\xff\x01", "malformed", None
    yield "arrays within arrays within arrays", b"\x91" * 60 + b"\x01", "malformed", None
    yield "a version that is text", pack(["1", *fine[1:]]), "malformed", None
    yield "a version that is true", b"\x94\xc3" + data[2:], "malformed", None
    yield "a version that is 1.0", b"\x94\xca\x3f\x80\x00\x00" + data[2:], "malformed", None
    yield "version 0", pack([0, *fine[1:]]), "wrong-version", None
    yield "version 2", pack([2, *fine[1:]]), "wrong-version", None
    yield "version 2 of another shape", pack([2, b"?"]), "wrong-version", None
    yield "version -1", b"\x94\xff" + data[2:], "wrong-version", None
    yield "three parts", pack(fine[:3]), "malformed", None
    yield "five parts", pack([*fine, 0]), "malformed", None
    yield "a fingerprint of 15 bytes", pack([1, one[:15], *fine[2:]]), "malformed", None
    yield "a fingerprint of 17 bytes", pack([1, one + b"\x00", *fine[2:]]), "malformed", None
    yield "a fingerprint in text", pack([1, one.hex(), *fine[2:]]), "malformed", None
    yield "another fingerprint", pack([1, number, *fine[2:]]), "unknown-survey", None
    yield "a window that is bytes", pack([1, one, b"", fine[3]]), "malformed", None
    yield "a window that is no UTF-8", data[:20] + b"\xa1\xff" + data[21:], "malformed", None
    yield "a window where there is none", pack([1, one, "2026-11", fine[3]]), "malformed", None
    for wrong in ("", "2026-11-31", "2026-1-6", "2026-11-16T00", "20261116", "2026-W47", " "):
        right = [[number, [2, 1]]]
        yield f"the day {wrong!r}", pack([1, two, wrong, right]), "malformed", None
    for wrong in ("2026-W54", "2025-W53", "2026-W00", "2026-47", "2026-w47", "2026-W7"):
        yield (
            f"the week {wrong!r}",
            pack([1, bits, wrong, [[number, [b"\1\0"]]]]),
            "malformed",
            None,
        )
    for wrong in ("2026-13", "2026-00", "2026", "2026-11-16"):
        yield (
            f"the month {wrong!r}",
            pack([1, row, wrong, [[number, [bytes(8)]]]]),
            "malformed",
            None,
        )
    yield "reports that are no array", pack([1, one, "", number]), "malformed", None
    yield "no reports", pack([1, one, "", []]), "malformed", None
    yield "a report that is a number", pack([1, one, "", [7]]), "malformed", 0
    yield "a report of one part", pack([1, one, "", [[number]]]), "malformed", 0
    yield "a report of three parts", pack([1, one, "", [[number, [2], 0]]]), "malformed", 0
    yield "no id", b"\x94\x01" + data[2:20] + b"\xa0\x91\x92\xc0\x91\x02", "no-id", 0
    yield "an id of 15 bytes", pack([1, one, "", [[number[:15], [2]]]]), "no-id", 0
    yield "an id of 17 bytes", pack([1, one, "", [[number + b"\0", [2]]]]), "no-id", 0
    yield "an empty id", pack([1, one, "", [[b"", [2]]]]), "no-id", 0
    yield "an id in text", pack([1, one, "", [[number.hex(), [2]]]]), "no-id", 0
    yield "an id that is a number", pack([1, one, "", [[5, [2]]]]), "no-id", 0
    yield "a payload that is a number", pack([1, one, "", [[number, 2]]]), "wrong-payload", 0
    yield "an empty payload", pack([1, one, "", [[number, []]]]), "wrong-payload", 0
    yield "a payload of two numbers", pack([1, one, "", [[number, [2, 0]]]]), "wrong-payload", 0
    yield "a number too large", pack([1, one, "", [[number, [3]]]]), "wrong-payload", 0
    yield "a number far too large", pack([1, one, "", [[number, [2**64 - 1]]]]), "wrong-payload", 0
    yield "a number below 0", data[:-1] + b"\xff", "wrong-payload", 0
    yield "a number that is bytes", pack([1, one, "", [[number, [b"\2"]]]]), "wrong-payload", 0
    yield "a number that is text", pack([1, one, "", [[number, ["2"]]]]), "wrong-payload", 0
    yield "a number that is nothing", data[:-1] + b"\xc0", "wrong-payload", 0
    yield "a number that is true", data[:-1] + b"\xc3", "wrong-payload", 0
    yield "a number that is 2.0", data[:-1] + b"\xca\x40\x00\x00\x00", "wrong-payload", 0
    yield "a number that is a map", data[:-1] + b"\x80", "wrong-payload", 0
    yield "a number that is an extension", data[:-1] + b"\xd4\x01\x02", "wrong-payload", 0
    yield "a number that is an array", pack([1, one, "", [[number, [[2]]]]]), "wrong-payload", 0
    day, week, month = "2026-11-16", "2026-W47", "2026-11"
    yield "a cell too large", pack([1, two, day, [[number, [2**63, 4]]]]), "wrong-payload", 0
    yield "a cell left out", pack([1, two, day, [[number, [2**63]]]]), "wrong-payload", 0
    yield "bits too few", pack([1, bits, week, [[number, [b"\1"]]]]), "wrong-payload", 0
    yield "bits too many", pack([1, bits, week, [[number, [b"\1\0\0"]]]]), "wrong-payload", 0
    yield "a spare bit set", pack([1, bits, week, [[number, [b"\1\x08"]]]]), "wrong-payload", 0
    yield "bits that are a number", pack([1, bits, week, [[number, [1]]]]), "wrong-payload", 0
    yield "bits that are text", pack([1, bits, week, [[number, ["ab"]]]]), "wrong-payload", 0
    yield "a row too short", pack([1, row, month, [[number, [bytes(7)]]]]), "wrong-payload", 0
    beyond = bytes.fromhex("ffffff0000000000")
    yield (
        "a row with a number too large",
        pack([1, row, month, [[number, [beyond]]]]),
        "wrong-payload",
        0,
    )
    second = [[number, [2]], [identity_of(2), [3]]]
    yield "the second of two wrong", pack([1, one, "", second]), "wrong-payload", 1
    third = [[number, [2]], [identity_of(2), [0]], [b"", [0]]]
    yield "the third of three without id", pack([1, one, "", third]), "no-id", 2
    many = [[number, [2]]] * 10_001
    yield "more reports than are taken", pack([1, one, "", many]), "too-large", None


def wrong_json() -> Iterator[tuple[str, bytes, str, int | None]]:
    """The same for JSON."""
    survey, number = known_surveys()["one number"], identity_of(1).hex()
    report = {"id": number, "payload": [2]}
    fine = {"version": 1, "fingerprint": survey.fingerprint, "window": "", "reports": [report]}

    def text(**changed: Any) -> bytes:
        return json.dumps({**fine, **changed}).encode()

    def told(*keys: str, **changed: Any) -> bytes:
        kept = {k: v for k, v in report.items() if k not in keys}
        return text(reports=[{**kept, **changed}])

    whole = text().decode()
    yield "no text", b"", "malformed", None
    yield "half a text", whole[:40].encode(), "malformed", None
    yield "something after it", f"{whole} 1".encode(), "malformed", None
    yield "text that is no UTF-8", b'"\xff"', "malformed", None
    yield "text with a byte order mark", b"\xef\xbb\xbf" + whole.encode(), "malformed", None
    yield "an array", b"[1]", "malformed", None
    yield "an object without version", b"{}", "malformed", None
    yield "version 2", text(version=2), "wrong-version", None
    yield "version 1.0", text(version=1.0), "malformed", None
    yield "version true", text(version=True), "malformed", None
    yield "a version in text", text(version="1"), "malformed", None
    yield "a key too much", text(more=1), "malformed", None
    yield "a key twice", whole.replace("{", '{"window": "",', 1).encode(), "malformed", None
    yield "no window", whole.replace('"window": "", ', "").encode(), "malformed", None
    upper = survey.fingerprint.upper()
    yield "a fingerprint in capitals", text(fingerprint=upper), "malformed", None
    yield "half a fingerprint", text(fingerprint=survey.fingerprint[:16]), "malformed", None
    yield "another fingerprint", text(fingerprint=number), "unknown-survey", None
    yield "a window where there is none", text(window="2026-11"), "malformed", None
    yield "a window that is null", text(window=None), "malformed", None
    yield "no reports", text(reports=[]), "malformed", None
    yield "reports that are an object", text(reports=report), "malformed", None
    yield "a report that is text", text(reports=["?"]), "malformed", 0
    yield "a report with a key too much", told(time="now"), "malformed", 0
    yield "a report without payload", told("payload"), "malformed", 0
    yield "a report without id", told("id"), "no-id", 0
    yield "an id that is null", told(id=None), "no-id", 0
    yield "an id in capitals", told(id=number.upper()), "no-id", 0
    yield "an id with a space", told(id=f"{number[:16]} {number[16:]}"), "no-id", 0
    yield "an id too short", told(id=number[:30]), "no-id", 0
    yield "a payload that is a number", told(payload=2), "wrong-payload", 0
    yield "a number too large", told(payload=[3]), "wrong-payload", 0
    yield "a number below 0", told(payload=[-1]), "wrong-payload", 0
    yield "a number with a point", told(payload=[2.0]), "wrong-payload", 0
    yield "a number that is true", told(payload=[True]), "wrong-payload", 0
    yield "a number in text", told(payload=["02"]), "wrong-payload", 0
    yield "a number that is an object", told(payload=[{}]), "wrong-payload", 0
    yield "NaN", told(payload=["?"]).replace(b'"?"', b"NaN"), "malformed", None
    yield "deep arrays", b"[" * 100_000 + b"]" * 100_000, "malformed", None


def refused_vectors() -> Iterator[dict[str, Any]]:
    for form, wrong in (("msgpack", wrong_msgpack()), ("json", wrong_json())):
        for why, data, code, position in wrong:
            yield {"why": why, "form": form, **_bytes(data), "code": code, "position": position}


def _bytes(data: bytes) -> dict[str, str | int]:
    """As hexadecimal digits; what repeats itself too often is told as a piece and a count."""
    if len(data) < 4096:
        return {"upload": data.hex()}
    if data.startswith(b"["):
        return {"upload": "", "opening": len(data) // 2}
    head, piece = data[:24], data[24 : 24 + 21]
    count = (len(data) - len(head)) // len(piece)
    assert head + piece * count == data
    return {"upload": head.hex(), "piece": piece.hex(), "pieces": count}


# -- windows ------------------------------------------------------------------------------


def window_vectors() -> Iterator[dict[str, str]]:
    """The window that a day is in, with its first and last day."""
    days = ("2026-11-16", "2026-01-01", "2024-12-30", "2027-01-03", "2028-02-29", "2020-12-31")
    for window, _ in WINDOWS[1:]:
        for text in days:
            name = window_name(window, date.fromisoformat(text))
            first, last = window_days(window, name)
            told = {"window": window, "day": text, "name": name}
            yield {**told, "first": first.isoformat(), "last": last.isoformat()}


def files() -> dict[str, Any]:
    """Every file and what is in it."""
    surveys = {s.fingerprint: s.to_json() for s in known_surveys().values()}
    made: dict[str, Any] = {f"{cls.name}.json": report_vectors(cls) for cls in registered()}
    taken = [*batch_vectors(), *longer_vectors()]
    made["uploads-taken.json"] = {"version": 1, "surveys": surveys, "cases": taken}
    refused = {"version": 1, "surveys": surveys, "cases": list(refused_vectors())}
    made["uploads-refused.json"] = refused
    made["windows.json"] = {"version": 1, "cases": list(window_vectors())}
    return made


def with_stored(name: str, made: dict[str, Any]) -> dict[str, Any]:
    """What is stored already, as it is, and what is new."""
    path = HERE / name
    if not path.exists():
        return made
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "cases" in made:
        known = [_key(case) for case in stored["cases"]]
        stored["cases"] += [case for case in made["cases"] if _key(case) not in known]
        stored.get("surveys", {}).update(made.get("surveys", {}))
    else:
        known = [survey["fingerprint"] for survey in stored["surveys"]]
        stored["surveys"] += [s for s in made["surveys"] if s["fingerprint"] not in known]
    return stored


def _key(case: dict[str, Any]) -> list[Any]:
    return [case.get(part) for part in ("form", "why", "window", "day")]


def main() -> None:
    for name, document in files().items():
        text = json.dumps(with_stored(name, document), indent=1, ensure_ascii=False) + "\n"
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
