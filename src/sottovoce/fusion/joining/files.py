"""Parquet files of services, read some rows at a time: our reports, or floats of elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, named
from sottovoce.base.extras import optional
from sottovoce.base.parquet import open_parquet
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism as make_mechanism
from sottovoce.core.reports import Reports, is_described
from sottovoce.domains.base import Domain
from sottovoce.fusion.external_reports import Foreign
from sottovoce.fusion.joining.keys import Keys, fixed_width, read_keys

__all__ = ["Batch", "ServiceFile", "file_mechanism"]

BATCH = 2**17
"""Rows at a time."""
_PURPOSE = "reading the reports of a service"


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a service; rows count from 1."""

    first_row: int
    keys: Keys | None
    reports: Reports


@dataclass(frozen=True, eq=False)
class ServiceFile:
    """A Parquet file of one service: reports of ours, or with ``law`` a ``column`` of floats.

    ``key`` is the column that tells people apart, and ``repeats`` how often one may be there.
    """

    path: Path
    name: str
    mechanism: Mechanism
    rows: int
    key: str | None = None
    repeats: int = 1
    law: Foreign | None = None
    column: str | None = None
    certified: bool = True
    simulated: bool = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        mechanism: str | None = None,
        epsilon: float | None = None,
        domain: Domain | None = None,
        key: str | None = None,
        repeats: int = 1,
        column: str | None = None,
        units: tuple[float, float] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> ServiceFile:
        """Look at a file, and check what is said of it.

        In a file of our reports the mechanism is inside: ``mechanism``, ``epsilon`` and
        ``options`` may be left out, and are refused if they are others.  A plain file of floats needs
        them, and the ``domain``; ``column`` is its only column of floats unless given.
        """
        where, more = Path(path), dict(options or {})
        told = name if name is not None else where.stem
        with _parquet(where, told) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
        if rows == 0:
            raise InvalidInput("rows", f"service {told!r}", "at least one", f"none in {where}")
        if key is not None:
            _check_column(key, schema, told, "the key column")
        if is_described(schema):
            for option, given in (("column", column), ("units", units)):
                if given is not None:
                    allowed = "left out: the file holds reports of ours"
                    raise InvalidInput(option, f"service {told!r}", allowed, given)
            inside = _empty(schema, told)
            if key in inside.columns:
                allowed = "another column than those of the reports"
                raise InvalidInput("the key column", f"service {told!r}", allowed, key)
            _check_claim(told, inside.mechanism, mechanism, epsilon, more)
            return cls(
                where, told, inside.mechanism, rows, key, repeats,
                certified=inside.certified, simulated=inside.simulated,
            )  # fmt: skip
        if mechanism is None or epsilon is None or domain is None:
            allowed = "given: the file holds no reports of ours, and floats do not show which mechanism made them"
            raise InvalidInput("mechanism, epsilon and domain", f"service {told!r}", allowed, None)
        law = Foreign.make(mechanism, domain, epsilon, units=units, service=told, **more)
        chosen = _float_column(schema, column, key, told)
        return cls(where, told, law.mechanism, rows, key, repeats, law, chosen, certified=False)

    def key_bytes(self) -> int:
        """About how long a key is, from what the file says of itself."""
        with _parquet(self.path, self.name) as file:
            about, size = file.metadata, 0
            place = file.schema_arrow.names.index(self.key)
            for group in range(about.num_row_groups):
                size += about.row_group(group).column(place).total_uncompressed_size
        return max(8, -(-size // self.rows))

    def batches(self) -> Iterator[Batch]:
        """Keys and reports, in order of rows."""
        arrow = optional("pyarrow", extra="analyse", purpose=_PURPOSE)
        fields = [field.name for field in self.mechanism.fields]
        wanted = [self.column] if self.law is not None else fields
        names = [*wanted, *([] if self.key is None else [self.key])]
        row = 1
        with _parquet(self.path, self.name) as file:
            for record in file.iter_batches(batch_size=BATCH, columns=names):
                if len(record):
                    table = arrow.Table.from_batches([record], record.schema)
                    table = table.replace_schema_metadata(file.schema_arrow.metadata)
                    yield Batch(row, self._keys(table, row), self._reports(table, row))
                    row += len(record)

    def _keys(self, table: Any, row: int) -> Keys | None:
        if self.key is None:
            return None
        column = table.column(self.key).combine_chunks()
        owner = f"service {self.name!r}, column {self.key!r}"
        if column.null_count:
            empty = row + column.is_null().to_numpy(zero_copy_only=False).argmax()
            raise InvalidInput(f"row {empty} of the keys", owner, "not empty", None)
        return _arrow_keys(column, owner, row)

    def _reports(self, table: Any, row: int) -> Reports:
        if self.law is None:
            with named(f"service {self.name!r}"):
                return Reports.from_arrow(table, self.mechanism)
        assert self.column is not None
        column = table.column(self.column).combine_chunks()
        values = column.to_numpy(zero_copy_only=False)  # empty cells become NaN, which is refused
        return self.law.reports(values, column=self.column, first_row=row)


def file_mechanism(path: str | Path, name: str | None = None) -> Mechanism | None:
    """The mechanism inside a file of our reports; None for other Parquet files."""
    told = name if name is not None else Path(path).stem
    with _parquet(Path(path), told) as file:
        schema = file.schema_arrow
    if not is_described(schema):
        return None
    return _empty(schema, told).mechanism


# -- Parquet ---------------------------------------------------------------------------------


@contextmanager
def _parquet(path: Path, name: str) -> Iterator[Any]:
    arrow = optional("pyarrow", extra="analyse", purpose=_PURPOSE)
    try:
        with open_parquet(path) as file:
            yield file
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
            raise
        message = f"service {name!r}: {path} is not a readable Parquet file: {error}"
        raise CorruptBytes(message) from error


def _empty(schema: Any, name: str) -> Reports:
    """No reports, of the mechanism that a schema tells."""
    with named(f"service {name!r}"):
        return Reports.from_arrow(schema.empty_table())


def _check_column(column: str, schema: Any, name: str, what: str) -> None:
    if schema.names.count(column) != 1:
        allowed = f"one of the columns of its file: {', '.join(schema.names)}"
        hint = did_you_mean(column, schema.names)
        raise InvalidInput(what, f"service {name!r}", allowed, column, hint=hint)


def _float_column(schema: Any, column: str | None, key: str | None, name: str) -> str:
    types = optional("pyarrow", extra="analyse", purpose=_PURPOSE).types
    floats = [f.name for f in schema if types.is_floating(f.type) and f.name != key]
    if column is None:
        if len(floats) != 1:
            allowed = f"given where there is not one column of floats (there are {', '.join(floats) or 'none'})"
            raise InvalidInput("column", f"service {name!r}", allowed, None)
        return floats[0]
    _check_column(column, schema, name, "column")
    kind = schema.field(column).type
    if not (types.is_floating(kind) or types.is_integer(kind)):
        raise InvalidInput(f"column {column!r}", f"service {name!r}", "of numbers", str(kind))
    return column


def _check_claim(
    name: str,
    inside: Mechanism,
    mechanism: str | None,
    epsilon: float | None,
    options: Mapping[str, Any],
) -> None:
    """What is said of a file must be what the file says."""
    if mechanism is None:
        return
    told = inside.epsilon if epsilon is None else epsilon
    with named(f"service {name!r}"):
        claimed = make_mechanism(mechanism, inside.domain, told, **options)
    same = claimed.name == inside.name and claimed.epsilon == inside.epsilon
    if not same or any(claimed.options()[key] != inside.options()[key] for key in options):
        raise Mismatch(
            f"service {name!r} is said to be {claimed} ({claimed.fingerprint}); its file holds "
            f"reports of {inside} ({inside.fingerprint})"
        )


# -- keys of Arrow -----------------------------------------------------------------------------


def _arrow_keys(column: Any, owner: str, row: int) -> Keys:
    arrow = optional("pyarrow", extra="analyse", purpose=_PURPOSE)
    types, kind = arrow.types, column.type
    if types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if types.is_integer(kind):
        return read_keys(column.to_numpy(zero_copy_only=False), owner, row)
    if types.is_fixed_size_binary(kind):
        width = kind.byte_width
        flat = np.frombuffer(column.buffers()[1], dtype=np.uint8)
        start = column.offset * width
        rows = flat[start : start + len(column) * width].reshape(len(column), width)
        return fixed_width("bytes", rows, owner, row)
    if types.is_string(kind) or types.is_large_string(kind):
        return fixed_width("text", _padded(column.cast(arrow.large_binary())), owner, row)
    if types.is_binary(kind) or types.is_large_binary(kind):
        return fixed_width("bytes", _padded(column.cast(arrow.large_binary())), owner, row)
    raise InvalidInput("keys", owner, "whole numbers, bytes or text", str(kind))


def _padded(column: Any) -> NDArray[np.uint8]:
    """Bytes of any length as rows of the longest, filled up with zeros."""
    offsets = np.frombuffer(column.buffers()[1], dtype=np.int64)
    offsets = offsets[column.offset : column.offset + len(column) + 1]
    lengths = np.diff(offsets)
    rows = np.zeros((len(column), int(lengths.max(initial=1)) or 1), dtype=np.uint8)
    if column.buffers()[2] is not None:
        data = np.frombuffer(column.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
        rows[np.arange(rows.shape[1]) < lengths[:, None]] = data
    return rows
