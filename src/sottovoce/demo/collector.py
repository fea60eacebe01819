"""Starting and stopping the collector of the demo."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.service.auth.keys import Keys, read_secret

__all__ = ["Collector", "CollectorFailed", "collector"]

_HOST, _EVERYWHERE = "127.0.0.1", "0.0.0.0"  # noqa: S104 - where the option --network asks for it
_ELSEWHERE = ("192.0.2.1", 9)
"""An address that no machine has (RFC 5737)."""
_LAST_LINES = 12
_STOP_SECONDS = 15.0
"""Longer than a collector waits for requests under way."""


class CollectorFailed(SottovoceError):
    """The collector did not start, or ended by itself; its last words are in the message."""


@dataclass(frozen=True)
class Collector:
    """A collector that runs: where, its files, its keys.

    ``public`` is its address for other devices, or the same where it listens on this machine only.
    """

    url: str
    public: str
    folder: Path
    keys: Keys
    process: subprocess.Popen[bytes]

    @property
    def store(self) -> Path:
        """The file of its database."""
        return self.folder / "collector.db"

    def stay(self) -> None:
        """Wait until it ends, which it does not by itself."""
        self.process.wait()
        raise _failed(self.folder, "ended unexpectedly")


@contextmanager
def collector(folder: Path, port: int, days: int, *, network: bool = False) -> Iterator[Collector]:
    """A collector in a folder, taking reports of so many days ago; stopped when left.

    It has a session of its own: Ctrl-C reaches the demo, which stops it in order.
    """
    if port:
        _check_free(port)
    host = _EVERYWHERE if network else _HOST
    told = [str(folder), host, str(port), str(days)]
    command = [sys.executable, "-m", "sottovoce.demo.process", *told]
    with (folder / "collector.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )  # fmt: skip
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        if not url:
            raise _failed(folder, "did not start")
        keys = Keys(read_secret(folder / "collector.secret"))
        here, there = (url.replace(_EVERYWHERE, each) for each in (_HOST, _own_address()))
        yield Collector(here, there, folder, keys, process)
    except (OSError, SottovoceError) as error:
        if isinstance(error, CollectorFailed) or process.poll() is None:
            raise
        raise _failed(folder, "ended unexpectedly") from error
    finally:
        _stop(process)


def _own_address() -> str:
    """The address of this machine in its network; nothing is sent to find it."""
    with socket.socket(type=socket.SOCK_DGRAM) as trial:
        try:
            trial.connect(_ELSEWHERE)
        except OSError:
            return _HOST
        return str(trial.getsockname()[0])


def _check_free(port: int) -> None:
    """Refuse a port that another program has, in plain words."""
    with socket.socket() as trial:
        if os.name == "posix":
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((_HOST, port))
        except OSError as error:
            hint = "Without --port a free one is taken."
            allowed = f"a port that can be listened on here ({error.strerror})"
            raise InvalidInput("--port", "the demo", allowed, port, hint=hint) from None


def _failed(folder: Path, what: str) -> CollectorFailed:
    lines = (folder / "collector.log").read_text(errors="replace").splitlines()[-_LAST_LINES:]
    told = "\n".join(["Its last lines:", *lines]) if lines else "It said nothing."
    return CollectorFailed(f"the collector {what}. {told}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
