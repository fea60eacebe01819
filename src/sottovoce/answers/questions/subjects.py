"""What questions about a domain can be about: its values, its numbers, or its keys."""

from __future__ import annotations

from typing import NamedTuple

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.parsing import read_value

__all__ = ["SUBJECTS", "Parts", "can_be_written", "parts_of"]

SUBJECTS = ("values", "numbers", "keys")
"""What a question is about, in the order in which a command shows its options."""


class Parts(NamedTuple):
    """The keys and the numbers of a domain; None where it has none."""

    keys: Domain | None
    numbers: Interval | None

    @property
    def subject(self) -> str:
        """What a form asks about: keys before numbers, numbers before values."""
        if self.keys is not None:
            return "keys"
        return "values" if self.numbers is None else "numbers"


def parts_of(domain: Domain) -> Parts:
    """The keys and the numbers that can be asked about.

    >>> parts_of(KeyValues(["film", "book"], 0, 5, bins=4)).subject
    'keys'
    >>> parts_of(Interval(0, 100, bins=10)).subject
    'numbers'
    """
    if isinstance(domain, KeyValues):
        return Parts(domain.keys, domain.interval)
    return Parts(None, domain if isinstance(domain, Interval) else None)


def can_be_written(domain: Domain) -> bool:
    """Whether a value of a domain can be written as one text; those of pairs and vectors cannot."""
    try:
        read_value("", domain, "value", "a question")
    except Unfit:
        return False
    except InvalidInput:  # a number, which is not empty
        return True
    return True
