"""The whole way of the data, in one readable function.

value -> randomize -> report -> tally -> Tally -> estimate -> Estimate
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.estimate import Estimate
from sottovoce.base.progress import Counted, Progress, silent
from sottovoce.base.randomness import Source
from sottovoce.core.batches import tally_batches
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators import estimate

__all__ = ["Walk", "walk"]


@dataclass(frozen=True)
class Walk:
    """What came out at the end, beside what is never known outside a simulation."""

    truth: NDArray[np.float64]
    tally: Tally
    estimate: Estimate


def walk(
    mechanism: Mechanism,
    values: Any,
    *,
    method: str = "auto",
    batch: int = 10_000,
    source: Source | None = None,
    progress: Progress = silent,
) -> Walk:
    """Send everybody's value the whole way, in batches, as a collector would meet them.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(["cat", "dog"]), epsilon=2.0)
    >>> walk(m, ["cat"] * 700 + ["dog"] * 300).tally.n
    1000
    """
    indices = mechanism.domain.indices(values)
    counted = Counted(progress, "walk", len(indices))

    def reports() -> Iterator[Reports]:
        for start in range(0, len(indices), batch):
            part = indices[start : start + batch]
            yield mechanism.randomize_indices(part, source)  # on people's devices
            counted.add(len(part))

    tally = tally_batches(mechanism, reports())  # at the collector: reports only
    truth = np.bincount(indices, minlength=mechanism.domain.size) / len(indices)
    return Walk(truth, tally, estimate(tally, method))  # at the analyst's desk: a tally only
