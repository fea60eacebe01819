"""Sets of questions: a record by one set of them, or by all apart."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from independent.composed import Hierarchy, part_of, stacked
from independent.decimals import whole
from independent.documents import demand
from independent.domains import Record
from independent.draws import Words
from independent.mechanisms import MOST, Field, Mechanism, known


class Parity:
    """A parity of two answers: it stands for a level of hashes, with two cells each."""

    name, g = "parity", 2

    def __init__(self, response: Mechanism, shape: list[int]) -> None:
        self.response, self.second = response, shape[1]
        self.orders = [2 ** (size - 1).bit_length() - 1 for size in shape]

    def cells(self) -> int:
        return 2 * prod(self.orders)

    def certificate(self) -> tuple[int, int]:
        return self.response.certificate()

    def respond(self, node: int, words: Words) -> list:
        number = words.below(prod(self.orders))
        s, t = (1 + part for part in divmod(number, self.orders[1]))
        a, b = divmod(node, self.second)
        ones = (s & a).bit_count() + (t & b).bit_count()
        return [number, *self.response.respond(ones % 2, words)]


@known
class QuestionSets(Mechanism):
    name = "question-sets"
    option_names = ("bits", "design", "hash_ranges", "rates")
    limits_itself = True

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Record), "not a record")

    def check(self) -> None:
        parts = [part.size for part in self.domain.parts.values()]
        k, design = len(parts), self.o["design"]
        designs = ("sample", "pairs", "mixed", "parities", "joint", "split")
        demand(design in designs, "design")
        singles, pairs = [[i] for i in range(k)], [[i, j] for j in range(k) for i in range(j)]
        together, self.split = [list(range(k))], design == "split"
        by_design = {
            "sample": singles,
            "pairs": sorted(pairs),
            "joint": together,
            "split": together,
        }
        self.sets = by_design.get(design) or singles + sorted(pairs)
        self.shapes = [[parts[i] for i in asked] for asked in self.sets]
        demand(max(map(prod, self.shapes)) <= MOST, "too many cells of a set")
        answered = [[size] for size in parts] if self.split else self.shapes
        rates, ranges = self.o["rates"], self.o["hash_ranges"]
        for numbers, all_of in ((rates, self.sets), (ranges, answered), (self.w, answered)):
            demand(isinstance(numbers, list) and len(numbers) == len(all_of), "one of each")
        self.rates = [whole(rate, 1) for rate in rates]
        demand(sum(self.rates) <= 2**32, "rates")
        if self.split:
            demand(max(parts) <= 512, "too many answers")
            demand(float(part_of(self.epsilon, k)) >= 0.000001, "a part of epsilon")
        self.levels = []
        for shape, g, weights in zip(answered, ranges, self.document["weights"], strict=True):
            if design == "parities":
                demand(type(g) is int and g == 2, "parities of two")
            two_of = design == "parities" and len(shape) == 2
            size, g = (2, 0) if two_of else (prod(shape), g)
            document, bits = self.document["epsilon"], self.o["bits"]
            level = Hierarchy.level_of(document, bits, size, g, weights)
            self.levels.append(Parity(level, shape) if two_of else level)

    def fields(self) -> list[Field]:
        return [Field(self.cells())]

    def cells(self) -> int:
        return (prod if self.split else sum)(level.cells() for level in self.levels)

    def certificate(self) -> tuple[int, int]:
        ratios = [Fraction(*level.certificate()) for level in self.levels]
        return (prod(ratios) if self.split else max(ratios)).as_integer_ratio()

    def respond(self, position: list, words: Words) -> list:
        x, drawn = words.below(sum(self.rates)), 0
        while x >= self.rates[drawn]:
            x, drawn = x - self.rates[drawn], drawn + 1
        if self.split:
            cell = 0
            for level, answer in zip(self.levels, position, strict=True):
                cell = cell * level.cells() + stacked([level], 0, answer, words)
            return [cell]
        node = 0
        for question, size in zip(self.sets[drawn], self.shapes[drawn], strict=True):
            node = node * size + position[question]
        return [stacked(self.levels, drawn, node, words)]
