"""Reports as payloads: each a row of bytes, its columns side by side, and back.

A payload holds the fields of the mechanism in order, without gaps: a whole number below s in
1, 2, 4 or 8 little-endian bytes, the fewest that hold s - 1; packed bits; rows of whole numbers.
So all payloads of a mechanism have one length, and the length of an upload says nothing about
the value.  They are stored as they travel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidCell, InvalidInput, Refused
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports

__all__ = [
    "payload_checker",
    "payload_width",
    "payloads_of",
    "reports_from_payloads",
    "reports_from_rows",
    "rows_of",
]


def _layout(mechanism: Mechanism) -> np.dtype[Any]:
    """The columns of a report side by side, little-endian, without gaps."""
    return np.dtype(
        [
            (field.name, column.dtype.newbyteorder("<"), column.shape[1:])
            for field in mechanism.fields
            for column in [field.empty(0)]
        ]
    )


def payload_width(mechanism: Mechanism) -> int:
    """The bytes of a payload, the same for every report of the mechanism."""
    return _layout(mechanism).itemsize


def payload_checker(mechanism: Mechanism) -> Callable[[bytes], bool]:
    """A function that decides whether bytes are a payload of the mechanism: their length, and every field.

    >>> import sottovoce as sv
    >>> check = payload_checker(sv.mechanism("grr", sv.Categories(1000), 1.0))
    >>> check(bytes([1, 2])), check(bytes([255, 255])), check(b"1")
    (True, False, False)
    """
    width, checks, start = payload_width(mechanism), [], 0
    for field in mechanism.fields:
        checks.append(field.bytes_checker(start))
        start += field.width
    if len(checks) == 1:
        (only,) = checks
        return lambda payload: len(payload) == width and only(payload)
    return lambda payload: len(payload) == width and all(check(payload) for check in checks)


def payloads_of(reports: Reports) -> list[bytes]:
    """The payload of every report, for an upload or a store; simulated ones are refused.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(1000), 1.0)
    >>> payloads_of(sv.Reports(m, {"value": [1, 258]}))
    [b'\\x01\\x00', b'\\x02\\x01']
    """
    if reports.simulated:
        allowed = "drawn with the randomness of the operating system"
        hint = "Seeded makes reports that can be repeated: they protect nobody, and count nobody."
        raise InvalidInput("reports", "an upload or a store", allowed, reports, hint=hint)
    columns = [_slices(column) for column in reports.columns.values()]
    return (
        columns[0] if len(columns) == 1 else [b"".join(row) for row in zip(*columns, strict=True)]
    )


def _slices(column: Column) -> list[bytes]:
    """What every report has in a column, as little-endian bytes."""
    data = column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes()
    width = len(data) // max(1, len(column))
    return [data[start : start + width] for start in range(0, len(data), width or 1)]


def rows_of(reports: Reports) -> bytes:
    """The payloads of all reports, one after the other; :func:`reports_from_rows` reads them.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(1000), 1.0)
    >>> rows_of(sv.Reports(m, {"value": [1, 258]}))
    b'\\x01\\x00\\x02\\x01'
    """
    table = np.empty(len(reports), dtype=_layout(reports.mechanism))
    for name, column in reports.columns.items():
        table[name] = column
    return table.tobytes()


def reports_from_rows(mechanism: Mechanism, rows: Sequence[bytes] | bytes) -> Reports:
    """The reports of some payloads: a list of them, or all in one; any that is wrong refuses all."""
    layout = _layout(mechanism)
    data = rows if isinstance(rows, bytes) else b"".join(rows)
    whole = len(data) % layout.itemsize == 0
    if not whole or not (isinstance(rows, bytes) or set(map(len, rows)) <= {layout.itemsize}):
        allowed = f"of {layout.itemsize} bytes each"
        given = len(data) if isinstance(rows, bytes) else sorted(set(map(len, rows)))
        raise InvalidInput("payloads", f"reports of {mechanism.name}", allowed, given)
    table = np.frombuffer(data, dtype=layout)
    return Reports(
        mechanism, {f.name: np.ascontiguousarray(table[f.name]) for f in mechanism.fields}
    )


def reports_from_payloads(mechanism: Mechanism, payloads: Sequence[Any]) -> Reports:
    """The reports of an upload's payloads; the first that is wrong is named by its position."""
    for position, payload in enumerate(payloads):
        if type(payload) is not bytes:
            raise Refused("wrong-payload", "the payload must be bytes", position)
    try:
        return reports_from_rows(mechanism, payloads)
    except InvalidInput as error:
        for position, payload in enumerate(payloads):
            try:
                reports_from_rows(mechanism, [payload])
            except InvalidCell as wrong:
                raise Refused("wrong-payload", wrong.without_row(), position) from wrong
            except InvalidInput as wrong:
                raise Refused("wrong-payload", str(wrong), position) from wrong
        raise AssertionError("payloads are wrong one by one or not at all") from error
