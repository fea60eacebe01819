"""What is asked about the made-up people, and how the truth of it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["MEAN", "Asked", "below", "had", "liked", "mean", "quantile", "share"]

Values = Sequence[Any]


@dataclass(frozen=True)
class Asked:
    """A question as the collector takes it, and how the truth is found.

    ``question`` is the name in its answer, ``words`` what people call it.
    """

    name: str
    text: str
    words: str
    truth: Callable[[Values], float]
    unit: str = "share"
    question: str = ""


def share(value: str) -> Asked:
    """The share of people who would say a value."""
    held: object = {"yes": True}.get(value, value)
    return Asked("share", value, value, lambda values: _mean(v in (value, held) for v in values))


def had(name: str) -> Asked:
    """The share of people who had a dish."""
    return Asked(
        "key", name, name, lambda values: _mean(v[0] == name for v in values), "share", "frequency"
    )


def liked(name: str) -> Asked:
    """What those who had a dish thought of it."""
    return Asked(
        "key", name, name, lambda values: _mean(v[1] for v in values if v[0] == name), "points", "mean"
    )  # fmt: skip


def below(hours: float) -> Asked:
    """The share of those who slept less than so long."""
    words = f"slept less than {hours:g} hours"
    return Asked(
        "range", f"0:{hours:g}", words, lambda values: _mean(v < hours for v in values), "share"
    )


def quantile(q: float, words: str) -> Asked:
    """The hours that a share of people slept less than."""
    return Asked("quantile", f"{q:g}", words, lambda values: float(np.quantile(values, q)), "hours")


def mean(unit: str) -> Asked:
    """The mean, in a unit."""
    return Asked("mean", "1", "mean", lambda values: float(np.mean(values)), unit)


MEAN = mean("hours")
"""The mean of hours."""


def _mean(numbers: Iterable[float]) -> float:
    return float(np.mean(list(numbers)))
