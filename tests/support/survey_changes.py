"""Texts of surveys with something changed: a weight, a key, a rule, or the text itself."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import sottovoce as sv

__all__ = ["changed_text"]


def changed_text(rng: Random, survey: sv.Survey) -> str:
    """The survey's text with up to three things changed in the document, and now and then one in the text."""
    document = copy.deepcopy(survey.document())
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3])):
        parent, key = rng.choice(list(_places(document)))
        _change(rng, parent, key)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.3, sort_keys=rng.random() < 0.5)
    if rng.random() < 0.03:  # a key twice
        key = rng.choice(list(document))
        text = f"{{{json.dumps(key)}: {json.dumps(document[key])}, {text[1:]}"
    if rng.random() < 0.15:
        at = rng.randrange(len(text))
        text = (
            text[:at] + rng.choice(["", '"', "0", ",", "}", " ", "\\", "1", "-"]) + text[at + 1 :]
        )
    return text


def _places(node: Any) -> Any:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield node, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


def _change(rng: Random, parent: Any, key: Any) -> None:
    value, way = parent[key], rng.randrange(10)
    if way == 0 and isinstance(parent, dict):
        del parent[key]
    elif way == 1 and isinstance(parent, dict):
        parent[rng.choice(["more", f"{key}_", "version"])] = rng.choice([1, None, "1"])
    elif way == 2:
        parent[key] = rng.choice(
            [None, True, False, 0, 1, 2, -1, "", "1", "0", [], {}, 10**7, "once"]
        )
    elif isinstance(value, bool):
        parent[key] = not value
    elif isinstance(value, int):
        parent[key] = rng.choice(
            [value + 1, value - 1, 2 * value, -value, str(value), value * 10**6]
        )
    elif isinstance(value, str) and value.removeprefix("-").replace(".", "").isdigit():
        parent[key] = _other_number(rng, value)
    elif isinstance(value, str):
        parent[key] = rng.choice([value + "x", value.upper(), "", value[:-1], *_CHOICES])
    elif isinstance(value, list) and value:
        parent[key] = rng.choice([value[:-1], value + value[:1], value[::-1], [*value, 1]])


def _other_number(rng: Random, text: str) -> str:
    if "." in text:
        return rng.choice([text + "0", text + "1", text[:-1], "0" + text, "-" + text, text[1:]])
    number = int(text)
    near = [number + 1, number - 1, number + 2**20, number - 2**20, number // 2, 2 * number, 0, 1]
    return rng.choice(
        [str(rng.choice(near)), str(rng.choice(near)), text + ".0", "0" + text, " " + text]
    )


_CHOICES = [
    "refuse", "nearest", "other", "once", "week", "2026-01-31", "unary", "response", "rounding",
    "piecewise", "population", "budget", "optimized", "symmetric", "haar", "laplace", "categories",
    "interval", "counts", "ratings", "randomized-response", "sample", "pairs", "mixed", "joint", "parities", "split",
]  # fmt: skip
