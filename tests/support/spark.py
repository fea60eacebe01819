"""Reports as Spark has them, and settings of a small session."""

from __future__ import annotations

import numpy as np
import pyarrow as arrow

import sottovoce as sv
from sottovoce.core.registry import registered

SETTINGS = {
    "spark__driver__memory": "1g",
    "spark__sql__shuffle__partitions": "3",
    "spark__ui__enabled": "false",
    "spark__driver__bindAddress": "127.0.0.1",
    "spark__driver__host": "127.0.0.1",
}

PEOPLE = 400
REGIONS = ("north", "south", "east")


def examples() -> list[sv.Mechanism]:
    """The first two examples of every mechanism."""
    return [each for cls in registered() for each in list(cls.examples())[:2]]


def drawn(mechanism: sv.Mechanism, people: int = PEOPLE, seed: int = 1) -> sv.Reports:
    """Reports of people who hold anything."""
    rng = np.random.default_rng(seed)
    held = rng.integers(mechanism.domain.size, size=people)
    return mechanism.randomize_indices(held, sv.Seeded(seed))


def with_regions(reports: sv.Reports) -> arrow.Table:
    """Reports with a public column, as an Arrow table."""
    table = reports.to_arrow()
    regions = [REGIONS[i % 3] if i % 7 else "west" for i in range(len(reports))]
    return table.append_column("region", arrow.array(regions))


def by_region(reports: sv.Reports) -> dict[tuple[str, ...], sv.Tally]:
    """What the library counts, region by region."""
    counter = sv.Counter(reports.mechanism, by=["region"])
    counter.add(with_regions(reports))
    return counter.tallies()
