"""How the text of a question is read, on a command line, in an address or in a form.

A text becomes the arguments of the method that answers the question.  Whether a value is in the
domain is left to the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce.answers.questions.subjects import parts_of
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain
from sottovoce.domains.parsing import read_value, split_list

__all__ = [
    "BOUNDS", "COUNT", "FLAG", "KEY", "NUMBER", "UPPER", "VALUE", "VALUES", "Context", "Text",
]  # fmt: skip


@dataclass(frozen=True)
class Context:
    """Where a text was written, for reading it and for errors about it."""

    domain: Domain
    parameter: str
    """The name of the question as it is spelled there: ``range``, ``--range``."""
    owner: str
    example: str = ""
    """A text that the question takes, about this domain."""

    def value(self, text: str, domain: Domain) -> Any:
        """A value of a domain."""
        return read_value(text, domain, self.parameter, self.owner)

    def invalid(self, allowed: str, text: str) -> InvalidInput:
        """The error for a text that cannot be read."""
        return InvalidInput(self.parameter, self.owner, allowed, text)


@dataclass(frozen=True, eq=False)
class Text:
    """A way to write the arguments of a question.

    ``read`` returns the arguments, or None where the text says that nothing is asked.
    """

    read: Callable[[str, Context], tuple[Any, ...] | None]
    option: type = str
    """The type of the option on the command line; ``bool`` for an option without a value."""
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    """The JSON Schema of a text in an address."""
    hint: str = ""
    """How to write it in an address, where the summary of the question does not say so."""
    names_values: bool = False
    """Whether values of the domain stand in the text; those of pairs cannot be written."""


def _value(text: str, context: Context) -> tuple[Any]:
    return (context.value(text, context.domain),)


def _values(text: str, context: Context) -> tuple[list[Any]]:
    items = split_list(text, context.parameter, context.owner)
    return ([context.value(item, context.domain) for item in items],)


def _key(text: str, context: Context) -> tuple[Any]:
    keys = parts_of(context.domain).keys
    return (text if keys is None else context.value(text, keys),)


def _count(text: str, context: Context) -> tuple[int]:
    try:
        count = int(text)
    except ValueError:
        raise context.invalid("a whole number of at least 1", text) from None
    return (check_int(count, context.parameter, context.owner, 1),)


def _dates_of(context: Context) -> Domain | None:
    """The dates that are asked about; None where they are numbers."""
    numbers = parts_of(context.domain).numbers
    return None if numbers is None else numbers.dates


def _bounds(text: str, context: Context) -> tuple[Any, Any]:
    low, _, high = text.partition(":")
    if (dates := _dates_of(context)) is not None:
        return context.value(low, dates), context.value(high, dates)
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = math.nan, math.nan
    if not all(map(math.isfinite, bounds)):
        raise context.invalid(f"two numbers such as {context.example}", text)
    return bounds


def _number(text: str, context: Context) -> tuple[float]:
    try:
        return (float(text),)
    except ValueError:
        raise context.invalid("a number", text) from None


def _upper(text: str, context: Context) -> tuple[Any]:
    if (dates := _dates_of(context)) is not None:
        return (context.value(text, dates),)
    return _number(text, context)


def _flag(text: str, context: Context) -> tuple[()] | None:
    if text not in ("0", "1"):
        raise context.invalid("1, or 0", text)
    return () if text == "1" else None


VALUE = Text(_value, names_values=True)
"""One value of the domain."""
VALUES = Text(_values, names_values=True)
"""Several values of the domain, separated by commas."""
KEY = Text(_key)
"""One key of a domain of pairs; questions about numbers are then about this key."""
COUNT = Text(_count, int, {"type": "integer", "minimum": 1})
"""How many answers."""
BOUNDS = Text(_bounds)
"""Two numbers, ``LOW:HIGH``."""
NUMBER = Text(_number, float, {"type": "number"})
"""One number."""
UPPER = Text(_upper)
"""One number, or a date."""
FLAG = Text(_flag, bool, {"type": "string", "enum": ["0", "1"]}, "1 to ask for it")
"""Nothing: whether the question is asked."""
