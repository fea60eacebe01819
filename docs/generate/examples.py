"""Examples that are run to be written: what a page shows is what came out."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable

__all__ = ["session"]


def session(lines: Iterable[str]) -> str:
    """Statements with what they print, as at the prompt of Python.

    >>> session(["x = 2", "x + 1"])
    '>>> x = 2\\n>>> x + 1\\n3'
    """
    names: dict[str, object] = {"__name__": "session"}
    shown: list[str] = []
    for line in lines:
        first, *more = line.splitlines()
        shown += [f">>> {first}", *(f"... {each}" for each in more)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(f"{line}\n", "<session>", "single"), names)  # noqa: S102  # our own lines
        shown += said.getvalue().rstrip().splitlines()
    return "\n".join(shown)
