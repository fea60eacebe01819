"""Limits of records and of edges: how many questions, steps and edges, and how many cells their sets have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.exact import decimal_text
from sottovoce.mechanisms.randomized_response import response_weights
from vectors.changed import MOST, Pair, filled, survey_of, with_changes

__all__ = ["kind_limits"]


def kind_limits() -> Iterator[Pair]:
    """Of edges, dates, and sets of questions."""
    even = {
        "kind": "interval",
        "low": "0",
        "open_end": False,
        "scale": "linear",
        "unit": "",
        "version": 2,
    }
    line = survey_of(sv.mechanism("grr", sv.Interval(0, 1, bins=2), 1.0))
    at, over = (
        {"domain": {**even, "bins": n - 1, "edges": list(map(str, range(n))), "high": str(n - 1)}, **filled(n - 1, 1.0)}
        for n in (4096, 4097)
    )  # fmt: skip
    yield "edges", with_changes(line, at), with_changes(line, over)
    narrow = {**even, "bins": 2, "edges": ["0", decimal_text(math.ulp(0.0)), "1"], "high": "1"}
    same = {**narrow, "edges": ["0", "0", "1"]}
    yield "the narrowest bin", with_changes(line, {"domain": narrow}), with_changes(line, {"domain": same})  # fmt: skip
    for step, last, n in (
        ("week", ("1978-06-25", "1978-06-26"), 4095),
        ("day", ("6845-10-07", "6845-10-08"), MOST),
    ):
        first = "1900-01-01" if step == "week" else "0001-01-01"
        at, over = (
            {"domain": {"first": first, "kind": "dates", "last": day, "step": step, "version": 1}, **filled(n + more, 20.0), "epsilon": "20"}
            for more, day in enumerate(last)
        )  # fmt: skip
        yield f"steps of a {step}", with_changes(line, at), with_changes(line, over)
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
    yield "answers apart", _apart([512, 2]), _apart([513, 2])
    yield "cells of answers apart", _apart([100, 100, 250]), _apart([100, 100, 251])
    two = _apart([2, 2])
    least = [{"keep": "2", "other": str(2**61 - 1)}] * 2
    at, over = (
        {"epsilon": text, "weights": least} for text in ("0.000002", "0.0000019999999999999")
    )
    yield "the least epsilon of a part", with_changes(two, at), with_changes(two, over)
    steep = _apart([2, 2])["mechanism"]["weights"]
    at, over = ({"epsilon": text, "weights": steep} for text in ("20", "10"))
    yield "the product of two ratios", with_changes(two, at), with_changes(two, over)
    even = _sets([1024, 1024], [1024, 1024, 2], "parities")
    more = _sets([1024, 1025], [1024, 1025, 2], "parities")
    yield "cells of parities", _halves(even), _halves(more)
    hashed = {"options.hash_ranges": [2, 2, 0]}
    three = _halves(_sets([2, 2], [2, 2, 2], "parities"))
    yield "parities of two", three, with_changes(three, hashed)
    half = MOST // 2
    yield "cells of all sets", _sets([half, half], [half, half]), _sets([half, half + 1], [half, half + 1])  # fmt: skip
    far = _sets([half] * 2, [half] * 2)
    yield "the sum of rates", with_changes(far, {"options.rates": [2**32 - 1, 1]}), with_changes(far, {"options.rates": [2**32, 1]})  # fmt: skip


def _apart(sizes: list[int]) -> dict[str, Any]:
    """A survey of questions that are answered apart, each with a part of epsilon."""
    document = _sets(sizes, sizes, "split")
    parts = [response_weights(20 // len(sizes), size, 62, "a limit") for size in sizes]
    weights = [{"keep": str(keep), "other": str(other)} for keep, other in parts]
    return with_changes(document, {"options.rates": [1], "weights": weights})


def _halves(document: dict[str, Any]) -> dict[str, Any]:
    """The same by responses on two values."""
    keep, other = response_weights(20.0, 2, 62, "a limit")
    count = len(document["mechanism"]["weights"])
    weights = [{"keep": str(keep), "other": str(other)}] * count
    return with_changes(document, {"options.hash_ranges": [2] * count, "weights": weights})


def _product(sizes: list[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def _sets(sizes: list[int], cells: list[int], design: str = "sample") -> dict[str, Any]:
    """A survey of so many questions, by randomized response on sets of so many cells."""
    two = sv.Record({"a": sv.Categories(2), "b": sv.Categories(2)})
    made = sv.mechanism("record", two, 20.0, design="sample")
    questions = [
        {"domain": {"kind": "categories", "size": size, "values": None, "version": 1}, "name": f"q{i}"}
        for i, size in enumerate(sizes)
    ]  # fmt: skip
    pairs = [response_weights(20.0, size, 62, "a limit") for size in cells]
    weights = [{"keep": str(keep), "other": str(other)} for keep, other in pairs]
    even = {"options.rates": [1] * len(cells), "options.hash_ranges": [0] * len(cells)}
    changes = {"domain.questions": questions, "options.design": design, "weights": weights}
    return with_changes(survey_of(made), {**changes, **even})
