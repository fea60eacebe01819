"""Groups of answers to a question: one, several, or the numbers between two."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain

__all__ = ["group_of"]


def group_of(domain: Domain, group: Any) -> Floats:
    """How much of every answer belongs to the group, from 0 to 1.

    A pair (a tuple) of numbers is all numbers between them, bins at the ends in proportion.

    >>> from sottovoce.domains.interval import Interval
    >>> group_of(Interval(0, 40, bins=4), (15, 40)).tolist()
    [0.0, 0.5, 1.0, 1.0]
    """
    if domain.numbers is not None and isinstance(group, tuple) and len(group) == 2:
        return domain.numbers.overlap(*group)
    values = [group] if domain.is_one(group) else list(group)
    if not values:
        raise InvalidInput("group", str(domain), "at least one answer", group)
    found = np.zeros(domain.size)
    found[[domain.index(value) for value in values]] = 1.0
    return found
