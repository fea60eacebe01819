"""More reports than fit in memory as one file: Parquet, which :meth:`Reports.read` reads, or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from sottovoce.base.extras import optional
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports

__all__ = ["FILE_FORMS", "write_reports"]


def write_reports(
    file: BinaryIO, form: str, mechanism: Mechanism, parts: Iterable[Reports]
) -> None:
    """Write all parts, one after the other, in a form of :data:`FILE_FORMS`; the file stays open.

    Without any part it is a file of no reports, which still says what they would be.

    >>> import sottovoce as sv
    >>> grr, file = sv.mechanism("grr", sv.Categories(9), 1.0), io.BytesIO()
    >>> write_reports(file, "csv", grr, [sv.Reports(grr, {"value": [3, 8]})])
    >>> file.getvalue()
    b'value\\n3\\n8\\n'
    """
    FILE_FORMS[form](file, mechanism, parts)


def _write_parquet(file: BinaryIO, mechanism: Mechanism, parts: Iterable[Reports]) -> None:
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="an export as Parquet")
    none = Reports(mechanism, {field.name: field.empty(0) for field in mechanism.fields})
    with parquet.ParquetWriter(file, none.to_arrow().schema, compression="zstd") as writer:
        for reports in parts:
            writer.write_table(reports.to_arrow())


def _write_csv(file: BinaryIO, mechanism: Mechanism, parts: Iterable[Reports]) -> None:
    """Numbers as they are, bytes in hexadecimal."""
    text = io.TextIOWrapper(file, encoding="ascii", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in mechanism.fields)
    for reports in parts:
        columns = [_cells(reports.columns[field.name]) for field in mechanism.fields]
        writer.writerows(zip(*columns, strict=True))
    text.detach()  # else the wrapper would close the file


def _cells(column: Column) -> list[Any]:
    return [row.tobytes().hex() for row in column] if column.ndim == 2 else column.tolist()


FILE_FORMS: dict[str, Callable[[BinaryIO, Mechanism, Iterable[Reports]], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
}
"""Forms of a file, by the end of its name."""
