"""Mechanisms made of others: hierarchy, Haar, binned, sampled coordinate."""

from __future__ import annotations

from fractions import Fraction
from math import lcm, nextafter, prod

from independent.decimals import plain, whole
from independent.documents import demand, keys_of
from independent.domains import Vector
from independent.draws import Words, ceil, respond
from independent.mechanisms import Field, Mechanism, bits_of, known, make
from independent.numbers import Interval, WholeNumbers
from independent.oracles import fill


def numbered(size: int) -> dict[str, object]:
    return {"kind": "categories", "size": size, "values": None, "version": 1}


def part_of(epsilon: Fraction, parts: int) -> str:
    """The largest double of which so many together are at most epsilon, as decimals."""
    part = float(epsilon) / parts
    while Fraction(plain(part)) * parts > epsilon:
        part = nextafter(part, 0.0)
    return plain(part)


@known
class Hierarchy(Mechanism):
    name = "hierarchy"
    option_names = ("bits", "branching", "hash_ranges", "split")

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval), "no order")

    def check(self) -> None:
        branching = whole(self.o["branching"], 2)
        self.sizes = [self.d]
        while self.sizes[-1] > branching:
            self.sizes.append(ceil(self.sizes[-1], branching))
        height, split, ranges = len(self.sizes), self.o["split"], self.o["hash_ranges"]
        demand(split in ("population", "budget"), "split")
        demand(isinstance(self.w, list) and len(self.w) == height, "weights of every level")
        self.budget = split == "budget"
        demand(isinstance(ranges, list) and len(ranges) == (0 if self.budget else height), "ranges")
        epsilon = part_of(self.epsilon, height) if self.budget else self.document["epsilon"]
        self.one_cell = not self.budget or self.d == 1
        self.levels = [
            self.level(epsilon, size, None if self.budget else ranges[i], weights)
            for i, (size, weights) in enumerate(
                zip(self.sizes, self.document["weights"], strict=True)
            )
        ]

    def level(self, epsilon: str, size: int, g: object, weights) -> Mechanism:
        if not self.budget:
            return self.level_of(epsilon, self.o["bits"], size, g, weights)
        options: dict[str, object] = {"bits": self.o["bits"], "variant": "optimized"}
        return make("unary-encoding", numbered(size), epsilon, options, weights)

    @staticmethod
    def level_of(epsilon: str, bits: int, size: int, g: object, weights) -> Mechanism:
        """Local hashing over so many values, or where the range is 0 randomized response."""
        options: dict[str, object] = {"bits": bits}
        if type(g) is int and g == 0:
            return make("randomized-response", numbered(size), epsilon, options, weights)
        options["hash_range"] = g
        return make("local-hashing", numbered(size), epsilon, options, weights)

    def fields(self) -> list[Field]:
        return [bits_of(size) for size in self.sizes] if self.budget else [Field(self.cells())]

    def cells(self) -> int:
        return sum(level.cells() for level in self.levels)

    def certificate(self) -> tuple[int, int]:
        ratios = [Fraction(*level.certificate()) for level in self.levels]
        return (prod(ratios) if self.budget else max(ratios)).as_integer_ratio()

    def respond(self, position: int, words: Words) -> list:
        nodes = [position // self.o["branching"] ** i for i in range(len(self.sizes))]
        if self.budget:
            both = zip(self.levels, nodes, strict=True)
            return [bits for level, node in both for bits in level.respond(node, words)]
        drawn = words.below(len(self.sizes))
        return [stacked(self.levels, drawn, nodes[drawn], words)]


def stacked(levels: list[Mechanism], drawn: int, node: int, words: Words) -> int:
    """The cell that one of some stacked mechanisms reports."""
    level, start = levels[drawn], sum(level.cells() for level in levels[:drawn])
    if level.name == "randomized-response":
        words.next()
        (cell,) = level.respond(node, words)
        return start + cell
    number, cell = level.respond(node, words)
    return start + number * level.g + cell


@known
class Haar(Mechanism):
    name = "haar"
    weight_names = ("keep", "other")

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval), "no order")

    def check(self) -> None:
        fill(self.w, 2, self.whole)
        self.H = max(1, (self.d - 1).bit_length())

    def fields(self) -> list[Field]:
        return [Field(self.cells())]

    def cells(self) -> int:
        return 2 * (2**self.H - 1)

    def certificate(self) -> tuple[int, int]:
        return (self.w["keep"] + self.w["other"], self.w["other"]) if self.d > 1 else (1, 1)

    def respond(self, position: int, words: Words) -> list:
        h, c = divmod(words.below(self.H * 2 ** (self.H - 1)), 2 ** (self.H - 1))
        c >>= h
        sign = (((position >> h + 1) & c).bit_count() ^ (position >> h)) % 2
        answer = respond(sign, self.w, self.bits, words)
        return [2 * (2**self.H - 2 ** (self.H - h) + c) + answer]


class Inside(Mechanism):
    """A mechanism whose weights are those of another one."""

    inside_name = ""

    def read_inside(self, domain) -> Mechanism:
        told = keys_of(self.o[self.inside_name], "mechanism", "options")
        epsilon, weights = self.document["epsilon"], self.document["weights"]
        inside = make(told["mechanism"], domain, epsilon, told["options"], weights)
        demand(not inside.remembers, "memory inside")
        return inside

    def certificate(self) -> tuple[int, int]:
        return self.inside.certificate()


@known
class Binned(Inside):
    name = "binned"
    option_names = ("oracle", "report_bins")
    inside_name = "oracle"

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Interval), "not an interval")

    def check(self) -> None:
        self.wide = whole(self.o["report_bins"], 1, self.d)
        self.aligned = self.d % self.wide == 0
        demand(self.aligned or not self.domain.of_whole, "report_bins")
        if isinstance(self.domain, WholeNumbers):
            low, high = plain(self.domain.least - 0.5), plain(self.domain.most + 0.5)
            cut = {"kind": "interval", "version": 1, "low": low, "high": high, "bins": self.wide}
        else:
            cut = self.domain.cut(self.wide)
        self.inside = self.read_inside(cut)
        demand(self.inside.positions == self.wide, "an oracle that sees more than its bins")
        self.one_cell, self.hides_all = self.inside.one_cell, self.inside.hides_all
        self.delta = self.inside.delta

    def fields(self) -> list[Field]:
        return self.inside.fields()

    def cells(self) -> int:
        return self.inside.cells()

    @property
    def positions(self) -> int:
        return lcm(self.d, self.wide)

    def locate(self, value) -> int:
        """The first position of the bin: of the narrow one where each lies in a wide one."""
        narrow = self.domain.input_of(value)
        if self.aligned:
            return narrow
        return self.inside.domain.input_of(value) * (self.positions // self.wide)

    def respond(self, position: int, words: Words) -> list:
        return self.inside.respond(position // (self.positions // self.wide), words)


@known
class SampledCoordinate(Inside):
    name = "sampled-coordinate"
    option_names = ("inner",)
    inside_name = "inner"

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Vector), "not a vector")

    def check(self) -> None:
        self.inside = self.read_inside(self.domain.document["interval"])
        demand(self.inside.one_cell and self.inside.hides_all, "inner")
        self.delta = self.inside.delta

    def fields(self) -> list[Field]:
        return [Field(self.domain.coordinates), *self.inside.fields()]

    def cells(self) -> int:
        return self.domain.coordinates * self.inside.cells()

    def locate(self, value) -> list:
        self.domain.input_of(value)  # refuses what is not a row
        return [self.inside.locate(number) for number in value]

    def respond(self, position: list, words: Words) -> list:
        drawn = words.below(self.domain.coordinates)
        return [drawn, *self.inside.respond(position[drawn], words)]
