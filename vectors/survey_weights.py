"""Weights exactly at the ratio, and one beside it; and weights made to deceive."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import SottovoceError

__all__ = ["hostile_surveys", "weighed_surveys"]


def _weighed() -> dict[str, sv.Mechanism]:
    """Mechanisms whose derived weights are as near to the ratio as whole numbers allow."""
    line, few = sv.Interval(0, 1, bins=4), sv.KeyValues(["x", "y"], 0, 1, bins=2)
    many = sv.KeyValues(5, 0, 1, bins=2, pairs=3)
    full = sv.KeyValues(["x", "y"], 0, 1, bins=2, pairs=2)
    fine = {"steps": 4}
    made: dict[str, Any] = {
        "response": sv.mechanism("grr", sv.Categories(3), 1.0),
        "response of 16 bits": sv.mechanism("grr", sv.Categories(3), 0.000001, bits=62),
        "response at epsilon 20": sv.mechanism("grr", sv.Categories(3), 20.0),
        "response of 8 bits": sv.mechanism("grr", sv.Categories(3), 3.0, bits=8),
        "optimized unary": sv.mechanism("oue", sv.Categories(9), 1.0),
        "symmetric unary": sv.mechanism("sue", sv.Categories(9), 0.3),
        "subsets": sv.mechanism("ss", sv.Categories(9), 1.0),
        "Hadamard": sv.mechanism("hr", sv.Categories(9), 2.0, block_count=3),
        "local hashing": sv.mechanism("olh", sv.Categories(9), 1.0),
        "seeded hashing": sv.mechanism("olh-seeded", sv.Categories(9), 1.5),
        "fixed hashing": sv.mechanism("flh", sv.Categories(9), 0.7),
        "square wave": sv.mechanism("sw", line, 1.0, steps=2),
        "ring": sv.mechanism("sw", line, 1.0, steps=2, wrap=True),
        "wave": sv.mechanism("gw", line, 1.0, steps=5, ratio=0.5),
        "piecewise": sv.mechanism("pm", line, 1.0, steps=2),
        "rounding": sv.mechanism("sr", line, 1.0, steps=2),
        "Laplace": sv.mechanism("laplace", line, 1.0, bits=16),
        "Laplace on two bins": sv.mechanism("laplace", sv.Interval(0, 1, bins=2), 1.0, bits=16),
        "degrees": sv.mechanism("degree-noise", sv.Counts(3), 1.0, bits=16),
        "haar": sv.mechanism("haar", line, 1.0),
        "levels by population": sv.mechanism("hh", line, 1.0, branching=2),
        "levels by budget": sv.mechanism("hh", line, 1.0, split="budget", branching=2),
        "thirds": sv.mechanism("hh", sv.Interval(0, 1, bins=8), 2.45, split="budget", branching=2),
        "binned": sv.mechanism("oue", line, 1.0, report_bins=2),
        "sampled": sv.mechanism("vector", sv.Vector(line, 2), 1.0, inner="grr"),
        "one item": sv.mechanism("choice-response", sv.Choices(["a", "b", "c"], most=2), 1.0),
        "one option": sv.mechanism("drawn-option", sv.Choices(["a", "b", "c"], most=2), 1.0),
        "sets of items": sv.mechanism("choice-subsets", sv.Choices(["a", "b", "c", "d"], most=2), 1.0, report_size=2),
        "sensitive": sv.mechanism("urr", sv.Categories(5, sensitive=[1, 3, 4]), 1.0),
        "sensitive cells": sv.mechanism("ulh", sv.Categories(9, sensitive=range(7)), 1.0),
        "sensitive sets": sv.mechanism("uss", sv.Categories(9, sensitive=range(7)), 1.0),
        "sets of questions": sv.mechanism("record", sv.Record({"a": sv.Categories(3), "b": sv.Categories(9)}), 1.0, design="sample"),
        "parities": sv.mechanism("record", sv.Record({"a": sv.Categories(3), "b": sv.Categories(5)}), 1.0, design="parities"),
        "questions apart": sv.mechanism("record", sv.Record({"a": sv.Categories(3), "b": sv.Categories(5)}), 1.0, design="split"),
        "questions together": sv.mechanism("record", sv.Record({"a": sv.Categories(3), "b": sv.Categories(2)}), 1.0, design="joint", bits=16),
        "table": sv.mechanism("table", sv.Categories(2), 1.0986122886681098, weights=[[3, 1], [1, 3]]),
    }  # fmt: skip
    for keys in ("unary", "response"):
        for numbers in ("rounding", "piecewise"):
            for name, domain in (("one pair", few), ("sets", many), ("all keys", full)):
                made[f"{keys} {numbers} {name}"] = sv.mechanism(
                    "key-value", domain, 2.0, keys=keys, numbers=numbers, **fine
                )
    return made


@lru_cache
def weighed_surveys() -> tuple[tuple[str, str, bool], ...]:
    """Every weight, and every pair of weights, moved by one: why, the text, and whether it holds."""
    found = []
    for name, mechanism in _weighed().items():
        document = sv.Survey("weights", "Which?", mechanism).document()
        for why, text in _moved(name, document):
            found.append((why, text, _holds(text)))
    return tuple(found)


def _moved(name: str, document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    weights = document["mechanism"]["weights"]
    places = [*_leaves(weights, [])]
    for place in places[:6]:
        for by in (-1, 1):
            yield _shift(document, name, [(place, by)])
    if isinstance(weights, list) and all(isinstance(weight, str) for weight in weights):
        pairs = [(i, j) for i in range(len(weights)) for j in range(len(weights)) if i != j]
        for i, j in pairs:
            yield _shift(document, name, [([i], 1), ([j], -1)])
    if "keep" in weights and "other" in weights:
        size = (int(2 ** document["mechanism"]["options"].get("bits", 62)) - int(weights["keep"])) // int(weights["other"])  # fmt: skip
        for by in (-1, 1):
            yield _shift(document, name, [(["other"], by), (["keep"], -by * size)])
    epsilon = document["mechanism"]["epsilon"]
    lower = {"1": "0.9999999999999999", "1.0986122886681098": "1.0986122886681096"}.get(epsilon)
    if lower is not None:
        changed = copy.deepcopy(document)
        changed["mechanism"]["epsilon"] = lower
        yield f"{name}: epsilon {lower}", canonical_json(changed)


def _leaves(node: Any, path: list[Any]) -> Iterator[list[Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, str):
            yield [*path, key]
        else:
            yield from _leaves(value, [*path, key])


def _shift(
    document: dict[str, Any], name: str, moves: list[tuple[list[Any], int]]
) -> tuple[str, str]:
    changed, said = copy.deepcopy(document), []
    for path, by in moves:
        node = changed["mechanism"]["weights"]
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = str(int(node[path[-1]]) + by)
        said.append(f"{'.'.join(map(str, path))} {by:+d}")
    return f"{name}: {', '.join(said)}", canonical_json(changed)


def _holds(text: str) -> bool:
    try:
        sv.Survey.from_json(text)
    except SottovoceError:
        return False
    return True


def hostile_surveys() -> Iterator[tuple[str, str]]:
    """Weights that hide an unbounded ratio where a careless certificate does not look."""
    domain = sv.KeyValues(["x", "y"], 0, 1, bins=2, pairs=2)
    made = sv.mechanism("pckv-ue", domain, 1.7, steps=4)
    document = sv.Survey("weights", "Which?", made).document()
    changed = json.loads(json.dumps(document))
    changed["mechanism"]["weights"] = {
        "own": str(2**62 - 1), "other": str(2**62 - 2**40), "base": str(2**40), "unit": "1",
    }  # fmt: skip
    yield "unary keys: a key of both sets that is unset", canonical_json(changed)
    swapped = json.loads(json.dumps(document))
    weights = swapped["mechanism"]["weights"]
    weights["own"], weights["other"] = weights["other"], weights["own"]
    yield "unary keys: own and other swapped", canonical_json(swapped)
    line = sv.Interval(0, 1, bins=4)
    levels = sv.Survey(
        "w", "?", sv.mechanism("hh", line, 2.0, split="budget", branching=2)
    ).document()
    weak = sv.mechanism("hh", line, 1.0, split="budget", branching=2).document()["weights"]
    strong = sv.mechanism("hh", line, 2.5, split="budget", branching=2).document()["weights"]
    levels["mechanism"]["weights"] = [weak[0], strong[1]]
    yield "a level above its part, the product below epsilon", canonical_json(levels)
    three = sv.mechanism("hh", sv.Interval(0, 1, bins=8), 2.45, split="budget", branching=2)
    thirds = sv.Survey("w", "?", three).document()
    for lowered in (0, 1):  # a third of 2.45 is lowered twice until three are at most 2.45
        part = 2.45 / 3 if lowered == 0 else math.nextafter(2.45 / 3, 0.0)
        above = sv.mechanism("oue", sv.Categories(8), part).document()["weights"]
        changed = copy.deepcopy(thirds)
        changed["mechanism"]["weights"][0] = above
        yield f"a level at a third of epsilon, lowered {lowered} times", canonical_json(changed)
