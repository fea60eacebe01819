"""The page of dependencies: versions and licences, from the locks."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import table
from requirements.reading import LOCKS, read_licences, read_lock

__all__ = ["licence_pages"]

_USES = {
    "image": "collector, all extras",
    "docs": "documentation",
    "build": "wheel",
    "dev": "tests",
}


def licence_pages() -> Iterator[tuple[str, str]]:
    """The page."""
    licences, held = read_licences(), {name: read_lock(name) for name in LOCKS}
    rows = []
    for package in sorted({one.name for one in held["dev"]}):
        versions = sorted({one.version for one in held["dev"] if one.name == package})
        uses = [name for name in _USES if any(one.name == package for one in held[name])]
        rows.append((package, ", ".join(versions), licences[package], _USES[uses[0]]))
    heads = ["package", "locked version", "licence", "first needed for"]
    yield "reference/licences.md", f"{_HEAD}\n\n{table(heads, rows)}\n"


_HEAD = """\
# Dependencies and their licences

sottovoce is under Apache-2.0. It needs `numpy`; everything else is in extras. What is listed here is locked with hashes in
`requirements/`; `make lock` makes the locks anew and reads the licences, as SPDX expressions, from the metadata of the packages.
[Deploy a collector](../how-to/deploy.md#locked-versions-and-what-is-inside) says how to install from a lock and how to get an SBOM.

`psycopg`, of the extra `postgres`, is under LGPL-3.0: it is installed as a package of its own, is not changed and not copied into
sottovoce, and you can leave it out where the store is a SQLite file. `codespell` (GPL-2.0) checks spelling during development; nothing that is
installed contains it. Two versions of a package are for different versions of Python."""
