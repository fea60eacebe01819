"""Keys together with numbers: which items, and how each was rated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain, Indices, Read, TomlKeys, register_domain
from sottovoce.domains.categories import Categories, Label
from sottovoce.domains.interval import Interval
from sottovoce.domains.pair_sets import PairSets, arrays_of, numbers_of, read_sets

__all__ = ["NO_PAIR", "KeyValues"]

NO_PAIR = -1
"""Where a key would stand, in columns of pairs: nothing was held in that slot."""


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class KeyValues(Domain):
    """Pairs of a key and a number, such as ratings of films.

    Pair ``(k, bin)`` has index ``k * bins + bin``. Without ``pairs`` every person holds one pair.
    With ``pairs=l`` every person holds a set of 1 to l pairs with distinct keys, a dict or a list of
    pairs, and one of l slots is drawn. Counted are the drawn slots: the pairs, and one more input,
    the last, for an empty slot (its label is None).

    Parameters
    ----------
    keys : int, iterable, or Categories
        The keys.
    low, high : float
        Bounds of the numbers.
    bins : int
        Bins of the numbers. One bin per whole number is refused as in :class:`Interval`; ratings
        from 1 to 5 are in the middle of 5 bins from 0.5 to 5.5.
    pairs : int, optional
        The most pairs per person.
    larger : str
        What happens to a larger set: ``"refuse"``, or ``"sample"`` to draw one of its pairs, which
        makes the frequencies of its keys too low.

    Examples
    --------
    >>> ratings = KeyValues(["film", "book"], 0, 5, bins=10)
    >>> ratings.index(("book", 5)), ratings.label(0)
    (19, ('film', (0.0, 0.5)))
    >>> ratings = KeyValues(["film", "book"], 0, 5, bins=10, pairs=2)
    >>> ratings.size, ratings.index(None), ratings.label(20)
    (21, 20, None)
    >>> held = ratings.sets([{"film": 4.5}, {"film": 1, "book": 2}])
    >>> held.sizes.tolist(), held.keys.tolist(), held.numbers.tolist()
    ([1, 2], [0, 0, 1], [4.5, 1.0, 2.0])
    """

    kind: ClassVar[str] = "key-values"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("keys", "low", "high"), ("bins", "pairs", "larger"),
        "keys, low, high, bins; pairs, larger for sets of pairs",
    )  # fmt: skip

    keys: Categories
    interval: Interval
    pairs: int | None
    larger: str

    def __init__(
        self, keys: int | Iterable[Label] | Categories, low: float, high: float, bins: int = 64,
        *, pairs: int | None = None, larger: str = "refuse",
    ) -> None:  # fmt: skip
        named = keys if isinstance(keys, Categories) else Categories(keys)
        numbers = Interval.agreed(low, high, bins)
        if numbers.misleads:
            wider = f"low={numbers.low - 0.5:g}, high={numbers.high + 0.5:g}"
            hint = f"With {wider} every whole number is in the middle of a bin."
            raise numbers.refusal("KeyValues", hint)
        self._fill(named, numbers, pairs, larger)

    def _fill(self, keys: Categories, interval: Interval, pairs: int | None, larger: str) -> None:
        """Check what is left to be checked, and set the fields."""
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "interval", interval)
        most = None if pairs is None else check_int(pairs, "pairs", "KeyValues", 1)
        object.__setattr__(self, "pairs", most)
        check_choice(larger, "larger", "KeyValues", ("refuse", "sample"))
        if pairs is None and larger != "refuse":
            allowed = "left out where people hold one pair each (pairs is None)"
            raise InvalidInput("larger", "KeyValues", allowed, larger)
        object.__setattr__(self, "larger", larger)

    @property
    def size(self) -> int:
        return self.keys.size * self.interval.size + (self.pairs is not None)

    @property
    def stretches(self) -> tuple[int, ...]:
        """The numbers of every key by themselves, and where people hold sets no pair."""
        return (self.interval.size,) * self.keys.size + (1,) * (self.pairs is not None)

    @property
    def keyed(self) -> KeyValues:
        return self

    @property
    def holds_sets(self) -> bool:
        return self.pairs is not None

    # -- inputs: pairs, and where people hold sets also no pair ------------------------

    def is_one(self, values: object) -> bool:
        if values is None:
            return self.pairs is not None
        return isinstance(values, tuple) and len(values) == 2 and self.keys.is_one(values[0])

    def index(self, value: Any) -> int:
        if not self.is_one(value):
            raise InvalidInput("value", str(self), "a pair (key, number)", value)
        if value is None:
            return self.size - 1
        key, number = value
        return self.keys.index(key) * self.interval.size + self.interval.index(number)

    def indices(self, values: Any) -> Indices:
        keys, numbers = self.columns(values)
        found = np.full(len(keys), self.size - 1, dtype=np.int64)
        held = keys != NO_PAIR
        if held.any():
            found[held] = keys[held] * self.interval.size + self.interval.indices(numbers[held])
        return found

    def columns(self, values: Any) -> tuple[Indices, NDArray[Any]]:
        """A batch of pairs as two columns: places of keys (or :data:`NO_PAIR`), and numbers.

        A batch is a list of pairs, or a tuple of two arrays, keys and numbers.  Keys are
        checked here, numbers where they are placed.
        """
        if (arrays := arrays_of(values, 2)) is not None:
            keys, numbers = arrays
            self._refuse_empty(len(keys), values)
            return self.keys.indices(keys), numbers
        if not isinstance(values, Iterable):
            raise InvalidInput("values", str(self), "pairs (key, number)", values)
        pairs = list(values)
        self._refuse_empty(len(pairs), values)
        wrong = [pair for pair in pairs if not self.is_one(pair)]
        if wrong:
            hint = "Sets of pairs are for the mechanism key-value." if self.pairs else ""
            raise InvalidInput("values", str(self), "pairs (key, number)", wrong[0], hint=hint)
        held = [pair for pair in pairs if pair is not None]
        places = np.full(len(pairs), NO_PAIR, dtype=np.int64)
        told = numbers_of(held, str(self))
        numbers = np.full(len(pairs), self.interval.low, dtype=told.dtype if held else np.float64)
        if held:
            where = np.fromiter((pair is not None for pair in pairs), dtype=bool, count=len(pairs))
            places[where] = self.keys.indices([key for key, _ in held])
            numbers[where] = told
        return places, numbers

    def label(self, index: int) -> tuple[Label, tuple[float, float]] | None:
        key, bin_ = divmod(index, self.interval.size)
        if key == self.keys.size and self.pairs is not None:
            return None
        return self.keys.label(key), self.interval.label(bin_)

    # -- what people hold --------------------------------------------------------------

    def sets(self, values: Any) -> PairSets:
        """One set of pairs, or many, checked; one bad set refuses the whole batch.

        Many are a list of dicts or of lists of pairs; or a tuple of three arrays, person, key
        and number, one row a pair, people in order of their first array; or one of two
        arrays, keys and numbers, one pair a person.
        """
        if self.pairs is None:
            raise InvalidInput("pairs", str(self), "given for sets of pairs", None)
        sets = read_sets(
            values, self.keys, most=self.pairs, refuse=self.larger == "refuse", owner=str(self)
        )
        self.interval.indices(sets.numbers)  # refuses what lies outside
        return sets

    def check(self, value: Any) -> None:
        if self.pairs is None:
            super().check(value)
        elif len(self.sets(value).sizes) != 1:
            raise InvalidInput("value", str(self), "a single set of pairs", value)

    # -- in words and as text ------------------------------------------------------------

    def summary(self) -> str:
        held = "one of" if self.pairs is None else f"up to {self.pairs} of"
        return f"{held} {self.keys.size:,} keys, each with {self.interval.summary()}"

    def in_words(self) -> str:
        held = "one pair" if self.pairs is None else f"1 to {self.pairs} pairs"
        return f"{held} of a key ({self.keys.in_words()}) and {self.interval.in_words()}"

    def reader(self) -> Read:
        raise Unfit(f"a pair of {self} cannot be read from one text; pairs are asked about by key")

    # -- as JSON and TOML ----------------------------------------------------------------

    def to_toml(self) -> dict[str, Any]:
        keys = self.keys.size if self.keys.values is None else list(self.keys.values)
        sets = {} if self.pairs is None else {"pairs": self.pairs, "larger": self.larger}
        return {"keys": keys, **self.interval.to_toml(), **sets}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> KeyValues:
        try:
            return cls(**table)
        except InvalidInput as error:
            if error.owner != "Categories":
                raise
            raise InvalidInput(
                "keys", "KeyValues", error.allowed, error.given, hint=error.hint
            ) from error

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": 1,
            "keys": self.keys.to_json(),
            "interval": self.interval.to_json(),
            "pairs": self.pairs,
            "larger": self.larger,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> KeyValues:
        made = object.__new__(cls)  # an interval that was agreed on may be off centre
        interval = Interval.from_json(document["interval"])
        keys = Categories.from_json(document["keys"])
        made._fill(keys, interval, document["pairs"], document["larger"])
        return made

    def __repr__(self) -> str:
        sets = "" if self.pairs is None else f", pairs={self.pairs}"
        return f"KeyValues({self.keys}, {self.interval}{sets})"
