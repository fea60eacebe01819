"""Randomized reports in columns: what leaves devices, and nothing else.

A report is a few integers.  Many reports are a few numpy columns, one for each of their
mechanism's :mod:`fields <sottovoce.core.fields>`; no column is ever a float.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.core.arrow_columns import flat_array
from sottovoce.core.fields import Column
from sottovoce.core.registry import mechanism_from_json

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["Reports", "is_described"]

FORMAT = "2"
"""Version of the Arrow and Parquet layout."""
_FORMAT_KEY = b"sottovoce.format"
_KEYS = tuple(
    f"sottovoce.{name}".encode()
    for name in ("format", "mechanism", "fingerprint", "certified", "simulated")
)
"""What the metadata of a schema may say."""


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
        return self.like({name: column[rows] for name, column in self.columns.items()})

    def like(self, columns: dict[str, Column]) -> Reports:
        """Reports of the same kind, with columns whose values were checked before."""
        other = object.__new__(Reports)
        other.mechanism, other.columns = self.mechanism, columns
        other.certified, other.simulated = self.certified, self.simulated
        return other

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
    def from_arrow(cls, batch: Any, mechanism: Mechanism | None = None) -> Reports:
        """Reports from an Arrow table or record batch; other columns are ignored.

        Parameters
        ----------
        batch : pyarrow.Table or pyarrow.RecordBatch
            A column per field. Whole numbers may have any integer type, or be decimals without
            places; bytes and lists need not be of a fixed length type.
        mechanism : Mechanism, optional
            The mechanism of the reports. It may be left out where the schema's metadata has it, as
            :meth:`to_arrow` writes it; engines such as Spark drop metadata.

        Raises
        ------
        CorruptBytes
            Where a column is missing, or no mechanism is known.
        Mismatch
            Where the metadata has another mechanism.
        InvalidInput
            Where a column has another type, or a row is empty or outside its field.
        """
        owner, marks = _described(batch.schema.metadata or {}, mechanism)
        names = batch.schema.names
        wrong = [f.name for f in owner.fields if names.count(f.name) != 1]
        if wrong:
            twice, there = set(wrong) & set(names), ", ".join(names) or "none"
            fault = f"have more than one column {wrong}" if twice else f"lack the columns {wrong}"
            raise CorruptBytes(f"the reports {fault} of {owner.name} (there are: {there})")
        whose = f"reports of {owner.name}"
        columns = {
            f.name: f.from_arrow(flat_array(batch.column(f.name)), whose) for f in owner.fields
        }
        return cls(owner, columns, **marks)

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


def is_described(schema: Any) -> bool:
    """Whether an Arrow schema says of which mechanism its reports are."""
    return _FORMAT_KEY in (schema.metadata or {})


@lru_cache(maxsize=16)
def _known_mechanism(text: str) -> Mechanism:
    """The mechanism of a text: thousands of batches bring the same."""
    return mechanism_from_json(text)


def _described(
    metadata: Mapping[bytes, bytes], mechanism: Mechanism | None
) -> tuple[Mechanism, dict[str, bool]]:
    """The mechanism of an Arrow schema, and how its reports are marked."""
    about = {key: metadata[key].decode() for key in _KEYS if key in metadata}
    if _FORMAT_KEY not in about:
        if mechanism is not None:
            return mechanism, {}
        raise CorruptBytes(
            "the table holds no sottovoce reports (no sottovoce.format in its metadata)"
        )
    if about[_FORMAT_KEY] != FORMAT:
        raise CorruptBytes(
            f"reports of format {about[_FORMAT_KEY]!r}; this version reads {FORMAT!r}"
        )
    owner = _known_mechanism(about.get(b"sottovoce.mechanism", "{}"))
    if owner.fingerprint != about.get(b"sottovoce.fingerprint"):
        raise CorruptBytes(
            f"reports say fingerprint {about.get(b'sottovoce.fingerprint')}, "
            f"but their mechanism has {owner.fingerprint}"
        )
    if mechanism is not None and owner != mechanism:
        raise Mismatch(
            f"reports of {owner} ({owner.fingerprint}) given where "
            f"{mechanism} ({mechanism.fingerprint}) is wanted"
        )
    return owner if mechanism is None else mechanism, {
        "certified": about.get(b"sottovoce.certified") != "no",
        "simulated": about.get(b"sottovoce.simulated") == "yes",
    }
