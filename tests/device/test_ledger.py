"""The ledger as a file: complete from birth, its owner's alone, and refused where it is damaged."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from datetime import date
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.base import files
from sottovoce.base.errors import CorruptBytes
from sottovoce.base.files import write_new
from sottovoce.device.ledger import Ledger
from sottovoce.service.upload.reading import decode_upload
from support.devices import client_of, make_survey


def test_a_ledger_without_bytes_is_damaged_and_not_new(tmp_path):
    client_of(tmp_path).report("tea")
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"")
    with pytest.raises(CorruptBytes, match="it is empty. Nothing is answered. Restore it"):
        client_of(tmp_path)
    assert path.read_bytes() == b""


def test_a_shortened_ledger_is_refused(tmp_path):
    for k in range(25):
        survey = make_survey(f"s{k}", 0.01, window="once")
        client_of(tmp_path, survey).report("tea")
    path = tmp_path / "ledger.sqlite"
    whole = path.read_bytes()
    assert len(whole) > 8192
    for part in (1, 99, 100, 1024, 4096, 8192, -1):
        path.write_bytes(whole[:part])
        with pytest.raises(CorruptBytes, match="cannot be read as a ledger"):
            client_of(tmp_path)
        assert path.read_bytes() == whole[:part]
    path.write_bytes(whole)
    assert len(client_of(tmp_path).ledger.receipts()) == 25


def test_another_file_is_refused_and_not_replaced(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this was a ledger once" * 100)
    with pytest.raises(CorruptBytes, match="cannot be read as a ledger: file is not a database"):
        client_of(tmp_path)
    assert path.read_bytes().startswith(b"this was")
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE cats (name TEXT)")
    database.close()
    with pytest.raises(CorruptBytes, match="it is another database"):
        client_of(tmp_path)
    path.unlink()
    with Ledger(tmp_path)._transaction() as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(CorruptBytes, match="a ledger of version 9; this version reads 4"):
        Ledger(tmp_path)


def test_a_ledger_that_is_taken_away_is_not_made_anew(tmp_path):
    client = client_of(tmp_path)
    client.ledger.path.unlink()
    with pytest.raises(OSError, match="cannot be written: unable to open"):
        client.report("tea")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="needs modes of files")
def test_a_ledger_is_its_owners_alone(tmp_path):
    before = os.umask(0)
    try:
        ledger = Ledger(tmp_path / "state")
    finally:
        os.umask(before)
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    ledger.path.chmod(0o644)
    assert stat.S_IMODE(Ledger(tmp_path / "state").path.stat().st_mode) == 0o600


def test_of_several_first_ledgers_one_stays(tmp_path):
    barrier, made = threading.Barrier(8), []

    def first():
        barrier.wait()
        made.append(Ledger(tmp_path).path.stat().st_ino)

    threads = [threading.Thread(target=first) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8
    assert len(set(made)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_new_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "new"

    def fail(part):
        part.write_text("half")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_new(target, fail, mode=0o600)
    assert list(tmp_path.iterdir()) == []
    write_new(target, lambda part: part.write_text("first"), mode=0o600)
    write_new(target, lambda part: part.write_text("second"), mode=0o600)
    assert target.read_text() == "first"

    def no_links(*_):
        raise PermissionError("no hard links here")

    monkeypatch.setattr(files.os, "link", no_links)
    write_new(target, lambda part: part.write_text("third"), mode=0o600)
    assert target.read_text() == "first"
    write_new(tmp_path / "other", lambda part: part.write_text("fourth"), mode=0o600)
    assert (tmp_path / "other").read_text() == "fourth"
    assert len(list(tmp_path.iterdir())) == 2


# -- files of earlier versions ----------------------------------------------------------------

OLD = Path(__file__).parents[1] / "old"


@pytest.mark.parametrize(("version", "spent"), [(3, 1), (4, 3)])
def test_an_old_ledger_is_read_and_continued(tmp_path, version, spent):
    """Reports, cohorts, hashes and permanent answers of earlier programs stay what they are."""
    database = sqlite3.connect(tmp_path / "ledger.sqlite")
    database.executescript((OLD / f"ledger.{version}.sql").read_text())
    database.close()
    ledger = Ledger(tmp_path)
    assert ledger.spent()[0] == spent
    with ledger._transaction() as database:
        assert database.execute("PRAGMA user_version").fetchone() == (version,)
    memory = sv.mechanism("memoized", sv.Categories(64), 1.0, lifetime=2.0)
    survey = sv.Survey("memory", "Which number?", memory, "day")
    receipt = client_of(tmp_path, survey, clock=lambda: date(2026, 11, 19)).report(5)
    assert receipt.epsilon == ("0" if version == 4 else "2")
    if version == 4:
        report = decode_upload(receipt.upload, survey).reports
        assert int(report.columns["hash"][0]) == 14
