"""The files that docs/explanation/data-flow.md lists are those on the way of a report."""

from __future__ import annotations

import re
import sys
import threading
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import httpx
import numpy as np
import pytest

import sottovoce as sv
from support.dashboards import settled
from support.loading import load, make, running
from support.pages import DOCS

SOURCE = Path(sv.__file__).parent
MOST = 38
"""Files from a device to a bar."""


def listed() -> list[list[tuple[str, str]]]:
    """The tables of the page: folder and file of every row, in order."""
    tables: list[list[tuple[str, str]]] = []
    for line in (DOCS / "explanation" / "data-flow.md").read_text().splitlines():
        if line.startswith("| folder | files |"):
            tables.append([])
        row = re.match(r"\| `([\w/]+)/` \| ([^|]*\.py`) \|", line)
        if row:
            tables[-1] += [(row[1], name) for name in re.findall(r"`(\w+\.py)`", row[2])]
    return tables


@contextmanager
def traced():
    """The source files whose functions are called, in any thread that begins inside."""
    files: set[str] = set()

    def profile(frame, event, argument):
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(SOURCE)):
            files.add(Path(name).relative_to(SOURCE).as_posix())

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def test_the_way_of_a_report_has_few_files_and_comes_to_no_folder_twice():
    way, fused = listed()
    assert len(set(way)) == len(way) <= MOST
    for table in (way, fused):
        visits = [folder for folder, _ in groupby(table, key=lambda row: row[0])]
        assert len(visits) == len(set(visits))


def test_a_report_passes_every_file_of_its_way(tmp_path):
    mechanism = sv.mechanism("grr", sv.Categories(["coffee", "juice", "tea", "water"]), 1.0)
    survey = sv.Survey("drinks", "What do you drink?", mechanism, "once", 100)
    with (
        traced() as files,
        running(tmp_path, survey, open_reading=True) as collector,
    ):
        load(collector.address, make(survey, 300).uploads(100), connections=1)
        client = sv.Client(survey, url=collector.url, folder=tmp_path / "device")
        assert client.report("tea").state == "acknowledged"
        collector.store.fold()
        collector.store.close_survey(survey.fingerprint)
        collector.app.collector_state.refresh()
        with httpx.Client(base_url=collector.url) as http:
            page = settled(http, f"/dashboard/{survey.fingerprint}")
        assert "<svg" in page.text
    way, _ = listed()
    missing = {f"{folder}/{name}" for folder, name in way} - files
    assert not missing


def test_reports_of_two_services_pass_every_file_to_a_quantile():
    pytest.importorskip("numba")
    hours, slept = sv.Interval(0, 24, bins=24), np.tile([6.5, 7.5, 8.5], 300)
    services = [sv.mechanism("pm", hours, 2.0), sv.mechanism("sw", hours, 2.0)]
    reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    keys = [np.arange(900), np.arange(900)]
    with traced() as files:
        sv.fuse_distribution(services, reports, keys=keys).quantile(0.5)
    _, fused = listed()
    assert not {f"{folder}/{name}" for folder, name in fused} - files
