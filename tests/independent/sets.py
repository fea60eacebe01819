"""Tick all that apply: one item of a set, whether one option is ticked, or a set of items."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from independent.decimals import whole
from independent.documents import demand
from independent.domains import Choices
from independent.draws import Words, respond, running
from independent.mechanisms import Field, Mechanism, bits_of, known
from independent.oracles import fill


class OfChoices(Mechanism):
    limits_itself = True

    def check_domain(self) -> None:
        demand(isinstance(self.domain, Choices), "not choices")
        self.m, self.d = self.domain.most, self.domain.options.size
        self.items = self.m + self.d


@known
class ChoiceResponse(OfChoices):
    name = "choice-response"
    weight_names = ("keep", "other")

    def check(self) -> None:
        fill(self.w, self.items, self.whole)

    def fields(self) -> list[Field]:
        return [Field(self.items)]

    def cells(self) -> int:
        return self.items

    def certificate(self) -> tuple[int, int]:
        return self.m * self.w["other"] + self.w["keep"], self.m * self.w["other"]

    def respond(self, position: list, words: Words) -> list:
        item = position[words.below(self.m)]
        return [respond(item, self.w, self.bits, words)]


@known
class DrawnOption(OfChoices):
    name = "drawn-option"
    weight_names = ("keep", "other")

    def check(self) -> None:
        fill(self.w, 2, self.whole)

    def fields(self) -> list[Field]:
        return [Field(self.d), Field(2)]

    def cells(self) -> int:
        return 2 * self.d

    def certificate(self) -> tuple[int, int]:
        return self.w["keep"] + self.w["other"], self.w["other"]

    def respond(self, position: list, words: Words) -> list:
        option = words.below(self.d)
        return [option, respond(int(option in position), self.w, self.bits, words)]


@known
class ChoiceSubsets(OfChoices):
    name = "choice-subsets"
    option_names = ("bits", "report_size")
    one_cell = False

    def check(self) -> None:
        self.l = whole(self.o["report_size"], 1, self.d)
        demand(isinstance(self.w, list) and len(self.w) == min(self.m, self.l) + 1, "weights")
        demand(all(type(weight) is int and weight >= 1 for weight in self.w), "weights")
        demand(sum(self.w) == self.whole, "the sum of weights")
        own = sum(j * weight for j, weight in enumerate(self.w))
        demand(self.d * own > self.m * (self.l * self.whole - own), "own items as rare as others")

    def fields(self) -> list[Field]:
        return [bits_of(self.items)]

    def cells(self) -> int:
        return 2 * self.items

    def certificate(self) -> tuple[int, int]:
        each = [
            Fraction(weight, comb(self.m, j) * comb(self.d, self.l - j))
            for j, weight in enumerate(self.w)
        ]
        return (max(each) / min(each)).as_integer_ratio()

    def respond(self, position: list, words: Words) -> list:
        common = running(self.w, words.next() >> 64 - self.bits)
        others = [item for item in range(self.items) if item not in position]
        own = shuffled(position, self.m, words)[:common]
        rest = shuffled(others, self.l, words)[: self.l - common]
        return [sum(1 << item for item in own + rest)]


def shuffled(items: list[int], count: int, words: Words) -> list[int]:
    """The first ``count`` places are drawn one after the other."""
    items = list(items)
    for i in range(count):
        j = i + words.below(len(items) - i)
        items[i], items[j] = items[j], items[i]
    return items
