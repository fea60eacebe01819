"""Make all locks anew: ``make lock``, or ``python -m requirements.lock`` where uv is installed.

Versions are the newest that ``pyproject.toml`` allows, for every Python and system that it supports.
Licences come from the packages' own metadata.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from requirements.reading import FOLDER, LOCKS, normal, project, read_lock

__all__ = ["licence_of"]

_HEADER = "# Made by make lock; do not edit.  pip install --require-hashes -r requirements/{}.txt\n"
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Classifiers of packages that say their licence no other way, and what they stand for."""
_TEXTS = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT": "MIT",
    "MIT License": "MIT",
}
"""The same for the field ``License``."""

_BY_FILE = {"axe-playwright-python": "MIT"}
"""Packages whose metadata name no licence: read from the file LICENSE inside them."""


def licence_of(metadata: Mapping[str, Any]) -> str:
    """The SPDX expression of a package, from its metadata."""
    if expression := metadata.get("license_expression"):
        return str(expression)
    if spdx := _TEXTS.get(str(metadata.get("license", "")).strip()):
        return spdx
    last = [c.rpartition(" :: ")[2] for c in metadata.get("classifier", ()) if "License ::" in c]
    known = sorted({_CLASSIFIERS[text] for text in last if text in _CLASSIFIERS})
    if not known and (read := _BY_FILE.get(normal(metadata["name"]))):
        return read
    if not known:
        said = str(metadata.get("license", ""))[:60], last
        raise ValueError(
            f"{metadata['name']}: no known licence in its metadata, which says {said}; "
            "add it to requirements/lock.py"
        )
    return " OR ".join(known)


def _compile(name: str, extras: tuple[str, ...], uv: str) -> None:
    """Resolve one lock; all but the first take the versions of the first."""
    path, first = FOLDER / f"{name}.txt", next(iter(LOCKS))
    bound = [] if name == first else ["--constraint", str(FOLDER / f"{first}.txt")]
    builds = "\n".join(project()["build-system"]["requires"])
    sources = ["-"] if name == "build" else [str(FOLDER.parent / "pyproject.toml")]
    if name == first:
        sources.append("-")
    done = subprocess.run(  # noqa: S603
        [
            uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
            "--generate-hashes", "--no-header", "--no-emit-index-url", *bound, *sources,
            *(f"--extra={extra}" for extra in extras),
        ],
        input=builds, capture_output=True, text=True, check=True,
    )  # fmt: skip
    path.write_text(_HEADER.format(name) + done.stdout)


def _licences(name: str) -> dict[str, str]:
    """Of every package of a lock, from what pip finds for this Python."""
    wanted = {locked.name: locked for locked in read_lock(name)}
    with tempfile.TemporaryDirectory() as folder:
        names, report = Path(folder) / "names.txt", Path(folder) / "report.json"
        names.write_text(
            "\n".join(
                f"{one.name}=={one.version}" + (f" ; {one.marker}" if one.marker else "")
                for one in read_lock(name)
            )
        )
        subprocess.run(  # noqa: S603
            [
                sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps",
                "--ignore-installed", "--report", str(report), "-r", str(names),
            ],
            check=True,
        )  # fmt: skip
        told = json.loads(report.read_text())
    each = [one["metadata"] for one in told["install"]]
    found = {normal(metadata["name"]): licence_of(metadata) for metadata in each}
    if missing := sorted(set(wanted) - set(found)):
        raise ValueError(f"not for this Python or system, so without metadata: {missing}")
    return dict(sorted(found.items()))


def main() -> None:
    """Resolve every lock, then read the licences."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        raise SystemExit("uv is not installed: pip install uv")
    for name, extras in LOCKS.items():
        _compile(name, extras, uv)
    licences = _licences(next(iter(LOCKS)))
    (FOLDER / "licences.json").write_text(json.dumps(licences, indent=1) + "\n")


if __name__ == "__main__":
    main()
