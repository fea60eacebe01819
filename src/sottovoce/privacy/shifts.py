"""How far an answer moves when a share of all reports is a lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.keys import key_weights, means
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Floats
from sottovoce.channels.stacked import LevelSampling
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.estimators.run import run_method
from sottovoce.privacy.one_report import BOUND, EXACT, TRIED, gains_of, reach, reach_of_any
from sottovoce.privacy.one_report_by_level import push_by_level
from sottovoce.privacy.one_report_tried import push_by_trying
from sottovoce.privacy.targets import Target

__all__ = ["HonestPopulation", "Push", "push"]


class Push(NamedTuple):
    """Distances up and down, and how they were found."""

    rise: float
    fall: float
    how: str


@dataclass(frozen=True, eq=False)
class HonestPopulation:
    """What is known of honest people: whose reports they send, a tally of them, their shares.

    Reports about wide bins are looked at as what they are, reports over these bins.
    """

    mechanism: Mechanism
    tally: Tally | None = None
    shares: Floats | None = None

    def reporting(self) -> tuple[HonestPopulation, CoarseMechanism | None]:
        """The same over the bins that are reported, and the mechanism that made them wide."""
        coarse = self.mechanism
        if not isinstance(coarse, CoarseMechanism):
            return self, None
        wide = coarse.reporting
        tally = None if self.tally is None else Tally(wide, self.tally.n, self.tally.cells)
        shares = None if self.shares is None else coarse.binning.gather(self.shares)
        return HonestPopulation(wide, tally, shares), coarse

    @property
    def frequencies(self) -> Floats | None:
        """Of the cells: as expected from the shares, or as counted."""
        if self.shares is not None:
            return self.mechanism.channel().forward(self.shares)
        return None if self.tally is None else self.tally.cells / self.tally.n

    def answers(self, weights: Floats, most: float | None) -> tuple[float, float]:
        """The honest answer ``weights . shares``, twice; if unknown the least and the largest."""
        told = None
        if self.shares is not None:
            told = float(self.shares @ weights)
        elif self.tally is not None:
            cell_weights = gains_of(self.mechanism.channel(), weights)
            told = (
                None
                if cell_weights is None
                else float(self.tally.cells / self.tally.n @ cell_weights)
            )
        if told is not None:
            return told, told
        return float(weights.min()), float(weights.max()) if most is None else most

    def totals(self, count: int) -> tuple[float, float]:
        """The total of the ``count`` rarest values, and of the most frequent; 0 and 1 if unknown.

        Liars choose values before they see the noise, so that shares are taken from 0 to 1.
        """
        told = self.shares
        if told is None and self.tally is not None:
            inverse = self.mechanism.channel().inverse
            told = None if inverse is None else inverse.forward(self.tally.cells / self.tally.n)
        if told is None:
            return 0.0, 1.0
        ordered = np.sort(np.clip(told, 0.0, 1.0))
        return float(ordered[:count].sum()), min(1.0, float(ordered[-count:].sum()))


def push(target: Target, honest: HonestPopulation, fakes: float, method: str) -> Push:
    """How far ``fakes`` push the target's answer by ``method``."""
    if method != "unbiased":
        return _by_method(target, honest, fakes, method)
    wide, coarse = honest.reporting()
    if target.weights is None:
        return _any(target.count, wide, coarse, fakes)
    if target.key is not None:
        return _key_mean(target, honest, fakes)
    weights = target.weights if coarse is None else coarse.binning.collect(target.weights)
    channel = wide.mechanism.channel()
    if isinstance(channel, LevelSampling):
        seen = wide.frequencies
        if seen is None:
            return _levels_of_anybody(channel, weights, fakes)
        return Push(*push_by_level(channel, weights, seen, fakes))
    found = reach(wide.mechanism, weights)
    if found is None:
        raise Unfit(no_unbiased_answer(honest.mechanism, target))
    least, largest = wide.answers(weights, target.most)
    return Push(fakes * (found.most - least), fakes * (largest - found.least), found.how)


def _levels_of_anybody(channel: LevelSampling, weights: Floats, fakes: float) -> Push:
    """Where nothing is known of honest people: those who are pushed farthest, up and down.

    They all hold one value.  The shift by given lies is linear in the honest shares, since every
    value has the same parts of levels; so the largest over lies is convex in them.  Where lies
    change the weights of levels, the value is chosen by the weights before, and may miss a little.
    """
    found = [
        push_by_level(channel, weights, channel.forward(_pushed_most(channel, up, fakes)), fakes)
        for up in (weights, -weights)
    ]
    (rise, _, how), (_, fall, _) = found
    return Push(rise, fall, how)


def _pushed_most(channel: LevelSampling, weights: Floats, fakes: float) -> Floats:
    """The shares of people who all hold the value from which lies push ``weights . shares`` up most.

    All values at once: with D of :mod:`~sottovoce.privacy.one_report_by_level`, ``p = (1 - beta) rho`` and
    the levels that lies speak of, those of largest ``D / p``, the best lies shift by

        sum of D - (sum of sqrt(D p))^2 / (beta + sum of p).
    """
    assert channel.inverse is not None
    cell_weights = channel.inverse.adjoint(weights)
    beyond = np.empty((len(channel.rates), channel.inputs))
    for level, (rate, of_level) in enumerate(
        zip(channel.rates, channel.parts(cell_weights), strict=True)
    ):
        alone = np.zeros(channel.cells)
        channel.parts(alone)[level][:] = of_level
        beyond[level] = np.maximum(0.0, rate * of_level.max() - channel.adjoint(alone))
    parts = (1 - fakes) * np.array(channel.rates)[:, None]
    order = np.argsort(-beyond / parts, axis=0, kind="stable")
    beyond, parts = (np.take_along_axis(x, order, 0) for x in np.broadcast_arrays(beyond, parts))
    roots = np.sqrt(beyond * parts)
    all_roots, all_parts = np.cumsum(roots, axis=0), fakes + np.cumsum(parts, axis=0)
    spoken = roots * all_parts >= parts * all_roots  # else fewer levels do more
    shifts = np.cumsum(beyond, axis=0) - all_roots**2 / all_parts
    last = spoken.shape[0] - 1 - np.argmax(spoken[::-1], axis=0)
    best = int(np.argmax(np.take_along_axis(shifts, last[None], 0)))
    return np.eye(1, channel.inputs, best)[0]


def no_unbiased_answer(mechanism: Mechanism, target: Target) -> str:
    """Why nothing can be said by a formula, and what can be asked."""
    return (
        f"{mechanism.name} has no unbiased estimate of {target.label}, so that no formula says what "
        'lies add to it; name a method to try lies on, such as method="auto" with a tally'
    )


def _any(
    count: int, honest: HonestPopulation, coarse: CoarseMechanism | None, fakes: float
) -> Push:
    """Any ``count`` values: the rarest are pushed up farthest, the most frequent down."""
    mechanism = honest.mechanism
    channel = mechanism.channel()
    if coarse is not None or isinstance(channel, LevelSampling):
        raise Unfit(
            f"of {mechanism.name} over bins it is not known which values could be shifted most; "
            "name them by values="
        )
    found, (rarest, most) = reach_of_any(mechanism, count), honest.totals(count)
    how = found.how
    unknown = honest.shares is None and honest.tally is None
    if not unknown and how == EXACT and not _all_alike(mechanism, count):
        how = BOUND  # the values of the largest gain need not be the rarest
    return Push(fakes * (found.most - rarest), fakes * (most - found.least), how)


def _all_alike(mechanism: Mechanism, count: int) -> bool:
    """Whether every set of ``count`` values can be pushed as far as any other."""
    channel = mechanism.channel()
    if count == 1 and channel.support_probabilities is not None:
        return True
    return channel.support_probabilities is not None and (
        channel.blocks > 1 or mechanism.name == "randomized-response"
    )


def _key_mean(target: Target, honest: HonestPopulation, fakes: float) -> Push:
    """The quotient of two averages, at every report that liars could all send.

    With N and W the honest sums of numbers and of the key's share, and (a, b) what a lie adds to them,
    the mean is ``((1 - beta) N + beta a) / ((1 - beta) W + beta b)``, within its bounds.  Where
    some lies make the divisor positive and others do not, mixtures of them bring it near 0, and
    the mean to the bound on the dividend's side there.
    """
    domain, channel = honest.mechanism.domain.keyed, honest.mechanism.channel()
    assert domain is not None and target.weights is not None and target.key is not None
    held = key_weights(domain, target.key)
    numbers, shares = gains_of(channel, target.weights), gains_of(channel, held)
    seen = honest.frequencies
    if numbers is None or shares is None:
        raise Unfit(no_unbiased_answer(honest.mechanism, target))
    half = (domain.interval.high - domain.interval.low) / 2
    if seen is None:  # nobody may hold the key: then liars say its mean
        return Push(2 * half, 2 * half, BOUND)
    total, share = float(seen @ numbers), float(seen @ shares)
    now = _quotient(total, share, half)
    dividends, divisors = _reports(numbers, shares, channel.blocks)
    dividends = (1 - fakes) * total + fakes * dividends
    divisors = (1 - fakes) * share + fakes * divisors
    reached = [_quotient(a, b, half) for a, b in zip(dividends, divisors, strict=True)]
    reached += [half * sign for sign in _signs_at_zero(dividends, divisors)]
    return Push(max(reached) - now, now - min(reached), EXACT)


def _quotient(dividend: float, divisor: float, half: float) -> float:
    """The mean about the middle of the bounds; in the middle where nobody seems to hold the key."""
    return 0.0 if divisor <= 0 else min(max(dividend / divisor, -half), half)


def _reports(numbers: Floats, shares: Floats, blocks: int) -> tuple[Floats, Floats]:
    """What a report can add to both sums, each way once.

    With a block a key, all blocks but the key's own add nothing.
    """
    pairs = np.stack([numbers, shares], axis=1)
    if blocks > 1:
        own = np.flatnonzero(np.abs(pairs).reshape(blocks, -1).sum(axis=1))
        pairs = pairs.reshape(blocks, -1, 2)[own[0]]
    ways = np.unique(pairs, axis=0)
    return ways[:, 0], ways[:, 1]


def _signs_at_zero(dividends: Floats, divisors: Floats) -> set[int]:
    """The signs of the dividend where mixtures of two reports have a divisor of 0."""
    above, below = divisors > 0, divisors <= 0
    if not (above.any() and below.any()):
        return set()
    b, d = divisors[above][:, None], divisors[below][None, :]
    at_zero = (dividends[below][None, :] * b - dividends[above][:, None] * d) / (b - d)
    return {sign for sign in (-1, 1) if (sign * at_zero > 0).any()}


def _by_method(target: Target, honest: HonestPopulation, fakes: float, method: str) -> Push:
    """A few lies, tried on the method."""
    tally = honest.tally
    if tally is None or tally.n == 0:
        raise InvalidInput("source", "influence", f"a tally of reports to try {method} on", tally)
    if target.weights is None:
        raise InvalidInput("values", "influence", "named where lies are tried on a method", None)
    weights = target.weights

    def ask(found: Estimate) -> float:
        if target.key is not None:
            pairs = found.domain.keyed
            assert pairs is not None
            return float(means(found, pairs)[target.key])
        if found.shares is None and target.goal == "mean":
            return found.mean().value
        return found.value_of(weights)

    rise, fall = push_by_trying(
        tally, weights, fakes, lambda t: run_method(t, method, goal=target.goal), ask
    )
    return Push(rise, fall, TRIED)
