"""Values as people write them: a text into a value of a domain, a list into its items."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval

__all__ = ["Read", "text_of", "read_value", "reader_of", "split_list"]

Read = Callable[[Any], Any]
"""What makes a text, or the cell of a table, a value; a ``ValueError`` where it is none."""


def reader_of(domain: Domain) -> Read:
    """How a text or a cell becomes a value of the domain."""
    if isinstance(domain, Interval):
        return float
    if isinstance(domain, Categories):
        if domain.values is None:
            return _whole_number
        known: dict[str, Any] = {str(value): value for value in reversed(domain.values)}
        known.update((value, value) for value in domain.values if isinstance(value, str))
        return lambda cell: known.get(text := text_of(cell), text)
    raise Unfit(
        f"values of Categories and of an Interval can be written, not those of {domain}; "
        "pairs are asked about by key"
    )


def read_value(text: str, domain: Domain, parameter: str, owner: str) -> Any:
    """A value that was written; whether it is in the domain is left to the domain.

    >>> read_value("25", Interval(0, 100, bins=10), "share", "a question")
    25.0
    """
    read = reader_of(domain)
    try:
        return read(text)
    except ValueError:
        kind = "a number" if isinstance(domain, Interval) else "a whole number"
        raise InvalidInput(parameter, owner, f"{kind}, of {domain}", text) from None


def split_list(text: str, parameter: str, owner: str) -> list[str]:
    """A list by commas; no item may be empty.

    >>> split_list('a,"b, with comma",c', "total", "a question")
    ['a', 'b, with comma', 'c']
    """
    try:
        items = next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        allowed = f"a list such as a,b,c ({error})"
        raise InvalidInput(parameter, owner, allowed, text) from error
    if not items or not all(item.strip() for item in items):
        raise InvalidInput(parameter, owner, "a list such as a,b,c, without empty items", text)
    return items


def text_of(cell: Any) -> str:
    """A cell as text; tables hold whole numbers as floats wherever a column has gaps."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _whole_number(cell: Any) -> int:
    if isinstance(cell, float):
        if not cell.is_integer():
            raise ValueError(cell)
        return int(cell)
    return int(cell)
