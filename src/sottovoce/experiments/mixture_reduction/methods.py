"""The methods compared, by name, and what a reduction left of the components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.trace import Reduction
from sottovoce.channels.base import Floats
from sottovoce.core.tally import Tally
from sottovoce.estimators import estimate

__all__ = ["CUT", "METHODS", "TITLES", "estimate_by", "left_over", "merged", "shares_by"]

CUT = 1400
"""Passes after which the authors' program ends EM on randomized response."""

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "em-cut": ("em", {"max_iterations": CUT, "tolerance": 0.0}),
    "mr-smallest": ("mr", {"strategy": "smallest"}),
    "mr-initial": ("mr", {"initial": True}),
}
"""Lines that are more than the name of a method: the method, and its options."""

TITLES = {
    "unbiased": "unbiased", "norm-sub": "Norm-Sub", "norm-cut": "Norm-Cut (\"Basecut\")", "iiw": "IIW",
    "em": "EM, stopped", "em-cut": f"EM, {CUT:,} passes", "ems": "EMS", "mle": "exact MLE",
    "mr": "MR", "mr-smallest": "MR", "mr-told": "MR, told the largest", "mr-initial": "MR, negatives merged first",
    "exchangeable": "exchangeable (ours)", "adaptive": "adaptive (ours)",
}  # fmt: skip


def estimate_by(tally: Tally, line: str, **options: Any) -> Estimate:
    """What a line of the figures finds."""
    method, more = METHODS.get(line, (line, {}))
    return estimate(tally, method, **more, **options)


def shares_by(tally: Tally, lines: Sequence[str]) -> dict[str, Estimate]:
    """What each line finds."""
    return {line: estimate_by(tally, line) for line in lines}


def merged(steps: Sequence[Reduction]) -> list[tuple[int, ...]]:
    """The values that share a component in the end, one tuple a component of several values."""
    groups: list[frozenset[int]] = []
    for step in steps:
        if step.kept:
            taken = frozenset(step.inputs)
            groups = [group for group in groups if not group & taken] + [taken]
    return [tuple(sorted(group)) for group in groups]


def left_over(found: Estimate, truth: Floats) -> Mapping[str, float]:
    """``K'/K`` and ``1/K sum_i h_i sigma_i^2``, the parts of the paper's proposition 1.

    ``h_i`` values of variance ``sigma_i^2``, of their true shares, are merged in one component.
    """
    groups = merged(found.trace)
    size = len(truth)
    components = size - sum(len(group) - 1 for group in groups)
    spread = sum(float(np.var(truth[list(group)])) * len(group) for group in groups)
    return {"kept": components / size, "spread": spread / size}
