"""A/A tests: two groups drawn from one population, compared as if they might differ.

A test at 5% should reject in 5 of 100 such surveys, whatever the mechanism and epsilon.  Each draw
asks for one frequent value, one rare value, or the mean, through :func:`sottovoce.difference` with
its defaults.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

import sottovoce as sv
from benchmarks.coverage.populations import (
    HOUR_SHARES,
    HOURS,
    VALUE_SHARES,
    VALUES,
    draw,
)

__all__ = ["ORACLES", "NUMBERS", "rejections"]

ORACLES, NUMBERS = ("oue", "olh", "grr"), ("sr", "pm", "sw")
_ASKED = {"share 0.15": 2, "share 0.01": 9}


def rejections(
    name: str, epsilon: float, *, draws: int, people: int = 5_000, seed: int = 1
) -> Iterator[tuple[str, float]]:
    """What was asked, and the share of draws in which its p-value is below 0.05."""
    numbers = name in NUMBERS
    domain, law = (HOURS, HOUR_SHARES) if numbers else (VALUES, VALUE_SHARES)
    mechanism = sv.mechanism(name, domain, epsilon)
    key = zlib.crc32(f"{name} {epsilon} {seed}".encode())
    random, source = np.random.default_rng(key), sv.Seeded(key)
    found: dict[str, list[float]] = {}
    for _ in range(draws):
        sides = [draw(mechanism, random.multinomial(people, law), source) for _ in range(2)]
        change = sv.difference(*sides)
        if numbers:
            found.setdefault("mean", []).append(change.mean().p_value or 0.0)
        else:
            for asked, index in _ASKED.items():
                found.setdefault(asked, []).append(float(change.p_value[index]))
    for asked, p_values in found.items():
        yield asked, float(np.mean(np.array(p_values) < 0.05))
