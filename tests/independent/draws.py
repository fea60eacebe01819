"""Random words, and what several mechanisms draw from them."""

from __future__ import annotations


class Words:
    """Words of 8 bytes, little-endian; each is used once."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def next(self) -> int:
        self.at += 8
        return int.from_bytes(self.data[self.at - 8 : self.at], "little")

    def joined(self, count: int) -> int:
        """So many words as one number, the first word lowest."""
        return sum(self.next() << 64 * i for i in range(count))

    def below(self, s: int) -> int:
        """A uniform number below s."""
        word = self.next()
        if s & (s - 1) == 0:
            return word >> 65 - s.bit_length()
        while word >= 2**64 - 2**64 % s:
            word = self.next()
        return word % s


def respond(own: int, weights: dict[str, int], bits: int, words: Words) -> int:
    """Randomized response."""
    x = words.next() >> 64 - bits
    return own if x < weights["keep"] else (x - weights["keep"]) // weights["other"]


def unary(d: int, weights: dict[str, int], bits: int, words: Words) -> tuple[bool, list[bool]]:
    """One's own bit, and a bit for every value, before one's own is put in its place."""
    own = words.next() < weights["own"] << 64 - bits
    drawn = words.joined(ceil(d, 8))
    lanes = [(drawn >> 8 * v) % 256 for v in range(d)]
    first, rest = divmod(weights["other"] << 64 - bits, 2**56)
    return own, [lane < first or (lane == first and words.next() >> 8 < rest) for lane in lanes]


def running(weights: list[int], x: int) -> int:
    """How many running sums are at most x."""
    total = count = 0
    for weight in weights:
        total += weight
        if total > x:
            break
        count += 1
    return count


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def packed(bits: list[bool]) -> int:
    """Bit v is value v."""
    return sum(1 << v for v, bit in enumerate(bits) if bit)
