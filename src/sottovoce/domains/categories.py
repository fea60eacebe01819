"""A finite set of named or numbered values."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sottovoce.base.canonical import LARGEST_INTEGER
from sottovoce.base.checks import check_int, first_repeated
from sottovoce.base.errors import InvalidInput, shown
from sottovoce.domains.base import Domain, Indices, Read, TomlKeys, register_domain
from sottovoce.domains.columns import plain_column, refuse_missing
from sottovoce.domains.parsing import text_of, whole_number

__all__ = ["Categories"]

Label = str | int

_YES_NO = ("no", "yes")
"""The values of a question that is answered by yes or no, by the truth value each stands for."""
_TRUTHS = {"False": "no", "false": "no", "True": "yes", "true": "yes"}
"""How tables write truth values, which have no other form in a file of text."""
_SHOWN = 12
"""How many values are named one by one."""


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Categories(Domain):
    """One value out of a list, or a whole number below a size.

    Parameters
    ----------
    values : int or iterable of str or int
        The values in order, without repetition; or how many whole numbers there are, from 0.
    sensitive : iterable of str or int, optional
        The values that must be protected, where a mechanism may reveal the others: at least one of
        them, and not all. It is fixed before anybody is asked. Mechanisms that protect every value
        take such a domain too.

    Raises
    ------
    InvalidInput
        Where a value repeats, is not text or a whole number, or there is none; where none or all of
        the values are sensitive, or a sensitive one is not among the values.

    Examples
    --------
    >>> colors = Categories(["red", "green", "blue"])
    >>> colors.size, colors.index("blue"), colors.label(0)
    (3, 2, 'red')
    >>> Categories(1024).index(17)
    17
    >>> Categories(["none", "flu", "HIV"], sensitive=["HIV"]).sensitive_inputs
    (2,)
    """

    kind: ClassVar[str] = "categories"
    written_as: ClassVar[str] = "a whole number"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        (), ("values", "size", "sensitive"),
        'values = ["a", "b"], or size = 1024 for whole numbers below it; sensitive = ["b"] protects only that',
    )  # fmt: skip

    values: tuple[Label, ...] | None
    count: int
    sensitive: tuple[Label, ...] | None

    def __init__(
        self, values: int | Iterable[Label], *, sensitive: Iterable[Label] | None = None
    ) -> None:
        names: tuple[Label, ...] | None = None
        if isinstance(values, (bool, str, bytes)) or not isinstance(
            values, (numbers.Integral, Iterable)
        ):
            raise InvalidInput("values", "Categories", "a size or a list of distinct names", values)
        if isinstance(values, numbers.Integral):
            count = check_int(values, "size", "Categories", 1)
        else:
            names = tuple(_label(value) for value in values)
            count = len(names)
            if count == 0:
                raise InvalidInput("values", "Categories", "at least one name", values)
            if len(set(names)) != count:
                raise InvalidInput("values", "Categories", "distinct names", first_repeated(names))
        object.__setattr__(self, "values", names)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "sensitive", None)
        if sensitive is not None:
            object.__setattr__(self, "sensitive", self._some(sensitive))

    def _some(self, sensitive: Iterable[Label]) -> tuple[Label, ...]:
        """The sensitive values in the order of all: at least one, and not all."""
        if isinstance(sensitive, (str, bytes)) or not isinstance(sensitive, Iterable):
            raise InvalidInput("sensitive", str(self), "a list of its values", sensitive)
        chosen = [self.index(value) for value in sensitive]
        if len(set(chosen)) != len(chosen):
            named = [self.label(index) for index in chosen]
            raise InvalidInput("sensitive", str(self), "distinct values", first_repeated(named))
        if not 0 < len(chosen) < self.count:
            given = "all of them" if chosen else "none of them"
            hint = (
                "Where every value is sensitive, leave it out: all mechanisms protect every value."
                if chosen
                else "Without a sensitive value nothing is protected."
            )
            raise InvalidInput(
                "sensitive", str(self), "at least one of the values, and not all", given, hint=hint
            )
        return tuple(self.label(index) for index in sorted(chosen))

    @property
    def size(self) -> int:
        return self.count

    @cached_property
    def sensitive_inputs(self) -> tuple[int, ...] | None:
        if self.sensitive is None:
            return None
        return tuple(self.index(value) for value in self.sensitive)

    @cached_property
    def _index_of(self) -> dict[Label, int]:
        return {name: i for i, name in enumerate(self.values or ())}

    @property
    def yes_or_no(self) -> bool:
        """Whether the values are "no" and "yes", so that False and True are values too."""
        return self.values == _YES_NO

    def is_one(self, values: object) -> bool:
        return isinstance(values, (str, bytes, numbers.Number, np.generic)) or values is None

    def index(self, value: Any) -> int:
        if self.values is None:
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
                raise self._outside(value)
            if not 0 <= int(value) < self.count:
                raise self._outside(value)
            return int(value)
        if self.yes_or_no and isinstance(value, (bool, np.bool_)):
            return int(value)
        try:
            return self._index_of[_label(value)]
        except (KeyError, InvalidInput):
            raise self._outside(value) from None

    def indices(self, values: Any) -> Indices:
        values = plain_column(values)
        if self.values is not None:
            return self._named(values)
        array = np.asarray(values)
        self._check_shape(array, values)
        if array.dtype.kind not in "iu":
            refuse_missing(array)
            raise InvalidInput(
                "values", str(self), "whole numbers", f"an array of dtype {array.dtype}"
            )
        low, high = array.min(), array.max()
        if low < 0 or high >= self.count:
            raise self._outside(int(low if low < 0 else high))
        return array.astype(np.int64, copy=False)

    def _named(self, values: Any) -> Indices:
        """Each name looked up as it is: numpy would turn 1 and "1" into the same text."""
        if isinstance(values, np.ndarray):
            self._check_shape(values, values)
            if self.yes_or_no and values.dtype.kind == "b":
                return values.astype(np.int64)
            values = values.tolist()
        names = list(values)
        self._refuse_empty(len(names), values)
        known = self._index_of if all(isinstance(name, str) for name in self._index_of) else {}
        try:  # text matches text only, so the plain look-up is safe
            return np.fromiter(map(known.__getitem__, names), dtype=np.int64, count=len(names))
        except (KeyError, TypeError):
            refuse_missing(names)
            return np.fromiter(map(self.index, names), dtype=np.int64, count=len(names))

    def _check_shape(self, array: np.ndarray[Any, Any], values: object) -> None:
        if array.ndim != 1:
            raise InvalidInput(
                "values", str(self), "one value or a flat list", f"an array of shape {array.shape}"
            )
        self._refuse_empty(len(array), values)

    def _outside(self, value: object) -> InvalidInput:
        if self.values is None:
            allowed = f"a whole number from 0 to {self.count - 1}"
        else:
            truths = ", True or False" if self.yes_or_no else ""
            allowed = f"one of {shown(list(self.values), 120)}{truths}"
        return InvalidInput("value", str(self), allowed, value)

    def label(self, index: int) -> Label:
        return index if self.values is None else self.values[index]

    def unnamed(self) -> Categories:
        return Categories(self.count, sensitive=self.sensitive_inputs)

    @property
    def outside_rules(self) -> tuple[str, ...]:
        return ("other", "refuse") if "other" in self._index_of else ("refuse",)

    def _replaced(self, value: Any, rule: str) -> Any:
        return rule if rule in self.outside_rules else super()._replaced(value, rule)

    def in_words(self) -> str:
        if self.values is None:
            return f"a whole number from 0 to {self.count - 1:,}"
        if self.yes_or_no:
            return "yes or no"
        named = ", ".join(map(str, self.values[:_SHOWN]))
        more = self.count - _SHOWN
        return f"one of {named}" + (f" and {more:,} more" if more > 0 else "")

    def reader(self) -> Read:
        if self.values is None:
            return whole_number
        known: dict[str, Label] = {**_TRUTHS} if self.yes_or_no else {}
        known.update((str(value), value) for value in reversed(self.values))
        known.update((value, value) for value in self.values if isinstance(value, str))
        return lambda cell: known.get(text := text_of(cell), text)

    def to_toml(self) -> dict[str, Any]:
        table: dict[str, Any] = (
            {"size": self.count} if self.values is None else {"values": list(self.values)}
        )
        return table if self.sensitive is None else table | {"sensitive": list(self.sensitive)}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Categories:
        if ("values" in table) == ("size" in table):
            given = "both" if "size" in table else None
            raise InvalidInput("values", "Categories", "given, or size in its place", given)
        sensitive = table.get("sensitive")
        if sensitive is not None and not isinstance(sensitive, list):
            raise InvalidInput("sensitive", "Categories", "a list of its values", sensitive)
        if "size" in table:
            return cls(check_int(table["size"], "size", "Categories", 1), sensitive=sensitive)
        if not isinstance(table["values"], list):
            allowed = "a list of distinct names"
            raise InvalidInput("values", "Categories", allowed, table["values"])
        return cls(table["values"], sensitive=sensitive)

    def to_json(self) -> dict[str, Any]:
        named = self.values is not None
        values = list(self.values or ()) if named else None
        plain = {"kind": self.kind, "version": 1, "size": self.count, "values": values}
        if self.sensitive_inputs is None:
            return plain
        return plain | {"version": 2, "sensitive": list(self.sensitive_inputs)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Categories:
        plain = cls(document["size"] if document["values"] is None else document["values"])
        if document.get("version") == 1:
            return plain
        chosen = [
            plain.label(check_int(index, "sensitive", "Categories", 0, plain.count - 1))
            for index in document["sensitive"]
        ]
        return cls(plain.count if plain.values is None else plain.values, sensitive=chosen)

    def __repr__(self) -> str:
        said = str(self.count) if self.values is None else shown(list(self.values))
        if self.sensitive is not None:
            said += f", sensitive={shown(list(self.sensitive))}"
        return f"Categories({said})"


def _label(value: object) -> Label:
    if isinstance(value, str):
        return _text(str(value))
    if isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)):
        return check_int(value, "values", "Categories", -LARGEST_INTEGER, LARGEST_INTEGER)
    raise InvalidInput("values", "Categories", "text or whole numbers", value)


def _text(name: str) -> str:
    """Text that every file and language can carry: valid Unicode, no NUL (numpy cuts it off)."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidInput("values", "Categories", "valid Unicode text", name) from None
    if "\0" in name:
        raise InvalidInput("values", "Categories", "text without NUL characters", name)
    return name
