"""Numbers: the paper's made-up mixture S-MN, and stand-ins for pay and incomes.

Each is kept as a fine histogram, from which the paper's 1,024 bins are summed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.experiments import numbers
from sottovoce.experiments.datasets import Shelf, read_parquet
from sottovoce.experiments.mixture_reduction.categories import EMPLOYEES, TAXPAYERS
from sottovoce.experiments.numbers import Numbers

__all__ = ["BINS", "SETS", "load", "two_bells"]

BINS = 1024
"""Components before any are merged, as in the paper."""
SETS = ("s-mn", "pay", "wages")
_MOST = 300_000


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Numbers], list[str]]:
    """The sets that can be had, and a message for each that cannot."""
    found: list[Numbers] = []
    skipped: list[str] = []
    for name in wanted:
        shelf = _SHELF.load if name in _SHELF.names else numbers.load
        some, said = shelf([name], folder)
        found += some
        skipped += said
    return found, skipped


def two_bells(people: int, random: np.random.Generator) -> Floats:
    """S-MN: draws from 0.6 N(0.7, 0.2^2) + 0.4 N(0.2, 0.1^2) that fall between -1 and 1."""
    found = np.empty(0)
    while len(found) < people:
        first = random.random(people) < 0.6
        draws = random.normal(np.where(first, 0.7, 0.2), np.where(first, 0.2, 0.1))
        found = np.append(found, draws[np.abs(draws) < 1])
    return found[:people]


def _mixture() -> Numbers:
    draws = two_bells(TAXPAYERS, np.random.default_rng(2025))
    note = (
        "300,000 draws from 0.6 N(0.7, 0.2^2) + 0.4 N(0.2, 0.1^2), those outside of -1 to 1 drawn again. As in the paper; "
        "where it has fewer people, that many are drawn from these anew in every repeat."
    )
    return Numbers("s-mn", "S-MN", -1, 1, BINS, Numbers.histogram(draws, -1, 1), note)


def _pay(path: Path) -> Numbers:
    table = read_parquet(path)
    late = np.array(table["year"]) >= 2013
    told = np.array(table["total_pay_benefits"], dtype=np.float64)[late]
    dollars = np.clip(told, 0, _MOST)
    some = np.random.default_rng(EMPLOYEES).choice(dollars, EMPLOYEES, replace=False)
    note = (
        "Stands in for the compensation of SFC: pay and benefits of as many employees of San Francisco, drawn without "
        "replacement from those of 2013 and 2014 (the paper: 2019 and 2020), from 0 to 300,000 dollars; what is outside is "
        "set to the nearer end."
    )
    return Numbers("pay", "SF pay", 0, _MOST, BINS, Numbers.histogram(some, 0, _MOST), note)


_SHELF = Shelf({"s-mn": _mixture}, {"pay": ("sf_pay.parquet", _pay)})
