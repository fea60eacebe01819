"""Randomized reports in columns: what leaves devices, and nothing else.

A report is a few integers.  Many reports are a few numpy columns, of the
smallest unsigned type that holds them; a set of values is a row of packed bits
(value v is bit ``v % 8`` of byte ``v // 8``), and one number for each of several
keys a row of such integers.  No column is ever a float.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.core.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.core.extras import optional
from sottovoce.core.files import write_whole

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["BitField", "Field", "IntField", "RowField", "Reports"]

Column = NDArray[Any]

FORMAT = "1"
"""Version of the Arrow and Parquet layout."""


@dataclass(frozen=True)
class IntField:
    """A column of whole numbers in ``[0, size)``."""

    name: str
    size: int

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.size - 1)

    def empty(self, count: int) -> Column:
        return np.empty(count, dtype=self.dtype)

    def one(self, value: int) -> Column:
        """The column of a single report."""
        return np.array([value], dtype=self.dtype)

    def check(self, column: Column, owner: str) -> Column:
        """The column in its smallest type; anything outside ``[0, size)`` is refused."""
        if column.ndim != 1 or column.dtype.kind not in "iu":
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                "a flat column of whole numbers",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        if len(column):
            low, high = int(column.min()), int(column.max())
            if low < 0 or high >= self.size:
                raise InvalidInput(
                    f"column {self.name!r}",
                    owner,
                    f"from 0 to {self.size - 1}",
                    low if low < 0 else high,
                )
        return column.astype(self.dtype, copy=False)

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        return arrow.array(column)

    def from_arrow(self, array: Any) -> Column:
        return np.asarray(array.to_numpy(zero_copy_only=False))


@dataclass(frozen=True)
class BitField:
    """A column of ``size`` bits a report, packed into ``ceil(size / 8)`` bytes."""

    name: str
    size: int

    @property
    def width(self) -> int:
        return -(-self.size // 8)

    def empty(self, count: int) -> Column:
        return np.empty((count, self.width), dtype=np.uint8)

    def one(self, value: bytes) -> Column:
        """The column of a single report."""
        return np.frombuffer(value, dtype=np.uint8).reshape(1, self.width)

    def check(self, column: Column, owner: str) -> Column:
        """The packed rows; a wrong width or a set bit beyond the last value is refused."""
        if column.ndim != 2 or column.dtype != np.uint8 or column.shape[1] != self.width:
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                f"rows of {self.width} bytes",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        spare = 8 * self.width - self.size
        if spare and len(column) and np.any(column[:, -1] >> np.uint8(8 - spare)):
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                f"zero in the {spare} bits beyond the last value",
                "a set bit there",
            )
        return column

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        flat = arrow.py_buffer(np.ascontiguousarray(column))
        return arrow.Array.from_buffers(arrow.binary(self.width), len(column), [None, flat])

    def from_arrow(self, array: Any) -> Column:
        width = getattr(array.type, "byte_width", None)
        if width != self.width:
            return np.zeros((len(array), 0), dtype=np.uint8)  # refused by check, by its width
        rows = np.frombuffer(array.buffers()[1], dtype=np.uint8)
        start = array.offset * width
        return rows[start : start + len(array) * width].reshape(len(array), width)


@dataclass(frozen=True)
class RowField:
    """A column of ``count`` whole numbers a report, each in ``[0, size)``."""

    name: str
    size: int
    count: int

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.size - 1).newbyteorder("<")

    @property
    def width(self) -> int:
        """Bytes of one report's row."""
        return self.count * self.dtype.itemsize

    def empty(self, count: int) -> Column:
        return np.empty((count, self.count), dtype=self.dtype)

    def one(self, value: bytes) -> Column:
        """The column of a single report."""
        return np.frombuffer(value, dtype=self.dtype).reshape(1, self.count)

    def check(self, column: Column, owner: str) -> Column:
        """The rows in their smallest type; a wrong length or a number outside is refused."""
        if column.ndim != 2 or column.dtype.kind not in "iu" or column.shape[1] != self.count:
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                f"rows of {self.count} whole numbers",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        whole = IntField(self.name, self.size).check(column.ravel(), owner)
        return whole.reshape(column.shape).astype(self.dtype, copy=False)

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        flat = arrow.array(np.ascontiguousarray(column).ravel())
        return arrow.FixedSizeListArray.from_arrays(flat, self.count)

    def from_arrow(self, array: Any) -> Column:
        if getattr(array.type, "list_size", None) != self.count:
            return np.zeros((len(array), 0), dtype=np.uint8)  # refused by check, by its length
        flat = array.flatten()
        if flat.null_count:
            raise CorruptBytes(f"column {self.name!r} of the reports has empty numbers")
        return np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(-1, self.count)


Field = IntField | BitField | RowField


class Reports:
    """Reports of one mechanism, in columns; a slice is again reports.

    ``columns`` maps each field of ``mechanism.fields`` to its numpy column.  ``certified`` is
    False where they were made elsewhere, with floats: the mechanism then tells what they
    mean, and its certificate says nothing about how private they are.
    """

    def __init__(
        self, mechanism: Mechanism, columns: Mapping[str, Column], *, certified: bool = True
    ) -> None:
        owner = f"reports of {mechanism.name}"
        names = [field.name for field in mechanism.fields]
        if sorted(columns) != sorted(names):
            raise InvalidInput("columns", owner, f"exactly {names}", list(columns))
        checked = {f.name: f.check(np.asarray(columns[f.name]), owner) for f in mechanism.fields}
        if len({len(column) for column in checked.values()}) > 1:
            lengths = {name: len(column) for name, column in checked.items()}
            raise InvalidInput("columns", owner, "of one length", lengths)
        self.mechanism, self.columns, self.certified = mechanism, checked, certified

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, rows: slice) -> Reports:
        if not isinstance(rows, slice):
            raise InvalidInput("index", "reports", "a slice such as reports[:1000]", rows)
        part = object.__new__(Reports)  # already checked
        part.mechanism, part.certified = self.mechanism, self.certified
        part.columns = {name: column[rows] for name, column in self.columns.items()}
        return part

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reports)
            and self.mechanism == other.mechanism
            and self.certified == other.certified
            and all(np.array_equal(self.columns[k], other.columns[k]) for k in self.columns)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} reports of {self.mechanism}>"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the mechanism that made these reports."""
        return self.mechanism.fingerprint

    @property
    def nbytes(self) -> int:
        """Bytes that the columns occupy."""
        return sum(column.nbytes for column in self.columns.values())

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` that carries its mechanism in the schema's metadata."""
        arrow = optional("pyarrow", extra="analyse", purpose="Reports.to_arrow")
        metadata = {
            "sottovoce.format": FORMAT,
            "sottovoce.mechanism": self.mechanism.to_json(),
            "sottovoce.fingerprint": self.fingerprint,
        }
        if not self.certified:
            metadata["sottovoce.certified"] = "no"
        arrays = [f.to_arrow(self.columns[f.name], arrow) for f in self.mechanism.fields]
        names = list(self.columns)
        return arrow.Table.from_arrays(arrays, names=names).replace_schema_metadata(metadata)

    @classmethod
    def from_arrow(cls, table: Any, mechanism: Mechanism | None = None) -> Reports:
        """Reports from an Arrow table; given ``mechanism``, those of another are refused."""
        from sottovoce.core.registry import mechanism_from_json

        metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        if "sottovoce.format" not in metadata:
            raise CorruptBytes(
                "the table holds no sottovoce reports (no sottovoce.format in its metadata)"
            )
        if metadata["sottovoce.format"] != FORMAT:
            raise CorruptBytes(
                f"reports of format {metadata['sottovoce.format']!r}; this version reads {FORMAT!r}"
            )
        owner = mechanism_from_json(metadata.get("sottovoce.mechanism", "{}"))
        if owner.fingerprint != metadata.get("sottovoce.fingerprint"):
            raise CorruptBytes(
                f"reports say fingerprint {metadata.get('sottovoce.fingerprint')}, "
                f"but their mechanism has {owner.fingerprint}"
            )
        if mechanism is not None and owner != mechanism:
            raise Mismatch(
                f"reports of {owner} ({owner.fingerprint}) given where "
                f"{mechanism} ({mechanism.fingerprint}) is wanted"
            )
        missing = [f.name for f in owner.fields if f.name not in table.column_names]
        if missing:
            raise CorruptBytes(f"the reports lack the columns {missing} of {owner.name}")
        columns = {}
        for field in owner.fields:
            chunks = table.column(field.name).combine_chunks()
            if chunks.null_count:
                raise CorruptBytes(
                    f"column {field.name!r} of the reports has {chunks.null_count} empty rows"
                )
            columns[field.name] = field.from_arrow(chunks)
        return cls(owner, columns, certified=metadata.get("sottovoce.certified") != "no")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet file, whole or not at all."""
        parquet = optional("pyarrow.parquet", extra="analyse", purpose="Reports.write")
        table = self.to_arrow()
        write_whole(path, lambda part: parquet.write_table(table, part, compression="zstd"))

    @classmethod
    def read(cls, path: str | os.PathLike[str], mechanism: Mechanism | None = None) -> Reports:
        """Read a Parquet file of reports."""
        arrow = optional("pyarrow", extra="analyse", purpose="Reports.read")
        parquet = optional("pyarrow.parquet", extra="analyse", purpose="Reports.read")
        try:
            table = parquet.read_table(path)
        except (arrow.ArrowInvalid, OSError) as error:
            if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
                raise
            raise CorruptBytes(f"{os.fspath(path)} is no readable Parquet file: {error}") from error
        return cls.from_arrow(table, mechanism)
