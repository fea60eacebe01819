"""Uploads that must be refused: why, bytes, code, and the report at fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sottovoce.wire.msgpack import pack

__all__ = ["wrong_json", "wrong_msgpack"]

Wrong = tuple[str, bytes, str, int | None]


def wrong_msgpack(marks: dict[str, bytes], ids: list[bytes]) -> Iterator[Wrong]:
    """In MessagePack: the whole, its parts, its windows, its reports, their payloads."""
    one, number = marks["one number"], ids[0]
    yield from _wrong_wholes(one, number)
    yield from _wrong_windows(marks, number)
    yield from _wrong_reports(one, ids)
    yield from _wrong_payloads(marks, number)


def _wrong_wholes(one: bytes, number: bytes) -> Iterator[Wrong]:
    fine = [2, one, "", [[number, b"\2"]]]
    data = pack(fine)
    for why, wrong in {
        "no bytes": b"", "one byte short": data[:-1], "half of it": data[: len(data) // 2],
        "a byte too much": data + b"\x00", "the byte that means nothing": b"\xc1",
        "a number": pack(2), "a text": pack("upload"), "bytes": pack(b"upload"), "an empty array": pack([]),
        "nothing": b"\xc0", "a map": b"\x81\x02\x02",
        "an array said to hold 2^32 - 1 items": b"\xdd\xff\xff\xff\xff\x01",
        "a map said to hold 2^32 - 1 items": b"\xdf\xff\xff\xff\xff\x01",
        "arrays within arrays within arrays": b"\x91" * 60 + b"\x02",
        "maps within maps": b"\x81\x01" * 60 + b"\x02",
        "a version that is text": pack(["2", *fine[1:]]), "a version that is true": b"\x94\xc3" + data[2:],
        "a version that is bytes": pack([b"\2", *fine[1:]]), "a version that is nothing": b"\x94\xc0" + data[2:],
        "a version that is 2.0": b"\x94\xca\x40\x00\x00\x00" + data[2:],
        "a version that is 2.0 in 8 bytes": b"\x94\xcb\x40" + bytes(7) + data[2:],
        "a version that is an empty map": b"\x94\x80" + data[2:], "a version that is a map of 15": b"\x94\x8f" + b"\x01\x02" * 15 + data[2:],
        "a version that is text of 31": b"\x94\xbf" + b"x" * 31 + data[2:], "a version that is false": b"\x94\xc2" + data[2:],
        "a version that is an extension": b"\x94\xd4\x01\x02" + data[2:],
        "three parts": pack(fine[:3]), "five parts": pack([*fine, 0]), "one part": pack([2]),
    }.items():  # fmt: skip
        yield why, wrong, "malformed", None
    for why, wrong in {
        "version 0": pack([0, *fine[1:]]), "version 1": pack([1, *fine[1:]]), "version 3": pack([3, *fine[1:]]),
        "version 1 of another shape": pack([1, b"?"]), "version 3 alone": pack([3]),
        "version -1": b"\x94\xff" + data[2:], "version -32": b"\x94\xe0" + data[2:],
        "version 127": b"\x94\x7f" + data[2:], "version 2^64 - 1": pack([2**64 - 1, *fine[1:]]),
        "version -2 in 2 bytes": b"\x94\xd0\xfe" + data[2:], "version 258": pack([258, *fine[1:]]),
        "version -254 in 3 bytes": b"\x94\xd1\xff\x02" + data[2:],
    }.items():  # fmt: skip
        yield why, wrong, "wrong-version", None
    for why, wrong in {
        "a fingerprint of 15 bytes": pack([2, one[:15], *fine[2:]]),
        "a fingerprint of 17 bytes": pack([2, one + b"\x00", *fine[2:]]),
        "a fingerprint in text": pack([2, one.hex(), *fine[2:]]),
        "a fingerprint that is nothing": b"\x94\x02\xc0" + data[20:],
        "a window that is bytes": pack([2, one, b"", fine[3]]), "a window that is 0": pack([2, one, 0, fine[3]]),
        "a window that is no UTF-8": data[:20] + b"\xa1\xff" + data[21:],
        "a window of UTF-8 that breaks off": data[:20] + b"\xd9\x01\xc3" + data[21:],
        "reports that are no array": pack([2, one, "", number]), "no reports": pack([2, one, "", []]),
        "reports that are a map": data[:21] + b"\x80", "reports that are nothing": data[:21] + b"\xc0",
        "9 arrays in each other": pack([2, one, "", [[number, [[[[[[]]]]]]]]]),
    }.items():  # fmt: skip
        yield why, wrong, "malformed", None
    yield "8 arrays in each other", pack([2, one, "", [[number, [[[[[]]]]]]]]), "wrong-payload", 0
    begun = data[:-3]  # up to the payload, which is inside three arrays
    for depth, code, position in ((8, "wrong-payload", 0), (9, "malformed", None)):
        maps = begun + b"\x81\x01" * (depth - 4) + b"\x80"
        yield f"maps in arrays, {depth} in each other", maps, code, position
    skipped = {
        "true": b"\xc3", "false": b"\xc2", "nothing": b"\xc0", "a float": b"\xca" + bytes(4), "a double": b"\xcb" + bytes(8),
        "a short map": b"\x81\x01\xc4\x01\x02", "a map": b"\xde\x00\x02\x01\x02\x03\x04", "a long map": b"\xdf\x00\x00\x00\x02\x01\x02\x03\x04",
        "an extension of 1": b"\xd4\x05" + bytes(1), "an extension of 2": b"\xd5\x05" + bytes(2),
        "an extension of 4": b"\xd6\x05" + bytes(4), "an extension of 8": b"\xd7\x05" + bytes(8),
        "an extension of 16": b"\xd8\x05" + bytes(16), "an extension": b"\xc7\x03\x05" + bytes(3),
        "a long extension": b"\xc8\x00\x03\x05" + bytes(3), "a longer extension": b"\xc9\x00\x00\x00\x03\x05" + bytes(3),
        "a map of 15": b"\x8f" + b"\x01\x02" * 15, "text of 31": b"\xbf" + b"x" * 31, "-5": b"\xfb", "-100": b"\xd0\x9c", "text": b"\xa1x", "a number in 5 bytes": b"\xce" + bytes(4),
    }  # fmt: skip
    head = data[:21] + b"\x91" + data[22:-3]
    yield "a payload that is text, but no UTF-8", head + b"\xa1\xff", "malformed", None
    yield "a payload that is the byte without meaning", head + b"\xc1", "malformed", None
    for name, item in skipped.items():
        head = (
            data[:21] + b"\x92" + data[22:-3]
        )  # two reports, the first with a payload of this kind
        yield f"a payload that is {name}", head + item + data[22:], "wrong-payload", 0
        yield f"a payload that is {name}, cut off", head + item[:-1], "malformed", None


def _wrong_windows(marks: dict[str, bytes], number: bytes) -> Iterator[Wrong]:
    right = {"one number": b"\2", "two numbers": bytes(8) + b"\1", "bits": b"\1\0", "row": bytes(8)}
    names = {
        "one number": ("2026-11", " ", "once"),
        "two numbers": ("", "2026-11-31", "2026-1-6", "2026-11-16T00", "20261116", "2026-W47", " ", "2026-11-16\n"),
        "bits": ("2026-W54", "2025-W53", "2026-W00", "2026-47", "2026-w47", "2026-W7", ""),
        "row": ("2026-13", "2026-00", "2026", "2026-11-16", ""),
    }  # fmt: skip
    for survey, wrong in names.items():
        for name in wrong:
            data = pack([2, marks[survey], name, [[number, right[survey]]]])
            yield f"the window {name!r} of {survey}", data, "malformed", None
    wrong_too = pack([2, marks["bits"], "2026-W54", [[number, b""]]])
    yield "a window before a payload", wrong_too, "malformed", None


def _wrong_reports(one: bytes, ids: list[bytes]) -> Iterator[Wrong]:
    number = ids[0]

    def of(*reports: Any) -> bytes:
        return pack([2, one, "", list(reports)])

    fine = [number, b"\2"]
    yield "another fingerprint", pack([2, number, "", [fine]]), "unknown-survey", None
    yield (
        "another fingerprint, and a window of none",
        pack([2, number, "?", [fine]]),
        "unknown-survey",
        None,
    )
    yield "a report that is a number", of(7), "malformed", 0
    yield "a report that is bytes", of(b"12"), "malformed", 0
    yield "a report that is text", of("12"), "malformed", 0
    yield "an empty report", of([]), "malformed", 0
    yield "a report of one part", of([number]), "malformed", 0
    yield "a report of three parts", of([number, b"\2", 0]), "malformed", 0
    yield "no id", of(fine).replace(b"\xc4\x10" + number, b"\xc0"), "no-id", 0
    for why, wrong in {
        "of 15 bytes": number[:15], "of 17 bytes": number + b"\0", "of no bytes": b"", "in text": number.hex(),
        "of 16 characters": "x" * 16, "that is a number": 5, "that is an array": [number],
    }.items():  # fmt: skip
        yield f"an id {why}", of([wrong, b"\2"]), "no-id", 0
    yield "an id before its payload", of([b"", 7]), "no-id", 0
    yield "a payload that is a number", of([number, 2]), "wrong-payload", 0
    yield (
        "a payload of another survey before the fingerprint",
        pack([2, number, "", [[number, 2]]]),
        "wrong-payload",
        0,
    )
    yield "a payload that is an array", of([number, [2]]), "wrong-payload", 0
    yield "the second without id, the first too long", of([number, b"22"], [b"", b"\2"]), "no-id", 1
    yield "the second of two wrong", of(fine, [ids[1], b"\3"]), "wrong-payload", 1
    yield "both wrong", of([number, b"\4"], [ids[1], b"\3"]), "wrong-payload", 0
    yield "the third of three without id", of(fine, [ids[1], b"\0"], [b"", b"\0"]), "no-id", 2
    yield "the second no report", of(fine, 3), "malformed", 1


def _wrong_payloads(marks: dict[str, bytes], number: bytes) -> Iterator[Wrong]:
    day, week, month = "2026-11-16", "2026-W47", "2026-11"
    wrong = [
        ("one number", "", {"empty": b"", "too long": b"\2\0", "too large": b"\3", "far too large": b"\xff"}),
        ("two numbers", day, {"cell too large": bytes(8) + b"\4", "cell left out": bytes(8), "seed cut": bytes(7),
                              "too long": bytes(10), "cell 255": bytes(8) + b"\xff"}),
        ("bits", week, {"too few": b"\1", "too many": b"\1\0\0", "a spare bit": b"\1\x08", "the last spare bit": b"\0\x80"}),
        ("row", month, {"too short": bytes(7), "too long": bytes(9), "a number too large": bytes(4) + (70_001).to_bytes(4, "little"),
                        "the first too large": (70_001).to_bytes(4, "little") + bytes(4), "far too large": b"\xff" * 8}),
        ("full bytes", "", {"too short": b"\1", "too long": b"\1\1\0"}),
        ("wide number", day, {"300": (300).to_bytes(2, "little"), "in one byte": b"\1", "in four bytes": bytes(4),
                              "big-endian": (299).to_bytes(2, "big")}),
        ("two bit fields", week, {"a spare bit of the first": b"\4\0", "a spare bit of the second": b"\0\4", "one field": b"\0"}),
        ("coordinates", month, {"coordinate 3": b"\3\0", "number 4": b"\0\4", "a coordinate alone": b"\0", "too long": bytes(3)}),
    ]  # fmt: skip
    for survey, window, payloads in wrong:
        for why, payload in payloads.items():
            data = pack([2, marks[survey], window, [[number, payload]]])
            yield f"a payload of {survey}: {why}", data, "wrong-payload", 0


def wrong_json(mark: str, number: str) -> Iterator[Wrong]:
    """In JSON."""
    report = {"id": number, "payload": "02"}
    fine = {"version": 2, "fingerprint": mark, "window": "", "reports": [report]}

    def text(**changed: Any) -> bytes:
        return json.dumps({**fine, **changed}).encode()

    def of(*keys: str, **changed: Any) -> bytes:
        kept = {k: v for k, v in report.items() if k not in keys}
        return text(reports=[{**kept, **changed}])

    whole = text().decode()
    for why, data in {
        "no text": b"", "half a text": whole[:40].encode(), "something after it": f"{whole} 1".encode(),
        "text that is no UTF-8": b'{"\xff"', "text with a byte order mark": b"\xef\xbb\xbf" + whole.encode(),
        "an array": b"[2]", "null": b"null", "a number": b"2", "an object without version": b"{}",
        "an object with other keys only": whole.replace('"version": 2, ', "").encode(),
        "version 2.0": text(version=2.0), "version true": text(version=True), "a version in text": text(version="2"),
        "version null": text(version=None), "version -0": whole.replace(": 2,", ": -0,", 1).encode(), "version 2e0": whole.replace(": 2,", ": 2e0,", 1).encode(),
        "a key too much": text(more=1), "no window": whole.replace('"window": "", ', "").encode(),
        "a key twice": whole.replace("{", '{"window": "",', 1).encode(), "a key in capitals": whole.replace("window", "Window").encode(),
        "a fingerprint in capitals": text(fingerprint=mark.upper()), "half a fingerprint": text(fingerprint=mark[:16]),
        "a fingerprint of 33 digits": text(fingerprint=mark + "0"), "a fingerprint of 34 digits": text(fingerprint=mark + "00"),
        "a fingerprint that is null": text(fingerprint=None), "a fingerprint with a prefix": text(fingerprint="0x" + mark[2:]),
        "a window where there is none": text(window="2026-11"), "a window that is null": text(window=None),
        "a window that is 0": text(window=0), "no reports": text(reports=[]), "reports that are an object": text(reports=report),
        "reports that are null": text(reports=None), "NaN": whole.replace('"02"', "NaN").encode(),
        "a payload 2.5": whole.replace('"02"', "2.5").encode(), "a payload of 2^53": whole.replace('"02"', str(2**53)).encode(),
        "half a surrogate pair": whole.replace('"02"', '"\\ud800"').encode(),
        "a report with a key twice": whole.replace('"payload"', '"id": "", "payload"').replace('"id": "", "id"', '"id"').encode(),
    }.items():  # fmt: skip
        yield why, data, "malformed", None
    for version in (0, 1, 3, -2, 2**53 - 1):
        yield f"version {version}", text(version=version), "wrong-version", None
    yield "version 3 with other keys", b'{"version": 3}', "wrong-version", None
    yield "another fingerprint", text(fingerprint=number), "unknown-survey", None
    yield (
        "keys of a report before a fingerprint",
        text(fingerprint="?", reports=[{}]),
        "malformed",
        0,
    )
    yield (
        "keys of the second report before the id of the first",
        text(reports=[{"payload": "02"}, {"id": number}]),
        "malformed",
        1,
    )
    yield "a report that is text", text(reports=["?"]), "malformed", 0
    yield "a report that is an array", text(reports=[[number]]), "malformed", 0
    yield "a report that is an array of three", text(reports=[[number, "02", 1]]), "malformed", 0
    yield "a report that is an array of two", text(reports=[[number, "02"]]), "malformed", 0
    yield (
        "a fingerprint before a report that is an array",
        text(fingerprint="?", reports=[[number, "02"]]),
        "malformed",
        None,
    )
    for why, opening, last, closing in (("lists", "[", "", "]"), ("objects", '{"a": ', "0", "}")):
        for depth, code, position in ((16, "wrong-payload", 0), (17, "malformed", None)):
            inside = opening * (depth - 3) + last + closing * (depth - 3)
            data = whole.replace('"02"', inside).encode()
            yield f"a payload of {why}, {depth} in each other", data, code, position
    yield "a report with a key too much", of(time="now"), "malformed", 0
    yield "a report without payload", of("payload"), "malformed", 0
    yield "an empty report", text(reports=[{}]), "malformed", 0
    for why, wrong in {
        "that is null": None, "in capitals": number.upper(), "with a space": f"{number[:16]} {number[16:]}",
        "too short": number[:30], "too long": number + "00", "of 31 digits": number[:31], "that is a number": 5, "empty": "",
    }.items():  # fmt: skip
        yield f"an id {why}", of(id=wrong), "no-id", 0
    yield "a report without id", of("id"), "no-id", 0
    for why, wrong in {
        "that is a number": 2, "that is a list": [2], "that is null": None, "of one digit": "2", "in capitals": "0A",
        "that is no hexadecimal": "0g", "with a space": "0 2", "that is true": True, "empty": "", "too long": "0200",
        "too large": "03", "with full-width digits": "\uff10\uff12",
    }.items():  # fmt: skip
        yield f"a payload {why}", of(payload=wrong), "wrong-payload", 0
