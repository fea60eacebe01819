"""A collector hands closed windows over by itself, once, before retention takes them, and says so."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import httpx
import pyarrow.parquet as pq
import pytest

from sottovoce.base.errors import InvalidInput
from sottovoce.engines.files import count_files
from sottovoce.engines.lake import report_files
from sottovoce.service.app import collector as application
from sottovoce.service.settings import Settings
from sottovoce.store import Rules, open_store
from support.loading import colors, load, make, running

BEGUN = datetime(2026, 11, 16, tzinfo=UTC)
QUICK = {"expire_seconds": 0.02, "fold_seconds": 0.02, "open_reading": True}


def pass_days(clock, until):
    """Let days pass, slowly enough for the collector to follow, until something is so."""
    for _ in range(60):
        if until():
            return
        clock[0] += timedelta(1)
        time.sleep(0.1)
    raise AssertionError("it did not come about")


def found(lake):
    try:
        return report_files(lake)
    except InvalidInput:
        return []


def test_closed_windows_are_copied_once_before_they_expire(tmp_path):
    survey, clock, lake = colors("day", 20), [BEGUN], tmp_path / "lake"
    lake.mkdir()
    options = {
        "rules": Rules(retention=3),
        "clock": lambda: clock[0],
        "hand_over": str(lake),
        **QUICK,
    }
    with running(tmp_path, survey, **options) as collector:
        sent = make(survey, 60, "2026-11-16")
        load(collector.address, sent.uploads(10))
        time.sleep(0.3)
        assert found(lake) == []  # the window has not ended
        pass_days(clock, lambda: found(lake))
        kept = collector.store.tally(survey.fingerprint)
        assert count_files(found(lake), ["window"], survey).tallies() == {("2026-11-16",): kept}
        assert kept.n == 60
        (file,) = found(lake)
        before = file.path.stat()
        pass_days(clock, lambda: not collector.store.kept(survey.fingerprint))  # retention
        about = httpx.get(f"{collector.url}/surveys").json()["surveys"][0]
        assert about["handed_over"] is True
        page = httpx.get(f"{collector.url}/dashboard/{survey.fingerprint}")
        assert "Deletion and retention do not reach these copies" in page.text
    with running(tmp_path, survey, **options) as collector:  # again
        clock[0] += timedelta(1)
        time.sleep(0.3)
    assert [file.path for file in found(lake)] == [file.path]
    assert file.path.stat().st_mtime_ns == before.st_mtime_ns
    assert pq.read_metadata(file.path).num_rows == 60


def test_nothing_is_copied_unless_it_is_asked_for(tmp_path):
    survey, clock = colors("day", 1), [BEGUN]
    with running(tmp_path, survey, clock=lambda: clock[0], **QUICK) as collector:
        load(collector.address, make(survey, 10, "2026-11-16").uploads(10))
        for _ in range(6):
            clock[0] += timedelta(1)
            time.sleep(0.05)
        assert httpx.get(f"{collector.url}/surveys").json()["surveys"][0]["handed_over"] is False
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_copy_that_fails_is_seen_and_made_later(tmp_path):
    survey, clock, lake = colors("day", 1), [BEGUN], tmp_path / "lake"
    lake.mkdir()
    options = {"clock": lambda: clock[0], "hand_over": str(lake), **QUICK}
    with running(tmp_path, survey, **options) as collector:
        load(collector.address, make(survey, 10, "2026-11-16").uploads(10))
        lake.rmdir()

        def failing():
            return httpx.get(f"{collector.url}/health/ready").json()["upkeep"]["failing"]

        pass_days(clock, failing)
        assert failing() == [{"work": "hand-over", "survey": survey.fingerprint}]
        lake.mkdir()
        pass_days(clock, lambda: found(lake) and not failing())


def test_a_folder_that_is_not_there_is_refused_at_the_start(tmp_path):
    with open_store(tmp_path / "collector.db") as store:
        settings = Settings(hand_over=str(tmp_path / "none"), secret_file=str(tmp_path / "s"))
        with pytest.raises(InvalidInput, match="hand_over of the collector must be a folder"):
            application(store, settings)
