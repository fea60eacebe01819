"""Faults: mutated requests, lost and repeated sends, signals, and what must leave no trace."""

from __future__ import annotations

import random
import re
import socket
import struct
import threading
import time
from datetime import UTC, datetime

import numpy as np

import sottovoce as sv
from sottovoce.base.errors import Refused
from sottovoce.service.upload.counting import reports_in
from sottovoce.store import Rules, open_store
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import reports_from_payloads
from sottovoce.wire.uploads import VERSION, decode_upload
from support.loading import Load, Process, colors, load, make, request, running

# -- mutated requests ----------------------------------------------------------------------------


def mutated(data: bytes, draw: random.Random) -> bytes:
    """A few bytes changed, lost, doubled, moved or made up."""
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        place = draw.randrange(len(changed) + 1)
        end = min(len(changed), place + draw.choice((1, 1, 2, 4, 16, 64)))
        kind = draw.randrange(6)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[place:end]
        elif kind == 2:
            changed[place:place] = changed[place:end]
        elif kind == 3:
            changed[place:place] = draw.randbytes(end - place)
        elif kind == 4 and place < len(changed):
            changed[place] = draw.choice(
                (0x00, 0x7F, 0x80, 0x90, 0xC0, 0xC1, 0xC4, 0xDD, 0xDF, 0xFF)
            )
        else:
            changed = changed[:place]
    return bytes(changed)


def wrong_uploads(survey, count, seed):
    """Mutated uploads that the wire refuses, as requests under their number of reports."""
    draw = random.Random(seed)  # noqa: S311
    made = 0
    plain = make(survey, 64)
    bodies = [(body, "msgpack") for size in (1, 2, 30) for body in plain.uploads(size)]
    texts = [
        b'{"version":2,"fingerprint":"%s","window":"","reports":[{"id":"%s","payload":"01"}]}'
        % (survey.fingerprint.encode(), number.hex().encode())
        for number in plain.ids[:20]
    ]
    bodies += [(body, "json") for body in texts]
    while made < count:
        body, form = draw.choice(bodies)
        data = mutated(body, draw)
        try:
            decode_upload(data, survey, form)
        except Refused:
            made += 1
            yield form, data


def assault(collector, survey, count, seed=1):
    """Mutated uploads beside a valid stream: how many reports were refused."""
    before = collector.store.counts()
    kinds = {"msgpack": "application/msgpack", "json": "application/json"}
    wrong = list(wrong_uploads(survey, count, seed))
    takers = collector.app.desk.takers
    expected = sum(reports_in(data, form, takers)[1] for form, data in wrong)
    requests = [(k, request(data, kind=kinds[form])) for k, (form, data) in enumerate(wrong)]
    beside: list = []
    valid = make(survey, max(200, count // 10))
    stream = threading.Thread(
        target=lambda: beside.append(load(collector.address, valid.uploads(), connections=4))
    )
    stream.start()
    outcome = Load(collector.address, requests, connections=16).run()
    stream.join()
    (unharmed,) = beside
    assert unharmed.statuses == {200: len(valid.ids)}
    assert unharmed.stored == len(valid.ids)
    assert outcome.answers == count
    assert all(400 <= status < 500 for status in outcome.statuses), outcome.statuses
    after = collector.store.counts()
    assert after.stored - before.stored == len(valid.ids), "no row"
    assert after.sent - before.sent == len(valid.ids) + expected, "conservation"
    return outcome


def test_mutated_uploads_are_refused_and_the_valid_stream_goes_on(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        outcome = assault(collector, survey, 2000)
        assert len(outcome.codes) >= 4, "the mutations must reach several refusals"
        assert collector.store.check() == []
        assert collector.app.desk.bytes_taken == 0


def mutated_heads(collector, survey, count, seed=2):
    """Whole requests mutated, each on its own connection: the statuses that came."""
    draw, statuses = random.Random(seed), set()  # noqa: S311
    whole = request(b"\xc1 no upload", "token", headers="X-More: some\r\nExpect: 100-continue\r\n")
    paths = [b"GET /surveys", b"GET /openapi.json", b"DELETE /surveys/0/reports/0", b"PUT /reports"]
    for number in range(count):
        data = whole
        if number % 3 == 0:
            data = draw.choice(paths) + whole[whole.index(b" HTTP") :]
        with socket.create_connection(collector.address, timeout=10) as raw:
            try:
                raw.sendall(mutated(data, draw))
                raw.shutdown(socket.SHUT_WR)
                answer = raw.recv(4096)
            except ConnectionError:
                continue
        found = re.findall(rb"HTTP/1\.1 (\d{3})", answer)
        statuses |= {int(status) for status in found}
    return statuses


def test_mutated_heads_do_no_harm(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        statuses = mutated_heads(collector, survey, 300)
        assert not {status for status in statuses if status >= 500}
        assert 400 in statuses
        assert collector.store.counts().stored == 0
        assert load(collector.address, make(survey, 50).uploads()).stored == 50


# -- exactly once --------------------------------------------------------------------------------


def copies(made, seed, most=20):
    """Every report one to five times, in uploads of random size and order."""
    draw = np.random.default_rng(seed)
    times = draw.integers(1, 6, len(made.ids))
    order = draw.permutation(np.repeat(np.arange(len(made.ids)), times))
    head = bytes.fromhex(made.survey.fingerprint)
    uploads, start = [], 0
    while start < len(order):
        size = int(draw.integers(1, most + 1))
        part = [[made.ids[i], made.payloads[i]] for i in order[start : start + size]]
        uploads.append(pack([VERSION, head, made.window, part]))
        start += size
    return uploads, len(order)


def same_estimate(collector, made):
    """Whether the collector's estimate is that of the reports themselves, digit by digit."""
    mechanism = made.survey.mechanism
    clean = sv.estimate(mechanism.tally(reports_from_payloads(mechanism, made.payloads)))
    collector.close(made.survey)
    told = collector.get(f"/surveys/{made.survey.fingerprint}/estimate")
    assert told["reports"] == len(made.ids)
    return [row["value"] for row in told["answers"]] == clean.shares.tolist()


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


def held_ids(store, survey, sent) -> set[bytes]:
    """The ids that are held; all of them are among those that were sent."""
    sent = list(sent)
    of_hash = dict(zip(store.hash_ids(survey.fingerprint, sent), sent, strict=True))
    return {of_hash[each] for some, _ in store.reports(survey.fingerprint) for each in some}


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
        assert raw.recv(1000).endswith(b'{"code":"malformed","message":"this is no HTTP request"}')
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
    assert "test_service_faults.py" in told
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
