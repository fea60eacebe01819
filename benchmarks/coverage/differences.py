"""Intervals of true differences: how often they hold them, about the population and respondents.

The second population has a share more of the value asked, or later hours.  About the population,
people are drawn anew for every survey; about the respondents the same people answer every time.
"""

from __future__ import annotations

import zlib

import numpy as np

import sottovoce as sv
from benchmarks.coverage.populations import HOUR_SHARES, HOURS, VALUE_SHARES, VALUES, draw

__all__ = ["CELLS", "coverage"]

CELLS = [
    (name, epsilon, sizes, about)
    for name in ("oue", "olh", "grr", "hierarchy", "sr", "pm", "sw")
    for epsilon in (0.5, 1.0, 4.0)
    for sizes in ((100, 100), (100, 1_000), (5_000, 5_000))
    for about in ("population", "respondents")
]
_MOVED = 0.05
_NUMBERS = ("hierarchy", "sr", "pm", "sw")


def _laws(name: str) -> tuple[sv.Domain, np.ndarray, np.ndarray]:
    if name in _NUMBERS:
        return HOURS, HOUR_SHARES, np.roll(HOUR_SHARES, 2)
    later = VALUE_SHARES.copy()
    later[:2] += (_MOVED, -_MOVED)
    return VALUES, VALUE_SHARES, later


def coverage(
    name: str, epsilon: float, sizes: tuple[int, int], about: str, draws: int
) -> dict[str, float]:
    """The share of intervals that hold the truth, by question; shares are averaged over values."""
    domain, *laws = _laws(name)
    mechanism = sv.mechanism(name, domain, epsilon)
    key = zlib.crc32(f"{name} {epsilon} {sizes} {about}".encode())
    random, source = np.random.default_rng(key), sv.Seeded(key)
    fixed = [random.multinomial(n, law) for n, law in zip(sizes, laws, strict=True)]
    held: dict[str, list[float]] = {}
    for _ in range(draws):
        people = fixed
        if about == "population":
            people = [random.multinomial(n, law) for n, law in zip(sizes, laws, strict=True)]
        true = laws if about == "population" else [each / each.sum() for each in people]
        change = sv.difference(*(draw(mechanism, each, source) for each in people), about=about)
        moved = true[1] - true[0]
        if name in _NUMBERS:
            told = change.mean()
            mean = float(moved @ HOURS.midpoints)
            held.setdefault("mean", []).append(told.low <= mean <= told.high)
        if name == "hierarchy":
            told, part = change.range(0, 4.5), float(moved[:12].sum())
            held.setdefault("range", []).append(told.low <= part <= told.high)
        if name not in _NUMBERS:
            rows = change.frame()
            low, high = np.array(rows["low"]), np.array(rows["high"])
            held.setdefault("shares", []).append(float(np.mean((low <= moved) & (moved <= high))))
    return {question: float(np.mean(each)) for question, each in held.items()}
