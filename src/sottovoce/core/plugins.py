"""Mechanisms and methods of other distributions, found by their entry points.

A distribution offers a mechanism with a line in its metadata, such as this in ``pyproject.toml``::

    [project.entry-points."sottovoce.mechanisms"]
    ring-response = "my_package.ring:RingResponse"

The entry point has the name of what it loads.  Entry points are read when a name is unknown, or
when everything is listed; a program that uses none of them never imports one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sottovoce.base.errors import BrokenPlugin

__all__ = ["Plugins"]


class Plugins:
    """The entry points of one group; each is loaded at most once.

    ``add`` takes what an entry point loads and makes it known.  It raises for what it refuses.
    """

    def __init__(self, group: str, add: Callable[[str, Any], None]) -> None:
        self.group, self._add = group, add
        self._waiting: list[Any] | None = None
        self._loaded: set[str] = set()
        self._broken: dict[str, BrokenPlugin] = {}

    def load(self, name: str) -> None:
        """Load the entry points of that name; an error where there are some and all are broken."""
        self._load(lambda each: each.name.lower() == name, sought=name)

    def load_all(self) -> None:
        """Load every entry point; each that is broken is warned of once, by name."""
        self._load(lambda each: True)

    def _load(self, wanted: Callable[[Any], bool], sought: str = "") -> None:
        for entry in self._take(wanted):
            key = entry.name.lower()
            try:
                self._add(entry.name, entry.load())
            except Exception as error:  # whatever a stranger's module raises
                reason = f"{type(error).__name__}: {error}"
                broken = BrokenPlugin(entry.name, self.group, _distribution(entry), reason)
                broken.__cause__ = error
                self._broken.setdefault(key, broken)
                if key != sought or key in self._loaded:
                    warnings.warn(broken, stacklevel=2)
            else:
                self._loaded.add(key)
        if sought in self._broken and sought not in self._loaded:
            raise self._broken[sought]

    def _take(self, wanted: Callable[[Any], bool]) -> list[Any]:
        """Entry points that were not loaded yet, taken off the list."""
        if self._waiting is None:
            from importlib.metadata import entry_points

            self._waiting = sorted(entry_points(group=self.group), key=_order)
        chosen = [entry for entry in self._waiting if wanted(entry)]
        self._waiting = [entry for entry in self._waiting if not wanted(entry)]
        return chosen


def _distribution(entry: Any) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"


def _order(entry: Any) -> tuple[str, str, str]:
    """Of two that offer one name, the same one is first on every machine."""
    return entry.name, _distribution(entry), entry.value
