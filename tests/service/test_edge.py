"""The edge of a collector: heads, hosts, origins, strangers, open files, health."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import socket
import threading
import time
from datetime import timedelta

import httpx
import pytest

from sottovoce.service.analysis.worker import Apart
from sottovoce.service.api import health
from sottovoce.service.connections import CHUNKS, HEAD_BYTES, HEAD_FIELDS, PIPELINED
from sottovoce.service.refusals import Declined
from sottovoce.service.upload.counting import has_too_many_values
from sottovoce.store import StoreDown
from support.hostile import ATTACKS
from support.loading import Load, Process, colors, load, make, request, running

START = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("edge"), colors()) as found:
        yield found


def exchanged(collector, data, *, pieces=1):
    """Everything that is answered to some bytes, until the connection ends."""
    with socket.create_connection(collector.address, timeout=10) as raw:
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            raw.sendall(data[start : start + size])
        answer = b""
        while part := raw.recv(65536):
            answer += part
    return answer


def statuses(answer):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


def refusal(answer):
    (status,) = statuses(answer)
    return status, json.loads(answer.partition(b"\r\n\r\n")[2])["code"]


# -- heads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [1, 7])
def test_a_head_has_at_most_32_kib(collector, pieces):
    end = b"Connection: close\r\n\r\n"
    room = HEAD_BYTES - len(START + b"X: \r\n" + end)
    fits = START + b"X: " + b"x" * room + b"\r\n" + end
    assert len(fits) == HEAD_BYTES
    assert statuses(exchanged(collector, fits, pieces=pieces)) == [200]
    over = START + b"X: " + b"x" * (room + 1) + b"\r\n" + end
    assert refusal(exchanged(collector, over, pieces=pieces)) == (431, "head-too-large")


def test_a_head_has_at_most_100_headers(collector):
    end = b"Connection: close\r\n\r\n"
    fits = START + b"a: b\r\n" * (HEAD_FIELDS - 2) + end
    assert statuses(exchanged(collector, fits)) == [200]
    over = START + b"a: b\r\n" * (HEAD_FIELDS - 1) + end
    assert refusal(exchanged(collector, over)) == (431, "head-too-large")


ENDLESS = [
    "many headers", "one endless header", "an endless header name", "endless address",
    "endless blank lines", "endless chunk extensions", "endless trailers", "one endless trailer",
    "many small chunks",
]  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_refused(collector, name):
    kind = ATTACKS[name]
    before = collector.app.collector_state.counters.codes["head-too-large"]
    sent = kind.first + kind.piece * (4 * HEAD_BYTES // len(kind.piece))
    assert refusal(exchanged(collector, sent)) == (431, "head-too-large")
    assert collector.app.collector_state.counters.codes["head-too-large"] == before + 1


def test_trailers_are_not_headers(collector):
    """A trailer must not pass for the token or the media type of a request."""
    head = b"POST /reports HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    end = b"0\r\nContent-Type: application/msgpack\r\n\r\n"
    answer = exchanged(collector, head + b"Connection: close\r\n\r\n1\r\n\xc1\r\n" + end)
    assert refusal(answer) == (415, "wrong-media-type")


def test_bodies_after_a_long_head_and_in_chunks_are_taken(collector):
    (body,) = make(colors(), 2000).uploads(2000)
    more = f"X: {'x' * 30_000}\r\nConnection: close\r\n"
    assert b'{"stored":2000,' in exchanged(collector, request(body, headers=more))
    (body,) = make(colors(), 2000).uploads(2000)
    head = ATTACKS["many small chunks"].first.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    pieces = [body[start : start + 999] for start in range(0, len(body), 999)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces) + b"0\r\n\r\n"
    assert b'{"stored":2000,' in exchanged(collector, head + chunks)


def test_a_body_has_at_most_so_many_chunks(collector):
    kind = ATTACKS["many small chunks"]
    head = kind.first.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    last = b"0\r\n\r\n"
    assert refusal(exchanged(collector, head + kind.piece * (CHUNKS - 1) + last))[0] == 400
    assert refusal(exchanged(collector, head + kind.piece * CHUNKS + last))[0] == 431


def test_pipelined_requests_are_answered_in_order_and_only_so_many_wait(collector):
    one = START + b"\r\n"
    answer = exchanged(collector, one * PIPELINED + START + b"Connection: close\r\n\r\n")
    assert statuses(answer) == [200] * (PIPELINED + 1)
    answer = exchanged(collector, one * 1000)
    assert statuses(answer) == [200] * (PIPELINED + 1), "those that were taken, then the end"


def test_what_is_refused_behind_a_request_does_not_answer_it(collector):
    answer = exchanged(collector, START + b"\r\n" + ATTACKS["many headers"].piece * 200)
    assert statuses(answer) in ([200], [200, 431], [200, 400])


def test_an_answer_that_nobody_reads_ends_its_connection(tmp_path):
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        running(tmp_path, colors(), idle_seconds=0.3) as collector,
        socket.create_connection(collector.address, timeout=10) as raw,
    ):
        with contextlib.suppress(OSError):
            for _ in range(2000):
                raw.sendall(asked)
        until(lambda: not collector.server.server_state.connections)


def until(condition, patience=20.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


# -- counts before decoding ------------------------------------------------------------------------


def test_nothing_is_built_of_uploads_that_hold_too_much(collector):
    for name in ("nested MessagePack", "empty arrays", "huge counts", "nested JSON",
                 "empty arrays of JSON", "objects of JSON", "long numbers of JSON", "a long text of JSON"):  # fmt: skip
        data = ATTACKS[name].first.partition(b"\r\n\r\n")[2]
        assert has_too_many_values(data, "json" if "JSON" in name else "msgpack", 10_000), name
        head = ATTACKS[name].first.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        assert refusal(exchanged(collector, head))[0] in (400, 413), name
    (honest,) = make(colors(), 10_000).uploads(10_000)
    assert not has_too_many_values(honest, "msgpack", 10_000)


# -- media types -------------------------------------------------------------------------------


def post(collector, **headers):
    (body,) = make(colors(), 1).uploads()
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = httpx.Request("POST", f"{collector.url}/reports", content=body, headers=told)
    with httpx.Client() as http:
        return http.send(asked)


MSGPACK = "application/msgpack"


@pytest.mark.parametrize(
    "media",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
def test_what_browsers_send_for_any_page_is_refused(collector, media):
    before = collector.store.counts()
    answer = post(collector, **({"content_type": media} if media else {}))
    assert (answer.status_code, answer.json()["code"]) == (415, "wrong-media-type")
    after = collector.store.counts()
    assert after.stored == before.stored
    assert after.refused["wrong-media-type"] == before.refused.get("wrong-media-type", 0) + 1


def test_compressed_uploads_are_refused(collector):
    answer = post(collector, content_type=MSGPACK, content_encoding="gzip")
    assert (answer.status_code, answer.json()["code"]) == (415, "wrong-media-type")
    assert "uncompressed" in answer.json()["message"]
    assert post(collector, content_type=MSGPACK, content_encoding="identity").status_code == 200


# -- hosts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host, status",
    [
        ("localhost", 200), ("LocalHost.:8000", 200), ("127.0.0.1:99", 200), ("10.1.2.3", 200),
        ("[::1]:8000", 200), ("collector.example", 200), ("evil.example", 421),
        ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421), ("", 421), ("a b", 421),
    ],
)  # fmt: skip
def test_only_hosts_of_this_collector_are_answered(tmp_path, host, status):
    with running(tmp_path, hosts="collector.example", open_reading=True) as collector:
        head = f"GET /surveys HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        answer = exchanged(collector, head.encode())
        assert statuses(answer) == [status]
        if status == 421:
            document = json.loads(answer.partition(b"\r\n\r\n")[2])
            assert document["code"] == "wrong-host" and "setting hosts" in document["message"]


def test_a_request_without_a_host(collector):
    answer = exchanged(collector, b"GET /health/live HTTP/1.0\r\n\r\n")
    assert statuses(answer) == [200], "probes of HTTP/1.0"
    answer = exchanged(collector, b"GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert refusal(answer) == (400, "malformed")


# -- origins -----------------------------------------------------------------------------------


def test_pages_of_other_sites_may_not_send(collector):
    wrong = [
        {"sec_fetch_site": "cross-site", "origin": "https://evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ]
    for headers in wrong:
        answer = post(collector, content_type=MSGPACK, **headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign-origin"), headers
        assert "access-control-allow-origin" not in answer.headers
    for headers in ({"sec_fetch_site": "same-origin"}, {"origin": collector.url}):
        assert post(collector, content_type=MSGPACK, **headers).status_code == 200
    told = {"sec-fetch-site": "cross-site"}
    assert httpx.get(f"{collector.url}/", headers=told).status_code == 200, "links lead here"
    answer = httpx.post(f"{collector.url}/sign-in", data={"key": "x"}, headers=told)
    assert answer.json()["code"] == "foreign-origin"


def test_allowed_origins_may_send_and_read(tmp_path):
    page = "https://survey.example"
    with running(tmp_path, colors(), origins=f"{page}, https://other.example") as collector:
        answer = post(collector, content_type=MSGPACK, sec_fetch_site="cross-site", origin=page)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == page
        assert answer.headers["access-control-expose-headers"] == "retry-after"
        assert answer.headers["vary"] == "origin"
        asked = {
            "origin": page, "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        }  # fmt: skip
        before = httpx.options(f"{collector.url}/reports", headers=asked)
        assert (before.status_code, before.content) == (204, b"")
        assert before.headers["access-control-allow-origin"] == page
        assert before.headers["access-control-allow-methods"] == "POST"
        assert before.headers["access-control-allow-headers"] == "authorization, content-type"
        assert before.headers["access-control-max-age"] == "86400"
        asked["origin"] = "https://evil.example"
        before = httpx.options(f"{collector.url}/reports", headers=asked)
        assert before.status_code == 405
        assert "access-control-allow-origin" not in before.headers
        assert before.headers["vary"] == "origin"


def test_allowed_origins_may_use_the_routes_of_devices_and_no_others(tmp_path):
    page, survey = "https://survey.example", colors()
    told = {"origin": page, "sec-fetch-site": "cross-site"}
    with running(tmp_path, survey, origins=page) as collector:
        own = f"/surveys/{survey.fingerprint}"
        shared = {
            "GET": [own, f"{own}/about", "/log", f"{own}/signed"],
            "DELETE": [f"{own}/reports/{'0' * 32}"],
        }
        for method, paths in shared.items():
            for path in paths:
                answer = httpx.request(method, collector.url + path, headers=told)
                assert answer.headers["access-control-allow-origin"] == page, path
                asked = {**told, "access-control-request-method": method}
                before = httpx.options(collector.url + path, headers=asked)
                assert before.headers["access-control-allow-methods"] == method
        key = {"authorization": f"Bearer {collector.keys.of_role('publish')}", **told}
        reader = {"authorization": f"Bearer {collector.keys.of_role('read')}", **told}
        for path in (
            "/surveys",
            "/",
            "/metrics",
            f"{own}/status",
            f"{own}/estimate",
            f"/dashboard/{survey.fingerprint}",
        ):
            answer = httpx.get(collector.url + path, headers=reader)
            assert "access-control-allow-origin" not in answer.headers, path
        for path in ("/surveys", f"{own}/close", f"{own}/tokens"):
            answer = httpx.post(collector.url + path, headers=key, json={})
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign-origin"), path
            asked = {**told, "access-control-request-method": "POST"}
            before = httpx.options(collector.url + path, headers=asked)
            assert (before.status_code, "access-control-allow-origin" in before.headers) == (
                405,
                False,
            )
    with running(tmp_path, survey) as collector:
        answer = httpx.get(f"{collector.url}/surveys/{survey.fingerprint}", headers=told)
        assert "access-control-allow-origin" not in answer.headers, "none by default"


# -- strangers ---------------------------------------------------------------------------------


def test_requests_without_a_key_share_a_rate(tmp_path):
    with running(tmp_path, colors(), open_rate=2) as collector:
        paths = ["/calculator", "/surveys", "/metrics", "/health/live", "/", "/nowhere"] * 3
        asked = [(path, request(b"", path=path, method="GET")) for path in paths]
        outcome = Load(collector.address, asked, connections=1, keep=True).run()
        assert outcome.statuses[429] >= 5
        assert outcome.codes["rate-limited"] == outcome.statuses[429]
        key = {"authorization": f"Bearer {collector.keys.of_role('read')}"}
        with httpx.Client(base_url=collector.url, headers=key) as http:
            assert {http.get("/surveys").status_code for _ in range(20)} == {200}
        sent = load(collector.address, make(colors(), 40).uploads(), connections=2)
        assert sent.statuses == {200: 40}, "uploads have rates of their own"
        refused = httpx.get(f"{collector.url}/surveys")
        if refused.status_code == 429:
            assert int(refused.headers["retry-after"]) >= 1


def test_the_calculator_can_be_turned_off(tmp_path):
    with running(tmp_path, calculator=False) as collector:
        answer = httpx.get(f"{collector.url}/calculator")
        assert answer.status_code == 404
        assert "setting calculator" in answer.text


# -- work apart --------------------------------------------------------------------------------


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that answers, fails, or takes long."""
    (tmp_path / "answering_apart.py").write_text(
        "import os, time\n"
        "def answer(question):\n"
        "    if question == b'fail': raise ValueError\n"
        "    if question == b'slow': time.sleep(60)\n"
        "    return b'%d %d' % (os.getpid(), os.nice(0))\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    return "answering_apart"


def test_work_apart_is_answered_by_one_process_of_low_priority(module):
    apart = Apart(module)
    first, second = apart.ask(b"one").split(), apart.ask(b"two").split()
    assert first == second
    assert int(first[1]) >= 10
    apart._process.kill()
    apart._process.wait()
    assert apart.ask(b"three").split()[0] != first[0], "it ended: another is started"
    apart.stop()


def test_work_apart_that_takes_too_long_is_killed_and_failures_are_told(module):
    apart = Apart(module, seconds=1.0)
    with pytest.raises(Declined, match="too-long: this takes longer than 1 s"):
        apart.ask(b"slow")
    assert apart._process is None
    patient = Apart(module, seconds=30.0)
    with pytest.raises(RuntimeError, match="ended without an answer"):
        patient.ask(b"fail")
    patient.stop()


# -- open files --------------------------------------------------------------------------------


def test_open_files_used_up_are_logged_counted_and_recovered_from(tmp_path):
    process = Process(tmp_path, colors())
    process.start()
    resource.prlimit(process.process.pid, resource.RLIMIT_NOFILE, (64, 64))
    metric = re.compile(r"^sottovoce_out_of_files_total (\d+)$", re.MULTILINE)
    with httpx.Client(base_url=process.running.url) as http:
        assert metric.search(http.get("/metrics").text).group(1) == "0"
        held = []
        try:
            for _ in range(80):
                held.append(socket.create_connection(process.address, timeout=5))
            last = held[-1].recv(1000)
            assert last == b"" or b"429" in last
            until(lambda: "open files are used up" in process.log.read_text())
            assert int(metric.search(http.get("/metrics").text).group(1)) >= 1
        finally:
            for each in held:
                each.close()
        assert load(process.address, make(colors(), 5).uploads()).stored == 5
    assert process.log.read_text().count("open files are used up") == 1, "once a minute"
    process.stop()


def test_files_used_up_by_anything_are_noticed(tmp_path, monkeypatch):
    real = os.open

    def none_left(path, *arguments, **named):
        if path == os.devnull:
            raise OSError(24, "Too many open files")
        return real(path, *arguments, **named)

    with running(tmp_path, colors()) as collector:
        monkeypatch.setattr(os, "open", none_left)
        until(lambda: collector.app.collector_state.counters.out_of_files >= 2)
        monkeypatch.setattr(os, "open", real)
        assert load(collector.address, make(colors(), 5).uploads()).stored == 5


# -- health ------------------------------------------------------------------------------------


def metric(collector, name):
    text = httpx.get(f"{collector.url}/metrics").text
    found = re.search(rf"^sottovoce_{name} (\S+)$", text, re.MULTILINE)
    return None if found is None else float(found[1])


def test_ready_follows_the_database_and_live_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(health, "_FRESH", 0.0)
    with running(tmp_path, colors()) as collector:
        assert httpx.get(f"{collector.url}/health/ready").json()["ready"] is True
        assert (metric(collector, "ready"), metric(collector, "reports_stored_total")) == (1.0, 0.0)

        def dead():
            raise StoreDown("gone")

        monkeypatch.setattr(collector.store, "probe", dead)
        answer = httpx.get(f"{collector.url}/health/ready")
        assert (answer.status_code, answer.json()["code"]) == (503, "store-down")
        assert answer.json()["ready"] is False
        assert answer.headers["retry-after"]
        assert (metric(collector, "ready"), metric(collector, "reports_stored_total")) == (
            0.0,
            None,
        )
        assert httpx.get(f"{collector.url}/health/live").json() == {"live": True}
        assert httpx.get(f"{collector.url}/health").status_code == 404


def test_a_database_that_hangs_is_not_ready_and_is_asked_once_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(health, "_SECONDS", 0.2)
    monkeypatch.setattr(health, "_FRESH", 0.0)
    go, asked = threading.Event(), []

    def hanging():
        asked.append(1)
        go.wait(30)

    with running(tmp_path, colors()) as collector:
        monkeypatch.setattr(collector.store, "probe", hanging)
        try:
            for _ in range(3):
                answer = httpx.get(f"{collector.url}/health/ready")
                assert (answer.status_code, answer.json()["code"]) == (503, "store-down")
                assert "did not answer in 0.2 s" in answer.json()["message"]
            assert len(asked) == 1
        finally:
            go.set()
        until(lambda: httpx.get(f"{collector.url}/health/ready").status_code == 200)


def test_probes_cost_the_database_one_question_per_second(tmp_path, monkeypatch):
    with running(tmp_path, colors()) as collector:
        asked, real = [], collector.store.probe
        monkeypatch.setattr(collector.store, "probe", lambda: asked.append(1) or real())
        monkeypatch.setattr(health, "_FRESH", timedelta(hours=1).total_seconds())
        for _ in range(5):
            assert httpx.get(f"{collector.url}/health/ready").status_code == 200
        assert len(asked) == 1
