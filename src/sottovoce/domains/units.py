"""Units of numbers, such as EUR or hours: text that is shown with every answer."""

from __future__ import annotations

import re

from sottovoce.base.errors import InvalidInput

__all__ = ["check_unit", "in_unit", "with_unit"]

_LONGEST = 24
_UNIT = re.compile(rf"(?:(?! )[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{_LONGEST}}}(?<! ))?")
"""The same in every language, and whatever its version of Unicode."""


def check_unit(unit: object, owner: str) -> str:
    """A unit: short text without control characters and spaces at its ends; empty for none."""
    if not isinstance(unit, str) or not _UNIT.fullmatch(unit):
        allowed = (
            f"text of at most {_LONGEST} characters, none of them a control character, without "
            "spaces at its ends"
        )
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
