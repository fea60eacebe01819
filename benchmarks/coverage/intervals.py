"""Intervals of the default: do they hold the truth in 95 of 100 surveys?

A cell is a data set, a mechanism, an epsilon, a number of people and whom answers are about.  The
data set is the population; people are drawn from it anew in every survey.  What is counted:

* ``shares``: all values (or bins) of all surveys;  ``far``: those whose truth is more than two standard
  errors from 0 and 1;  ``total``: of a random tenth of the values;  ``top``: the ten that ``top`` returns;
* of numbers also ``mean``, ``median``, ``quartile`` and ``range`` (a tenth of the interval at random).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from benchmarks.defaults.sets import SETS, load_set

__all__ = ["CELLS", "Cell", "coverage"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """Where coverage is measured."""

    set: str
    oracle: str
    epsilon: float
    people: int
    about: str

    @property
    def name(self) -> str:
        """How it is called in results."""
        return f"{self.set} | {self.oracle} | {self.epsilon:g} | {self.people} | {self.about}"


_VALUES = ("education", "country", "emoji", "taxi zones", "zipf 1.1 of 100", "nursery class")
_NUMBERS = ("wages", "age", "two normals", "capital gain")
_WHERE = (
    ("oue", 0.5, 1_000), ("grr", 2.0, 100), ("olh", 1.0, 10_000), ("hr", 4.0, 1_000_000),
    ("ss", 3.0, 30_000),
)  # fmt: skip
_ON_NUMBERS = (
    ("sw", 0.5, 3_000), ("hh", 1.0, 100_000), ("oue", 2.0, 10_000), ("pm", 4.0, 1_000),
    ("sw", 2.0, 300_000),
)  # fmt: skip
CELLS = tuple(
    Cell(name, oracle, epsilon, people, ("respondents", "population")[(i + k) % 2])
    for sets, where in ((_VALUES, _WHERE), (_NUMBERS, _ON_NUMBERS))
    for i, name in enumerate(sets)
    for k, (oracle, epsilon, people) in enumerate(where)
)
"""The declared cells."""


def coverage(cell: Cell, folder: Path | None, surveys: int) -> dict[str, float] | None:
    """The part of intervals that hold the truth, by what was asked; None without the data."""
    chosen = next(one for one in SETS if one.name == cell.set)
    counts = load_set(chosen, folder)
    if counts is None:
        return None
    law = counts / counts.sum()
    mechanism = sv.mechanism(cell.oracle, chosen.domain(len(law)), cell.epsilon)
    key = zlib.crc32(cell.name.encode())
    random, source = np.random.default_rng(key), sv.Seeded(key)
    held: dict[str, list[float]] = {}
    for _ in range(surveys):
        people = random.multinomial(cell.people, law)
        truth = law if cell.about == "population" else people / cell.people
        estimate = sv.estimate(mechanism.simulate(people, source=source))
        if cell.about == "population":
            estimate = estimate.for_population()
        for asked, found in _held(estimate, truth, random, chosen.numbers).items():
            held.setdefault(asked, []).extend(found)
    return {asked: float(np.mean(found)) for asked, found in held.items() if found}


def _held(
    estimate: sv.Estimate, truth: Floats, random: np.random.Generator, numbers: bool
) -> dict[str, list[float]]:
    size = len(truth)
    low, high = estimate.bounds()
    inside = (low <= truth) & (truth <= high)
    far = np.minimum(truth, 1 - truth) > 2 * estimate.stderr
    order = np.argsort(-estimate.require_shares("top"), kind="stable")[:10]
    least, most = estimate.bounds(chosen=10)
    largest = (least <= truth) & (truth <= most)
    some = random.permutation(size)[: max(1, size // 10)]
    found = {
        "shares": inside.tolist(), "far": inside[far].tolist(), "top": largest[order].tolist(),
        "total": [_holds(estimate.linear(np.isin(np.arange(size), some)), truth[some].sum())],
    }  # fmt: skip
    if not numbers:
        return found
    edges = np.linspace(0, 1, size + 1)
    cumulative = np.concatenate([[0.0], np.cumsum(truth)])
    start = random.uniform(0, 0.9)
    part = np.diff(np.interp([start, start + 0.1], edges, cumulative))[0]
    middles = (edges[1:] + edges[:-1]) / 2
    found["mean"] = [_holds(estimate.mean(), float(truth @ middles))]
    found["range"] = [_holds(estimate.range(start, start + 0.1), part)]
    for name, level in (("median", 0.5), ("quartile", 0.25)):
        quantile = float(np.interp(level, cumulative, edges))
        found[name] = [_holds(estimate.quantile(level), quantile)]
    return found


def _holds(answer: sv.Answer, truth: float) -> bool:
    return answer.low - 1e-12 <= truth <= answer.high + 1e-12
