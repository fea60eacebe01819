"""What every request passes before its route: its host, its origin, the rate of strangers.

**Host.** A web page can give its own name the address of a collector (DNS rebinding) and read it
through the browsers of its visitors.  Their requests carry the name of that page as ``Host``, so
that only names of this collector are answered: those of the setting ``hosts``, the name it listens
on, and ``localhost``.  An IP address as ``Host`` is answered always: no page can rebind one, and
probes of orchestrators use them.

**Origin.** A page of another site may not change anything here through a browser, unless its
origin is in the setting ``origins``.  Those may use the routes of devices, and get the CORS headers
that let them read what these answer.  All other routes are closed to them too.

**Rate.** Requests without a key share a bucket for each address.  Uploads have their own, and so have
the light requests that a device makes before it uploads.  Files of pages count for none, so that
many people behind one address can open a page.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any

from starlette.requests import Request

from sottovoce.service.api.visitors import has_key
from sottovoce.service.auth.names import host_of, is_address, listed
from sottovoce.service.limits import Addresses
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState

__all__ = ["Gate", "is_upload"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = Mapping[bytes, bytes]

_LOOPBACK = ("localhost",)
_SAFE = ("GET", "HEAD", "OPTIONS")
_PREFLIGHT = [
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"86400"),
]
_MOST_KNOWN = 64


def is_upload(scope: Scope) -> bool:
    """Whether a request goes to the route of uploads."""
    return scope.get("path") == "/reports" and scope.get("method") == "POST"


def _pattern(path: str) -> re.Pattern[str]:
    """The addresses of a route."""
    return re.compile(re.sub(r"\{\w+\}", "[^/]+", path))


class Gate:
    """The checks of one collector.

    ``devices`` are the method and path of every route of devices, ``light`` the paths that count
    for the rates of uploads, ``free`` those that count for none.
    """

    def __init__(
        self,
        state: CollectorState,
        *,
        devices: Iterable[tuple[str, str]],
        light: Iterable[str],
        free: Iterable[str],
    ) -> None:
        settings = state.settings
        self._devices = [(method, _pattern(path)) for method, path in devices]
        self._light = [_pattern(path) for path in light]
        self._free = frozenset(free)
        self._desk = state
        self._hosts = {
            host_of(name) for name in (*_LOOPBACK, settings.host, *listed(settings.hosts))
        }
        self._origins = {origin.encode() for origin in listed(settings.origins)}
        self._strangers = Addresses(settings.open_rate)
        self._known: set[bytes] = set()

    def check(self, scope: Scope, headers: Headers) -> None:
        """Refuse a request that may not go on to its route."""
        host = headers.get(b"host")
        if host not in self._known:
            self._check_host(scope, host)
        if scope["method"] not in _SAFE and self._is_foreign(scope, headers):
            told = "a page of another site may not send this; the setting origins can allow it"
            raise Declined("foreign-origin", told)
        if not is_upload(scope):
            self._check_rate(scope)

    def _check_host(self, scope: Scope, host: bytes | None) -> None:
        if host is None:
            if scope["http_version"] == "1.1":
                raise Declined("malformed", "a request of HTTP/1.1 must have the header Host")
            return  # HTTP/1.0: probes have none, browsers always do
        name = host_of(host.decode("latin-1"))
        if name not in self._hosts and not is_address(name):
            told = f"{name[:100]!r} is not a host of this collector; the setting hosts lists them"
            raise Declined("wrong-host", told)
        if len(self._known) < _MOST_KNOWN:
            self._known.add(host)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Whether a browser sends this for a page of another site that is not allowed to."""
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site")
        if self.allowed_origin(scope, headers) is not None:
            return False
        if site is not None:
            return site.strip().lower() == b"cross-site"
        if origin is None:
            return False  # not a browser
        there = origin.decode("latin-1").partition("://")[2]
        return host_of(there) != host_of(headers.get(b"host", b"").decode("latin-1"))

    def _check_rate(self, scope: Scope) -> None:
        if scope["path"] in self._free or has_key(self._desk, Request(scope)):
            return
        client = scope.get("client")
        address = client[0] if client else ""
        if any(pattern.fullmatch(scope["path"]) for pattern in self._light):
            wait = self._desk.addresses.wait(address) or self._desk.rate.wait()
        else:
            wait = self._strangers.wait(address)
        if wait:
            raise Declined("rate-limited", "too many requests from this address", retry=wait)

    # -- CORS --------------------------------------------------------------------------------

    def allowed_origin(self, scope: Scope, headers: Headers) -> bytes | None:
        """The origin of a request that may read the answer: of a listed page, to a route of devices."""
        origin = headers.get(b"origin")
        return origin if origin in self._origins and self._methods(scope["path"]) else None

    def _methods(self, path: str) -> list[str]:
        """The methods that devices use at a path."""
        return [method for method, pattern in self._devices if pattern.fullmatch(path)]

    @staticmethod
    def is_preflight(scope: Scope, headers: Headers) -> bool:
        """Whether a browser asks beforehand what a page may send."""
        return scope["method"] == "OPTIONS" and b"access-control-request-method" in headers

    def shared(self, origin: bytes | None, send: Send) -> Send:
        """``send`` with the headers that let pages of ``origin`` read an answer."""
        if not self._origins:
            return send
        more = [(b"vary", b"origin")]
        if origin is not None:
            more += [
                (b"access-control-allow-origin", origin),
                (b"access-control-expose-headers", b"retry-after"),
            ]

        async def send_shared(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        return send_shared

    async def answer_preflight(self, scope: Scope, send: Send) -> None:
        """What pages of an allowed origin may send to a path."""
        methods = ", ".join(self._methods(scope["path"])).encode()
        headers = [(b"access-control-allow-methods", methods), *_PREFLIGHT]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
