"""What the methods of version 0.1 can do, kept: the best of each cell in hindsight, draw by draw.

Some of these methods are gone, others may change.  So their errors are recorded once, by the code of the
time, and the default of any later day is held against them, on the same draws.
"""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.defaults.cells import Errors

__all__ = ["KEPT", "Mark", "Yardstick", "marks_of", "read_yardstick", "write_yardstick"]

KEPT = Path(__file__).parent / "yardstick.json.gz"


@dataclass(frozen=True)
class Mark:
    """One measure of a cell: the best method with its errors, the unbiased error, all others' means.

    ``unbiased`` is that of ``mle`` where shares have no unbiased estimate.
    """

    best: str
    draws: list[float]
    unbiased: float
    means: dict[str, float]


Yardstick = dict[str, dict[str, Mark]]
"""By cell and measure."""


def marks_of(errors: Errors) -> dict[str, Mark]:
    """The marks of a cell, from the errors of all methods."""
    found = {}
    for measure, by_method in errors.items():
        means = {name: float(np.mean(draws)) for name, draws in by_method.items()}
        best = min(means, key=lambda name: means[name])
        base = means.get("unbiased", math.inf)
        finite = {name: float(f"{mean:.4g}") for name, mean in means.items() if math.isfinite(mean)}
        found[measure] = Mark(
            best, by_method[best], base if math.isfinite(base) else means["mle"], finite
        )
    return found


def read_yardstick(path: Path = KEPT) -> Yardstick:
    """The marks that are kept; none where there is no file."""
    if not path.is_file():
        return {}
    document = json.loads(gzip.decompress(path.read_bytes()))
    return {cell: {m: Mark(**mark) for m, mark in by.items()} for cell, by in document.items()}


def write_yardstick(yardstick: Yardstick, path: Path = KEPT) -> None:
    """Cells in order, the same bytes for the same marks."""
    document = {
        cell: {m: asdict(mark) for m, mark in by.items()} for cell, by in sorted(yardstick.items())
    }
    text = json.dumps(document, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
