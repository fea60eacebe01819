"""The loader of compiled kernels: one way to ask for them, one place that knows about numba."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["compiled", "compiled_if_worth"]


_done: Counter[str] = Counter()
"""Work that was asked of each kernel so far."""


def compiled_if_worth(name: str, work: int, enough: int) -> Any:
    """The module ``compiled_<name>`` once so much work was asked for that loading it is worth while.

    For kernels of whole numbers, whose plain versions give the same.  Work adds up: a stream of
    small batches is counted by the compiled kernel as a large batch is.
    """
    _done[name] += work
    return compiled(name) if _done[name] >= enough else None


@cache
def compiled(name: str) -> Any:
    """The module ``compiled_<name>``, or None where numba is not installed (the ``analyse`` extra)."""
    try:
        return import_module(f"sottovoce.kernels.compiled_{name}")
    except ImportError:
        return None
