"""The loader of compiled kernels: one way to ask for them, one place that knows about numba."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["compiled"]


@cache
def compiled(name: str) -> Any:
    """The module ``compiled_<name>``, or None where numba is not installed (the ``analyse`` extra)."""
    try:
        return import_module(f"sottovoce.kernels.compiled_{name}")
    except ImportError:
        return None
