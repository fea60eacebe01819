"""The errors of answers on numbers, before anything is collected.

An answer is a sum ``z . f``.  Where a mechanism has an unbiased one, its variance is a
formula: ``n Var = (A f) . g^2 - f . (A' g)^2`` with the gains g of z (see
:class:`~sottovoce.channels.cell_weights.CellWeights`), and what public hashes or cells add whatever n.
So it is for the mean, under every mechanism for numbers that has one, and for all sums under
frequency oracles and hierarchies.

Square wave and its kin have no unbiased shares: how well they tell a distribution depends
on the method, which smooths, and on the distribution.  There surveys are simulated from
the guessed shares and estimated with ``em`` and with ``ems``, which take milliseconds.  The
better of the two is told; ``adaptive``, which ``auto`` takes, chooses its smoothing from the
reports and is near it or below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Channel, Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.estimators.cell_means import mean_gains
from sottovoce.estimators.errors.replicates import whole_counts
from sottovoce.estimators.methods import applies
from sottovoce.estimators.run import run_method
from sottovoce.planning.result import Prospect

__all__ = ["NumberYardstick", "bump"]

_POSITIONS = 24
"""Of so many ranges, or cumulative shares, the mean square is taken."""
_PART = 10
"""A range is a tenth of all numbers."""
_METHODS = ("ems", "em")
_FEWEST_SURVEYS, _MOST_SURVEYS, _BINS_IN_ALL = 10, 100, 4_096
"""So many are simulated: the error's own error is about a fifth at most."""
_MOST_SIMULATED_BINS, _MOST_SIMULATED_USERS = 2**11, 10**9
_DRAWN_USERS = 10**6
"""Up to so many the mechanism itself simulates a tally, which may draw every report."""


def bump(bins: int) -> Floats:
    """Beta(5, 2), a bump right of the middle: ``F(x) = 6 x^5 - 5 x^6`` over equal bins."""
    x = np.linspace(0.0, 1.0, bins + 1)
    return np.diff(6 * x**5 - 5 * x**6)


@dataclass(frozen=True, eq=False)
class NumberYardstick:
    """The error of the mean, of ranges, or of the cumulative share (``goal="distribution"``)."""

    domain: Interval
    shares: Floats
    goal: str
    guessed: bool = True

    @property
    def told(self) -> str:
        spread = "as guessed" if self.guessed else "like Beta(5, 2)"
        of = {
            "mean": "of the mean",
            "range": "of the share of a tenth of the interval, wherever it lies",
            "distribution": "of the share of numbers up to one, wherever that lies",
        }
        return f"error: {of[self.goal]}, if numbers are spread {spread}"

    @cached_property
    def weights(self) -> list[Floats]:
        """The sums whose errors count, each with mean zero over the bins (the total is known)."""
        if self.goal == "mean":
            return [self.domain.midpoints - self.domain.center]
        return [mask - mask.mean() for mask in self._masks()]

    def _masks(self) -> Iterator[Floats]:
        d = self.domain.bins
        wide = max(1, round(d / _PART))
        last = d - wide if self.goal == "range" else d - 1
        for start in np.unique(np.linspace(0, last, min(_POSITIONS, last + 1)).astype(np.int64)):
            mask = np.zeros(d)
            if self.goal == "range":
                mask[start : start + wide] = 1.0
            else:
                mask[: start + 1] = 1.0
            yield mask

    # -- which mechanisms -----------------------------------------------------------

    def why_not(self, mechanism: Mechanism, *, users: int | None) -> str:
        if mechanism.certificate().delta > 0:
            return "its privacy has a delta, so its epsilon is not comparable"
        return "" if self._by_formula(mechanism) else self._why_not_simulated(mechanism, users)

    def _why_not_simulated(self, mechanism: Mechanism, users: int | None) -> str:
        if self.goal == "mean":
            return "it has no unbiased mean"
        if not mechanism.channel().identifies_distribution:
            return 'its reports identify only the mean: plan with goal "mean"'
        if not all(applies(method, mechanism) for method in _METHODS):
            return f"{' or '.join(_METHODS)}, with which errors are simulated, does not apply to it"
        if users is None:
            return "its error is simulated, which is done where epsilon and users are given"
        if self.domain.bins > _MOST_SIMULATED_BINS or users > _MOST_SIMULATED_USERS:
            most = f"{_MOST_SIMULATED_BINS:,} bins and {_MOST_SIMULATED_USERS:,} users"
            return f"its error is simulated, up to {most}"
        return ""

    def _by_formula(self, mechanism: Mechanism) -> bool:
        if self.domain.bins == 1 or mechanism.channel().inverse is not None:
            return True
        return self.goal == "mean" and mean_gains(mechanism) is not None

    # -- errors -----------------------------------------------------------------------

    def parts(self, mechanism: Mechanism) -> tuple[float, float]:
        """V and M, on average over the positions."""
        if self.domain.bins == 1:
            return 0.0, 0.0
        channel = mechanism.channel()
        expected = channel.forward(self.shares)
        found = [self._parts_of(channel, expected, z) for z in self.weights]
        variance, floor = np.mean(found, axis=0).tolist()
        return variance, floor

    def _parts_of(self, channel: Channel, expected: Floats, weights: Floats) -> tuple[float, float]:
        if channel.inverse is not None:
            variance = channel.variance_of(weights, expected, self.shares)
            return variance, channel.hash_variance(weights, self.shares)
        cell_weights = channel.cell_weights(weights)
        assert cell_weights is not None  # by formula
        means = channel.adjoint(cell_weights.values)
        return float(
            expected @ cell_weights.values**2 - self.shares @ means**2
        ), cell_weights.bias_bound**2

    def prospect(
        self, mechanism: Mechanism, name: str, users: int, needed: float | None
    ) -> Prospect:
        if self._by_formula(mechanism):
            variance, floor = self.parts(mechanism)
            error = float(np.sqrt(variance / users + floor))
            return Prospect(mechanism, name, error, needed=needed)
        errors = self._simulated(mechanism, users)
        best = min(errors, key=errors.__getitem__)
        return Prospect(mechanism, name, errors[best], needed=needed, method=best, simulated=True)

    def _simulated(self, mechanism: Mechanism, users: int) -> dict[str, float]:
        """The root-mean-square error of a few surveys, always the same ones, by each method."""
        counts, source = whole_counts(self.shares * users, users), Seeded(1)
        wanted = max(_FEWEST_SURVEYS, min(_MOST_SURVEYS, _BINS_IN_ALL // self.domain.bins))
        surveys = [_survey(mechanism, counts, source) for _ in range(wanted)]
        errors = {}
        for method in _METHODS:
            shares = [run_method(tally, method).require_shares("plan") for tally in surveys]
            found = (np.array(shares) - counts / users) @ np.array(self.weights).T
            errors[method] = float(np.sqrt(np.mean(found**2)))
        return errors


def _survey(mechanism: Mechanism, counts: Indices, source: Seeded) -> Tally:
    """A tally of these people; where they are many, a multinomial a bin from the channel."""
    channel, people = mechanism.channel(), int(counts.sum())
    if people <= _DRAWN_USERS or channel.blocks > 1:
        return mechanism.simulate(counts, source=source)
    chances = np.maximum(channel.dense().T, 0.0)
    drawn = source.generator().multinomial(counts, chances / chances.sum(axis=1, keepdims=True))
    return Tally(mechanism, people, drawn.sum(axis=0))
