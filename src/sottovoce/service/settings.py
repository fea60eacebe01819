"""What a collector is told at its start: a file, the environment, and arguments, in this order.

Every setting is a field with what it means and what is allowed beside it; the page
``docs/reference/settings.md`` lists them all.  Later sources win: arguments over ``SOTTOVOCE_*`` over the file.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.base.suggestions import did_you_mean
from sottovoce.service.auth.names import check_hosts, check_origins, check_proxies

__all__ = ["ENVIRONMENT", "OWNER", "Settings", "load_settings"]

ENVIRONMENT = "SOTTOVOCE_"
"""Variables are named so, followed by the setting in capitals."""

OWNER = "the collector"


def _text(default: str, means: str) -> Any:
    return field(default=default, metadata={"means": means, "least": None})


def _number(default: float, least: float, means: str) -> Any:
    return field(default=default, metadata={"means": means, "least": least})


def _flag(default: bool, means: str) -> Any:
    return field(default=default, metadata={"means": means, "least": None})


@dataclass(frozen=True)
class Settings:
    """All settings of a collector, checked.

    >>> Settings(port=9000).port
    9000
    """

    store: str = _text("collector.db", "file of the SQLite store, or the URL of a PostgreSQL one")
    host: str = _text("127.0.0.1", "address that is listened on")
    port: int = _number(8000, 0, "port that is listened on; 0 takes a free one")
    secret_file: str = _text("collector.secret", "file of the secret, made at the first start")
    open_reading: bool = _flag(
        False, "whether anybody may read answers, without the key of a reader"
    )
    hosts: str = _text(
        "",
        "host names to answer, comma-separated, in addition to localhost, the listening host, "
        "and IP addresses",
    )
    origins: str = _text(
        "",
        "origins of web pages that may use the routes of devices from a browser, comma-separated; "
        "none by default",
    )
    proxies: str = _text("", "addresses of proxies whose X-Forwarded-For is believed, by commas")
    calculator: bool = _flag(True, "whether the page /calculator is offered")
    answer_page: bool = _flag(
        True, "whether the page /surveys/{fingerprint}/answer is offered, to answer in a browser"
    )
    body_bytes: int = _number(2**20, 1, "maximum bytes per upload")
    upload_reports: int = _number(10_000, 1, "maximum reports per upload")
    body_seconds: float = _number(20.0, 0.01, "seconds in which a body must have come")
    idle_seconds: float = _number(20.0, 0.01, "seconds a connection may be silent between requests")
    rate: float = _number(10_000.0, 0, "uploads per second in total; 0: no limit")
    address_rate: float = _number(0.0, 0, "uploads per second per address; 0: no limit")
    delete_rate: float = _number(20.0, 0, "deletions per second in total; 0: no limit")
    open_rate: float = _number(
        20.0, 0, "requests per second per address without a key, uploads excluded; 0: no limit"
    )
    queue: int = _number(10_000, 1, "uploads that may wait to be written")
    gather_seconds: float = _number(0.004, 0, "group-commit delay, seconds")
    waiting_bytes: int = _number(2**26, 1, "bytes of all uploads that are being taken")
    downloads: int = _number(4, 1, "files of reports that may be downloaded at once")
    download_seconds: float = _number(
        30.0, 0.01, "seconds in which a reader must take the next 256 KiB of such a file"
    )
    skew_minutes: float = _number(15.0, 0, "minutes a device's clock may be ahead")
    patience_days: int = _number(2, 0, "days that reports of a window are taken after its end")
    fold_seconds: float = _number(5.0, 0.01, "seconds between two foldings of reports into tallies")
    expire_seconds: float = _number(3600.0, 0.01, "seconds between two rounds of retention")
    hand_over: str = _text(
        "",
        "folder that closed windows are copied to, as Parquet for a warehouse; empty: none. "
        "Deletion and retention do not reach the copies",
    )
    stop_seconds: int = _number(10, 1, "seconds that requests under way may take at the end")

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, _checked(each.name, getattr(self, each.name)))
        if self.port > 65_535:
            raise InvalidInput("port", OWNER, "from 0 to 65535", self.port)
        check_hosts(self.hosts)
        check_origins(self.origins)
        check_proxies(self.proxies)


_KINDS: dict[str, type[str] | type[int] | type[float] | type[bool]] = {
    each.name: {"str": str, "int": int, "float": float, "bool": bool}[str(each.type)]
    for each in fields(Settings)
}
_LEAST: dict[str, float | None] = {each.name: each.metadata["least"] for each in fields(Settings)}
_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _checked(name: str, value: Any) -> Any:
    """The value of a setting in its own type; an error where it is of another, or too small."""
    kind, least = _KINDS[name], _LEAST[name]
    allowed = _WORDS[kind] + ("" if least is None else f" of at least {least:g}")
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind is not bool):  # True is no number
        raise InvalidInput(name, OWNER, allowed, value)
    if least is not None and not (math.isfinite(value) and value >= least):
        raise InvalidInput(name, OWNER, allowed, value)
    return kind(value)


def load_settings(
    path: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
    **given: Any,
) -> Settings:
    """Settings of a TOML file, of the environment (``os.environ`` if None), and of arguments.

    Arguments that are None are as if they were not there.

    >>> load_settings(environment={"SOTTOVOCE_PORT": "9000", "SOTTOVOCE_RATE": "50"}, port=9001)
    Settings(store='collector.db', host='127.0.0.1', port=9001, ... rate=50.0, ...)
    """
    found = {} if path is None else _from_file(Path(path))
    found |= _from_environment(os.environ if environment is None else environment)
    for name, value in given.items():
        _check_name(name, "an argument")
        if value is not None:
            found[name] = value
    return Settings(**found)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorruptBytes(f"{path} is not TOML: {error}") from error
    for name, value in told.items():
        _check_name(name, str(path))
        _checked(name, value)
    return told


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Settings among the variables; other variables that begin alike are left alone."""
    found = {}
    for name, kind in _KINDS.items():
        variable = ENVIRONMENT + name.upper()
        if variable in environment:
            found[name] = _read(kind, environment[variable], variable)
    return found


def _read(kind: Callable[[str], Any], text: str, variable: str) -> Any:
    try:
        return {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise InvalidInput(variable, "the environment", _WORDS[kind], text) from None  # type: ignore[index]


def _check_name(name: str, where: str) -> None:
    if name not in _KINDS:
        allowed, hint = f"one of {', '.join(_KINDS)}", did_you_mean(name, _KINDS)
        raise InvalidInput("a setting", where, allowed, name, hint=hint)
