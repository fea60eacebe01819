"""Populations of every kind over values without order, in a random order fixed once for all.

Made-up ones, always there, and real histograms, read from a folder.  Numbers are in bins that are
taken for values without order.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.experiments.datasets import Dataset, Shelf, read_parquet

__all__ = ["SIZES", "load", "names"]

_PEOPLE = {300: 300_000, 100: 50_000, 60: 43_386, 17: 43_386}


def names() -> tuple[str, ...]:
    """All populations, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Dataset], list[str]]:
    """The populations that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


def _drawn(name: str, title: str, weights: Floats, note: str) -> Dataset:
    size = len(weights)
    random = np.random.default_rng(size)
    counts = random.multinomial(_PEOPLE[size], weights / weights.sum())
    return Dataset(name, f"{title}, {size} values", random.permutation(counts), note)


# -- made up -------------------------------------------------------------------------------


def _zipf(size: int, exponent: float) -> Floats:
    return np.arange(1.0, size + 1.0) ** -exponent


def _spikes(size: int) -> Floats:
    """Five values of 8%, the others alike."""
    return np.repeat([0.08, 0.6 / (size - 5)], [5, size - 5])


def _half(size: int) -> Floats:
    return np.repeat([1.0, 0.0], [size // 2, size - size // 2])


def _mixture(size: int) -> Floats:
    """S-MN between 0 and 1."""
    x = (np.arange(size) + 0.5) / size
    return 0.6 * _bell(x, 0.7, 0.2) + 0.4 * _bell(x, 0.2, 0.1)


def _bell(x: Floats, mean: float, deviation: float) -> Floats:
    density: Floats = np.exp(-(((x - mean) / deviation) ** 2) / 2) / deviation
    return density


_KINDS: dict[str, tuple[str, Callable[[int], Floats], str]] = {
    "alike": ("All alike", np.ones, "Every value as frequent as another, but for the draw."),
    "zipf": ("Zipf(1)", lambda d: _zipf(d, 1.0), "The i-th in proportion to 1/i."),
    "steep": ("Zipf(1.5)", lambda d: _zipf(d, 1.5), "The i-th in proportion to i^-1.5."),
    "spikes": ("Spikes", _spikes, "Five values of 8%, the rest alike."),
    "half": ("Half empty", _half, "Half of the values alike, the others held by nobody."),
    "mixture": ("S-MN", _mixture, "The paper's mixture of two normal distributions, in bins."),
}


def _made(kind: str, size: int) -> Callable[[], Dataset]:
    title, weights, note = _KINDS[kind]
    return lambda: _drawn(f"{kind}-{size}", title, weights(size), note)


# -- real ------------------------------------------------------------------------------------


def _binned(path: Path, column: str, size: int, last: float) -> Floats:
    numbers = np.array([x for x in read_parquet(path)[column] if x is not None and 0 < x < last])
    places = (numbers / last * size).astype(np.int64)
    return np.bincount(places, minlength=size).astype(np.float64)


def _counts(path: Path, column: str) -> Floats:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return np.array([float(row[column]) for row in csv.DictReader(text.splitlines())])


def _largest(weights: Floats, size: int) -> Floats:
    return np.sort(weights)[::-1][:size]


_FILES: dict[str, tuple[str, str, Callable[[Path, int], Floats], str]] = {
    "pay": (
        "Pay groups", "sf_pay.parquet", lambda path, d: _binned(path, "total_pay", d, 300_000),
        "Total pay of employees of San Francisco up to 300,000 dollars, in groups.",
    ),
    "wages": (
        "Wage groups", "cps_wages.parquet", lambda path, d: _binned(path, "wage", d, 200_000),
        "US wages up to 200,000 dollars, in groups; people name round numbers.",
    ),
    "cities": (
        "US cities", "us_cities_population.parquet",
        lambda path, d: _largest(np.array(read_parquet(path)["population"], dtype=np.float64), d),
        "The largest US cities.",
    ),
    "emoji": (
        "Emoji", "emoji_hist.csv.gz", lambda path, d: _largest(_counts(path, "count"), d),
        "The most frequent emoji.",
    ),
    "msnbc": (
        "MSNBC", "msnbc_hist.csv", lambda path, d: _largest(_counts(path, "random"), d),
        "One random page category a visitor.",
    ),
}  # fmt: skip


def _read(kind: str, size: int) -> tuple[str, Callable[[Path], Dataset]]:
    title, file, weights, note = _FILES[kind]
    note += " As many people as in the paper, drawn in proportion."
    return file, lambda path: _drawn(f"{kind}-{size}", title, weights(path, size), note)


_MADE = [("alike", 100), *((kind, size) for size in (300, 60) for kind in _KINDS)]
_REAL = [
    *((kind, size) for size in (300, 60) for kind in _FILES if kind != "msnbc"), ("msnbc", 17),
]  # fmt: skip
_SHELF = Shelf(
    {f"{kind}-{size}": _made(kind, size) for kind, size in _MADE},
    {f"{kind}-{size}": _read(kind, size) for kind, size in _REAL},
)
SIZES = {f"{kind}-{size}": size for kind, size in (*_MADE, *_REAL)}
"""How many values every population has."""
