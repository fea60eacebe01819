"""Noise on bins: Laplace, Gaussian, and noise on degrees."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import NormalDist

from independent.decimals import double, exp_below, whole
from independent.documents import demand
from independent.domains import Counts, Interval, Vector
from independent.draws import Words, running
from independent.mechanisms import Field, Mechanism, known

SLACK = 1e-12
"""For the errors of doubles."""
ONE = 2**128
GUARD = 2**64
LARGEST_TOTAL = 2**63
LARGEST_TABLE = 2**16
"""Bins, and cells beyond them."""


class Noise(Mechanism):
    """A table of heights; ``reach`` cells lie beyond the bins on either side."""

    reach = 0
    coordinates = 1

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval), "not an interval")
        self.grid = self.domain

    def check(self) -> None:
        demand(self.grid.bins <= LARGEST_TABLE, "too many bins")
        w, self.tail = self.w, self.w["tail"]
        demand(min(w.values()) >= 1, "a weight of 0")
        demand(w["ratio"] <= ONE and w.get("change", ONE) <= ONE, "ratios")
        demand(w["center"] < LARGEST_TOTAL, "center")
        self.guarded: list[int] = []
        self.ratios: list[int] = []
        g, q = w["center"] * GUARD, w["ratio"]
        for _ in range(self.grid.bins + self.reach - 1):
            self.guarded.append(g)
            self.ratios.append(q)
            g, q = g * q // ONE, q * w.get("change", ONE) // ONE
        self.heights = [g // GUARD + w.get("least", 1) for g in self.guarded]
        self.total = 2 * (sum(self.heights) + self.tail) - sum(self.heights[:1])
        demand(self.total <= LARGEST_TOTAL, "the total")

    def fields(self) -> list[Field]:
        return [Field(self.grid.bins + 2 * self.reach)] * self.coordinates

    def cells(self) -> int:
        return (self.grid.bins + 2 * self.reach) * self.coordinates

    def worst(self) -> Fraction:
        """Between any two bins: at an end, or between the ends."""
        ends = Fraction(sum(self.heights) + self.tail, self.tail)
        return max(ends, Fraction(self.heights[0], self.heights[-1])) if self.heights else ends

    def locate(self, value):
        return self.domain.input_of(value)

    def respond(self, position, words: Words) -> list:
        places = position if isinstance(position, list) else [position]
        return [self.moved(place, words) for place in places]

    def moved(self, place: int, words: Words) -> int:
        table = [self.tail, *self.heights[:0:-1], *self.heights, self.tail]
        moved = place + running(table, words.below(self.total)) - (self.grid.bins - 1)
        return min(max(moved, 0), self.grid.bins + 2 * self.reach - 1)


@known
class Laplace(Noise):
    name = "laplace"
    weight_names = ("center", "ratio", "tail")

    def certificate(self) -> tuple[int, int]:
        return self.worst().as_integer_ratio()


@known
class DegreeNoise(Noise):
    name = "degree-noise"
    weight_names = ("center", "least", "ratio", "tail")
    hides_all = False

    def check_domain(self) -> None:
        super().check_domain()
        demand(isinstance(self.domain, Counts), "not counts")

    def certificate(self) -> tuple[int, int]:
        """Between degrees that differ by one."""
        if not self.heights:
            return 1, 1
        steps = [Fraction(near, far) for near, far in pairwise(self.heights)]
        return max([*steps, Fraction(self.heights[-1] + self.tail, self.tail)]).as_integer_ratio()


@known
class Gaussian(Noise):
    name = "gaussian"
    option_names = ("bits", "delta", "reach")
    weight_names = ("center", "change", "ratio", "tail")

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval | Vector), "neither an interval nor a vector")
        self.grid = self.domain
        if isinstance(self.domain, Vector):
            self.grid, self.coordinates = self.domain.interval, self.domain.coordinates
        self.reach = whole(self.o["reach"], 0, 0 if self.grid.bins == 1 else LARGEST_TABLE)

    def check(self) -> None:
        allowed = double(self.o["delta"])
        demand(1e-12 <= allowed <= 0.5, "delta")
        super().check()
        self.delta = self.delta_of_table()
        demand(self.delta <= allowed, "the weights do not keep delta")

    def certificate(self) -> tuple[int, int]:
        """The ratio is e^epsilon itself; what is computed is delta."""
        return 1, 1

    def delta_of_table(self) -> Fraction:
        """The delta that the weights need for epsilon; refused where none is known."""
        size = len(self.guarded)
        if not size:
            return Fraction(0)
        if size > 1:
            last = self.ratios[-2]
            steady = self.tail * GUARD * (ONE - last) <= self.guarded[-1] * last
            demand(steady, "noise that does not fall steadily")
        below = list(accumulate([self.tail * GUARD, *self.guarded[:0:-1], *self.guarded]))
        drift = Fraction(size * size + 4 * size, 4 * GUARD)
        if self.coordinates > 1:
            return self.delta_of_rows(below, size, drift)
        E = exp_below(self.epsilon)
        scaled, pairs = math.floor(E * GUARD), zip(below[self.grid.bins - 1 :], below, strict=False)
        worst = max(near * GUARD - scaled * far for near, far in pairs)
        margin = 4 * size + 2 * size * (1 + E) * drift
        return (max(Fraction(worst, GUARD * GUARD), Fraction(0)) + margin) / self.total

    def delta_of_rows(self, below: list[int], size: int, drift: Fraction) -> Fraction:
        """Of several coordinates: normal laws as far apart as the table needs."""
        inverse, total = NormalDist().inv_cdf, float(below[-1] + below[0])
        lost = 2 * size * math.ceil(drift * GUARD)
        least = [inverse(weight / total) for weight in below[:size]]
        most = [inverse((weight + lost) / total) for weight in below[:size]]
        high, low = [*most, *(-z for z in least[::-1])], [*least, *(-z for z in most[::-1])]
        pairs = zip(high[self.grid.bins - 1 :], low, strict=False)
        apart = max(near - far for near, far in pairs) + SLACK
        apart *= math.sqrt(self.coordinates) * (1 + SLACK)
        above = self.coordinates * 4 * size / self.total
        kept = float(self.epsilon) - above - self.coordinates * float(drift)
        near, far = (math.erfc((kept / apart - s * apart / 2) / math.sqrt(2)) / 2 for s in (1, -1))
        delta = near * (1 + SLACK) - math.exp(kept) * far * (1 - SLACK)
        return Fraction(max(0.0, delta) + above)
