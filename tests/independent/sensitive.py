"""Mechanisms that protect the sensitive values only."""

from __future__ import annotations

from independent.decimals import whole
from independent.documents import demand
from independent.domains import Categories
from independent.draws import Words, respond
from independent.hashes import hash_count, is_prime, linear_cell
from independent.mechanisms import MOST, Field, Mechanism, bits_of, known
from independent.oracles import fill, subset


class OfSensitive(Mechanism):
    fewest = 1
    hides_all = False

    def check_domain(self) -> None:
        found = self.domain.sensitive if isinstance(self.domain, Categories) else None
        demand(found and len(found) >= self.fewest, "no sensitive values, or too few")
        self.S, self.s = found, len(found)
        self.N = [input_ for input_ in range(self.d) if input_ not in set(found)]


@known
class SensitiveResponse(OfSensitive):
    name = "sensitive-response"
    weight_names = ("keep", "other")

    def check(self) -> None:
        keep, other = self.w["keep"], self.w["other"]
        demand(keep >= 1 and other >= 1 and keep + self.s * other == self.whole, "weights")

    def fields(self) -> list[Field]:
        return [Field(self.d)]

    def cells(self) -> int:
        return self.d

    def certificate(self) -> tuple[int, int]:
        return self.w["keep"] + self.w["other"], self.w["other"]

    def respond(self, position: int, words: Words) -> list:
        x = words.next() >> 64 - self.bits
        keep, other = self.w["keep"], self.w["other"]
        return [position if x < keep else self.S[(x - keep) // other]]


@known
class SensitiveHashing(OfSensitive):
    name = "sensitive-hashing"
    option_names = ("bits", "hash_range")
    weight_names = ("keep", "other")
    fewest = 2
    certificate = SensitiveResponse.certificate

    def check(self) -> None:
        g = self.g = whole(self.o["hash_range"], 2, MOST)
        demand(is_prime(g), "not a prime")
        demand(not any(map(is_prime, range(self.s, g))), "above the first prime from s on")
        self.hashes = hash_count(self.s, g)
        fill(self.w, g, self.whole)

    def fields(self) -> list[Field]:
        return [Field(self.cells())]

    def cells(self) -> int:
        return self.hashes * self.g + self.d - self.s

    def respond(self, position: int, words: Words) -> list:
        number, opened = words.below(self.hashes), None
        if position in self.S:
            place = self.S.index(position)
            own = linear_cell(number, place, self.s, self.g, self.fingerprint)
        else:
            own = opened = self.hashes * self.g + self.N.index(position)
        answer = respond(own, self.w, self.bits, words)
        return [opened if answer == opened else number * self.g + answer]


@known
class SensitiveSubsets(OfSensitive):
    name = "sensitive-subsets"
    option_names = ("bits", "subset_size")
    weight_names = ("open", "own", "start")
    fewest = 2
    one_cell = False

    def check(self) -> None:
        self.k = whole(self.o["subset_size"], 1, self.s - 1)
        own, opened, start = (self.w[key] for key in ("own", "open", "start"))
        demand(self.k * self.whole < self.s * own and own < self.whole, "own")
        demand(0 < opened < self.whole and start < 16, "open and start")

    def fields(self) -> list[Field]:
        return [Field(self.d - self.s + 1), bits_of(self.s)]

    def cells(self) -> int:
        return 2 * self.d

    def certificate(self) -> tuple[int, int]:
        s, k, whole_ = self.s, self.k, self.whole
        own, opened = self.w["own"], self.w["open"]
        each = (own * s * (s - k), (whole_ - own) * s * k, (whole_ - opened) * k * (s - k))
        return max(each), min(each)

    def respond(self, position: int, words: Words) -> list:
        x, u = words.next() >> 64 - self.bits, words.below(self.s)
        hidden = position in self.S
        place = self.S.index(position) if hidden else 0
        inside = x < self.w["own"] if hidden else u < self.k
        drawn = subset(self.s, self.k, place, inside, self.w["start"], words)
        if not hidden and x < self.w["open"]:
            return [1 + self.N.index(position), 0]
        return [0, drawn]
