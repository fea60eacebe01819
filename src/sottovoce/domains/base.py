"""What a value may be.

A domain checks values, turns them into integer indices (the only thing a
mechanism ever sees), names the indices back, and writes itself as canonical
JSON.  It also describes itself in words, reads values from text, and writes
itself as TOML.  Each kind registers under a word so that JSON and TOML can be
read again: a new kind is one file and one import in ``sottovoce/__init__.py``.

Code elsewhere does not test for kinds.  It calls a method of the domain, or asks
what the domain holds: :attr:`Domain.numbers`, :attr:`Domain.dates`, :attr:`Domain.keyed`, :attr:`Domain.vector`,
:attr:`Domain.record` and :attr:`Domain.choices` are the domain itself, typed as such, or None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit

if TYPE_CHECKING:
    from sottovoce.domains.choices import Choices
    from sottovoce.domains.dates import Dates
    from sottovoce.domains.interval import Interval
    from sottovoce.domains.key_values import KeyValues
    from sottovoce.domains.may_decline import MayDecline
    from sottovoce.domains.record import Record
    from sottovoce.domains.vector import Vector

__all__ = [
    "MOST_INPUTS", "Domain", "Indices", "Read", "TomlKeys", "check_version", "domain_from_json",
    "domain_kinds", "register_domain",
]  # fmt: skip

Indices = NDArray[np.int64]

Read = Callable[[Any], Any]
"""Turns a text, or the cell of a table, into a value; raises ``ValueError`` where it cannot."""

MOST_INPUTS = 2_500_000
"""Inputs at most: a survey of a few bytes must not cost a device or a collector much memory."""

_KINDS: dict[str, type[Domain]] = {}

D = TypeVar("D", bound="type[Domain]")


@dataclass(frozen=True)
class TomlKeys:
    """Keys of a kind of domain in a TOML file: required, optional, and a comment on them."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    comment: str


class Domain(ABC):
    """A finite set of inputs, numbered ``0 .. size - 1``."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    """Whether neighbouring indices are neighbouring values (smoothing makes sense)."""
    written_as: ClassVar[str] = "a value"
    """What a text must be for :meth:`reader` to read it, for messages."""
    toml: ClassVar[TomlKeys | None] = None
    """Keys in a TOML file; None if such domains are written as JSON only."""
    unit: str = ""
    """What numbers are of, such as EUR; empty where nothing is said."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many inputs there are."""

    @property
    def sensitive_inputs(self) -> tuple[int, ...] | None:
        """The inputs that must be protected, where a mechanism may reveal all others; else None."""
        return None

    @property
    def stretches(self) -> tuple[int, ...]:
        """Lengths of the stretches of inputs in which neighbours are neighbouring values.

        They follow each other from input 0; empty where inputs have no order.
        """
        return (self.size,) if self.ordered else ()

    @property
    def holds_sets(self) -> bool:
        """Whether people hold sets of inputs, one of which a mechanism has to draw."""
        return False

    # -- what it holds ---------------------------------------------------------------

    @property
    def numbers(self) -> Interval | None:
        """The domain, if a value is one number; else None."""
        return None

    @property
    def keyed(self) -> KeyValues | None:
        """The domain, if a value is a key with a number, or a set of such pairs; else None."""
        return None

    @property
    def vector(self) -> Vector | None:
        """The domain, if a value is a row of numbers; else None."""
        return None

    @property
    def dates(self) -> Dates | None:
        """The domain, if a value is a date; else None."""
        return None

    @property
    def may_decline(self) -> MayDecline | None:
        """The domain, if people may decline to answer; else None."""
        return None

    @property
    def record(self) -> Record | None:
        """The domain, if a value is answers to several questions; else None."""
        return None

    def part(self, question: str) -> Domain:
        """The domain of one question of a record."""
        raise Unfit(f"there are no several questions: the answers are {self}, not a Record")

    @property
    def choices(self) -> Choices | None:
        """The domain, if a value is a set of options; else None."""
        return None

    @property
    def answered(self) -> Domain:
        """The values whose shares are estimated: the domain itself, or of sets of options these."""
        return self

    # -- values and inputs -----------------------------------------------------------

    @abstractmethod
    def is_one(self, values: object) -> bool:
        """Whether ``values`` is a single value rather than a batch."""

    @abstractmethod
    def index(self, value: Any) -> int:
        """The index of one value; an error names the value and what is allowed."""

    @abstractmethod
    def indices(self, values: Any) -> Indices:
        """The indices of a batch; one bad value refuses the whole batch."""

    @abstractmethod
    def label(self, index: int) -> Any:
        """The value (or bin, or pair) that an index stands for."""

    def labels(self) -> list[Any]:
        """All labels in order of index."""
        return [self.label(i) for i in range(self.size)]

    def unnamed(self) -> Domain:
        """A domain of the same size and order that is cheap to copy: without names."""
        return self

    def check(self, value: Any) -> None:
        """Refuse what one person cannot hold."""
        self.index(value)

    def _refuse_empty(self, count: int, values: object) -> None:
        if count == 0:
            raise InvalidInput("values", str(self), "at least one value", values)

    # -- values outside --------------------------------------------------------------

    @property
    def outside_rules(self) -> tuple[str, ...]:
        """Rules that a survey may have for values outside the domain."""
        return ("refuse",)

    def admit(self, value: Any, rule: str) -> Any:
        """The value that a device randomizes for ``value``, by a rule for values outside."""
        try:
            self.check(value)
        except InvalidInput:
            if rule == "refuse":
                raise
            return self._replaced(value, rule)
        return value

    def _replaced(self, value: Any, rule: str) -> Any:
        """The value inside that stands for one outside, by a rule other than "refuse"."""
        allowed = f"one of {', '.join(self.outside_rules)}"
        raise InvalidInput("outside", str(self), allowed, rule)

    # -- in words and as text --------------------------------------------------------

    def summary(self) -> str:
        """What a value may be, in a few words."""
        return "one value" if self.size == 1 else f"one of {self.size:,} values"

    def in_words(self) -> str:
        """What a value may be, in full, for the people asked."""
        return self.summary()

    def reader(self) -> Read:
        """What reads a value from a text; whether it is in the domain is checked elsewhere."""
        raise Unfit(f"a value of {self} cannot be read from one text")

    # -- as JSON and TOML ------------------------------------------------------------

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Integers and strings that say everything about the domain."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Mapping[str, Any]) -> Domain:
        """The domain that :meth:`to_json` described."""

    def to_toml(self) -> dict[str, Any]:
        """The keys of a TOML table, in order; by default the attributes named as the keys."""
        if self.toml is None:
            raise Unfit(f"{self} cannot be written as TOML")
        return {key: getattr(self, key) for key in (*self.toml.required, *self.toml.optional)}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Domain:
        """The domain of a TOML table with keys of :attr:`toml`; by default its arguments."""
        return cls(**table)


def register_domain(cls: D) -> D:
    """Make a kind of domain readable from JSON and TOML; a word stands for one kind only."""
    if cls.kind in _KINDS:
        allowed = f"another word than {', '.join(sorted(_KINDS))}"
        raise InvalidInput("kind", cls.__name__, allowed, cls.kind)
    _KINDS[cls.kind] = cls
    return cls


def domain_kinds() -> dict[str, type[Domain]]:
    """The registered kinds of domain by their words, in alphabetical order."""
    return dict(sorted(_KINDS.items()))


def check_version(document: Mapping[str, Any], known: tuple[int, ...]) -> int:
    """The version of a domain's document; one that is not known is refused."""
    version = document["version"]
    if version not in known or isinstance(version, bool):
        told = ", ".join(map(str, known))
        raise CorruptBytes(
            f"a {document['kind']} domain of version {version!r}; this version knows {told}"
        )
    return int(version)


def domain_from_json(document: Mapping[str, Any]) -> Domain:
    """Rebuild a domain from its JSON; unknown kinds are refused by name."""
    kind = document.get("kind") if isinstance(document, Mapping) else document
    if not isinstance(kind, str) or kind not in _KINDS:
        raise CorruptBytes(
            f"unknown kind of domain {kind!r}; this version knows {', '.join(sorted(_KINDS))}"
        )
    read: Callable[[Mapping[str, Any]], Domain] = _KINDS[kind].from_json
    try:
        return read(document)
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptBytes(f"the description of a {kind} domain is incomplete: {error}") from error
