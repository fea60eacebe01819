"""Requests: no proxy in the clear, one deadline for all of an exchange, answers of a limited size."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from sottovoce.cli.shared.collector import Collector
from sottovoce.device import http as exchanges
from sottovoce.device.http import NoAnswer, TooLong, exchange
from sottovoce.device.remote_collector import Declined, RemoteCollector
from sottovoce.device.sending import Patience, deliver
from support.devices import client_of, running

ONCE = Patience(attempts=1, timeout=0.5)
ACKNOWLEDGED = b'{"stored": 1, "duplicates": 0}'
HOST = "collector.example"
PEM = (
    Path(__file__).parents[1] / "support" / f"{HOST}.pem"
)  # its key and certificate, made for these tests


@contextmanager
def server(handle):
    """A server whose connections ``handle`` answers, each in a thread; its port, and what came."""
    listener, came = socket.create_server(("127.0.0.1", 0)), []

    def one(connection):
        with closing(connection), suppress(OSError):  # the other side left
            handle(connection, came)

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with closing(listener):
        yield listener.getsockname()[1], came


def head_of(connection):
    """The head of a request; its body is read too: closing with unread bytes would reset it."""
    data = b""
    while b"\r\n\r\n" not in data or len(data) < _length(data):
        piece = connection.recv(2**16)
        if not piece:
            break
        data += piece
    return data


def _length(data):
    """The bytes of a whole request, as its head announces them."""
    head, end, _ = data.partition(b"\r\n\r\n")
    announced = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return len(head + end) + (int(announced[1]) if announced else 0)


def answer_of(body, status=b"200 OK"):
    length = str(len(body)).encode()
    return b"HTTP/1.1 " + status + b"\r\nContent-Length: " + length + b"\r\n\r\n" + body


# -- proxies -------------------------------------------------------------------------------------


def deny(connection, came):
    came.append(head_of(connection))
    connection.sendall(answer_of(b"no", b"403 Forbidden"))


@pytest.fixture
def proxy(monkeypatch):
    """A proxy that the environment names for everything; the heads of requests that reached it."""
    with server(deny) as (port, came):
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://me:se%20cret@127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        yield came


@pytest.fixture
def everywhere_is_here(monkeypatch):
    """Every name is an address of this machine."""
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest: real("127.0.0.1", *rest))


def test_uploads_and_tokens_reach_no_proxy_in_the_clear(tmp_path, proxy):
    with running() as collector:
        client = client_of(tmp_path, url=collector.url, token="a-token")  # noqa: S106
        assert client.report("tea").state == "acknowledged"
    assert proxy == []


def test_plain_http_to_another_machine_uses_no_proxy(proxy, everywhere_is_here):
    with running() as collector:
        url = collector.url.replace("127.0.0.1", "gateway.example")
        assert deliver(url, b"x", token="t", patience=ONCE).state == "acknowledged"  # noqa: S106
    assert proxy == []


def test_keys_reach_no_proxy_in_the_clear(proxy):
    def sees_key(connection, came):
        came.append(head_of(connection))
        connection.sendall(answer_of(b'{"fine": 1}'))

    with server(sees_key) as (port, came):
        url = f"http://127.0.0.1:{port}"
        assert Collector(url, "the-key").get("/surveys") == {"fine": 1}
        assert RemoteCollector(url, "the-key").get("/surveys") == {"fine": 1}
    assert len(came) == 2
    assert all(b"Bearer the-key" in head for head in came)
    assert proxy == []


def test_encrypted_requests_may_pass_a_proxy_that_learns_only_the_host(proxy):
    outcome = deliver(f"https://{HOST}", b"x", token="a-token", patience=ONCE)  # noqa: S106
    assert (outcome.state, outcome.code) == ("pending", "no-answer")
    (head,) = proxy
    assert head.startswith(b"CONNECT collector.example:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6c2UgY3JldA==" in head  # me:se cret
    assert b"a-token" not in head
    with pytest.raises(NoAnswer, match="the proxy of https_proxy answered 403"):
        exchange(f"https://{HOST}", seconds=5.0).__enter__()


def test_no_proxy_for_hosts_that_are_left_out_and_for_this_machine(proxy, monkeypatch):
    monkeypatch.setenv("no_proxy", HOST)
    assert exchanges._proxy(HOST) is None
    assert exchanges._proxy("localhost") is None
    assert exchanges._proxy("another.example") is not None


def test_a_proxy_of_another_kind_is_refused(monkeypatch):
    for told in ("socks5://127.0.0.1:1080", "http://"):
        monkeypatch.setenv("https_proxy", told)
        with pytest.raises(NoAnswer, match="the proxy that https_proxy names"):
            exchange(f"https://{HOST}", seconds=5.0).__enter__()


def test_through_a_proxy_to_a_collector_with_tls(monkeypatch):
    """The bytes that the proxy passes on are those of a handshake, and the answer is read."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(PEM)
    trusted = ssl.create_default_context(cafile=PEM)
    monkeypatch.setattr(exchanges, "_context", lambda: trusted)

    def tunnel(connection, came):
        came.append(head_of(connection))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        with context.wrap_socket(connection, server_side=True) as secure:
            came.append(head_of(secure))
            secure.sendall(answer_of(ACKNOWLEDGED))

    with server(tunnel) as (port, came):
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "")
        patience = Patience(attempts=1, timeout=20.0)
        outcome = deliver(f"https://{HOST}", b"x", token="t", patience=patience)  # noqa: S106
        other = deliver("https://other.example", b"x", token=None, patience=patience)
    assert outcome.state == "acknowledged"
    assert came[1].startswith(b"POST /reports HTTP/1.1\r\nHost: collector.example\r\n")
    assert (other.state, other.code) == ("pending", "no-answer")  # the certificate is another's


# -- deadlines -----------------------------------------------------------------------------------


def drip(data, start):
    """Answer with ``data``, from ``start`` on a byte at a time: fast enough for every read."""

    def handle(connection, came):
        head_of(connection)
        connection.sendall(data[:start])
        for place in range(start, len(data)):
            time.sleep(0.1)
            connection.sendall(data[place : place + 1])

    return handle


WHOLE = answer_of(ACKNOWLEDGED)


@pytest.mark.parametrize(
    ("data", "start"),
    [(WHOLE, 0), (WHOLE, 20), (WHOLE, len(WHOLE) - 20), (b"HTTP/1.1 100 C\r\n\r\n" * 3 + WHOLE, 30)],
    ids=["status", "headers", "body", "continue"],
)  # fmt: skip
def test_an_answer_that_drips_ends_at_the_deadline(tmp_path, data, start):
    """Each byte comes within the timeout; without a deadline the last would bring ``acknowledged``."""
    with server(drip(data, start)) as (port, _):
        client = client_of(tmp_path, url=f"http://127.0.0.1:{port}", patience=ONCE)
        receipt = client.report("tea")
    assert (receipt.state, receipt.code) == ("pending", "no-answer")


def test_commands_have_the_deadline_too():
    with (
        server(drip(answer_of(b'{"fine": 1}'), 25)) as (port, _),
        pytest.raises(NoAnswer, match="no answer from .*: (the answer took too long|timed out)"),
    ):
        Collector(f"http://127.0.0.1:{port}", "key", seconds=0.5).get("/surveys")


def test_a_download_goes_on_while_bytes_come(monkeypatch, tmp_path):
    """By a clock that ticks with every read, it takes longer than the patience."""
    ticks, data = count(), b"x" * 2**22
    clock = SimpleNamespace(monotonic=lambda: next(ticks))
    monkeypatch.setattr(exchanges, "time", clock)
    with server(reply(answer_of(data))) as (port, _):
        collector = Collector(f"http://127.0.0.1:{port}", "key", seconds=40.0)
        target = tmp_path / "reports"
        assert collector.download("/x", (), target) == []
        assert target.read_bytes() == data
        with pytest.raises(NoAnswer, match="the answer took too long"):
            replace(collector, slowest=1e9).download("/x", (), target)


def test_a_download_that_breaks_off_is_an_error(tmp_path):
    def handle(connection, came):
        head_of(connection)
        connection.sendall(answer_of(b"x" * 100)[:-10])

    with server(handle) as (port, _):
        collector = Collector(f"http://127.0.0.1:{port}", "key")
        with pytest.raises(NoAnswer, match="IncompleteRead|broke off before the end of /x"):
            collector.download("/x", (), tmp_path / "reports")


def test_addresses_that_lead_nowhere_share_the_deadline(monkeypatch):
    """The answer of a resolver is the sender's: a hundred addresses do not take a hundred times."""
    tried = []

    class Never(socket.socket):
        def connect(self, where):
            tried.append(self.gettimeout())
            time.sleep(0.05)
            raise TimeoutError("nobody there")

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 9))] * 100
    monkeypatch.setattr(exchanges.socket, "getaddrinfo", lambda *rest: found)
    monkeypatch.setattr(exchanges.socket, "socket", Never)
    with pytest.raises(NoAnswer, match="took too long"):
        exchange("http://a.example", seconds=0.3).__enter__()
    assert 1 <= len(tried) < 10
    assert tried == sorted(tried, reverse=True)


# -- sizes and shapes ------------------------------------------------------------------------------


def reply(data):
    def handle(connection, came):
        came.append(head_of(connection))
        connection.sendall(data)

    return handle


def test_an_answer_of_too_many_bytes_is_not_read():
    long = ACKNOWLEDGED + b" " * 2**16
    with server(reply(answer_of(long))) as (port, _):
        outcome = deliver(f"http://127.0.0.1:{port}", b"x", token=None, patience=ONCE)
        assert (outcome.state, outcome.code) == ("pending", "no-acknowledgement")
        with (
            exchange(f"http://127.0.0.1:{port}", seconds=5.0) as answer,
            pytest.raises(TooLong, match="the answer is longer than 1,000 bytes"),
        ):
            answer.read(1000)


def test_commands_read_answers_of_a_limited_size():
    with (
        server(reply(answer_of(b'{"fine": "' + b"x" * 100 + b'"}'))) as (port, _),
        pytest.raises(NoAnswer, match="the answer is longer than 100 bytes"),
    ):
        Collector(f"http://127.0.0.1:{port}", "key", longest=100).get("/surveys")


def test_what_is_no_http_is_no_answer():
    for data in (b"SSH-2.0-OpenSSH_9.2\r\n", b"", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200):
        with server(reply(data)) as (port, _):
            outcome = deliver(f"http://127.0.0.1:{port}", b"x", token=None, patience=ONCE)
        assert (outcome.state, outcome.code) == ("pending", "no-answer")
    for name in ("http://a..example", "https://" + "a" * 70 + ".example"):
        outcome = deliver(name, b"x", token=None, patience=ONCE)
        assert (outcome.state, outcome.code) == ("pending", "no-answer")


def test_deeply_nested_json_is_no_collectors_answer():
    answers = [(b"200 OK", 200_000, "no-collector"), (b"400 Bad", 2**15, "status-400")]
    for status, depth, code in answers:
        with (
            server(reply(answer_of(b"[" * depth, status))) as (port, _),
            pytest.raises(Declined, match=code),
        ):
            Collector(f"http://127.0.0.1:{port}", "key").get("/surveys")
