"""Groups of rows by public columns: a number per group, found by codes of a few labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidCell, Unfit
from sottovoce.base.extras import optional
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.arrow_columns import flat_array

__all__ = ["Group", "Groups"]

Group = tuple[str, ...]
"""The labels of a group, one per column."""
Codes = NDArray[np.int64]

_FEW = 2**20
"""Combinations of labels that are looked up in a table."""


class Groups:
    """Numbers of groups, in the order in which groups are first seen.

    A label is the text of a cell: 7 and "7" are one group.  A table may encode a column by a
    dictionary; then only its entries become text, not every row.
    """

    def __init__(self, by: Sequence[str], owner: str) -> None:
        self.by, self._owner = tuple(by), owner
        self._levels: list[dict[str, int]] = [{} for _ in self.by]
        self._numbers: dict[Group, int] = {} if self.by else {(): 0}

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
        names = list(batch) if isinstance(batch, Mapping) else list(batch.schema.names)
        for name in self.by:
            if names.count(name) != 1:
                there, hint = ", ".join(names) or "none", did_you_mean(name, names)
                fault = "no public column" if name not in names else "more than one column"
                raise Unfit(f"{fault} {name!r} in the batch (it has: {there}). {hint}".rstrip())
        column = batch.__getitem__ if isinstance(batch, Mapping) else batch.column
        coded = [
            self._codes(column(name), name, levels)
            for name, levels in zip(self.by, self._levels, strict=True)
        ]
        for name, codes in zip(self.by, coded, strict=True):
            if len(codes) != rows:
                raise InvalidCell(name, min(len(codes), rows) + 1, self._owner, "there", None)
        return self._combined(coded)

    def _codes(self, column: Any, name: str, levels: dict[str, int]) -> Codes:
        """The level of every row of a column."""
        values, codes = _encoded(column, name, self._owner)
        used = np.bincount(codes, minlength=len(values)).astype(bool)
        table = np.zeros(len(values), dtype=np.int64)
        for index in np.flatnonzero(used).tolist():
            table[index] = levels.setdefault(str(values[index]), len(levels))
        return table[codes]

    def _combined(self, coded: Sequence[Codes]) -> Codes:
        names = [list(levels) for levels in self._levels]
        mixed, size = coded[0], len(names[0])
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


def _encoded(column: Any, name: str, owner: str) -> tuple[Sequence[Any], Codes]:
    """The distinct values of a column, and the index of each row's among them."""
    if hasattr(column, "type"):  # of Arrow
        array = flat_array(column)
        if array.null_count:
            row = int(array.is_null().to_numpy(zero_copy_only=False).argmax())
            raise InvalidCell(name, row + 1, owner, "not empty", None)
        types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
        if not types.is_dictionary(array.type):
            array = array.dictionary_encode()
        codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return array.dictionary.to_pylist(), codes
    seen: dict[Any, int] = {}
    listed = column.tolist() if hasattr(column, "tolist") else list(column)
    codes = np.fromiter((seen.setdefault(cell, len(seen)) for cell in listed), np.int64)
    if None in seen:
        raise InvalidCell(name, int((codes == seen[None]).argmax()) + 1, owner, "not empty", None)
    return list(seen), codes
