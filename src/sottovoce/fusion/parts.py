"""Some services, or some users, of a fusion: without reading their reports again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.fusion.factors import Factor, Varying
from sottovoce.fusion.joining.aligned import Aligned
from sottovoce.fusion.services import Fusion, Services

__all__ = ["Part", "patterns", "without"]

Rows = NDArray[np.int64]
Users = slice | NDArray[np.bool_]

_MOST_SERVICES = 62
"""Services of which a 64-bit word tells which a user has."""


class Part(Fusion):
    """Chosen columns and users of a fusion, with its tables and numbers as they are."""

    def __init__(
        self, whole: Services, *, services: Sequence[int] | None = None, users: Users | None = None
    ) -> None:
        self._whole = whole
        self._columns = list(range(len(whole.names))) if services is None else list(services)
        self._users: Users = slice(None) if users is None else users
        super().__init__(_chosen(whole.aligned, self._columns, self._users))

    @cached_property
    def factors(self) -> list[Factor]:
        return [self._whole.factors[j].of_users(self._users) for j in self._columns]

    @cached_property
    def numbers(self) -> list[Varying]:
        return [self._whole.numbers[j].of_users(self._users) for j in self._columns]


def _chosen(aligned: Aligned, columns: Sequence[int], users: Users) -> Aligned:
    everybody = isinstance(users, slice) and users == slice(None)
    places = None if everybody else np.arange(aligned.entries)[users]

    def pick(of: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(of[j] for j in columns)

    rows = tuple(
        old if places is None else places if old is None else old[places]
        for old in pick(aligned.rows)
    )
    n, counts = aligned.n, aligned.counts
    if places is not None:
        counts = None if counts is None else counts[places]
        n = len(places) if counts is None else int(counts.sum())
    return Aligned(
        pick(aligned.names), pick(aligned.mechanisms), pick(aligned.reports), rows, n,
        pick(aligned.certified), counts,
    )  # fmt: skip


def without(whole: Services, column: int) -> Part | None:
    """All services but one, with the users who told another; None where nobody did."""
    others = [j for j in range(len(whole.names)) if j != column]
    if not others:
        return None
    have = [whole.aligned.rows[j] for j in others]
    if any(rows is None for rows in have):
        return Part(whole, services=others)
    left = np.zeros(whole.aligned.entries, dtype=np.bool_)
    for rows in have:
        assert rows is not None
        left |= rows >= 0
    if not left.any():
        return None
    return Part(whole, services=others, users=None if left.all() else left)


def patterns(aligned: Aligned) -> list[tuple[tuple[int, ...], int]]:
    """Which services users told, and how many users told just these; most users first."""
    if len(aligned) > _MOST_SERVICES:
        raise InvalidInput("services", "budget", f"at most {_MOST_SERVICES}", len(aligned))
    if all(rows is None for rows in aligned.rows):
        return [(tuple(range(len(aligned))), aligned.n)]
    told = np.zeros(aligned.entries, dtype=np.int64)
    for j, rows in enumerate(aligned.rows):
        told |= np.int64(1 << j) if rows is None else np.where(rows >= 0, np.int64(1 << j), 0)
    found, which = np.unique(told, return_inverse=True)
    counts = np.bincount(which, aligned.counts)
    each = [
        (tuple(j for j in range(len(aligned)) if int(word) >> j & 1), int(count))
        for word, count in zip(found, counts, strict=True)
    ]
    return sorted(each, key=lambda pattern: (-pattern[1], pattern[0]))
