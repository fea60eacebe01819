"""One request over HTTP and its answer: what every part of sottovoce opens addresses with.

* No redirection is followed: a key or a report goes to the address that was given and no other.
* No proxy of the environment is used for ``http://`` and for this machine: it would read the
  upload, the token or the key.  For ``https://`` it passes on encrypted bytes (CONNECT).
* One deadline holds for the whole exchange, from connecting to the last byte.  The timeout of a
  socket would begin again with every byte that a slow or hostile sender drips.
* An answer has a largest size.

It stands on the standard library's ``http.client``, whose limits on headers hold (100 of them,
64 KiB a line).  Resolving a name takes as long as the system's resolver does.
"""

from __future__ import annotations

import base64
import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from email.message import Message
from functools import cache, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

__all__ = ["LOOPBACK", "Answer", "NoAnswer", "TooLong", "exchange"]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine."""
_PIECE = 2**16
"""Bytes that are sent or read at a time."""


class NoAnswer(ConnectionError):
    """No connection, no HTTP, or no whole answer in time."""


class TooLong(NoAnswer):
    """An answer with more bytes than are read."""


class Deadline:
    """A moment by which everything is done."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds until then; an error once it has passed."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        return left

    def extend(self, seconds: float) -> None:
        """Allow more time."""
        self._end += seconds


class Answer:
    """What came back: its status, its headers, and a body that is read within the deadline."""

    def __init__(self, response: HTTPResponse, deadline: Deadline) -> None:
        self._response, self._deadline = response, deadline
        self.status: int = response.status
        self.headers: Message = response.headers

    def read(self, most: int) -> bytes:
        """The whole body; :class:`TooLong` if it has more than ``most`` bytes."""
        data = b"".join(self._read(most + 1))
        if len(data) > most:
            raise TooLong(f"the answer is longer than {most:,} bytes")
        return data

    @property
    def missing(self) -> int:
        """Bytes that were announced and did not come."""
        return self._response.length or 0

    def pieces(self, slowest: float) -> Iterator[bytes]:
        """The body piece by piece; every ``slowest`` bytes extend the deadline by a second."""
        while piece := self._read_once(_PIECE):
            self._deadline.extend(len(piece) / slowest)
            yield piece

    def _read(self, most: int) -> Iterator[bytes]:
        while most > 0 and (piece := self._read_once(min(most, _PIECE))):
            most -= len(piece)
            yield piece

    def _read_once(self, most: int) -> bytes:
        with _as_no_answer():
            return self._response.read(most)


@contextmanager
def exchange(
    url: str,
    *,
    seconds: float,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Iterator[Answer]:
    """Send a request; its answer, of whatever status, until the block is left.

    :class:`NoAnswer` where something fails on the way or takes longer than ``seconds``.
    """
    parts, deadline = urlsplit(url), Deadline(seconds)
    with ExitStack() as stack:
        with _as_no_answer():
            connection = stack.enter_context(_connected(parts, deadline))
            _send(connection, parts, deadline, method=method, headers=headers or {}, body=body)
            response = stack.enter_context(connection.getresponse())
        yield Answer(response, deadline)


@contextmanager
def _as_no_answer() -> Iterator[None]:
    try:
        yield
    except NoAnswer:
        raise
    except (OSError, HTTPException) as error:
        raise NoAnswer(str(error) or type(error).__name__) from error


@contextmanager
def _connected(parts: SplitResult, deadline: Deadline) -> Iterator[HTTPConnection]:
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    proxy = _proxy(host) if secure else None
    plain = _open((host, port) if proxy is None else _address(proxy), deadline)
    try:
        if proxy is not None:
            _tunnel(plain, host, port, proxy, deadline)
        plain.settimeout(deadline.left())
        sock = _context().wrap_socket(plain, server_hostname=host) if secure else plain
    except BaseException:
        plain.close()
        raise
    named = f"[{host}]" if ":" in host else host
    connection = (
        HTTPSConnection(named, port, context=_context()) if secure else HTTPConnection(named, port)
    )
    connection.sock = sock
    connection.response_class = partial(_TimedResponse, deadline=deadline)  # type: ignore[assignment]
    try:
        yield connection
    finally:
        connection.close()


def _send(
    connection: HTTPConnection,
    parts: SplitResult,
    deadline: Deadline,
    *,
    method: str,
    headers: Mapping[str, str],
    body: bytes | None,
) -> None:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.putrequest(method, target)
    told = {"User-Agent": "sottovoce", "Connection": "close", **headers}
    if body is not None:
        told["Content-Length"] = str(len(body))
    for name, value in told.items():
        connection.putheader(name, value)
    connection.sock.settimeout(deadline.left())
    connection.endheaders()
    for start in range(0, len(body or b""), _PIECE):
        connection.sock.settimeout(deadline.left())
        connection.send((body or b"")[start : start + _PIECE])


# -- sockets -----------------------------------------------------------------------------


def _open(address: tuple[str, int], deadline: Deadline) -> socket.socket:
    """A connection to the first address that takes one; all attempts share the deadline."""
    failed: OSError = ConnectionError(f"{address[0]} has no address")
    try:
        found = socket.getaddrinfo(*address, 0, socket.SOCK_STREAM)
    except UnicodeError as error:  # a name that is too long, or has an empty part
        raise failed from error
    for family, kind, protocol, _, where in found:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.left())
            sock.connect(where)
        except OSError as error:
            failed = error
            sock.close()
        else:
            return sock
    raise failed


class _Timed(io.RawIOBase):
    """The bytes of a socket, each read with the time that is left."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock, self._deadline = sock, deadline
        self._raw = sock.makefile("rb", buffering=0)  # which keeps the socket open

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *rest: Any, deadline: Deadline, **named: Any) -> None:
        super().__init__(sock, *rest, **named)
        timed: Any = io.BufferedReader(_Timed(sock, deadline))
        self.fp.close()
        self.fp = timed


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


# -- proxies -----------------------------------------------------------------------------


def _proxy(host: str) -> SplitResult | None:
    """The environment's proxy for encrypted connections to a host, if there is one."""
    told = getproxies().get("https")
    if not told or host in LOOPBACK or proxy_bypass(host):
        return None
    proxy = urlsplit(told if "://" in told else f"http://{told}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ConnectionError("the proxy that https_proxy names is none that speaks http://")
    return proxy


def _address(proxy: SplitResult) -> tuple[str, int]:
    return proxy.hostname or "", proxy.port or 80


def _tunnel(
    sock: socket.socket, host: str, port: int, proxy: SplitResult, deadline: Deadline
) -> None:
    """Have a proxy pass on bytes; what it is told is the name of the host."""
    named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {named} HTTP/1.1", f"Host: {named}"]
    if proxy.username is not None:
        word = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(word).decode()}")
    sock.settimeout(deadline.left())
    sock.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
    response = _TimedResponse(sock, method="CONNECT", deadline=deadline)
    try:
        response.begin()
        if response.status != 200:
            raise ConnectionError(f"the proxy of https_proxy answered {response.status}")
    finally:
        response.close()
