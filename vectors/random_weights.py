"""Weights that nobody derived: random, far apart, at odds with each other; what their ratio is."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import SottovoceError

__all__ = ["random_weights"]


def random_weights() -> Iterator[tuple[str, str]]:
    """Surveys that hold: with the largest epsilon, or the largest delta, most do."""
    for name, mechanism, draw, wanted in _asked():
        document, found, rng = sv.Survey("by chance", "?", mechanism).document(), 0, Random(name)  # noqa: S311
        while found < wanted:
            changed = copy.deepcopy(document)
            epsilon = "0.3" if mechanism.name == "gaussian" else "20"
            changed["mechanism"] |= {"epsilon": epsilon, "weights": draw(rng)}
            text = canonical_json(changed)
            try:
                sv.Survey.from_json(text)
            except SottovoceError:
                continue
            found += 1
            yield f"{name} by chance, {found}", text
    yield from _at_a_corner()
    yield from _at_the_guard()


def _at_a_corner() -> Iterator[tuple[str, str]]:
    """Three keys in sets of many: the worst are one key against the two others, and the other way.

    With numbers that hardly differ, which of the two it is depends on what an unset key says.
    """
    for pairs, own, other in ((8, 0.9965, 0.6569), (7, 0.5859, 0.0322)):
        domain = sv.KeyValues(3, 0, 1, bins=2, pairs=pairs)
        made = sv.mechanism("key-value", domain, 2.0, numbers="rounding", steps=2)
        for unit in (5000, 50_000, 680_000):
            document = sv.Survey("corner", "?", made).document()
            weights = {"own": str(int(own * 2**62)), "other": str(int(other * 2**62))}
            document["mechanism"] |= {
                "epsilon": "20", "weights": {**weights, "base": str(2**30), "unit": str(unit)},
            }  # fmt: skip
            yield f"one key against two, {pairs} pairs, unit {unit}", canonical_json(document)


_KEYS = (
    (1, 2), (2, None), (2, 1), (2, 5), (3, 2), (3, 7), (3, 8), (4, 2), (5, 3), (5, 5), (6, 4), (7, 4), (9, 2),
)  # fmt: skip
"""Numbers of keys and of pairs, at which different sets are the worst."""


def _asked() -> Iterator[tuple[str, sv.Mechanism, Any, int]]:
    for keys, pairs in _KEYS:
        domain = sv.KeyValues(keys, 0, 1, bins=2, pairs=pairs)
        for numbers, draw in (("rounding", _rounded), ("piecewise", _piecewise)):
            made = sv.mechanism("key-value", domain, 2.0, numbers=numbers, steps=2)
            if numbers == "piecewise":
                made = sv.mechanism(
                    "key-value", domain, 2.0, numbers=numbers, steps=2, output_bins=2
                )
            yield f"{keys} unary keys, {pairs} pairs, {numbers}", made, draw, 6
    domain = sv.KeyValues(3, 0, 1, bins=2, pairs=4)
    options = {"keys": "response", "steps": 2}
    made = sv.mechanism("key-value", domain, 2.0, numbers="rounding", **options)
    yield "response keys", made, _response, 4
    line = sv.Interval(0, 1, bins=5)
    yield "Laplace noise", sv.mechanism("laplace", line, 1.0), _laplace, 12
    yield "degrees", sv.mechanism("degree-noise", sv.Counts(4), 1.0), _degrees, 12
    yield (
        "a table",
        sv.mechanism("table", sv.Categories(3), 5.0, weights=[[1, 1, 1]] * 3),
        _table,
        6,
    )
    gaussian = sv.mechanism("gaussian", line, 1.0, delta=0.5, reach=3)
    yield "Gaussian noise", gaussian, _gaussian, 12


def _size(rng: Random, most: int) -> int:
    """A whole number of any length."""
    return rng.randint(1, 2 ** rng.randint(1, most))


def _keys(rng: Random) -> dict[str, str]:
    few = _size(rng, 55) + 1
    own = rng.choice([2**61, 2**62 - _size(rng, 61), rng.randint(2, 2**62 - 1), few])
    other = int(own / (1 + 10 ** rng.uniform(-4, 3)))
    return {"own": str(own), "other": str(max(1, min(other, own - 1)))}


def _number(rng: Random) -> tuple[int, int]:
    """A background and a unit, of like size or far apart."""
    low = _size(rng, 40)
    return low, rng.choice([_size(rng, 40), max(1, low >> rng.randint(1, 30))])


def _rounded(rng: Random) -> dict[str, str]:
    base, unit = _number(rng)
    return {**_keys(rng), "base": str(base), "unit": str(unit)}


def _piecewise(rng: Random) -> dict[str, str]:
    low, unit = _number(rng)
    return {**_keys(rng), "low": str(low), "unit": str(unit), "width": str(rng.randint(1, 5))}


def _response(rng: Random) -> dict[str, str]:
    return {"base": str(_size(rng, 40)), "unit": str(_size(rng, 40))}


def _ratio(rng: Random) -> str:
    return str(rng.choice([2**128, 2**127, 2**128 - _size(rng, 128), _size(rng, 128)]))


def _laplace(rng: Random) -> dict[str, str]:
    return {"center": str(_size(rng, 50)), "ratio": _ratio(rng), "tail": str(_size(rng, 58))}


def _degrees(rng: Random) -> dict[str, str]:
    return {**_laplace(rng), "least": str(_size(rng, 30))}


def _gaussian(rng: Random) -> dict[str, str]:
    return {**_laplace(rng), "change": _ratio(rng)}


def _table(rng: Random) -> list[list[str]]:
    rows = []
    for _ in range(3):
        first, second = rng.randint(1, 60), rng.randint(1, 39)
        rows.append([str(first), str(second), str(100 - first - second)])
    return rows


def _at_the_guard() -> Iterator[tuple[str, str]]:
    """Noise whose third height depends on how many digits behind the point are carried.

    With the ratio near ``sqrt(n / center)`` the height is n, or n - 1 where a floor took off too much.
    """
    rng, line = Random(64), sv.Interval(0, 1, bins=4)  # noqa: S311
    document = sv.Survey("guard", "?", sv.mechanism("laplace", line, 20.0)).document()
    wanted = {2**63, 2**65, 3**64}
    while wanted:
        center, n = rng.randint(1000, 9000), rng.randint(100, 900)
        ratio = math.isqrt(n * 2**256 // center) + rng.randint(1, 2 ** rng.randint(56, 66))
        right = _third(center, ratio, 2**64)
        told = {guard for guard in wanted if _third(center, ratio, guard) != right}
        if told:
            wanted -= told
            changed = copy.deepcopy(document)
            weights = {"center": str(center), "ratio": str(ratio), "tail": "1"}
            changed["mechanism"]["weights"] = weights
            yield f"a height at the guard, {3 - len(wanted)}", canonical_json(changed)


def _third(center: int, ratio: int, guard: int) -> int:
    second = center * guard * ratio >> 128
    return (second * ratio >> 128) // guard
