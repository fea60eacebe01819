"""People who are asked in every window, with devices that remember: many at once, for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

Ints = NDArray[np.int64]


def walk(
    people: int, windows: int, shares: list[float], change: float, random: np.random.Generator
) -> Ints:
    """Values by window and person: in each window a part ``change`` draw theirs anew."""
    values = np.empty((windows, people), dtype=np.int64)
    values[0] = random.choice(len(shares), people, p=shares)
    for t in range(1, windows):
        moves = random.random(people) < change
        values[t] = values[t - 1]
        values[t, moves] = random.choice(len(shares), int(moves.sum()), p=shares)
    return values


def report_all(m: sv.Memoized, values: Ints, source: sv.Seeded) -> list[Tally]:
    """One tally per window: everybody keeps a hash and a memo for every entry they ever need."""
    windows, people = values.shape
    rounds, inner, fresh = m.rounds, m.inner, m.weights[1]
    hashes = rounds.hash_numbers(inner, people, source)
    entries = np.stack([rounds.entries(inner, hashes, row) for row in values])
    size = inner.domain.size if hashes is None else inner.g
    everyone = np.tile(np.arange(size), people)
    memos = rounds.remember_many(everyone, source).reshape(people, size)
    tallies = []
    for t in range(windows):
        kept = memos[np.arange(people), entries[t]]
        columns = rounds.tell_many(hashes, kept, fresh, source)
        names = [field.name for field in m.fields]
        reports = Reports(m, dict(zip(names, columns, strict=True)), simulated=True)
        tallies.append(m.tally(reports, window=f"2026-01-{t + 1:02d}"))
    return tallies


def overlap_of(values: Ints) -> NDArray[np.float64]:
    """The part of people with the same value, for any two windows."""
    return np.array([[np.mean(a == b) for b in values] for a in values])
