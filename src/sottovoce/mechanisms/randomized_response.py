"""Randomized response over any number of values (GRR, k-RR, direct encoding)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.base.randomness import Source
from sottovoce.channels.base import Floats, SupportProbabilities
from sottovoce.channels.support import SupportChannel
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval

__all__ = [
    "RandomizedResponse",
    "check_response_weights",
    "respond_all",
    "respond_one",
    "response_limit",
    "response_weights",
]


def response_weights(epsilon: float, size: int, bits: int, owner: str) -> tuple[int, int]:
    """``(keep, other)`` over ``2^bits`` with ``keep + size * other = 2^bits``.

    The true value has weight ``keep + other``, every other value ``other``.
    ``other = ceil(2^bits / (E + size - 1))``, E below e^epsilon, so that
    ``(keep + other) / other = 2^bits / other - (size - 1) <= E``.
    """
    total = 2**bits
    if size == 1:
        return total, 0
    other = ceil_divide(total, exp_bounds(epsilon)[0] + size - 1)
    keep = total - size * other
    if keep <= 0:
        raise InvalidInput(
            "epsilon",
            owner,
            f"larger for {size} values with weights of {bits} bits",
            epsilon,
            hint="At this precision the answer would carry nothing.",
        )
    return keep, other


def check_response_weights(
    weights: tuple[int, int], size: int, bits: int, owner: str
) -> tuple[int, int]:
    """Weights from outside: they must fill the table exactly, and favour the true value."""
    keep, other = weights
    if keep + size * other != 2**bits or keep == 0 or (other == 0) != (size == 1):
        allowed = f"positive with keep + {size} other = 2^{bits}"
        raise InvalidInput("weights", owner, allowed, weights)
    return keep, other


@register
@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """The true value with probability ``p = e^eps / (e^eps + d - 1)``, else any other, equally.

    One random word a report.  The report is a value, the tally a histogram.
    n times the variance of a share is about ``(d - 2 + e^eps) / (e^eps - 1)^2``:
    the best oracle for few values, the worst for many.  Shares sum to exactly 1.

    References: Warner 1965 for two values; Kairouz, Oh, Viswanath 2014 for more.

    >>> import sottovoce as sv
    >>> m = sv.RandomizedResponse(sv.Categories(["yes", "no"]), epsilon=1.0)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1
    """

    name: ClassVar[str] = "randomized-response"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"grr": {}, "krr": {}, "de": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        return response_weights(self.epsilon, self.domain.size, self.bits, self.name)

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        return check_response_weights(
            super()._check_weights(weights), self.domain.size, self.bits, self.name
        )

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("value", self.domain.size),)

    @property
    def cells(self) -> int:
        return self.domain.size

    def respond(self, index: int, source: Source) -> tuple[int]:
        return (respond_one(index, self.weights, self.bits, source),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        return (respond_all(indices, self.weights, self.bits, source),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("value")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Each value keeps a binomial number; all others answer uniformly."""
        random = source.generator()
        kept = random.binomial(counts, self.weights[0] / 2**self.bits)
        uniform = np.full(self.cells, 1 / self.cells)
        return kept + random.multinomial(int((counts - kept).sum()), uniform)

    def why_least_error(self) -> str:
        return (
            "A report is one value, which beats a bit for every value (unary-encoding) below "
            f"{response_limit(self.epsilon):.1f} values at this epsilon; here there are "
            f"{self.domain.size:,}."
        )

    def _channel(self) -> ResponseChannel:
        return ResponseChannel(self.domain.size, self.weights, 2**self.bits)

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return Certificate(keep + other, other) if self.domain.size > 1 else Certificate(1, 1)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        return np.asarray(reports.columns["value"] == index)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["yes", "no"]), 1.0)
        yield cls(Categories(10), 0.5)
        yield cls(Categories(10), 4.0, bits=16)
        yield cls(Interval(0, 120, bins=24), 2.0)


def response_limit(epsilon: float) -> float:
    """The number of values below which randomized response errs less than unary encoding.

    With E = e^eps the sums of all variances, times n, are

        [d^2 + (2E-3) d - 2(E-1)] / (E-1)^2   and   4E d / (E-1)^2 + 1,

    equal where ``d^2 - (2E+3) d - (E^2-1) = 0``, whatever the true shares.

    >>> [round(response_limit(epsilon), 1) for epsilon in (1.0, 2.0, 3.0)]
    [9.1, 20.4, 51.1]
    """
    e = math.exp(epsilon)
    middle = (2 * e + 3) / 2
    return middle + math.sqrt(middle**2 + e**2 - 1)


def respond_one(index: int, weights: tuple[int, int], bits: int, source: Source) -> int:
    """Keep ``index`` with weight ``keep``, else any value with weight ``other`` each."""
    keep, other = weights
    drawn = int(source.words(1)[0]) >> (64 - bits)
    uniform = (drawn - keep) // other if other else 0
    return index if drawn < keep else uniform


def respond_all(
    indices: Indices, weights: tuple[int, int], bits: int, source: Source
) -> NDArray[np.int64]:
    """:func:`respond_one` for many; word i is report i's."""
    keep, other = weights
    drawn = source.words(len(indices)) >> np.uint64(64 - bits)
    uniform = (drawn - np.uint64(keep)) // np.uint64(max(other, 1))
    return np.where(drawn < np.uint64(keep), indices, uniform.view(np.int64))


class ResponseChannel(SupportChannel):
    """``A = q + (p - q) I``: rank one and a diagonal, O(d) both ways."""

    def __init__(self, size: int, weights: tuple[int, int], total: int) -> None:
        keep, other = weights
        self.inputs = self.cells = size
        self.support_probabilities = SupportProbabilities((keep + other) / total, other / total)

    def forward(self, shares: Floats) -> Floats:
        p, q = self.support_probabilities.p, self.support_probabilities.q
        return q * shares.sum() + (p - q) * shares

    def adjoint(self, values: Floats) -> Floats:
        return self.forward(values)  # symmetric

    def support(self, frequencies: Floats) -> Floats:
        return frequencies

    def spread(self, weights: Floats) -> Floats:
        return weights

    @property
    def kernel(self) -> Floats:
        kernel = np.full(self.inputs, self.support_probabilities.q)
        kernel[0] = self.support_probabilities.p
        return kernel
