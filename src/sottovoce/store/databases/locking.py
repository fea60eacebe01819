"""One collector per SQLite file: a lock on the file itself.

The lock is ``flock`` on the database's own inode, so neither another name of the file nor a
deleted lock file gets around it.  On Linux it is independent of the POSIX locks by which SQLite
coordinates its connections; elsewhere it is not, and a neighbour of the file is locked.

A process that closes any descriptor of a file loses all POSIX locks that it holds on that file,
SQLite's included.  So all stores of a process share one descriptor per file, which is closed
after the last of them.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FileLock", "Inode", "inode_of"]

Inode = tuple[int, int]

_LINUX = sys.platform == "linux"


def inode_of(path: Path) -> Inode:
    """What a file is, under whatever name."""
    found = path.stat()
    return found.st_dev, found.st_ino


@dataclass
class _Shared:
    """The descriptor of one file, how many stores of this process use it, whether one claims it."""

    descriptor: int
    uses: int = 0
    claimed: bool = False


class _Registry:
    """The files that stores of this process have open."""

    def __init__(self) -> None:
        self.gate = threading.Lock()
        self.files: dict[Inode, _Shared] = {}

    def forget(self) -> None:
        """After a fork: the child must not keep its parent's locks."""
        self.gate = threading.Lock()
        for each in self.files.values():
            os.close(each.descriptor)
        self.files.clear()


_registry = _Registry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.forget)


class FileLock:
    """What one store holds of a database file."""

    def __init__(self, path: Path) -> None:
        self._path, self._process = path, os.getpid()
        self._claimed = self._released = False
        self._neighbour: sqlite3.Connection | None = None
        with _registry.gate:
            self.inode = inode_of(path)
            if self.inode not in _registry.files:
                _registry.files[self.inode] = _Shared(os.open(path, os.O_RDONLY))
            _registry.files[self.inode].uses += 1

    def claim(self) -> bool:
        """Become the only one that writes; False where another store does, in any process."""
        with _registry.gate:
            shared = _registry.files[self.inode]
            if shared.claimed or not self._lock(shared.descriptor):
                return False
            self._claimed = shared.claimed = True
            return True

    def _lock(self, descriptor: int) -> bool:
        if not _LINUX:
            return self._lock_neighbour()
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _lock_neighbour(self) -> bool:
        """The portable way: a transaction that lasts as long as the store."""
        beside = self._path.with_name(f"{self._path.name}.lock")
        beside.touch(0o600)
        neighbour = sqlite3.connect(
            beside, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            neighbour.execute("PRAGMA journal_mode = MEMORY")  # no further file
            neighbour.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            neighbour.close()
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                return False
            raise
        self._neighbour = neighbour
        return True

    def release(self) -> None:
        """Let go; all connections of the store are closed by now."""
        with _registry.gate:
            if self._released or self._process != os.getpid():  # a fork has none of it
                return
            self._released, shared = True, _registry.files[self.inode]
            if self._claimed:
                shared.claimed = self._claimed = False
                self._unlock(shared.descriptor)
            shared.uses -= 1
            if not shared.uses:
                os.close(_registry.files.pop(self.inode).descriptor)

    def _unlock(self, descriptor: int) -> None:
        if self._neighbour is not None:
            self._neighbour.close()
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_UN)
