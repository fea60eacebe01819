"""Mechanisms for categories: response, unary encoding, subsets, Hadamard, hashing, tables."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from independent.decimals import whole
from independent.documents import demand
from independent.draws import Words, ceil, packed, respond, running, unary
from independent.hashes import (
    digits_for,
    hash_count,
    is_prime,
    linear_cell,
    public_index,
    seeded_cell,
)
from independent.mechanisms import MOST, Field, Mechanism, bits_of, known


def fill(weights: dict[str, int], size: int, total: int) -> None:
    """Weights of randomized response over so many values."""
    keep, other = weights["keep"], weights["other"]
    demand(keep + size * other == total, "the sum of keep and others")
    demand(keep > 0 and (other == 0) == (size == 1), "keep and other")


@known
class RandomizedResponse(Mechanism):
    name = "randomized-response"
    weight_names = ("keep", "other")

    def check(self) -> None:
        fill(self.w, self.d, self.whole)

    def fields(self) -> list[Field]:
        return [Field(self.d)]

    def cells(self) -> int:
        return self.d

    def certificate(self) -> tuple[int, int]:
        return (self.w["keep"] + self.w["other"], self.w["other"]) if self.d > 1 else (1, 1)

    def respond(self, position: int, words: Words) -> list:
        return [respond(position, self.w, self.bits, words)]


class Sets(Mechanism):
    """A report falls in or out of a cell for every value."""

    @property
    def one_cell(self) -> bool:
        return self.d == 1

    def cells(self) -> int:
        return 2 * self.d


class Hashing(Mechanism):
    """Randomized response on the cell of a hash."""

    option_names = ("bits", "hash_range")
    weight_names = ("keep", "other")

    def check(self) -> None:
        self.g = self.check_range()
        fill(self.w, self.g, self.whole)

    def check_range(self) -> int:
        raise NotImplementedError

    certificate = RandomizedResponse.certificate


@known
class LocalHashing(Hashing):
    name = "local-hashing"

    def check_range(self) -> int:
        g = whole(self.o["hash_range"], 2, MOST)
        demand(is_prime(g), "not a prime")
        demand(not any(map(is_prime, range(self.d, g))), "above the first prime from d on")
        self.hashes = hash_count(self.d, g)
        return g

    def fields(self) -> list[Field]:
        return [Field(self.hashes), Field(self.g)]

    def cells(self) -> int:
        return self.hashes * self.g

    def respond(self, position: int, words: Words) -> list:
        number = words.below(self.hashes)
        cell = linear_cell(number, position, self.d, self.g, self.fingerprint)
        return [number, respond(cell, self.w, self.bits, words)]


@known
class SeededHashing(Sets, Hashing):
    name = "seeded-hashing"

    def check_range(self) -> int:
        return whole(self.o["hash_range"], 2, 2**29)

    def fields(self) -> list[Field]:
        return [Field(2**64), Field(self.g)]

    def respond(self, position: int, words: Words) -> list:
        seed = words.next()
        cell = seeded_cell(seed, position, self.g)
        return [seed, respond(cell, self.w, self.bits, words)]


@known
class FixedHashing(Hashing):
    name = "fixed-hashing"
    option_names = ("bits", "hash_count", "hash_range")

    def check_range(self) -> int:
        self.hashes = whole(self.o["hash_count"], 1, 2**24 // self.d)
        return whole(self.o["hash_range"], 2)

    def fields(self) -> list[Field]:
        return [Field(self.hashes), Field(self.g)]

    def cells(self) -> int:
        return self.hashes * self.g

    def respond(self, position: int, words: Words) -> list:
        number = words.below(self.hashes)
        cell = public_index(self.g, "hashes", self.fingerprint, number, position)
        return [number, respond(cell, self.w, self.bits, words)]


@known
class UnaryEncoding(Sets):
    name = "unary-encoding"
    option_names = ("bits", "variant")
    weight_names = ("own", "other")

    def check(self) -> None:
        demand(self.o["variant"] in ("optimized", "symmetric"), "variant")
        demand(0 < self.w["other"] < self.w["own"] < self.whole, "own and other")

    def fields(self) -> list[Field]:
        return [bits_of(self.d)]

    def certificate(self) -> tuple[int, int]:
        own, other = self.w["own"], self.w["other"]
        if self.d == 1:
            return 1, 1
        return own * (self.whole - other), other * (self.whole - own)

    def respond(self, position: int, words: Words) -> list:
        own, bits = unary(self.d, self.w, self.bits, words)
        bits[position] = own
        return [packed(bits)]


@known
class SubsetSelection(Sets):
    name = "subset-selection"
    option_names = ("bits", "subset_size")
    weight_names = ("own", "start")

    def check(self) -> None:
        d, own, start = self.d, self.w["own"], self.w["start"]
        k = self.k = whole(self.o["subset_size"], 1)
        if d == 1:
            demand((k, own, start) == (1, self.whole, 0), "a single value")
        else:
            demand(k * self.whole < own * d and own < self.whole and start < 16, "own and start")

    def fields(self) -> list[Field]:
        return [bits_of(self.d)]

    def certificate(self) -> tuple[int, int]:
        own = self.w["own"]
        return (own * (self.d - self.k), (self.whole - own) * self.k) if self.d > 1 else (1, 1)

    def respond(self, position: int, words: Words) -> list:
        d, k = self.d, self.k
        inside = words.next() < self.w["own"] << 64 - self.bits
        if d == 1:
            return [1]
        return [subset(d, k, position, inside, self.w["start"], words)]


def subset(d: int, k: int, position: int, inside: bool, start: int, words: Words) -> int:
    """A set of k out of d, with a position in it or not."""
    members, last = stand_ins(min(k, d - k), d - 1, start, words)
    inverted = 2 * k > d
    inside ^= inverted
    if inside:
        members.remove(last)
    if position in members:
        members.remove(position)
        members.add(d - 1)
    if inside:
        members.add(position)
    report = sum(1 << member for member in members)
    return 2**d - 1 - report if inverted else report


def stand_ins(h: int, m: int, start: int, words: Words) -> tuple[set[int], int]:
    """A random set of h out of m, and the member that joined last."""
    w, t = ceil(m, 64), max(1, (m - 1).bit_length())
    drawn = 0
    for digit in reversed(f"{start:04b}".rstrip("0")):
        drawn = drawn | words.joined(w) if digit == "1" else drawn & words.joined(w)
    members = {i for i in range(m) if drawn >> i & 1} if drawn else set()
    falling = True
    while True:
        for word in [words.next() for _ in range(max(1, isqrt(w) // 2))]:
            for i in range(64 // t):
                trial = (word >> i * t) % 2**t
                if trial >= m:
                    continue
                falling = falling and len(members) >= h
                if falling:
                    members.discard(trial)
                elif trial not in members:
                    members.add(trial)
                    if len(members) == h:
                        return members, trial


@known
class HadamardResponse(Mechanism):
    name = "hadamard-response"
    option_names = ("bits", "block_count")
    weight_names = ("keep",)

    def check(self) -> None:
        self.blocks = whole(self.o["block_count"], 1, self.d)
        self.order = 1 << ceil(self.d, self.blocks).bit_length()
        demand(ceil(self.d, self.order - 1) == self.blocks, "blocks that the values do not fill")
        demand(0 < self.w["keep"] < self.whole, "keep")

    def fields(self) -> list[Field]:
        return [Field(self.cells())]

    def cells(self) -> int:
        return self.blocks * self.order

    def certificate(self) -> tuple[int, int]:
        others = (self.whole - self.w["keep"]) * (self.order // 2)
        return (others + self.w["keep"] * self.cells(), others) if self.d > 1 else (1, 1)

    def respond(self, position: int, words: Words) -> list:
        x = words.next() >> 64 - self.bits
        y = words.below(self.cells())
        block, c = position % self.blocks, position // self.blocks + 1
        z = y % self.order
        if (z & c).bit_count() % 2:
            z ^= c & -c
        return [block * self.order + z if x < self.w["keep"] else y]


@known
class Table(Mechanism):
    name = "table"
    option_names = ()

    def check(self) -> None:
        rows = self.w
        demand(isinstance(rows, list) and len(rows) == self.d, "a row for every value")
        demand(all(isinstance(row, list) for row in rows), "rows")
        demand(all(type(weight) is int for row in rows for weight in row), "weights")
        lengths, sums = {len(row) for row in rows}, {sum(row) for row in rows}
        demand(len(lengths) == len(sums) == 1, "rows of one length and one sum")
        (self.length,), (self.total,) = lengths, sums
        demand(0 < self.total <= 2**63, "the sum of a row")
        self.columns = [column for column in zip(*rows, strict=True) if max(column)]
        demand(all(map(all, self.columns)), "a report that some values cannot send")

    def fields(self) -> list[Field]:
        return [Field(self.length)]

    def cells(self) -> int:
        return self.length

    def certificate(self) -> tuple[int, int]:
        worst = max(Fraction(max(column), min(column)) for column in self.columns)
        return worst.numerator, worst.denominator

    def respond(self, position: int, words: Words) -> list:
        return [running(self.w[position], words.below(self.total))]


__all__ = ["LocalHashing", "RandomizedResponse", "UnaryEncoding", "digits_for", "fill"]
