"""Files of reports: written while they are sent, ended when nobody reads, and few at a time."""

from __future__ import annotations

import csv
import io
import socket
import tempfile
import threading
import time
from datetime import UTC, datetime

import httpx
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import Mismatch
from sottovoce.service.api import downloads
from sottovoce.store import StoreDown, Submission, handing_out, open_store
from sottovoce.surveys.survey import Survey
from sottovoce.wire.payloads import payloads_of
from support.loading import running

DAY = "2026-11-16"


def after():
    """A clock by which the day has ended."""
    return datetime(2026, 12, 1, tzinfo=UTC)


def wide(batch=50):
    """Reports of 1,000 bytes each."""
    return Survey("wide", "Which?", sv.mechanism("oue", sv.Categories(8000), 1.0), "day", batch)


def fill(store, survey, count, seed=1):
    rng = np.random.default_rng(seed)
    rows = [rng.bytes(1000) for _ in range(count)]
    ids = [rng.bytes(16) for _ in range(count)]
    store.write([Submission(survey.fingerprint, DAY, ids, rows)])
    return ids, rows


@pytest.fixture
def collecting(tmp_path):
    """Begins a collector with so many wide reports, and some settings."""
    opened = []

    def begin(count, **settings):
        survey = wide()
        context = running(tmp_path, survey, clock=after, open_reading=True, **settings)
        collector = context.__enter__()
        opened.append(context)
        collector.ids, _ = fill(collector.store, survey, count)
        return collector, f"{collector.url}/surveys/{survey.fingerprint}/reports"

    yield begin
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture
def endless(monkeypatch):
    """Makes the reports of a collector go on for ever."""

    def change(store):
        original = store.hand_out

        def hand_out(*arguments):
            reports = next(original(*arguments))
            while True:
                yield reports

        monkeypatch.setattr(store, "hand_out", hand_out)

    return change


def until(holds):
    """Wait until something holds, or fail."""
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never did")


def writers():
    return [thread for thread in threading.enumerate() if thread.name == "download"]


class Silent:
    """Somebody who asks for a file and reads nothing of it."""

    def __init__(self, address, path):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(address)
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def is_cut_off(self):
        """Whether the connection was broken before the end of the file."""
        self.socket.settimeout(10)
        received = b""
        try:
            while piece := self.socket.recv(2**16):
                received += piece
        except ConnectionResetError:
            return True
        return not received.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_has_all_reports_and_none_is_on_the_disk(collecting, form, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "TemporaryFile", pytest.fail)
    monkeypatch.setattr(handing_out, "_CHUNK_BYTES", 2**16)
    collector, where = collecting(300)
    answer = httpx.get(f"{where}.{form}", timeout=60)
    assert answer.status_code == 200 and "content-length" not in answer.headers
    survey = wide()
    expected = collector.store.tally(survey.fingerprint)
    if form == "csv":
        rows = list(csv.reader(io.StringIO(answer.text)))[1:]
        assert len(rows) == 300 and len(set(map(tuple, rows))) == 300
    else:
        import pyarrow.parquet as parquet

        file = tmp_path / "reports.parquet"
        file.write_bytes(answer.content)
        tally = survey.mechanism.tally(sv.Reports.read(file, survey.mechanism))
        assert tally.of_window(expected.window) == expected
        assert parquet.ParquetFile(file).num_row_groups > 4  # by bytes: 61 rows each
    until(lambda: not writers() and collector.app.collector_state.downloads == 0)


def test_no_more_is_written_than_is_read(collecting, monkeypatch):
    """Of 8 MB, an unread download has some pieces, whatever its file has."""
    monkeypatch.setattr(handing_out, "_CHUNK_BYTES", 2**16)
    monkeypatch.setattr(downloads, "_PIECE", 2**14)
    collector, where = collecting(4000, download_seconds=30)
    handed = []
    original = collector.store.hand_out

    def hand_out(*arguments):
        for reports in original(*arguments):
            handed.append(len(reports))
            yield reports

    monkeypatch.setattr(collector.store, "hand_out", hand_out)
    silent = Silent(collector.address, where.removeprefix(collector.url) + ".csv")
    until(lambda: handed)
    before = -1
    while before != len(handed):
        before = len(handed)
        time.sleep(0.3)
    assert 0 < sum(handed) < 3500
    silent.socket.close()
    until(lambda: not writers() and collector.app.collector_state.downloads == 0)


def test_who_reads_nothing_is_cut_off(collecting, endless):
    collector, where = collecting(60, download_seconds=0.5)
    endless(collector.store)
    silent = Silent(collector.address, where.removeprefix(collector.url) + ".csv")
    until(lambda: collector.app.collector_state.downloads == 1)
    until(lambda: collector.app.collector_state.downloads == 0 and not writers())
    assert silent.is_cut_off()
    silent.socket.close()


def test_who_goes_leaves_nothing_behind(collecting, endless):
    collector, where = collecting(60)
    endless(collector.store)
    with httpx.stream("GET", f"{where}.csv") as answer:
        pieces = answer.iter_raw()  # dropped, it would end the answer
        next(pieces)
        assert collector.app.collector_state.downloads == 1
    until(lambda: collector.app.collector_state.downloads == 0 and not writers())


def test_few_are_downloaded_at_once(collecting, endless, monkeypatch):
    collector, where = collecting(60, downloads=2)
    endless(collector.store)
    with httpx.stream("GET", f"{where}.csv") as one, httpx.stream("GET", f"{where}.parquet") as two:
        assert one.status_code == two.status_code == 200
        third = httpx.get(f"{where}.csv")
        assert (third.status_code, third.json()["code"]) == (429, "rate-limited")
        assert int(third.headers["retry-after"]) > 0
    until(lambda: collector.app.collector_state.downloads == 0)
    monkeypatch.undo()
    assert httpx.get(f"{where}.csv", timeout=60).status_code == 200


def test_a_file_that_fails_before_its_first_byte_is_refused(collecting, monkeypatch):
    collector, where = collecting(60)

    def fail(*_):
        raise StoreDown("no answer")

    monkeypatch.setattr(collector.store, "hand_out", fail)
    for form in ("csv", "parquet"):
        answer = httpx.get(f"{where}.{form}")
        assert (answer.status_code, answer.json()["code"]) == (503, "store-down")
    assert collector.app.collector_state.downloads == 0


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_report_that_is_deleted_meanwhile_breaks_the_file_off(collecting, form, monkeypatch):
    """Else whoever reads slowly would see by its absence which report was deleted."""
    monkeypatch.setattr(handing_out, "_CHUNK_BYTES", 2**20)
    collector, where = collecting(3000)
    store, f = collector.store, wide().fingerprint
    original = store.hand_out

    def hand_out(*arguments):
        for reports in original(*arguments):
            yield reports
            store.delete(f, collector.ids[0])

    monkeypatch.setattr(store, "hand_out", hand_out)
    with pytest.raises(httpx.RemoteProtocolError), httpx.stream("GET", f"{where}.{form}") as answer:
        for _ in answer.iter_raw():
            pass
    until(lambda: collector.app.collector_state.downloads == 0)
    assert httpx.get(f"{where}.{form}").json()["code"] == "below-minimum-batch"


@pytest.mark.parametrize("change", ["delete", "write"])
def test_handing_out_ends_when_a_window_changes(tmp_path, monkeypatch, change):
    monkeypatch.setattr(handing_out, "_CHUNK_BYTES", 2**14)
    survey = wide()
    with open_store(tmp_path / "store.db") as store:
        store.publish(survey)
        ids, rows = fill(store, survey, 60)
        f = survey.fingerprint
        assert store.windows_to_hand_out(f) == ()
        store.release(f, after().date())
        assert store.windows_to_hand_out(f) == (DAY,)
        handed = store.hand_out(f, DAY)
        first = next(handed)
        assert 0 < len(first) < 60 and set(payloads_of(first)) <= set(rows)
        if change == "delete":
            assert store.delete(f, ids[0])
        else:
            fill(store, survey, 1, seed=2)
        with pytest.raises(Mismatch, match="changed while they were handed out; ask again"):
            list(handed)
        assert store.windows_to_hand_out(f) == ()


def test_with_a_minimum_batch_of_one_an_open_window_is_handed_out(tmp_path):
    survey = wide(1)
    with open_store(tmp_path / "store.db") as store:
        store.publish(survey)
        fill(store, survey, 3)
        assert store.windows_to_hand_out(survey.fingerprint) == (DAY,)
        assert sum(map(len, store.hand_out(survey.fingerprint, DAY))) == 3
