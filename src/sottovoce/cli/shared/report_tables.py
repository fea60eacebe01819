"""Tables of reports as files: Parquet and Arrow streams, which commands read again, and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.base.text import csv_text
from sottovoce.cli.shared.outputs import binary_stdout

__all__ = ["REPORT_FORMATS", "write_file", "write_stream"]


class _Counted:
    """Arrow tables, and how many rows they had so far."""

    def __init__(self, tables: Iterator[Any]) -> None:
        self._tables, self.rows = tables, 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        table = next(self._tables)
        self.rows += len(table)
        return table


def write_file(output: str, form: str, tables: Iterator[Any]) -> int:
    """Write tables in a format of :data:`REPORT_FORMATS`, all or none; how many rows they have."""
    counted = _Counted(tables)

    def fill(part: Path) -> None:
        with part.open("wb") as file:
            _WRITERS[form](file, counted)

    write_whole(output, fill)
    return counted.rows


def write_stream(tables: Iterator[Any]) -> int:
    """Write tables to standard output; how many rows they have."""
    stdout, counted = binary_stdout(), _Counted(tables)
    _write_arrow(stdout, counted)
    stdout.flush()
    return counted.rows


def _write_parquet(file: BinaryIO, tables: Iterator[Any]) -> None:
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="writing reports")
    first = next(tables)  # there is one: a file without rows is refused
    with parquet.ParquetWriter(file, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _write_arrow(file: BinaryIO, tables: Iterator[Any]) -> None:
    """Closed, with its end mark, only if all went well: a reader refuses a stream without."""
    arrow = optional("pyarrow", extra="analyse", purpose="writing reports")
    first = next(tables)
    stream = arrow.ipc.new_stream(file, first.schema)
    for table in chain([first], tables):
        stream.write_table(table)
    stream.close()


def _write_csv(file: BinaryIO, tables: Iterator[Any]) -> None:
    """Numbers as they are, bytes in hexadecimal."""
    for number, table in enumerate(tables):
        columns = [map(_cell, column.to_pylist()) for column in table.columns]
        text = csv_text(table.column_names, zip(*columns, strict=True))
        file.write((text if number == 0 else text.partition("\n")[2]).encode())


def _cell(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell


_WRITERS: dict[str, Callable[[BinaryIO, Iterator[Any]], None]] = {
    "parquet": _write_parquet,
    "arrow": _write_arrow,
    "csv": _write_csv,
}
REPORT_FORMATS = tuple(_WRITERS)
"""Formats of a file of reports, by the end of its name."""
