"""What simulated people answer: values without order, and numbers."""

from __future__ import annotations

import numpy as np

import sottovoce as sv

__all__ = ["HOURS", "HOUR_SHARES", "VALUES", "VALUE_SHARES", "draw", "epsilons"]

VALUES = sv.Categories([f"value {k}" for k in range(10)])
VALUE_SHARES = np.array([0.30, 0.20, 0.15, 0.10, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01])
HOURS = sv.Interval(0, 12, bins=32)
_HUMP = np.exp(-0.5 * ((HOURS.midpoints - 4) / 1.8) ** 2)
HOUR_SHARES = _HUMP / _HUMP.sum()


def epsilons(text: str) -> list[float]:
    """Numbers, separated by commas."""
    return [float(each) for each in text.split(",")]


def draw(
    mechanism: sv.Mechanism, counts: np.ndarray, source: sv.Seeded, method: str = "unbiased"
) -> sv.Estimate:
    """An estimate from a simulated survey of these people."""
    return sv.estimate(mechanism.simulate(counts, source=source), method)
