"""Counts of reports: the smallest thing worth keeping, and a monoid.

A tally is ``n`` and one integer a cell of its mechanism's channel.  Adding
tallies of one mechanism is exact, in any order; :meth:`Tally.empty` is the
identity.  Its bytes carry the mechanism's JSON, so they explain themselves.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.canonical import (
    LARGEST_INTEGER,
    canonical_json,
    check_same,
    read_document,
)
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.base.files import write_whole
from sottovoce.core.cell_counts import cells_from_counts
from sottovoce.core.registry import mechanism_from_document

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["Tally"]

_MAGIC = b"svtally\x02"  # the last byte is the version of the layout
_DIGEST = 16
_BLOCKS = 2**16
"""Blocks whose sums are checked at a time."""
_LONGEST_LABEL = 100
_HEADER = "the header of a tally"
_LARGEST = LARGEST_INTEGER
"""More reports than this (9e15) are refused, so that any JSON parser reads the counts."""


def check_label(window: object, owner: str) -> None:
    """The name of a window: short text that can be read, or none."""
    if not isinstance(window, str) or len(window) > _LONGEST_LABEL or not window.isprintable():
        allowed = f"text of at most {_LONGEST_LABEL} characters, such as '2026-11-16', or empty"
        raise InvalidInput("window", owner, allowed, window)


def _is_frozen(array: NDArray[Any]) -> bool:
    """Whether nobody can change the numbers of an array any more."""
    return not array.flags.writeable and (array.base is None or isinstance(array.base, bytes))


class Tally:
    """Reports counted by cell. Immutable; ``a + b`` merges.

    Every block of cells sums to ``n``: each report falls in exactly one cell of each block.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the reports.
    n : int
        The number of reports.
    cells : array of int
        One count per cell of the mechanism.
    window : str
        The window that the reports are of, such as ``"2026-11-16"``, or empty. Tallies of memoized
        reports add only within one window: reports of one person in two share their noise.

    Raises
    ------
    InvalidInput
        Where the cells do not belong to the mechanism, or a block does not sum to ``n``.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> day = m.tally(m.randomize(["yes", "no"]))
    >>> (day + day).n, Tally.from_bytes(day.to_bytes()) == day
    (4, True)
    """

    __slots__ = ("cells", "mechanism", "n", "window")

    def __init__(self, mechanism: Mechanism, n: int, cells: NDArray[Any], window: str = "") -> None:
        owner = f"tally of {mechanism.name}"
        check_label(window, owner)
        array = np.asarray(cells)
        if array.dtype.kind not in "iu" or array.shape != (mechanism.cells,):
            raise InvalidInput(
                "cells",
                owner,
                f"{mechanism.cells} whole numbers",
                f"shape {array.shape}, dtype {array.dtype}",
            )
        if not 0 <= n <= _LARGEST:
            raise InvalidInput("n", owner, f"from 0 to {_LARGEST}", n)
        array = array.astype(np.int64, copy=not _is_frozen(array))
        if array.min() < 0 or array.max() > n:
            wrong = int(array.min()) if array.min() < 0 else int(array.max())
            raise InvalidInput("cells", owner, f"from 0 to n = {n}", wrong)
        blocks = array.reshape(mechanism.blocks, -1)
        for start in range(0, len(blocks), _BLOCKS):
            sums = blocks[start : start + _BLOCKS].sum(axis=1)
            if np.any(sums != n):
                wrong = int(np.flatnonzero(sums != n)[0])
                raise InvalidInput(
                    "cells",
                    owner,
                    f"such that each block sums to n = {n}",
                    f"block {start + wrong} with sum {int(sums[wrong])}",
                )
        array.setflags(write=False)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "n", int(n))
        object.__setattr__(self, "cells", array)
        object.__setattr__(self, "window", window)

    mechanism: Mechanism
    n: int
    cells: NDArray[np.int64]
    window: str

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tally cannot be changed; {name} was to become {value!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Tally, (self.mechanism, self.n, self.cells, self.window)  # checked again at birth

    @classmethod
    def empty(cls, mechanism: Mechanism) -> Tally:
        """The tally of no reports: the identity of merging."""
        cells = np.zeros(mechanism.cells, dtype=np.int64)
        cells.setflags(write=False)
        return cls(mechanism, 0, cells)

    @classmethod
    def from_counts(cls, mechanism: Mechanism, cells: Any, counts: Any) -> Tally:
        """The tally of reports that something else has counted by cell, such as a database.

        Parameters
        ----------
        mechanism : Mechanism
            The mechanism of the reports.
        cells : array of int
            The numbers of the cells, each at most once, in any order. Cells that are not listed
            have no reports.
        counts : array of int
            How many reports fell in each of them.

        Returns
        -------
        Tally
            The tally; ``n`` is the sum of each block.

        Raises
        ------
        InvalidInput
            Where a cell is listed twice or does not exist, or a number is negative or not whole.
        CorruptBytes
            Where the query of :func:`~sottovoce.tally_sql` counted reports without a cell: those
            with an empty field, or with one outside what it may hold.

        Examples
        --------
        >>> import sottovoce as sv
        >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
        >>> sv.Tally.from_counts(m, cells=[0, 2], counts=[120, 80])
        <tally of 200 reports of randomized-response(Categories(['tea', 'coffee', 'water']), epsilon=1)>
        """
        found, total = cells_from_counts(mechanism, cells, counts)
        found.setflags(write=False)
        return cls(mechanism, total // mechanism.blocks, found)

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.mechanism != self.mechanism:
            raise Mismatch(
                f"cannot merge a tally of {self.mechanism} ({self.mechanism.fingerprint}) "
                f"with one of {other.mechanism} ({other.mechanism.fingerprint})"
            )
        cells = self.cells + other.cells
        cells.setflags(write=False)  # nobody else holds it, so it need not be copied
        return Tally(self.mechanism, self.n + other.n, cells, self._window_with(other))

    def _window_with(self, other: Tally) -> str:
        """The window of a sum: that of both; none where they differ, which memory forbids."""
        for one, rest in ((self, other), (other, self)):
            if one.n == 0 and not one.window:
                return rest.window
        same = self.window == other.window
        if not self.mechanism.remembers or (same and self.window):
            return self.window if same else ""
        windows = f"{self.window or 'no window'} and {other.window or 'no window'}"
        raise Mismatch(
            f"cannot add tallies of memoized reports of {windows}: people who answered twice have one memo, "
            "so that the sum has larger errors than its number of reports says; sv.trend([...]) takes one "
            "tally per window, and tally.of_window('2026-11-16') says which window it is"
        )

    def of_window(self, window: str) -> Tally:
        """The same tally with another label.

        >>> import sottovoce as sv
        >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
        >>> m.tally(m.randomize(["yes", "no"])).of_window("2026-11-16").window
        '2026-11-16'
        """
        return Tally(self.mechanism, self.n, self.cells, window)

    def __radd__(self, other: object) -> Tally:
        return self if other == 0 else NotImplemented  # so that sum(tallies) works

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tally)
            and self.mechanism == other.mechanism
            and self.n == other.n
            and self.window == other.window
            and np.array_equal(self.cells, other.cells)
        )

    def __hash__(self) -> int:
        return hash((self.mechanism, self.n, self.cells.tobytes(), self.window))

    def __repr__(self) -> str:
        when = f" in {self.window}" if self.window else ""
        return f"<tally of {self.n} reports{when} of {self.mechanism}>"

    def to_bytes(self) -> bytes:
        """Magic and version, header length, canonical JSON header, cells, checksum.

        Integers are little-endian; cells are signed 64-bit; the checksum is the
        first 16 bytes of the SHA-256 of all that precedes it.
        """
        header = canonical_json(self._header()).encode()
        body = _MAGIC + struct.pack("<I", len(header)) + header + self.cells.astype("<i8").tobytes()
        return body + hashlib.sha256(body).digest()[:_DIGEST]

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Read what :meth:`to_bytes` wrote; anything altered, cut or unknown is refused."""
        start = len(_MAGIC) + 4
        if data[: len(_MAGIC) - 1] != _MAGIC[:-1]:
            raise CorruptBytes("not a tally: missing header 'svtally'")
        if len(data) >= len(_MAGIC) and data[len(_MAGIC) - 1] != _MAGIC[-1]:
            raise CorruptBytes(
                f"a tally of layout {data[len(_MAGIC) - 1]}; this version reads {_MAGIC[-1]}"
            )
        if len(data) < start + _DIGEST:
            raise CorruptBytes(f"a tally cut short: only {len(data)} bytes")
        if hashlib.sha256(data[:-_DIGEST]).digest()[:_DIGEST] != data[-_DIGEST:]:
            raise CorruptBytes(
                f"a tally of {len(data)} bytes, cut short or altered: its checksum is wrong"
            )
        (length,) = struct.unpack("<I", data[len(_MAGIC) : start])
        header = read_document(data[start : start + length], _HEADER)
        if not isinstance(header, dict) or type(header.get("n")) is not int:
            raise CorruptBytes(f"{_HEADER} must be an object with n, a whole number")
        mechanism = mechanism_from_document(header.get("mechanism"))
        body = data[start + length : -_DIGEST]
        if len(body) != 8 * mechanism.cells:
            wanted = f"{mechanism.cells} cells need {8 * mechanism.cells}"
            raise CorruptBytes(f"a tally holds {len(body)} bytes of cells; its {wanted}")
        cells = np.frombuffer(body, dtype="<i8")
        tally = cls(mechanism, header["n"], cells, header.get("window", ""))
        check_same(header, tally._header(), _HEADER)
        return tally

    def _header(self) -> dict[str, Any]:
        """What the bytes say beside the cells."""
        described = self.mechanism.document()
        return {
            "mechanism": described, "n": self.n, "cells": len(self.cells), "window": self.window,
        }  # fmt: skip

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the bytes to a file, whole or not at all."""
        data = self.to_bytes()
        write_whole(path, lambda part: part.write_bytes(data))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Tally:
        """Read a file of :meth:`write`."""
        return cls.from_bytes(Path(path).read_bytes())
