"""Tallies and reports at rest: truncation, alteration, other versions, whole files or none."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, SottovoceError
from sottovoce.base.files import write_whole
from sottovoce.core.registry import mechanism_from_json

MECHANISM = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0)
TALLY = MECHANISM.simulate([5, 6, 7], source=sv.Seeded(1))
BYTES = TALLY.to_bytes()
UNARY = sv.mechanism("oue", sv.Categories(11), 1.0)
REPORTS = UNARY.randomize_indices(np.arange(11), sv.Seeded(1))


def resealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()[:16]


@given(st.integers(0, len(BYTES) - 1))
def test_a_tally_cut_short_is_refused(length):
    with pytest.raises(CorruptBytes):
        sv.Tally.from_bytes(BYTES[:length])


@given(st.integers(0, len(BYTES) - 1), st.integers(1, 255))
def test_an_altered_tally_is_refused(position, change):
    altered = bytearray(BYTES)
    altered[position] ^= change
    with pytest.raises(CorruptBytes):
        sv.Tally.from_bytes(bytes(altered))


@given(st.binary(max_size=200))
def test_noise_is_no_tally(noise):
    with pytest.raises(CorruptBytes):
        sv.Tally.from_bytes(noise)
    with pytest.raises(SottovoceError):
        sv.Tally.from_bytes(resealed(b"svtally\x02" + noise))


def test_messages_of_bad_bytes():
    with pytest.raises(CorruptBytes, match="not a tally"):
        sv.Tally.from_bytes(b"hello world, this is text")
    with pytest.raises(CorruptBytes, match="a tally of layout 9; this version reads 2"):
        sv.Tally.from_bytes(resealed(b"svtally\x09" + BYTES[8:-16]))
    with pytest.raises(CorruptBytes, match="a tally cut short: only 10 bytes"):
        sv.Tally.from_bytes(BYTES[:10])
    with pytest.raises(CorruptBytes, match="cut short or altered: its checksum is wrong"):
        sv.Tally.from_bytes(BYTES[:-1])
    with pytest.raises(CorruptBytes, match="holds 32 bytes of cells; its 3 cells need 24"):
        sv.Tally.from_bytes(resealed(BYTES[:-16] + bytes(8)))
    with pytest.raises(CorruptBytes, match="holds 25 bytes of cells; its 3 cells need 24"):
        sv.Tally.from_bytes(resealed(BYTES[:-16] + b"x"))


def test_a_tally_whose_cells_do_not_add_up_is_refused():
    cells = np.array([1, 2, 3])
    with pytest.raises(InvalidInput, match="each block sums to n = 7; got 'block 0 with sum 6'"):
        sv.Tally(MECHANISM, 7, cells)
    with pytest.raises(
        InvalidInput, match="cells of tally of randomized-response must be from 0 to n = 1; got -1"
    ):
        sv.Tally(MECHANISM, 1, np.array([1, 1, -1]))
    wrapping = np.array([2**63 - 1, 2**63 - 1, 7])  # sums to 5 in 64 bits
    with pytest.raises(InvalidInput, match="must be from 0 to n = 5; got 9223372036854775807"):
        sv.Tally(MECHANISM, 5, wrapping)
    with pytest.raises(InvalidInput, match="must be 3 whole numbers"):
        sv.Tally(MECHANISM, 6, np.array([1.0, 2.0, 3.0]))
    with pytest.raises(InvalidInput, match="must be 3 whole numbers"):
        sv.Tally(MECHANISM, 3, np.array([1, 2]))
    forged = json.loads(BYTES[12 : 12 + struct.unpack("<I", BYTES[8:12])[0]])
    forged["n"] = 17
    header = json.dumps(forged, sort_keys=True, separators=(",", ":")).encode()
    body = b"svtally\x02" + struct.pack("<I", len(header)) + header + BYTES[-16 - 24 : -16]
    with pytest.raises(InvalidInput, match="each block sums to n = 17"):
        sv.Tally.from_bytes(resealed(body))


def test_a_tally_does_not_overflow():
    most = 2**53 - 1
    full = sv.Tally(MECHANISM, most, np.array([most, 0, 0]))
    with pytest.raises(InvalidInput, match=r"n of tally .* from 0 to 9007199254740991"):
        full + full


def test_a_tally_cannot_be_changed():
    with pytest.raises(AttributeError, match="a Tally cannot be changed"):
        TALLY.n = 5
    with pytest.raises(ValueError, match="read-only"):
        TALLY.cells[0] = 5
    with pytest.raises(TypeError):
        TALLY + 5


def test_a_mechanism_of_another_version_is_refused():
    document = MECHANISM.document()
    for change, message in (
        ({"version": 3}, "randomized-response has version 3; this version reads 2"),
        (
            {"mechanism": "telepathy"},
            "unknown mechanism 'telepathy'. Known: .*local-hashing",
        ),
        (
            {"weights": {"keep": "1"}},
            "weights of randomized-response must be whole numbers named keep, other",
        ),
        (
            {"weights": {"keep": "1", "other": "1"}},
            r"must be positive with keep \+ 3 other = 2\^62",
        ),
        ({"options": {"color": 1}}, "incomplete"),
        ({"mechanism": [1]}, r"unknown mechanism \[1\]"),
        ({"domain": []}, r"unknown kind of domain \[\]"),
        (
            {"domain": {"kind": "interval", "low": "x", "high": "1", "bins": 2}},
            "interval domain is incomplete",
        ),
        (
            {"epsilon": "abc"},
            "randomized-response is incomplete: could not convert string to float",
        ),
    ):
        with pytest.raises(SottovoceError, match=message):
            mechanism_from_json(json.dumps({**document, **change}))
    with pytest.raises(CorruptBytes, match="a mechanism is not JSON"):
        mechanism_from_json("{")
    with pytest.raises(CorruptBytes, match=r"a mechanism is not an object: \[\]"):
        mechanism_from_json("[]")


def test_reports_refuse_foreign_columns():
    good = REPORTS.columns["bits"]
    for columns, message in (
        ({}, r"columns of reports of unary-encoding must be exactly \['bits'\]; got \[\]"),
        (
            {"bits": good[:, :1]},
            "column 'bits' of reports of unary-encoding must be rows of 2 bytes",
        ),
        ({"bits": good.astype(int)}, "rows of 2 bytes"),
        ({"bits": good | np.uint8(128)}, "zero in the 5 bits beyond the last value"),
    ):
        with pytest.raises(InvalidInput, match=message):
            sv.Reports(UNARY, columns)
    with pytest.raises(InvalidInput, match="column 'value' .* must be from 0 to 2; got 3"):
        sv.Reports(MECHANISM, {"value": np.array([0, 3])})
    with pytest.raises(InvalidInput, match="must be from 0 to 2; got -1"):
        sv.Reports(MECHANISM, {"value": np.array([-1])})
    with pytest.raises(InvalidInput, match="flat column of whole numbers"):
        sv.Reports(MECHANISM, {"value": np.array([0.5])})
    hashing = sv.mechanism("olh", sv.Categories(40), 1.0)
    with pytest.raises(InvalidInput, match="of one length; got {'hash': 2, 'cell': 1}"):
        sv.Reports(hashing, {"hash": np.array([0, 1]), "cell": np.array([0])})
    with pytest.raises(InvalidInput, match="a slice such as"):
        REPORTS[0]
    with pytest.raises(InvalidInput, match="reports of tally of unary-encoding must be Reports"):
        UNARY.tally([1, 2])


def test_report_files_of_others_are_refused(tmp_path):
    path = tmp_path / "r.parquet"
    REPORTS.write(path)
    with pytest.raises(Mismatch, match=MECHANISM.fingerprint):
        sv.Reports.read(path, MECHANISM)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(CorruptBytes, match=r"r\.parquet is not a readable Parquet file"):
        sv.Reports.read(path)
    with pytest.raises(FileNotFoundError):
        sv.Reports.read(tmp_path / "absent.parquet")
    pq.write_table(pa.table({"bits": [1]}), path)
    with pytest.raises(CorruptBytes, match="no sottovoce reports"):
        sv.Reports.read(path)


def test_report_tables_that_were_altered():
    table = REPORTS.to_arrow()
    meta = {k.decode(): v.decode() for k, v in table.schema.metadata.items()}
    for change, message in (
        ({"sottovoce.format": "7"}, "reports of format '7'; this version reads '2'"),
        ({"sottovoce.fingerprint": "00"}, "reports say fingerprint 00"),
    ):
        with pytest.raises(CorruptBytes, match=message):
            sv.Reports.from_arrow(table.replace_schema_metadata({**meta, **change}))
    with pytest.raises(CorruptBytes, match=r"lack the columns \['bits'\]"):
        sv.Reports.from_arrow(table.drop_columns(["bits"]))
    holes = pa.table({"bits": pa.array([b"ab", None], pa.binary(2))}).replace_schema_metadata(meta)
    with pytest.raises(InvalidInput, match="row 2 of column 'bits' .* 2 bytes; got None"):
        sv.Reports.from_arrow(holes)
    wide = pa.table({"bits": pa.array([b"abc"], pa.binary(3))}).replace_schema_metadata(meta)
    with pytest.raises(InvalidInput, match="of 2 bytes per row"):
        sv.Reports.from_arrow(wide)


def test_no_partial_file_is_left_behind(tmp_path):
    target = tmp_path / "t.svt"
    target.write_bytes(b"before")

    def fail(part):
        part.write_bytes(b"half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(target, fail)
    assert target.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["t.svt"]
    with pytest.raises(FileNotFoundError):
        TALLY.write(tmp_path / "no such folder" / "t.svt")
