"""Renderers of results register here, so that a result does not import what draws it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["declare_renderer", "renderer"]

_RENDERERS: dict[str, tuple[str, str]] = {}


def declare_renderer(kind: str, module: str, function: str) -> None:
    """Say that ``function`` of ``module`` draws results of a kind: it is imported when first used."""
    _RENDERERS[kind] = module, function


def renderer(kind: str) -> Callable[..., Any]:
    """What draws results of a kind."""
    module, function = _RENDERERS[kind]
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
