"""Files of services joined by key, in bounded memory.

Keys are the bulk of such files, and are needed only to find out who is who.  So the rows of every
file are first dealt into parts by a hash of the key, each part a file in a temporary folder.
All rows of a person are then in parts of one number, and parts are matched one number at a
time, in memory, as :func:`~sottovoce.fusion.joining.aligned.align` does.

Besides the result this takes ``memory`` bytes, more where keys differ much in length.  The
result holds the reports and 8 bytes a user and service; no key.  On disk it takes as much as all
keys, filled up to whole words, and reports.  The folder is removed at the end, whatever happens.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.progress import Counted, Progress, silent
from sottovoce.core.fields import Column
from sottovoce.core.reports import Reports
from sottovoce.fusion.joining.aligned import (
    Aligned,
    Rows,
    check_domains,
    columns_of,
    service_names,
)
from sottovoce.fusion.joining.files import Batch, ServiceFile
from sottovoce.fusion.joining.keys import Keys, Kind, Words
from sottovoce.fusion.joining.matching import check_common, check_kinds, in_common, match, places

__all__ = ["DEFAULT_MEMORY", "join"]

DEFAULT_MEMORY = 2**28
_MOST_PARTS = 256
"""Parts a service has: as many files are open at a time."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def join(
    files: Sequence[ServiceFile],
    *,
    memory: int = DEFAULT_MEMORY,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Aligned:
    """Reports by person, from files.

    By key where the files have key columns, which all or none must have; else row i is the same
    person everywhere.  ``folder`` is where the temporary folder is made; ``progress(text, part)``
    is called after every batch of rows.

    Users are in order of a hash of their key and then of the key: like those of ``align``, they
    do not depend on the order of rows.
    """
    names = service_names([file.name for file in files], len(files))
    if not files:
        raise InvalidInput("files", "join", "at least one", "none")
    check_domains(names, [file.mechanism for file in files])
    keyed = [file.key is not None for file in files]
    total = (2 if any(keyed) else 1) * sum(file.rows for file in files)
    counted = Counted(progress or silent, "joining" if any(keyed) else "reading", total)
    if not any(keyed):
        return _by_position(files, counted)
    if not all(keyed):
        name = names[keyed.index(False)]
        raise Mismatch(f"service {name!r} has no key column and others have: all or none must")
    with tempfile.TemporaryDirectory(prefix="sottovoce-", dir=folder) as where:
        return _by_keys(_Parts(files, Path(where), _count_parts(files, memory)), counted)


def _count_parts(files: Sequence[ServiceFile], memory: int) -> int:
    """So many that matching one of them fits into ``memory``.

    A row takes its key four times (read, put together, stacked over services, ordered), and some
    72 bytes for its report, its row, its person and their order.
    """
    needed = sum(file.rows * (4 * file.key_bytes() + 72) for file in files)
    return int(np.clip(-(-needed // memory), 1, _MOST_PARTS))


def _by_position(files: Sequence[ServiceFile], counted: Counted) -> Aligned:
    for file in files:
        if file.rows != files[0].rows:
            raise Mismatch(
                f"service {file.name!r} has {file.rows} reports and service {files[0].name!r} has "
                f"{files[0].rows}: without a key column, row i must be the same person everywhere"
            )
        if file.repeats != 1:
            raise InvalidInput(
                "repeats", f"service {file.name!r}", "left out without keys", file.repeats
            )
    reports = []
    for file in files:
        filling = _Filling(file)
        for batch in file.batches():
            filling.add(batch.reports.columns)
            counted.add(len(batch.reports))
        reports.append(filling.reports())
    ones, rows = [1] * len(files), [[None]] * len(files)
    return columns_of([file.name for file in files], ones, reports, rows, files[0].rows)


class _Filling:
    """The reports of a service, filled in bit by bit."""

    def __init__(self, file: ServiceFile) -> None:
        self.file, self.filled = file, 0
        self.columns = {field.name: field.empty(file.rows) for field in file.mechanism.fields}

    def add(self, columns: dict[str, Column]) -> None:
        count = len(next(iter(columns.values())))
        for name, column in columns.items():
            self.columns[name][self.filled : self.filled + count] = column
        self.filled += count

    def reports(self) -> Reports:
        marks = {"certified": self.file.certified, "simulated": self.file.simulated}
        return Reports(self.file.mechanism, self.columns, **marks)


class _Parts:
    """Rows of all services, dealt into parts on disk."""

    def __init__(self, files: Sequence[ServiceFile], folder: Path, count: int) -> None:
        self.files, self.folder, self.count = files, folder, count

    def _path(self, service: int, part: int) -> Path:
        return self.folder / f"{service}-{part}"

    def deal(self, counted: Counted) -> None:
        """All files, one after the other."""
        kinds: list[Kind] = []
        for j, file in enumerate(self.files):
            with ExitStack() as opened:
                outputs = [
                    opened.enter_context(self._path(j, part).open("wb"))
                    for part in range(self.count)
                ]
                for batch in file.batches():
                    assert batch.keys is not None
                    kinds[j:] = [batch.keys.kind | kinds[j] if len(kinds) > j else batch.keys.kind]
                    check_kinds([file.name for file in self.files[: j + 1]], kinds)
                    self._deal(batch, batch.keys, outputs)
                    counted.add(len(batch.reports))

    def _deal(self, batch: Batch, keys: Keys, outputs: Sequence[BinaryIO]) -> None:
        part = _part_of(keys.words, self.count)
        order = np.argsort(part, kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=self.count))
        rows = np.arange(batch.first_row, batch.first_row + len(keys))
        columns = [*keys.words, rows, *batch.reports.columns.values()]
        for output, chosen in zip(outputs, np.split(order, ends[:-1]), strict=True):
            if len(chosen):
                np.save(output, np.int64(len(keys.words)))
                for column in columns:
                    np.save(output, column[chosen])

    def read(self, service: int, part: int) -> _Part:
        """What was dealt of a service to a part; its file is removed."""
        path, pieces, fields = self._path(service, part), [], self.files[service].mechanism.fields
        size = path.stat().st_size
        with path.open("rb") as file:
            while file.tell() < size:
                width = int(np.load(file))
                pieces.append([np.load(file) for _ in range(width + 1 + len(fields))])
        path.unlink()
        width = max((len(piece) - 1 - len(fields) for piece in pieces), default=1)
        words = [_word(pieces, k, len(fields)) for k in range(width)]
        others = [[piece[k - 1 - len(fields)] for piece in pieces] for k in range(1 + len(fields))]
        rows, *columns = (
            np.concatenate(other) if other else np.empty(0, np.int64) for other in others
        )
        named = {f.name: column for f, column in zip(fields, columns, strict=True)}
        return _Part(tuple(words), rows, named if pieces else {f.name: f.empty(0) for f in fields})


@dataclass(frozen=True, eq=False)
class _Part:
    words: tuple[Words, ...]
    rows: Rows
    columns: dict[str, Column]

    def in_order(self, people: Rows) -> tuple[Rows, _Part]:
        """By person: what is next to each other in the result is read together."""
        order = np.argsort(people, kind="stable")
        columns = {name: column[order] for name, column in self.columns.items()}
        return people[order], _Part((), self.rows[order], columns)


def _word(pieces: Sequence[Sequence[NDArray[Any]]], k: int, fields: int) -> Words:
    """Word k of all keys; shorter ones are filled up with zeros."""
    found = [
        piece[k] if k < len(piece) - 1 - fields else np.zeros(len(piece[0]), dtype=np.uint64)
        for piece in pieces
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint64)


def _part_of(words: Sequence[Words], parts: int) -> Rows:
    """A hash of the key, below ``parts``; words of zeros at the end do not change it."""
    mixed = np.zeros(len(words[0]), dtype=np.uint64)
    for k, word in enumerate(words):
        mixed += word * np.uint64(2 * k + 1)
    mixed *= _GOLDEN
    mixed ^= mixed >> np.uint64(32)
    mixed *= _GOLDEN
    return ((mixed >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


class _Found:
    """Where the reports of users are, for users one part after the other.

    Columns are made for as many users as there could be; memory is taken as they are filled.
    """

    def __init__(self, most: int) -> None:
        self.most, self.users, self.columns = most, 0, list[Rows]()

    def add(self, rows: Sequence[Rows]) -> None:
        """More users; they may have fewer repeats than others, or more."""
        while len(self.columns) < len(rows):
            self.columns.append(np.empty(self.most, dtype=np.int64))
            self.columns[-1][: self.users] = -1
        more = slice(self.users, self.users + len(rows[0]))
        for k, column in enumerate(self.columns):
            column[more] = rows[k] if k < len(rows) else -1
        self.users = more.stop

    def rows(self) -> list[Rows]:
        return [column[: self.users] for column in self.columns]


def _by_keys(parts: _Parts, counted: Counted) -> Aligned:
    files, names = parts.files, [file.name for file in parts.files]
    parts.deal(counted)
    fillings = [_Filling(file) for file in files]
    common, most = np.zeros(len(files), dtype=np.bool_), sum(file.rows for file in files)
    found = [_Found(most) for _ in files]
    for number in range(parts.count):
        held = [parts.read(j, number) for j in range(len(files))]
        people, n = match([part.words for part in held])
        first = []
        for j, (file, part, who) in enumerate(zip(files, held, people, strict=True)):
            ordered, sorted_part = part.in_order(who)
            owner = f"service {file.name!r}, column {file.key!r}"
            rows = places(ordered, n, file.repeats, owner, sorted_part.rows)
            first.append(rows[0])
            for column in rows:
                column[column >= 0] += fillings[j].filled
            found[j].add(rows)
            fillings[j].add(sorted_part.columns)
            counted.add(len(who))
        common |= in_common(first)
    check_common(names, common)
    repeats = [file.repeats for file in files]
    reports, rows_of = [filling.reports() for filling in fillings], [one.rows() for one in found]
    return columns_of(names, repeats, reports, rows_of, found[0].users)
