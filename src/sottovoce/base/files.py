"""Whole files or none: written beside their place, synced, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["part_of", "sqlite_files", "sync_folder", "write_new", "write_whole"]


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


def write_new(path: str | os.PathLike[str], fill: Callable[[Path], object], *, mode: int) -> None:
    """Let ``fill`` write a file that gets the name ``path`` when it is complete and synced.

    Of several processes that do this at once the first wins: what has the name is not replaced.
    (A file system without hard links only lets us look first whether the name is taken.)
    """
    target = Path(path)
    temporary = part_of(target)
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    try:
        fill(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(temporary, target)
        except FileExistsError:
            pass
        except OSError:
            if not target.exists():
                temporary.rename(target)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Put new names in a folder on the disk, where the system lets a folder be synced."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
