"""Who is who: one number a person, over the keys of all services, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.fusion.joining.keys import Kind, Words

__all__ = ["check_common", "check_kinds", "in_common", "match", "places"]

Rows = NDArray[np.int64]


def check_kinds(names: Sequence[str], kinds: Sequence[Kind]) -> None:
    """Keys of all services must be of one type."""
    services = list(zip(names, kinds, strict=True))
    for name, kind in services:
        if kind.name != kinds[0].name:
            raise Mismatch(
                f"the keys of service {name!r} are {kind.name}, those of service {names[0]!r} "
                f"are {kinds[0].name}; all must be of one type"
            )
    low = next((name for name, kind in services if kind.negative), None)
    high = next((name for name, kind in services if kind.beyond), None)
    if low is not None and high is not None:
        raise Mismatch(
            f"the keys of service {low!r} go below 0 and those of service {high!r} beyond "
            "2^63 - 1: 64 bits do not hold both; give them as text"
        )


def match(columns: Sequence[tuple[Words, ...]]) -> tuple[list[Rows], int]:
    """The number of each row's person, in order of key, for every service; and how many there are."""
    width = max(len(words) for words in columns)
    stacked = [np.concatenate([_word(words, k) for words in columns]) for k in range(width)]
    order = _order(stacked)
    first = np.zeros(len(order), dtype=np.bool_)  # rows, in order, whose key is another than before
    for word in stacked:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    del stacked, ordered
    people = np.empty(len(order), dtype=np.int64)
    people[order] = np.cumsum(first)
    ends = np.cumsum([len(words[0]) for words in columns])
    return np.split(people, ends[:-1]), int(people.max(initial=-1)) + 1


def _word(words: Sequence[Words], k: int) -> Words:
    """Word k of keys, zeros where they have fewer."""
    return words[k] if k < len(words) else np.zeros(len(words[0]), dtype=np.uint64)


def _order(words: Sequence[Words]) -> Rows:
    """The order of keys.

    By the first word alone, if keys are random: then equal first words are equal keys.  Where
    keys in a run of equal first words differ later on, the run is put in order by all words.
    """
    order = np.argsort(words[0], kind="stable")
    if len(words) == 1:
        return order
    ordered = words[0][order]
    same = ordered[1:] == ordered[:-1]
    differ = np.zeros(len(same), dtype=np.bool_)
    for word in words[1:]:
        ordered = word[order]
        differ |= ordered[1:] != ordered[:-1]
    differ &= same
    if not differ.any():
        return order
    runs = np.concatenate([[0], np.cumsum(~same)])
    unsorted = np.zeros(int(runs[-1]) + 1, dtype=np.bool_)
    unsorted[runs[1:][differ]] = True
    where = np.flatnonzero(unsorted[runs])
    among = order[where]
    order[where] = among[np.lexsort([word[among] for word in reversed(words)])]
    return order


def places(
    people: Rows, n: int, repeats: int, owner: str, row_numbers: Rows | None = None
) -> list[Rows]:
    """For each of up to ``repeats`` reports a person, the row it is in; -1 where there is none.

    The reports of a person keep their order.  One more than declared is refused, with its row.
    """
    times = np.bincount(people, minlength=n)
    most = int(times.max(initial=0))
    if most > repeats:
        raise _too_many(people, times > repeats, repeats, owner, row_numbers)
    if most <= 1:
        found = [np.full(n, -1, dtype=np.int64)]
        found[0][people] = np.arange(len(people))
        return found
    order = np.argsort(people, kind="stable")
    starts = np.cumsum(times) - times
    which = np.arange(len(people)) - starts[people[order]]
    found = [np.full(n, -1, dtype=np.int64) for _ in range(most)]
    for k, column in enumerate(found):
        rows = order[which == k]
        column[people[rows]] = rows
    return found


def _too_many(
    people: Rows, busy: NDArray[np.bool_], repeats: int, owner: str, row_numbers: Rows | None
) -> InvalidInput:
    """The first row that is one too many, and those before it; the key itself is not shown."""
    seen: dict[int, list[int]] = {}
    rows: list[int] = []
    for row in np.flatnonzero(busy[people]).tolist():
        rows = seen.setdefault(int(people[row]), [])
        rows.append(row)
        if len(rows) > repeats:
            break
    told = rows if row_numbers is None else row_numbers[rows].tolist()
    shown = ", ".join(map(str, told if len(told) < 5 else [*told[:3], "...", told[-1]]))
    allowed = "different in every row" if repeats == 1 else f"in at most {repeats} rows each"
    hint = "Declare repeats where a person may have reported more often."
    return InvalidInput("keys", owner, allowed, f"one key in rows {shown}", hint=hint)


def in_common(rows: Sequence[Rows]) -> NDArray[np.bool_]:
    """For every service, whether it has a person in common with another one."""
    services = np.zeros(len(rows[0]), dtype=np.int16)
    for column in rows:
        services += column >= 0
    return np.array([bool(np.any(services[column >= 0] > 1)) for column in rows])


def check_common(names: Sequence[str], common: NDArray[np.bool_]) -> None:
    """Every service must have a person in common with another one: else keys are not the same."""
    if len(names) == 1 or common.all():
        return
    who = f"service {names[int(np.argmin(common))]!r} has no user in common with any other"
    if not common.any():
        who = f"no user is in common between any of the services {', '.join(map(repr, names))}"
    raise Mismatch(f"{who}: are their keys made in the same way, with one secret?")
