"""Answers on keys: how frequent each is, and which numbers come with it.

With ``w_kb`` the share of key k in bin b, ``m_b`` the middle of that bin and l the most pairs
that a person may hold (of which one is drawn, so that each counts for 1/l of a person),

    frequency_k = l W_k,     W_k = sum_b w_kb,     mean_k = sum_b w_kb m_b / W_k.

Both are made of sums of shares, so that they can be asked of any estimate over pairs, also of one
whose reports tell such sums and no shares.

**Errors about the respondents.**  The noise of an estimate is about the pairs that were drawn.  Who
holds l pairs had each of them drawn with a chance of 1/l, which adds ``(1 - 1/l) w . z^2 / n`` to
the variance of a sum ``z . w`` over the pairs of one key.  Errors about the population hold that
already.

**The interval of a mean** holds every mu that the reports do not rule out: that ``mean_k`` is mu
says that ``sum_b w_kb (m_b - mu)`` is 0, and this sum has a standard error of its own, s(mu).  With
M the estimate, such mu are those with ``|M - mu| W_k <= z s(mu)`` (Fieller 1954).  Where the
key is frequent this is ``M +- z s(M) / W_k``; where its share may be 0, nothing is ruled out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.about import share_of
from sottovoce.answers.answer import Answer
from sottovoce.answers.errors import CellErrors, ErrorModel
from sottovoce.answers.fieller import ratio_interval
from sottovoce.answers.intervals import within
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, NotIdentified
from sottovoce.base.frame import Frame
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = [
    "KeyErrors", "PairErrors", "by_frequency", "distribution", "frame", "frequency", "key_weights",
    "mean", "means", "index_of", "shares_of", "top",
]  # fmt: skip


def key_weights(domain: KeyValues, place: int, of_bins: Floats | float = 1.0) -> Floats:
    """Weights of all inputs: ``of_bins`` for the bins of the key at ``place``, 0 for the others."""
    bins, weights = domain.interval.bins, np.zeros(domain.size)
    weights[place * bins : (place + 1) * bins] = of_bins
    return weights


def index_of(domain: KeyValues, key: Any, question: str) -> int:
    """Which key it is; an error lists them."""
    try:
        return domain.keys.index(key)
    except InvalidInput as error:
        raise InvalidInput("key", question, error.allowed, key) from None


@dataclass(frozen=True, eq=False)
class PairErrors:
    """The noise of sums over the pairs of one key, the draw of one of ``pairs`` pairs included."""

    noise: ErrorModel
    shares: Floats | None
    n: int
    pairs: int

    @classmethod
    def of(cls, estimate: Estimate, domain: KeyValues) -> PairErrors:
        """That of an estimate."""
        return cls(estimate.error_model, estimate.shares, estimate.n, domain.pairs or 1)

    def stderr_of(self, weights: Floats, about: str) -> float:
        """The standard error of ``weights . shares``."""
        stderr = self.noise.stderr_of(weights, about)
        if about == "population" or self.pairs == 1:
            return stderr
        drawn = (1 - 1 / self.pairs) * max(0.0, self._sum_of_squares(weights)) / self.n
        return float(np.hypot(stderr, np.sqrt(drawn)))

    def _sum_of_squares(self, weights: Floats) -> float:
        """``w . z^2``; 0 where reports do not tell it, and the noise has not left it out then."""
        if self.shares is not None:
            return float(self.shares @ weights**2)
        told = self.noise.value_of(weights**2) if isinstance(self.noise, CellErrors) else None
        return 0.0 if told is None else told


# -- frequencies ---------------------------------------------------------------------


def frequency(estimate: Estimate, domain: KeyValues, place: int, confidence: float) -> Answer:
    """The share of people who hold the key at ``place``."""
    weights = key_weights(domain, place, float(domain.pairs or 1))
    value, noise = estimate.value_of(weights), PairErrors.of(estimate, domain)
    told = max(value, 0.0) if estimate.clips else value
    stderr = noise.stderr_of(weights, estimate.about)
    low, high = within(value, stderr, estimate.reach(confidence))
    return Answer(told, stderr, low, high, domain.keys.label(place), confidence)


def top(estimate: Estimate, domain: KeyValues, count: int, confidence: float) -> list[Answer]:
    """The frequencies of the most frequent keys, largest first."""
    wanted = min(check_int(count, "count", "top_keys", 1), domain.keys.size)
    order = by_frequency(estimate, domain)[:wanted]
    return [frequency(estimate, domain, int(place), confidence) for place in order]


def by_frequency(estimate: Estimate, domain: KeyValues) -> list[int]:
    """The places of all keys, the most frequent first."""
    keys, bins = domain.keys.size, domain.interval.bins
    if estimate.shares is None:
        held = [estimate.value_of(key_weights(domain, place)) for place in range(keys)]
    else:
        held = estimate.shares[: keys * bins].reshape(keys, bins).sum(axis=1).tolist()
    return np.argsort(-np.array(held), kind="stable").tolist()


# -- means ---------------------------------------------------------------------------


def mean(estimate: Estimate, domain: KeyValues, place: int, confidence: float) -> Answer:
    """The mean of the numbers that come with the key, within the bounds of numbers.

    Its standard error is ``s(M) / W_k``, to first order, and never above half of the
    distance between the bounds.
    """
    interval, reach = domain.interval, estimate.reach(confidence)
    low, width = interval.low, interval.high - interval.low
    share, spot = _share_and_spot(estimate, domain, place)
    stderr, ends = 0.5, (0.0, 1.0)
    if share > 0:
        from_spot = key_weights(domain, place, _spots(interval) - spot)
        held, noise = key_weights(domain, place), PairErrors.of(estimate, domain)
        variances = _variances(noise, estimate.about, from_spot, held)
        stderr = min(float(np.sqrt(variances[0])) / share, 0.5)
        ends = ratio_interval(spot, share, variances, reach) or (0.0, 1.0)
    return Answer(
        low + width * spot, width * stderr, low + width * ends[0], low + width * ends[1],
        domain.keys.label(place), confidence,
    )  # fmt: skip


def means(estimate: Estimate, domain: KeyValues) -> Floats:
    """The means of all keys, without their errors; half way where a key's share is not above 0."""
    interval = domain.interval
    places = range(domain.keys.size)
    spots = np.array([_share_and_spot(estimate, domain, place)[1] for place in places])
    return interval.low + (interval.high - interval.low) * spots


def _spots(interval: Interval) -> Floats:
    """The middles of bins, in parts of the way from bound to bound."""
    return (interval.midpoints - interval.low) / (interval.high - interval.low)


def _share_and_spot(estimate: Estimate, domain: KeyValues, place: int) -> tuple[float, float]:
    """``W_k``, and where the mean is, from 0 to 1."""
    share = estimate.value_of(key_weights(domain, place))
    if share <= 0:
        return share, 0.5
    away = estimate.value_of(key_weights(domain, place, _spots(domain.interval) - 0.5))
    return share, min(max(away / share + 0.5, 0.0), 1.0)


def _variances(
    noise: PairErrors, about: str, first: Floats, second: Floats
) -> tuple[float, float, float]:
    """Of two sums of shares, and their covariance: (V(x + y) - V(x - y)) / 4."""
    both = first, second, first + second, first - second
    a, b, more, less = (noise.stderr_of(weights, about) ** 2 for weights in both)
    return a, b, (more - less) / 4


# -- the numbers of one key ------------------------------------------------------------


def distribution(estimate: Estimate, domain: KeyValues, place: int) -> Estimate:
    """An estimate over the numbers alone, among the pairs of one key."""
    shares, key = estimate.require_shares("distribution"), domain.keys.label(place)
    bins = domain.interval.bins
    part = shares[place * bins : (place + 1) * bins]
    share = float(part.sum())
    if share <= 0:
        raise NotIdentified(
            f"the share of key {key!r} is estimated as {share:.4g}: "
            "without holders, its numbers have no distribution"
        )
    return replace(
        estimate, domain=domain.interval, shares=part / share,
        why=f"{estimate.why}; numbers of key {key!r}",
        error_model=KeyErrors(PairErrors.of(estimate, domain), domain, place, share, part / share),
        unbiased_source=estimate.unbiased_source and partial(_of_unbiased, estimate, domain, place),
    )  # fmt: skip


def _of_unbiased(estimate: Estimate, domain: KeyValues, place: int) -> Estimate | None:
    """The numbers of one key by the unbiased estimate; None where that has no distribution of them."""
    unbiased = estimate.unbiased
    if unbiased is None or unbiased.shares is None:
        return None
    try:
        return distribution(unbiased, domain, place)
    except NotIdentified:
        return None


@dataclass(frozen=True, eq=False)
class KeyErrors:
    """The noise of shares among the pairs of one key, ``p_b = w_kb / W_k``.

    To first order in the errors, ``z . p`` errs by the error of ``sum_b w_kb (z_b - z . p)``,
    divided by W_k.
    """

    noise: PairErrors
    domain: KeyValues
    place: int
    share: float
    shares: Floats

    def stderr(self, about: str) -> Floats:
        return np.array([self.stderr_of(unit, about) for unit in np.eye(len(self.shares))])

    def stderr_of(self, weights: Floats, about: str) -> float:
        away = weights - float(self.shares @ weights)
        return self.noise.stderr_of(key_weights(self.domain, self.place, away), about) / self.share


def shares_of(estimate: Estimate) -> str:
    """What shares are of, as an axis says it: the pairs of one key, or the respondents."""
    errors = estimate.error_model
    if isinstance(errors, KeyErrors):
        return f"share of pairs with {label_text(errors.domain.keys.label(errors.place))}"
    return share_of(estimate.about)


# -- all keys --------------------------------------------------------------------------


def frame(estimate: Estimate, domain: KeyValues, confidence: float) -> Frame:
    """A row a key: its frequency and its mean, each with standard error and interval."""
    places = range(domain.keys.size)
    rates = [frequency(estimate, domain, place, confidence) for place in places]
    means = [mean(estimate, domain, place, confidence) for place in places]
    return Frame(
        {
            "key": [a.label for a in rates],
            "frequency": [a.value for a in rates],
            "stderr": [a.stderr for a in rates],
            "low": [a.low for a in rates],
            "high": [a.high for a in rates],
            "mean": [a.value for a in means],
            "mean stderr": [a.stderr for a in means],
            "mean low": [a.low for a in means],
            "mean high": [a.high for a in means],
        }
    )
