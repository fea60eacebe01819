"""Worst ratios in integers, written from ``docs/reference/certificates.md`` alone.

A second implementation of what a reader must check, as a client in another language would have it.
It imports nothing of the library.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from support.certificates_by_hand_numbers import (
    NOTHING,
    Ratio,
    Refused,
    degree_noise,
    gaussian,
    keeps,
    key_value,
    laplace,
    need,
    stochastic_rounding,
    values_of,
    wave,
    weights_of,
    whole_of,
)

__all__ = ["Refused", "certificate", "check"]


def check(document: dict[str, Any]) -> Ratio:
    """All that a reader checks of the weights: the certificate, or Refused."""
    ratio, delta = certificate(document)
    need(keeps(ratio, document["epsilon"]), "the ratio exceeds e^epsilon")
    return ratio, delta


def certificate(document: dict[str, Any]) -> Ratio:
    """The worst ratio and delta of weights that fill the table, else Refused."""
    made = _FORMULAS[document["mechanism"]](document)
    return made if isinstance(made, tuple) else (made, NOTHING)


# -- values in categories --------------------------------------------------------------------


def _response(document: dict[str, Any], g: int) -> Fraction:
    (keep, other), T = weights_of(document, "keep", "other"), whole_of(document)
    if g == 1:
        need((keep, other) == (T, 0), "one value")
        return Fraction(1)
    need(keep >= 1 and other >= 1 and keep + g * other == T, "keep + g other is not T")
    return Fraction(keep + other, other)


def _randomized_response(document: dict[str, Any]) -> Fraction:
    return _response(document, values_of(document["domain"]))


def _hashing(document: dict[str, Any]) -> Fraction:
    ratio = _response(document, document["options"]["hash_range"])
    return ratio if values_of(document["domain"]) > 1 else Fraction(1)


def _unary_encoding(document: dict[str, Any]) -> Fraction:
    (own, other), T = weights_of(document, "own", "other"), whole_of(document)
    need(0 < other < own < T, "0 < other < own < T")
    if values_of(document["domain"]) == 1:
        return Fraction(1)
    return Fraction(own * (T - other), other * (T - own))


def _subset_selection(document: dict[str, Any]) -> Fraction:
    (own, start), T = weights_of(document, "own", "start"), whole_of(document)
    d, k = values_of(document["domain"]), document["options"]["subset_size"]
    if d == 1:
        need((own, start) == (T, 0), "one value")
        return Fraction(1)
    need(k * T < d * own and own < T and start < 16, "k T < d own, own < T, start < 16")
    return Fraction(own * (d - k), (T - own) * k)


def _choice_response(document: dict[str, Any]) -> Fraction:
    (keep, other), T = weights_of(document, "keep", "other"), whole_of(document)
    m = document["domain"]["most"]
    items = values_of(document["domain"]["options"]) + m
    need(keep >= 1 and other >= 1 and keep + items * other == T, "keep + (d + m) other is not T")
    return Fraction(m * other + keep, m * other)


def _choice_subsets(document: dict[str, Any]) -> Fraction:
    d, m = values_of(document["domain"]["options"]), document["domain"]["most"]
    size, T = document["options"]["report_size"], whole_of(document)
    weights = [int(weight) for weight in document["weights"]]
    ways = [math.comb(m, j) * math.comb(d, size - j) for j in range(min(m, size) + 1)]
    need(len(weights) == len(ways) and min(weights) >= 1 and sum(weights) == T, "not T in all")
    own = sum(j * weight for j, weight in enumerate(weights))
    need(own * d > (size * T - own) * m, "own items are not likelier")
    chances = [Fraction(weight, way) for weight, way in zip(weights, ways, strict=True)]
    return max(chances) / min(chances)


def _sensitive_response(document: dict[str, Any]) -> Fraction:
    (keep, other), T = weights_of(document, "keep", "other"), whole_of(document)
    s = len(document["domain"]["sensitive"])
    need(keep >= 1 and other >= 1 and keep + s * other == T, "keep + s other is not T")
    return Fraction(keep + other, other)


def _sensitive_hashing(document: dict[str, Any]) -> Fraction:
    need(len(document["domain"]["sensitive"]) >= 2, "s is at least 2")
    return _response(document, document["options"]["hash_range"])


def _sensitive_subsets(document: dict[str, Any]) -> Fraction:
    (own, opened, start), T = weights_of(document, "own", "open", "start"), whole_of(document)
    s, k = len(document["domain"]["sensitive"]), document["options"]["subset_size"]
    need(s >= 2 and k * T < s * own and own < T and 0 < opened < T and start < 16, "0 < open < T")
    least = min((T - own) * s * k, (T - opened) * k * (s - k), own * s * (s - k))
    return Fraction(max(own * s * (s - k), (T - opened) * k * (s - k)), least)


def _hadamard_response(document: dict[str, Any]) -> Fraction:
    (keep,), T = weights_of(document, "keep"), whole_of(document)
    need(0 < keep < T, "0 < keep < T")
    d, B = values_of(document["domain"]), document["options"]["block_count"]
    if d == 1:
        return Fraction(1)
    rows = 1
    while rows <= -(-d // B):
        rows *= 2
    s, K = rows // 2, B * rows
    return Fraction((T - keep) * s + keep * K, (T - keep) * s)


def _table(document: dict[str, Any]) -> Fraction:
    rows = [[int(weight) for weight in row] for row in document["weights"]]
    need(
        len(rows) == values_of(document["domain"]) and min(map(len, rows)) > 0,
        "a row for each value",
    )
    need(len({len(row) for row in rows}) == 1 and len({sum(row) for row in rows}) == 1, "one sum")
    need(min(map(min, rows)) >= 0 and 1 <= sum(rows[0]) <= 2**63, "a sum from 1 to 2^63")
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    need(all(map(all, columns)), "a zero beside another number")
    return max(Fraction(max(column), min(column)) for column in columns)


# -- numbers in order ----------------------------------------------------------------------


def _haar(document: dict[str, Any]) -> Fraction:
    ratio = _response(document, 2)
    return ratio if values_of(document["domain"]) > 1 else Fraction(1)


def _part(epsilon: str, levels: int) -> str:
    part = float(epsilon) / levels
    while Fraction(repr(part)) * levels > Fraction(epsilon):
        part = math.nextafter(part, 0.0)
    return format(Decimal(repr(part)), "f")


def _hierarchy(document: dict[str, Any]) -> Fraction:
    options, sizes = document["options"], [values_of(document["domain"])]
    while sizes[-1] > options["branching"]:
        sizes.append(-(-sizes[-1] // options["branching"]))
    need(len(document["weights"]) == len(sizes), "weights of every level")
    ratios = []
    for level, (size, weights) in enumerate(zip(sizes, document["weights"], strict=True)):
        part = {
            "domain": {"kind": "categories", "size": size}, "weights": weights,
            "options": {"bits": options["bits"]}, "epsilon": document["epsilon"],
        }  # fmt: skip
        if options["split"] == "budget":
            ratios.append(_unary_encoding(part))
            need(keeps(ratios[-1], _part(document["epsilon"], len(sizes))), "a level's own part")
        elif options["hash_ranges"][level]:
            part["options"]["hash_range"] = options["hash_ranges"][level]
            ratios.append(_hashing(part))
        else:
            ratios.append(_randomized_response(part))
    return math.prod(ratios) if options["split"] == "budget" else max(ratios)


def _question_sets(document: dict[str, Any]) -> Fraction:
    """Over any two records: the worst of all sets of questions."""
    sizes = [values_of(row["domain"]) for row in document["domain"]["questions"]]
    options, every = document["options"], range(len(sizes))
    singles, pairs = ([*combinations(every, order)] for order in (1, 2))
    sets = {
        "sample": singles, "pairs": pairs, "mixed": singles + pairs, "parities": singles + pairs,
        "joint": [(*every,)], "split": [(*every,)],
    }  # fmt: skip
    design, asked = options["design"], sets[options["design"]]
    need(len(asked) == len(options["rates"]), "a rate for each set")
    need(min(options["rates"]) >= 1 and sum(options["rates"]) <= 2**32, "rates")
    need(all(math.prod(sizes[q] for q in each) <= 2_500_000 for each in asked), "cells of a set")
    if design == "split":
        need(max(sizes) <= 512, "answers to a question")
        asked = singles
    need(len(asked) == len(options["hash_ranges"]), "one for each response")
    need(design != "parities" or {*options["hash_ranges"]} == {2}, "hash ranges of parities")
    need(len(asked) == len(document["weights"]), "weights of every response")
    ratios = []
    for questions, g, weights in zip(
        asked, options["hash_ranges"], document["weights"], strict=True
    ):
        size = math.prod(sizes[question] for question in questions)
        if design == "parities" and len(questions) == 2:
            size, g = 2, 0
        part = {
            "domain": {"kind": "categories", "size": size}, "weights": weights,
            "options": {"bits": options["bits"], "hash_range": g}, "epsilon": document["epsilon"],
        }  # fmt: skip
        ratios.append(_hashing(part) if g else _randomized_response(part))
    return math.prod(ratios) if design == "split" else max(ratios)


def _binned(document: dict[str, Any]) -> Ratio:
    inside = {**document, **document["options"]["oracle"]}
    inside["domain"] = {"kind": "interval", "bins": document["options"]["report_bins"]}
    return certificate(inside)


def _sampled_coordinate(document: dict[str, Any]) -> Ratio:
    inside = {**document, **document["options"]["inner"]}
    inside["domain"] = document["domain"]["interval"]
    return certificate(inside)


def _memoized(document: dict[str, Any]) -> Ratio:
    """One report; the permanent round by itself keeps the lifetime."""
    options = document["options"]
    inside = {**document, **options["inner"], "weights": document["weights"]["permanent"]}
    permanent, _ = certificate(inside)
    need(keeps(permanent, options["lifetime"]), "the permanent round exceeds e^lifetime")
    fresh, T = document["weights"]["fresh"], whole_of(inside)
    if options["inner"]["mechanism"] == "unary-encoding":
        (own, other), (stay, rise) = weights_of(inside, "own", "other"), (int(fresh["stay"]), int(fresh["rise"]))  # fmt: skip
        need(0 < rise < stay < T, "0 < rise < stay < T")
        P, Q = (bit * stay + (T - bit) * rise for bit in (own, other))
        need(-(-Q // T) < P // T, "both rounds together tell nothing")
        if values_of(document["domain"]) == 1:
            return Fraction(1), NOTHING
        return Fraction(P * (T**2 - Q), Q * (T**2 - P)), NOTHING
    keep, more = int(fresh["keep"]), int(fresh["other"])
    if options["inner"]["mechanism"] == "square-wave":
        width, low, unit = weights_of(inside, "width", "low", "unit")
        grid = document["domain"]["bins"] * inside["options"]["steps"]
        N = grid if inside["options"]["wrap"] else grid + width - 1
        h, low_weight, S = low + unit, low, low * N + unit * width
        need(keep * unit // S >= 1, "both rounds together tell nothing")
        need(-(-(keep * low + more * S) // S) * N + keep * unit // S * width <= 2**63, "2^63")
        single = grid == 1
    else:
        first, second = weights_of(inside, "keep", "other")
        hashed = options["inner"]["mechanism"] == "local-hashing"
        N = inside["options"]["hash_range"] if hashed else values_of(document["domain"])
        h, low_weight, S = first + second, second, T
        single = values_of(document["domain"]) == 1
        need(N == 1 or T - N * -(-(keep * second + more * S) // S) >= 1, "both rounds tell nothing")
    need(keep >= 1 and keep + N * more == T and (more == 0) == (N == 1), "keep + N other is not T")
    if single:
        return Fraction(1), NOTHING
    return Fraction(keep * h + more * S, keep * low_weight + more * S), NOTHING


_FORMULAS = {
    "binned": _binned,
    "choice-response": _choice_response,
    "choice-subsets": _choice_subsets,
    "degree-noise": degree_noise,
    "drawn-option": lambda document: _response(document, 2),
    "fixed-hashing": _hashing,
    "gaussian": gaussian,
    "haar": _haar,
    "hadamard-response": _hadamard_response,
    "hierarchy": _hierarchy,
    "key-value": key_value,
    "laplace": laplace,
    "local-hashing": _hashing,
    "memoized": _memoized,
    "piecewise": wave,
    "question-sets": _question_sets,
    "randomized-response": _randomized_response,
    "sampled-coordinate": _sampled_coordinate,
    "seeded-hashing": _hashing,
    "sensitive-hashing": _sensitive_hashing,
    "sensitive-response": _sensitive_response,
    "sensitive-subsets": _sensitive_subsets,
    "square-wave": wave,
    "stochastic-rounding": stochastic_rounding,
    "subset-selection": _subset_selection,
    "table": _table,
    "unary-encoding": _unary_encoding,
    "wave": wave,
}
