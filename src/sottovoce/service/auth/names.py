"""Settings that are lists of names: hosts, origins, addresses of proxies."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network

from sottovoce.base.errors import InvalidInput

__all__ = ["check_hosts", "check_origins", "check_proxies", "host_of", "is_address", "listed"]

_OWNER = "the collector"
_ORIGIN = re.compile(r"https?://([a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:.]+\])(:[0-9]+)?")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")
_SHORTEST_PREFIX = 7
"""Of a network of proxies: a shorter one would believe a large part of the Internet."""


def listed(text: str) -> list[str]:
    """The parts of a text between commas.

    >>> listed(" collector.example, localhost ,")
    ['collector.example', 'localhost']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def host_of(header: str) -> str:
    """The host of a ``Host`` header or of the end of an origin: no port, no dot at its end.

    >>> host_of("Collector.Example.:8000"), host_of("[::1]:8000"), host_of("::1")
    ('collector.example', '::1', '::1')
    """
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name if name.count(":") > 1 else name.partition(":")[0].removesuffix(".")


def is_address(host: str) -> bool:
    """Whether a host is an IP address."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def check_hosts(text: str) -> None:
    """Refuse what is not a list of host names."""
    for name in listed(text):
        if not _HOST.fullmatch(name.lower()):
            allowed = "names of hosts without scheme and port, by commas, such as collector.example"
            raise InvalidInput("hosts", _OWNER, allowed, name)


def check_origins(text: str) -> None:
    """Refuse what is not a list of origins as browsers write them."""
    for origin in listed(text):
        if not _ORIGIN.fullmatch(origin):
            allowed = "origins by commas, such as https://survey.example, in lower case, without a path or *"
            raise InvalidInput("origins", _OWNER, allowed, origin)


def check_proxies(text: str) -> None:
    """Refuse what is not a list of addresses and networks, and what would believe everybody."""
    for name in listed(text):
        try:
            fits = ip_network(name).prefixlen >= _SHORTEST_PREFIX
        except ValueError:
            fits = False
        if not fits:
            allowed = "addresses or networks of your own proxies, by commas, such as 10.0.0.2"
            hint = "A trusted proxy can claim any sender address: name the proxies, never all."
            raise InvalidInput("proxies", _OWNER, allowed, name, hint=hint)
