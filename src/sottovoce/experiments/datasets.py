"""Histograms to try methods on: made-up ones, always there, and real ones, read from a folder.

Real data are not part of this project.  A loader takes the folder that holds
them; without a folder, or without the file, the set is skipped and a message
says so.  Every set tells how it differs from the one in the papers.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice
from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

__all__ = ["DIVISIONS", "Dataset", "Shelf", "load", "names", "read_parquet"]

Ints = NDArray[np.int64]
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Shelf(Generic[Kind]):
    """Data sets of one kind by name: made-up ones, and real ones, each in a file of a folder."""

    made_up: Mapping[str, Callable[[], Kind]]
    real: Mapping[str, tuple[str, Callable[[Path], Kind]]]

    @property
    def names(self) -> tuple[str, ...]:
        """All data sets, made-up ones first."""
        return (*self.made_up, *self.real)

    def load(self, wanted: Iterable[str], folder: Path | None) -> tuple[list[Kind], list[str]]:
        """The data sets that can be had, and a message for each that cannot."""
        found: list[Kind] = []
        skipped: list[str] = []
        for name in wanted:
            check_choice(name, "dataset", "load", self.names)
            if name in self.made_up:
                found.append(self.made_up[name]())
            elif folder is None:
                skipped.append(f"{name}: skipped, no folder with real data was given")
            else:
                file, loader = self.real[name]
                if (folder / file).is_file():
                    found.append(loader(folder / file))
                else:
                    skipped.append(f"{name}: skipped, {file} is not in {folder}")
        return found, skipped


@dataclass(frozen=True, eq=False)
class Dataset:
    """How many people hold each value; ``groups`` put values together, by name."""

    name: str
    title: str
    counts: Ints
    note: str
    """Where it comes from, and how it differs from the set in the papers."""
    groups: Mapping[str, Ints] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of people."""
        return int(self.counts.sum())

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.counts)

    @property
    def shares(self) -> Floats:
        """The true distribution."""
        return self.counts / self.n


def names() -> tuple[str, ...]:
    """All histograms, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Dataset], list[str]]:
    """The histograms that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


# -- made up -----------------------------------------------------------------------


def _zipf() -> Dataset:
    weights = np.arange(1, 1025) ** -1.5
    counts = np.random.default_rng(15).multinomial(1_000_000, weights / weights.sum())
    note = "A million draws from 1,024 values, the i-th in proportion to i^-1.5. As in the paper."
    return Dataset("zipf", "Zipf(1.5)", counts, note)


def _beta(name: str, size: int, people: int, note: str) -> Dataset:
    draws = np.random.default_rng(502).beta(50, 2, people)
    counts = np.bincount((draws * size).astype(np.int64), minlength=size)
    return Dataset(name, f"Beta(50, 2), {size:,} values", counts, note)


# -- real --------------------------------------------------------------------------


def _column(path: Path, name: str) -> Ints:
    """One column of whole numbers of a CSV file, packed or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = csv.DictReader(text.splitlines())
    return np.array([int(row[name]) for row in rows], dtype=np.int64)


def read_parquet(path: Path) -> Mapping[str, Any]:
    """The columns of a Parquet file, as lists."""
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading Parquet files")
    return parquet.read_table(path).to_pydict()


def _kosarak(path: Path) -> Dataset:
    note = (
        "Clicks on a Hungarian news site, one random click a session: the first 3.7% of the file. "
        "The paper uses all of it (990,002 sessions, 42,178 items)."
    )
    return Dataset("kosarak", "Kosarak (start)", _column(path, "count_one"), note)


def _kosarak_short(path: Path) -> Dataset:
    note = (
        "The same site: all sessions of at most 5 items, of items with at least 25 such sessions, "
        "one random item a session. The paper uses all sessions and items."
    )
    return Dataset("kosarak-short", "Kosarak (short sessions)", _column(path, "count_one"), note)


def _retail(path: Path) -> Dataset:
    note = (
        "Baskets of a Belgian supermarket, one random item a basket. Stands in for POS "
        "(515,597 transactions, 1,657 items): fewer people, ten times the values."
    )
    return Dataset("retail", "Retail", _column(path, "count_one"), note)


def _emoji(path: Path) -> Dataset:
    note = (
        "One emoji a person. Stands in for the Fire calls (305,132 calls, 742 unit ids): fewer "
        "people, twice the values, a heavier head."
    )
    return Dataset("emoji", "Emoji", _column(path, "count"), note)


def _msnbc(path: Path) -> Dataset:
    note = "One random page category a visitor, 17 categories. Not in the paper: a small domain."
    return Dataset("msnbc", "MSNBC", _column(path, "random"), note)


def _cities(path: Path) -> Dataset:
    """The 915 largest cities, and 602,325 people drawn from them in proportion."""
    table = read_parquet(path)
    people = np.array(table["population"][:_CITIES], dtype=np.float64)
    states = table["state"][:_CITIES]
    counts = np.random.default_rng(1940).multinomial(_CITIZENS, people / people.sum())
    division = {state: i for i, members in enumerate(DIVISIONS.values()) for state in members}
    known = sorted(set(states))
    groups = {
        "states": np.array([known.index(state) for state in states]),
        "divisions": np.array([division[state] for state in states]),
    }
    note = (
        "Stands in for the city of the 1940 census (IPUMS, a 1% sample): today's 915 largest US "
        "cities, as many people drawn in proportion. New York has 6% of them, and even the "
        "smallest city has 3 in 10,000: no value is nearly empty. Groups are today's states and "
        "the nine census divisions; the economic areas of 1940 cannot be had."
    )
    return Dataset("cities", "US cities", counts, note, groups)


_CITIES, _CITIZENS = 915, 602_325

DIVISIONS: dict[str, tuple[str, ...]] = {
    "New England": ("CT", "MA", "ME", "NH", "RI", "VT"),
    "Middle Atlantic": ("NJ", "NY", "PA"),
    "East North Central": ("IL", "IN", "MI", "OH", "WI"),
    "West North Central": ("IA", "KS", "MN", "MO", "ND", "NE", "SD"),
    "South Atlantic": ("DC", "DE", "FL", "GA", "MD", "NC", "SC", "VA", "WV"),
    "East South Central": ("AL", "KY", "MS", "TN"),
    "West South Central": ("AR", "LA", "OK", "TX"),
    "Mountain": ("AZ", "CO", "ID", "MT", "NM", "NV", "UT", "WY"),
    "Pacific": ("AK", "CA", "HI", "OR", "WA"),
}
"""The nine divisions of the US Census Bureau."""

_MADE_UP: dict[str, Callable[[], Dataset]] = {
    "zipf": _zipf,
    "beta": lambda: _beta("beta", 400, 100_000, "100,000 draws. As in the paper."),
    "beta-1024": lambda: _beta(
        "beta-1024", 1024, 1_000_000, "A million draws. The paper's has 400 values, 100,000 people."
    ),
}

_REAL: dict[str, tuple[str, Callable[[Path], Dataset]]] = {
    "cities": ("us_cities_population.parquet", _cities),
    "kosarak": ("kosarak_prefix_hist.csv.gz", _kosarak),
    "kosarak-short": ("kosarak_short_hist.csv.gz", _kosarak_short),
    "retail": ("retail_hist.csv.gz", _retail),
    "emoji": ("emoji_hist.csv.gz", _emoji),
    "msnbc": ("msnbc_hist.csv", _msnbc),
}

_SHELF = Shelf(_MADE_UP, _REAL)
