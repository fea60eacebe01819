"""Weights that the library did not make, by chance or by malice; see :mod:`hostile`."""

from __future__ import annotations

import copy
import random
from typing import Any

from support.hostile_mechanisms import Case
from support.laws_of_numbers import integers, size_of
from support.laws_of_records import responses_of

__all__ = ["weights_of"]

_WIDEST = 64
"""Windows of more outputs have laws that are too large to write down."""


def weights_of(case: Case, rng: random.Random) -> tuple[Any, str]:
    """Weights for a case, and the epsilon that they claim."""
    while True:
        weights, epsilon = _any_weights(case, rng)
        shape = weights.get("permanent", weights) if isinstance(weights, dict) else {}
        if shape.get("width", 0) <= _WIDEST:
            return weights, epsilon


def _any_weights(case: Case, rng: random.Random) -> tuple[Any, str]:
    epsilon = rng.choice([case.epsilon, *([] if rng.random() < 0.5 else [2 * case.epsilon])])
    document = case.document(None if case.name == "table" else epsilon)
    document["weights"] = integers(document["weights"])
    if case.name != "table" and rng.random() < 0.35:  # made by the library, then tampered with
        return _tampered(document["weights"], rng), document["epsilon"]
    drawn = _drawn(document, rng)
    if rng.random() < 0.15:
        drawn = _tampered(drawn, rng)
    largest = "19.5" if case.name == "memoized" else "20"  # its lifetime is 20
    return drawn, rng.choice([largest, largest, document["epsilon"]])


def _tampered(weights: Any, rng: random.Random) -> Any:
    """One change to weights of any form: of one or all entries."""
    if isinstance(weights, list):
        changed = copy.deepcopy(weights)
        index = rng.randrange(len(changed))
        if isinstance(changed[index], (dict, list)):
            changed[index] = _tampered(changed[index], rng)
        else:
            changed[index] = _other(changed[index], rng)
        return changed
    changed, names = dict(weights), list(weights)
    if any(isinstance(part, dict) for part in weights.values()):
        name = rng.choice(names)
        return {**changed, name: _tampered(changed[name], rng)}
    kind = rng.choice(["nudge", "nudge", "one", "swap"])
    if kind == "nudge":
        for name in names:
            changed[name] += rng.choice([-1, 0, 1])
    elif kind == "one":
        name = rng.choice(names)
        changed[name] = _other(changed[name], rng)
    else:
        values = list(weights.values())
        rng.shuffle(values)
        changed = dict(zip(names, values, strict=True))
    return changed


def _other(number: int, rng: random.Random) -> int:
    return rng.choice([
        0, 1, number + 1, number - 1, 2 * number, number // 2, number * 1000, 2**62, 2**63, 2**63 - 1,
        2**128, -number, int(number * rng.random() * 2),
    ])  # fmt: skip


def _spread(rng: random.Random, low: int, high: int) -> int:
    """From ``low`` to ``high``: uniform, near either end, or by orders of magnitude from either."""
    if low >= high:
        return low
    way, span = rng.randrange(4), high - low
    if way == 0:
        return rng.randint(low, high)
    if way == 1:
        return rng.choice([low, low + 1, high - 1, high])
    part = min(span, int(2 ** (rng.random() * span.bit_length())) - 1)
    return low + part if way == 2 else high - part


def _drawn(document: dict[str, Any], rng: random.Random) -> Any:
    """Weights of the right form, mostly such that they fill the table."""
    name, options, domain = document["mechanism"], document["options"], document["domain"]
    if name in ("binned", "sampled-coordinate"):
        inside = options["oracle" if name == "binned" else "inner"]
        interval = domain["interval"] if name == "sampled-coordinate" else dict(domain)
        if name == "binned":
            interval["bins"] = options["report_bins"]
        return _drawn({**inside, "domain": interval, "weights": document["weights"]}, rng)
    if name == "memoized":
        return _of_memory(document, rng)
    if name == "hierarchy":
        return [_of_level(document, level, rng) for level in range(len(document["weights"]))]
    if name == "question-sets":
        return [_of_response(g, 2 ** options["bits"], rng) for g in responses_of(document)]
    if name == "key-value":
        return _of_pairs(document, rng)
    if name == "table":
        return _of_table(size_of(domain), rng)
    T = 2 ** options["bits"]
    if name in ("randomized-response", "haar"):
        return _of_response(2 if name == "haar" else size_of(domain), T, rng)
    if name == "choice-response":
        return _of_response(size_of(domain["options"]) + domain["most"], T, rng)
    if name == "drawn-option":
        return _of_response(2, T, rng)
    if name == "choice-subsets":
        moved = list(document["weights"])
        taken = rng.randint(0, moved[0] - 1)
        at = rng.randrange(len(moved))
        moved[0] -= taken
        moved[at] += taken
        return moved
    if name == "sensitive-response":
        return _of_response(len(domain["sensitive"]), T, rng)
    if name == "sensitive-subsets":
        least = -(-options["subset_size"] * T // len(domain["sensitive"]))
        own, opened = _spread(rng, least, T), _spread(rng, 0, T)
        return {"own": own, "open": opened, "start": rng.randint(0, 16)}
    if name.endswith("hashing"):
        return _of_response(options["hash_range"], T, rng)
    if name == "unary-encoding":
        return _of_unary(T, rng)
    if name == "subset-selection":
        least = -(-options["subset_size"] * T // size_of(domain))
        return {"own": _spread(rng, least, T), "start": rng.randint(0, 16)}
    if name == "hadamard-response":
        return {"keep": _spread(rng, 0, T)}
    if name in ("laplace", "degree-noise", "gaussian"):
        return _of_noise(document, rng)
    positions = size_of(domain) * options["steps"]
    return _of_shape(name, positions, rng)


def _of_response(g: int, T: int, rng: random.Random) -> dict[str, int]:
    other = _spread(rng, 0 if rng.random() < 0.1 else 1, T // g)
    return {"keep": T - g * other + rng.choice([0] * 12 + [1, -1]), "other": other}


def _of_unary(T: int, rng: random.Random) -> dict[str, int]:
    other, own = sorted([_spread(rng, 1, T - 1), _spread(rng, 1, T - 1)])
    return {"own": own, "other": other}


def _of_memory(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    inside, size = document["options"]["inner"], size_of(document["domain"])
    first = _drawn({**document, **inside, "weights": document["weights"]["permanent"]}, rng)
    T = 2 ** inside["options"]["bits"]
    if inside["mechanism"] == "unary-encoding":
        fresh = _of_unary(T, rng)
        return {"permanent": first, "fresh": {"stay": fresh["own"], "rise": fresh["other"]}}
    outputs = inside["options"].get("hash_range", size)
    if inside["mechanism"] == "square-wave":
        grid = size * inside["options"]["steps"]
        outputs = grid if inside["options"]["wrap"] else grid + first["width"] - 1
    return {"permanent": first, "fresh": _of_response(outputs, T, rng)}


def _of_level(document: dict[str, Any], level: int, rng: random.Random) -> dict[str, int]:
    options, given = document["options"], document["weights"][level]
    T = 2 ** options["bits"]
    if options["split"] == "budget":  # near the level's own, or it is refused
        if rng.random() < 0.5:
            return {"own": given["own"], "other": _spread(rng, given["other"], given["own"])}
        middle, half = rng.randint(T // 8, 7 * T // 8), rng.randint(1, T // 16)
        return {"own": middle + half, "other": middle - half}
    size = size_of(document["domain"])
    for _ in range(level):
        size = -(-size // options["branching"])
    return _of_response(options["hash_ranges"][level] or size, T, rng)


def _of_shape(name: str, positions: int, rng: random.Random) -> dict[str, int]:
    many = 2 ** rng.choice([4, 20, 55])
    if name in ("stochastic-rounding", "rounding"):
        return {"base": _spread(rng, 1, many), "unit": _spread(rng, 1, many)}
    width = rng.choice([1, 2, 3, positions, positions + 1, rng.randint(1, 3 * positions)])
    return {"width": width, "low": _spread(rng, 1, many), "unit": _spread(rng, 1, many)}


def _of_pairs(document: dict[str, Any], rng: random.Random) -> dict[str, int]:
    options, domain = document["options"], document["domain"]
    positions = size_of(domain["interval"]) * options["steps"]
    numbers = _of_shape(options["numbers"], positions, rng)
    if options["keys"] == "response":
        return numbers
    return {**_of_unary(2 ** options["bits"], rng), **numbers}


def _of_table(d: int, rng: random.Random) -> list[list[int]]:
    cells, total = rng.randint(1, 5), rng.choice([12, 1000, 2**40, 2**62])
    one = [_spread(rng, 1, max(1, total // cells)) for _ in range(cells)]
    rows = [rng.sample(one, cells) for _ in range(d)]  # of one sum
    if cells > 1 and rng.random() < 0.5:  # moved by a part of the smaller of two weights
        for row in rows:
            i, j = rng.sample(range(cells), 2)
            moved = rng.randint(0, min(row[i], row[j]))
            row[i], row[j] = row[i] - moved, row[j] + moved
    if rng.random() < 0.2:  # a report that nobody sends
        rows = [[*row, 0] for row in rows]
    if rng.random() < 0.1:
        rows[0][0] += 1
    return rows


def _of_noise(document: dict[str, Any], rng: random.Random) -> dict[str, int]:
    name, one = document["mechanism"], 2**128
    center = _spread(rng, 1, 2 ** rng.choice([6, 30, 50, 62]))
    ratio = rng.choice([_spread(rng, 1, one), int(one * rng.random()), one])
    found = {"center": center, "ratio": ratio}
    if name == "degree-noise":
        found["least"] = _spread(rng, 1, rng.choice([3, center]))
    if name == "gaussian":
        center = found["center"] = rng.randint(2**20, 2**57)
        ratio = found["ratio"] = int(one * rng.random() ** rng.choice([0.05, 0.3, 1]))
        change = rng.choice([one, ratio, int(one * rng.random() ** rng.choice([0.02, 0.5]))])
        found["change"] = max(1, change)
        kind, domain = document["domain"]["kind"], document["domain"]
        bins = size_of(domain["interval"] if kind == "vector" else domain)
        return {**found, "tail": _tail(found, bins + document["options"]["reach"] - 1, rng)}
    return {**found, "tail": _spread(rng, 1, 2 ** rng.choice([6, 30, 60]))}


def _tail(weights: dict[str, int], size: int, rng: random.Random) -> int:
    """About as long as a Gaussian table allows: as a geometric one that goes on with its last ratio."""
    one, g, q, last = 2**128, weights["center"] << 64, weights["ratio"], weights["ratio"]
    for _ in range(size - 1):
        g, last, q = g * q >> 128, q, q * weights["change"] >> 128
    most = g * last // max(1, one - last) >> 64 if size > 1 else weights["center"]
    return max(
        1, rng.choice([min(most, 2**60), _spread(rng, 1, max(1, min(most, 2**60))), most + 1])
    )
