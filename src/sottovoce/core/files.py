"""Whole files or none: written beside their place, synced, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["part_of", "sqlite_files", "write_whole"]


def part_of(target: Path) -> Path:
    """A hidden neighbour, of a name nobody else has, for what is to become ``target``."""
    return target.with_name(f".{target.name}.{os.urandom(8).hex()}.part")


def sqlite_files(path: Path) -> list[Path]:
    """A SQLite database, and what SQLite may have put beside it."""
    return [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))]


def write_whole(
    path: str | os.PathLike[str], fill: Callable[[Path], object], *, private: bool = False
) -> Path:
    """Let ``fill`` write a temporary neighbour of ``path``, then rename it into place.

    If anything fails, the temporary file is removed and ``path`` is as it was.  A ``private``
    file can be read and written by its owner only, from its first byte.
    """
    target = Path(path)
    temporary = part_of(target)
    mode = 0o600 if private else 0o666  # less the umask
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    if private:
        temporary.chmod(mode)  # whatever the umask
    try:
        fill(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return target
