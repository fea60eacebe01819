"""The piecewise mechanism: a square wave whose middle moves so that reports are right on average."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from sottovoce.base.exact import exp_bounds
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._grid_wave import GridWave

__all__ = ["Piecewise"]


@register
@dataclass(frozen=True)
class Piecewise(GridWave):
    """With ``s = e^(eps/2)``: outputs from -C to C, ``C = (s+1)/(s-1)``, for numbers in [-1, 1].

    A number v has a window of length C - 1 around ``v s/(s-1)``, in which reports are
    e^eps times as dense.  The windows of all numbers move by C + 1 in all, s times
    their length: on a grid of G positions, one output a position, the window is
    ``(G - 1)/s`` outputs wide.  The mean of the reports is right on average, with
    variance ``v^2/(s-1) + (s+3)/(3(s-1)^2)`` a report.

    The grid, its cells and ``steps`` are those of the square wave.  One random word a
    report.  Reference: Wang et al. 2019.

    >>> import sottovoce as sv
    >>> m = sv.Piecewise(sv.Interval(-1, 1, bins=64), epsilon=1.0)
    >>> tally = m.simulate([100] * 64, source=sv.Seeded(1))
    >>> abs(sv.estimate(tally, "unbiased").mean().value) < 0.2
    True
    """

    name: ClassVar[str] = "piecewise"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"pm": {}}

    def _derive_width(self) -> int:
        return max(1, round((self.positions - 1) / exp_bounds(self.epsilon, divided_by=2)[0]))

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(-1, 1, bins=16), 1.0)
        yield cls(Interval(0, 10, bins=6), 3.0, steps=4, output_bins=20, bits=16)
