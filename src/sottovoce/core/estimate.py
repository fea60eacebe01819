"""What the reports say: a distribution with honest error bars."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from sottovoce.core.answer import Answer, answer, two_sided
from sottovoce.core.channel import Channel, Floats
from sottovoce.core.checks import check_choice, check_int
from sottovoce.core.domain import Domain
from sottovoce.core.errors import InvalidInput, Unfit
from sottovoce.core.frame import Frame
from sottovoce.core.interval import Interval

__all__ = ["Estimate", "LinearNoise", "NoNoise", "Noise"]

_NAMED = 4
"""How many values a total names one by one."""


class Noise(Protocol):
    """What is known of an estimate's error."""

    def stderr(self, about: str) -> Floats:
        """The standard error of every share."""

    def stderr_of(self, weights: Floats, about: str) -> float:
        """The standard error of ``weights . shares``, covariances included."""


@dataclass(frozen=True)
class LinearNoise:
    """The exact noise of an unbiased linear estimate.

    About these respondents, ``n Var(z . f) = x . g^2 - f . z^2`` (``x`` the cell
    frequencies, ``g = B' z`` what each cell adds; see ``Channel.variance_of``).
    About the population they were drawn from, add the sampling variance
    ``f . z^2 - (f . z)^2``.  Both are linear or quadratic in f, so the unbiased
    shares themselves are put in.  Where the inverse is right only on average
    over public hashes, its misfit is added, and does not vanish with n.
    """

    channel: Channel
    n: int
    frequencies: Floats
    shares: Floats

    @cached_property
    def _variance(self) -> Floats:
        """n times the variance of each share, from randomization alone."""
        return self.channel.variance(self.shares, self.frequencies)

    @property
    def _noise(self) -> Floats:
        return np.maximum(self._variance, 0.0) / self.n

    def stderr(self, about: str) -> Floats:
        variance = self._variance
        if about == "population":
            variance = variance + np.maximum(self.shares * (1 - self.shares), 0.0)
        misfits = self.channel.misfits(self.shares, self._noise)
        return np.sqrt(np.maximum(variance, 0.0) / self.n + misfits)

    def stderr_of(self, weights: Floats, about: str) -> float:
        variance = self.channel.variance_of(weights, self.frequencies, self.shares)
        if about == "population":
            total = float(self.shares @ weights)
            variance += max(0.0, float(self.shares @ weights**2) - total**2)
        misfit = 0.0
        if not self.channel.exact_inverse:
            misfit = self.channel.misfit(weights, self.shares, self._noise)
        return float(np.sqrt(max(variance, 0.0) / self.n + misfit))


@dataclass(frozen=True)
class NoNoise:
    """Nothing is uncertain: the domain has a single value."""

    size: int

    def stderr(self, about: str) -> Floats:
        return np.zeros(self.size)

    def stderr_of(self, weights: Floats, about: str) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class Estimate:
    """A distribution over the domain, always with the same fields.

    ``stderr`` speaks of these respondents: how far the shares may be from the
    shares among the people who answered.  :meth:`for_population` makes it
    speak of the population they were drawn from.
    """

    domain: Domain
    shares: Floats
    n: int
    method: str
    why: str
    noise: Noise
    converged: bool = True
    iterations: int = 0
    history: tuple[float, ...] = ()
    optimality: float = 0.0
    about: str = "respondents"
    clips: bool = False
    """Whether answers below 0 are raised to 0, the shares behind them staying as they are."""

    def __post_init__(self) -> None:
        check_choice(self.about, "about", "Estimate", ("population", "respondents"))
        self.shares.setflags(write=False)

    @cached_property
    def stderr(self) -> Floats:
        """The standard error of every share, computed when first asked for."""
        return self.noise.stderr(self.about)

    def for_population(self) -> Estimate:
        """The same shares, with the error of having asked only these people added."""
        return dataclasses.replace(self, about="population")

    # -- answers -----------------------------------------------------------------

    def linear(self, weights: Any, label: Any = "", *, confidence: float = 0.95) -> Answer:
        """The answer ``sum_v weights_v share_v``, its error with all covariances."""
        z = np.asarray(weights, dtype=np.float64)
        if z.shape != self.shares.shape or not np.isfinite(z).all():
            raise InvalidInput(
                "weights", "linear", f"{len(self.shares)} finite numbers", f"shape {z.shape}"
            )
        return self._answer(
            float(self.shares @ z), self.noise.stderr_of(z, self.about), label, confidence
        )

    def _answer(self, value: float, stderr: float, label: Any, confidence: float) -> Answer:
        return answer(max(value, 0.0) if self.clips else value, stderr, label, confidence)

    def share(self, value: Any, *, confidence: float = 0.95) -> Answer:
        """The share of one value."""
        index = self.domain.index(value)
        return self._at(index, confidence)

    def _at(self, index: int, confidence: float) -> Answer:
        label = self.domain.label(index)
        return self._answer(self.shares[index], self.stderr[index], label, confidence)

    def total(self, values: Iterable[Any], *, confidence: float = 0.95) -> Answer:
        """The share of several values together."""
        chosen = [values] if self.domain.is_one(values) else list(values)
        indices = self.domain.indices(chosen)
        if len(np.unique(indices)) != len(indices):
            raise InvalidInput("values", "total", "distinct", chosen)
        few = len(chosen) <= _NAMED
        label = ", ".join(map(str, chosen)) if few else f"{len(chosen)} values"
        return self.linear(self._mask(indices), label, confidence=confidence)

    def top(self, count: int = 10, *, confidence: float = 0.95) -> list[Answer]:
        """The values of largest estimated share, largest first.

        Being chosen for its size makes a share look larger than it is: the
        intervals are those of values named in advance.
        """
        wanted = min(check_int(count, "count", "top", 1), len(self.shares))
        order = np.argsort(-self.shares, kind="stable")[:wanted]
        return [self._at(int(i), confidence) for i in order]

    def range(self, low: float, high: float, *, confidence: float = 0.95) -> Answer:
        """The share of numbers from ``low`` to ``high``, bins at the ends taken in proportion."""
        covered = self._interval("range").overlap(low, high)
        return self.linear(covered, label=f"from {low:g} to {high:g}", confidence=confidence)

    def mean(self, *, confidence: float = 0.95) -> Answer:
        """The mean, every number taken at the middle of its bin."""
        return self.linear(self._interval("mean").midpoints, label="mean", confidence=confidence)

    def _mask(self, indices: Any) -> Floats:
        mask = np.zeros(len(self.shares))
        mask[indices] = 1.0
        return mask

    def _interval(self, question: str) -> Interval:
        if not isinstance(self.domain, Interval):
            raise Unfit(
                f"{question} needs numbers (an Interval); this estimate is over {self.domain}"
            )
        return self.domain

    # -- shown ---------------------------------------------------------------------

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every value with its share, standard error and interval."""
        reach = two_sided(confidence) * self.stderr
        shares = np.maximum(self.shares, 0.0) if self.clips else self.shares
        return Frame(
            {
                "value": self.domain.labels(),
                "share": shares,
                "stderr": self.stderr,
                "low": shares - reach,
                "high": shares + reach,
            }
        )

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure; see :func:`sottovoce.core.drawing.draw_estimate` for options."""
        from sottovoce.core.drawing import draw_estimate

        return draw_estimate(self, **options)

    def __repr__(self) -> str:
        return f"<{self.method} estimate over {self.domain} from {self.n} reports>"
