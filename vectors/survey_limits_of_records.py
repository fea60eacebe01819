"""Limits of records: how many questions, and how many cells their sets have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.mechanisms.randomized_response import response_weights
from vectors.changed import MOST, Pair, survey_of, with_changes

__all__ = ["record_limits"]


def record_limits() -> Iterator[Pair]:
    """Of sets of questions."""
    few = [2] * 30
    yield "questions", _sets(few, few), _sets([*few, 2], [*few, 2])
    yield "two questions", _sets([2, 2], [2, 2]), _sets([2], [2])
    yield "two answers", _sets([2, 2], [2, 2]), _sets([2, 1], [2, 1])
    for design, fitting, beyond in (
        ("pairs", [2, MOST // 2], [2, MOST // 2 + 1]),
        ("joint", [5, 5, MOST // 25], [5, 5, MOST // 25 + 1]),
    ):
        at, over = (_sets(sizes, [_product(sizes)], design) for sizes in (fitting, beyond))
        yield f"cells of {design}", at, over
    half = MOST // 2
    yield "cells of all sets", _sets([half, half], [half, half]), _sets([half, half + 1], [half, half + 1])  # fmt: skip
    far = _sets([half] * 2, [half] * 2)
    yield "the sum of rates", with_changes(far, {"options.rates": [2**32 - 1, 1]}), with_changes(far, {"options.rates": [2**32, 1]})  # fmt: skip


def _product(sizes: list[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def _sets(sizes: list[int], cells: list[int], design: str = "sample") -> dict[str, Any]:
    """A survey of so many questions, by randomized response on sets of so many cells."""
    made = sv.mechanism("record", sv.Record({"a": sv.Categories(2), "b": sv.Categories(2)}), 20.0)
    questions = [
        {"domain": {"kind": "categories", "size": size, "values": None, "version": 1}, "name": f"q{i}"}
        for i, size in enumerate(sizes)
    ]  # fmt: skip
    pairs = [response_weights(20.0, size, 62, "a limit") for size in cells]
    weights = [{"keep": str(keep), "other": str(other)} for keep, other in pairs]
    even = {"options.rates": [1] * len(cells), "options.hash_ranges": [0] * len(cells)}
    changes = {"domain.questions": questions, "options.design": design, "weights": weights}
    return with_changes(survey_of(made), {**changes, **even})
