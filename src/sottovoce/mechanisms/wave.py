"""General waves: trapezoids and triangles in place of the square."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sottovoce.base.checks import check_decimal
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import decimal_text
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._grid_wave import GridWave
from sottovoce.mechanisms.square_wave import check_half_width, half_width

__all__ = ["Wave"]


@register
@dataclass(frozen=True)
class Wave(GridWave):
    """A trapezoid around the true number; ``ratio`` is its upper side over its lower side.

    ``W(z) = E q`` for ``|z| <= ratio b``, falling straight to q at ``|z| = b``, with
    ``q = 1/(1 + 2b + (E-1) b (1 + ratio))``: 1 is the square wave, 0 a triangle.  Two
    outputs differ by the Wasserstein distance ``(1 - (2b+1) q)`` times that of their
    inputs, which is largest for the square: the others are here to compare with.
    ``b`` is by default that of the square wave.

    One random word a report.  Reference: Li et al. 2020, sections 5.1 and 5.2.
    """

    name: ClassVar[str] = "wave"
    is_planned: ClassVar[bool] = False
    aka: ClassVar[dict[str, dict[str, Any]]] = {"gw": {}}

    _: KW_ONLY
    ratio: float = 0.5
    """Upper side of the trapezoid over its lower side.  Allowed: 0 (a triangle) to 1 (a square)."""
    b: float | None = None
    """Half width of the window, in parts of the interval.  Allowed: above 0, at most 0.5.  Unless
    given: that of the square wave.
    """

    def _check_options(self) -> None:
        super()._check_options()
        allowed = "a number from 0 (triangle) to 1 (square)"
        ratio = check_decimal(self.ratio, "ratio", self.name, allowed)
        if not 0 <= ratio <= 1:
            raise InvalidInput("ratio", self.name, allowed, self.ratio)
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "b", check_half_width(self.b, self.name))

    def _derive_width(self) -> int:
        b = half_width(self.epsilon) if self.b is None else self.b
        return 2 * math.floor(b * self.positions) + 1

    def _cap(self, width: int) -> int:
        """The flat top reaches ``floor(ratio B)`` to either side, exactly; then one unit is lost a step."""
        half, ratio = width // 2, Fraction(decimal_text(self.ratio))
        return half + 1 - math.floor(ratio * half)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(0, 1, bins=16), 1.0, ratio=0.4)
        yield cls(Interval(0, 1, bins=6), 2.0, ratio=0.0, steps=3, output_bins=9, bits=16)
