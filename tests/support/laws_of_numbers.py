"""The laws of numbers and of pairs, from a mechanism's document; see :mod:`laws`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import numpy as np

__all__ = [
    "gaussian",
    "integers",
    "key_value",
    "noise_on_bins",
    "size_of",
    "stochastic_rounding",
    "wave",
]

Rows = list[list[int]]


def integers(weights: Any) -> Any:
    """The weights of a document as integers, in the same lists and mappings."""
    if isinstance(weights, dict):
        return {name: integers(weight) for name, weight in weights.items()}
    return [integers(part) for part in weights] if isinstance(weights, list) else int(weights)


def size_of(domain: dict[str, Any]) -> int:
    """How many values a domain has."""
    if domain["kind"] == "record":
        return math.prod(size_of(row["domain"]) for row in domain["questions"])
    if domain["kind"] == "categories":
        return domain["size"]
    if domain["kind"] == "ratings":
        return domain["high"] - domain["low"] + 1
    return domain["bins"] if domain["kind"] == "interval" else domain["most"] + 1


# -- numbers -----------------------------------------------------------------------------


def wave(document: dict[str, Any], _: Any) -> Rows:
    options, weights = document["options"], document["weights"]
    G, (width, low, unit) = (
        size_of(document["domain"]) * options["steps"],
        (weights[name] for name in ("width", "low", "unit")),
    )
    half, cap, ring = width // 2, 1, options.get("wrap", False)
    if document["mechanism"] == "wave":
        cap = half + 1 - math.floor(Fraction(options["ratio"]) * half)
    rows = []
    for x in range(G):
        row = [low] * (G if ring else G + width - 1)
        for z in range(width):
            row[(x + z - half) % G if ring else x + z] += min(z + 1, width - z, cap) * unit
        rows.append(row)
    return rows


def stochastic_rounding(document: dict[str, Any], _: Any) -> Rows:
    G = size_of(document["domain"]) * document["options"]["steps"]
    base, unit = document["weights"]["base"], document["weights"]["unit"]
    return [[base + (G - 1 - x) * unit, base + x * unit] for x in range(G)]


def _noise(bins: int, reach: int, weights: dict[str, int]) -> Rows:
    g, q, heights = weights["center"] << 64, weights["ratio"], []
    for _ in range(bins + reach - 1):
        heights.append((g >> 64) + weights.get("least", 1))
        g, q = g * q >> 128, q * weights.get("change", 2**128) >> 128
    noise = [weights["tail"], *heights[:0:-1], *heights, weights["tail"]]
    if bins + reach == 1:
        return [[2 * weights["tail"]]]
    cells, rows = bins + 2 * reach, []
    for x in range(bins):
        row = [0] * cells
        for i, weight in enumerate(noise):
            row[min(max(x + i - (bins - 1), 0), cells - 1)] += weight
        rows.append(row)
    return rows


def noise_on_bins(document: dict[str, Any], _: Any) -> Rows:
    reach = document["options"].get("reach", 0)
    return _noise(size_of(document["domain"]), reach, document["weights"])


def gaussian(document: dict[str, Any], mechanism: Any) -> Rows:
    domain = document["domain"]
    if domain["kind"] != "vector":
        return noise_on_bins(document, mechanism)
    each = _noise(size_of(domain["interval"]), document["options"]["reach"], document["weights"])
    held = product(each, repeat=domain["coordinates"])
    return [[math.prod(report) for report in product(*rows)] for rows in held]


# -- pairs -------------------------------------------------------------------------------


def _numbers(document: dict[str, Any]) -> tuple[int, int, list[list[int]]]:
    """The least weight of an output, the sum of what is added, and the weights at every position."""
    options, weights = document["options"], document["weights"]
    G = size_of(document["domain"]["interval"]) * options["steps"]
    if options["numbers"] == "rounding":
        base, unit = weights["base"], weights["unit"]
        return (
            base,
            (G - 1) * unit,
            [[base + (G - 1 - x) * unit, base + x * unit] for x in range(G)],
        )
    width, low, unit = (weights[name] for name in ("width", "low", "unit"))
    outputs = range(G + width - 1)
    return (
        low,
        width * unit,
        [[low + unit * (x <= y < x + width) for y in outputs] for x in range(G)],
    )


def _slot(document: dict[str, Any], pair: tuple[int, int] | None) -> list[int]:
    """The weights of all reports of one slot: (key, position), or no pair."""
    domain, options, weights = document["domain"], document["options"], document["weights"]
    low, added, positions = _numbers(document)
    keys, dummies, outputs = size_of(domain["keys"]), domain["pairs"] or 0, len(positions[0])

    def cells(of_outputs: list[int]) -> list[int]:
        found = [0] * options["output_bins"]
        for y, weight in enumerate(of_outputs):
            found[y * options["output_bins"] // outputs] += weight
        return found

    true = positions[0 if pair is None else pair[1]]
    if options["keys"] == "response":
        found = [cells([low] * outputs) for _ in range(keys)]
        if pair is not None:
            found[pair[0]] = cells(true)
        no_pair = dummies * outputs * low + added * (pair is None)
        return [*chain(*found), *([no_pair] if domain["pairs"] else [])]
    T, total = 2 ** options["bits"], low * outputs + added
    own, other = weights["own"], weights["other"]
    mine = [(T - own) * total * outputs, *(own * outputs * w for w in cells(true))]
    made_up = [(T - other) * total * outputs, *(other * total * w for w in cells([1] * outputs))]
    blocks = [mine if pair is not None and pair[0] == key else made_up for key in range(keys)]
    return [math.prod(report) for report in product(*blocks)]


def key_value(document: dict[str, Any], _: Any) -> Rows:
    """All sets with any positions, of at most ``pairs`` keys, or any number where they are sampled."""
    domain = document["domain"]
    keys, slots = size_of(domain["keys"]), domain["pairs"] or 1
    places = range(size_of(domain["interval"]) * document["options"]["steps"])
    most = keys if domain["larger"] == "sample" else min(slots, keys)
    laws = {
        pair: np.array(_slot(document, pair), dtype=object) for pair in product(range(keys), places)
    }
    nobody = np.array(_slot(document, None), dtype=object)
    shared = math.lcm(*range(slots, max(slots, most) + 1))
    rows = []
    for size in range(1, most + 1):
        for held in combinations(range(keys), size):
            for at in product(places, repeat=size):
                filled = sum(laws[pair] for pair in zip(held, at, strict=True))
                drawn = max(slots, size)
                rows.append((filled + (drawn - size) * nobody) * (shared // drawn))
    return [list(row) for row in rows]
