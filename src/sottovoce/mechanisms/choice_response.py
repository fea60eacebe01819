"""One item of a set, by randomized response at an amplified budget (padding and sampling)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.choices import ItemChannel
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
)

__all__ = ["ChoiceResponse"]


@register
@dataclass(frozen=True)
class ChoiceResponse(ChoiceMechanism):
    """A set is filled up with blanks to m items; one of them, by randomized response over all d + m.

    The item is drawn uniformly, whatever the set's size, and answered at the larger budget
    ``ln(m (E - 1) + 1)``: as anybody holds an item with chance at most 1/m, the ratio between any two *sets* is
    exactly E.  With ``Z = d + m E`` an item is reported with probability ``p = E/Z`` by those who hold it, else with
    ``q = 1/Z``.

    n times the variance of the share f of people who tick an option is
    ``(d + m E - 1)/(E - 1)^2 + f (Z - E - 1)/(E - 1)``, given the respondents.  For few boxes: while m is below
    ``d (1 - 1/E)`` it errs less than ``drawn-option``.

    Blanks say how many people tick at most so many boxes, so that "none of these" has a share.

    Two words a report: one for the item, one for the response.

    References: Qin et al. 2016; Wang, Li, Jha 2018 for padding; Gu et al. 2020 for the budget of sets.

    >>> import sottovoce as sv
    >>> m = sv.ChoiceResponse(sv.Choices(["cat", "dog", "fish"], most=2), epsilon=1.0)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1
    >>> len(m.randomize([["cat"], ["dog", "fish"], []]))
    3
    """

    name: ClassVar[str] = "choice-response"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"ps-grr": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")
    domain: Choices

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)

    def _derive_weights(self) -> tuple[int, int]:
        """``other = ceil(2^bits / (d + m E))``, so that ``keep <= m (E - 1) other``."""
        total, most = 2**self.bits, self.domain.most
        other = ceil_divide(total, self.options_count + most * exp_bounds(self.epsilon)[0])
        keep = total - self.items * other
        if keep <= 0:
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for {self.items} items with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision the answer would carry nothing.",
            )
        return keep, other

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        given = super()._check_weights(weights)
        return check_response_weights(given, self.items, self.bits, self.name)

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("item", self.items),)

    @property
    def cells(self) -> int:
        return self.items

    @property
    def words_per_report(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int]:
        slot = uniform_below(self.domain.most, source)
        return (respond_one(self.items_of_one(index)[slot], self.weights, self.bits, source),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        slots = uniform_below_many(self.domain.most, len(indices), source).astype(np.int64)
        drawn = self.items_of(indices)[np.arange(len(indices)), slots]
        return (respond_all(drawn, self.weights, self.bits, source),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("item")

    def _channel(self) -> ItemChannel:
        (keep, other), total = self.weights, 2**self.bits
        p = (keep / self.domain.most + other) / total
        return ItemChannel(self.domain, self.items, p, other / total)

    def certificate(self) -> Certificate:
        """An item has weight ``m other + keep`` over m T from those who hold it, else ``m other``."""
        (keep, other), most = self.weights, self.domain.most
        return Certificate(most * other + keep, most * other)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Whether the item is one that the set holds, its blanks included."""
        return self._held(index, self.items)[reports.columns["item"].astype(np.int64)]

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Choices(["cat", "dog", "fish"], most=2), 1.0)
        yield cls(Choices(["a", "b", "c", "d"]), 2.0)
        yield cls(Choices(["yes"]), 1.0)
        yield cls(Choices(["a", "b", "c"], most=3), 0.5, bits=16)
