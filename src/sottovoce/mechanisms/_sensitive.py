"""What mechanisms share that protect the sensitive values only (ULDP).

Values are S, the ``s`` sensitive ones, and N, all others.  A report is *protected*, and may come from
any value, or *open*, and comes from one value of N.  Somebody in S is never open.  With E = e^epsilon, and Q
an oracle over S with ratio E,

    from S:  the report y of Q;
    from N:  y with weight ``floor(y) = max over S of Q(y|x) / E``, open with the rest, ``c``.

As ``max / E <= min``, every protected report is at most E times as likely from any value as from any
other, and no smaller weight is allowed.  Summed over y: ``c <= 1 - 1/E``, whatever Q is.

Reference: Murakami, Kawamoto 2019.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.certificate import Certificate, Scope
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices

__all__ = ["HIDDEN", "FloorPoint", "SensitiveMechanism"]

HIDDEN = "sensitive answer"
"""What these mechanisms hide, as clients name it to take part."""

SENSITIVE_SHARE = 0.1
"""Share of people with a sensitive value for which options are chosen: it is rare where this pays."""
_AUDITED = 32
"""Sensitive values, and others, that an audit samples at most."""
_NAMED = 12
"""How many sensitive values are named one by one."""


@dataclass(frozen=True)
class FloorPoint:
    """The numbers by which reports make shares of sensitive values.

    A report that supports v adds ``(1 - q)/(p - q)``, another protected one ``-q/(p - q)``, an open one
    ``gamma``.  ``p`` and ``q`` are those of the oracle over S; a report from N is open with chance ``opened``,
    protected and for v with ``floor_in``, protected and not for v with ``floor_out``.  They are numbers, or
    arrays of one shape.
    """

    p: Any
    q: Any
    floor_in: Any
    floor_out: Any
    opened: Any

    @property
    def gamma(self) -> Any:
        """What makes reports from N add 0 on average."""
        p, q = self.p, self.q
        return (self.floor_out * q - self.floor_in * (1 - q)) / ((p - q) * self.opened)

    def variance(self, share: Any, sensitive: Any, others: Any) -> Any:
        """n Var of sensitive shares f, given the respondents: ``sensitive`` the share of all of S,
        ``others`` that of N.  Each report adds its own variance.
        """
        p, q = self.p, self.q
        noise = share * p * (1 - p) + (sensitive - share) * q * (1 - q)
        among = self.floor_in * (1 - q) ** 2 + self.floor_out * q**2
        return (noise + others * among) / (p - q) ** 2 + others * self.opened * self.gamma**2

    def typical_variance(self, count: int) -> Any:
        """The same where a tenth of all people hold one of ``count`` sensitive values, evenly."""
        return self.variance(SENSITIVE_SHARE / count, SENSITIVE_SHARE, 1 - SENSITIVE_SHARE)


class SensitiveMechanism(Mechanism):
    """A mechanism that protects the sensitive values of its domain, and may reveal the others."""

    bits: int

    def _check_domain(self) -> None:
        super()._check_domain()
        if self.domain.sensitive_inputs is None:
            allowed = "Categories with sensitive values: Categories([...], sensitive=[...])"
            raise InvalidInput("domain", self.name, allowed, str(self.domain))

    @cached_property
    def sensitive(self) -> Indices:
        """The inputs that are protected, S."""
        return np.array(self.domain.sensitive_inputs, dtype=np.int64)

    @cached_property
    def others(self) -> Indices:
        """All other inputs, N."""
        return np.flatnonzero(~self.is_sensitive).astype(np.int64)

    @cached_property
    def is_sensitive(self) -> NDArray[np.bool_]:
        """Whether each input is in S."""
        found = np.zeros(self.domain.size, dtype=np.bool_)
        found[self.sensitive] = True
        return found

    @cached_property
    def rank(self) -> Indices:
        """The place of each input among S, or among N."""
        found = np.empty(self.domain.size, dtype=np.int64)
        found[self.sensitive] = np.arange(len(self.sensitive))
        found[self.others] = np.arange(len(self.others))
        return found

    @property
    @abstractmethod
    def open_chance(self) -> Fraction:
        """c, the chance that a report from N is open, exactly."""

    @abstractmethod
    def revealed(self, reports: Reports) -> Indices:
        """The input that each open report reveals; -1 for a protected one."""

    def audit_plan(self) -> AuditPlan:
        """Sensitive values and others, by the sensitive values that protected reports support.

        Nobody sends an open report of another value than their own, and nobody in S an open one.
        """
        some = (self.sensitive[:_AUDITED], self.others[:_AUDITED])
        values = np.sort(np.concatenate(some)).tolist()

        def sample(index: int, count: int) -> Reports:
            positions = np.full(count, index, dtype=np.int64)
            return self.randomize_positions(positions, OperatingSystem())

        def supports(reports: Reports, index: int) -> NDArray[np.bool_]:
            if not self.is_sensitive[index]:
                return np.zeros(len(reports), dtype=np.bool_)
            found = self.supports(reports, index)
            assert found is not None
            return found

        def forbidden(reports: Reports, index: int) -> NDArray[np.bool_]:
            revealed = self.revealed(reports)
            return (revealed >= 0) & (self.is_sensitive[index] | (revealed != index))

        return AuditPlan(values, sample, supports, forbidden=forbidden)

    def _certified(self, most: int, least: int) -> Certificate:
        """The ratio over protected reports, with what it does not promise."""
        count, domain = len(self.sensitive), self.domain
        named = [str(domain.label(index)) for index in self.sensitive[:_NAMED].tolist()]
        more = f" and {count - _NAMED:,} more" if count > _NAMED else ""
        scope = Scope(
            "any two values, as long as the report is a protected one", HIDDEN, 1, None,
            f"{count:,} of {domain.size:,} answers", ", ".join(named) + more,
        )  # fmt: skip
        return Certificate(most, least, scope=scope)
