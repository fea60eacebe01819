"""Any oracle on wider bins than the domain's (CFO with binning)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Source
from sottovoce.core.cell_expression import CellExpression
from sottovoce.core.certificate import Certificate
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Field, Mechanism
from sottovoce.core.registry import mechanism, register, restore
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._binned_channel import BinnedChannel
from sottovoce.mechanisms._fine_grid import declining_hint
from sottovoce.mechanisms._inner import asked_mechanism, check_forgets, described
from sottovoce.mechanisms._level_oracle import best_hash_range

__all__ = ["Binned"]


@register
@dataclass(frozen=True)
class Binned(CoarseMechanism):
    """The interval in ``report_bins`` wider bins, and an ``oracle`` that reports these.

    Fewer bins have less noise each, and hide what happens within them: estimates are
    those of the wide bins, spread evenly over the domain's own.  Their numbers need not
    divide each other: a device finds the wide bin of its *value*, and the channel takes
    numbers to be spread evenly over their narrow bin.

    ``mechanism("olh", domain, 1.0, report_bins=32)`` makes it with any oracle by name, and
    further options are the oracle's.  Without a name it is randomized response or local
    hashing, whichever has the smaller variance for that many bins.

    Reference: Li, Wang, Lopuhaa-Zwakenberg, Li, Skoric 2020, section 4.1.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("binned", sv.Interval(0, 1, bins=1024), 1.0, report_bins=32)
    >>> print(m.reporting)
    local-hashing(Interval(0, 1, bins=32), epsilon=1)
    >>> sv.mechanism("olh", sv.Interval(0, 1, bins=1024), 1.0, report_bins=32) == m
    True
    """

    name: ClassVar[str] = "binned"
    is_planned: ClassVar[bool] = False

    _: KW_ONLY
    report_bins: int | None = None
    """How many wider bins reports are about; it must be given.  Allowed: 1 to bins; for Counts a
    divisor of their number.
    """
    oracle: Any = None
    """What reports the wide bins; after birth the oracle itself.  Allowed: a name, or a mapping of
    ``mechanism`` and ``options``.  Unless given: randomized response or local hashing, by variance.
    """

    def _check_domain(self) -> None:
        if not isinstance(self.domain, Interval):
            allowed, hint = "an Interval: bins are of numbers", declining_hint(self.domain)
            raise InvalidInput("domain", self.name, allowed, self.domain, hint=hint)

    def _check_options(self) -> None:
        wide = check_int(self.report_bins, "report_bins", self.name, 1, self.domain.size)
        assert isinstance(self.domain, Interval)
        if self.domain.whole and self.domain.size % wide:
            allowed = f"a divisor of {self.domain.size}: no whole number lies in two bins"
            raise InvalidInput("report_bins", self.name, allowed, wide)
        if self.domain.uneven is not None and (
            self.domain.size % wide or wide < 1 + self.domain.open_end
        ):
            least = ", at least 2," if self.domain.open_end else ""
            allowed = f"a divisor{least} of {self.domain.size}: wide bins end where narrow ones do"
            raise InvalidInput("report_bins", self.name, allowed, wide)

    @property
    def _wide(self) -> Interval:
        assert isinstance(self.domain, Interval) and self.report_bins is not None
        return self.domain.cut(self.report_bins)

    def _asked(self) -> tuple[str, Mapping[str, Any]]:
        """Name and options of the oracle asked for."""
        asked = self.oracle
        if asked is None:
            hashed = best_hash_range(self._wide.bins, self.epsilon)
            return ("local-hashing" if hashed else "randomized-response"), {}
        return asked_mechanism(asked, "oracle", self.name)

    def _keep(self, oracle: Mechanism) -> Any:
        check_forgets(oracle, "oracle", self.name)
        if oracle.positions != oracle.domain.size:
            allowed = "an oracle that sees nothing finer than its bins"
            raise InvalidInput("oracle", self.name, allowed, oracle.name)
        object.__setattr__(self, "oracle", oracle)
        return oracle.weights

    def _derive_weights(self) -> Any:
        name, options = self._asked()
        return self._keep(mechanism(name, self._wide, self.epsilon, **options))

    def _check_weights(self, weights: Any) -> Any:
        name, options = self._asked()
        return self._keep(restore(name, self._wide, self.epsilon, options, weights))

    def _weights_document(self) -> Any:
        return self.reporting._weights_document()

    def options(self) -> dict[str, Any]:
        return {"report_bins": self.report_bins, "oracle": described(self.reporting)}

    @property
    def reporting(self) -> Mechanism:
        oracle: Mechanism = self.oracle
        return oracle

    def __str__(self) -> str:
        return f"{super().__str__()[:-1]}, report_bins={self.report_bins})"

    # -- reports: the oracle's -----------------------------------------------------------

    @property
    def positions(self) -> int:
        return self.binning.grid

    def locate(self, values: Any) -> Indices:
        """Where a value's wide bin begins; the narrow bin says it where every one lies in a wide one."""
        if self.binning.aligned:
            return self.domain.indices(values)
        return self._wide.indices(values) * (self.positions // self._wide.bins)

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.reporting.fields

    @property
    def cells(self) -> int:
        return self.reporting.cells

    @property
    def blocks(self) -> int:
        return self.reporting.blocks

    @property
    def words_per_report(self) -> int:
        return self.reporting.words_per_report

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        return self.reporting.respond(index // (self.positions // self._wide.bins), source)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        return self.reporting.respond_many(indices // (self.positions // self._wide.bins), source)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        return self.reporting.count(reports)

    def cell_expression(self) -> CellExpression | None:
        return self.reporting.cell_expression()

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        people = self.binning.split(counts, source.generator())
        return self.reporting._simulate(people, source)

    # -- meaning -------------------------------------------------------------------------

    def _channel(self) -> BinnedChannel:
        return BinnedChannel(self.binning, self.reporting.channel())

    def certificate(self) -> Certificate:
        return self.reporting.certificate()

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_] | None:
        return self.reporting.supports(reports, index // (self.positions // self._wide.bins))

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(0, 1, bins=16), 1.0, report_bins=4)
        yield cls(Interval(0, 120, bins=12), 2.0, report_bins=5, oracle="hadamard-response")
        yield cls(Interval(0, 1, bins=9), 1.0, report_bins=3, oracle="unary-encoding")
        coarse = {"mechanism": "randomized-response", "options": {"bits": 16}}
        yield cls(Interval(-1, 1, bins=7), 1.0, report_bins=6, oracle=coarse)
