"""dBitFlipPM, for comparison: a few of b bits, drawn once and then sent again in every window.

A device draws ``reported`` of b values once and keeps one randomized bit for each of them.  There is no second
round: its first report is its last, and all reports together keep the same epsilon as one.  The library's
``memoized`` asks for a lifetime above the epsilon of a report; with both equal it would be this, so that it is
a comparison here and not an inner mechanism there.

Bits are set with chance p at one's own value and q = 1 - p at others.  Two values differ in two bits where both
are among those reported, and in one where a single bit is: ``p = s/(s + 1)`` with ``s = e^(eps/2)``, and with
``reported = 1`` ``s = e^eps``; the published p has e^(eps/2) there too, and spends half of its epsilon.

    f~_v = b/(d n) sum over devices with bit v of (bit - q)/(p - q)
    n Var = q (1 - q) b / (d (p - q)^2) + f (b/d - 1)

No answer over many windows is better than one of a single window: every window repeats the same noise.

Reference: Ding, Kulkarni, Yekhanin, Collecting Telemetry Data Privately, NeurIPS 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_epsilon, check_int
from sottovoce.base.exact import ceil_divide, exp_bounds
from sottovoce.core.certificate import Certificate

__all__ = ["BitFlip"]

Floats = NDArray[np.float64]
_OWNER = "BitFlip"
_BITS = 62


@dataclass(frozen=True)
class BitFlip:
    """``reported`` permanent bits of ``values``, at ``epsilon`` for all reports together.

    >>> m = BitFlip(values=100, reported=4, epsilon=2.0)
    >>> print(m.certificate())
    worst ratio 7.38905609893 = e^2
    >>> round(m.variance(0.0), 2)
    23.02
    """

    values: int
    reported: int
    epsilon: float

    def __post_init__(self) -> None:
        check_int(self.values, "values", _OWNER, 2)
        check_int(self.reported, "reported", _OWNER, 1, self.values)
        check_epsilon(self.epsilon, _OWNER)

    @property
    def other(self) -> int:
        """The weight of q over 2^62, rounded to the safe side."""
        halves = 1 if self.reported == 1 else 2
        return ceil_divide(2**_BITS, exp_bounds(self.epsilon, halves)[0] + 1)

    @property
    def q(self) -> float:
        """The chance of a bit at another value."""
        return self.other / 2**_BITS

    def certificate(self) -> Certificate:
        """The worst ratio of all reports of one value, however many."""
        bit = Fraction(2**_BITS - self.other, self.other)
        worst = bit if self.reported == 1 else bit**2
        return Certificate(worst.numerator, worst.denominator)

    def variance(self, share: float) -> float:
        """n times the variance of a share, in one window and over any number of them."""
        left_out = self.values / self.reported
        return self.q * (1 - self.q) * left_out / (1 - 2 * self.q) ** 2 + share * (left_out - 1)

    def remember(
        self, values: NDArray[np.int64], random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Which values every device reports, and its bits: for simulation."""
        order = random.random((len(values), self.values)).argsort(axis=1)[:, : self.reported]
        is_own = order == np.asarray(values)[:, None]
        return order, is_own ^ (random.random(order.shape) < self.q)

    def shares(self, asked: NDArray[np.int64], bits: NDArray[np.bool_]) -> Floats:
        """Unbiased shares from the values that devices report and their bits."""
        gains = (bits - self.q) / (1 - 2 * self.q)
        sums = np.bincount(asked.ravel(), weights=gains.ravel(), minlength=self.values)
        return np.asarray(sums * self.values / (self.reported * len(asked)))
