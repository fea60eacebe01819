"""Reports as payloads, one short list of integers and bytes each, and back.

A payload has an item for every field of the mechanism, in order: an unsigned integer
for a whole number, bytes for packed bits and for rows of whole numbers (little-endian).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.core.errors import InvalidInput, Refused
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Column, Field, IntField, Reports

__all__ = ["Payload", "payloads_of", "reports_from_payloads"]

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
