"""Did you mean: the known name nearest to one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from sottovoce.base.errors import shown

__all__ = ["did_you_mean", "no_column", "unknown"]

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


def no_column(column: str, names: Sequence[str], file: str, kind: str = "column") -> str:
    """What is said of a column that a file does not have.

    >>> no_column("drnk", ["drink", "age"], "people.csv")
    "no column 'drnk' in people.csv (it has: drink, age). Did you mean 'drink'?"
    """
    hint = did_you_mean(column, names)
    there = ", ".join(names) or "none"
    return f"no {kind} {column!r} in {file} (it has: {there})" + (f". {hint}" if hint else "")
