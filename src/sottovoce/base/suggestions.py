"""Did you mean: the known name nearest to one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sottovoce.base.errors import shown

__all__ = ["did_you_mean", "unknown"]

_LONGEST = 100
"""Characters of a name that are compared: more are no slip of the finger."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that names the nearest known name; empty where none is near.

    >>> did_you_mean("norm_sub", ["norm-sub", "norm-mul"])
    "Did you mean 'norm-sub'?"
    """
    names = {each.lower(): each for each in known}
    given = str(name).strip().lower()[:_LONGEST]
    near = difflib.get_close_matches(given, names, 1)
    return f"Did you mean {names[near[0]]!r}?" if near else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """What is said of an unknown name: the nearest one, or where none is near all of them.

    >>> unknown("method", "norm_sub", ["norm-sub", "norm-mul"])
    "unknown method 'norm_sub'. Did you mean 'norm-sub'?"
    >>> unknown("method", "magic", ["norm-sub", "norm-mul"])
    "unknown method 'magic'. Known: norm-sub, norm-mul"
    """
    names = list(known)
    hint = did_you_mean(name, names) or f"Known: {', '.join(names)}"
    return f"unknown {kind} {shown(name)}. {hint}"
