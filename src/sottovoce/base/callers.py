"""Whom a warning is for: the caller of the library."""

from __future__ import annotations

import sys

__all__ = ["stacklevel_outside"]


def stacklevel_outside() -> int:
    """The ``stacklevel``, seen from the caller of this function, of the first frame outside sottovoce."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "sottovoce":
        frame, level = frame.f_back, level + 1
    return level
