"""How a command ends: stable exit codes, and errors in one line."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer

from sottovoce.base.errors import SottovoceError
from sottovoce.cli.shared.screen import say

__all__ = [
    "BAD_INPUT", "CHECK_FAILED", "EXIT_CODES", "FINE", "INTERRUPTED", "UNEXPECTED", "end_with_pipes",
    "guarded", "outlive_pipes",
]  # fmt: skip

FINE, UNEXPECTED, BAD_INPUT, CHECK_FAILED, INTERRUPTED = 0, 1, 2, 3, 130

CLOSED_PIPE = 141
EXIT_CODES = {
    FINE: ("fine", ""),
    UNEXPECTED: (
        "unexpected",
        "an unexpected error, with a traceback; or a system error such as a full disk",
    ),
    BAD_INPUT: (
        "wrong usage or bad input",
        "one line on the error stream says what, where, and what is allowed",
    ),
    CHECK_FAILED: (
        "a check failed",
        "the command ran and shows its result: an audit found a broken promise, a benchmark was wrong, "
        "a collector did not take every report, a store is not in order",
    ),
    INTERRUPTED: ("interrupted", "Ctrl-C; nothing half-written is left"),
    CLOSED_PIPE: (
        "the reader left",
        "the reader of the output stopped, as `head` does; without a message, as any Unix command",
    ),
}
"""Each with a few words, and with more."""

_WRONG_PATH = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)  # fmt: skip

P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """The command, with its errors as one line and its ends as exit codes."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except SottovoceError as error:
            code, message = BAD_INPUT, f"error: {error}"
        except _WRONG_PATH as error:
            code, message = BAD_INPUT, f"error: {error.filename or ''}: {error.strerror or error}"
        except OSError as error:
            code, message = UNEXPECTED, f"error: {error}"
        except KeyboardInterrupt:
            code, message = INTERRUPTED, "interrupted"
        else:
            return
        say("; ".join(line.strip() for line in message.splitlines() if line.strip()))
        raise typer.Exit(code)

    return run


def end_with_pipes() -> None:
    """From here on a closed pipe ends the process as it ends any Unix command."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


@contextmanager
def outlive_pipes() -> Iterator[None]:
    """Within, a closed pipe is an exception: work in other processes needs it so."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)
