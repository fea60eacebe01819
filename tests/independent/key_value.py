"""Key-value: keys with numbers, by unary encoding or by response, rounded or piecewise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from independent.decimals import whole
from independent.documents import demand
from independent.domains import KeyValues
from independent.draws import Words, ceil, packed, unary
from independent.grids import LARGEST_GRID, LARGEST_ROUNDED, LARGEST_TOTAL, steps_of
from independent.mechanisms import Field, Mechanism, bits_of, known

MOST_PAIRS = 2**16


@known
class KeyValue(Mechanism):
    name = "key-value"
    option_names = ("bits", "keys", "numbers", "output_bins", "steps")

    def check_domain(self) -> None:
        demand(isinstance(self.domain, KeyValues), "not keys with numbers")
        self.K, self.pairs = self.domain.categories.size, self.domain.pairs or 0
        self.slots = self.domain.pairs or 1
        demand(self.pairs <= MOST_PAIRS, "too many pairs")

    def check(self) -> None:
        demand(self.o["keys"] in ("unary", "response"), "keys")
        demand(self.o["numbers"] in ("rounding", "piecewise"), "numbers")
        self.unary = self.o["keys"] == "unary"
        self.rounding = self.o["numbers"] == "rounding"
        names = ["base", "unit"] if self.rounding else ["low", "unit", "width"]
        names += ["own", "other"] if self.unary else []
        demand(isinstance(self.w, dict) and set(self.w) == set(names), "names of weights")
        demand(all(type(w) is int and w >= 1 for w in self.w.values()), "a weight of 0")
        most = LARGEST_ROUNDED if self.rounding else LARGEST_GRID
        self.steps = steps_of(self.domain.interval, self.o["steps"], most)
        self.G = self.domain.interval.bins * self.steps
        demand(self.G > 1, "one position")
        self.check_numbers()
        if self.unary:
            demand(self.w["other"] < self.w["own"] < self.whole, "own and other")
        self.total = self.backgrounds() * self.O * self.low + self.added
        demand(self.total <= LARGEST_TOTAL, "the total")

    def check_numbers(self) -> None:
        """O outputs, each with weight ``low``, and ``added`` near the position."""
        self.unit = self.w["unit"]
        if self.rounding:
            self.O, self.low, self.added = 2, self.w["base"], (self.G - 1) * self.unit
            self.top, self.output_bins = self.added, whole(self.o["output_bins"], 2, 2)
            return
        width = self.w["width"]
        demand(width <= LARGEST_GRID, "width")
        self.O, self.low = self.G + width - 1, self.w["low"]
        self.added, self.top = width * self.unit, self.unit
        self.output_bins = whole(self.o["output_bins"], 2, self.O)

    def backgrounds(self) -> int:
        """How many numbers share one draw: with response keys those of all keys."""
        return 1 if self.unary else self.K + self.pairs

    def fields(self) -> list[Field]:
        if not self.unary:
            return [Field(self.K + (self.pairs > 0)), Field(self.output_bins)]
        if self.rounding:
            return [bits_of(self.K), bits_of(self.K)]
        return [Field(self.output_bins + 1, self.K)]

    def cells(self) -> int:
        if self.unary:
            return self.K * (self.output_bins + 1)
        return self.K * self.output_bins + (self.pairs > 0)

    # -- the worst ratio -----------------------------------------------------------------

    def certificate(self) -> tuple[int, int]:
        worst = self.worst_unary() if self.unary else self.worst_response()
        return worst.as_integer_ratio()

    def worst_response(self) -> Fraction:
        """That of "no pair" on the page is never larger: ``added`` is at most O times ``top``."""
        return Fraction(self.slots * self.low + self.top, self.slots * self.low)

    def worst_unary(self) -> Fraction:
        """Over sets of s and t keys, by how many are in one alone and how many in both."""
        K, slots, L, T = self.K, self.slots, min(self.slots, self.K), self.whole
        kept, total = self.w["own"] * self.O * (T - self.w["other"]), self.total
        M, m = kept * (self.low + self.top), kept * self.low
        U = (T - self.w["own"]) * self.w["other"] * total
        empty, ratios = (T - self.w["other"]) * self.w["other"] * total, []
        for s, t in [*product((1, L), (1, L)), (1, K - 1), (K - 1, 1), (L, K - L), (K - L, L)]:
            if min(s, t) < 1 or max(s, t) > L:
                continue
            union = min(K, s + t)  # of the two on the page the larger is never better for privacy
            p, q, c = union - t, union - s, s + t - union
            for x, y in ((M, m), (U, U)):
                above = p * M + c * x + (slots - s) * empty
                below = q * min(m, U) + c * y + (slots - t) * empty
                ratios.append(Fraction(above, below))
        return max(ratios)

    # -- drawing ---------------------------------------------------------------------------

    def locate(self, value):
        """A pair, or a set of pairs, as keys and positions."""
        places = self.domain.input_of(value)
        numbers = [number for _, number in value] if self.pairs else [value[1]]
        keys = [key for key, _ in places] if self.pairs else [places[0]]
        at = [self.domain.interval.position_of(number, self.steps) for number in numbers]
        return list(zip(keys, at, strict=True))

    def respond(self, position, words: Words) -> list:
        key, x = None, 0
        if self.pairs:
            slot = words.below(max(self.pairs, len(position)))
            if slot < len(position):
                key, x = position[slot]
        else:
            ((key, x),) = position
        return self.by_unary(key, x, words) if self.unary else self.by_response(key, x, words)

    def near(self, x: int, z: int) -> int:
        return int(z < x * self.unit) if self.rounding else x + z // self.unit

    def cell(self, output: int) -> int:
        return output * self.output_bins // self.O

    def by_response(self, key: int | None, x: int, words: Words) -> list:
        z = words.below(self.total)
        if z < self.added:
            reported, output = self.K if key is None else key, self.near(x, z)
        else:
            reported, output = divmod((z - self.added) // self.low, self.O)
        return [self.K, 0] if reported >= self.K else [reported, self.cell(output)]

    def own_cell(self, x: int, words: Words) -> int:
        z = words.below(self.total)
        return self.cell(self.near(x, z) if z < self.added else (z - self.added) // self.low)

    def by_unary(self, key: int | None, x: int, words: Words) -> list:
        own, is_set = unary(self.K, self.w, self.bits, words)
        if self.rounding:
            high = words.joined(ceil(self.K, 64))
            mine = self.own_cell(x, words)
            if key is not None:
                is_set[key] = own
                high = high & ~(1 << key) | mine << key
            return [packed(is_set), packed(is_set) & high]
        cells = [1 + self.cell(words.below(self.O)) if bit else 0 for bit in is_set]
        mine = self.own_cell(x, words)
        if key is not None:
            cells[key] = mine + 1 if own else 0
        return [cells]
