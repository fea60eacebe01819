"""Where results go: files and folders written whole or not at all, or standard output."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.base.files import part_of
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.tally import Tally

__all__ = [
    "INDEX", "STDOUT", "binary_stdout", "check_file", "check_folder", "check_output", "ending_of", "format_of",
    "read_folder", "refuse_format", "write_folder",
]  # fmt: skip

STDOUT = "-"
INDEX = "index.json"
_KIND, _VERSION = "sottovoce tallies", 1
_SLUG = 40
"""Letters of a group's name that its file name may show."""


_SAME = {"pq": "parquet"}
_FORMATS = {"arrow", "csv", "json", "parquet", "svt"}
"""Ends of names that promise a format."""


def ending_of(output: str) -> str:
    """The format that the end of a name promises."""
    ending = Path(output).suffix.lower().removeprefix(".")
    return _SAME.get(ending, ending)


def format_of(output: str, formats: Sequence[str], option: str = "--output") -> str:
    """The format that the end of a name asks for; the first one where the name has no end."""
    ending = "" if output == STDOUT else ending_of(output)
    if ending and ending not in formats:
        allowed = f"a file whose name ends in .{' or .'.join(formats)}"
        hint = did_you_mean(ending, formats)
        raise InvalidInput(option, "the command", allowed, output, hint=hint)
    return ending or formats[0]


def refuse_format(output: str, what: str, option: str = "--output") -> None:
    """Refuse a name that promises a format for what has none, such as a key."""
    if output != STDOUT and ending_of(output) in _FORMATS:
        allowed = f"a name that does not end in {Path(output).suffix}: {what}"
        raise InvalidInput(option, "the command", allowed, output)


def check_output(
    output: str, *, force: bool, option: str = "--output", inputs: Iterable[str] = ()
) -> None:
    """Refuse, before any work, an output that cannot or should not be written."""
    if output == STDOUT:
        return
    path = Path(output)
    folder = path.parent
    if not folder.is_dir():
        allowed = f"in a folder that exists; make {str(folder)!r} first"
        raise InvalidInput(option, "the command", allowed, output)
    for given in inputs:
        if given != STDOUT and path.exists() and Path(given).exists() and path.samefile(given):
            raise InvalidInput(option, "the command", "another file than the input", output)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(option, "the command", "a file; this is a device or a pipe", output)
    if os.path.lexists(path) and not force:
        hint = "--force replaces it."
        raise InvalidInput(
            option, "the command", "a new name: this one is taken", output, hint=hint
        )


def check_folder(output: str) -> None:
    """Refuse to replace anything but a folder of tallies."""
    if os.path.lexists(output):
        read_index(Path(output))


def check_file(output: str, option: str = "--output") -> None:
    """Refuse a folder where a file is to be written."""
    if output != STDOUT and Path(output).is_dir():
        raise InvalidInput(option, "the command", "a file; this is a folder", output)


def binary_stdout() -> BinaryIO:
    """Standard output for bytes; refused where a person would have to read them."""
    if sys.stdout.isatty():
        hint = "Give a file, or pipe into another command."
        raise InvalidInput("--output", "the command", "no terminal", STDOUT, hint=hint)
    return sys.stdout.buffer


# -- a folder of tallies ---------------------------------------------------------------


def write_folder(output: str, by: str, groups: Mapping[str, Tally]) -> None:
    """One tally a group and an index, made beside its place and renamed into it."""
    target = Path(output)
    check_folder(output)
    part = part_of(target)
    aside = target.with_name(f"{part.name}.old")
    part.mkdir()
    try:
        (part / INDEX).write_text(_fill(part, by, groups), encoding="utf-8")
        if target.exists():
            target.rename(aside)
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        if aside.exists() and not target.exists():
            aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _fill(folder: Path, by: str, groups: Mapping[str, Tally]) -> str:
    """Write the tallies; the index that tells which is whose."""
    entries = []
    for number, (group, tally) in enumerate(groups.items(), start=1):
        letters = re.sub(r"[^A-Za-z0-9]+", "-", group)[:_SLUG].strip("-")
        file = f"{number:04d}-{letters}.svt" if letters else f"{number:04d}.svt"
        tally.write(folder / file)
        entries.append({"group": group, "file": file, "n": tally.n})
    index = {"kind": _KIND, "version": _VERSION, "by": by, "groups": entries}
    return json.dumps(index, indent=2, ensure_ascii=False) + "\n"


def read_index(folder: Path) -> dict[str, Any]:
    """The index of a folder of tallies; any other folder is refused."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        known = index["kind"] == _KIND and index["version"] == _VERSION
        files = [Path(entry["file"]).name == entry["file"] for entry in index["groups"]]
        distinct = len({entry["group"] for entry in index["groups"]}) == len(files) > 0
        if not (known and all(files) and distinct and isinstance(index["by"], str)):
            raise ValueError(f"it says {str(index)[:80]}")
    except FileNotFoundError:
        raise InvalidInput(
            "the path",
            "the command",
            f"a file, or a folder of tallies with its {INDEX}",
            str(folder),
        ) from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CorruptBytes(f"{folder / INDEX} is not an index of tallies: {error}") from error
    return dict(index)


def read_folder(folder: Path) -> tuple[str, dict[str, Tally]]:
    """The column's name and the tally of every group."""
    index, groups = read_index(folder), {}
    for entry in index["groups"]:
        path = folder / entry["file"]
        try:
            tally = Tally.read(path)
        except (FileNotFoundError, CorruptBytes) as error:
            raise CorruptBytes(f"{path}: {error}") from error
        if tally.n != entry.get("n"):
            raise CorruptBytes(f"{path} holds {tally.n} reports; the index says {entry.get('n')}")
        groups[str(entry["group"])] = tally
    return str(index["by"]), groups
