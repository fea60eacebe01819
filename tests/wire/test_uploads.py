"""The wire: payloads, MessagePack, windows, and limits; the golden vectors have a file of their own."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Refused
from sottovoce.service.upload.reading import (
    OTHER,
    admit_upload,
    decode_upload,
    parse_upload,
    unpack,
)
from sottovoce.surveys.windows import check_window, today, window_days, window_name
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import payload_width, payloads_of, reports_from_payloads
from sottovoce.wire.uploads import FORMS, REFUSALS, Upload, encode_upload, new_id
from vectors.words import as_if_drawn

LETTERS = sv.Survey("letters", "Which?", sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0))


# -- payloads ----------------------------------------------------------------------------


def test_payloads_round_trip(mechanism):
    indices = np.arange(50) % mechanism.domain.size
    reports = as_if_drawn(mechanism.randomize_indices(indices, sv.Seeded(5)))
    payloads = payloads_of(reports)
    assert reports_from_payloads(mechanism, payloads) == reports
    assert {(type(payload), len(payload)) for payload in payloads} == {
        (bytes, payload_width(mechanism))
    }
    survey = sv.Survey("s", "?", mechanism, "day")
    upload = Upload.of(survey, "2026-11-16", [new_id() for _ in range(50)], reports)
    for form in FORMS:
        assert decode_upload(encode_upload(upload, form), survey, form).reports == reports


def test_no_payloads_are_no_reports(mechanism):
    assert len(reports_from_payloads(mechanism, [])) == 0
    assert payloads_of(reports_from_payloads(mechanism, [])) == []


def test_a_wrong_payload_is_found_among_many():
    payloads = [bytes([i % 3]) for i in range(500)]
    payloads[321] = b"\3"
    with pytest.raises(Refused, match="wrong-payload: report 321: column 'value' .* from 0 to 2"):
        reports_from_payloads(LETTERS.mechanism, payloads)


def test_uploads_are_checked_when_made():
    reports = LETTERS.mechanism.randomize(["a", "b"])
    with pytest.raises(InvalidInput, match="ids of an upload must be 2, one per report; got 1"):
        Upload.of(LETTERS, "", [new_id()], reports)
    with pytest.raises(InvalidInput, match="id of an upload must be 16 bytes"):
        Upload.of(LETTERS, "", [new_id(), b"short"], reports)
    with pytest.raises(Refused, match="malformed: window of .* must be empty; got '2026-11'"):
        Upload.of(LETTERS, "2026-11", [new_id(), new_id()], reports)
    with pytest.raises(InvalidInput, match="form of an upload must be one of msgpack, json"):
        encode_upload(Upload.of(LETTERS, "", [new_id()], reports[:1]), "xml")
    with pytest.raises(InvalidInput, match="form of an upload"):
        parse_upload(b"", "xml")
    other_mechanism = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 2.0)
    with pytest.raises(InvalidInput, match="reports of an upload must be drawn by .*letters"):
        Upload.of(LETTERS, "", [new_id()], other_mechanism.randomize(["a"]))
    foreign = sv.Reports(LETTERS.mechanism, reports.columns, certified=False)
    with pytest.raises(InvalidInput, match="reports of an upload must be drawn by the mechanism"):
        Upload.of(LETTERS, "", [new_id(), new_id()], foreign)
    other = sv.Survey("other", "Which?", LETTERS.mechanism)
    with pytest.raises(Refused, match="unknown-survey"):
        admit_upload(Upload.of(other, "", [new_id()], reports[:1]), LETTERS)


def test_limits_are_the_collectors():
    ids = [new_id() for _ in range(3)]
    data = encode_upload(Upload.of(LETTERS, "", ids, LETTERS.mechanism.randomize(["a"] * 3)))
    assert decode_upload(data, LETTERS, maximum_bytes=len(data), maximum_reports=3).ids == tuple(
        ids
    )
    with pytest.raises(Refused, match=f"too-large: {len(data)} bytes; at most {len(data) - 1}"):
        decode_upload(data, LETTERS, maximum_bytes=len(data) - 1)
    with pytest.raises(Refused, match="too-large: 3 reports; at most 2"):
        decode_upload(data, LETTERS, maximum_reports=2)


def test_ids_differ_and_come_from_the_source():
    assert len({new_id() for _ in range(1000)}) == 1000
    assert new_id(sv.Seeded(1)) == new_id(sv.Seeded(1))
    assert all(len(new_id()) == 16 for _ in range(10))


# -- MessagePack -------------------------------------------------------------------------

ITEMS = st.recursive(
    st.integers(0, 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=20),
    max_leaves=12,
)


def depth(value) -> int:
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(ITEMS)
def test_what_is_packed_is_unpacked(value):
    if depth(value) > 8:
        return
    data = pack(value)
    assert unpack(data) == value
    for end in range(len(data)):
        with pytest.raises(CorruptBytes):
            unpack(data[:end])


@pytest.mark.parametrize("size", [0, 31, 32, 255, 256, 65535, 65536])
def test_every_length_has_its_shortest_form(size):
    heads = {"bytes": 2 + (size > 255) + 2 * (size > 65535)}
    heads["text"] = 1 + (size > 31) + (size > 255) + 2 * (size > 65535)
    assert len(pack(b"x" * size)) == heads["bytes"] + size
    assert len(pack("x" * size)) == heads["text"] + size
    assert len(pack([0] * size)) == size + (1 if size < 16 else 3 if size < 65536 else 5)
    for value in (b"x" * size, "x" * size, [0] * size):
        assert unpack(pack(value)) == value


def test_numbers_have_their_shortest_form():
    for value in (0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1):
        size = 1 if value < 128 else 1 + next(s for s in (1, 2, 4, 8) if value < 2 ** (8 * s))
        assert len(pack(value)) == size
        assert unpack(pack(value)) == value
    for wrong in (-1, 2**64, 1.5, None, True, {}):
        with pytest.raises(InvalidInput, match="value of MessagePack"):
            pack(wrong)


def test_every_type_is_read():
    texts = {
        "c0": None, "c2": False, "c3": True, "ff": -1, "e0": -32, "d0 80": -128, "d1 80 00": -(2**15),
        "d2 80 00 00 00": -(2**31), "d3 80 00 00 00 00 00 00 00": -(2**63), "ca 3f 80 00 00": 1.0,
        "cb 3f f0 00 00 00 00 00 00": 1.0, "80": OTHER, "81 01 02": OTHER, "de 00 01 01 02": OTHER,
        "df 00 00 00 01 01 02": OTHER, "d4 01 02": OTHER, "d8 01" + "00" * 16: OTHER, "c7 00 01": OTHER,
        "c8 00 01 01 02": OTHER, "c9 00 00 00 01 01 02": OTHER,
    }  # fmt: skip
    for text, value in texts.items():
        assert unpack(bytes.fromhex(text)) == value, text
        with pytest.raises(CorruptBytes, match="trailing characters"):
            unpack(bytes.fromhex(text) + b"\x00")
        if len(bytes.fromhex(text)) > 1:
            with pytest.raises(CorruptBytes, match="truncated"):
                unpack(bytes.fromhex(text)[:-1])


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    for form in FORMS:
        with pytest.raises(Refused):
            decode_upload(data, LETTERS, form)


@given(st.data())
def test_an_altered_upload_is_refused_or_another_upload(data):
    """One byte changed: never another error, and never the payload of a field's outside."""
    mechanism = sv.mechanism("oue", sv.Categories(11), 1.0)
    survey = sv.Survey("s", "?", mechanism, "week")
    reports = as_if_drawn(mechanism.randomize(3, source=sv.Seeded(1)))
    upload = Upload.of(survey, "2026-W47", [bytes(range(16))], reports)
    form = data.draw(st.sampled_from(sorted(FORMS)))
    altered = bytearray(encode_upload(upload, form))
    altered[data.draw(st.integers(0, len(altered) - 1))] = data.draw(st.integers(0, 255))
    try:
        received = decode_upload(bytes(altered), survey, form)
    except Refused as refused:
        assert refused.code in REFUSALS
    else:
        assert len(received.reports) == 1


# -- windows -----------------------------------------------------------------------------


@given(st.dates(date(1000, 1, 8), date(9998, 12, 20)), st.sampled_from(["day", "week", "month"]))
def test_a_day_is_in_its_window_and_its_neighbours_are_in_the_next(day, window):
    first, last = window_days(window, window_name(window, day))
    assert first <= day <= last
    assert {window_name(window, d) for d in (first, last)} == {window_name(window, day)}
    for outside in (first - timedelta(1), last + timedelta(1)):
        assert window_name(window, outside) != window_name(window, day)


def test_windows_that_are_none():
    for window, names in {
        "once": ["2026", None, b""], "day": ["", "2026-02-30", "0000-01-01", "2026-02-03 "],
        "week": ["2026-W60", "2026-W1", "9999-W53"], "month": ["2026-13", "2026-1", "٢٠٢٦-11"],
    }.items():  # fmt: skip
        for name in names:
            with pytest.raises(InvalidInput, match="window of a survey with window"):
                window_days(window, name)


def test_windows_begin_and_end_by_the_collectors_clock():
    day = date.fromisoformat

    def code(survey, name, earliest, latest):
        try:
            check_window(survey, name, earliest=day(earliest), latest=day(latest))
        except Refused as refused:
            return refused.code
        return None

    weekly = sv.Survey("s", "?", LETTERS.mechanism, "week", opens="2026-11-18", closes="2026-12-01")
    now = "2026-11-20"
    assert code(weekly, "2026-W47", now, now) is None
    assert code(weekly, "2026-W48", now, now) == "clock-skew"
    assert code(weekly, "2026-W48", now, "2026-11-23") is None
    assert code(weekly, "2026-W46", now, now) == "window-closed"  # before it opens
    assert code(weekly, "2026-W47", "2026-11-17", "2026-11-17") == "clock-skew"
    assert code(weekly, "2026-W47", "2026-11-22", "2026-11-23") is None
    assert code(weekly, "2026-W47", "2026-11-23", "2026-11-23") == "window-closed"
    assert code(weekly, "2026-W49", "2026-12-02", "2026-12-02") == "window-closed"
    assert code(weekly, "2026-W50", "2026-12-08", "2026-12-08") == "window-closed"
    assert code(LETTERS, "", now, now) is None
    once = sv.Survey("s", "?", LETTERS.mechanism, opens="2026-11-21")
    assert code(once, "", now, now) == "clock-skew"
    assert isinstance(today(), date)
