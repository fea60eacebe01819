"""What is particular to files on a disk: the log, backups, a full disk, what bytes are there."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sottovoce.store.databases.sqlite as in_sqlite
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.store import (
    Receipt,
    Refusals,
    Rules,
    StoreDown,
    StoreFull,
    Submission,
    Writer,
    open_store,
)
from support.stores import DAY, collecting, place, server, submission, survey_of

__all__ = ["place", "server"]
SURVEY = survey_of()
F = SURVEY.fingerprint


def log_starts_again(folder, rounds) -> bool:
    """Whether the log is begun anew within `rounds` writes, readers reading without a pause.

    Each beginning has salts of its own, bytes 16 to 24 of the file.
    """
    path, done, salts = folder / "collector.db", threading.Event(), set()
    with open_store(path) as store:
        store.publish(SURVEY)

        def read():
            with open_store(path, writable=False) as reader:
                while not done.is_set():
                    assert reader.tally(F).n >= 0
                    for _ in reader.reports(F, chunk=500):
                        pass

        readers = [threading.Thread(target=read, daemon=True) for _ in range(2)]
        for thread in readers:
            thread.start()
        written = 0
        while written < rounds and len(salts) < 2:
            store.write([submission(SURVEY, 200, written)])
            written += 1
            with Path(f"{path}-wal").open("rb") as log:
                salts.add(log.read(24)[16:])
        done.set()
        for thread in readers:
            thread.join()
        assert store.counts().stored == 200 * written
        assert store.check() == []
    return len(salts) > 1


def test_the_log_starts_again_beside_readers_that_never_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(in_sqlite, "_LOG_PAGES", 150)
    (tmp_path / "emptied").mkdir()
    (tmp_path / "left").mkdir()
    assert log_starts_again(tmp_path / "emptied", 2000)
    monkeypatch.setattr(in_sqlite.SQLite, "empty_log", lambda self: None)
    assert not log_starts_again(tmp_path / "left", 60)


def test_a_backup_has_all_that_was_acknowledged_before_it(place, tmp_path):
    target = tmp_path / "copy.db"
    with collecting(place, SURVEY) as store:
        if place.kind == "postgresql":
            with pytest.raises(Unfit, match="pg_dump"):
                store.backup(target)
            return
        acknowledged, stop = [], threading.Event()
        writer = Writer(store, acknowledged.extend)

        def send():
            seed = 0
            while not stop.is_set():
                writer.submit(seed, submission(SURVEY, 20, seed))
                seed += 1
                time.sleep(0.001)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        while len(acknowledged) < 20:
            time.sleep(0.001)
        before = [key for key, receipt in list(acknowledged) if receipt.stored]
        with place.open(writable=False) as reader:
            reader.backup(target)
        stop.set()
        sender.join()
        writer.stop()
        with pytest.raises(InvalidInput, match="path of a backup must be that of no file yet"):
            store.backup(target)
    with open_store(target) as copy:
        assert copy.check() == []
        held = {id_hash for some, _ in copy.reports(F) for id_hash in some}
        for seed in before:
            assert held.issuperset(copy.hash_ids(F, submission(SURVEY, 20, seed).ids))
    assert not list(tmp_path.glob("*.part"))


def limit_pages(store, pages: str) -> None:
    with store.database.lock:
        connection = store.database._open()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_acknowledges_nothing_and_passes(tmp_path):
    with open_store(tmp_path / "collector.db") as store:
        store.publish(SURVEY)
        store.write([submission(SURVEY, 100, 1)])
        limit_pages(store, "1")  # it stays at what is there
        answers = {}
        writer = Writer(store, answers.update)
        for seed in range(2, 60):
            writer.submit(seed, submission(SURVEY, 100, seed))
            writer.refuse(-seed, Refusals(F, "no-id"))
        while len(answers) < 116:
            time.sleep(0.001)
        full = {key for key, answer in answers.items() if isinstance(answer, StoreFull)}
        stored = {key for key, answer in answers.items() if answer == Receipt(100, 0)}
        assert full
        assert store.counts().stored == 100 + 100 * len(stored)
        assert sum(store.counts().refused.values()) == len(
            [k for k in answers if k < 0 and k not in full]
        )
        assert store.check() == []
        limit_pages(store, "1000000")
        writer.submit("again", submission(SURVEY, 100, 1000))
        writer.stop()
        assert answers["again"] == Receipt(100, 0)
        assert store.check() == []


def test_a_file_held_by_another_program_is_down_until_it_lets_go(tmp_path, monkeypatch):
    monkeypatch.setattr(in_sqlite, "_WAIT", 0.05)
    path = tmp_path / "collector.db"
    with open_store(path) as store:
        store.publish(SURVEY)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreDown, match="database is locked"):
            store.write([submission(SURVEY, 3)])
        with pytest.raises(StoreDown):
            store.publish(survey_of("another"))
        assert store.counts().sent == 0
        other.execute("ROLLBACK")
        other.close()
        assert store.write([submission(SURVEY, 3)]) == [Receipt(3, 0)]
        assert list(store.surveys()) == [F]


def test_neither_time_nor_order_of_arrival_is_in_the_files(tmp_path):
    """Every form in which a second of this test could be written down is looked for."""
    begun = int(time.time())
    path = tmp_path / "collector.db"
    with open_store(path) as store:
        store.publish(SURVEY, Rules("tokens"))
        for seed in range(50):
            store.write([submission(SURVEY, 3, seed, token=bytes([seed]) * 32, allowance=3)])
        data = path.read_bytes() + Path(f"{path}-wal").read_bytes()
        hashes = store.hash_ids(F, submission(SURVEY, 3, 7).ids)
    data += path.read_bytes()
    assert hashes[0] in data
    for second in range(begun, int(time.time()) + 1):
        moment = datetime.fromtimestamp(second, UTC)
        forms = [str(second).encode(), moment.isoformat(sep=" ")[:19].encode()]
        forms += [moment.isoformat()[:19].encode(), moment.strftime("%H:%M:%S").encode()]
        forms += [second.to_bytes(8, order) for order in ("big", "little")]
        assert not [form for form in forms if form in data]
    with sqlite3.connect(path) as connection:
        for table, column in (("reports", "id_hash"), ("tokens", "token")):
            with pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
                connection.execute(f"SELECT rowid FROM {table}")  # noqa: S608
            found = [row[0] for row in connection.execute(f"SELECT {column} FROM {table}")]  # noqa: S608
            assert found == sorted(found)


def test_what_is_deleted_or_scrubbed_is_not_left_in_the_file(tmp_path):
    wide = survey_of("wide", size=2**16)
    path = tmp_path / "collector.db"
    with open_store(path) as store:
        store.publish(wide)
        ids = [os.urandom(16) for _ in range(100)]
        store.write([Submission(wide.fingerprint, DAY, ids, [b"\xfe\xed"] * 100)])
        for number in ids:
            assert store.delete(wide.fingerprint, number)
        store.fold(wide.fingerprint)
        tally = store.tally(wide.fingerprint)
        assert tally.n == 0
        hashes = store.hash_ids(wide.fingerprint, ids)
    data = path.read_bytes()  # closed: the log is emptied and gone
    assert not Path(f"{path}-wal").exists()
    assert b"\xfe\xed" * 3 not in data  # neither in the changes, nor in pages set free
    assert all(id_hash in data for id_hash in hashes)  # tombstones
    assert not [each for each in hashes if b"\xfe\xed" in data.split(each)[1][:6]]
