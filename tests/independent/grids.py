"""Numbers on a fine grid: square wave, wave, piecewise and stochastic rounding."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from independent.decimals import double, whole
from independent.documents import demand
from independent.draws import Words, running
from independent.mechanisms import Field, Mechanism, known
from independent.numbers import Dates, Interval

LARGEST_GRID = 2**22
LARGEST_ROUNDED = 2**40
LARGEST_TOTAL = 2**63


def steps_of(domain: Interval, steps: object, most: int) -> int:
    """Positions of a bin; one of whole numbers."""
    return whole(steps, 1, 1 if domain.of_whole or domain.open_end else most // domain.bins)


class Grid(Mechanism):
    """A mechanism with ``steps``."""

    largest = LARGEST_GRID

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval), "not an interval")
        self.steps = steps_of(self.domain, self.o["steps"], self.largest)

    @property
    def positions(self) -> int:
        return self.d * self.steps

    def locate(self, value) -> int:
        return self.domain.position_of(value, self.steps)


class Shaped(Grid):
    """A shape over a background."""

    weight_names = ("low", "unit", "width")
    wrap = False
    cap = 1

    def check(self) -> None:
        self.low, self.unit, self.width = (self.w[name] for name in ("low", "unit", "width"))
        demand(self.low >= 1 and self.unit >= 1, "low and unit")
        whole(self.width, 1, self.positions if self.wrap else self.largest)
        self.outputs = self.positions if self.wrap else self.positions + self.width - 1
        self.area = self.cap * (self.width - self.cap + 1) * self.unit
        demand(self.outputs * self.low + self.area <= LARGEST_TOTAL, "the total")
        whole(self.o["output_bins"], min(2, self.outputs), self.outputs)

    def check_half_width(self) -> None:
        if self.o["b"] is not None:
            demand(0 < double(self.o["b"]) <= 0.5, "b")

    def fields(self) -> list[Field]:
        return [Field(self.outputs)]

    def cells(self) -> int:
        return self.o["output_bins"]

    def certificate(self) -> tuple[int, int]:
        return (self.low + self.cap * self.unit, self.low) if self.positions > 1 else (1, 1)

    def respond(self, position: int, words: Words) -> list:
        x = words.below(self.outputs * self.low + self.area)
        if x >= self.area:
            return [(x - self.area) // self.low]
        if self.cap == 1:
            z = x // self.unit
        else:
            heights = (min(z + 1, self.width - z, self.cap) for z in range(self.width))
            z = running((height * self.unit for height in heights), x)
        if self.wrap:
            return [(position + z - self.width // 2) % self.positions]
        return [position + z]


@known
class SquareWave(Shaped):
    name = "square-wave"
    option_names = ("b", "bits", "output_bins", "steps", "wrap")

    def check(self) -> None:
        self.check_half_width()
        self.wrap = self.o["wrap"]
        demand(self.wrap is False or (self.wrap is True and self.positions > 1), "wrap")
        super().check()


@known
class Piecewise(Shaped):
    name = "piecewise"
    option_names = ("bits", "output_bins", "steps")


@known
class Wave(Shaped):
    name = "wave"
    option_names = ("b", "bits", "output_bins", "ratio", "steps")

    def check(self) -> None:
        self.check_half_width()
        demand(0 <= double(self.o["ratio"]) <= 1, "ratio")
        half = self.w["width"] // 2
        self.cap = half + 1 - floor(Fraction(self.o["ratio"]) * half)
        super().check()


@known
class StochasticRounding(Grid):
    name = "stochastic-rounding"
    option_names = ("bits", "steps")
    weight_names = ("base", "unit")
    largest = LARGEST_ROUNDED

    def check(self) -> None:
        self.base, self.unit = self.w["base"], self.w["unit"]
        demand(self.positions > 1, "one position")
        equal = self.domain.edges is None and not isinstance(self.domain, Dates)
        demand(equal, "not numbers in equal bins")
        demand(self.base >= 1 and self.unit >= 1, "base and unit")
        self.total = 2 * self.base + (self.positions - 1) * self.unit
        demand(self.total <= LARGEST_TOTAL, "the total")

    def fields(self) -> list[Field]:
        return [Field(2)]

    def cells(self) -> int:
        return 2

    def certificate(self) -> tuple[int, int]:
        return self.base + (self.positions - 1) * self.unit, self.base

    def respond(self, position: int, words: Words) -> list:
        return [int(words.below(self.total) < self.base + position * self.unit)]
