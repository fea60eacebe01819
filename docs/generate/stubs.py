"""What type checkers read where names are imported lazily: a stub, from the list of mechanisms."""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce import mechanisms

__all__ = ["stub_pages"]

_HEAD = """\
# Written by `make docs` from MECHANISMS in __init__.py: names that a type checker knows.
from typing import Final
"""


def stub_pages() -> Iterator[tuple[str, str]]:
    """The stub of :mod:`sottovoce.mechanisms`, as a path relative to ``docs``."""
    pairs = list(zip(mechanisms.MECHANISMS, mechanisms.__all__, strict=True))
    imports = [f"from sottovoce.mechanisms.{stem} import {cls}" for stem, cls in pairs]
    names = [f'    "{cls}",' for _, cls in pairs]
    lines = [
        _HEAD,
        *imports,
        "",
        "MECHANISMS: Final[tuple[str, ...]]",
        "",
        "__all__ = [",
        *names,
        "]",
    ]
    yield "../src/sottovoce/mechanisms/__init__.pyi", "\n".join(lines) + "\n"
