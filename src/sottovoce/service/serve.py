"""Running a collector: one process, one event loop, one thread that writes."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socket import AF_INET, AF_INET6, create_server, socket
from types import FrameType
from typing import Any

import uvicorn

from sottovoce.base.errors import InvalidInput
from sottovoce.service.app import Collector, collector
from sottovoce.service.connections import Connection
from sottovoce.service.logs import set_up_logs
from sottovoce.service.settings import OWNER, Settings
from sottovoce.store import open_store

__all__ = ["Announce", "serve", "server_of"]

Announce = Callable[[str], None]
"""Is told the address of a collector once it listens."""
_BACKLOG = 2048
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _LARGE_BLOCK = -1, -3, 2**16
_SWITCH_SECONDS = 0.001
"""How long a thread may keep Python's lock from another: the writer has little to do with it,
and must not wait long for its turn."""


def serve(settings: Settings, announce: Announce | None = None) -> None:
    """Take reports until the process is told to stop, by SIGTERM or Ctrl-C.

    Requests under way are answered before.  While the store is opened or closed, both signals
    interrupt as Ctrl-C does, so that it is left in order.
    """
    set_up_logs()
    with (
        _on_signals(signal.default_int_handler),
        suppress(KeyboardInterrupt),
        open_store(settings.store) as store,
    ):
        server = server_of(collector(store, settings), settings, announce)
        # Uvicorn raises the signal that stopped it once more, when all is done.
        with _listening(settings) as place, _on_signals(lambda *_: server.stop()):
            server.run([place])


def _listening(settings: Settings) -> socket:
    """The address that is listened on, or an error that says what is wrong with it."""
    host, port = settings.host, settings.port
    family = AF_INET6 if ":" in host else AF_INET
    try:
        return create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        allowed = "an address of this machine and a port that is free"
        raise InvalidInput(
            "host and port",
            OWNER,
            allowed,
            f"{host} and {port}",
            hint=f"{error.strerror}. Choose another with --port, or SOTTOVOCE_PORT.",
        ) from error


@contextmanager
def _on_signals(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Within, ``handler`` is called when the process is told to stop."""
    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(each, handler) for each in signals]
    try:
        yield
    finally:
        for each, former in zip(signals, before, strict=True):
            signal.signal(each, former)


class Server(uvicorn.Server):
    """Uvicorn's, which says where it listens as soon as it does: port 0 is any that is free."""

    announce: Announce | None = None

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.announce is not None:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self.announce(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times per second."""
        if counter % 10 == 0:
            self._look_for_files()
        return await super().on_tick(counter)

    def _look_for_files(self) -> None:
        """Notice that open files are used up: uvloop then drops connections without a word."""
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self.config.app.collector_state.note_out_of_files()  # type: ignore[union-attr]

    def stop(self) -> None:
        """Take no more requests, and end when those under way are answered."""
        self.should_exit = True


def _return_large_blocks() -> None:
    """Have the C library give large blocks back to the system when they are freed.

    By default glibc keeps blocks as large as the largest that was freed: bodies of uploads would
    leave the process larger by several times their size.
    """
    with suppress(AttributeError, OSError):  # not glibc
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
        libc.mallopt(_M_TRIM_THRESHOLD, 2 * _LARGE_BLOCK)


def server_of(app: Collector, settings: Settings, announce: Announce | None = None) -> Server:
    """The server of an application, with nothing written about requests; its process is made ready."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    _return_large_blocks()
    gc.collect()
    gc.freeze()  # what is there by now stays: no need to look at it again and again
    server = Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=settings.proxies or None,
            timeout_keep_alive=settings.idle_seconds,  # type: ignore[arg-type]
            timeout_graceful_shutdown=settings.stop_seconds,
            backlog=_BACKLOG,
        )
    )
    server.announce = announce
    return server
