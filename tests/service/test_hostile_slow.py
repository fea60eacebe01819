"""One hostile connection takes little memory, and does no harm, whatever it sends."""

from __future__ import annotations

import ast
import time

import pytest

from sottovoce.service.settings import Settings
from sottovoce.store import open_store
from support.hostile import ATTACKS, start_attack
from support.loading import Load, Process, colors, load, make, request

pytestmark = pytest.mark.slow

MOST = Settings().body_bytes + 2_000_000
ABANDONED = "uploads that nobody waits for"
"""It leaves an upload behind that is being read when the next one comes: several at once."""
GAP = 0.5
"""Seconds after which such an upload is gone."""
AT_ONCE = 0.005
"""Seconds between connections otherwise: without any, this machine runs out of ports."""
PAGES = ("/", "/surveys", "/openapi.json", "/calculator", "/metrics", "/health/ready", "/sign-in")


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    """A collector that has done everything once, so that what it keeps for good is there."""
    folder, survey = tmp_path_factory.mktemp("hostile"), colors()
    found = Process(folder, survey, rate=0, fold_seconds=3600.0)
    found.start()
    load(found.address, make(survey, 10_000).uploads(10_000), connections=1)
    load(found.address, make(survey, 3_000).uploads(), connections=8)
    for path in PAGES:
        Load(found.address, [(0, request(b"", path=path, method="GET"))], connections=1).run()
    for name in ATTACKS:
        start_attack(found.address, name, 0.3).wait()
    time.sleep(5)  # for connections of the last one, which are still in line
    yield found
    found.stop()
    with open_store(str(folder / "collector.db")) as store:
        assert store.check() == []
        assert store.counts().stored == 13_000 + len(ATTACKS)
    assert found.log.read_text() == ""


@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_connection_takes_little_memory(process, name):
    process.forget_peak()
    before, gap = process.memory(), GAP if name == ABANDONED else AT_ONCE
    statuses = ast.literal_eval(start_attack(process.address, name, 3.0, gap).communicate()[0])
    grown = process.peak() - before
    print(f"{name}: {grown / 2**20:+.1f} MiB, answers {statuses}")
    assert all(status < 500 for status in statuses)
    assert grown <= (4 * MOST if name == ABANDONED else MOST)
    outcome = load(process.address, make(colors(), 1, seed=time.time_ns() % 10**9).uploads())
    assert outcome.stored == 1
