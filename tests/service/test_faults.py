"""Faults: mutated requests, lost and repeated sends, signals, and what must leave no trace."""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from datetime import UTC, datetime

from sottovoce.store import Rules, open_store
from sottovoce.wire.msgpack import pack
from support.assaults import assault, copies, held_ids, mutated_heads, same_estimate
from support.loading import Load, Process, colors, load, make, request, running

# -- mutated requests ----------------------------------------------------------------------------


def test_mutated_uploads_are_refused_and_the_valid_stream_goes_on(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        outcome = assault(collector, survey, 2000)
        assert len(outcome.codes) >= 4, "the mutations must reach several refusals"
        assert collector.store.check() == []
        assert collector.app.collector_state.bytes_taken == 0


def test_mutated_heads_do_no_harm(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        statuses = mutated_heads(collector, survey, 300)
        assert not {status for status in statuses if status >= 500}
        assert 400 in statuses
        assert collector.store.counts().stored == 0
        assert load(collector.address, make(survey, 50).uploads()).stored == 50


# -- exactly once --------------------------------------------------------------------------------


def test_reports_sent_several_times_over_racing_connections_count_once(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        made = make(survey, 2000)
        uploads, sends = copies(made, 1)
        outcome = load(collector.address, uploads, connections=32)
        assert set(outcome.statuses) == {200}
        assert (outcome.stored, outcome.duplicates) == (2000, sends - 2000)
        counts = collector.store.counts()
        assert (counts.stored, counts.sent) == (2000, sends)
        assert same_estimate(collector, made)
        assert collector.store.check() == []


# -- signals -------------------------------------------------------------------------------------


def test_sigterm_under_load_ends_in_time_and_loses_nothing(tmp_path):
    survey = colors()
    process = Process(tmp_path, survey)
    process.start()
    made = make(survey, 20_000)
    requests = enumerate(map(request, made.uploads()))
    ended = threading.Event()
    running_load = Load(process.address, requests, connections=32, keep=True, until=ended)
    results: list = []
    thread = threading.Thread(target=lambda: results.append(running_load.run()))
    thread.start()
    time.sleep(1.0)
    seconds = process.stop(15)
    ended.set()
    thread.join(30)
    assert seconds < 15
    assert process.process.returncode == 0
    (outcome,) = results
    acknowledged = {made.ids[key] for key, status, _ in outcome.bodies if status == 200}
    assert len(acknowledged) > 50
    assert set(outcome.statuses) <= {200, 503}
    with open_store(str(tmp_path / "collector.db")) as store:
        assert acknowledged <= held_ids(store, survey, made.ids)
        assert store.counts().stored <= len(acknowledged) + outcome.broken + outcome.statuses[503]
        assert store.check() == []


# -- no trace ------------------------------------------------------------------------------------

ADDRESS, AGENT = "127.45.67.89", "Sentinel-Agent-5b1f"
FORWARDED = "203.0.113.77"


def traces(data: bytes, began: float, ended: float) -> list[str]:
    """Addresses, agents and times of the run in some bytes."""
    texts = {ADDRESS, AGENT, FORWARDED, "Sentinel"}
    packed = {socket.inet_aton(ADDRESS): "packed address", socket.inet_aton(FORWARDED): "packed"}
    for second in range(int(began), int(ended) + 1):
        moment = datetime.fromtimestamp(second, UTC)
        texts |= {str(second), moment.strftime("%H:%M:%S"), moment.strftime("%H:%M")}
        packed[struct.pack(">I", second)] = packed[struct.pack("<I", second)] = "packed time"
    texts.discard("")
    found = [text for text in texts if text.encode() in data]
    return found + [name for pattern, name in packed.items() if pattern in data]


def send_marked(address, body, kind="application/msgpack", token=None):
    headers = f"User-Agent: {AGENT}\r\nX-Forwarded-For: {FORWARDED}\r\nX-Sentinel: Sentinel\r\n"
    with socket.socket() as raw:
        raw.bind((ADDRESS, 0))
        raw.settimeout(10)
        raw.connect(address)
        raw.sendall(request(body, token, kind=kind, headers=headers))
        return raw.recv(4096)


def test_nothing_about_the_sender_is_stored_or_logged(tmp_path):
    survey = colors()
    process = Process(tmp_path, survey, rules=Rules(upload="tokens"), address_rate=1000.0)
    process.start()
    began = time.time()
    tokens = [process.keys.issue_token(survey.fingerprint) for _ in range(30)]
    for body, token in zip(make(survey, 30).uploads(), tokens, strict=True):
        assert b" 200 " in send_marked(process.address, body, token=token)
    for wrong in (b"", b"\xc1Sentinel", pack([2, "Sentinel"]), b"Sentinel" * 200_000):
        assert b" 4" in send_marked(process.address, wrong)[:13]
    assert b" 400 " in send_marked(process.address, b'{"Sentinel"', kind="application/json")
    with socket.socket() as raw:  # no HTTP at all
        raw.bind((ADDRESS, 0))
        raw.connect(process.address)
        raw.sendall(b"Sentinel\r\n\r\n")
        assert raw.recv(1000).endswith(b'{"code":"malformed","message":"not an HTTP request"}')
    files = [path for path in tmp_path.iterdir() if path.name != "secret"]
    assert any(path.name.endswith("-wal") for path in files)
    ended = time.time()
    for path in files:
        assert traces(path.read_bytes(), began, ended) == [], path.name
    process.stop()
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        assert traces(data, began, time.time()) == [], path.name
        assert not any(token.encode() in data for token in tokens)
    planted = b"..." + str(int(began)).encode() + socket.inet_aton(ADDRESS)
    assert len(traces(planted, began, ended)) == 2, "the search must find what is there"


def test_mistakes_of_ours_are_logged_without_what_was_sent(tmp_path, monkeypatch, capsys):
    import logging

    from sottovoce.service import logs
    from sottovoce.service.api import uploads

    def broken(*_):
        raise RuntimeError("Sentinel in a message")

    survey = colors()
    before = logging.getLogger().handlers[:], logging.getLogger().level
    try:
        logs.set_up_logs()
        monkeypatch.setattr(logs, "_last", {})
        with running(tmp_path, survey) as collector:
            monkeypatch.setattr(uploads, "take_quickly", broken)
            outcome = load(collector.address, make(survey, 3).uploads(), connections=1)
            assert outcome.codes == {"failed": 3}
            assert outcome.statuses == {500: 3}
            logging.getLogger("uvicorn.error").error("oops", exc_info=ValueError("Sentinel"))
    finally:
        logging.getLogger().handlers[:] = before[0]
        logging.getLogger().setLevel(before[1])
    told = capsys.readouterr().err
    assert "RuntimeError" in told
    assert "ValueError" in told
    assert "test_faults.py" in told
    assert told.count("RuntimeError") == 1, "the same failure once a minute"
    assert "Sentinel" not in told
    assert not re.search(r"\d\d:\d\d:\d\d", told)


# -- a store in trouble --------------------------------------------------------------------------


def test_a_store_that_is_full_or_down_gives_507_and_503_and_recovers(tmp_path, monkeypatch):
    from sottovoce.store import StoreDown, StoreFull

    survey = colors()
    with running(tmp_path, survey) as collector:
        write = collector.store.write
        for error, status, code in ((StoreFull, 507, "disk-full"), (StoreDown, 503, "store-down")):

            def failing(items, error=error):
                raise error("no Sentinel here")

            monkeypatch.setattr(collector.store, "write", failing)
            made = make(survey, 10)
            requests = [(k, request(b)) for k, b in enumerate(made.uploads())]
            outcome = Load(collector.address, requests, connections=3, keep=True).run()
            assert (outcome.statuses, outcome.codes) == ({status: 10}, {code: 10})
            assert not any(b"Sentinel" in body for *_, body in outcome.bodies)
            wrong = load(collector.address, [b"\xc1"], keep=True)
            assert wrong.statuses == {status: 1}, "a refusal that cannot be counted is not given"
            health = Load(
                collector.address, [(0, request(b"", path="/health/ready", method="GET"))]
            ).run()
            assert health.statuses == {503: 1}
            monkeypatch.setattr(collector.store, "write", write)
            assert load(collector.address, made.uploads()).stored == 10
        counts = collector.store.counts()
        assert (counts.stored, counts.refused) == (20, {})
