"""Memory: an answer that is kept, and a fresh one over it."""

from __future__ import annotations

from fractions import Fraction

from independent.decimals import double
from independent.documents import demand, keys_of
from independent.draws import Words, ceil, packed, respond
from independent.hashes import linear_cell
from independent.mechanisms import Field, Mechanism, known, make
from independent.oracles import fill

MOST_BITS = 20


@known
class Memoized(Mechanism):
    name = "memoized"
    option_names = ("half", "inner", "lifetime", "linkable")
    remembers = True

    def check_domain(self) -> None:
        """The mechanism inside does."""

    def check(self) -> None:
        demand(type(self.o["half"]) is type(self.o["linkable"]) is bool, "half, linkable")
        double(self.o["lifetime"])
        demand(self.epsilon < Fraction(self.o["lifetime"]) <= 20, "lifetime")
        keys_of(self.w, "fresh", "permanent")
        told = keys_of(self.o["inner"], "mechanism", "options")
        kept = self.document["weights"]["permanent"]
        domain, name, options = self.document["domain"], told["mechanism"], told["options"]
        self.first = make(name, domain, self.o["lifetime"], options, kept)
        demand(name in KINDS, "inner")
        self.kind, self.fresh = KINDS[name](self.first), self.w["fresh"]
        demand(not self.o["half"] or isinstance(self.kind, Bits), "half")
        demand(not isinstance(self.kind, Bits) or self.d <= MOST_BITS or self.o["linkable"], "bits")
        self.kind.check(self.fresh)
        composed = {key: str(value) for key, value in self.kind.composed(self.fresh).items()}
        self.inside = make(name, domain, self.document["epsilon"], options, composed)
        self.one_cell = self.inside.one_cell

    def fields(self) -> list[Field]:
        return self.inside.fields()

    def cells(self) -> int:
        return self.inside.cells()

    @property
    def positions(self) -> int:
        return self.first.positions

    def locate(self, value) -> int:
        return self.first.locate(value)

    def certificate(self) -> tuple[int, int]:
        return self.kind.ratio(self.fresh)

    def respond(self, position: int, words: Words) -> list:
        number = self.kind.number(words)
        kept = self.kind.remember(self.kind.entry(self.inside, number, position), words)
        return self.kind.tell(number, kept, self.fresh, words)


class Outputs:
    """Two levels over some outputs: sent as kept, or any alike."""

    def __init__(self, first) -> None:
        self.first, self.whole = first, first.whole
        self.high, self.low, self.total, self.count = self.levels()

    def levels(self) -> tuple[int, int, int, int]:
        keep, other = self.first.w["keep"], self.first.w["other"]
        return keep + other, other, self.whole, self.first.d

    def check(self, fresh) -> None:
        keys_of(fresh, "keep", "other")
        demand(all(type(weight) is int for weight in fresh.values()), "not a weight")
        fill(fresh, self.count, self.whole)

    def chance(self, weight: int, fresh) -> Fraction:
        kept = Fraction(fresh["keep"] * weight, self.whole * self.total)
        return kept + Fraction(fresh["other"], self.whole)

    def ratio(self, fresh) -> tuple[int, int]:
        if self.count == 1:
            return 1, 1
        return (self.chance(self.high, fresh) / self.chance(self.low, fresh)).as_integer_ratio()

    def least(self, fresh) -> int:
        chance = self.chance(self.low, fresh) * self.whole
        return ceil(chance.numerator, chance.denominator)

    def composed(self, fresh) -> dict[str, int]:
        other = self.least(fresh)
        return {"keep": self.whole - self.count * other, "other": other}

    def fresh_ratio(self, fresh) -> tuple[Fraction, int]:
        """Of any two kept answers: a ratio, and to which power."""
        keep, other = fresh["keep"], fresh["other"]
        return (Fraction(keep + other, other) if other else Fraction(1)), 1

    def number(self, words: Words) -> int:
        return 0

    def entry(self, inside, number: int, position: int) -> int:
        return position

    def remember(self, entry: int, words: Words):
        (kept,) = self.first.respond(entry, words)
        return kept

    def tell(self, number: int, kept, fresh, words: Words) -> list:
        return [respond(kept, fresh, self.first.bits, words)]


class Cells(Outputs):
    """The same over the cells of a hash."""

    def levels(self) -> tuple[int, int, int, int]:
        return (*super().levels()[:3], self.first.g)

    def number(self, words: Words) -> int:
        return words.below(self.first.hashes)

    def entry(self, inside, number: int, position: int) -> int:
        return linear_cell(number, position, self.first.d, self.first.g, inside.fingerprint)

    def remember(self, entry: int, words: Words):
        return respond(entry, self.first.w, self.first.bits, words)

    def tell(self, number: int, kept, fresh, words: Words) -> list:
        return [number, *super().tell(number, kept, fresh, words)]


class Numbers(Outputs):
    """The same over the outputs of a square wave."""

    def levels(self) -> tuple[int, int, int, int]:
        low, unit = self.first.low, self.first.unit
        total = self.first.outputs * low + self.first.area
        return low + unit, low, total, self.first.outputs

    def composed(self, fresh) -> dict[str, int]:
        gain = (self.chance(self.high, fresh) - self.chance(self.low, fresh)) * self.whole
        unit = gain.numerator // gain.denominator
        return {"width": self.first.width, "low": self.least(fresh), "unit": unit}


class Bits(Outputs):
    """A bit for every value: a one stays, a zero rises."""

    def levels(self) -> tuple[int, int, int, int]:
        """A bit is drawn by itself."""
        return 0, 0, 0, 0

    def check(self, fresh) -> None:
        keys_of(fresh, "rise", "stay")
        demand(all(type(weight) is int for weight in fresh.values()), "not a weight")
        demand(0 < fresh["rise"] < fresh["stay"] < self.whole, "rise and stay")

    def chances(self, fresh) -> list[int]:
        """Of one's own bit and another's, over the whole squared."""
        weights = (self.first.w[name] for name in ("own", "other"))
        return [bit * fresh["stay"] + (self.whole - bit) * fresh["rise"] for bit in weights]

    def ratio(self, fresh) -> tuple[int, int]:
        own, other = self.chances(fresh)
        square = self.whole**2
        return own * (square - other), other * (square - own)

    def composed(self, fresh) -> dict[str, int]:
        own, other = self.chances(fresh)
        return {"own": own // self.whole, "other": ceil(other, self.whole)}

    def fresh_ratio(self, fresh) -> tuple[Fraction, int]:
        stay, rise = fresh["stay"], fresh["rise"]
        return max(
            Fraction(stay, rise), Fraction(self.whole - rise, self.whole - stay)
        ), self.first.d

    def remember(self, entry: int, words: Words):
        return super().remember(entry, words).to_bytes(ceil(self.first.d, 8), "little")

    def tell(self, number: int, kept, fresh, words: Words) -> list:
        kept = int.from_bytes(kept, "little")
        d, shift, told = self.first.d, 64 - self.first.bits, []
        drawn = words.joined(ceil(d, 8))
        for v in range(d):
            bound = fresh["stay" if kept >> v & 1 else "rise"]
            first, rest = divmod(bound << shift, 2**56)
            lane = (drawn >> 8 * v) % 256
            told.append(lane < first or (lane == first and words.next() >> 8 < rest))
        return [packed(told)]


KINDS = {
    "randomized-response": Outputs,
    "local-hashing": Cells,
    "square-wave": Numbers,
    "unary-encoding": Bits,
}
