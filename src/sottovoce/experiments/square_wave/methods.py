"""The methods compared, and what each makes of one drawing of a population's reports.

All work on [0, 1].  Methods on one mechanism see the same tally.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.interval import Interval
from sottovoce.estimators import estimate
from sottovoce.estimators.two_phases import TwoPhaseVariance
from sottovoce.experiments.draws import Errors, shares_of
from sottovoce.experiments.numbers import Numbers

__all__ = ["BINNINGS", "DISTRIBUTIONS", "MOMENTS", "RANGES", "TITLES", "WIDTHS", "Rivals"]

TITLES = {
    "ems": "SW, EMS", "em": "SW, EM", "adaptive": "SW, adaptive (ours)", "hh-admm": "HH-ADMM",
    "cfo-16": "CFO, 16 bins", "cfo-32": "CFO, 32 bins", "cfo-64": "CFO, 64 bins",
    "hh": "HH", "haar": "HaarHRR", "sr": "SR", "pm": "PM",
}  # fmt: skip
BINNINGS = (16, 32, 64)
WIDTHS = (0.1, 0.4)

DISTRIBUTIONS = tuple(TITLES)[:7]
"""Methods that give distributions: all measures."""
RANGES = (*DISTRIBUTIONS, "hh", "haar")
"""Shares of hierarchies may be negative: only ranges."""
MOMENTS = (*DISTRIBUTIONS, "sr", "pm")
"""Stochastic rounding and the piecewise mechanism: mean and variance."""


@dataclass(frozen=True, eq=False)
class Rivals:
    """All mechanisms for the numbers of a data set at an epsilon."""

    data: Numbers
    epsilon: float

    def __str__(self) -> str:
        return f"{self.data.name}, {self.epsilon:g}"

    @property
    def domain(self) -> Interval:
        """The interval [0, 1] in the bins of the papers."""
        return Interval(0, 1, bins=self.data.bins)

    @cached_property
    def mechanisms(self) -> dict[str, Mechanism]:
        """Each by its name; on wide bins the better of randomized response and local hashing."""
        made = {
            n: mechanism(n, self.domain, self.epsilon) for n in ("sw", "hh", "haar", "sr", "pm")
        }
        for bins in BINNINGS:
            made[f"cfo-{bins}"] = mechanism("binned", self.domain, self.epsilon, report_bins=bins)
        return made

    def draw(self, source: Seeded) -> Errors:
        """All errors of one drawing, by measure and in the order of the measure's methods."""
        counts, truth = self.data.counts(), self.data.shares()
        tallies = {name: m.simulate(counts, source=source) for name, m in self.mechanisms.items()}
        found: dict[str, Floats] = {
            method: shares_of(tallies["sw"], method) for method in ("ems", "em", "adaptive")
        }
        found["hh-admm"] = shares_of(tallies["hh"], "hh-admm")
        for bins in BINNINGS:
            found[f"cfo-{bins}"] = shares_of(tallies[f"cfo-{bins}"], "norm-sub")
        found["hh"] = shares_of(tallies["hh"], "hh-ci")
        found["haar"] = shares_of(tallies["haar"], "haar")
        rows = np.array([found[name] for name in DISTRIBUTIONS])
        errors = {
            "wasserstein": metrics.wasserstein(rows, truth),
            "ks": metrics.kolmogorov_smirnov(rows, truth),
            "quantiles": metrics.quantile_error(rows, truth),
        }
        ranged = np.array([found[name] for name in RANGES])
        for width in WIDTHS:
            errors[f"range-{width:g}"] = metrics.range_error(ranged, truth, width)
        middles = self.domain.midpoints
        mean = float(truth @ middles)
        variance = float(truth @ (middles - mean) ** 2)
        told = [abs(estimate(tallies[n], "unbiased").mean().value - mean) for n in ("sr", "pm")]
        errors["mean"] = np.append(metrics.mean_error(rows, truth), told)
        told = [abs(self._variance(name, source) - variance) for name in ("sr", "pm")]
        errors["variance"] = np.append(metrics.variance_error(rows, truth), told)
        return errors

    def _variance(self, name: str, source: Seeded) -> float:
        """Half of the people tell the mean, the others their squared distance to it."""
        counts, survey = self.data.counts(), TwoPhaseVariance(self.domain, self.epsilon, name)
        half = source.generator().multivariate_hypergeometric(counts, self.data.n // 2)
        first = survey.first.simulate(half, source=source)
        mean = survey.mean(first)
        squares = np.repeat(survey.squares(self.domain.midpoints, mean), counts - half)
        second = survey.second(mean)
        return survey.answer(first, second.tally(second.randomize(squares, source=source))).value
