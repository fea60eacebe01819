"""Numbers of neighbours in a graph, moved by noise that hides any one edge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.core.certificate import Certificate, Scope
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.counts import Counts
from sottovoce.mechanisms._noise_on_grid import (
    FIXED_POINT,
    GUARD,
    NoiseOnGrid,
    NoiseTable,
    fitting_table,
)

__all__ = ["DegreeNoise"]


@register
@dataclass(frozen=True)
class DegreeNoise(NoiseOnGrid):
    """A degree moved by noise k of weight ``e^(-eps |k|)``, kept between 0 and the declared most.

    A person is a node of a graph, the value is their degree: how many neighbours they have.
    **Epsilon is that of an edge**: a report is at most e^eps times as likely from a degree as
    from one that differs by 1, and only ``e^(m eps)`` times from one that differs by m.  That is
    edge local differential privacy.  It hides whether two people are linked; it does not
    hide whether somebody has many neighbours or few (:class:`~sottovoce.mechanisms.laplace.Laplace`
    on the same :class:`~sottovoce.domains.counts.Counts` does, with far more noise).  An edge is
    counted in the reports of both its ends, which together spend 2 epsilon on it.

    Noise that leads out of the range is counted at its end, which loses nothing, and the mean is
    told without bias: both as for Laplace noise.  A chance of about ``1 / (eps 2^bits)`` that any
    degree is reported keeps far degrees possible.  One random word a report.

    References: Qin et al. 2017; Imola, Murakami, Chaudhuri 2021; on whole numbers Ghosh,
    Roughgarden, Sundararajan 2009.

    >>> import sottovoce as sv
    >>> m = sv.DegreeNoise(sv.Counts(9), epsilon=1.0)
    >>> print(m)
    degree-noise(Counts(9), epsilon=1 an edge)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1 between degrees that differ by one edge (any two values: e^9)
    """

    name: ClassVar[str] = "degree-noise"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"edge-laplace": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("center", "ratio", "least", "tail")

    def _check_domain(self) -> None:
        if not isinstance(self.domain, Counts):
            allowed = "Counts: degrees are whole numbers from 0 to a declared most"
            raise InvalidInput("domain", self.name, allowed, self.domain)

    def _make_table(self, weights: tuple[int, ...]) -> NoiseTable:
        center, ratio, least, tail = weights
        return NoiseTable.make(center, ratio, 2**FIXED_POINT, tail, self.noise_size, least=least)

    def _derive_weights(self) -> tuple[int, ...]:
        """Heights ``h = floor(g) + least`` keep E from one to the next, however small g gets.

        With E below e^eps and ``ratio >= 2^B / E`` the recursion gives ``g' >= g/E - 2^-64``, so
        that ``E h' > E (g/E - 2^-64 - 1 + least) = g - E (1 + 2^-64) + E least``, which is
        ``g + least >= h`` for ``least >= E (1 + 2^-64) / (E - 1)``.  The tail, at least the last
        height over E - 1, keeps it at the ends.
        """
        if self.grid.bins == 1:
            return 1, 1, 1, 2 ** (self.bits - 1)
        E = exp_bounds(self.epsilon)[0]
        ratio = ceil_divide(2**FIXED_POINT, E)
        least = ceil_divide(1, (E - 1) / (E * (1 + Fraction(1, 2**GUARD))))

        def table(center: int) -> NoiseTable:
            bare = NoiseTable.make(center, ratio, 2**FIXED_POINT, 0, self.noise_size, least=least)
            tail = ceil_divide(bare.heights[-1], E - 1)
            return NoiseTable(bare.guarded, bare.last_ratio, tail, least)

        found = self._keep(fitting_table(self.bits, table, self.name))
        return found.center, ratio, least, found.tail

    def certificate(self) -> Certificate:
        """The worst ratio between degrees that differ by 1; beside it that between any two."""
        worst = self.noise.worst_step
        scope = Scope("degrees that differ by one edge", "edge", 2, self.noise.worst_ratio)
        return Certificate(worst.numerator, worst.denominator, scope=scope)

    def __str__(self) -> str:
        return f"{self.name}({self.domain}, epsilon={self.epsilon:g} an edge)"

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Counts(9), 0.3)
        yield cls(Counts(20), 0.1)
        yield cls(Counts(5), 0.5, bits=16)
