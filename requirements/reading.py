"""Lock files as data: packages, versions, conditions, hashes and licences."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "LOCKS", "UNLOCKED", "Locked", "normal", "project"]
__all__ += ["read_licences", "read_lock"]

FOLDER = Path(__file__).parent
LOCKS: dict[str, tuple[str, ...]] = {
    "dev": ("all", "dev", "docs", "slow"),
    "docs": ("all", "docs"),
    "image": ("all",),
    "build": (),
}
"""Every lock, with the extras that it holds; the first is resolved first and binds the others."""

UNLOCKED = ("spark",)
"""Extras without a lock: a platform brings its own Spark, of its own version, and we follow it."""

_ENTRY = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?: ; (?P<marker>[^\\]+?))? \\$")
_HASH = re.compile(r"^    --hash=sha256:([0-9a-f]{64})( \\)?$")


@dataclass(frozen=True)
class Locked:
    """One version of a package; ``marker`` says on which Pythons and systems, empty for all."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    """SHA-256 of every file of that version: any of them may be installed."""

    @property
    def purl(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def normal(name: str) -> str:
    """The name of a package in its normal form.

    >>> normal("Mkdocs_Material")
    'mkdocs-material'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(name: str) -> list[Locked]:
    """The packages of a lock, in order; a line that is neither package, hash nor comment is an error."""
    found: list[tuple[re.Match[str], list[str]]] = []
    path = FOLDER / f"{name}.txt"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if entry := _ENTRY.match(line):
            found.append((entry, []))
        elif (digest := _HASH.match(line)) and found:
            found[-1][1].append(digest[1])
        elif line.strip() and not line.lstrip().startswith("#"):
            raise ValueError(f"line {number} of {path} is not of a lock with hashes: {line!r}")
    return [
        Locked(entry["name"], entry["version"], entry["marker"] or "", tuple(digests))
        for entry, digests in found
    ]


def read_licences() -> dict[str, str]:
    """The licence of every locked package, as an SPDX expression."""
    found: dict[str, str] = json.loads((FOLDER / "licences.json").read_text())
    return found


def project() -> dict[str, Any]:
    """What ``pyproject.toml`` says."""
    return tomllib.loads((FOLDER.parent / "pyproject.toml").read_text())
