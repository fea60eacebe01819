"""Reports as payloads, one short list of integers and bytes each, and back.

A payload has an item for every field of the mechanism, in order: an unsigned integer
for a whole number, bytes for packed bits and for rows of whole numbers (little-endian).

Stored, a report is a row: its columns side by side, little-endian, always as many bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.core.errors import InvalidInput, Refused
from sottovoce.core.fields import Column, Field, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports

__all__ = [
    "Payload",
    "payloads_of",
    "reports_from_payloads",
    "reports_from_rows",
    "row_bytes",
    "row_width",
]

Payload = Sequence[Any]
"""One item a field: an ``int``, or ``bytes``."""


def payloads_of(reports: Reports) -> list[list[Any]]:
    """The payload of every report.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(11), 1.0)
    >>> (payload,) = payloads_of(m.randomize(3))
    >>> len(payload), len(payload[0])
    (1, 2)
    """
    fields = reports.mechanism.fields
    columns = [_items(field, reports.columns[field.name]) for field in fields]
    return [list(items) for items in zip(*columns, strict=True)]


def _items(field: Field, column: Column) -> list[Any]:
    if isinstance(field, IntField):
        return column.tolist()
    data, width = np.ascontiguousarray(column).tobytes(), field.width
    return [data[start : start + width] for start in range(0, len(data), width)]


def reports_from_payloads(mechanism: Mechanism, payloads: Sequence[Payload]) -> Reports:
    """The reports that payloads stand for; one that is outside the fields refuses all."""
    try:
        return _together(mechanism, payloads)
    except InvalidInput as found:
        for position, payload in enumerate(payloads):
            try:
                _together(mechanism, [payload])
            except InvalidInput as error:
                raise Refused("wrong-payload", str(error), position) from error
        raise Refused("wrong-payload", str(found)) from found


def _together(mechanism: Mechanism, payloads: Sequence[Payload]) -> Reports:
    fields, owner = mechanism.fields, f"a report of {mechanism.name}"
    for payload in payloads:
        if type(payload) not in (list, tuple) or len(payload) != len(fields):
            names = ", ".join(field.name for field in fields)
            raise InvalidInput("payload", owner, f"an array of {names}", payload)
    columns = {}
    for place, field in enumerate(fields):
        items = [payload[place] for payload in payloads]
        columns[field.name] = _column(field, items, owner)
    return Reports(mechanism, columns)


def _column(field: Field, items: list[Any], owner: str) -> Column:
    kind = int if isinstance(field, IntField) else bytes
    for item in items:
        if type(item) is not kind:  # True is no number
            allowed = "a whole number" if kind is int else "bytes"
            raise InvalidInput(f"field {field.name!r}", owner, allowed, item)
    if isinstance(field, IntField):
        if items and not 0 <= min(items) <= max(items) < field.size:
            wrong = next(item for item in items if not 0 <= item < field.size)
            allowed = f"from 0 to {field.size - 1}"
            raise InvalidInput(f"field {field.name!r}", owner, allowed, wrong)
        return np.array(items, dtype=field.dtype)
    for item in items:
        if len(item) != field.width:
            allowed = f"{field.width} bytes"
            raise InvalidInput(f"field {field.name!r}", owner, allowed, f"{len(item)} bytes")
    rows = np.frombuffer(b"".join(items), dtype=field.empty(0).dtype)
    return rows.reshape(len(items), field.empty(0).shape[1])


# -- rows ----------------------------------------------------------------------------------


def _layout(mechanism: Mechanism) -> np.dtype[Any]:
    """The columns of a report side by side, little-endian, without gaps."""
    return np.dtype(
        [
            (field.name, column.dtype.newbyteorder("<"), column.shape[1:])
            for field in mechanism.fields
            for column in [field.empty(0)]
        ]
    )


def row_width(mechanism: Mechanism) -> int:
    """The bytes of a row."""
    return _layout(mechanism).itemsize


def row_bytes(reports: Reports) -> list[bytes]:
    """Every report as bytes of one width: its columns side by side, little-endian.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(1000), 1.0)
    >>> row_bytes(sv.Reports(m, {"value": [1, 258]}))
    [b'\\x01\\x00', b'\\x02\\x01']
    """
    columns = [_slices(column) for column in reports.columns.values()]
    return (
        columns[0] if len(columns) == 1 else [b"".join(row) for row in zip(*columns, strict=True)]
    )


def _slices(column: Column) -> list[bytes]:
    """What every report has in a column, as little-endian bytes."""
    data = column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes()
    width = len(data) // max(1, len(column))
    return [data[start : start + width] for start in range(0, len(data), width or 1)]


def reports_from_rows(mechanism: Mechanism, rows: Sequence[bytes] | bytes) -> Reports:
    """The reports that rows of :func:`row_bytes` stand for: a list of them, or all in one."""
    layout = _layout(mechanism)
    data = rows if isinstance(rows, bytes) else b"".join(rows)
    whole = len(data) % layout.itemsize == 0
    if not whole or not (isinstance(rows, bytes) or set(map(len, rows)) <= {layout.itemsize}):
        allowed = f"of {layout.itemsize} bytes each"
        given = len(data) if isinstance(rows, bytes) else sorted(set(map(len, rows)))
        raise InvalidInput("rows", f"reports of {mechanism.name}", allowed, given)
    table = np.frombuffer(data, dtype=layout)
    return Reports(
        mechanism, {f.name: np.ascontiguousarray(table[f.name]) for f in mechanism.fields}
    )
