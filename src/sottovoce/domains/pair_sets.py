"""Sets of pairs (key, number), one a person, read from what people write and kept in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories

__all__ = ["PairSets", "arrays_of", "numbers_of", "read_sets"]


@dataclass(frozen=True, eq=False)
class PairSets:
    """``sizes`` of the sets, person by person, and all their pairs in two columns, in that order."""

    sizes: Indices
    keys: Indices
    numbers: NDArray[Any]

    @property
    def starts(self) -> Indices:
        """Where the pairs of every person begin."""
        return np.cumsum(self.sizes) - self.sizes


def arrays_of(values: Any, count: int) -> tuple[NDArray[Any], ...] | None:
    """``values`` as columns, if they are a tuple of ``count`` arrays, which must be of one length."""
    if not (isinstance(values, tuple) and len(values) == count):
        return None
    if not all(isinstance(column, np.ndarray) for column in values):
        return None
    shapes = [column.shape for column in values]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1:
        raise InvalidInput("values", "columns of pairs", "flat arrays of one length", shapes)
    return values


def read_sets(values: Any, keys: Categories, *, most: int, refuse: bool, owner: str) -> PairSets:
    """Sets of pairs from any of the forms of ``KeyValues.sets``, all but their numbers checked.

    Sets of more than ``most`` pairs are refused where ``refuse`` says so.
    """
    sizes, named, numbers = _columns(values, keys, owner)
    if len(sizes) == 0:
        raise InvalidInput("values", owner, "at least one value", values)
    if sizes.min() == 0:
        raise InvalidInput(
            "value", owner, f"a set of 1 to {most} pairs", "an empty set",
            hint='Use a separate key such as "none" for people who hold nothing.',
        )  # fmt: skip
    if refuse and sizes.max() > most:
        raise InvalidInput(
            "value", owner, f"a set of 1 to {most} pairs", f"a set of {sizes.max()}",
            hint='With larger="sample" one pair of a larger set is drawn.',
        )  # fmt: skip
    places = keys.indices(named)
    _refuse_repeated(sizes, places, keys, owner)
    return PairSets(sizes, places, numbers)


def _columns(values: Any, keys: Categories, owner: str) -> tuple[Indices, Any, NDArray[Any]]:
    """Sizes, names of keys, and numbers."""
    if (arrays := arrays_of(values, 2)) is not None:
        return np.ones(len(arrays[0]), dtype=np.int64), arrays[0], arrays[1]
    if (arrays := arrays_of(values, 3)) is not None:
        people, named, numbers = arrays
        if people.dtype.kind not in "iu":
            allowed = "whole numbers that identify people"
            raise InvalidInput("people", owner, allowed, f"an array of dtype {people.dtype}")
        order = np.argsort(people, kind="stable")
        sizes = np.unique(people, return_counts=True)[1]
        return sizes.astype(np.int64), named[order], numbers[order]
    one = _is_one(values, keys) or not isinstance(values, Iterable)
    rows = [_pairs(row, owner) for row in ([values] if one else values)]
    pairs = [*chain.from_iterable(rows)]
    if not all(map(_is_pair, pairs)):
        wrong = next(pair for pair in pairs if not _is_pair(pair))
        raise InvalidInput("value", owner, "made of pairs (key, number)", wrong)
    counts = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    return counts, [key for key, _ in pairs], numbers_of(pairs, owner)


def numbers_of(pairs: list[Any], owner: str) -> NDArray[Any]:
    """The second column of pairs."""
    try:
        return np.array([number for _, number in pairs])
    except (ValueError, OverflowError) as error:  # lists of different lengths, for instance
        raise InvalidInput("value", owner, "pairs with one number each", str(error)) from None


def _is_pair(value: object) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _is_one(values: object, keys: Categories) -> bool:
    """Whether this is one person's set: a dict, a pair, or a list of pairs."""
    if isinstance(values, Mapping):
        return True
    if not isinstance(values, (list, tuple)) or len(values) == 0:
        return False
    if isinstance(values, tuple) and _is_pair(values) and keys.is_one(values[0]):
        return True
    return all(isinstance(v, tuple) and _is_pair(v) and keys.is_one(v[0]) for v in values)


def _pairs(row: Any, owner: str) -> list[Any]:
    """The pairs of one set."""
    if isinstance(row, Mapping):
        return list(row.items())
    if isinstance(row, tuple) and len(row) == 2 and not isinstance(row[0], (list, tuple)):
        return [row]
    if isinstance(row, (list, tuple)):
        return list(row)
    raise InvalidInput("values", owner, "dicts {key: number} or lists of pairs (key, number)", row)


def _refuse_repeated(sizes: Indices, places: Indices, keys: Categories, owner: str) -> None:
    people = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((places, people))
    same = (np.diff(people[order]) == 0) & (np.diff(places[order]) == 0)
    if same.any():
        key = keys.label(int(places[order][1:][same][0]))
        raise InvalidInput("value", owner, "a set of pairs with distinct keys", f"{key!r} twice")
