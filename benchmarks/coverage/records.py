"""Answers about records: do intervals of shares, percentages and differences of groups hold the truth?

A cell is a joint law of several questions, a design, an epsilon, a number of people and whom answers are
about.  People are drawn from the law anew in every survey.  Of the table of the first two questions:

* ``shares``: of all pairs of answers;  ``margins``: of every question, ``part(..., "unbiased")``;
* ``rows``, ``columns``: shares within every answer, where they have an interval;  ``unbounded``: the part that
  has none ("not enough people"), which counts as held in ``rows+``, ``columns+`` and ``difference+``;
* ``difference``: of shares in the two largest groups of the first question;
* ``V``: the interval of Cramer's V;  ``p < 5%``: how often independence is rejected (laws named "null").
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.experiments.datasets import read_parquet

__all__ = ["CELLS", "NULLS", "RecordCell", "coverage", "rejections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RecordCell:
    """Where coverage is measured."""

    law: str
    design: str
    epsilon: float
    people: int
    about: str

    @property
    def name(self) -> str:
        """How it is called in results."""
        return f"{self.law} | {self.design} | {self.epsilon:g} | {self.people} | {self.about}"


_COLUMNS = {
    "adult 3": ("adult.parquet", ("sex", "relationship", "income")),
    "adult 2": ("adult.parquet", ("marital_status", "workclass")),
    "nursery 3": ("nursery.parquet", ("parents", "finance", "class")),
    "nursery 5": ("nursery.parquet", ("health", "class", "form", "housing", "social")),
    "employment 3": ("acs_employment_mt.parquet", ("SEX", "ESR", "MAR")),
}
_ONE = {
    "rare": ([0.6, 0.3, 0.08, 0.02], [0.5, 0.3, 0.15, 0.05]),
    "even": ([0.25] * 4, [0.2] * 5),
    "two": ([0.7, 0.3], [0.4, 0.6]),
    "null 3x4": ([0.6, 0.3, 0.1], [0.5, 0.25, 0.15, 0.1]),
    "null 2x2": ([0.9, 0.1], [0.7, 0.3]),
    "null 5x6": ([0.2] * 5, [0.3, 0.25, 0.2, 0.15, 0.06, 0.04]),
}
CELLS = tuple(
    RecordCell(law, design, epsilon, people, ("respondents", "population")[number % 2])
    for number, (law, design, epsilon, people) in enumerate(
        [
            ("two", "pairs", 0.5, 10_000), ("two", "joint", 1.0, 2_000),
            ("rare", "pairs", 1.0, 20_000), ("rare", "pairs", 1.0, 20_000),
            ("rare", "mixed", 2.0, 5_000), ("even", "pairs", 2.0, 10_000),
            ("even", "joint", 4.0, 3_000), ("rare", "joint", 4.0, 3_000),
            ("adult 3", "pairs", 1.0, 100_000), ("adult 3", "mixed", 2.0, 30_000),
            ("adult 3", "joint", 3.0, 20_000), ("adult 2", "pairs", 2.0, 100_000),
            ("nursery 3", "pairs", 1.0, 200_000), ("nursery 3", "mixed", 4.0, 5_000),
            ("nursery 5", "mixed", 1.0, 300_000), ("nursery 5", "pairs", 3.0, 50_000),
            ("employment 3", "mixed", 1.0, 300_000), ("employment 3", "pairs", 4.0, 10_000),
        ]
    )
)  # fmt: skip
"""The declared cells."""

NULLS = tuple(
    RecordCell(law, design, epsilon, people, "population")
    for law, design, epsilon, people in [
        ("null 2x2", "pairs", 1.0, 2_000), ("null 2x2", "joint", 4.0, 500),
        ("null 3x4", "pairs", 0.5, 100_000), ("null 3x4", "pairs", 1.0, 20_000),
        ("null 3x4", "mixed", 2.0, 10_000), ("null 3x4", "joint", 4.0, 2_000),
        ("null 5x6", "pairs", 1.0, 50_000), ("null 5x6", "pairs", 3.0, 5_000),
    ]
)  # fmt: skip
"""Where two questions are independent."""


def law_of(name: str, folder: Path | None) -> Floats | None:
    """A joint law, an axis per question; None without the data."""
    if name in _ONE:
        rows, columns = map(np.array, _ONE[name])
        table = np.outer(rows, columns)
        if "null" not in name:  # rows lean to one side or the other
            lean = np.linspace(-0.6, 0.6, table.size).reshape(table.shape)
            table = table * np.exp(np.where(np.arange(len(columns)) % 2, lean, -lean))
        return table / table.sum()
    file, columns_of = _COLUMNS[name]
    if folder is None or not (folder / file).is_file():
        return None
    found: dict[str, Any] = read_parquet(folder / file)
    codes = [
        np.unique(np.asarray(found[c]).astype(str), return_inverse=True)[1] for c in columns_of
    ]
    counts = np.zeros([int(code.max()) + 1 for code in codes])
    np.add.at(counts, tuple(codes), 1)
    return counts / counts.sum()


def coverage(cell: RecordCell, folder: Path | None, surveys: int) -> dict[str, float] | None:
    """The part of intervals that hold the truth, by what was asked; None without the data."""
    law = law_of(cell.law, folder)
    if law is None:
        return None
    held: dict[str, list[bool]] = defaultdict(list)
    for estimate, people in _surveys(cell, law, surveys):
        truth = law if cell.about == "population" else people / cell.people
        _hold(held, estimate, truth)
    rates = {asked: float(np.mean(found)) for asked, found in held.items()}
    for asked in ("rows", "columns", "difference"):
        without = rates.pop(f"{asked} unbounded")
        rates[f"{asked} unbounded"] = without
        rates[f"{asked}+"] = without + (1 - without) * rates.get(asked, 0.0)
    return rates


def rejections(cell: RecordCell, surveys: int) -> float:
    """How often independence is rejected at 5%."""
    law = law_of(cell.law, None)
    assert law is not None
    return float(
        np.mean(
            [
                e.table("a", "b").independence().p_value < 0.05
                for e, _ in _surveys(cell, law, surveys)
            ]
        )
    )


def _surveys(cell: RecordCell, law: Floats, surveys: int) -> Any:
    names = "abcdefgh"[: law.ndim]
    record = sv.Record({n: sv.Categories(s) for n, s in zip(names, law.shape, strict=True)})
    mechanism = sv.mechanism("record", record, cell.epsilon, design=cell.design)
    key = zlib.crc32(cell.name.encode())
    random, source = np.random.default_rng(key), sv.Seeded(key + 1)
    for _ in range(surveys):
        people = random.multinomial(cell.people, law.ravel())
        tally = mechanism.simulate(people, source=source)
        yield sv.estimate(tally, "unbiased", about=cell.about), people.reshape(law.shape)


def _hold(held: dict[str, list[bool]], estimate: sv.Estimate, truth: Floats) -> None:
    table = estimate.table("a", "b")
    true = truth.sum(axis=tuple(range(2, truth.ndim)))
    frame = table.frame()
    held["shares"] += _inside(frame, true.ravel())
    for place, name in enumerate("abcdefgh"[: truth.ndim]):
        others = tuple(axis for axis in range(truth.ndim) if axis != place)
        low, high = estimate.part(name, "unbiased").bounds()
        own = truth.sum(axis=others)
        held["margins"] += ((low - 1e-12 <= own) & (own <= high + 1e-12)).tolist()
    with np.errstate(invalid="ignore", divide="ignore"):
        within = true / true.sum(axis=1, keepdims=True), (true / true.sum(axis=0)).T
    for asked, name, shares in (("rows", "a", within[0]), ("columns", "b", within[1])):
        _count(held, asked, table.percentages(name), shares.ravel())
    first, second = np.argsort(-true.sum(axis=1), kind="stable")[:2].tolist()
    change = table.difference(a=(first, second))
    _count(held, "difference", change, within[0][second] - within[0][first])
    shares = np.outer(true.sum(axis=1), true.sum(axis=0))
    kept = shares > 0
    phi = float(np.sum((true - shares)[kept] ** 2 / shares[kept]))
    found = table.independence()
    if found.low is not None and found.high is not None:
        v = np.sqrt(phi / (min(true.shape) - 1))
        held["V"].append(bool(found.low - 1e-12 <= v <= found.high + 1e-12))


def _count(held: dict[str, list[bool]], asked: str, frame: sv.Frame, true: Floats) -> None:
    bounded = [note == "" for note in frame["note"]]
    held[f"{asked} unbounded"] += [not one for one in bounded]
    inside = _inside(frame, true)
    held[asked] += [one for one, has in zip(inside, bounded, strict=True) if has]


def _inside(frame: sv.Frame, true: Sequence[float] | Floats) -> list[bool]:
    rows = zip(frame["low"], frame["high"], true, strict=True)
    return [low is not None and bool(low - 1e-12 <= one <= high + 1e-12) for low, high, one in rows]
