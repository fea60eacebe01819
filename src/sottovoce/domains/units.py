"""Units of numbers, such as EUR or hours: text that is shown with every answer."""

from __future__ import annotations

from sottovoce.base.errors import InvalidInput

__all__ = ["check_unit", "in_unit", "with_unit"]

_LONGEST = 24


def check_unit(unit: object, owner: str) -> str:
    """A unit: short printable text without spaces at its ends; empty for none."""
    if (
        not isinstance(unit, str)
        or not unit.isprintable()
        or unit != unit.strip()
        or len(unit) > _LONGEST
    ):
        allowed = f"printable text of at most {_LONGEST} characters, without spaces at its ends"
        raise InvalidInput("unit", owner, allowed, unit)
    return unit


def in_unit(text: str, unit: str) -> str:
    """
    >>> in_unit("a number from 0 to 9", "EUR"), in_unit("a number", "")
    ('a number from 0 to 9, in EUR', 'a number')
    """
    return f"{text}, in {unit}" if unit else text


def with_unit(text: str, unit: str) -> str:
    """A head, such as that of a column or an axis.

    >>> with_unit("rent", "EUR"), with_unit("rent", "")
    ('rent (EUR)', 'rent')
    """
    return f"{text} ({unit})" if unit else text
