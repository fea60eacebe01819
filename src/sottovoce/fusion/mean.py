"""One mean from the reports of several services.

Every report becomes a number that is right on average.  A user's numbers are averaged with
weights that sum to 1, and users equally.  The methods differ in the weights:

* ``population``: inversely to each service's mean variance, the same for all users who
  have the same services.  Weights do not depend on the reports they weigh (but through two means over all
  users), so that the mean is unbiased, and its variance the least that such weights allow.
* ``ua``: all alike.
* ``uwa``: inversely to the variance expected for this user, from the posterior of their value
  given all their reports and a flat prior.  Reports then choose their own weights, which biases the
  mean: little at small budgets, seriously from about 1 on.

References: Du, Ye, Fu, Hu 2025, section 4 for ``ua`` and ``uwa``; ``population`` is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.answers.about import check_about
from sottovoce.answers.answer import Answer, answer
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval
from sottovoce.fusion.factors import Factor, Varying
from sottovoce.fusion.joint import JointRows
from sottovoce.fusion.moments import Numbers, mean_variances, moments_of

if TYPE_CHECKING:
    from sottovoce.fusion.services import Joined, Services

__all__ = [
    "METHODS",
    "FusedMean",
    "MeanSums",
    "fused_mean",
    "mean_of_sums",
    "mean_sums",
    "weighing",
]

_WHY = {
    "population": "services weighted by their mean precision among all users: unbiased",
    "ua": "all services with equal weight: unbiased",
    "uwa": "each user's services weighted by that user's posterior: biased where budgets are large",
}
METHODS = tuple(_WHY)
_AT_ONCE = 2**20
"""Users whose weights are computed at a time."""
_ALIKE = 1e-9
"""Part of the largest below which a direction of the variances does not matter."""


@dataclass(frozen=True, eq=False)
class FusedMean:
    """A mean with its error, and what each service has to do with it."""

    value: float
    stderr: float
    """About these users."""
    population_stderr: float
    """About the population they were drawn from."""
    n: int
    method: str
    why: str
    services: Frame
    """Every service: mechanism, epsilon, users, mean weight, and its own mean with error."""
    certified: bool

    def answer(self, *, confidence: float = 0.95, about: str = "respondents") -> Answer:
        """The mean with its interval."""
        check_about(about, "answer")
        stderr = self.stderr if about == "respondents" else self.population_stderr
        return answer(self.value, stderr, "mean", confidence)

    @property
    def low(self) -> float:
        """The lower end of the 95% interval."""
        return self.answer().low

    @property
    def high(self) -> float:
        """The upper end of the 95% interval."""
        return self.answer().high

    @property
    def weights(self) -> dict[str, float]:
        """The mean weight of every service."""
        return dict(zip(self.services["service"], self.services["weight"], strict=True))

    def __str__(self) -> str:
        return str(self.answer())


def fused_mean(services: Services, method: str) -> FusedMean:
    """The mean by one of the :data:`METHODS`."""
    domain, numbers = services.interval, services.numbers
    first, typical = weighing(numbers, domain)
    sums = mean_sums(services, method, first, typical)
    return mean_of_sums(services, method, numbers, domain, sums)


def weighing(numbers: Sequence[Numbers], domain: Interval) -> tuple[float, Floats]:
    """The mean over all users as far as numbers tell, and each service's mean variance."""
    moments = moments_of(numbers, domain)
    return moments.first, mean_variances(numbers, domain, moments)


@dataclass(frozen=True, eq=False)
class MeanSums:
    """What a fused mean needs of users, summed over them."""

    total: float
    """Of each user's weighted mean."""
    squares: float
    """Of its square, seen from the first mean over all."""
    noise: float
    """Of its variance."""
    used: Floats
    """Of the weights, a service at a time."""


def mean_sums(services: Services, method: str, first: float, typical: Floats) -> MeanSums:
    """Sums over these users, who may be a part of all; ``first`` and ``typical`` are of all."""
    numbers, counts = services.numbers, services.aligned.counts
    total, squares, noise, used = 0.0, 0.0, 0.0, np.zeros(len(numbers))
    for some in _chunks(services.aligned.entries):
        users = np.float64(1.0) if counts is None else counts[some].astype(np.float64)
        told = np.stack([one.numbers[some] for one in numbers], axis=1)
        here = np.stack([one.present[some] for one in numbers], axis=1)
        weights = np.where(here, _precisions(method, typical, services, some), 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        fused = np.sum(weights * np.where(here, told, 0.0), axis=1)
        total += float((users * fused).sum())
        squares += float((users * (fused - first) ** 2).sum())
        noise += float((users * (weights**2 @ typical)).sum())
        used += (weights.T * users).sum(axis=1)
    return MeanSums(total, squares, noise, used)


def mean_of_sums(
    services: Joined,
    method: str,
    numbers: Sequence[Numbers],
    domain: Interval,
    sums: MeanSums,
) -> FusedMean:
    """The mean with its errors from the sums over all users."""
    first, typical = weighing(numbers, domain)
    n, value = services.n, sums.total / services.n
    bias_bound = float(sums.used @ [one.bias_bound for one in numbers]) / n
    spread = max(0.0, sums.squares / n - (value - first) ** 2)
    people = [one.people for one in numbers]
    table = Frame(
        {
            "service": list(services.names),
            "mechanism": [mechanism.name for mechanism in services.mechanisms],
            "epsilon": [mechanism.epsilon for mechanism in services.mechanisms],
            "users": people,
            "weight": sums.used / n,
            "mean": [one.average()[0] for one in numbers],
            "stderr": np.sqrt(typical / people),
        }
    )
    noise = sums.noise / n**2
    return FusedMean(
        value,
        stderr=float(np.sqrt(noise + bias_bound**2)),
        population_stderr=float(np.sqrt(max(spread / n, noise) + bias_bound**2)),
        n=n, method=method, why=f"{_WHY[method]}; {services.privacy}", services=table,
        certified=services.certified,
    )  # fmt: skip


def _precisions(method: str, typical: Floats, services: Services, some: slice) -> Floats:
    """What the weights of some users are proportional to: one row for all, or a row a user."""
    if method == "ua":
        return np.ones((1, len(typical)))
    if method == "population":
        return 1 / np.maximum(typical, np.finfo(np.float64).tiny)[None, :]
    return 1 / _posterior_variances(services.numbers, [f.of_users(some) for f in services.factors])


def _posterior_variances(services: Sequence[Varying], factors: Sequence[Factor]) -> Floats:
    """The mean of every service's variance under each user's posterior from a flat prior.

    The variances, all nearly quadratics of the value, span few directions: posteriors are summed
    over these, and over 1.
    """
    variances = np.stack([one.variance for one in services])
    left, sizes, directions = np.linalg.svd(variances, full_matrices=False)
    kept = sizes > _ALIKE * sizes[0]
    joint = JointRows(factors, distinct=False)
    flat = np.ones(variances.shape[1])
    sums = joint.sums([flat, *directions[kept]])
    return np.asarray((sums[:, 1:] / sums[:, :1]) @ (left[:, kept] * sizes[kept]).T)


def _chunks(n: int) -> Iterator[slice]:
    for start in range(0, n, _AT_ONCE):
        yield slice(start, min(n, start + _AT_ONCE))
