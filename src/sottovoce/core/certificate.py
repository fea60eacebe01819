"""The exact privacy statement of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sottovoce.core.exact import exp_bounds, log_above

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """The worst ratio of the weights of one report under two values, as a fraction.

    ``numerator / denominator`` is computed from the integer table that the
    device draws from, so it speaks of the sampler itself and not of a formula.
    ``delta`` is 0 for pure mechanisms.

    >>> Certificate(3, 1).epsilon_above
    1.09861228866811
    """

    numerator: int
    denominator: int
    delta: Fraction = Fraction(0)

    @property
    def ratio(self) -> Fraction:
        """The worst ratio, exact."""
        return Fraction(self.numerator, self.denominator)

    @property
    def epsilon_above(self) -> float:
        """A float at least the natural logarithm of the ratio, tight to the last digits."""
        return log_above(self.ratio)

    def holds(self, epsilon: float) -> bool:
        """Whether the ratio is at most e^epsilon, decided against a 60-digit lower bound."""
        return self.ratio <= max(Fraction(1), exp_bounds(epsilon)[0])

    def __str__(self) -> str:
        delta = f", delta {float(self.delta):g}" if self.delta else ""
        return f"worst ratio {float(self.ratio):.12g} = e^{self.epsilon_above:.12g}{delta}"
