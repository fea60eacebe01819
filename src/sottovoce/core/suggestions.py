"""Did you mean: the known name nearest to one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean", "unknown"]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that names the nearest known name; empty where none is near.

    >>> did_you_mean("norm_sub", ["norm-sub", "norm-mul"])
    "Did you mean 'norm-sub'?"
    """
    names = {each.lower(): each for each in known}
    near = difflib.get_close_matches(str(name).strip().lower(), names, 1)
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
    return f"unknown {kind} {name!r}. {hint}"
