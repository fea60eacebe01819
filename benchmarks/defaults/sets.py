"""The data sets: half to develop on, half held out and looked at once, when the work is done.

Real ones are read from the folder ``SOTTOVOCE_DATA`` and left out, with a message, where it is not
set.  Made-up ones are drawn with fixed seeds.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.experiments.datasets import read_parquet

__all__ = ["SETS", "DataSet", "load_set"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DataSet:
    """A histogram by name; ``numbers`` have an order, ``held_out`` ones are kept for the end."""

    name: str
    numbers: bool
    held_out: bool
    make: Callable[[Path | None], Ints]
    needs: str = ""
    """The file that it is read from; empty for made-up ones."""

    def domain(self, size: int) -> Domain:
        """Categories without order, or bins of [0, 1]."""
        return Interval(0, 1, bins=size) if self.numbers else Categories(range(size))


def load_set(wanted: DataSet, folder: Path | None) -> Ints | None:
    """Its counts; None where its file is not there."""
    if wanted.needs and (folder is None or not (folder / wanted.needs).is_file()):
        return None
    return wanted.make(folder / wanted.needs if folder and wanted.needs else None)


# -- how counts are made -------------------------------------------------------------------


def _drawn(weights: Floats, people: int, seed: int) -> Callable[[Path | None], Ints]:
    return lambda path: np.random.default_rng(seed).multinomial(people, weights / weights.sum())


def _ranks(size: int) -> Floats:
    return np.arange(1, size + 1, dtype=np.float64)


def _binned(draw: Callable[[np.random.Generator], Floats], bins: int, seed: int) -> Any:
    def make(path: Path | None) -> Ints:
        numbers = draw(np.random.default_rng(seed))
        inside = numbers[(numbers >= 0) & (numbers <= 1)]
        return np.histogram(inside, bins, (0.0, 1.0))[0].astype(np.int64)

    return make


def _column(name: str) -> Callable[[Path | None], Ints]:
    """How often each value of a column occurs."""
    return lambda path: np.unique(np.array(_read(path)[name], dtype=str), return_counts=True)[1]


def _histogram_column(name: str, most: int | None = None) -> Callable[[Path | None], Ints]:
    """A column of counts of a CSV file, the ``most`` largest of them."""

    def make(path: Path | None) -> Ints:
        assert path is not None
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        counts = np.array([int(row[name]) for row in csv.DictReader(text.splitlines())])
        return counts if most is None else np.sort(counts)[::-1][:most]

    return make


def _number_column(
    name: str, low: float, high: float, bins: int, where: Callable[[Any], Any] | None = None
) -> Callable[[Path | None], Ints]:
    """A column of numbers in bins; those outside are left out."""

    def make(path: Path | None) -> Ints:
        table = _read(path)
        numbers = np.array([np.nan if x is None else x for x in table[name]], dtype=np.float64)
        if where is not None:
            numbers = numbers[where(table)]
        inside = numbers[(numbers >= low) & (numbers < high)]
        return np.histogram(inside, bins, (low, high))[0].astype(np.int64)

    return make


def _read(path: Path | None) -> Any:
    assert path is not None
    return read_parquet(path)


def _zones(month: int | None) -> Callable[[Path | None], Ints]:
    def make(path: Path | None) -> Ints:
        table = _read(path)
        year, months = np.array(table["year"]), np.array(table["month"])
        chosen = year < 2020 if month is None else (year == 2018) & (months == month)
        return np.bincount(np.array(table["pickup_zone"])[chosen], minlength=266)[1:]

    return make


def _movies(path: Path | None) -> Ints:
    return np.sort(np.bincount(np.array(_read(path)["movie"])))[::-1][:1500]


def _cities(path: Path | None) -> Ints:
    people = np.array(_read(path)["population"][:915], dtype=np.float64)
    return np.random.default_rng(1940).multinomial(200_000, people / people.sum())


def _values(name: str, make: Any, needs: str = "", *, held_out: bool = False) -> DataSet:
    return DataSet(name, False, held_out, make, needs)


def _numbers(name: str, make: Any, needs: str = "", *, held_out: bool = False) -> DataSet:
    return DataSet(name, True, held_out, make, needs)


def _some_zero(size: int, zero: int, concentration: float, seed: int) -> Floats:
    weights = np.random.default_rng(seed).gamma(concentration, size=size)
    weights[:zero] = 0.0
    return weights


_TWO_KINDS = np.repeat([1.0, 49.0], [490, 10])
_STEPS = np.repeat([0.2, 3.0, 0.2, 1.0], [64, 48, 112, 32])
_ROUND_HUNDREDS = np.where(np.arange(200) % 20 == 10, 12.0, 1.0) * np.exp(-np.arange(200) / 80)
_PLATEAUS = np.repeat([0.1, 2.0, 0.5, 4.0, 0.1], [40, 30, 60, 20, 50])

# fmt: off
SETS: tuple[DataSet, ...] = (
    # values without order, to develop on
    _values("education", _column("education"), "adult.parquet"),
    _values("country", _column("native_country"), "adult.parquet"),
    _values("nursery class", _column("class"), "nursery.parquet"),
    _values("age as a category", _column("AGEP"), "acs_employment_mt.parquet"),
    _values("pages", _histogram_column("random"), "msnbc_hist.csv"),
    _values("emoji", _histogram_column("count"), "emoji_hist.csv.gz"),
    _values("clicks", _histogram_column("count_one"), "kosarak_short_hist.csv.gz"),
    _values("taxi zones", _zones(None), "nyc_taxi_pickups.parquet"),
    _values("zipf 1.5 of 1024", _drawn(_ranks(1024) ** -1.5, 100_000, 1)),
    _values("zipf 1.1 of 100", _drawn(_ranks(100) ** -1.1, 20_000, 2)),
    _values("uniform of 1000", _drawn(np.ones(1000), 100_000, 3)),
    _values("geometric of 128", _drawn(0.93 ** _ranks(128), 50_000, 4)),
    _values("two kinds of 500", _drawn(_TWO_KINDS, 100_000, 5)),
    _values("Dirichlet of 200, few people", _drawn(_some_zero(200, 0, 0.3, 6), 5_000, 6)),
    # values without order, held out
    _values("occupation", _column("occupation"), "adult.parquet", held_out=True),
    _values("marital status", _column("marital_status"), "adult.parquet", held_out=True),
    _values("schooling", _column("SCHL"), "acs_employment_mt.parquet", held_out=True),
    _values("nursery health", _column("health"), "nursery.parquet", held_out=True),
    _values("cities", _cities, "us_cities_population.parquet", held_out=True),
    _values("clicks, first sessions", _histogram_column("count_one", 2000), "kosarak_prefix_hist.csv.gz", held_out=True),
    _values("retail", _histogram_column("count_one", 3000), "retail_hist.csv.gz", held_out=True),
    _values("movies", _movies, "movielens_small.parquet", held_out=True),
    _values("taxi zones, one month", _zones(1), "nyc_taxi_pickups.parquet", held_out=True),
    _values("Mandelbrot of 2500", _drawn((_ranks(2500) + 12.0) ** -1.3, 300_000, 11), held_out=True),
    _values("lognormal of 300", _drawn(np.exp(1.3 * np.random.default_rng(12).normal(size=300)), 60_000, 12), held_out=True),
    _values("uniform of 50, few people", _drawn(np.ones(50), 3_000, 13), held_out=True),
    _values("half of 400 are empty", _drawn(_some_zero(400, 200, 5.0, 14), 80_000, 14), held_out=True),
    _values("one value has nearly all", _drawn(np.append(np.ones(63), 1200.0), 30_000, 15), held_out=True),
    # numbers, to develop on
    _numbers("pickup time", _number_column("pickup_second", 0, 86400, 192), "nyc_taxi_pickups.parquet"),
    _numbers("pay", _number_column("total_pay", 0, 250_000, 256), "sf_pay.parquet"),
    _numbers("wages", _number_column("wage", 1, 200_001, 256), "cps_wages.parquet"),
    _numbers("age", _number_column("age", 17, 91, 74), "adult.parquet"),
    _numbers("age of the head", _number_column("age_head", 0, 86, 86), "cps_wages.parquet"),
    _numbers("distance", _number_column("trip_distance", 0, 16, 128), "nyc_taxi_pickups.parquet"),
    _numbers("capital gain", _number_column("capital_gain", 0, 20_000, 100), "adult.parquet"),
    _numbers("Beta(5, 2)", _binned(lambda r: r.beta(5, 2, 100_000), 256, 21)),
    _numbers("two normals", _binned(lambda r: np.concatenate([r.normal(0.3, 0.03, 20_000), r.normal(0.7, 0.1, 30_000)]), 256, 22)),
    _numbers("steps", _drawn(_STEPS, 60_000, 23)),
    _numbers("round hundreds", _drawn(_ROUND_HUNDREDS, 40_000, 24)),
    _numbers("uniform, few people", _drawn(np.ones(64), 4_000, 25)),
    # numbers, held out
    _numbers("hours a week", _number_column("hours_per_week", 1, 100, 99), "adult.parquet", held_out=True),
    _numbers("weights", _number_column("fnlwgt", 0, 500_000, 200), "adult.parquet", held_out=True),
    _numbers("benefits", _number_column("benefits", 0, 60_000, 240), "sf_pay.parquet", held_out=True),
    _numbers("overtime", _number_column("overtime_pay", 0, 50_000, 125), "sf_pay.parquet", held_out=True),
    _numbers("fare", _number_column("fare_amount", 0, 60, 120), "nyc_taxi_pickups.parquet", held_out=True),
    _numbers("half hours", lambda path: _histogram_column("passengers")(path) // 500, "nyc_taxi_halfhour_hist.csv", held_out=True),
    _numbers("replicate weights", _number_column("PWGTP1", 0, 100, 100), "acs_pwgtp_mt.parquet", held_out=True),
    _numbers("exponential", _binned(lambda r: r.exponential(0.12, 150_000), 256, 31), held_out=True),
    _numbers("ends and a hump", _binned(lambda r: np.concatenate([np.zeros(6_000), np.full(3_000, 1.0), r.normal(0.45, 0.12, 21_000)]), 128, 32), held_out=True),
    _numbers("plateaus", _drawn(_PLATEAUS, 90_000, 33), held_out=True),
    _numbers("arcsine, few people", _binned(lambda r: r.beta(0.5, 0.5, 3_000), 64, 34), held_out=True),
    _numbers("narrow peak", _binned(lambda r: np.concatenate([r.random(20_000), r.normal(0.62, 0.006, 10_000)]), 256, 35), held_out=True),
    _numbers("zeros and a tail", _binned(lambda r: np.concatenate([np.zeros(43_000), r.exponential(0.2, 7_000)]), 120, 36), held_out=True),
    _numbers("most at the upper end", _binned(lambda r: np.concatenate([np.full(27_000, 1.0), r.beta(2, 3, 3_000)]), 80, 37), held_out=True),
    _numbers("one number in the middle", _binned(lambda r: np.concatenate([np.full(18_000, 0.4), r.random(2_000)]), 150, 38), held_out=True),
)
# fmt: on
