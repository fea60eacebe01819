"""One option, drawn whatever is ticked, and whether it is, by randomized response."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.choices import DrawnOptionChannel
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.choices import Choices
from sottovoce.mechanisms._choices import ChoiceMechanism
from sottovoce.mechanisms.randomized_response import (
    check_response_weights,
    respond_all,
    respond_one,
    response_weights,
)

__all__ = ["DrawnOption"]


@register
@dataclass(frozen=True)
class DrawnOption(ChoiceMechanism):
    """One of d options is drawn, with equal chances, and the report is whether it is ticked.

    The whole epsilon goes into that one yes or no, by randomized response with ``p = E/(E + 1)``.  Which
    option is drawn does not depend on the set, so the ratio between any two *sets* is E, however many boxes
    differ.  ``most`` has no part in the error: for many boxes.

    n times the variance of the share f of people who tick an option is ``d E/(E - 1)^2 + (d - 1) f (1 - f)``, given
    the respondents.  How many people tick nothing is not identified.

    Two words a report: one for the option, one for the response.

    References: Warner 1965 for the answer; Nguyen et al. 2016 for one question drawn.

    >>> import sottovoce as sv
    >>> m = sv.DrawnOption(sv.Choices(["cat", "dog", "fish"], most=3), epsilon=1.0)
    >>> [(field.name, field.size) for field in m.fields]
    [('option', 3), ('ticked', 2)]
    """

    name: ClassVar[str] = "drawn-option"
    aka: ClassVar[dict[str, dict[str, Any]]] = {}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")
    domain: Choices

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        return response_weights(self.epsilon, 2, self.bits, self.name)

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        return check_response_weights(super()._check_weights(weights), 2, self.bits, self.name)

    @property
    def fields(self) -> tuple[IntField, IntField]:
        return IntField("option", self.options_count), IntField("ticked", 2)

    @property
    def cells(self) -> int:
        return 2 * self.options_count

    @property
    def words_per_report(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int, int]:
        option = uniform_below(self.options_count, source)
        ticked = int(option in self.items_of_one(index))
        return option, respond_one(ticked, self.weights, self.bits, source)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, Column]:
        options = uniform_below_many(self.options_count, len(indices), source).view(np.int64)
        ticked = (self.items_of(indices) == options[:, None]).any(axis=1).astype(np.int64)
        return options, respond_all(ticked, self.weights, self.bits, source)

    def cell_expression(self) -> CellExpression:
        return FieldValue("option") * 2 + FieldValue("ticked")

    def _channel(self) -> DrawnOptionChannel:
        (keep, other), total = self.weights, 2**self.bits
        d = self.options_count
        return DrawnOptionChannel(self.domain, d, (keep + other) / total, other / total)

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return Certificate(keep + other, other)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Whether the answer is that of the set."""
        ticked = self._held(index, self.options_count)
        return np.asarray(
            ticked[reports.columns["option"].astype(np.int64)] == reports.columns["ticked"]
        )

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Choices(["cat", "dog", "fish"], most=3), 1.0)
        yield cls(Choices(["a", "b", "c", "d"], most=2), 0.5)
        yield cls(Choices(["yes"]), 1.0)
        yield cls(Choices(["a", "b", "c"], most=3), 2.0, bits=16)
