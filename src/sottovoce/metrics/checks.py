"""What every measure asks of an estimate and a truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval

__all__ = ["edges_of", "summing_to_one", "two_distributions", "two_shares"]

_OFF = 1e-6
"""By how much a sum of shares may miss 1, and a share be below 0."""


def two_shares(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    """Both as arrays of one shape: finite numbers, equally many in a row."""
    checked = []
    for name, given in (("estimate", estimate), ("truth", truth)):
        try:
            array = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(name, owner, "numbers, equally many in a row", given) from None
        if array.ndim == 0 or array.shape[-1] == 0:
            raise InvalidInput(name, owner, "at least one share", given)
        if not np.isfinite(array).all():
            raise InvalidInput(name, owner, "finite", float(array[~np.isfinite(array)][0]))
        checked.append(array)
    found, true = checked
    if found.shape[-1] != true.shape[-1]:
        given = f"{found.shape[-1]} and {true.shape[-1]}"
        raise InvalidInput("estimate and truth", owner, "of the same length", given)
    try:
        return tuple(np.broadcast_arrays(found, true))  # type: ignore[return-value]
    except ValueError:
        given = f"{found.shape} and {true.shape}"
        raise InvalidInput("estimate and truth", owner, "rows that match", given) from None


def summing_to_one(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    """Both as arrays of one shape, every row with sum 1."""
    both = two_shares(estimate, truth, owner)
    for name, shares in zip(("estimate", "truth"), both, strict=True):
        sums = shares.sum(axis=-1)
        if (off := np.abs(sums - 1) > _OFF).any():
            raise InvalidInput(name, owner, "shares that sum to 1", float(sums[off].flat[0]))
    return both


def two_distributions(estimate: Any, truth: Any, owner: str) -> tuple[Floats, Floats]:
    """Both as arrays of one shape, every row with sum 1 and nowhere negative."""
    both = summing_to_one(estimate, truth, owner)
    for name, shares in zip(("estimate", "truth"), both, strict=True):
        if (least := float(shares.min(initial=0.0))) < -_OFF:
            hint = 'then="norm-sub" makes a distribution of an estimate'
            raise InvalidInput(name, owner, "shares that are not negative", least, hint=hint)
    return both


def edges_of(domain: Interval | None, d: int, owner: str) -> Floats:
    """The edges of the bins; without a domain, of equal ones from 0 to 1."""
    if domain is None:
        return np.arange(d + 1) / d
    numbers = domain.numbers if isinstance(domain, Domain) else None
    if numbers is None or numbers.bins != d:
        raise InvalidInput("domain", owner, f"an Interval with {d} bins", domain)
    numbers.require_closed(owner)
    return numbers.edges
