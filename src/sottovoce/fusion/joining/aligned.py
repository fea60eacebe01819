"""Reports of several services, person by person.

Users are aligned by position, or by keys: a column for every service that tells people
apart (:mod:`sottovoce.fusion.joining.keys`).  Not everybody uses every service, so a user may have no report
in some of them.  Users are in order of key: neither the order of rows nor that of services matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.frame import Frame
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Domain
from sottovoce.fusion.joining.keys import read_keys
from sottovoce.fusion.joining.matching import check_common, check_kinds, in_common, match, places

__all__ = ["Aligned", "align", "check_domains", "columns_of", "service_names", "times_each"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Aligned:
    """Reports of ``n`` users, a column for every service; a repeat of a service is one of its own.

    ``rows[j]`` tells the row of each user in ``reports[j]``, -1 where there is none; None stands
    for row i being user i.  ``n`` counts users with at least one report.  ``certified[j]`` is
    False where reports were made elsewhere with floats: their privacy is as claimed, not proved.

    Users with equal reports may be counted instead: ``counts`` then says how many users each entry
    of ``rows`` stands for.  None is one user each.
    """

    names: tuple[str, ...]
    mechanisms: tuple[Mechanism, ...]
    reports: tuple[Reports, ...]
    rows: tuple[Rows | None, ...]
    n: int
    certified: tuple[bool, ...]
    counts: Rows | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def domain(self) -> Domain:
        """What a value may be, the same in all services."""
        return self.mechanisms[0].domain

    def count(self, column: int) -> int:
        """How many users have a report there."""
        rows = self.rows[column]
        if rows is None:
            return self.n
        present = rows >= 0
        return int(np.count_nonzero(present) if self.counts is None else self.counts[present].sum())

    @property
    def entries(self) -> int:
        """How many entries ``rows`` has: users, or different combinations of reports."""
        return self.n if self.counts is None else len(self.counts)

    def frame(self) -> Frame:
        """The services: mechanism, epsilon, users, their part of all, and whether certified."""
        users = [self.count(j) for j in range(len(self))]
        return Frame(
            {
                "service": list(self.names),
                "mechanism": [mechanism.name for mechanism in self.mechanisms],
                "epsilon": [mechanism.epsilon for mechanism in self.mechanisms],
                "users": users,
                "part": [count / self.n for count in users],
                "certified": ["yes" if certified else "no" for certified in self.certified],
            }
        )


def align(
    mechanisms: Sequence[Mechanism] | None,
    reports: Sequence[Reports],
    *,
    keys: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    repeats: Mapping[str, int] | Sequence[int] | None = None,
) -> Aligned:
    """Reports by person.

    Without ``keys`` row i is the same person everywhere.  ``keys`` has a column for every service,
    all of whole numbers, all of bytes, or all of text; a person who is missing somewhere is
    no error.  A key twice in one service is, unless ``repeats`` declares how many
    reports a person may have there, by name or in order of services: they then become columns
    ``bank#1``, ``bank#2``.

    ``mechanisms`` may be None: reports know theirs.

    >>> import sottovoce as sv
    >>> bank = sv.mechanism("pm", sv.Interval(0, 100, bins=64), 1.0)
    >>> shop = sv.mechanism("sw", sv.Interval(0, 100, bins=64), 2.0)
    >>> both = align(
    ...     [bank, shop], [bank.randomize([20.0, 30.0]), shop.randomize([30.0, 40.0])],
    ...     keys=[["ann", "ben"], ["ben", "cleo"]], names=["bank", "shop"],
    ... )
    >>> both.n, [rows.tolist() for rows in both.rows]
    (3, [[0, 1, -1], [-1, 0, 1]])
    """
    known = service_names(names, len(reports))
    given = list(mechanisms) if mechanisms is not None else [None] * len(reports)
    if len(given) != len(reports) or not reports:
        allowed = f"one for each of the {len(reports)} services" if reports else "at least one"
        raise InvalidInput("mechanisms", "align", allowed, len(given))
    for name, mechanism, told in zip(known, given, reports, strict=True):
        _check_reports(name, mechanism, told)
    check_domains(known, [told.mechanism for told in reports])
    each = times_each(known, repeats)
    if keys is None:
        if repeats is not None:
            raise InvalidInput("repeats", "align", "left out without keys", repeats)
        _check_lengths(known, reports)
        return columns_of(known, each, reports, [[None]] * len(reports), len(reports[0]))
    return _by_keys(known, each, reports, keys)


def _by_keys(
    names: Sequence[str], repeats: Sequence[int], reports: Sequence[Reports], keys: Sequence[Any]
) -> Aligned:
    if isinstance(keys, (str, bytes)) or len(keys) != len(reports):
        allowed = f"a column for each of the {len(reports)} services"
        given = type(keys).__name__ if isinstance(keys, (str, bytes)) else f"{len(keys)} columns"
        raise InvalidInput("keys", "align", allowed, given)
    read = [read_keys(k, f"service {name!r}") for name, k in zip(names, keys, strict=True)]
    for name, column, told in zip(names, read, reports, strict=True):
        if len(column) != len(told):
            allowed = f"as many as its {len(told)} reports"
            raise InvalidInput("keys", f"service {name!r}", allowed, f"{len(column)} keys")
    check_kinds(names, [column.kind for column in read])
    people, n = match([column.words for column in read])
    del read
    rows = [
        places(who, n, times, f"service {name!r}")
        for who, times, name in zip(people, repeats, names, strict=True)
    ]
    check_common(names, in_common([columns[0] for columns in rows]))
    return columns_of(names, repeats, reports, rows, n)


def columns_of(
    names: Sequence[str],
    repeats: Sequence[int],
    reports: Sequence[Reports],
    rows: Sequence[Sequence[Rows | None]],
    n: int,
) -> Aligned:
    """Services, each with one column of rows or several, as an Aligned."""
    wide = [told for told, columns in zip(reports, rows, strict=True) for _ in columns]
    return Aligned(
        tuple(_column_names(names, repeats, [len(columns) for columns in rows])),
        tuple(told.mechanism for told in wide),
        tuple(wide),
        tuple(
            _simple(c, told) for told, columns in zip(reports, rows, strict=True) for c in columns
        ),
        n,
        tuple(told.certified for told in wide),
    )


def _simple(rows: Rows | None, told: Reports) -> Rows | None:
    """None where row i is user i."""
    if rows is None or len(rows) != len(told):
        return rows
    return None if np.array_equal(rows, np.arange(len(rows))) else rows


# -- checks, also of files ---------------------------------------------------------------


def service_names(names: Sequence[str] | None, count: int) -> list[str]:
    """The names of services, ``service 1`` and so on where none are given; all different."""
    if names is None:
        return [f"service {j}" for j in range(1, count + 1)]
    told = list(names)
    if len(told) != count:
        raise InvalidInput("names", "align", f"one for each of the {count} services", told)
    if not all(isinstance(name, str) and name.strip() for name in told):
        raise InvalidInput("names", "align", "texts that are not blank", told)
    if len(set(told)) < count:
        raise InvalidInput("names", "align", "different from each other", told)
    return told


def _column_names(names: Sequence[str], repeats: Sequence[int], widths: Sequence[int]) -> list[str]:
    """``bank#1``, ``bank#2`` for a service of which repeats were declared."""
    found: list[str] = []
    for name, times, width in zip(names, repeats, widths, strict=True):
        found += [name] if times == 1 else [f"{name}#{k}" for k in range(1, width + 1)]
    if len(set(found)) < len(found):
        raise InvalidInput("names", "align", "such that repeats have names of their own", found)
    return found


def times_each(
    names: Sequence[str], repeats: Mapping[str, int] | Sequence[int] | None
) -> list[int]:
    """How many reports a person may have in each service."""
    if repeats is None:
        return [1] * len(names)
    if isinstance(repeats, Mapping):
        unknown = [name for name in repeats if name not in names]
        if unknown:
            raise InvalidInput("repeats", "align", f"of services {', '.join(names)}", unknown[0])
        given = [repeats.get(name, 1) for name in names]
    else:
        given = list(repeats) if isinstance(repeats, Sequence) else []
    if len(given) != len(names):
        raise InvalidInput("repeats", "align", f"one for each of {len(names)} services", repeats)
    return [
        check_int(times, "repeats", f"service {name!r}", 1)
        for name, times in zip(names, given, strict=True)
    ]


def _check_reports(name: str, mechanism: Mechanism | None, told: Reports) -> None:
    owner = f"service {name!r}"
    if not isinstance(told, Reports):
        hint = "Floats collected elsewhere become reports by sottovoce.foreign."
        raise InvalidInput("reports", owner, "Reports", type(told).__name__, hint=hint)
    if mechanism is not None and told.mechanism != mechanism:
        raise Mismatch(
            f"service {name!r} was given reports of {told.mechanism} ({told.fingerprint}) "
            f"where {mechanism} ({mechanism.fingerprint}) is said to have made them"
        )
    if len(told) == 0:
        raise InvalidInput("reports", owner, "at least one", "none")


def check_domains(names: Sequence[str], mechanisms: Sequence[Mechanism]) -> None:
    """All services must ask about one domain."""
    for name, mechanism in zip(names, mechanisms, strict=True):
        if mechanism.domain != mechanisms[0].domain:
            raise Mismatch(
                f"service {name!r} reports about {mechanism.domain}, "
                f"service {names[0]!r} about {mechanisms[0].domain}; all must have one domain"
            )


def _check_lengths(names: Sequence[str], reports: Sequence[Reports]) -> None:
    for name, told in zip(names, reports, strict=True):
        if len(told) != len(reports[0]):
            raise Mismatch(
                f"service {name!r} has {len(told)} reports and service {names[0]!r} has "
                f"{len(reports[0])}: without keys, row i must be the same person everywhere"
            )
