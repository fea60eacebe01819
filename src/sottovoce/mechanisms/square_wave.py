"""The square wave: a report near the true number is likelier, by the same factor wherever it is near."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from sottovoce.base.checks import check_decimal
from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._grid_wave import GridWave

__all__ = ["SquareWave", "check_half_width", "half_width", "half_width_on_ring"]

_SERIES_BELOW, _SERIES_TERMS = 0.5, 24


def half_width(epsilon: float) -> float:
    """``b = (eps E - E + 1) / (2 E (E - 1 - eps))`` of a range of 1: most information, in a bound.

    It maximises ``log((2b+1)/(2bE+1)) + 2b eps E/(2bE+1)``, which bounds what a report
    tells of the number.  Below 0.5 the differences cancel, and their series
    ``sum (k-1) eps^(k-2)/k! / (2 E sum eps^(k-2)/k!)`` over k >= 2 is used.

    >>> half_width(1e-6), half_width(1.0)  # doctest: +ELLIPSIS
    (0.49999966..., 0.2560...)
    """
    E = math.exp(epsilon)
    if epsilon >= _SERIES_BELOW:
        return (epsilon * E - E + 1) / (2 * E * (E - 1 - epsilon))
    terms = [epsilon ** (k - 2) / math.factorial(k) for k in range(2, _SERIES_TERMS)]
    above = math.fsum((k - 1) * term for k, term in enumerate(terms, start=2))
    return above / (2 * E * math.fsum(terms))


def half_width_on_ring(epsilon: float) -> float:
    """``b = (eps E - E + 1) / (2 (E - 1)^2)`` of a ring of length 1: most information when all
    numbers are equally frequent.

    There ``I(b) = 2b eps E q - log(1/q)`` with ``1/q = 1 + 2b(E - 1)``, which is largest for
    ``1/q = eps E / (E - 1)``.
    """
    E = math.exp(epsilon)
    if epsilon >= _SERIES_BELOW:
        return (epsilon * E - E + 1) / (2 * (E - 1) ** 2)
    terms = [epsilon ** (k - 2) / math.factorial(k) for k in range(2, _SERIES_TERMS)]
    above = math.fsum((k - 1) * term for k, term in enumerate(terms, start=2))
    return above / (2 * (math.expm1(epsilon) / epsilon) ** 2)


def check_half_width(b: object, owner: str) -> float | None:
    """The half width asked for: of a range of 1, at most a half; None is for the best one."""
    if b is None:
        return None
    allowed = "a number above 0 and at most 0.5, in parts of the interval"
    chosen = check_decimal(b, "b", owner, allowed)
    if not 0 < chosen <= 0.5:
        raise InvalidInput("b", owner, allowed, b)
    return chosen


@register
@dataclass(frozen=True)
class SquareWave(GridWave):
    """A number within ``b`` of the true one with density p, any other with density ``q = p / e^eps``.

    In parts of the interval, outputs reach from -b to 1 + b, and ``q = 1/(2bE + 1)``.  The
    interval is cut into ``bins * steps`` positions, 65,536 or more by default, and reports
    are counted in ``output_bins`` cells, by default as many as bins (at least 256):
    randomize, then bucketize.  With ``steps=1`` a device knows its bin only and every
    output is a cell: bucketize, then randomize (the discrete wave).

    With ``wrap=True`` the interval is a ring, as for times of day: nothing is added
    at its ends, the shape goes around, and the channel is circulant.

    One random word a report.  Reference: Li, Wang, Lopuhaa-Zwakenberg, Li, Skoric 2020.

    >>> import sottovoce as sv
    >>> m = sv.SquareWave(sv.Interval(0, 120, bins=24), epsilon=1.0)
    >>> print(m.certificate(), m.positions, m.cells)
    worst ratio 2.71828182846 = e^1 65544 256
    """

    name: ClassVar[str] = "square-wave"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"sw": {}, "sw-discrete": {"steps": 1}}

    _: KW_ONLY
    b: float | None = None
    """Half width of the window, in parts of the interval.  Allowed: above 0, at most 0.5.  Unless
    given: the one that maximises the information bound.
    """
    wrap: bool = False
    """Whether the interval is a ring, as for times of day.  Allowed: True or False."""

    def _check_options(self) -> None:
        super()._check_options()
        if not isinstance(self.wrap, bool):
            raise InvalidInput("wrap", self.name, "True or False", self.wrap)
        object.__setattr__(self, "b", check_half_width(self.b, self.name))
        if self.wrap and self.positions < 2:
            raise InvalidInput(
                "domain", self.name, "of at least 2 positions on a ring", self.domain
            )

    @property
    def on_ring(self) -> bool:
        return self.wrap

    def _derive_width(self) -> int:
        if self.b is not None:
            b = self.b
        else:
            b = half_width_on_ring(self.epsilon) if self.wrap else half_width(self.epsilon)
        width = 2 * math.floor(b * self.positions) + 1
        if not self.wrap:
            return width
        return min(width, self.positions - 1 if self.positions % 2 == 0 else self.positions - 2)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(0, 120, bins=24), 1.0)
        yield cls(Interval(-1, 1, bins=8), 2.0, steps=3, output_bins=10, bits=16)
        yield cls(Interval(0, 1, bins=12), 0.5, steps=1)
        yield cls(Interval(0, 24, bins=12), 1.5, wrap=True)
