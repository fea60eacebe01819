"""Words at the edges of what a mechanism does with them: thresholds, running sums, ties."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from sottovoce.core.mechanism import Mechanism
from vectors.words import word_for, words_around

__all__ = ["edges"]

Chosen = dict[int, int]
"""Words at places of a stream; -1 is the last word that was drawn."""


def edges(mechanism: Mechanism, position: Any) -> list[Chosen]:
    """Words to choose for a device at a position."""
    return [
        chosen if isinstance(chosen, dict) else {0: chosen}
        for chosen in _EDGES.get(mechanism.name, lambda m, x: [])(mechanism, position)
    ]


def _response(weights: tuple[int, int], bits: int, size: int, place: int = 0) -> list[Chosen]:
    """Randomized response: kept or not, and the first and last of the others."""
    (keep, other), shift = weights, 64 - bits
    bounds = [keep, keep + other, keep + (size - 1) * other] if other else []
    words = [w for bound in bounds for w in (bound << shift, (bound << shift) - 1)]
    return [{place: word} for word in [*words, 2**64 - 1]]


def _rejected(bound: int, place: int = 0) -> list[Chosen]:
    """The first word that is drawn again, and the last that is not."""
    if bound & (bound - 1) == 0:
        return [{place: 2**64 - 1}]
    limit = 2**64 - 2**64 % bound
    return [{place: limit}, {place: limit - 1}]


def _randomized_response(m: Any, position: int) -> list[Chosen]:
    return _response(m.weights, m.bits, m.domain.size)


def _numbered(m: Any, position: int) -> list[Chosen]:
    return [*_rejected(m.family.hashes), *_response(m.weights, m.bits, m.g, 1)]


def _seeded(m: Any, position: int) -> list[Chosen]:
    seeds = [{0: seed} for seed in (2**32 - 1, 2**32, 2**32 + 1, 127, 128, 255, 256, 65535, 65536)]
    return [*seeds, *_response(m.weights, m.bits, m.g, 1)]


def _ties(own: int, other: int, bits: int, place: int = 0) -> list[Chosen]:
    """One's own bit; lanes at and beside the first byte; the second word of a tie at the rest."""
    own, other = own << (64 - bits), other << (64 - bits)
    first, rest = divmod(other, 2**56)
    lanes = int.from_bytes(bytes([first] * 7 + [max(0, first - 1)]), "little")
    found: list[Chosen] = [{place: own}, {place: own - 1}, {place + 1: lanes}]
    more = int.from_bytes(bytes([min(255, first + 1)] * 3 + [first] * 5), "little")
    after = place + 2
    for word in (rest << 8, (rest << 8) - 1, (rest << 8) + 255, rest + 1 << 8):
        if 0 <= word < 2**64:
            found.append({place: 0, place + 1: more, after: word, after + 1: word})
    return found


def _unary(m: Any, position: int) -> list[Chosen]:
    return _ties(*m.weights, m.bits)


def _subset(m: Any, position: int) -> list[Chosen]:
    own, start = m.weights[0] << (64 - m.bits), m.weights[1]
    found: list[Chosen] = [{0: word} for word in (own, own - 1) if 0 <= word < 2**64]
    if start or m.domain.size == 1:
        return found
    bits = max(1, (m.domain.size - 2).bit_length())
    tries = 64 // bits
    same = sum(1 << bits * i for i in range(tries))
    last = [3 << bits * (tries - 1), 2 << bits * tries]  # another one in the last try; behind it
    words = [0x5555555555555555, *((same ^ word) % 2**64 for word in last)]
    return found + [{1: word} for word in words]


def _hadamard(m: Any, position: int) -> list[Chosen]:
    own = m.weights[0] << (64 - m.bits)
    rejected = [{0: word, **chosen} for word in (0, own) for chosen in _rejected(m.cells, 1)]
    return [{0: own}, {0: own - 1}, *rejected]


def _table(m: Any, position: int) -> list[Chosen]:
    bounds = list(accumulate(m.weights[position]))
    some = bounds if len(bounds) < 9 else [bounds[i] for i in (0, 1, 126, 127, 128, 254, 255, 256)]
    return [{0: word} for word in words_around(some, m.total)] + _rejected(m.total)


def _shaped(m: Any, position: int) -> list[Chosen]:
    """The first, the last and some middle steps of the shape; the background's first and last."""
    width, low, unit = m.weights
    cap = m._cap(width)
    sums = [0, *accumulate(min(z + 1, width - z, cap) * unit for z in range(width))]
    steps = {1, 2, cap - 1, cap, cap + 1, width // 2, width // 2 + 1, width - cap, width - cap + 1}
    steps |= {width - cap + 2, width - cap // 2, width - 1, width}
    bounds = [sums[step] for step in sorted(steps) if 0 < step <= width]
    bounds += [sums[-1] + low, sums[-1] + 2 * low, m.total - low, m.total]
    return [{0: word} for word in words_around(bounds, m.total)] + _rejected(m.total)


def _rounding(m: Any, position: int) -> list[Chosen]:
    base, unit = m.weights
    bounds = [base, base + unit, base + position * unit, m.total]
    return [{0: word} for word in words_around(bounds, m.total)] + _rejected(m.total)


def _noise(m: Any, position: Any) -> list[Chosen]:
    bounds, size = m.noise.bounds, len(m.noise.heights)
    places = {0, 1, size // 2, size - 1, size, size + 1, 2 * size - 1, 2 * size - 2, 2 * size}
    some = [bounds[place] for place in sorted(places) if 0 <= place < len(bounds)]
    total = m.noise.total
    return [{0: word} for word in words_around(some, total)] + _rejected(total)


def _hierarchy(m: Any, position: int) -> list[Chosen]:
    if m.split == "budget":
        return _ties(*m.weights[0], m.bits)
    found = _rejected(m.tree.height)
    for level, oracle in enumerate(m.oracles):
        found += _stacked(oracle, m.bits, word_for(level, m.tree.height))
    return found


def _stacked(oracle: Any, bits: int, first: int, place: int = 1) -> list[Chosen]:
    """One of some stacked oracles, drawn by the first word: its hash at a place, and its response."""
    hashes = oracle.family.hashes if oracle.name == "local-hashing" else 1
    g = oracle.g if oracle.name == "local-hashing" else oracle.domain.size
    ends = _rejected(hashes, place) + _response(oracle.weights, bits, g, place + 1)
    return [{0: first, **end} for end in ends]


def _question_sets(m: Any, position: Any) -> list[Chosen]:
    """The first and the last draw of each set; hashes and responses of some sets."""
    total, ends = sum(m.rates), list(accumulate(m.rates))
    found = _rejected(total)
    if m.design == "split":
        for number, oracle in enumerate(m.oracles[0].oracles):
            found += _stacked(oracle, m.bits, 0, 1 + 2 * number)
        return found
    places = range(len(ends)) if len(ends) < 7 else (0, len(ends) // 2, len(ends) - 1)
    for place in places:
        found += [{0: word} for word in words_around([ends[place]], total)]
        drawn = word_for(ends[place] - 1, total)
        if m.design == "parities" and len(m.sets[place]) == 2:
            parities = m.oracles[place]
            drawings = [
                *_rejected(parities.hashes, 1),
                *_response(parities.weights[0], m.bits, 2, 2),
            ]
            drawings += [{1: word_for(h, parities.hashes)} for h in range(0, parities.hashes, 5)]
            found += [{0: drawn, **chosen} for chosen in drawings]
        else:
            found += _stacked(m.oracles[place].oracle, m.bits, drawn)
    return found


def _haar(m: Any, position: int) -> list[Chosen]:
    below = m.heights << (m.heights - 1)
    each = [{0: word_for(x, below)} for x in range(0, below, max(1, below // 7))]
    last = [{0: word_for(below - 1, below)}]
    return [*each, *last, *_rejected(below), *_response(m.weights, m.bits, 2, 1)]


def _binned(m: Any, position: int) -> list[Chosen]:
    wide = position // (m.positions // m.reporting.domain.size)
    return edges(m.reporting, wide)


def _sampled(m: Any, position: int) -> list[Chosen]:
    """Those of the mechanism inside, a word later; ``position`` is that of the first number."""
    k = m.domain.coordinates
    inside = [
        {0: 0, **{place + 1: word for place, word in chosen.items()}}
        for chosen in edges(m.coordinate, position)[: 24 if k < 9 else 2]
    ]
    each = [{0: word_for(j, k)} for j in (range(k) if k < 9 else (127, 128, 255, 256))]
    return [*each, *_rejected(k), *inside]


def _key_value(m: Any, position: int) -> list[Chosen]:
    """One's own number is drawn last; with sets the slot comes first."""
    numbers, x = m.reporter.numbers, position
    response = m.keys == "response"
    total = m.reporter.total if response else numbers.total
    bounds = [1, numbers.added, numbers.added + numbers.low, total]
    if m.numbers == "rounding":
        bounds += [x * numbers.weights[1]]
    else:
        bounds += [numbers.top, 2 * numbers.top, numbers.added - numbers.top]
    if response:
        block = numbers.outputs * numbers.low
        bounds += [
            numbers.added + block * k for k in (1, m.domain.keys.size - 1, m.domain.keys.size)
        ]
    words = [{-1: word} for word in words_around(bounds, total)]
    slots = m.domain.pairs
    first = [] if slots is None else [{0: word_for(slot, slots)} for slot in range(slots)]
    if response:
        return [*first, *words, *_rejected(total, 0 if slots is None else 1)]
    start = 0 if slots is None else 1
    ties = _ties(m.reporter.own, m.reporter.other, m.bits, start)
    if m.numbers == "piecewise":  # all keys are set, and the first made-up number is drawn again
        ties += [{start: 0, start + 1: 0, start + 2: 2**64 - 1, start + 4: 2**64 - 1}]
    return [*first, *ties, *words]


def _choice_response(m: Any, position: int) -> list[Chosen]:
    slots = [{0: word_for(slot, m.domain.most)} for slot in range(min(m.domain.most, 4))]
    return [*slots, *_rejected(m.domain.most), *_response(m.weights, m.bits, m.items, 1)]


def _drawn_option(m: Any, position: int) -> list[Chosen]:
    count = m.options_count
    options = [{0: word_for(option, count)} for option in range(0, count, max(1, count // 5))]
    return [*options, *_rejected(count), *_response(m.weights, m.bits, 2, 1)]


def _choice_subsets(m: Any, position: int) -> list[Chosen]:
    bounds = list(accumulate(m.weights))[:-1]
    words = [w for bound in bounds for w in (bound << 64 - m.bits, (bound << 64 - m.bits) - 1)]
    last = {m.domain.most: 2**64 - 1, m.words_per_report - 1: 2**64 - 1}
    return [*({0: word} for word in [*words, 2**64 - 1]), last, *_rejected(m.domain.most, 1)]


def _sensitive_response(m: Any, position: int) -> list[Chosen]:
    found = _response(m.weights, m.bits, len(m.sensitive))
    return [chosen for chosen in found if max(chosen.values()) < 2**64]


def _sensitive_hashing(m: Any, position: int) -> list[Chosen]:
    return [*_rejected(m.family.hashes), *_response(m.weights, m.bits, m.g, 1)]


def _sensitive_subsets(m: Any, position: int) -> list[Chosen]:
    own, opened, _ = (weight << 64 - m.bits for weight in m.weights)
    first = [{0: word} for word in (own, own - 1, opened, opened - 1)]
    count = len(m.sensitive)
    return [*first, *({1: word_for(u, count)} for u in (0, m.k - 1, m.k)), *_rejected(count, 1)]


def _memoized(m: Any, position: int) -> list[Chosen]:
    """Those of the answer that is kept, then the last words: of a report from it."""
    first = m.rounds.permanent
    found = edges(first, position)
    if first.name == "unary-encoding":
        bounds = (weight << (64 - first.bits) for weight in m.weights[1])
        for byte, rest in (
            divmod(bound, 2**56) for bound in bounds
        ):  # lanes of all values, then ties
            lanes = byte * (2**64 // 255)
            for word in (rest << 8, (rest << 8) - 1):
                found += [{0: 0, 1: 0, m.words_per_report - 1: lanes, -1: word % 2**64}]
        return found
    outputs = m.rounds.levels[3]
    return found + _response(m.weights[1], first.bits, outputs, -1)


_EDGES: dict[str, Any] = {
    "randomized-response": _randomized_response, "local-hashing": _numbered,
    "fixed-hashing": _numbered, "seeded-hashing": _seeded, "unary-encoding": _unary,
    "subset-selection": _subset, "hadamard-response": _hadamard, "table": _table,
    "square-wave": _shaped, "wave": _shaped, "piecewise": _shaped,
    "stochastic-rounding": _rounding, "laplace": _noise, "gaussian": _noise,
    "degree-noise": _noise, "hierarchy": _hierarchy, "haar": _haar, "binned": _binned,
    "sampled-coordinate": _sampled, "key-value": _key_value,
    "memoized": _memoized, "question-sets": _question_sets,
    "choice-response": _choice_response, "choice-subsets": _choice_subsets, "drawn-option": _drawn_option,
    "sensitive-response": _sensitive_response, "sensitive-hashing": _sensitive_hashing,
    "sensitive-subsets": _sensitive_subsets,
}  # fmt: skip
