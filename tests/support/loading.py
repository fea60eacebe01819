"""Collectors under load: a load generator on raw sockets, and servers to point it at.

One thread, one epoll, as many connections as asked for, one request under way on each: what a
library for HTTP would cost is left to the collector.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sottovoce as sv
from sottovoce.service.app import collector
from sottovoce.service.auth.keys import Keys, read_secret
from sottovoce.service.serve import server_of
from sottovoce.service.settings import Settings
from sottovoce.store import Rules, Store, open_store
from sottovoce.surveys.survey import Survey
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import payloads_of
from sottovoce.wire.uploads import VERSION
from vectors.words import as_if_drawn

ROOT = Path(__file__).parents[2]


# -- what is sent ------------------------------------------------------------------------------


def request(
    body: bytes,
    token: str | None = None,
    *,
    path: str = "/reports",
    method: str = "POST",
    kind: str = "application/msgpack",
    headers: str = "",
) -> bytes:
    """The bytes of one HTTP request."""
    secret = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{secret}{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("latin-1") + body


def colors(window: str = "once", minimum_batch: int = 100, name: str = "colors") -> Survey:
    mechanism = sv.mechanism("grr", sv.Categories(["red", "green", "blue"]), 1.0)
    return Survey(name, "Which colour do you like best?", mechanism, window, minimum_batch)


@dataclass
class Made:
    """Reports that were made for a survey: their ids, payloads, and uploads of so many each."""

    survey: Survey
    window: str
    ids: list[bytes]
    payloads: list[bytes]

    def uploads(self, size: int = 1) -> list[bytes]:
        head, window = bytes.fromhex(self.survey.fingerprint), self.window
        reports = [[i, p] for i, p in zip(self.ids, self.payloads, strict=True)]
        return [
            pack([VERSION, head, window, reports[start : start + size]])
            for start in range(0, len(reports), size)
        ]


def make(survey: Survey, count: int, window: str = "", seed: int = 1) -> Made:
    """So many reports of people who answer the first value."""
    values = [survey.mechanism.domain.label(0)] * count
    reports = as_if_drawn(survey.mechanism.randomize(values, source=sv.Seeded(seed)))
    data = os.urandom(16 * count)
    ids = [data[i : i + 16] for i in range(0, len(data), 16)]
    return Made(survey, window, ids, payloads_of(reports))


# -- the load ----------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    stored: int = 0
    duplicates: int = 0
    broken: int = 0
    """Connections that broke with a request under way."""
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    bodies: list[tuple[Any, int, bytes]] = field(default_factory=list)
    """With ``keep``: key, status and body of every answer."""

    @property
    def answers(self) -> int:
        return sum(self.statuses.values())

    @property
    def rate(self) -> float:
        return self.answers / self.seconds

    def percentile(self, share: float) -> float:
        """Seconds within which that share of the answers came."""
        return sorted(self.latencies)[min(int(share * self.answers), self.answers - 1)]


class _Connection:
    """One connection and the request under way on it."""

    __slots__ = ("began", "data", "key", "left", "socket")

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.key: Any = None
        self.left, self.data, self.began = b"", b"", 0.0


class Load:
    """Sends requests, each a key and its bytes, over many connections at once.

    ``again`` says of an answer whether the same request is to be sent once more; a request whose
    connection broke is sent again if ``stubborn``, over a new connection, and else lost.
    """

    def __init__(
        self,
        address: tuple[str, int],
        requests: Iterable[tuple[Any, bytes]],
        *,
        connections: int = 64,
        seconds: float | None = None,
        stubborn: bool = False,
        again: Callable[[int], bool] = lambda status: False,
        keep: bool = False,
        until: threading.Event | None = None,
        patience: float = 60.0,
    ) -> None:
        self.address, self.requests = address, iter(requests)
        self.count, self.seconds, self.stubborn = connections, seconds, stubborn
        self.again, self.keep, self.until, self.patience = again, keep, until, patience
        self.outcome = Outcome()
        self.waiting: deque[tuple[Any, bytes]] = deque()
        self.selector = selectors.DefaultSelector()
        self.ended = False

    def run(self) -> Outcome:
        began = time.perf_counter()
        end = None if self.seconds is None else began + self.seconds
        active = {_Connection() for _ in range(self.count)}
        resting: list[_Connection] = []
        for each in list(active):
            if not self._next(each):
                active.discard(each)
                if each.left:
                    resting.append(each)
        last = time.perf_counter()
        while active or resting:
            events = self.selector.select(0.05)
            now = time.perf_counter()
            if (end is not None and now >= end) or (self.until and self.until.is_set()):
                self.ended = True
            if events:
                last = now
            assert now - last < self.patience, "no answer for too long"
            for key, _ in events:
                each = key.data
                if not self._read(each):
                    active.discard(each)
                    if each.left:
                        resting.append(each)  # it could not connect: later
            for each in resting[:]:
                if self.ended:
                    resting.remove(each)
                elif self._send(each, each.key, each.left):
                    resting.remove(each)
                    active.add(each)
            if resting and not events:
                time.sleep(0.02)
        self.outcome.seconds = time.perf_counter() - began
        self.selector.close()
        return self.outcome

    def _next(self, each: _Connection) -> bool:
        """Begin the next request on a connection; False where there is none."""
        if self.ended:
            found = None
        else:
            found = self.waiting.popleft() if self.waiting else next(self.requests, None)
        if found is None:
            self._close(each)
            each.left = b""
            return False
        return self._send(each, *found)

    def _send(self, each: _Connection, key: Any, data: bytes) -> bool:
        each.key, each.left, each.data = key, data, b""
        each.began = time.perf_counter()
        try:
            if each.socket is None:
                each.socket = socket.create_connection(self.address, timeout=5)
                each.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.selector.register(each.socket, selectors.EVENT_READ, each)
            each.socket.sendall(data)
        except OSError:
            self._close(each)
            return False
        return True

    def _close(self, each: _Connection) -> None:
        if each.socket is not None:
            self.selector.unregister(each.socket)
            each.socket.close()
            each.socket = None

    def _read(self, each: _Connection) -> bool:
        """Take what came; True while the connection goes on."""
        assert each.socket is not None
        try:
            part = each.socket.recv(65536)
        except OSError:
            part = b""
        if not part:
            self._close(each)
            self.outcome.broken += 1
            if not self.stubborn:
                return self._next(each)
            return self._send(each, each.key, each.left)
        each.data += part
        head, blank, body = each.data.partition(b"\r\n\r\n")
        if not blank:
            return True
        lower = head.lower()
        place = lower.find(b"content-length: ")
        length = int(lower[place + 16 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
        if len(body) < length:
            return True
        self._answered(each, int(head[9:12]), body)
        if b"connection: close" in lower:
            self._close(each)
        return self._next(each)

    def _answered(self, each: _Connection, status: int, body: bytes) -> None:
        told = self.outcome
        told.statuses[status] += 1
        told.latencies.append(time.perf_counter() - each.began)
        if self.keep:
            told.bodies.append((each.key, status, body))
        if status == 200 and body.startswith(b'{"stored":'):
            stored, duplicates = body[10:-1].split(b',"duplicates":')
            told.stored += int(stored)
            told.duplicates += int(duplicates)
        elif status >= 400 and body.startswith(b'{"code":"'):
            told.codes[body[9:].split(b'"', 1)[0].decode()] += 1
        if self.again(status):
            self.waiting.append((each.key, each.left))


def load(address: tuple[str, int], bodies: Iterable[bytes], **options: Any) -> Outcome:
    """Send uploads, without tokens, and wait for all answers."""
    return Load(address, enumerate(map(request, bodies)), **options).run()


# -- collectors --------------------------------------------------------------------------------


@dataclass
class Running:
    """A collector that answers at an address."""

    address: tuple[str, int]
    keys: Keys
    store: Store | None = None
    app: Any = None
    server: Any = None

    @property
    def url(self) -> str:
        return f"http://{self.address[0]}:{self.address[1]}"

    def get(self, path: str, role: str = "read") -> Any:
        told = {"Authorization": f"Bearer {self.keys.of_role(role)}"} if role else {}
        asked = urllib.request.Request(self.url + path, headers=told)  # noqa: S310
        with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
            return json.loads(answer.read())

    def close(self, survey: Survey) -> None:
        """Take no more reports of a survey, so that all are seen."""
        told = {"Authorization": f"Bearer {self.keys.of_role('publish')}"}
        where = f"{self.url}/surveys/{survey.fingerprint}/close"
        asked = urllib.request.Request(where, b"", told, method="POST")  # noqa: S310
        with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
            assert answer.status == 200


@contextmanager
def running(
    folder: Path, *surveys: Survey, rules: Rules | None = None, clock: Any = None, **settings: Any
) -> Iterator[Running]:
    """A collector in a thread of this process, on a free port; tests ask more than people do."""
    more = {"open_rate": 0.0, **settings}
    told = Settings(
        store=str(folder / "collector.db"), secret_file=str(folder / "secret"), port=0, **more
    )
    with open_store(told.store) as store:
        for survey in surveys:
            store.publish(survey, rules or Rules())
        keys = Keys(read_secret(told.secret_file))
        app = collector(store, told, keys=keys, **({"clock": clock} if clock else {}))
        server = server_of(app, told)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the collector did not start"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield Running(("127.0.0.1", port), keys, store, app, server)
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the collector did not stop"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process:
    """A collector in a process of its own, to be killed and started again."""

    code = (
        "import sys, json; from sottovoce.service.settings import Settings; "
        "from sottovoce.service.serve import serve; serve(Settings(**json.loads(sys.argv[1])))"
    )

    def __init__(self, folder: Path, *surveys: Survey, rules: Rules | None = None, **more: Any):
        self.folder, self.port = folder, free_port()
        self.settings = {
            "store": str(folder / "collector.db"), "secret_file": str(folder / "secret"),
            "port": self.port, "open_rate": 0.0, **more,
        }  # fmt: skip
        self.keys = Keys(read_secret(self.settings["secret_file"]))
        self.running = Running(("127.0.0.1", self.port), self.keys)
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        if surveys:
            with open_store(self.settings["store"]) as store:
                for survey in surveys:
                    store.publish(survey, rules or Rules())

    @property
    def address(self) -> tuple[str, int]:
        return self.running.address

    def start(self, patience: float = 30.0) -> float:
        """Start, and wait until it is ready: after how many seconds."""
        began = time.perf_counter()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", self.code, json.dumps(self.settings)],
                stderr=log,
                stdout=log,
                cwd=ROOT,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
        atexit.register(self.process.kill)  # a test that failed leaves nothing running
        while time.perf_counter() - began < patience:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if self.running.get("/health/ready", "")["ready"]:
                    return time.perf_counter() - began
            except OSError:
                time.sleep(0.02)
        raise AssertionError("the collector was not ready in time")

    def kill(self) -> None:
        """End it as a power cut would end a process."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, patience: float = 15.0) -> float:
        """Ask it to end: after how many seconds it did."""
        assert self.process is not None
        began = time.perf_counter()
        self.process.terminate()
        self.process.wait(patience)
        return time.perf_counter() - began

    def memory(self) -> int:
        """Bytes of memory that the process holds."""
        assert self.process is not None
        text = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def forget_peak(self) -> None:
        """Begin anew to look for the most memory that the process holds."""
        assert self.process is not None
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak(self) -> int:
        """The most bytes of memory that the process held since then."""
        assert self.process is not None
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(text.partition("VmHWM:")[2].split()[0])
