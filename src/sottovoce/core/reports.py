"""Randomized reports in columns: what leaves devices, and nothing else.

A report is a few integers.  Many reports are a few numpy columns, one for each of their
mechanism's :mod:`fields <sottovoce.core.fields>`; no column is ever a float.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.core.fields import Column
from sottovoce.core.registry import mechanism_from_json

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["Reports"]

FORMAT = "2"
"""Version of the Arrow and Parquet layout."""


class Reports:
    """Randomized reports of one mechanism, in columns; a slice is again reports.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that drew them.
    columns : mapping of str to array
        One numpy column per field of ``mechanism.fields``.
    certified : bool
        False where the reports were made elsewhere, with floats: the mechanism then describes what
        they mean, and its certificate does not hold for them.
    simulated : bool
        True where the random words can be repeated, as those of ``Seeded``: nobody is protected,
        and clients, uploads and stores refuse such reports.

    Raises
    ------
    InvalidInput
        Where a column is missing, of another length, or holds a value outside its field.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> reports = m.randomize(["yes", "no", "yes"])
    >>> len(reports), len(reports[:2]), list(reports.columns)
    (3, 2, ['value'])
    """

    def __init__(
        self,
        mechanism: Mechanism,
        columns: Mapping[str, Column],
        *,
        certified: bool = True,
        simulated: bool = False,
    ) -> None:
        owner = f"reports of {mechanism.name}"
        names = [field.name for field in mechanism.fields]
        if sorted(columns) != sorted(names):
            raise InvalidInput("columns", owner, f"exactly {names}", list(columns))
        checked = {f.name: f.check(np.asarray(columns[f.name]), owner) for f in mechanism.fields}
        if len({len(column) for column in checked.values()}) > 1:
            lengths = {name: len(column) for name, column in checked.items()}
            raise InvalidInput("columns", owner, "of one length", lengths)
        self.mechanism, self.columns = mechanism, checked
        self.certified, self.simulated = certified, simulated

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, rows: slice) -> Reports:
        if not isinstance(rows, slice):
            raise InvalidInput("index", "reports", "a slice such as reports[:1000]", rows)
        part = object.__new__(Reports)  # already checked
        part.mechanism = self.mechanism
        part.certified, part.simulated = self.certified, self.simulated
        part.columns = {name: column[rows] for name, column in self.columns.items()}
        return part

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reports)
            and self.mechanism == other.mechanism
            and (self.certified, self.simulated) == (other.certified, other.simulated)
            and all(np.array_equal(self.columns[k], other.columns[k]) for k in self.columns)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} {'simulated ' if self.simulated else ''}reports of {self.mechanism}>"

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
        if self.simulated:
            metadata["sottovoce.simulated"] = "yes"
        arrays = [f.to_arrow(self.columns[f.name], arrow) for f in self.mechanism.fields]
        names = list(self.columns)
        return arrow.Table.from_arrays(arrays, names=names).replace_schema_metadata(metadata)

    @classmethod
    def from_arrow(cls, table: Any, mechanism: Mechanism | None = None) -> Reports:
        """Reports from an Arrow table; given ``mechanism``, those of another are refused."""
        metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        if "sottovoce.format" not in metadata:
            raise CorruptBytes(
                "the table holds no sottovoce reports (no sottovoce.format in its metadata)"
            )
        if metadata["sottovoce.format"] != FORMAT:
            raise CorruptBytes(
                f"reports of format {metadata['sottovoce.format']!r}; this version reads {FORMAT!r}"
            )
        text = metadata.get("sottovoce.mechanism", "{}")
        same = mechanism is not None and mechanism.to_json() == text  # one text, one mechanism
        owner = mechanism if mechanism is not None and same else mechanism_from_json(text)
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
        return cls(
            owner,
            columns,
            certified=metadata.get("sottovoce.certified") != "no",
            simulated=metadata.get("sottovoce.simulated") == "yes",
        )

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
            raise CorruptBytes(
                f"{os.fspath(path)} is not a readable Parquet file: {error}"
            ) from error
        return cls.from_arrow(table, mechanism)
