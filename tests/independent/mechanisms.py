"""What every mechanism has: its document, its limits, its certificate, and its payload."""

from __future__ import annotations

from fractions import Fraction

from independent.decimals import double, refuse_above, weights_of, whole
from independent.documents import demand, fingerprint, keys_of
from independent.domains import Choices, Domain, KeyValues, Record, Vector, read_domain
from independent.draws import Words

MOST = 2_500_000
"""Inputs, and cells."""
MOST_BYTES = 2**15
KINDS: dict[str, type[Mechanism]] = {}


def known(kind: type[Mechanism]) -> type[Mechanism]:
    KINDS[kind.name] = kind
    return kind


def read_mechanism(document: object) -> Mechanism:
    """The mechanism of a document, checked in every way that a device checks it."""
    keys = ("domain", "epsilon", "mechanism", "options", "version", "weights")
    name = keys_of(document, *keys)["mechanism"]
    demand(isinstance(name, str) and name in KINDS, "unknown mechanism")
    return KINDS[str(name)](document)


def make(name: str, domain, epsilon: str, options, weights) -> Mechanism:
    """A mechanism inside another: it has a document of its own."""
    document = {"mechanism": name, "version": 2, "domain": domain, "epsilon": epsilon}
    return read_mechanism({**document, "options": options, "weights": weights})


class Mechanism:
    """Options are in ``o``, weights as integers in ``w``."""

    name = ""
    option_names: tuple[str, ...] = ("bits",)
    weight_names: tuple[str, ...] = ()
    one_cell = True
    """Whether a report falls in one cell of a tally."""
    hides_all = True
    """Whether the certificate speaks of any two values."""
    delta = 0.0
    remembers = False
    """Whether a device keeps an answer."""
    limits_itself = False
    """Whether inputs may be more than can be listed."""

    def __init__(self, document) -> None:
        self.document = document
        whole(document["version"], 2, 2)
        self.domain: Domain = read_domain(document["domain"])
        demand(self.domain.size <= MOST or self.limits_itself, "too many inputs")
        self.d = self.domain.size
        double(document["epsilon"])
        self.epsilon = Fraction(document["epsilon"])
        demand(Fraction("0.000001") <= self.epsilon <= 20, "epsilon")
        self.o = keys_of(document["options"], *self.option_names)
        if "bits" in self.o:
            self.bits = whole(self.o["bits"], 8, 62)
            self.whole = 2**self.bits
        self.w = weights_of(document["weights"])
        if self.weight_names:
            keys_of(self.w, *self.weight_names)
            demand(all(type(weight) is int for weight in self.w.values()), "not a weight")
        self.check_domain()
        self.check()
        demand(self.cells() <= MOST, "too many cells")
        demand(sum(field.width for field in self.fields()) <= MOST_BYTES, "too many bytes")
        refuse_above(*self.certificate(), self.epsilon)

    def check_domain(self) -> None:
        sets = isinstance(self.domain, KeyValues) and self.domain.pairs is not None
        demand(not sets, "sets of pairs")
        demand(not isinstance(self.domain, (Vector, Record, Choices)), "of several answers")

    def check(self) -> None:
        """Options and weights."""
        raise NotImplementedError

    def fields(self) -> list[Field]:
        raise NotImplementedError

    def cells(self) -> int:
        """Of a tally."""
        raise NotImplementedError

    def certificate(self) -> tuple[int, int]:
        """The worst ratio."""
        raise NotImplementedError

    @property
    def positions(self) -> int:
        """How many different things a device tells apart."""
        return self.d

    def locate(self, value):
        """The position of a value."""
        place = self.domain.input_of(value)
        if isinstance(self.domain, KeyValues):
            return place[0] * self.domain.interval.size + place[1]
        return place

    def respond(self, position, words: Words) -> list:
        """What is in every field."""
        raise NotImplementedError

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.document)

    def payload(self, value, words: Words) -> bytes:
        """The report of a person with this value."""
        answers = self.respond(self.locate(value), words)
        return b"".join(f.write(a) for f, a in zip(self.fields(), answers, strict=True))

    def reads(self, payload: bytes) -> bool:
        """Whether a payload is one of this mechanism."""
        fields = self.fields()
        if len(payload) != sum(field.width for field in fields):
            return False
        for field in fields:
            if not field.reads(payload[: field.width]):
                return False
            payload = payload[field.width :]
        return True


class Field:
    """``count`` numbers below ``size``; of bits one number of 2^bits."""

    def __init__(self, size: int, count: int = 1, *, bits: bool = False) -> None:
        self.size, self.count = (2**size if bits else size), count
        self.each = -(-size // 8) if bits else next(w for w in (1, 2, 4, 8) if size <= 256**w)

    @property
    def width(self) -> int:
        return self.count * self.each

    def write(self, numbers) -> bytes:
        listed = [numbers] if isinstance(numbers, int) else numbers
        return b"".join(number.to_bytes(self.each, "little") for number in listed)

    def reads(self, data: bytes) -> bool:
        parts = [data[i : i + self.each] for i in range(0, len(data), self.each)]
        return all(int.from_bytes(part, "little") < self.size for part in parts)


def bits_of(d: int) -> Field:
    return Field(d, bits=True)
