"""Logs that tell about the collector and never about those who send.

A line has the day, the level and what happened.  Of an error it has the kind and the places
in the code, but not its message, which may quote what was sent; no address, no agent, no
time of the day, no body.  The same failure is written once a minute.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from types import TracebackType

from sottovoce.base.errors import SottovoceError

__all__ = ["log_failure", "log_once", "log_warning", "set_up_logs"]

_logger = logging.getLogger("sottovoce.service")
_EVERY_SECONDS = 60.0
_last: dict[str, float] = {}


class _Reticent(logging.Formatter):
    """Errors by kind and place."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%d")
        self.converter = time.gmtime

    def formatException(  # noqa: N802  (the name that logging calls)
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        return _places(ei[1]) if ei[1] is not None else ""


def _places(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([type(error).__name__, *places])


def set_up_logs() -> None:
    """Write to standard error, in the reticent form; nothing about single requests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Reticent())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("sottovoce").setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    access = logging.getLogger("uvicorn.access")
    access.handlers.clear()
    access.propagate = False


def log_failure(error: BaseException, what: str = "") -> None:
    """Write down that something failed, with places where it is a mistake of ours."""
    kind = type(error).__name__
    told = kind if isinstance(error, SottovoceError) else _places(error)
    log_once(what + kind, f"{what}: {told}" if what else told)


def log_once(kind: str, text: str) -> None:
    """Write down an error, unless one of its kind was written within the last minute."""
    moment = time.monotonic()
    if moment - _last.get(kind, -_EVERY_SECONDS) >= _EVERY_SECONDS:
        _last[kind] = moment
        _logger.error("%s", text)


def log_warning(text: str) -> None:
    """Write down what the operator should look at."""
    _logger.warning("%s", text)
