"""The loader of compiled kernels: one way to ask for them, one place that knows about numba."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["compiled", "compiled_if_worth"]


def compiled_if_worth(name: str, worth: bool) -> Any:
    """The module ``compiled_<name>`` where loading it is ``worth`` while, or where it is loaded.

    For kernels of whole numbers, whose plain versions give the same: a stream of small batches
    is counted by the compiled kernel from the first large one on.
    """
    module = f"sottovoce.kernels.compiled_{name}"
    return compiled(name) if worth or module in sys.modules else None


@cache
def compiled(name: str) -> Any:
    """The module ``compiled_<name>``, or None where numba is not installed (the ``analyse`` extra)."""
    try:
        return import_module(f"sottovoce.kernels.compiled_{name}")
    except ImportError:
        return None
