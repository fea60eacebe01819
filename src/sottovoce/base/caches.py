"""What an object is, apart from what it computes again when asked."""

from __future__ import annotations

from functools import cached_property
from typing import Any

__all__ = ["state_without_caches"]


def state_without_caches(holder: object) -> dict[str, Any]:
    """The attributes of an object but for its cached properties: a ``__getstate__``.

    Channels, tables and compiled kernels that an object keeps are larger than the object,
    and some of them cannot be pickled.
    """
    kind = type(holder)
    return {
        name: value
        for name, value in vars(holder).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
