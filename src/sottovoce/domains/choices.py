"""Several boxes that may be ticked, out of a list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int, first_repeated
from sottovoce.base.errors import InvalidInput, shown
from sottovoce.base.suggestions import did_you_mean
from sottovoce.domains.base import Domain, Indices, Read, TomlKeys, register_domain
from sottovoce.domains.categories import Categories, Label
from sottovoce.domains.parsing import text_of

__all__ = ["NONE", "SEPARATOR", "Choices"]

NONE = "none of these"
"""How a set without any option is shown, and the share of people who tick nothing."""
SEPARATOR = ";"
"""Between the options of one person, in a text."""
_LARGEST_INDEX = 2**62
_USUAL_MOST = 3


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Choices(Domain):
    """Tick all that apply: a set of at most ``most`` of the options, the empty set included.

    A value is a list, tuple or set of distinct options; an empty one is "none of these".  Sets are
    numbered by their size, then in the order of their options.  Privacy is that of whole sets: any two sets, however many
    boxes differ.

    Parameters
    ----------
    options : iterable of str or int, or Categories
        The options in order, without repetition; none may be called "none of these".
    most : int, optional
        The most boxes that a person may tick. It is part of the promise, and the fewer the smaller the
        errors. Unless given: 3, or all where there are fewer options.

    Raises
    ------
    InvalidInput
        Where an option repeats, ``most`` is not from 1 to the number of options, or there are more
        than 2^62 sets; by the methods, where a set is too large, or has an option twice or one that there is not.

    Examples
    --------
    >>> pets = Choices(["cat", "dog", "fish"], most=2)
    >>> pets.size, pets.labels()
    (7, [(), ('cat',), ('dog',), ('fish',), ('cat', 'dog'), ('cat', 'fish'), ('dog', 'fish')])
    >>> pets.index({"fish", "dog"}), pets.indices([[], ["dog"], ("cat", "fish")]).tolist()
    (6, [0, 2, 5])
    """

    kind: ClassVar[str] = "choices"
    written_as: ClassVar[str] = "options with ; between them"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("values",), ("most",), 'values = ["a", "b"]: tick all that apply, at most `most` (3)'
    )

    options: Categories
    most: int

    def __init__(self, options: Iterable[Label] | Categories, most: int | None = None) -> None:
        listed = options if isinstance(options, Categories) else Categories(options)
        if listed.values is None or listed.sensitive is not None:
            raise InvalidInput("options", "Choices", "a list of distinct options", options)
        for option in listed.values:
            if option == NONE or SEPARATOR in str(option):
                allowed = f"other than {NONE!r}, and without {SEPARATOR!r}"
                raise InvalidInput("options", "Choices", allowed, option)
        count = listed.size
        chosen = min(_USUAL_MOST, count) if most is None else most
        object.__setattr__(self, "options", listed)
        object.__setattr__(self, "most", check_int(chosen, "most", "Choices", 1, count))
        if self.size > _LARGEST_INDEX:
            allowed = f"such that there are at most 2^62 sets of {count} options"
            raise InvalidInput("most", "Choices", allowed, f"{self.most}, with {self.size} sets")

    @property
    def size(self) -> int:
        return self._starts[-1]

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The index of the first set of every size, and the number of all sets."""
        starts = [0]
        for size in range(self.most + 1):
            starts.append(starts[-1] + math.comb(self.options.size, size))
        return tuple(starts)

    @property
    def choices(self) -> Choices:
        return self

    @property
    def answered(self) -> Domain:
        return Categories([*self.options.labels(), NONE])

    # -- values and inputs -----------------------------------------------------------

    def is_one(self, values: object) -> bool:
        """A set, or a list of options; a list of lists or sets is a batch, and so is a table."""
        if isinstance(values, Set):
            return True
        if isinstance(values, np.ndarray):
            return (
                values.ndim == 1 and values.dtype.kind == "b" and len(values) == self.options.size
            )
        if isinstance(values, (list, tuple)):
            return not any(isinstance(each, (list, tuple, Set, np.ndarray)) for each in values)
        return isinstance(values, (str, bytes)) or not isinstance(values, Iterable)

    def positions(self, value: Any) -> tuple[int, ...]:
        """The places of the ticked options, ascending."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            found = np.flatnonzero(value).tolist()
        else:
            found = [self._position(option) for option in self._listed(value)]
        if len(set(found)) < len(found):
            named = [self.options.label(place) for place in found]
            raise InvalidInput("value", str(self), "distinct options", first_repeated(named))
        if len(found) > self.most:
            allowed = f"at most {self.most} of the options"
            raise InvalidInput("value", str(self), allowed, f"{len(found)}: {value!r}")
        return tuple(sorted(found))

    def _listed(self, value: Any) -> list[Any]:
        if isinstance(value, (str, bytes)) or not isinstance(value, (list, tuple, Set)):
            hint = 'One option is a list too, as ["a"]; an empty list is "none of these".'
            allowed = "a list, tuple or set of options"
            raise InvalidInput("value", str(self), allowed, value, hint=hint)
        return list(value)

    def _position(self, option: Any) -> int:
        try:
            return self.options.index(option)
        except InvalidInput:
            labels = self.options.labels()
            allowed = f"options among {', '.join(map(str, labels))}"
            hint = did_you_mean(option, [str(label) for label in labels])
            raise InvalidInput("value", str(self), allowed, option, hint=hint) from None

    def index(self, value: Any) -> int:
        return self._index_of(self.positions(value))

    def _index_of(self, places: tuple[int, ...]) -> int:
        """Sets of one size are in the order of their options: counted back from the last one."""
        size, top = len(places), self.options.size - 1
        behind = sum(math.comb(top - place, size - k) for k, place in enumerate(places))
        return self._starts[size + 1] - 1 - behind

    def indices(self, values: Any) -> Indices:
        names = getattr(values, "column_names", getattr(values, "columns", None))
        if names is not None:
            values = self._columns(values, list(names))
        if isinstance(values, np.ndarray) and values.dtype.kind == "b":
            return self._of_ticks(values)
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise InvalidInput("values", str(self), "a list of lists or sets of options", values)
        rows = list(values)
        self._refuse_empty(len(rows), values)
        return np.fromiter((self.index(row) for row in rows), dtype=np.int64, count=len(rows))

    def _columns(self, table: Any, names: list[Any]) -> NDArray[np.bool_]:
        """The ticks of a table with a column of truth values for every option."""
        labels = self.options.labels()
        if sorted(map(str, names)) != sorted(map(str, labels)) or len(names) != len(labels):
            allowed = f"exactly the options {', '.join(map(str, labels))}"
            raise InvalidInput("columns", str(self), allowed, names)
        self._refuse_empty(len(table), table)
        columns = [np.asarray(table[label]) for label in labels]
        for label, column in zip(labels, columns, strict=True):
            if column.dtype.kind != "b":
                allowed = "truth values without gaps"
                raise InvalidInput(f"column {label!r}", str(self), allowed, f"dtype {column.dtype}")
        return np.stack(columns, axis=1)

    def _of_ticks(self, table: NDArray[np.bool_]) -> Indices:
        """A row of truth values per person, a column per option."""
        if table.ndim != 2 or table.shape[1] != self.options.size:
            allowed = f"rows of {self.options.size} truth values"
            raise InvalidInput("values", str(self), allowed, f"an array of shape {table.shape}")
        self._refuse_empty(len(table), table)
        sizes = table.sum(axis=1)
        if sizes.max() > self.most:
            given = f"{sizes.max()} in row {int(sizes.argmax()) + 1}"
            raise InvalidInput("values", str(self), f"at most {self.most} of the options", given)
        found = np.array(self._starts, dtype=np.int64)[sizes + 1] - 1
        rows, places = np.nonzero(table)
        left = sizes[rows] - (np.cumsum(table, axis=1)[rows, places] - 1)  # from this option on
        behind = self._combinations[left, self.options.size - 1 - places]
        np.subtract.at(found, rows, behind)
        return found

    @cached_property
    def _combinations(self) -> Indices:
        """``C(c, k)`` in row k, for every c below the number of options."""
        return np.array(
            [[math.comb(c, k) for c in range(self.options.size)] for k in range(self.most + 1)],
            dtype=np.int64,
        )

    def label(self, index: int) -> tuple[Label, ...]:
        (row,) = self.items(np.array([index], dtype=np.int64)).tolist()
        return tuple(self.options.label(place) for place in row if place < self.options.size)

    def items(self, indices: Indices) -> Indices:
        """Every set as a row of ``most`` items: its options, ascending, then blanks.

        With d options the blank of slot s, from 0, is the item ``d + s``: it is there where the set has at
        most s options.
        """
        d, starts = self.options.size, np.array(self._starts, dtype=np.int64)
        sizes = np.searchsorted(starts, indices, side="right") - 1
        found = np.tile(d + np.arange(self.most), (len(indices), 1))
        behind = starts[sizes + 1] - 1 - indices
        for slot in range(self.most):
            people = np.flatnonzero(sizes > slot)
            for left in np.unique(sizes[people] - slot).tolist():
                some = people[sizes[people] - slot == left]
                place = np.searchsorted(self._combinations[left], behind[some], side="right") - 1
                behind[some] -= self._combinations[left, place]
                found[some, slot] = d - 1 - place
        return found

    # -- in words and as text ----------------------------------------------------------

    def summary(self) -> str:
        return f"at most {self.most} of {self.options.size:,} options"

    def in_words(self) -> str:
        named = self.options.in_words().removeprefix("one of ")
        return f"tick all that apply, at most {self.most} of {named}, or {NONE}"

    def reader(self) -> Read:
        """Options with ; between them; nothing, or "none of these", is the empty set."""
        read = self.options.reader()

        def read_set(cell: Any) -> list[Any]:
            text = text_of(cell).strip()
            if text in ("", NONE):
                return []
            return [read(each.strip()) for each in text.split(SEPARATOR)]

        return read_set

    # -- as JSON and TOML ----------------------------------------------------------------

    def to_toml(self) -> dict[str, Any]:
        return {"values": self.options.labels(), "most": self.most}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Choices:
        if not isinstance(table["values"], list):
            raise InvalidInput("values", "Choices", "a list of distinct options", table["values"])
        return cls(table["values"], table.get("most"))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": 1,
            "options": self.options.to_json(),
            "most": self.most,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Choices:
        return cls(Categories.from_json(document["options"]), document["most"])

    def __repr__(self) -> str:
        return f"Choices({shown(self.options.labels())}, most={self.most})"
