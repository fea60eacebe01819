"""Randomized response that protects the sensitive values only (uRR; Mangat's with one of them)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.base.randomness import Source
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.mechanisms._open_channel import OpenChannel
from sottovoce.mechanisms._sensitive import SensitiveMechanism
from sottovoce.mechanisms.randomized_response import ResponseChannel

__all__ = ["SensitiveResponse"]


@register
@dataclass(frozen=True)
class SensitiveResponse(SensitiveMechanism):
    """The true value with weight ``keep``, else one of the s sensitive values, equally.

    So a sensitive value is reported by everybody now and then, and another value only by those who
    hold it, openly.  With D = s + E - 1 a sensitive value is reported by its holders with probability
    ``E/D`` and by all others with ``1/D``; any other value by its holders with ``c = (E - 1)/D``.
    With a single sensitive value, its holders always report it, and others with chance ``1/E``.

    n times the variance of a sensitive share f is ``(s + E - 2)/(E - 1)^2 + f (s - 2)/(E - 1)``, of
    another one ``f s/(E - 1)``.  Shares sum to exactly 1.  For few sensitive values; ``sensitive-subsets``
    has less noise for many.

    One random word a report.  It is not epsilon-LDP: the certificate is over reports of sensitive values.

    References: Mangat 1994 for one sensitive value; Murakami, Kawamoto 2019 for more.

    >>> import sottovoce as sv
    >>> illness = sv.Categories(["none", "flu", "HIV"], sensitive=["HIV"])
    >>> m = sv.SensitiveResponse(illness, epsilon=1.0)
    >>> round(float(m.open_chance), 4)
    0.6321
    >>> print(m.certificate().scope.says_what_it_protects)
    protects 1 of 3 answers; open reports reveal theirs
    """

    name: ClassVar[str] = "sensitive-response"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"urr": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        """``other = ceil(2^bits / (s + E - 1))``, E below e^epsilon, ``keep = 2^bits - s other``."""
        total, count = 2**self.bits, len(self.sensitive)
        other = ceil_divide(total, exp_bounds(self.epsilon)[0] + count - 1)
        keep = total - count * other
        if keep <= 0:
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for {count} sensitive values with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision the answer would carry nothing.",
            )
        return keep, other

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        keep, other = super()._check_weights(weights)
        count = len(self.sensitive)
        if keep + count * other != 2**self.bits or keep == 0 or other == 0:
            allowed = f"positive with keep + {count} other = 2^{self.bits}"
            raise InvalidInput("weights", self.name, allowed, weights)
        return keep, other

    @property
    def open_chance(self) -> Fraction:
        return Fraction(self.weights[0], 2**self.bits)

    @property
    def open_cells(self) -> tuple[Indices, Indices]:
        return self.others, self.others

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("value", self.domain.size),)

    @property
    def cells(self) -> int:
        return self.domain.size

    def respond(self, index: int, source: Source) -> tuple[int]:
        keep, other = self.weights
        drawn = int(source.words(1)[0]) >> (64 - self.bits)
        instead = int(self.sensitive[max(0, drawn - keep) // other])
        return (index if drawn < keep else instead,)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        keep, other = map(np.uint64, self.weights)
        drawn = source.words(len(indices)) >> np.uint64(64 - self.bits)
        kept = drawn < keep
        instead = self.sensitive[(np.where(kept, 0, drawn - keep) // other).astype(np.int64)]
        return (np.where(kept, indices, instead),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("value")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Each value keeps a binomial number; all others answer uniformly from S."""
        random, found = source.generator(), counts.copy()
        found[:] = random.binomial(counts, self.weights[0] / 2**self.bits)
        uniform = np.full(len(self.sensitive), 1 / len(self.sensitive))
        found[self.sensitive] += random.multinomial(int(counts.sum() - found.sum()), uniform)
        return found

    def why_least_error(self) -> str:
        return "A report is one value, and other values are sent openly as often as can be."

    def _channel(self) -> OpenChannel:
        total = 2**self.bits
        inner = ResponseChannel(len(self.sensitive), self.weights, total)
        parts = (self.sensitive, self.others)
        return OpenChannel(inner, self.weights[1] / total, inputs=parts, cells=parts)

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return self._certified(keep + other, other)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        return np.asarray(reports.columns["value"] == index)

    def revealed(self, reports: Reports) -> Indices:
        values = reports.columns["value"].astype(np.int64)
        return np.where(self.is_sensitive[values], -1, values)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["none", "flu", "HIV"], sensitive=["HIV"]), 1.0)
        yield cls(Categories(9, sensitive=[0, 4, 7]), 2.0)
        yield cls(Categories(6, sensitive=[0, 1, 2, 3, 4]), 1.0, bits=16)
