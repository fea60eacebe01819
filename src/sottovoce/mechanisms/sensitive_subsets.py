"""Subset selection that protects the sensitive values only (uSS)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.kernels.bits import column_counts
from sottovoce.mechanisms._sensitive import FloorPoint, SensitiveMechanism
from sottovoce.mechanisms._subsets_with_own import SubsetsWithOwn, cheapest_start
from sottovoce.mechanisms._support_blocks import SupportBlocks, in_and_out
from sottovoce.mechanisms._uniform_subsets import SIXTEENTHS

__all__ = ["SensitiveSubsets", "best_sensitive_size"]


@register
@dataclass(frozen=True)
class SensitiveSubsets(SensitiveMechanism, SupportBlocks):
    """A set of k sensitive values, one's own more often in it; other values openly, or as any set.

    A sensitive value is in its holder's set with probability ``p = kE/(kE + s - k)``, any other
    one with ``q = (k - p)/(s - 1)``.  Another value is open with chance ``c = k(E - 1)/(kE + s - k)``, else a
    uniform set of k sensitive values is sent, whose chance ``m = s/(kE + s - k)`` is the least allowed.

    n times the variance of another share f is ``f s/(k(E - 1))``; that of sensitive ones is the channel's.
    Shares sum to exactly 1.  With k = 1 it is ``sensitive-response``.

    ``subset_size`` is k; by default the one of least variance of a sensitive share where a tenth of all people
    hold a sensitive value: larger than that of ``subset-selection``, as most sets come from the others.

    Randomness: a word decides whether one's own value is in, or open; another draws, for the uniform
    set, whether the first value is in; then the other members.  All are drawn whatever the value.
    It is not epsilon-LDP: the certificate is over reports that are not open.

    Reference: Murakami, Kawamoto 2019 for what is protected; Ye, Barg 2018 for sets.

    >>> import sottovoce as sv
    >>> m = sv.SensitiveSubsets(sv.Categories(100, sensitive=range(20)), epsilon=1.0)
    >>> m.subset_size, round(float(m.open_chance), 4)
    (7, 0.3755)
    """

    name: ClassVar[str] = "sensitive-subsets"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"uss": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("own", "open", "start")

    _: KW_ONLY
    subset_size: int | None = None
    """Number k of sensitive values in a set.  Allowed: 1 to s - 1.  Unless given: the one of least
    variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        count = len(self.sensitive)
        if count < 2:
            allowed = "with at least 2 sensitive values"
            hint = "For one, take sensitive-response."
            raise InvalidInput("domain", self.name, allowed, str(self.domain), hint=hint)
        if self.subset_size is None:
            object.__setattr__(self, "subset_size", best_sensitive_size(count, self.epsilon))
        else:
            k = check_int(self.subset_size, "subset_size", self.name, 1, count - 1)
            object.__setattr__(self, "subset_size", k)

    @property
    def k(self) -> int:
        """The size of a set."""
        assert self.subset_size is not None  # completed at birth
        return self.subset_size

    def _derive_weights(self) -> tuple[int, int, int]:
        """With T = 2^bits and E below e^epsilon: ``own = floor(T kE / (kE + s - k))`` and
        ``open = T - ceil(own s / (kE))``, so that a uniform set has at least 1/E of the weight of one's own.
        """
        total, count, k = 2**self.bits, len(self.sensitive), self.k
        e = exp_bounds(self.epsilon)[0]
        own = math.floor(total * k * e / (k * e + count - k))
        opened = total - math.ceil(own * count / (k * e))
        weights = (own, opened, cheapest_start(count, k))
        if not self._fits(*weights):
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for {k} of {count} sensitive values with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision the answer would carry nothing.",
            )
        return weights

    def _fits(self, own: int, opened: int, start: int) -> bool:
        """Whether one's own value is in more often than another, and open reports leave some sets."""
        total = 2**self.bits
        favoured = self.k * total < own * len(self.sensitive)
        return favoured and own < total and 0 < opened < total and start < SIXTEENTHS

    def _check_weights(self, weights: Any) -> tuple[int, int, int]:
        own, opened, start = super()._check_weights(weights)
        if not self._fits(own, opened, start):
            allowed = (
                f"{self.k}/{len(self.sensitive)} < own/2^{self.bits} < 1, 0 < open < 2^{self.bits} and "
                f"start < {SIXTEENTHS}"
            )
            raise InvalidInput("weights", self.name, allowed, weights)
        return own, opened, start

    @cached_property
    def _sets(self) -> SubsetsWithOwn:
        return SubsetsWithOwn(len(self.sensitive), self.k, self.weights[2])

    @property
    def open_chance(self) -> Fraction:
        return Fraction(self.weights[1], 2**self.bits)

    @property
    def open_cells(self) -> tuple[Indices, Indices]:
        return 2 * self.others, self.others

    @property
    def fields(self) -> tuple[IntField, BitField]:
        return IntField("open", len(self.others) + 1), BitField("bits", len(self.sensitive))

    @property
    def words_per_report(self) -> int:
        return 2 + self._sets.stand_ins.words_at_first

    def respond(self, index: int, source: Source) -> tuple[int, bytes]:
        drawn = int(source.words(1)[0]) >> (64 - self.bits)
        among = uniform_below(len(self.sensitive), source) < self.k
        own, rank = bool(self.is_sensitive[index]), int(self.rank[index])
        inside = drawn < self.weights[0] if own else among
        members = self._sets.one(rank if own else 0, inside, source)
        opened = not own and drawn < self.weights[1]
        return (rank + 1 if opened else 0), (bytes(len(members)) if opened else members)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, Column]:
        drawn = source.words(len(indices)) >> np.uint64(64 - self.bits)
        count = len(self.sensitive)
        among = uniform_below_many(count, len(indices), source) < np.uint64(self.k)
        own, ranks = self.is_sensitive[indices], self.rank[indices]
        inside = np.where(own, drawn < np.uint64(self.weights[0]), among)
        members = self._sets.many(np.where(own, ranks, 0), inside, source)
        opened = ~own & (drawn < np.uint64(self.weights[1]))
        return np.where(opened, ranks + 1, 0), np.where(opened[:, None], np.uint8(0), members)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        """Sets beside an open value are not counted: no device sends any."""
        supports = np.empty(self.domain.size, dtype=np.int64)
        sets = reports.columns["bits"][reports.columns["open"] == 0]
        supports[self.sensitive] = column_counts(sets, len(self.sensitive))
        opened = np.bincount(reports.columns["open"], minlength=len(self.others) + 1)
        supports[self.others] = opened[1:]
        return in_and_out(supports, len(reports))

    def why_least_error(self) -> str:
        return (
            f"A report is a set of always the same size (subset_size={self.k} of "
            f"{len(self.sensitive):,} sensitive values), or another value openly."
        )

    def _channel(self) -> SensitiveSubsetsChannel:
        own, opened, _ = (weight / 2**self.bits for weight in self.weights)
        return SensitiveSubsetsChannel(self.sensitive, self.others, self.k, own, opened)

    def certificate(self) -> Certificate:
        """A set has weight ``own s/k`` from its members, ``(T - own) s/(s - k)`` from other sensitive
        values, ``T - open`` from all others, each over T and the number of sets."""
        total, count, k = 2**self.bits, len(self.sensitive), self.k
        own, opened, _ = self.weights
        chances = (
            own * count * (count - k),
            (total - own) * count * k,
            (total - opened) * k * (count - k),
        )
        return self._certified(max(chances), min(chances))

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        rank = int(self.rank[index])
        if not self.is_sensitive[index]:
            return np.asarray(reports.columns["open"] == rank + 1)
        column = reports.columns["bits"][:, rank // 8]
        inside = (column >> np.uint8(rank % 8)) & np.uint8(1) == 1
        return np.asarray(inside & (reports.columns["open"] == 0))

    def revealed(self, reports: Reports) -> Indices:
        ranks = reports.columns["open"].astype(np.int64) - 1
        return np.where(ranks < 0, -1, self.others[np.maximum(ranks, 0)])

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(12, sensitive=[0, 2, 3, 5, 6, 7, 11]), 0.5)
        yield cls(Categories(14, sensitive=range(3, 13)), 1.0, subset_size=7)
        yield cls(Categories(6, sensitive=[0, 1, 2, 3]), 1.0, subset_size=2, bits=16)


class SensitiveSubsetsChannel(Channel):
    """A block (in, out) a value: in the set, or sent openly.

    Blocks depend on each other: sets have k members, and one value at most is open.
    """

    independent = False

    def __init__(
        self, sensitive: Indices, others: Indices, k: int, p: float, opened: float
    ) -> None:
        self.sensitive, self.others, self._k = sensitive, others, k
        self.inputs = self.blocks = len(sensitive) + len(others)
        self.cells = 2 * self.inputs
        self.point = point_of(len(sensitive), k, p, opened)

    def forward(self, shares: Floats) -> Floats:
        point, own, total = self.point, shares[self.sensitive], shares.sum()
        inside = point.opened * shares
        among = point.q * own.sum() + point.floor_in * shares[self.others].sum()
        inside[self.sensitive] = among + (point.p - point.q) * own
        return np.stack([inside, total - inside], axis=1).ravel()

    def adjoint(self, values: Floats) -> Floats:
        inside, outside = values.reshape(-1, 2).T
        gain, point = inside - outside, self.point
        among = gain[self.sensitive].sum()
        found = outside.sum() + point.floor_in * among + point.opened * gain
        own = point.q * among + (point.p - point.q) * gain[self.sensitive]
        found[self.sensitive] = outside.sum() + own
        return found

    @property
    def inverse(self) -> Inverse:
        return _SensitiveSubsetsInverse(self)

    def reach_of_reports(self, gains: Floats) -> tuple[float, float]:
        """A report is any set, or one open value."""
        inside, outside = gains.reshape(-1, 2).T
        sets = gains.reshape(-1, 2)[self.sensitive]
        rest = float(outside[self.others].sum())
        opened = float(outside.sum()) + (inside - outside)[self.others]
        least = min(float(sets.min(axis=1).sum()) + rest, float(opened.min()))
        return least, max(float(sets.max(axis=1).sum()) + rest, float(opened.max()))

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        own, others = shares[self.sensitive], shares[self.others]
        found = shares * (1 - self.point.opened) / self.point.opened
        found[self.sensitive] = self.point.variance(own, own.sum(), others.sum())
        return np.maximum(0.0, found)

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """n times the variance of ``weights . shares``, members drawn without replacement.

        Let z be the weights of S, Z their sum, ``y = z - Z/s``.  From a sensitive value the variance is that
        of subset selection over S.  From another value u the answer is ``a y(T)`` and a constant for
        a uniform set T, ``a = 1/(p - q)``, or ``g Z + z_u/c`` if open.
        """
        point, s, k = self.point, len(self.sensitive), self._k
        z, others = weights[self.sensitive], weights[self.others]
        y, total, scale = z - z.mean(), float(z.sum()), 1 / (point.p - point.q)
        squares, rest, m = float(y @ y), s - 1, 1 - point.opened
        # from S: as SubsetChannel.variance_of
        p, own = point.p, float(shares[self.sensitive] @ y**2)
        c = (p * (k - 1) * (rest - k + 1) + (1 - p) * k * (rest - k)) / (rest * max(1, rest - 1))
        of_sets = c * (squares * float(shares[self.sensitive].sum()) - own * s / rest)
        from_own = scale**2 * (of_sets + p * (1 - p) * own * (s / rest) ** 2)
        # from N: a uniform set, or open
        within = scale**2 * squares * k * (s - k) / (s * rest)
        closed = scale * (k / s - point.q) * total
        opened = point.gamma * total + others / point.opened
        spread = m * (within + closed**2) + point.opened * opened**2 - others**2
        return max(0.0, from_own + float(shares[self.others] @ spread))


class _SensitiveSubsetsInverse:
    def __init__(self, channel: SensitiveSubsetsChannel) -> None:
        self._channel = channel

    def forward(self, frequencies: Floats) -> Floats:
        channel, point = self._channel, self._channel.point
        inside, outside = frequencies.reshape(-1, 2).T
        found = inside / point.opened
        opened = inside[channel.others].sum()
        support, missing = inside[channel.sensitive], outside[channel.sensitive]
        own = (1 - point.q) * support - point.q * (missing - opened)
        found[channel.sensitive] = own / (point.p - point.q) + point.gamma * opened
        return found

    def adjoint(self, weights: Floats) -> Floats:
        channel, point = self._channel, self._channel.point
        own, scale = weights[channel.sensitive], 1 / (point.p - point.q)
        inside, outside = weights / point.opened, np.zeros(channel.inputs)
        inside[channel.others] += (point.q * scale + point.gamma) * own.sum()
        inside[channel.sensitive] = (1 - point.q) * scale * own
        outside[channel.sensitive] = -point.q * scale * own
        return np.stack([inside, outside], axis=1).ravel()


def point_of(count: int, k: int, p: float, opened: float) -> FloorPoint:
    """The numbers of sets of k out of ``count`` sensitive values."""
    mass = 1 - opened
    return FloorPoint(p, (k - p) / (count - 1), mass * k / count, mass * (1 - k / count), opened)


def best_sensitive_size(count: int, epsilon: float) -> int:
    """The k of least variance of a typical sensitive share, from 1 to s - 1."""
    e, k = math.exp(epsilon), np.arange(1, count, dtype=np.float64)
    weight = k * e + count - k
    p, opened = k * e / weight, k * (e - 1) / weight
    mass, q = 1 - opened, (k - p) / (count - 1)
    point = FloorPoint(p, q, mass * k / count, mass * (1 - k / count), opened)
    return int(np.argmin(point.typical_variance(count))) + 1
