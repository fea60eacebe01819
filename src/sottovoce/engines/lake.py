"""The layout of a lake: folders ``name=value`` over Parquet files, as Hive, Spark and others have it.

    survey=s<fingerprint>/window=2026-W47/part-0000.parquet

The name of a folder is a public column with one value for all files below.  Spark guesses the type
of such values: a fingerprint of digits and one ``e`` would become a number.  So a fingerprint
starts with ``s``.  Here values are text, never guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote, unquote

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.parquet import open_parquet
from sottovoce.core.counter import WINDOW

__all__ = [
    "SURVEY",
    "SURVEY_KEY",
    "WINDOW",
    "ReportFile",
    "folder_columns",
    "folder_name",
    "is_report_file",
    "report_files",
    "survey_label",
]

SURVEY = "survey"
SURVEY_KEY = "sottovoce.survey"
"""The key of the survey's fingerprint in the metadata of a file."""
_EMPTY = "__HIVE_DEFAULT_PARTITION__"
_ENDINGS = (".parquet", ".pq")
_TABLES = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders by which tables are known whose files may hold deleted rows."""


def survey_label(fingerprint: str) -> str:
    """The value of a survey's folder.

    >>> survey_label("1234567890123456789e123456789012")
    's1234567890123456789e123456789012'
    """
    return f"s{fingerprint}"


def folder_name(column: str, value: str) -> str:
    """The name of a folder for a public column; what a path must not have is escaped.

    >>> folder_name("region", "a/b=c")
    'region=a%2Fb%3Dc'
    """
    return f"{quote(column, safe=' ')}={quote(value, safe=' ')}"


def folder_columns(path: PurePath) -> dict[str, str]:
    """The public columns in the names of a file's folders.

    >>> folder_columns(PurePath("lake/survey=sab/window=2026-W47/part-0000.parquet"))
    {'survey': 'sab', 'window': '2026-W47'}
    """
    named = (part.partition("=") for part in path.parts[:-1] if "=" in part)
    columns: dict[str, str] = {}
    for column, _, value in named:
        name = unquote(column)
        if name in columns:
            raise Unfit(f"{path}: more than one of its folders is named {name}=")
        columns[name] = unquote(value)
    return columns


@dataclass(frozen=True)
class ReportFile:
    """A Parquet file, and the public columns in the names of its folders."""

    path: Path
    columns: dict[str, str]
    size: int

    @classmethod
    def at(cls, path: Path) -> ReportFile:
        """The file of a path."""
        return cls(path, folder_columns(path), path.stat().st_size)

    def opened(self, **how: Any) -> Any:
        """The file, opened for reading in pieces; ``how`` as for :func:`open_parquet`."""
        return open_parquet(self.path, **how)

    def label(self, column: str) -> str:
        """The value of a column in the names of folders; one that stands for nothing is refused."""
        value = self.columns[column]
        if value in ("", _EMPTY):
            raise InvalidInput(f"folder {column}=", str(self.path), "with a value", value)
        return value


def report_files(folder: Path) -> list[ReportFile]:
    """All Parquet files in a folder and those below, by name.

    Names that start with ``_`` or ``.`` are left out: those of marks, and of files that are
    being written.

    Raises
    ------
    InvalidInput
        Where there is none, where a folder is reached twice by links, or where the folder is that of
        a table that keeps deleted rows in its files.
    """
    found = sorted(_walk(folder))
    if not found:
        allowed = "a folder with Parquet files (*.parquet) of reports, or a folder of tallies"
        raise InvalidInput("INPUT", "the command", allowed, str(folder), hint="It has neither.")
    return [ReportFile.at(path) for path in found]


def _walk(folder: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for here, folders, files in os.walk(folder, followlinks=True, onerror=_fail):
        real = os.path.realpath(here)
        if real in seen:
            allowed = "without links to folders that are already there: their reports count twice"
            raise InvalidInput("folder", str(folder), allowed, here)
        seen.add(real)
        for mark, table in _TABLES.items():
            if mark in folders:
                allowed = "plain Parquet files"
                hint = f"Files of a {table} table may hold deleted rows: query the table, see `sottovoce sql`."
                raise InvalidInput("folder", str(folder), allowed, f"{here} with {mark}", hint=hint)
        folders[:] = [name for name in folders if not _is_hidden(name)]
        for name in files:
            if is_report_file(name):
                yield Path(here) / name


def is_report_file(name: str) -> bool:
    """Whether a file, by the name that an engine lists, holds rows, and is not being written.

    >>> is_report_file("s3a://lake/_temporary/0/part-0.parquet")
    False
    """
    return name.lower().endswith(_ENDINGS) and not any(map(_is_hidden, name.split("/")))


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name


def _fail(error: OSError) -> None:
    raise error
