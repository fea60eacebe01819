"""Steps of a reduction: which values were taken together, and whether that was kept."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reduction"]


@dataclass(frozen=True)
class Reduction:
    """One step of :func:`sottovoce.estimators.likelihood.mr.mr`."""

    inputs: tuple[int, ...]
    """The values taken."""
    sets: int
    """How many components they became (or how many sets were left out)."""
    weight: float
    """What they weighed together; of several sets the heaviest."""
    threshold: float
    """What this was held against."""
    components: int
    """How many components there were after it."""
    change: float
    """Of BIC; negative is better."""
    kept: bool
    """Whether the step stands: the last one may have been undone."""
