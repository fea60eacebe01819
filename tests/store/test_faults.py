"""Power, memory and disk taken away under load: what was acknowledged is there, once."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from sottovoce.store import Receipt, Rules, StoreDown, StoreFull, Writer, open_store
from support import stores
from support.store_under_load import SURVEY, piece
from support.stores import DAY, Place, server, submission, survey_of

__all__ = ["server"]
pytestmark = pytest.mark.slow
HERE = Path(__file__).parents[1]
F = SURVEY.fingerprint


class Load:
    """Processes under load, killed one after the other."""

    def __init__(self, url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "support.store_under_load", url],
            cwd=HERE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self, seed: int, seconds: float) -> set[tuple[int, int]]:
        """Let a process write, kill it: the submissions that it has acknowledged."""
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        acknowledged = set()
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "begun":
                kill = threading.Timer(seconds, os.kill, (int(rest[0]), signal.SIGKILL))
                kill.start()
            elif word == "ack":
                acknowledged.update((int(rest[0]), int(place)) for place in rest[1:])
            else:
                return acknowledged
        raise AssertionError("the process under load is gone")

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def hashes_of(store, acknowledged) -> list[bytes]:
    ids = [report_id for key in acknowledged for report_id in piece(*key).ids]
    return store.hash_ids(F, ids) if ids else []  # F may not be published yet


def test_a_hundred_kills_lose_nothing(tmp_path):
    rng, url = random.Random(1), str(tmp_path / "collector.db")  # noqa: S311
    load, everything, moments = Load(url), set(), []
    try:
        for seed in range(100):
            acknowledged = load.round(seed, rng.uniform(0.0, 0.5))
            moments.append(len(acknowledged))
            everything |= acknowledged
            with open_store(url) as store:
                held = (
                    [n for some, _ in store.reports(F) for n in some]
                    if F in store.surveys()
                    else []
                )
                assert len(set(held)) == len(held)
                assert set(held).issuperset(hashes_of(store, acknowledged))
                assert store.check() == []
                assert store.counts().refused == {}
    finally:
        load.end()
    with open_store(url) as store:
        held = {number for some, _ in store.reports(F) for number in some}
        assert held.issuperset(hashes_of(store, everything))
        assert store.tally(F).n == len(held) == store.counts().stored
    assert sum(count > 0 for count in moments) > 50  # most were killed in the middle of it
    print(f"{len(everything)} submissions acknowledged, {len(held)} reports, none missing")


# -- two collectors on one file ---------------------------------------------------------------

UNLOCKED = """
import os, sys, time
sys.path.insert(0, sys.argv[2])
from support.store_under_load import SURVEY, piece
from sottovoce.store import Receipt, Writer, open_store
from sottovoce.store.databases.locking import FileLock
FileLock.claim = lambda self: True
seed, end = int(sys.argv[3]), time.monotonic() + 8
with open_store(sys.argv[1]) as store:
    def deliver(given):
        assert all(isinstance(receipt, Receipt) for _, receipt in given), given
        os.write(1, b"".join(b"%d\\n" % place for place, _ in given))
    writer = Writer(store, deliver)
    place = 0
    while time.monotonic() < end:
        place += writer.submit(place, piece(seed, place))
        if place % 50 == 0:
            writer.call(store.fold, SURVEY.fingerprint).result()
    writer.stop()
"""


def test_two_collectors_that_pass_the_lock_lose_nothing(tmp_path):
    url = str(tmp_path / "collector.db")
    with open_store(url) as store:
        store.publish(SURVEY, Rules("tokens"))
        store.write([piece(0, 0)])
    command = [sys.executable, "-c", UNLOCKED, url, str(HERE)]
    both = [
        subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, text=True)
        for seed in (1, 2)
    ]
    acknowledged = {(0, 0)}
    for seed, process in enumerate(both, 1):
        acknowledged.update((seed, int(line)) for line in process.communicate()[0].split())
        assert process.returncode == 0
    with open_store(url) as store:
        held = [each for some, _ in store.reports(F) for each in some]
        assert set(held) == set(hashes_of(store, acknowledged))
        assert len(held) == store.counts().stored == store.tally(F).n
        assert store.check() == []
        with store.database.reading() as connection:
            folds = connection.exec_driver_sql("SELECT folds FROM tallies").scalar_one()
        assert folds > 20
    print(f"{len(held)} reports acknowledged by two collectors, {folds} foldings, none missing")


# -- PostgreSQL ------------------------------------------------------------------------------


def kill_server(server, how: signal.Signals) -> None:
    """The postmaster at once; its children notice, and are waited for."""
    postmaster = psutil.Process(server.handle.get_pid())
    family = [postmaster, *postmaster.children(recursive=True)]
    postmaster.send_signal(how)
    _, alive = psutil.wait_procs(family, timeout=10)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=10)


def test_postgresql_killed_twenty_times_loses_nothing(server):
    place = Place("postgresql", server.new_database())
    rng, acknowledged, down = random.Random(2), {}, []  # noqa: S311

    def deliver(given):
        for key, answer in given:
            if isinstance(answer, Receipt):
                acknowledged[key] = answer
            else:
                down.append(answer)

    with place.open() as store:
        store.publish(SURVEY, Rules("tokens"))
        writer = Writer(store, deliver)
        stop = threading.Event()

        def send():
            at = 0
            while not stop.is_set():
                writer.submit((9, at), piece(9, at))
                at += 1
                if at % 7 == 0 and (9, at - 7) not in acknowledged:
                    writer.submit((9, at - 7), piece(9, at - 7))  # sent again: nobody answered
                time.sleep(0.0005)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        slowest = 0.0
        for turn in range(20):
            time.sleep(rng.uniform(0.05, 0.5))
            kill_server(server, (signal.SIGKILL, signal.SIGQUIT)[turn % 2])
            server.handle.ensure_postgres_running()
            back, before = time.monotonic(), len(acknowledged)
            while len(acknowledged) == before:
                assert time.monotonic() - back < 5
                time.sleep(0.005)
            slowest = max(slowest, time.monotonic() - back)
        stop.set()
        sender.join()
        writer.stop()
        assert down
        assert all(isinstance(error, StoreDown) for error in down)
        held = [number for some, _ in store.reports(F) for number in some]
        assert len(held) == len(set(held)) == store.counts().stored
        assert set(held).issuperset(hashes_of(store, acknowledged))
        assert all(not receipt.code for receipt in acknowledged.values())
        assert store.check() == []
    print(
        f"{len(acknowledged)} acknowledged, {len(down)} not, serving {slowest:.2f} s after a restart"
    )


# -- a full disk -----------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    with stores.small_disk(tmp_path / "disk", megabytes=12) as folder:
        yield folder


def test_a_full_disk_gives_no_false_acknowledgement_and_serves_when_there_is_room(small_disk):
    ballast, answers = small_disk / "ballast", {}
    with open_store(small_disk / "collector.db") as store:
        store.publish(SURVEY, Rules("tokens"))
        writer = Writer(store, answers.update)
        at, slowest = 0, 0.0

        def send_until(wanted) -> float:
            nonlocal at
            begun, first = time.monotonic(), at
            while not any(wanted(answers.get((1, place))) for place in range(first, at)):
                writer.submit((1, at), piece(1, at))
                at += 1
                time.sleep(0.001)
                assert time.monotonic() - begun < 60
            return time.monotonic() - begun

        for _ in range(5):
            send_until(lambda answer: isinstance(answer, Receipt))
            with ballast.open("wb") as file, pytest.raises(OSError):
                while True:
                    file.write(bytes(2**16))
                    file.flush()
            send_until(lambda answer: isinstance(answer, StoreFull))
            time.sleep(0.3)
            with pytest.raises(StoreFull):
                for seed in range(200):
                    store.write(
                        [submission(SURVEY, 100, seed, token=os.urandom(32), allowance=100)]
                    )
            ballast.unlink()
            slowest = max(slowest, send_until(lambda answer: isinstance(answer, Receipt)))
        writer.stop()
        assert slowest < 5
        kinds = {type(answer) for answer in answers.values()}
        assert kinds == {Receipt, StoreFull}
        taken = [key for key, answer in answers.items() if answer.__class__ is Receipt]
        held = [number for some, _ in store.reports(F) for number in some]
        assert set(held).issuperset(hashes_of(store, taken))
        assert len(held) == len(set(held)) == store.counts().stored
        assert store.check() == []
    print(f"{len(taken)} of {len(answers)} taken, serving {slowest:.3f} s after there was room")


# -- the order of things ---------------------------------------------------------------------

ONE_BY_ONE = """
import os, queue, sys
sys.path.insert(0, sys.argv[2])
from support.stores import submission, survey_of
from sottovoce.store import Writer, open_store
with open_store(sys.argv[1]) as store:
    survey, answers = survey_of(), queue.SimpleQueue()
    store.publish(survey)
    writer = Writer(store, lambda given: [os.write(1, b"ACK\\n") for _ in given] and answers.put(1))
    for seed in range(200):
        writer.submit(seed, submission(survey, 2, seed))
        answers.get()
    writer.stop()
"""


def test_every_acknowledgement_follows_a_sync_of_what_it_acknowledges(tmp_path):
    """As the system sees it: writes to the log, its sync, then the acknowledgement."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not here")
    trace, calls = tmp_path / "trace", "trace=openat,pwrite64,write,fdatasync,fsync,close"
    program = [sys.executable, "-c", ONE_BY_ONE, str(tmp_path / "collector.db"), str(HERE)]
    command = ["strace", "-f", "-s", "4", "-e", calls, "-o", str(trace), *program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    log, waiting, synced, acknowledged = set(), 0, 0, 0
    for line in trace.read_text().splitlines():
        opened = re.search(r'openat\(.*collector\.db-wal".* = (\d+)$', line) or re.search(
            r"resumed.* = (\d+)$", line if "openat" in line else ""
        )
        call = re.search(r"(pwrite64|fdatasync|fsync|write)\((\d+)", line)
        if opened and "-wal" in line:
            log.add(opened[1])
        elif call and call[1] == "pwrite64" and call[2] in log:
            waiting, synced = waiting + 1, 0
        elif call and call[1] in ("fdatasync", "fsync") and call[2] in log:
            synced = 1
        elif call and call[1] == "write" and '"ACK' in line:
            assert waiting, "an acknowledgement without a write"
            assert synced, "an acknowledgement before the sync"
            acknowledged, waiting, synced = acknowledged + 1, 0, 0
    assert acknowledged == 200


def test_ten_thousand_races_with_one_token(tmp_path):
    answers, survey = [], survey_of()
    with open_store(tmp_path / "collector.db") as store:
        store.publish(survey, Rules("tokens"))
        writer = Writer(store, answers.extend, most_waiting=20_000)

        def send(start):
            for seed in range(start, 10_000, 10):
                writer.submit(seed, submission(survey, 1, seed, DAY, token=b"t" * 32))

        threads = [threading.Thread(target=send, args=(start,)) for start in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.stop()
        assert sum(receipt.stored for _, receipt in answers) == store.counts().stored == 1
        assert store.counts().refused == {"not-allowed": 9_999}
