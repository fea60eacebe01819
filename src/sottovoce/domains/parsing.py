"""Values as people write them: a text into a value of a domain, a list into its items."""

from __future__ import annotations

import csv
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain

__all__ = ["text_of", "read_value", "split_list", "whole_number"]


def read_value(text: str, domain: Domain, parameter: str, owner: str) -> Any:
    """A value that was written; whether it is in the domain is left to the domain.

    >>> from sottovoce.domains.interval import Interval
    >>> read_value("25", Interval(0, 100, bins=10), "share", "a question")
    25.0
    """
    read = domain.reader()
    try:
        return read(text)
    except ValueError:
        raise InvalidInput(parameter, owner, f"{domain.written_as}, of {domain}", text) from None


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


def whole_number(cell: Any) -> int:
    """A cell as a whole number, which tables may hold as a float; else a ``ValueError``."""
    if isinstance(cell, float):
        if not cell.is_integer():
            raise ValueError(cell)
        return int(cell)
    return int(cell)
