"""Laplace noise on the bins of an interval, censored at its ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.core.certificate import Certificate
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.interval import Interval
from sottovoce.domains.ratings import Ratings
from sottovoce.mechanisms._fine_grid import check_interval
from sottovoce.mechanisms._noise_on_grid import (
    FIXED_POINT,
    NoiseOnGrid,
    NoiseTable,
    fitting_table,
)

__all__ = ["Laplace"]

_ATTEMPTS = 64


@register
@dataclass(frozen=True)
class Laplace(NoiseOnGrid):
    """A bin moved by noise k of weight ``e^(-eps |k| / (bins - 1))``, kept within the bins.

    The two outermost bins are ``bins - 1`` apart, so no report is more than e^eps times
    likelier from one than from another.  Noise that leads out of the interval is counted
    at its end.  That loses nothing: beyond an end the weights of all bins fall alike, so a
    report from out there tells no more than that it was out there.

    The mean is told without bias: an end stands for the mean place of what was cut off,
    ``r/(1 - r)`` bins beyond, ``r = e^(-eps/(bins-1))``.  One random word a report.
    References: Dwork et al. 2006; on whole numbers Ghosh, Roughgarden, Sundararajan 2009.

    >>> import sottovoce as sv
    >>> m = sv.Laplace(sv.Interval(0, 10, bins=20), epsilon=1.0)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1
    """

    name: ClassVar[str] = "laplace"
    weight_names: ClassVar[tuple[str, ...]] = ("center", "ratio", "tail")

    def _check_domain(self) -> None:
        check_interval(self.domain, self.name)

    def _make_table(self, weights: tuple[int, ...]) -> NoiseTable:
        center, ratio, tail = weights
        return NoiseTable.make(center, ratio, 2**FIXED_POINT, tail, self.noise_size)

    def _derive_weights(self) -> tuple[int, int, int]:
        """``tail = ceil(S / (E - 1))``, S the sum of the heights, makes the ends keep E exactly.

        Between the ends the worst ratio is ``h(0) / h(bins - 2)``, a step short of E; where
        heights are so small that rounding takes more than that step, the ratio is raised.
        """
        if self.grid.bins == 1:
            return 1, 1, 2 ** (self.bits - 1)
        E = exp_bounds(self.epsilon)[0]
        step = exp_bounds(self.epsilon, divided_by=self.grid.bins - 1)[1]
        ratio = int(2**FIXED_POINT / step)

        def table(center: int) -> NoiseTable:
            bare = NoiseTable.make(center, ratio, 2**FIXED_POINT, 0, self.noise_size)
            tail = ceil_divide(sum(bare.heights), E - 1)
            return NoiseTable(bare.guarded, bare.last_ratio, tail)

        for _ in range(_ATTEMPTS):
            found = fitting_table(self.bits, table, self.name)
            if found.worst_ratio <= E:
                self._keep(found)
                return found.center, ratio, found.tail
            ratio += (2**FIXED_POINT - ratio) // 16
        raise InvalidInput(
            "epsilon", self.name, f"larger for {self.bits} bits on {self.grid.bins} bins",
            self.epsilon, hint="At this precision the answer would carry nothing.",
        )  # fmt: skip

    def certificate(self) -> Certificate:
        """The worse of the ends and of the cells between them."""
        worst = self.noise.worst_ratio
        return Certificate(worst.numerator, worst.denominator)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(-1, 1, bins=16), 1.0)
        yield cls(Interval(0, 120, bins=24), 3.0)
        yield cls(Ratings(1, 5), 2.0, bits=16)
