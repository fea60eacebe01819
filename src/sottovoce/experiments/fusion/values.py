"""Numbers that several services asked for: two made-up sets, and stand-ins for the paper's real ones.

Each is kept as a fine histogram over its own range; every service sees the range as [-1, 1].
Real data are not part of this project.  Ours are fewer than the paper's: as many people as it has
are drawn from them, each moved a little, so that 256 bins do not show who was drawn twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.experiments.datasets import Shelf, read_parquet
from sottovoce.experiments.numbers import FINE, Numbers

__all__ = ["BINS", "CLICKERS", "PAPERS", "SKEWED", "load", "names", "some_people", "steps_of_time"]

BINS = 256
"""Buckets of a distribution."""
PAPERS = ("beta-2-5", "beta-sin", "taxi", "pay")
"""The sets of figures 4 and 5."""
SKEWED = "beta-50-2"
"""Where weights that depend on the reports are most wrong."""

_MILLION = 1_000_000
_DAY, _TRIPS, _MINUTES = 86_400, 1_048_575, 300.0
_LEAST, _MOST, _EMPLOYEES, _DOLLARS = 10_000, 60_000, 606_507, 500.0
_WAVES, _DEPTH = 10, 0.5
CLICKERS = 1_172_556
"""The users of the sequences."""
_CATEGORIES, _TIMES = 10_401, 60


def names() -> tuple[str, ...]:
    """All sets, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Numbers], list[str]]:
    """The sets that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


def some_people(data: Numbers, people: int, random: np.random.Generator) -> Floats:
    """The numbers of so many people on [-1, 1]: all of them in some order, or drawn with replacement."""
    if people == data.n:
        drawn = np.repeat(np.arange(FINE), data.fine)
        random.shuffle(drawn)
    else:
        drawn = random.choice(FINE, people, p=data.fine / data.n)
    on_scale: Floats = (2 * drawn + 1) / FINE - 1
    return on_scale


# -- made up -------------------------------------------------------------------------------


def _beta(name: str, a: int, b: int, note: str) -> Numbers:
    draws = np.random.default_rng(100 * a + b).beta(a, b, _MILLION)
    counts = Numbers.histogram(draws, 0, 1)
    return Numbers(name, f"Beta({a}, {b})", 0, 1, BINS, counts, note)


def _waves() -> Numbers:
    x = (np.arange(FINE) + 0.5) / FINE
    density = x * (1 - x) ** 4 * (1 + _DEPTH * np.sin(2 * np.pi * _WAVES * x))
    counts = np.random.default_rng(255).multinomial(_MILLION, density / density.sum())
    note = (
        "A million draws of the density of Beta(2, 5) times 1 + sin(20 pi x)/2: ten waves. The paper does not tell its "
        "waves."
    )
    return Numbers("beta-sin", "Beta + sin", 0, 1, BINS, counts, note)


def steps_of_time() -> list[Numbers]:
    """Stands in for the last click in each of 60 steps of ten minutes: numbers of 10,401 categories.

    Few categories are common, wherever their numbers lie, and from step to step some of them come
    and others go.
    """
    random = np.random.default_rng(_CATEGORIES)
    popular = random.permutation(1 / np.arange(1, _CATEGORIES + 1))
    phases, found = random.random(_CATEGORIES), []
    for step in range(_TIMES):
        weights = popular * (1 + 0.8 * np.sin(2 * np.pi * (step / _TIMES + phases)))
        people = random.multinomial(CLICKERS, weights / weights.sum())
        places = np.arange(_CATEGORIES) * FINE // _CATEGORIES
        counts = np.bincount(places, people, minlength=FINE).astype(np.int64)
        found.append(Numbers(f"step-{step}", f"Step {step + 1}", 0, 1, BINS, counts, ""))
    return found


# -- real ------------------------------------------------------------------------------------


def _taxi(path: Path) -> Numbers:
    table = read_parquet(path)
    seconds = np.array(table["pickup_second"], dtype=np.float64)[np.array(table["year"]) < 2020]
    random = np.random.default_rng(2018)
    drawn = random.choice(seconds, _TRIPS) + random.normal(0, _MINUTES, _TRIPS)
    note = (
        f"Seconds of the day at which New York taxi trips begin, of 2018 and 2019 ({len(seconds):,} trips): as many as the paper has "
        "of January 2018 drawn from them, each moved by about five minutes."
    )
    counts = Numbers.histogram(np.mod(drawn, _DAY), 0, _DAY)
    return Numbers("taxi", "Taxi times", 0, _DAY, BINS, counts, note)


def _pay(path: Path) -> Numbers:
    told = [amount for amount in read_parquet(path)["total_pay_benefits"] if amount is not None]
    dollars = np.array(told, dtype=np.float64)
    dollars = dollars[(dollars >= _LEAST) & (dollars <= _MOST)]
    random = np.random.default_rng(2013)
    drawn = random.choice(dollars, _EMPLOYEES) + random.normal(0, _DOLLARS, _EMPLOYEES)
    inside = np.where(
        drawn < _LEAST, 2 * _LEAST - drawn, np.where(drawn > _MOST, 2 * _MOST - drawn, drawn)
    )
    note = (
        f"Pay and benefits of employees of San Francisco, 2011 to 2014, from 10,000 to 60,000 dollars ({len(dollars):,}): as many as the "
        "paper has since 2013 drawn from them, each moved by about 500 dollars."
    )
    counts = Numbers.histogram(inside, _LEAST, _MOST)
    return Numbers("pay", "SF pay", _LEAST, _MOST, BINS, counts, note)


_SHELF = Shelf(
    {
        "beta-2-5": lambda: _beta("beta-2-5", 2, 5, "A million draws. As in the paper."),
        "beta-sin": _waves,
        SKEWED: lambda: _beta(SKEWED, 50, 2, "A million draws. Not in the paper: near one end."),
    },
    {"taxi": ("nyc_taxi_pickups.parquet", _taxi), "pay": ("sf_pay.parquet", _pay)},
)
