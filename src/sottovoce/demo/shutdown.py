"""How the demo ends: by Ctrl-C or a signal, always in order."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["no_proxy", "stoppable"]

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@contextmanager
def stoppable() -> Iterator[None]:
    """Within, the first signal to stop is a ``KeyboardInterrupt``; more are ignored.

    So a second Ctrl-C does not interrupt the tidying up, which is short.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(each, stop) for each in _SIGNALS]
    try:
        yield
    finally:
        for each, former in zip(_SIGNALS, before, strict=True):
            signal.signal(each, former)


@contextmanager
def no_proxy() -> Iterator[None]:
    """Within, requests to this machine go there, whatever proxy the environment names."""
    before = os.environ.get("no_proxy")
    os.environ["no_proxy"] = "*"
    try:
        yield
    finally:
        if before is None:
            del os.environ["no_proxy"]
        else:
            os.environ["no_proxy"] = before
