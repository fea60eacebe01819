"""Which services asked, by which mechanism and with what budget, and the means and variances of the textbook.

Numbers are on [-1, 1], as in the paper.  Formulas of variances are those of one report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.interval import Interval
from sottovoce.estimators.cell_means import mean_gains
from sottovoce.experiments.fusion.values import BINS

__all__ = [
    "DOMAIN",
    "EPSILONS",
    "FOUR",
    "GROUPS",
    "MEAN_SETTINGS",
    "SHARE_SETTINGS",
    "THREE",
    "Kinds",
    "alike",
    "made",
    "report_variances",
    "textbook_laplace",
]

DOMAIN = Interval(-1, 1, bins=BINS)
FOUR = ("sr", "laplace", "pm", "sw")
"""The services of a mean."""
THREE = ("sr", "pm", "sw")
"""The services of a distribution."""
_WAVES = ("pm", "sw")
EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)

Kinds = tuple[tuple[str, float], ...]
"""The mechanism and the epsilon of every service."""


def alike(names: Sequence[str], epsilon: float, times: int = 1) -> Kinds:
    """So many services of each name, all with one budget."""
    return tuple((name, epsilon) for _ in range(times) for name in names)


def _settings(names: Sequence[str], budgets: Sequence[Sequence[float]]) -> tuple[Kinds, ...]:
    return tuple(tuple(zip(names, each, strict=True)) for each in budgets)


MEAN_SETTINGS = _settings(
    FOUR,
    ((0.1, 0.2, 0.3, 0.4), (0.2, 0.4, 0.1, 0.3), (0.3, 0.1, 0.4, 0.2), (0.4, 0.3, 0.2, 0.1)),
)
"""A1 to A4."""
SHARE_SETTINGS = _settings(
    THREE, ((0.1, 0.2, 0.3), (0.2, 0.3, 0.1), (0.3, 0.1, 0.2), (0.2, 0.1, 0.3))
)
"""C1 to C4."""
GROUPS = tuple(some for count in (2, 3, 4) for some in combinations(FOUR, count))
"""G1 to G11: the services that each group of users told."""


@lru_cache(maxsize=64)
def made(kinds: Kinds, outputs: int | None = None) -> tuple[Mechanism, ...]:
    """The mechanisms on [-1, 1]; waves with so many cells of outputs, their own number if left out."""
    each = {}
    for name, epsilon in kinds:
        options = {"output_bins": outputs} if outputs and name in _WAVES else {}
        each[name, epsilon] = mechanism(name, DOMAIN, epsilon, **options)
    return tuple(each[kind] for kind in kinds)


def report_variances(asked: Mechanism, shares: Floats) -> float:
    """The mean over all people of the variance of one unbiased number, from randomization alone."""
    cell_weights, channel = mean_gains(asked), asked.channel()
    assert cell_weights is not None  # all four mechanisms tell a mean
    means = channel.adjoint(cell_weights.values)
    return float(channel.forward(shares) @ cell_weights.values**2 - shares @ means**2)


def textbook_laplace(epsilon: float) -> float:
    """``8 / eps^2``: a number with its noise as it is, never brought back to the interval.

    Ours is counted at the nearer end once it has left the interval, where an end stands for the mean
    place beyond: that loses nothing of what reports tell, and has about half the variance.

    >>> textbook_laplace(0.5)
    32.0
    """
    return 8 / math.pow(epsilon, 2)
