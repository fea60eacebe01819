"""The exact law of one report about a record: sets of questions, parities, answers apart."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

from support.laws_of_numbers import Rows, size_of

__all__ = ["question_sets", "responses_of"]


def _sizes(document: dict[str, Any]) -> list[int]:
    return [size_of(row["domain"]) for row in document["domain"]["questions"]]


def _sets(document: dict[str, Any]) -> list[tuple[int, ...]]:
    """What each response is about; with "split" one question each."""
    every, design = range(len(_sizes(document))), document["options"]["design"]
    orders = {"pairs": (2,), "mixed": (1, 2), "parities": (1, 2), "joint": (len(every),)}
    return [each for order in orders.get(design, (1,)) for each in combinations(every, order)]


def responses_of(document: dict[str, Any]) -> list[int]:
    """The number of values of each response."""
    sizes, options = _sizes(document), document["options"]
    found = []
    for asked, g in zip(_sets(document), options["hash_ranges"], strict=True):
        found.append(g or math.prod(sizes[question] for question in asked))
    return found


def _hash(asked: tuple[int, ...], number: int, answers: tuple[int, ...], mechanism: Any) -> int:
    """The cell of a hash of the answers to a set: a parity of two, or that of its family."""
    sizes = mechanism.domain.sizes
    if mechanism.design == "parities" and len(asked) == 2:
        width = 2 ** (sizes[asked[1]] - 1).bit_length() - 1
        parity = zip((1 + number // width, 1 + number % width), asked, strict=True)
        return sum(bin(s & answers[question]).count("1") for s, question in parity) % 2
    node = 0
    for question in asked:
        node = node * sizes[question] + answers[question]
    oracle = _oracle(asked, mechanism)
    return oracle.family.cell(number, node) if oracle.name == "local-hashing" else node


def _oracle(asked: tuple[int, ...], mechanism: Any) -> Any:
    if mechanism.design == "split":
        return mechanism.oracles[0].oracles[asked[0]]
    return mechanism.oracles[mechanism.sets.index(asked)].oracle


def _hashes(asked: tuple[int, ...], mechanism: Any) -> int:
    if mechanism.design == "parities" and len(asked) == 2:
        first, second = (2 ** (mechanism.domain.sizes[q] - 1).bit_length() for q in asked)
        return (first - 1) * (second - 1)
    oracle = _oracle(asked, mechanism)
    return oracle.family.hashes if oracle.name == "local-hashing" else 1


def question_sets(document: dict[str, Any], mechanism: Any) -> Rows:
    """Sets at their rates, each with all its hashes; answers apart as the product of all."""
    sizes, options, sets = _sizes(document), document["options"], _sets(document)
    people, ranges = [*product(*map(range, sizes))], responses_of(document)
    counts = [_hashes(asked, mechanism) for asked in sets]
    responses: list[list[list[int]]] = []
    for asked, g, count, weights in zip(sets, ranges, counts, document["weights"], strict=True):
        rows = []
        for answers in people:
            own = [_hash(asked, number, answers, mechanism) for number in range(count)]
            assert all(0 <= cell < g for cell in own)
            keep, other = weights["keep"], weights["other"]
            rows.append([other + keep * (y == cell) for cell in own for y in range(g)])
        responses.append(rows)
    if options["design"] == "split":
        parts = zip(*responses, strict=True)
        return [[math.prod(report) for report in product(*each)] for each in parts]
    shared = math.lcm(*counts)
    scales = [rate * shared // c for rate, c in zip(options["rates"], counts, strict=True)]
    stacked = zip(*responses, strict=True)
    return [
        [weight * scale for row, scale in zip(rows, scales, strict=True) for weight in row]
        for rows in stacked
    ]
