"""What mechanisms for sets of options share: a person's items, and how reports are attacked."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.choices import Choices

__all__ = ["ChoiceMechanism", "usual_mechanism"]

_MANY = 50
"""Options above which a report of several items is worth its length."""


class ChoiceMechanism(Mechanism):
    """A mechanism whose inputs are the sets of a :class:`~sottovoce.domains.choices.Choices`."""

    lists_inputs: ClassVar[bool] = False
    domain: Choices

    def _check_domain(self) -> None:
        if getattr(self.domain, "choices", None) is None:
            allowed = "Choices: tick all that apply"
            raise InvalidInput("domain", self.name, allowed, str(self.domain))

    @property
    def options_count(self) -> int:
        """d, the number of options."""
        return self.domain.options.size

    @property
    def items(self) -> int:
        """d + m: options, and blanks that fill up every set to m items."""
        return self.options_count + self.domain.most

    def items_of(self, indices: Indices) -> Indices:
        """The m items of each set, a row each."""
        return self.domain.items(indices)

    def items_of_one(self, index: int) -> list[int]:
        """The m items of one set."""
        (row,) = self.domain.items(np.array([index], dtype=np.int64)).tolist()
        items: list[int] = row
        return items

    def _held(self, index: int, items: int) -> NDArray[np.bool_]:
        """Which items a set holds."""
        found = np.zeros(items, dtype=np.bool_)
        held = [item for item in self.items_of_one(index) if item < items]
        found[held] = True
        return found

    @abstractmethod
    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Which reports fit a set."""

    def audit_plan(self) -> AuditPlan:
        """Sets that differ as much as can be, and by one option: full ones, the empty one, single options."""
        domain = self.domain
        d, m = self.options_count, domain.most
        labels = domain.options.labels()
        tried: list[Any] = [labels[:m], labels[d - m :], [], labels[:1], labels[-1:]]
        values = sorted({domain.index(each) for each in tried})

        def sample(index: int, count: int) -> Reports:
            return self.randomize_positions(
                np.full(count, index, dtype=np.int64), OperatingSystem()
            )

        return AuditPlan(values, sample, self.supports)


def usual_mechanism(domain: Choices, epsilon: float) -> str:
    """The mechanism where none is named.

    ``choice-response`` errs less than ``drawn-option`` while m is below d (1 - 1/E); of many options
    ``choice-subsets`` errs less than either.
    """
    if domain.options.size > _MANY:
        return "choice-subsets"
    few = domain.most < domain.options.size * (1 - math.exp(-epsilon))
    return "choice-response" if few else "drawn-option"
