"""Groups of rows by public columns: a number per group, found by codes of a few labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidCell, InvalidInput, Unfit
from sottovoce.base.extras import optional
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.arrow_columns import flat_array

__all__ = ["Group", "Groups", "check_group_type"]

Group = tuple[str, ...]
"""The labels of a group, one per column."""
Codes = NDArray[Any]
"""Numbers of groups or of labels, one per row: 32-bit where they fit, to spare memory."""

_FEW = 2**20
"""Combinations of labels that are looked up in a table."""


class Groups:
    """Numbers of groups, in the order in which groups are first seen.

    A label is the text of a cell: 7 and "7" are one group.
    """

    def __init__(self, by: Sequence[str], owner: str) -> None:
        self.by, self._owner = tuple(by), owner
        self._numbers: dict[Group, int] = {} if self.by else {(): 0}
        if len(self.by) == 1:  # the levels of its column are the groups
            self._columns = [_Levels(self.by[0], owner, lambda label: self.number((label,)))]
        else:
            self._columns = [_Levels(name, owner) for name in self.by]

    def __len__(self) -> int:
        return len(self._numbers)

    def labels(self) -> list[Group]:
        """The groups, by number."""
        return list(self._numbers)

    def number(self, group: Group) -> int:
        """The number of a group, a new one if need be."""
        return self._numbers.setdefault(tuple(group), len(self._numbers))

    def of_batch(self, batch: Any, rows: int) -> Codes | None:
        """The number of the group of every row; None where there is only one group."""
        if not self.by:
            return None
        columns = [self._column(batch, name, rows) for name in self.by]
        coded = [
            levels.codes(column) for levels, column in zip(self._columns, columns, strict=True)
        ]
        return coded[0] if len(coded) == 1 else self._combined(coded)

    def _column(self, batch: Any, name: str, rows: int) -> Any:
        names = list(batch) if isinstance(batch, Mapping) else list(batch.schema.names)
        if names.count(name) != 1:
            there, hint = ", ".join(names) or "none", did_you_mean(name, names)
            fault = "no public column" if name not in names else "more than one column"
            raise Unfit(f"{fault} {name!r} in the batch (it has: {there}). {hint}".rstrip())
        column = batch[name] if isinstance(batch, Mapping) else flat_array(batch.column(name))
        if len(column) != rows:
            raise InvalidCell(name, min(len(column), rows) + 1, self._owner, "there", None)
        return column

    def _combined(self, coded: Sequence[Codes]) -> Codes:
        names = [list(column.numbers) for column in self._columns]
        mixed, size = coded[0].astype(np.int64), len(names[0])
        for codes, labels in zip(coded[1:], names[1:], strict=True):
            mixed, size = mixed * len(labels) + codes, size * len(labels)
        if size <= _FEW:
            present = np.flatnonzero(np.bincount(mixed, minlength=1))
            table = np.zeros(size, dtype=np.int64)
            table[present] = self._numbers_of(present, names)
            return table[mixed]
        present, which = np.unique(mixed, return_inverse=True)
        return self._numbers_of(present, names)[which]

    def _numbers_of(self, mixed: Codes, names: Sequence[Sequence[str]]) -> Codes:
        """The numbers of combinations of levels."""
        levels = np.unravel_index(mixed, [max(1, len(labels)) for labels in names])
        labels = [
            map(known.__getitem__, at.tolist()) for known, at in zip(names, levels, strict=True)
        ]
        groups = zip(*labels, strict=True)
        return np.array([self.number(group) for group in groups], dtype=np.int64)


class _Levels:
    """The numbers of the labels of one column.

    Only the distinct values of a batch become text, not every row; batches that share a
    dictionary share its numbers.
    """

    def __init__(self, name: str, owner: str, number: Callable[[str], int] | None = None) -> None:
        self.numbers: dict[str, int] = {}
        self._name, self._owner = name, owner
        self._number = self._own_number if number is None else number
        self._dictionary: Any = None
        self._table = np.zeros(0, dtype=np.int32)

    def _own_number(self, label: str) -> int:
        return self.numbers.setdefault(label, len(self.numbers))

    def codes(self, column: Any) -> Codes:
        """The number of the label of every row."""
        dictionary, indices = _encoded(column, self._name, self._owner)
        if type(dictionary) is not type(self._dictionary) or not dictionary.equals(
            self._dictionary
        ):
            self._dictionary = dictionary
            self._table = np.full(len(dictionary), -1, dtype=np.int32)
        codes = self._table[indices]
        if len(codes) and codes.min() < 0:
            self._learn(
                dictionary, indices, np.flatnonzero(np.bincount(indices[codes < 0])).tolist()
            )
            codes = self._table[indices]
        return codes

    def _learn(self, dictionary: Any, indices: NDArray[Any], new: Sequence[int]) -> None:
        values = {index: dictionary[index] for index in new}
        for index, value in values.items():
            if _plain(value) is None:
                row = int((indices == index).argmax()) + 1
                raise InvalidCell(self._name, row, self._owner, "not empty", None)
        for index, value in values.items():
            self._table[index] = self._number(str(_plain(value)))


class _Listed(list[Any]):
    """Distinct values that are not Arrow's."""

    def equals(self, other: Any) -> bool:
        """Never: where 1 and True stand for each other, a second look is safer."""
        return False


def _plain(value: Any) -> Any:
    return value.as_py() if hasattr(value, "as_py") else value


def check_group_type(kind: Any, name: str, owner: str) -> None:
    """Refuse a column of Arrow whose cells have no text of their own, as bytes and lists."""
    types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
    plain = kind.value_type if types.is_dictionary(kind) else kind
    text = types.is_string(plain) or types.is_large_string(plain) or str(plain) == "string_view"
    number = types.is_integer(plain) or types.is_floating(plain) or types.is_decimal(plain)
    if not (text or number or types.is_boolean(plain) or types.is_temporal(plain)):
        allowed = "of text, numbers, booleans or dates"
        raise InvalidInput(f"column {name!r}", owner, allowed, f"type {kind}")


def _encoded(column: Any, name: str, owner: str) -> tuple[Any, NDArray[Any]]:
    """The distinct values of a column, and the index of each row's among them."""
    if hasattr(column, "type"):  # of Arrow
        check_group_type(column.type, name, owner)
        if column.null_count:
            row = int(column.is_null().to_numpy(zero_copy_only=False).argmax())
            raise InvalidCell(name, row + 1, owner, "not empty", None)
        types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
        array = column if types.is_dictionary(column.type) else column.dictionary_encode()
        return array.dictionary, array.indices.to_numpy(zero_copy_only=False)
    seen: dict[Any, int] = {}
    listed = column.tolist() if hasattr(column, "tolist") else list(column)
    indices = np.fromiter((seen.setdefault(cell, len(seen)) for cell in listed), np.int64)
    return _Listed(seen), indices
