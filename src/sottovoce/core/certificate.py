"""The exact privacy statement of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sottovoce.base.exact import exp_bounds, log_above

__all__ = ["Certificate", "Scope"]

_ANY_TWO = "any two values"


@dataclass(frozen=True)
class Scope:
    """Between which values a certificate speaks, where that is not any two.

    ``values`` names them ("degrees that differ by one edge"), ``hidden`` what they differ in
    ("edge"), and ``reports`` says how many people's reports speak of one such thing: their
    ratios multiply.  ``any_two`` is the worst ratio between any two values, however far apart; None
    where there is no bound, as some reports reveal their value: those of mechanisms that protect the
    sensitive values only.  ``protects`` then says how many these are ("2 of 10 answers"), and ``named``
    which.
    """

    values: str
    hidden: str
    reports: int
    any_two: Fraction | None
    protects: str = ""
    named: str = ""

    @property
    def says_what_it_protects(self) -> str:
        """The sentence without which its epsilon must not be shown; empty where ``any_two`` bounds it."""
        return f"protects {self.protects}; open reports reveal theirs" if self.protects else ""


@dataclass(frozen=True)
class Certificate:
    """The exact worst ratio between the weights of one report under two values.

    The ratio is computed from the integer table that the device draws from. So it holds for the
    sampler itself, not for a formula.

    Parameters
    ----------
    numerator, denominator : int
        The ratio, as a fraction.
    delta : Fraction
        The probability with which the ratio may be exceeded; 0 for pure mechanisms.
    scope : Scope, optional
        Which two values are compared, if not any two of the domain. With a scope the ratio is not
        local differential privacy of the value.

    Examples
    --------
    >>> Certificate(3, 1).epsilon_above
    1.09861228866811
    >>> print(Certificate(3, 1, scope=Scope("ages a year apart", "year", 1, Fraction(81))))
    worst ratio 3 = e^1.09861228867 between ages a year apart (any two values: e^4.39444915467)
    """

    numerator: int
    denominator: int
    delta: Fraction = Fraction(0)
    scope: Scope | None = None

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

    @property
    def between(self) -> str:
        """The values whose reports are compared, in words."""
        return _ANY_TWO if self.scope is None else self.scope.values

    def __str__(self) -> str:
        delta = f", delta {float(self.delta):g}" if self.delta else ""
        told = f"worst ratio {float(self.ratio):.12g} = e^{self.epsilon_above:.12g}{delta}"
        if self.scope is None:
            return told
        told = f"{told} between {self.between}"
        if self.scope.any_two is None:
            return f"{told} ({self.scope.says_what_it_protects})"
        return f"{told} ({_ANY_TWO}: e^{log_above(self.scope.any_two):.12g})"
