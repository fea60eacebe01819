"""Intervals of regression coefficients: do they hold the truth in 95 of 100 surveys?

Covariates are drawn anew in every survey: a normal one, a truth value and a text of three levels. Answers follow the
model, and devices randomize them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv

__all__ = ["CELLS", "RegressionCell", "coverage"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionCell:
    """Where coverage is measured."""

    model: str
    mechanism: str
    epsilon: float
    people: int
    question: str = ""
    """Of a record with this design."""

    @property
    def name(self) -> str:
        """How it is called in results."""
        how = f"{self.mechanism} {self.question}".strip()
        return f"{self.model} | {how} | {self.epsilon:g} | {self.people}"


CELLS = (
    RegressionCell("logistic", "grr", 1.0, 5_000),
    RegressionCell("logistic", "grr", 3.0, 1_000),
    RegressionCell("logistic", "oue", 2.0, 3_000),
    RegressionCell("multinomial", "grr", 2.0, 8_000),
    RegressionCell("ordinal", "grr", 2.0, 5_000),
    RegressionCell("ordinal", "record", 2.0, 15_000, "mixed"),
    RegressionCell("linear", "grr", 3.0, 5_000),
    RegressionCell("linear", "sw", 2.0, 3_000),
)
"""The declared cells."""

_SLOPES = np.array([0.5, -0.4, 0.6, 0.0])


def coverage(cell: RegressionCell, surveys: int) -> dict[str, float]:
    """The part of intervals that hold each coefficient."""
    random = np.random.default_rng(zlib.crc32(cell.name.encode()))
    held: dict[str, list[bool]] = {}
    for survey in range(surveys):
        x, covariates = _covariates(random, cell.people)
        values, domain, truth = _answers(cell.model, random, x)
        reports, more = _reports(cell, domain, values, survey)
        found = sv.regress(reports, covariates, model=cell.model, **more)
        for row in found.frame():
            if row["coefficient"] in truth:
                inside = row["low"] <= truth[row["coefficient"]] <= row["high"]
                held.setdefault(row["coefficient"], []).append(inside)
    return {name: float(np.mean(found)) for name, found in held.items()}


def _covariates(random: np.random.Generator, n: int) -> tuple[Floats, dict[str, Any]]:
    age, member = random.normal(40, 12, n), random.random(n) < 0.3
    city = random.choice(["Bern", "Oslo", "Rome"], n)
    x = np.stack([(age - 40) / 12, member, city == "Oslo", city == "Rome"], axis=1)
    return x.astype(np.float64), {"age": age, "member": member, "city": city}


def _answers(
    model: str, random: np.random.Generator, x: Floats
) -> tuple[Any, sv.Categories | sv.Interval | sv.Ratings, dict[str, float]]:
    names, units = ("age", "member", "city=Oslo", "city=Rome"), np.array([12, 1, 1, 1])
    plain = dict(zip(names, (_SLOPES / units).tolist(), strict=True))
    noise = random.logistic(size=len(x))
    if model == "logistic":
        return x @ _SLOPES - 0.5 + noise > 0, sv.YesNo(), plain
    if model == "ordinal":
        ends = np.array([-1.5, -0.5, 0.5, 1.5])
        values = 1 + (noise + x @ _SLOPES > ends[:, None]).sum(axis=0)
        return values, sv.Ratings(1, 5), plain
    if model == "linear":
        numbers = 50 + 10 * (x @ _SLOPES) + random.normal(0, 12, len(x))
        scaled = {name: 10 * slope for name, slope in plain.items()} | {"sigma": 12.0}
        return np.clip(numbers, 0, 100), sv.Interval(0, 100, bins=20), scaled
    scores = np.stack([np.zeros(len(x)), x @ _SLOPES - 0.3, x @ -_SLOPES], axis=1)
    drawn = np.argmax(scores + random.gumbel(size=scores.shape), axis=1)
    several = {f"{a}: {n}": s * w for a, s in (("bus", 1), ("car", -1)) for n, w in plain.items()}
    labels = np.array(["bike", "bus", "car"])[drawn]
    return labels, sv.Categories(["bike", "bus", "car"]), several


def _reports(
    cell: RegressionCell, domain: Any, values: Any, survey: int
) -> tuple[Any, dict[str, Any]]:
    source = sv.Seeded(zlib.crc32(f"{cell.name} {survey}".encode()))
    if not cell.question:
        return sv.mechanism(cell.mechanism, domain, cell.epsilon).randomize(
            values, source=source
        ), {}
    record = sv.Record({"own": domain, "other": sv.Categories(3)})
    mechanism = sv.mechanism("record", record, cell.epsilon, design=cell.question)
    rows = np.stack([domain.indices(values), np.arange(len(values)) % 3], axis=1)
    return mechanism.randomize_positions(rows, source), {"question": "own"}
