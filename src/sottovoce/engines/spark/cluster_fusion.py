"""Answers from combinations of reports that stay on the cluster.

The likeliest distribution takes a dozen or two Newton steps.  Each is one pass: workers sum the slope and
the curvature of the log-likelihood, a vector and a matrix per partition, and the driver solves.
A mean takes three passes.  Both are the library's, from the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.domains.base import Domain
from sottovoce.engines.spark.combinations import Overview, Service, aligned_of
from sottovoce.engines.spark.frames import collected
from sottovoce.engines.spark.passes import (
    CellSums,
    LikelihoodSums,
    MeanPass,
    NumberSums,
    OverviewSums,
    summed,
)
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.estimators.likelihood.mle import LARGEST_NEWTON, mle
from sottovoce.estimators.methods import Method
from sottovoce.estimators.observed import Observations
from sottovoce.fusion.curvature_replicates import CurvatureReplicates
from sottovoce.fusion.distribution import fused_estimate
from sottovoce.fusion.factors import cells_of_users
from sottovoce.fusion.mean import METHODS, FusedMean, MeanSums, mean_of_sums, weighing
from sottovoce.fusion.services import Joined, Services

__all__ = ["ClusterFusion"]


class ClusterRows:
    """The likelihood of combinations on the cluster; a :class:`~sottovoce.channels.rows.Rows`."""

    def __init__(self, frame: Any, services: Sequence[Service], total: float) -> None:
        self._frame, self._services = frame, tuple(services)
        self.inputs, self.total = services[0].mechanism.domain.size, total
        self._last: tuple[Floats, Floats] | None = None

    def _sums(self, shares: Floats) -> Floats:
        """One pass gives all three sums: they are asked for one after the other."""
        if self._last is None or not np.array_equal(self._last[0], shares):
            step = LikelihoodSums(self._services, shares.copy())
            self._last = step.shares, summed(self._frame, step)
        return self._last[1]

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """``(L'(c / L w) / sum c, sum c log L w)``."""
        sums = self._sums(shares)
        return sums[1 : 1 + self.inputs] / self.total, float(sums[0])

    def curvature(self, shares: Floats) -> Floats:
        """``L' diag(c / (L w)^2) L``, from all rows."""
        return self._sums(shares)[1 + self.inputs :].reshape(self.inputs, self.inputs).copy()


@dataclass(frozen=True, eq=False)
class ClusterObservations(Observations):
    """Combinations on the cluster, as evidence about one distribution."""

    joined: Joined
    on_cluster: ClusterRows

    @property
    def domain(self) -> Domain:
        return self.joined.domain

    @property
    def epsilon(self) -> float:
        return max(mechanism.epsilon for mechanism in self.joined.mechanisms)

    @property
    def name(self) -> str:
        return "several services"

    @property
    def n(self) -> int:
        return self.joined.n

    @property
    def channel(self) -> Channel:
        """That of the first service, for the size of a distribution: ``rows`` has the reports."""
        return self.joined.mechanisms[0].channel()

    @property
    def cells(self) -> Floats:
        raise Unfit("combinations of reports on a cluster are rows, not cells")

    @property
    def rows(self) -> ClusterRows:  # type: ignore[override]
        return self.on_cluster

    @property
    def likelihood(self) -> str:
        return "joint likelihood of each user's reports, summed on the cluster"


@dataclass(frozen=True, eq=False)
class _Powers:
    """Numbers of one service, as far as sums over all users tell."""

    variance: Floats
    bias_bound: float
    people: int
    means: tuple[float, float, float]
    """Of the numbers taken to the powers 1, 2 and 4."""

    def average(self, power: int = 1) -> tuple[float, float]:
        mean, square = self.means[power - 1 : power + 1]
        return mean, (square - mean**2) / self.people


class ClusterFusion(Joined):
    """Joined reports of more combinations than the driver takes; they stay where they were written.

    Its answers are those of :class:`~sottovoce.fusion.services.Fusion`; the distribution by ``mle`` only.
    Each answer reads the folder again, so it must stay as long as this is used.
    """

    def __init__(self, frame: Any, services: Sequence[Service]) -> None:
        self._frame, self._services = frame, tuple(services)
        sums = summed(frame, OverviewSums(self._services))
        overview = Overview(sums[:2], sums[2:].reshape(-1, len(services)))
        overview.check(services)
        super().__init__(
            [each.name for each in services], [each.mechanism for each in services],
            overview.n, [True] * len(services),
        )  # fmt: skip

    @cached_property
    def _nobody(self) -> Services:
        """The services without a report: what is the same for all reports."""
        return Services(aligned_of(collected(self._frame.limit(0)), self._services))

    @cached_property
    def _cells(self) -> tuple[Floats, ...]:
        """How many people fell in each cell, a service at a time."""
        sums = summed(self._frame, CellSums(self._services))
        sizes = [len(cells_of_users(factor)) for factor in self._nobody.factors]
        return tuple(np.split(sums, np.cumsum(sizes)[:-1]))

    @cached_property
    def _numbers(self) -> list[_Powers]:
        sums = summed(self._frame, NumberSums(self._services, self._cells))
        known = Services(self._nobody.aligned, self._cells).numbers
        found = []
        for one, (people, *powers) in zip(known, sums.reshape(-1, 4), strict=True):
            first, second, fourth = (float(each / people) for each in powers)
            means = first, second, fourth
            found.append(_Powers(one.variance, one.bias_bound, int(people), means))
        return found

    def mean(self, method: str = "population") -> FusedMean:
        """The mean of the users' numbers, in three passes; two of them are kept for the next."""
        check_choice(method, "method", "fuse_mean", METHODS)
        domain = self.interval
        first, typical = weighing(self._numbers, domain)
        step = MeanPass(self._services, self._cells, method, first, typical)
        total, squares, noise, *used = summed(self._frame, step)
        sums = MeanSums(float(total), float(squares), float(noise), np.array(used))
        return mean_of_sums(self, method, self._numbers, domain, sums)

    def distribution(self, method: str = "ule", *, inner: str = "auto", **options: Any) -> Estimate:
        """The likeliest distribution of the users' values, a pass per Newton step.

        ``inner`` is ``"mle"``, also by ``"auto"``; ``options`` are those of ``mle``. Errors come from
        the curvature at the end, not from fusing again.
        """
        check_choice(method, "method", "fuse_distribution", ("ule",))
        check_choice(inner, "inner", "distribution of combinations on a cluster", ("auto", "mle"))
        if self.domain.size > LARGEST_NEWTON:
            raise Unfit(
                f"{self.domain.size:,} values are too many for Newton's method on a cluster, which takes "
                f"at most {LARGEST_NEWTON:,}: use coarser bins"
            )
        Method("mle", "", fit=mle).check_options(mle, options)
        rows = ClusterRows(self._frame, self._services, float(self.n))
        fit = mle(ClusterObservations(self, rows), **options)
        noise = CurvatureReplicates(fit.shares, rows.curvature(fit.shares), self.n)
        found = fused_estimate(self, "mle", fit, noise)
        warn_unless_converged(found)
        return found
