"""What questions about a domain can be about: its values, its numbers, or its keys."""

from __future__ import annotations

from typing import NamedTuple

from sottovoce.base.errors import Unfit
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval

__all__ = ["SUBJECTS", "Parts", "can_be_written", "parts_of"]

SUBJECTS = ("values", "numbers", "keys")
"""What a question is about, in the order in which a command shows its options."""


class Parts(NamedTuple):
    """The keys and the numbers of a domain, or its dates; None where it has none."""

    keys: Domain | None
    numbers: Interval | None

    @property
    def subject(self) -> str:
        """What a form asks about: keys before numbers, numbers before values."""
        if self.keys is not None:
            return "keys"
        return "values" if self.numbers is None else "numbers"


def parts_of(domain: Domain) -> Parts:
    """The keys and the numbers that can be asked about; where people may decline, of those who answer.

    >>> from sottovoce.domains.key_values import KeyValues
    >>> parts_of(KeyValues(["film", "book"], 0, 5, bins=4)).subject
    'keys'
    >>> parts_of(Interval(0, 100, bins=10)).subject
    'numbers'
    """
    if (pairs := domain.keyed) is not None:
        return Parts(pairs.keys, pairs.interval)
    answers = domain if domain.may_decline is None else domain.may_decline.domain
    return Parts(None, answers.numbers or answers.dates)


def can_be_written(domain: Domain) -> bool:
    """Whether a value of a domain can be written as one text; those of pairs and vectors cannot."""
    try:
        domain.reader()
    except Unfit:
        return False
    return True
