"""The people: what every one of them would truly answer, day by day.

Truth is made up with a fixed seed, so that every run has the same towns.  It changes a little
from day to day, and much on the last: in Hushwick the buses are on strike, and people get up
early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded

__all__ = ["COMMUTES", "DAYS", "DISHES", "commutes", "lunches", "nights"]

DAYS = 7
Values = list[Any]

COMMUTES = {
    "bus": 0.27, "bicycle": 0.19, "car": 0.17, "on foot": 0.13, "train": 0.09,
    "worked at home": 0.07, "scooter": 0.04, "called in sick to go fishing": 0.025, "taxi": 0.01,
    "on a horse": 0.005,
}  # fmt: skip
"""How Hushwick gets to work, most days."""
_STRIKE = {
    "bus": 0.05, "bicycle": 0.25, "car": 0.18, "on foot": 0.20, "train": 0.10,
    "worked at home": 0.10, "scooter": 0.05, "called in sick to go fishing": 0.04, "taxi": 0.02,
    "on a horse": 0.01,
}  # fmt: skip
_BY_THE_SEA = {
    "bus": 0.18, "bicycle": 0.12, "car": 0.20, "on foot": 0.21, "train": 0.03,
    "worked at home": 0.08, "scooter": 0.04, "called in sick to go fishing": 0.12, "taxi": 0.02,
    "on a horse": 0.0,
}  # fmt: skip
_TO_BICYCLE = 0.006
"""Every day, this share leaves the car for the bicycle."""

DISHES = {
    "lasagne": (0.26, 7.4), "curry": (0.22, 6.8), "salad": (0.15, 5.9), "fish fingers": (0.14, 6.2),
    "pancakes": (0.13, 8.5), "mystery casserole": (0.10, 2.3),
}  # fmt: skip
"""The share of people who had a dish, and the mean of what they thought of it, out of 10."""

_CROWD = np.array([0.94, 1.0, 1.04, 1.1, 0.9, 0.98, 1.04])
"""How many take part, relative to other days."""


def commutes(people: int, *, by_the_sea: bool = False) -> list[Values]:
    """How people got to work: in Hushwick, or in Murmur-on-Sea, where there is no strike."""
    usual = _BY_THE_SEA if by_the_sea else COMMUTES
    found = []
    for day, count, source in _days(people, 2 if by_the_sea else 1):
        last = day == DAYS - 1 and not by_the_sea
        shares = dict(_STRIKE if last else usual)
        if not last:
            shares["bicycle"] += day * _TO_BICYCLE
            shares["car"] -= day * _TO_BICYCLE
        found.append(_drawn(shares, count, source))
    return found


def nights(people: int) -> list[Values]:
    """Hours of sleep: about seven and a quarter, less before the morning of the strike."""
    found = []
    for day, count, source in _days(people, 3):
        rng = source.generator()
        lost = 0.8 if day == DAYS - 1 else 0.02 * day
        restless = rng.random(count) < 0.2
        hours = np.where(restless, rng.normal(6.3, 1.5, count), rng.normal(7.4, 0.9, count)) - lost
        found.append(np.clip(hours, 0.25, 11.75).tolist())
    return found


def lunches(people: int) -> list[Values]:
    """Dishes and what people thought of them; fewer every day dare the mystery casserole."""
    found = []
    for day, count, source in _days(people, 4):
        shares = {dish: share for dish, (share, _) in DISHES.items()}
        shares["pancakes"] += 0.008 * day
        shares["mystery casserole"] -= 0.008 * day
        chosen = _drawn(shares, count, source)
        means = np.array([DISHES[dish][1] for dish in chosen])
        points = np.clip(source.generator().normal(means, 1.3), 0, 10).tolist()
        found.append(list(zip(chosen, points, strict=True)))
    return found


def _days(people: int, seed: int) -> Iterator[tuple[int, int, Seeded]]:
    """For every day its number, how many answer, and what they are drawn with."""
    source = Seeded(seed)
    ends = np.rint(np.cumsum(_CROWD) / _CROWD.sum() * people).astype(int)
    for day, count in enumerate(np.diff(ends, prepend=0).tolist()):
        yield day, count, source


def _drawn(shares: Mapping[str, float], count: int, source: Seeded) -> list[str]:
    names, chances = list(shares), np.array(list(shares.values()))
    places = source.generator().choice(len(names), count, p=chances / chances.sum())
    return [names[place] for place in places.tolist()]
