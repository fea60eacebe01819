"""Closed windows handed over to a lake: each once, complete, in random order, with nothing but reports.

    FOLDER/survey=s<fingerprint>/_survey.json                  the survey
    FOLDER/survey=s<fingerprint>/_handed_over/<window>         a mark per window that was handed over
    FOLDER/survey=s<fingerprint>/window=<window>/part-00000.parquet

A window is written in a folder whose name readers leave out, renamed when it is complete, and then
marked.  A window that is there or marked is not written again, so that a restart duplicates nothing,
also where the files were moved on.  Rows have no id and no time, and are shuffled: where a row stands
says nothing about when, or under which id, it came.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.files import part_of, sync_folder, write_whole
from sottovoce.base.randomness import OperatingSystem
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.engines.lake import SURVEY, SURVEY_KEY, WINDOW, folder_name, survey_label
from sottovoce.surveys.survey import Survey
from sottovoce.wire.payloads import payload_width, reports_from_rows, rows_of

__all__ = ["check_lake", "hand_over", "is_handed_over", "lake_table", "window_label"]

_MARKS = "_handed_over"
_PURPOSE = "handing windows over as Parquet"
_PART = 2**24
"""Bytes of payloads in a part, about, or of random words to shuffle them by where these are more."""
_MOST_PARTS = 256
"""Parts of a window at most: as many files are open at once."""
_ROW_GROUP = 2**20
"""Rows of a row group at most."""


def window_label(window: str) -> str:
    """The value of a window's folder: its name, or ``all`` for a survey without windows."""
    return window or "all"


def check_lake(folder: Path, parameter: str, owner: str) -> None:
    """Refuse a folder that windows cannot be handed over to; so is a machine without pyarrow."""
    optional("pyarrow.parquet", extra="analyse", purpose=_PURPOSE)
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InvalidInput(parameter, owner, "a folder that exists and can be written", str(folder))


def is_handed_over(folder: Path, survey: Survey, window: str) -> bool:
    """Whether a window was handed over to this folder, ever."""
    home, name = _home(folder, survey), folder_name(WINDOW, window_label(window))
    return (home / _MARKS / window_label(window)).exists() or (home / name).exists()


def hand_over(
    folder: Path, survey: Survey, window: str, parts: Iterable[Reports], expected: int
) -> int | None:
    """Write a window, if it is not there yet.

    Parameters
    ----------
    folder : Path
        The lake: a folder that exists.
    survey : Survey
        What the reports are of.
    window : str
        The name of the window.
    parts : iterable of Reports
        All its reports, in any order.
    expected : int
        About how many there are.

    Returns
    -------
    int or None
        How many reports were written; None where the window is there already.

    Raises
    ------
    InvalidInput
        Where the folder does not exist.
    """
    check_lake(folder, "folder", "hand_over")
    home = _home(folder, survey)
    target = home / folder_name(WINDOW, window_label(window))
    if is_handed_over(folder, survey, window):
        _mark(home, target, window)
        return None
    home.mkdir(exist_ok=True)
    if not (about := home / "_survey.json").exists():
        write_whole(about, lambda part: part.write_text(survey.to_json(), encoding="utf-8"))
    part = part_of(target)
    part.mkdir()
    try:
        written = _write(part, survey, parts, expected)
        sync_folder(part)
        part.rename(target)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError) and target.exists():  # another process was faster
            return None
        raise
    sync_folder(home)
    _mark(home, target, window)
    return written


def _home(folder: Path, survey: Survey) -> Path:
    return folder / folder_name(SURVEY, survey_label(survey.fingerprint))


def _mark(home: Path, target: Path, window: str) -> None:
    """Mark a window as handed over, and remove what attempts that were cut short left."""
    marks = home / _MARKS
    if not (mark := marks / window_label(window)).exists():
        marks.mkdir(exist_ok=True)
        write_whole(mark, lambda part: part.write_bytes(b""))
        sync_folder(marks)
    for left in home.glob(f".{target.name}.*.part"):
        shutil.rmtree(left, ignore_errors=True)


# -- files -----------------------------------------------------------------------------------


def _write(part: Path, survey: Survey, parts: Iterable[Reports], expected: int) -> int:
    parquet = optional("pyarrow.parquet", extra="analyse", purpose=_PURPOSE)
    written = 0
    for number, reports in enumerate(_shuffled(part, survey.mechanism, parts, expected)):
        path = part / f"part-{number:05d}.parquet"
        table = lake_table(reports, survey)
        parquet.write_table(table, path, compression="zstd", row_group_size=_ROW_GROUP)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        written += len(reports)
    return written


def lake_table(reports: Reports, survey: Survey) -> Any:
    """Reports in types that every engine has: signed integers, decimals for 64 bits, binary, lists.

    Spark has no unsigned integers and nothing of a fixed length, and reads what it has not as
    something else.  :meth:`Reports.from_arrow` reads these types again.
    """
    arrow = optional("pyarrow", extra="analyse", purpose=_PURPOSE)
    table = reports.to_arrow()
    metadata = {**table.schema.metadata, SURVEY_KEY: survey.fingerprint}
    fields = [arrow.field(f.name, _plain(f.type, arrow), nullable=False) for f in table.schema]
    return table.replace_schema_metadata(None).cast(arrow.schema(fields, metadata=metadata))


def _plain(kind: Any, arrow: Any) -> Any:
    types = arrow.types
    if types.is_fixed_size_list(kind):
        return arrow.list_(_plain(kind.value_type, arrow))
    if types.is_fixed_size_binary(kind):
        return arrow.binary()
    signed = {8: arrow.int16(), 16: arrow.int32(), 32: arrow.int64(), 64: arrow.decimal128(20, 0)}
    return signed[kind.bit_width]


# -- order -----------------------------------------------------------------------------------


def _shuffled(
    folder: Path, mechanism: Mechanism, parts: Iterable[Reports], expected: int
) -> Iterator[Reports]:
    """All reports in an order drawn by the operating system, some megabytes at a time.

    Each report goes to one of k files at random, and each file is shuffled in memory: all
    orders are as likely, given how many there are in each file.
    """
    width = payload_width(mechanism)
    count = min(_MOST_PARTS, max(1, -(-expected * max(8, width) // _PART)))
    source = OperatingSystem()
    if count == 1:
        yield _permuted(mechanism, b"".join(map(rows_of, parts)), width, source)
        return
    paths = [folder / f".{number}.rows" for number in range(count)]
    files = [path.open("wb") for path in paths]
    try:
        for reports in parts:
            table = np.frombuffer(rows_of(reports), dtype=f"V{width}")
            drawn = (source.words(len(table)) >> np.uint64(32)) * np.uint64(count)
            chosen = (drawn >> np.uint64(32)).astype(np.uint16)
            together = table[np.argsort(chosen, kind="stable")]
            ends = np.cumsum(np.bincount(chosen, minlength=count))
            for file, rows in zip(files, np.split(together, ends[:-1]), strict=True):
                file.write(rows.tobytes())
    finally:
        for file in files:
            file.close()
    for path in paths:
        yield _permuted(mechanism, path.read_bytes(), width, source)
        path.unlink()


def _permuted(mechanism: Mechanism, rows: bytes, width: int, source: OperatingSystem) -> Reports:
    table = np.frombuffer(rows, dtype=f"V{width}")
    order = np.argsort(source.words(len(table)), kind="stable")
    return reports_from_rows(mechanism, table[order].tobytes())
