"""Optional dependencies, imported when first needed, with an error that says what to install."""

from __future__ import annotations

import importlib
from types import ModuleType

from sottovoce.base.errors import MissingExtra

__all__ = ["optional"]


def optional(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or raise :class:`MissingExtra` naming the extra that brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(module.partition(".")[0], extra, purpose) from error
