"""Distributions of others in a folder: the code of the how-to pages, offered by entry points."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"

__all__ = ["code_of", "command", "environment", "install", "python"]


def code_of(page: str, before: str) -> str:
    """The code of a page up to the example that holds ``before``, as a module."""
    code: list[str] = []
    for example in doctest.DocTestParser().get_examples((HOW_TO / page).read_text()):
        if before in example.source:
            return "".join(code)
        code.append(example.source)
    raise AssertionError(f"{page} has no example with {before}")


def install(folder: Path, name: str, files: dict[str, str], entry_points: str) -> None:
    """A distribution, as an installer leaves it: modules and metadata beside each other."""
    for path, text in files.items():
        (folder / path).write_text(text)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that finds the distributions of a folder."""
    before = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), before]))}


def python(folder: Path, code: str) -> str:
    """What a program prints in a new process, with the distributions of a folder."""
    return _run(folder, ["-c", code])


def command(folder: Path, *arguments: object) -> dict[str, object]:
    """What a command writes with ``--json``, in a new process."""
    text = _run(folder, ["-m", "sottovoce.cli", *map(str, arguments), "--json"])
    return json.loads(text)


def _run(folder: Path, arguments: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False,
        env=environment(folder), cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
