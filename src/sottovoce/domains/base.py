"""What a value may be.

A domain checks values, turns them into integer indices (the only thing a
mechanism ever sees), names the indices back, and writes itself as canonical
JSON.  Each kind registers under a word so that JSON can be read again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput

__all__ = ["MOST_INPUTS", "Domain", "Indices", "domain_from_json", "register_domain"]

Indices = NDArray[np.int64]

MOST_INPUTS = 2_500_000
"""Inputs at most: a survey of a few bytes must not cost a device or a collector much memory."""

_KINDS: dict[str, type[Domain]] = {}

D = TypeVar("D", bound="type[Domain]")


class Domain(ABC):
    """A finite set of inputs, numbered ``0 .. size - 1``."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    """Whether neighbouring indices are neighbouring values (smoothing makes sense)."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many inputs there are."""

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

    @property
    def holds_rows(self) -> bool:
        """Whether people hold rows of numbers, where an input is one number of a row."""
        return False

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

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Integers and strings that say everything about the domain."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Mapping[str, Any]) -> Domain:
        """The domain that :meth:`to_json` described."""

    def labels(self) -> list[Any]:
        """All labels in order of index."""
        return [self.label(i) for i in range(self.size)]

    def check(self, value: Any) -> None:
        """Refuse what one person cannot hold."""
        self.index(value)

    def _refuse_empty(self, count: int, values: object) -> None:
        if count == 0:
            raise InvalidInput("values", str(self), "at least one value", values)


def register_domain(cls: D) -> D:
    """Make a kind of domain readable from JSON."""
    _KINDS[cls.kind] = cls
    return cls


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
