"""Public hashes: words that everybody can make, points of values, and three families."""

from __future__ import annotations

import hashlib

BLOCK = 256


def public_index(size: int, use: str, key: str, row: int, j: int) -> int:
    """Word j of a row as an index below a size."""
    text = f"sottovoce {use} 2 {key} {row} {j // BLOCK}"
    block = hashlib.shake_256(text.encode()).digest(4 * (j % BLOCK) + 4)
    word = int.from_bytes(block[-4:], "little")
    return word * size >> 32


def digits_for(d: int, g: int) -> int:
    """t, the least number, at least 1, with g^t >= d."""
    t = 1
    while g**t < d:
        t += 1
    return t


def hash_count(d: int, g: int) -> int:
    """How many hashes the linear family has."""
    return (g ** digits_for(d, g) - 1) // (g - 1)


def point(v: int, g: int, t: int, key: str) -> int:
    """Where a value lies."""
    a, b = g ** (t // 2), g ** (t - t // 2)
    left, right = divmod(v, a)
    for i in (0, 2, 4, 6):
        right = (right + public_index(a, "places", key, i, left)) % a
        left = (left + public_index(b, "places", key, i + 1, right)) % b
    return left * a + right


def linear_cell(number: int, v: int, d: int, g: int, key: str) -> int:
    """The cell of a value under a hash of the linear family."""
    t = digits_for(d, g)
    power = 1
    while number >= power:
        number -= power
        power *= g
    vector, x = power + number, point(v, g, t, key)
    return sum(vector // g**i % g * (x // g**i % g) for i in range(t)) % g


def mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x85EBCA6B % 2**32
    x ^= x >> 13
    x = x * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


def seeded_cell(seed: int, v: int, g: int) -> int:
    """The cell of a value under a seed."""
    return mix(mix(v ^ seed % 2**32) ^ seed >> 32) * g >> 32


def is_prime(n: int) -> bool:
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1
    return n >= 2
