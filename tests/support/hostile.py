"""One hostile connection: what it can send to a collector without any key.

``python tests/support/hostile.py HOST PORT NAME SECONDS GAP`` sends one kind of it for so long, over one
connection after the other with GAP seconds between them, and prints the statuses that came back.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

_HEAD = b" HTTP/1.1\r\nHost: localhost\r\n"
_UPLOAD = b"POST /reports" + _HEAD + b"Content-Type: application/msgpack\r\n"
_JSON = b"POST /reports" + _HEAD + b"Content-Type: application/json\r\n"
_CHUNKED = _UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n"
_BLOCK = 2**16


@dataclass(frozen=True)
class Attack:
    """What is sent: a beginning, then a piece again and again.

    ``times`` is how often, without end where it is None; then the next connection follows.  With a
    ``pause``, in seconds, pieces are sent one by one.  Unless ``deaf``, it reads what is answered;
    else it hangs up when it has sent everything.
    """

    first: bytes
    piece: bytes = b""
    times: int | None = None
    pause: float = 0.0
    deaf: bool = False


def _body(head: bytes, body: bytes) -> Attack:
    return Attack(head + b"Content-Length: %d\r\n\r\n" % len(body) + body, times=0)


_PARTS = b"\x94\x01\xc4\x10" + bytes(16) + b"\xa0"
"""The beginning of an upload in MessagePack, up to its reports."""

ATTACKS = {
    "many headers": Attack(b"GET /health/live" + _HEAD, b"a: b\r\n"),
    "one endless header": Attack(b"GET /health/live" + _HEAD + b"a: ", b"b" * 1024),
    "an endless header name": Attack(b"GET /health/live" + _HEAD, b"b" * 1024),
    "endless address": Attack(b"GET /", b"a" * 1024),
    "endless parameters": Attack(b"GET /calculator?", b"epsilon=1&" * 100),
    "endless method": Attack(b"", b"A" * 1024),
    "endless blank lines": Attack(b"", b"\r\n" * 512),
    "a long head of many headers": Attack(
        b"GET /calculator?" + b"wait=1&" * 2000 + _HEAD + b"a: b\r\n" * 90 + b"\r\n", times=0
    ),
    "long cookies": Attack(
        b"GET /" + _HEAD + b"Cookie: " + b"a=b; " * 6000 + b"\r\n\r\n", times=0
    ),
    "endless chunk extensions": Attack(_CHUNKED + b"1;", b"x" * 1024),
    "endless trailers": Attack(_CHUNKED + b"0\r\n", b"a: b\r\n"),
    "one endless trailer": Attack(_CHUNKED + b"0\r\na: ", b"b" * 1024),
    "many small chunks": Attack(_CHUNKED, b"1\r\nx\r\n"),
    "chunks without end": Attack(_CHUNKED, b"400\r\n" + b"x" * 1024 + b"\r\n"),
    "pipelined requests": Attack(b"", b"GET /surveys" + _HEAD + b"\r\n"),
    "pipelined requests, unread": Attack(b"", b"GET /openapi.json" + _HEAD + b"\r\n", deaf=True),
    "pipelined uploads": Attack(
        b"", _UPLOAD + b"Content-Length: 30000\r\n\r\n" + b"\xc1" * 30000
    ),
    "a slow drip": Attack(b"", b"G", pause=0.01),
    "a slow body": Attack(_UPLOAD + b"Content-Length: 1000000\r\n\r\n", b"\x00", pause=0.01),
    "a huge Content-Length": Attack(_UPLOAD + b"Content-Length: 999999999999\r\n\r\n", b"x" * 1024),
    "an absurd Content-Length": Attack(_UPLOAD + b"Content-Length: " + b"9" * 1000, b"9" * 1024),
    "a body for a page": Attack(
        b"GET /health/live" + _HEAD + b"Content-Length: 999999999999\r\n\r\n", b"x" * 1024
    ),
    "a compressed body": _body(
        _UPLOAD + b"Content-Encoding: gzip\r\n", gzip.compress(bytes(2**23), 9) * 32
    ),
    "nested MessagePack": _body(_UPLOAD, _PARTS + b"\x91" * 2**19),
    "nested reports": _body(_UPLOAD, b"\x91" * 2**20),
    "empty arrays": _body(_UPLOAD, b"\xdd\x00\x0f\xff\x00" + b"\x90" * (2**20 - 256)),
    "empty maps as reports": _body(
        _UPLOAD, _PARTS + b"\xdd\x00\x0f\xff\x00" + b"\x80" * (2**20 - 256)
    ),
    "huge counts": _body(_UPLOAD, _PARTS + b"\xdd\xff\xff\xff\xff" + b"\xdd\xff\xff\xff\xff" * 10**5),
    "reports of no survey": _body(
        _UPLOAD,
        _PARTS + b"\xdc\x27\x10" + (b"\x92\xc4\x10" + bytes(16) + b"\x91\x02") * 10_000,
    ),
    "reports without ids": _body(_UPLOAD, _PARTS + b"\xdc\x27\x10" + b"\x92\x80\x80" * 10_000),
    "nested JSON": _body(_JSON, b"[" * 2**20),
    "empty arrays of JSON": _body(_JSON, b"[" + b"[]," * 349_000 + b"[]]"),
    "objects of JSON": _body(_JSON, b'{"reports":[' + b'{"a":0},' * 130_000 + b"{}]}"),
    "long numbers of JSON": _body(_JSON, b"[" + b"9" * (2**20 - 8) + b"]"),
    "a long text of JSON": _body(_JSON, b'{"window":"' + b"a" * (2**20 - 16) + b'"}'),
    "a form for signing in": Attack(
        b"POST /sign-in" + _HEAD + b"Content-Length: 4000\r\n\r\n" + b"a&" * 2000, times=0
    ),
    "noise": Attack(b"\x16\x03\x01" + bytes(range(256)) * 64, times=0),
    "uploads that nobody waits for": Attack(
        _UPLOAD + b"Content-Length: 500000\r\n\r\n" + b"\x91" * 500_000, times=0, deaf=True
    ),
}  # fmt: skip


def attack(address: tuple[str, int], name: str, seconds: float, gap: float = 0.0) -> Counter[int]:
    """Send one kind for so long, over one connection after the other: the statuses that came.

    Without a ``gap`` in between, a collector has to do with several that are about to end.
    """
    kind, end = ATTACKS[name], time.perf_counter() + seconds
    statuses: Counter[int] = Counter()
    while time.perf_counter() < end:
        with socket.create_connection(address, timeout=5) as raw:
            with contextlib.suppress(OSError):
                _send(raw, kind, end, statuses)
            with contextlib.suppress(OSError):
                raw.settimeout(max(0.05, min(2.0, end - time.perf_counter())))
                if kind.times is not None and not kind.deaf:
                    _count(raw.recv(_BLOCK), statuses)
        time.sleep(gap)
    return statuses


def _send(raw: socket.socket, kind: Attack, end: float, statuses: Counter[int]) -> None:
    raw.sendall(kind.first)
    block = kind.piece if kind.pause else kind.piece * max(1, _BLOCK // max(1, len(kind.piece)))
    raw.setblocking(False)
    sent, left = 0, memoryview(block)
    while (kind.times is None or sent < kind.times) and time.perf_counter() < end:
        try:
            left = left[raw.send(left) :]
        except BlockingIOError:
            time.sleep(0.001)
        if not left:
            left, sent = memoryview(block), sent + 1
        time.sleep(kind.pause)
        if not kind.deaf:
            with contextlib.suppress(BlockingIOError):
                answer = raw.recv(_BLOCK)
                if not answer:
                    return
                _count(answer, statuses)
    raw.setblocking(True)


def _count(answer: bytes, statuses: Counter[int]) -> None:
    statuses.update(map(int, re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)))


def start_attack(
    address: tuple[str, int], name: str, seconds: float, gap: float = 0.0
) -> subprocess.Popen[str]:
    """The same in a process of its own, which prints the statuses."""
    host, port = address
    command = [sys.executable, __file__, host, str(port), name, str(seconds), str(gap)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    host, port, name, seconds, gap = sys.argv[1:]
    print(dict(attack((host, int(port)), name, float(seconds), float(gap))))
