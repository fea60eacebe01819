"""Documents of surveys with some values changed."""

from __future__ import annotations

import copy
from typing import Any

import sottovoce as sv
from sottovoce.mechanisms.randomized_response import response_weights

__all__ = ["MOST", "Pair", "filled", "flat", "survey_of", "with_changes"]

Pair = tuple[str, dict[str, Any], dict[str, Any]]
MOST = 2_500_000


def survey_of(mechanism: sv.Mechanism, **rules: Any) -> dict[str, Any]:
    return copy.deepcopy(sv.Survey("limit", "?", mechanism, **rules).document())


def with_changes(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy with other values at some paths below ``mechanism``."""
    changed = copy.deepcopy(document)
    for path, value in changes.items():
        *parents, last = path.split(".")
        node = changed["mechanism"]
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        node[int(last) if isinstance(node, list) else last] = value
    return changed


def filled(size: int, epsilon: float, bits: int = 62, path: str = "weights") -> dict[str, Any]:
    """Weights of randomized response over so many values."""
    keep, other = response_weights(epsilon, size, bits, "a limit")
    return {f"{path}.keep": str(keep), f"{path}.other": str(other)}


def flat(center: int, tail: int, *more: str) -> dict[str, Any]:
    """Noise of one height; ``more`` are further ratios of one."""
    one = str(2**128)
    flat = {"weights.center": str(center), "weights.ratio": one, "weights.tail": str(tail)}
    return flat | {f"weights.{name}": one for name in more}
