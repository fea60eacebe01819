"""The file of a store: one collector under any name, for its owner alone, where it was opened."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import sottovoce.store.databases.locking as locking
import sottovoce.store.databases.sqlite as in_sqlite
import sottovoce.store.folding as folding
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.store import (
    Receipt,
    StoreBusy,
    StoreDown,
    StoreFull,
    Submission,
    open_store,
)
from support.stores import DAY, submission, survey_of

SURVEY = survey_of()
F = SURVEY.fingerprint
posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and forks of POSIX")


def in_a_child(work) -> str:
    """What a function returns in a forked process."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            told = str(work())
        except BaseException as error:
            told = type(error).__name__
        os.write(write, told.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    return answer


def opened_elsewhere(path) -> str:
    """What another process meets that opens the store to write."""
    return in_a_child(lambda: open_store(path).close())


@contextmanager
def collecting(path):
    with open_store(path) as store:
        store.publish(SURVEY)
        yield store


@pytest.fixture
def path(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "collector.db"


# -- one collector -----------------------------------------------------------------------------


def other_names(path, tmp_path) -> dict[str, str]:
    (tmp_path / "link.db").symlink_to(path)
    (tmp_path / "folder").symlink_to(path.parent)
    return {
        "the same": str(path),
        "a symbolic link": str(tmp_path / "link.db"),
        "a linked folder": str(tmp_path / "folder" / "collector.db"),
        "another spelling": f"{path.parent}/../data/./collector.db",
        "a relative one": os.path.relpath(path),
        "an address": f"sqlite:///{path}",
    }


@posix
def test_one_file_under_any_name_has_one_collector(path, tmp_path):
    names = other_names(path, tmp_path)
    with collecting(path) as store:
        for name, url in names.items():
            with pytest.raises(StoreBusy, match="another collector writes to"):
                open_store(url)
            assert opened_elsewhere(url) == "StoreBusy", name
        beside = {each.name for each in path.parent.iterdir()}
        assert beside == {"collector.db", "collector.db-wal", "collector.db-shm"}  # no lock to lose
        assert store.write([submission(SURVEY, 5)]) == [Receipt(5, 0)]
    assert opened_elsewhere(names["a symbolic link"]) == "None"
    with open_store(names["a symbolic link"]) as store:
        assert store.counts().stored == 5


@posix
def test_hard_links_are_refused(path, tmp_path):
    with collecting(path):
        os.link(path, tmp_path / "second.db")
        for url in (path, tmp_path / "second.db"):
            for writable in (True, False):
                with pytest.raises(InvalidInput, match=r"a file with one name; got '2 names"):
                    open_store(url, writable=writable)
    (tmp_path / "second.db").unlink()
    open_store(path).close()


@posix
def test_where_only_neighbours_can_be_locked_links_are_resolved_too(path, tmp_path, monkeypatch):
    monkeypatch.setattr(locking, "_LINUX", False)
    names = other_names(path, tmp_path)
    with collecting(path):
        for name, url in names.items():
            assert opened_elsewhere(url) == "StoreBusy", name
        assert stat.S_IMODE(Path(f"{path}.lock").stat().st_mode) == 0o600
    Path(f"{path}.lock").unlink()
    Path(f"{path}.lock").mkdir()
    with pytest.raises(StoreDown, match="cannot be used: unable to open"):
        open_store(path)


FORKING = """
import os, sys, time
from sottovoce.store import open_store
store = open_store(sys.argv[1])
if os.fork():
    time.sleep(60)
store.close()  # the child's: it has nothing to let go
print(os.getpid(), flush=True)
time.sleep(60)
"""


@posix
def test_a_child_that_outlives_its_collector_does_not_hold_the_lock(path):
    """Workers that a collector forked may live on for a while when it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKING, str(path)], stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        try:
            with pytest.raises(StoreBusy):
                open_store(path)
            parent.kill()
            parent.wait()
            os.kill(child, 0)  # it lives
            open_store(path).close()
        finally:
            os.kill(child, signal.SIGKILL)


LEAVE_WAL = """
import sqlite3, sys
try:
    connection = sqlite3.connect(sys.argv[1], timeout=0)
    print(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0])
except sqlite3.OperationalError as error:
    print(error)
"""


def leave_wal(path) -> str:
    """What another process gets that wants the file for itself."""
    command = [sys.executable, "-c", LEAVE_WAL, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@posix
def test_neither_a_refusal_nor_a_close_drops_the_locks_of_sqlite(path):
    """A process that closes a file loses its POSIX locks on it, those of SQLite among them."""
    with collecting(path) as store, open_store(path, writable=False) as reader:
        with pytest.raises(StoreBusy):
            open_store(path)
        assert leave_wal(path) == "database is locked"
        with reader.database.engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM surveys")
            store.close()
            store.close()
            assert leave_wal(path) == "database is locked"
            os.close(os.open(path, os.O_RDONLY))  # that is what it would look like
            assert leave_wal(path) == "delete"


# -- two collectors all the same -----------------------------------------------------------------


@pytest.fixture
def unlocked(monkeypatch):
    monkeypatch.setattr(locking.FileLock, "claim", lambda self: True)


def test_folding_begins_again_where_another_has_folded(path, unlocked, monkeypatch):
    """Both read the same changes; the second finds, when it writes, that they are counted."""
    with collecting(path) as one, collecting(path) as other:
        other.write([submission(SURVEY, 0)])
        for before in (0, 40):  # the first tally of a window, and a later one
            one.write([submission(SURVEY, 20, before + 1)])
            real, overtaken = folding._Piece.onto, []

            def onto(piece, tally, real=real, overtaken=overtaken, before=before):
                if not overtaken:
                    overtaken.append(True)
                    assert other.fold(F) == 20
                    other.write([submission(SURVEY, 20, before + 2)])  # takes the number again
                return real(piece, tally)

            with monkeypatch.context() as patched:
                patched.setattr(folding._Piece, "onto", onto)
                assert one.fold(F) == 20
            assert overtaken
            assert one.tally(F).n == other.tally(F).n == before + 40
            assert one.check() == []


def test_folding_notices_a_change_that_came_among_those_it_read(path, unlocked, monkeypatch):
    """As in PostgreSQL, where numbers are given before they are committed."""
    with collecting(path) as store:
        sent = [submission(SURVEY, 4, seed) for seed in range(3)]
        store.write(sent[:1])
        store.write(sent[1:2])
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE changes SET number = 7 WHERE number = 2")
        real, late = folding._Piece.onto, []

        def onto(piece, tally):
            if not late:
                late.append(True)
                store.write(sent[2:])
                with store.database.writing() as connection:
                    connection.exec_driver_sql("UPDATE changes SET number = 3 WHERE number = 8")
            return real(piece, tally)

        monkeypatch.setattr(folding._Piece, "onto", onto)
        assert store.fold(F) == 12
        assert store.tally(F).n == 12
        assert store.check() == []


def test_folding_gives_up_where_another_is_always_faster(path, monkeypatch):
    def overtaken(*_, **__):
        raise folding._Overtaken

    with collecting(path) as store:
        monkeypatch.setattr(folding, "_fold_once", overtaken)
        with pytest.raises(StoreBusy, match="another collector folds the reports in"):
            store.fold(F)


def test_two_collectors_on_one_file_lose_nothing(path, unlocked):
    stored = []

    def collect(store, first):
        for seed in range(first, first + 40):
            (receipt,) = store.write([submission(SURVEY, 5, seed)])
            stored.append(receipt.stored)
            store.fold(F)

    with collecting(path) as one, collecting(path) as other:
        threads = [threading.Thread(target=collect, args=each) for each in ((one, 0), (other, 100))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(stored) == 400
        assert one.counts().stored == one.tally(F).n == other.tally(F).n == 400
        assert one.check() == []


# -- for its owner alone -------------------------------------------------------------------------


def modes(folder) -> set[int]:
    return {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@posix
def test_files_are_for_their_owner_alone_from_birth(path, umask):
    seen = []
    real = in_sqlite.SQLite.prepare_writing

    def look(database, connection):
        real(database, connection)
        seen.append(modes(path.parent))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(in_sqlite.SQLite, "prepare_writing", look)
        with collecting(path) as store:
            store.write([submission(SURVEY, 5)])
            assert len(list(path.parent.iterdir())) == 3
            store.backup(path.parent / "copy.db")
            seen.append(modes(path.parent))
    assert seen == [{0o600}, {0o600}]
    assert modes(path.parent) == {0o600}


@posix
def test_a_file_that_others_may_read_is_closed_to_them(path):
    with collecting(path) as store:
        store.write([submission(SURVEY, 5)])
        copied = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    for name, data in copied.items():  # as a collector leaves it that is killed
        (path.parent / name).write_bytes(data)
        (path.parent / name).chmod(0o644)
    with open_store(path) as store:
        assert modes(path.parent) == {0o600}
        assert store.counts().stored == 5


def test_no_id_is_in_the_files_and_nothing_in_them_deletes(path):
    with collecting(path) as store:
        sent = submission(SURVEY, 50)
        store.write([sent])
        store.delete(F, sent.ids[0])
        files = [path, Path(f"{path}-wal")]
        data = b"".join(each.read_bytes() for each in files)
        store.backup(path.parent / "copy.db")
        data += (path.parent / "copy.db").read_bytes()
        hashes = store.hash_ids(F, sent.ids)
        assert all(each in data for each in hashes)
        assert not [report_id for report_id in sent.ids if report_id in data]
        assert not any(store.delete(F, each) for each in hashes)
        assert store.write([sent]) == [Receipt(0, 50)]
        assert store.delete(F, sent.ids[1])


def test_hashes_of_an_id_differ_between_stores_and_surveys(tmp_path):
    other, ids = survey_of("other"), [bytes(16)]
    found = set()
    for name in ("one.db", "two.db"):
        with collecting(tmp_path / name) as store:
            store.publish(other)
            kept = store.hash_ids(F, ids) + store.hash_ids(other.fingerprint, ids)
            found.update(kept)
        with open_store(tmp_path / name, writable=False) as reader:
            assert reader.hash_ids(F, ids) == kept[:1]
    assert len(found) == 4
    assert {len(each) for each in found} == {16}


# -- its name ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a?b.db", "a%41.db", "a#b.db", "100%.db", "file:x.db", "é ü.db"])
def test_any_name_is_that_of_the_file(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, url in (("plain", name), ("address", f"sqlite:///{name}")):
        Path(folder).mkdir()
        monkeypatch.chdir(folder)
        with collecting(url) as store:
            store.write([submission(SURVEY, 5)])
            with pytest.raises(StoreBusy):
                open_store(name)
            store.backup("copy.db")
        assert {each.name for each in Path.cwd().iterdir()} == {name, "copy.db"}
        for each in (name, "copy.db"):
            with open_store(each, writable=False) as reader:
                assert reader.counts().stored == 5
        monkeypatch.chdir(tmp_path)


@posix
def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "round").symlink_to(tmp_path / "round")
    (tmp_path / "folder").mkdir()
    for name in ("round", "folder"):
        with pytest.raises(InvalidInput, match="store of open_store must be a file"):
            open_store(tmp_path / name)


@pytest.mark.parametrize(
    ("number", "error"), [(errno.EACCES, StoreDown), (errno.ENOSPC, StoreFull)]
)
def test_a_file_that_cannot_be_made_says_why(path, monkeypatch, number, error):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(in_sqlite.os, "open", refuse)
    with pytest.raises(error, match=f"cannot be used: {os.strerror(number)}"):
        open_store(path)


# -- its place -----------------------------------------------------------------------------------


def test_a_store_moved_away_is_not_made_anew(path, tmp_path):
    with collecting(path) as store:
        store.write([submission(SURVEY, 5, 1)])
        store.database.hang_up()  # the next transaction connects again
        path.rename(tmp_path / "moved.db")
        for use in (
            lambda: store.write([submission(SURVEY, 5, 2)]),
            lambda: store.tally(F),
            lambda: store.backup(tmp_path / "copy.db"),
            store.database.empty_log,
        ):
            with pytest.raises(StoreDown, match="was moved, removed or replaced while it was"):
                use()
            assert not path.exists()
        (tmp_path / "moved.db").rename(path)
        assert store.write([submission(SURVEY, 5, 2)]) == [Receipt(5, 0)]
        assert store.tally(F).n == 10
        assert store.check() == []


def test_a_store_moved_away_acknowledges_nothing_on_a_connection_that_is_open(path, tmp_path):
    with collecting(path) as store:
        store.write([submission(SURVEY, 5, 1)])
        path.rename(tmp_path / "moved.db")
        with pytest.raises(StoreDown):
            store.write([submission(SURVEY, 5, 2)])
        (tmp_path / "moved.db").rename(path)
        assert store.write([submission(SURVEY, 5, 2)]) == [Receipt(5, 0)]


def test_a_store_that_is_replaced_is_not_mixed_with_the_other(path, tmp_path):
    with collecting(tmp_path / "other.db") as other:
        other.write([submission(SURVEY, 3)])
    with collecting(path) as store:
        store.write([submission(SURVEY, 5)])
        path.rename(tmp_path / "moved.db")
        (tmp_path / "other.db").rename(path)
        with pytest.raises(StoreDown, match="replaced"):
            store.write([submission(SURVEY, 5, 2)])
        with pytest.raises(StoreDown, match="replaced"):
            store.counts()
    for file, stored in ((path, 3), (tmp_path / "moved.db", 5)):
        with open_store(file) as found:
            assert found.counts().stored == found.tally(F).n == stored
            assert found.check() == []


def test_a_log_without_its_store_is_not_thrown_away(path, tmp_path):
    """SQLite removes the log beside an empty database, and with it what was acknowledged."""
    with collecting(path) as store:
        store.write([Submission(F, DAY, [bytes(16)], [b"\0"])])
        log = Path(f"{path}-wal")
        data = log.read_bytes()
        path.rename(tmp_path / "moved.db")
        with pytest.raises(Unfit, match="is the log of a store, and .* is missing or empty: put"):
            open_store(path)
        assert not path.exists()
        path.touch()
        with pytest.raises(Unfit, match="missing or empty"):
            open_store(path)
        assert log.read_bytes() == data
        (tmp_path / "moved.db").rename(path)
