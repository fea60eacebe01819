"""The exact law of one report, computed from a mechanism's document by enumeration.

Written from ``docs/reference/formats.md``: which report each random draw gives.  Nothing here looks at
a certificate, and all numbers are integers.  Only public hashes are read off the mechanism itself,
through ``respond`` with prepared words, so that a test does not depend on how values are placed.

A law is a list of rows, one for everything that a person may hold (a value, a position on the
grid, a set of pairs, a vector).  A row has the weight of every report.  All rows have one sum.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from typing import Any

import numpy as np

from support.laws_of_numbers import (
    Rows,
    gaussian,
    integers,
    key_value,
    noise_on_bins,
    size_of,
    stochastic_rounding,
    wave,
)
from support.laws_of_records import question_sets

__all__ = [
    "hockey_stick",
    "law",
    "protected_ratio",
    "steps_between_neighbours",
    "taylor_exp",
    "worst_ratio",
]


def taylor_exp(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of e^x by the series at x / 2^k, squared k times: no code shared with the library."""
    halvings = max(0, int(x).bit_length()) + 1
    small, term, total = x / 2**halvings, Fraction(1), Fraction(0)
    for k in range(1, 80):
        total += term
        term = term * small / k
    low, high = total, total + 2 * term
    for _ in range(halvings):
        low, high = low * low, high * high
        scale = 10**90
        low, high = Fraction(int(low * scale), scale), Fraction(int(high * scale) + 1, scale)
    return low, high


# -- what a law says ---------------------------------------------------------------------


def worst_ratio(rows: Rows) -> Fraction | None:
    """The largest ratio of a report's weights between any two rows; None where it is infinite."""
    table = np.array(rows, dtype=object)
    sums = {sum(row) for row in rows}
    assert len(sums) == 1, f"rows of different sums: {sums}"
    worst = Fraction(1)
    for most, least in zip(table.max(axis=0), table.min(axis=0), strict=True):
        if most and not least:
            return None
        if most * worst.denominator > least * worst.numerator:
            worst = Fraction(most, least)
    return worst


def steps_between_neighbours(rows: Rows) -> Fraction | None:
    """The largest ratio between two rows next to each other."""
    worst: Fraction | None = Fraction(1)
    for pair in pairwise(rows):
        ratio = worst_ratio(list(pair))
        if ratio is None:
            return None
        worst = max(worst, ratio)
    return worst


def hockey_stick(rows: Rows, E: Fraction) -> Fraction:
    """The least delta for a ratio of E: the largest ``sum of max(0, P - E Q)`` over pairs of rows."""
    total, top, bottom, worst = sum(rows[0]), E.numerator, E.denominator, 0
    for one, other in product(rows, rows):
        over = sum(max(0, bottom * p - top * q) for p, q in zip(one, other, strict=True))
        worst = max(worst, over)
    return Fraction(worst, bottom * total)


# -- values ------------------------------------------------------------------------------


def law(document: dict[str, Any], mechanism: Any) -> Rows:
    """The weights of all reports of everything that a person may hold."""
    plain = {**document, "weights": integers(document["weights"])}
    return _LAWS[document["mechanism"]](plain, mechanism)


def _response(cells: list[int], g: int, weights: dict[str, int]) -> Rows:
    """Randomized response over g cells, for values in these cells."""
    keep, other = weights["keep"], weights["other"]
    return [[other + keep * (y == own) for y in range(g)] for own in cells]


def _randomized_response(document: dict[str, Any], _: Any) -> Rows:
    d = size_of(document["domain"])
    return _response([*range(d)], d, document["weights"])


def _unary(d: int, weights: dict[str, int], bits: int) -> Rows:
    rows, T = [], 2**bits
    for v in range(d):
        chances = [weights["own"] if u == v else weights["other"] for u in range(d)]
        either = [(T - chance, chance) for chance in chances]
        rows.append([math.prod(report) for report in product(*either)])
    return rows


def _unary_encoding(document: dict[str, Any], _: Any) -> Rows:
    options = document["options"]
    return _unary(size_of(document["domain"]), document["weights"], options["bits"])


def _subset_selection(document: dict[str, Any], _: Any) -> Rows:
    d, k = size_of(document["domain"]), document["options"]["subset_size"]
    if d == 1:
        return [[1]]
    T, own = 2 ** document["options"]["bits"], document["weights"]["own"]
    with_own, without = math.comb(d - 1, k - 1), math.comb(d - 1, k)
    inside, outside = own * without, (T - own) * with_own  # over T times both numbers of sets
    sets = [*combinations(range(d), k)]
    return [[inside if v in held else outside for held in sets] for v in range(d)]


def _hadamard_response(document: dict[str, Any], _: Any) -> Rows:
    d, options = size_of(document["domain"]), document["options"]
    T, keep, blocks = 2 ** options["bits"], document["weights"]["keep"], options["block_count"]
    b = 1
    while b <= -(-d // blocks):
        b *= 2
    rows = []
    for v in range(d):
        block, column = v % blocks, v // blocks + 1
        row = [T - keep] * (blocks * b)
        for y in range(blocks * b):
            z = y % b
            if (z & column).bit_count() % 2:
                z ^= column & -column
            row[block * b + z] += keep
        rows.append(row)
    return rows


# -- sets of options -----------------------------------------------------------------------


def _sets(document: dict[str, Any]) -> tuple[int, int, list[tuple[int, ...]]]:
    """d, m, and the items of every set in order, blanks included."""
    d, m = size_of(document["domain"]["options"]), document["domain"]["most"]
    sets = [held for size in range(m + 1) for held in combinations(range(d), size)]
    return d, m, [(*held, *range(d + len(held), d + m)) for held in sets]


def _choice_response(document: dict[str, Any], _: Any) -> Rows:
    (d, m, sets), weights = _sets(document), document["weights"]
    return [
        [m * weights["other"] + weights["keep"] * (item in held) for item in range(d + m)]
        for held in sets
    ]


def _drawn_option(document: dict[str, Any], _: Any) -> Rows:
    d, _, sets = _sets(document)
    return [
        [
            *chain(
                *(
                    _response([int(option in held)], 2, document["weights"])[0]
                    for option in range(d)
                )
            )
        ]
        for held in sets
    ]


def _choice_subsets(document: dict[str, Any], _: Any) -> Rows:
    (d, m, sets), size = _sets(document), document["options"]["report_size"]
    ways = [math.comb(m, j) * math.comb(d, size - j) for j in range(min(m, size) + 1)]
    shared = math.lcm(*ways)
    each = [weight * (shared // way) for weight, way in zip(document["weights"], ways, strict=True)]
    reports = [{*report} for report in combinations(range(d + m), size)]
    return [[each[len(report & {*held})] for report in reports] for held in sets]


# -- the sensitive values only -------------------------------------------------------------


def protected_ratio(rows: Rows, sensitive: list[int]) -> Fraction | None:
    """The worst ratio over reports that somebody with a sensitive value may send; None where infinite.

    Every other report, an open one, comes from one value at most.
    """
    columns = [*zip(*rows, strict=True)]
    protected = [column for column in columns if any(column[v] for v in sensitive)]
    opened = [column for column in columns if not any(column[v] for v in sensitive)]
    assert all(sum(weight > 0 for weight in column) == 1 for column in opened)
    if not all(map(all, protected)):
        return None
    return max(Fraction(max(column), min(column)) for column in protected)


def _parts(document: dict[str, Any]) -> tuple[list[int], list[int]]:
    """The sensitive values, and all others."""
    sensitive = document["domain"]["sensitive"]
    return sensitive, [v for v in range(size_of(document["domain"])) if v not in sensitive]


def _opened(v: int, others: list[int], weight: int) -> list[int]:
    """The weights of the open reports of one value."""
    return [weight * (u == v) for u in others]


def _sensitive_response(document: dict[str, Any], _: Any) -> Rows:
    sensitive, others = _parts(document)
    keep, other = document["weights"]["keep"], document["weights"]["other"]
    return [
        [other + keep * (u == v) for u in sensitive] + _opened(v, others, keep)
        for v in range(len(sensitive) + len(others))
    ]


def _sensitive_hashing(document: dict[str, Any], mechanism: Any) -> Rows:
    sensitive, others = _parts(document)
    g, weights = document["options"]["hash_range"], document["weights"]
    count = _family_size(len(sensitive), g)
    rows: Rows = [[] for _ in range(len(sensitive) + len(others))]
    for hash_ in range(count):
        for v, row in enumerate(rows):
            (cell,) = mechanism.respond(v, _Given(_word(hash_, count), 0))
            row += [weights["other"] + weights["keep"] * (g * hash_ + y == cell) for y in range(g)]
    for v, row in enumerate(rows):
        row += _opened(v, others, count * weights["keep"])
    return rows


def _sensitive_subsets(document: dict[str, Any], _: Any) -> Rows:
    sensitive, others = _parts(document)
    s, k, T = len(sensitive), document["options"]["subset_size"], 2 ** document["options"]["bits"]
    own, opened = document["weights"]["own"], document["weights"]["open"]
    with_own, without, both = math.comb(s - 1, k - 1), math.comb(s - 1, k), math.comb(s, k)
    rows: Rows = []
    for v in range(s + len(others)):
        row = []
        for held in combinations(sensitive, k):
            if v in others:
                row.append((T - opened) * with_own * without)
            else:
                row.append(own * without * both if v in held else (T - own) * with_own * both)
        rows.append(row + _opened(v, others, opened * with_own * without * both))
    return rows


# -- hashes ------------------------------------------------------------------------------


class _Given:
    """Prepared words, one a call."""

    secure = False

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    def words(self, count: int) -> Any:
        """The next word; a device asks for one at a time."""
        assert count == 1
        return np.array([self._words.pop(0)], dtype=np.uint64)


def _word(index: int, bound: int) -> int:
    """A word that is drawn as ``index``, uniform below ``bound``."""
    if bound & (bound - 1) == 0:
        return index << 65 - bound.bit_length() if bound > 1 else 0
    return index


def _family_size(d: int, g: int) -> int:
    t = 1
    while g**t < d:
        t += 1
    return (g**t - 1) // (g - 1)


def _hashed(document: dict[str, Any], mechanism: Any, words: list[int]) -> Rows:
    """Randomized response on the cell of each hash that these first words draw."""
    d, g = size_of(document["domain"]), document["options"]["hash_range"]
    rows: Rows = [[] for _ in range(d)]
    for word in words:
        cells = [mechanism.respond(v, _Given(word, 0))[1] for v in range(d)]
        for row, part in zip(rows, _response(cells, g, document["weights"]), strict=True):
            row += part
    return rows


def _local_hashing(document: dict[str, Any], mechanism: Any) -> Rows:
    count = _family_size(size_of(document["domain"]), document["options"]["hash_range"])
    return _hashed(document, mechanism, [_word(i, count) for i in range(count)])


def _fixed_hashing(document: dict[str, Any], mechanism: Any) -> Rows:
    count = document["options"]["hash_count"]
    return _hashed(document, mechanism, [_word(i, count) for i in range(count)])


def _seeded_hashing(document: dict[str, Any], mechanism: Any) -> Rows:
    """Given one of 24 seeds: the seed has the same chance whatever the value is."""
    return _hashed(document, mechanism, [pow(3, 40 + i, 2**64) for i in range(24)])


def _node_sizes(bins: int, branching: int) -> list[int]:
    sizes = [bins]
    while sizes[-1] > branching:
        sizes.append(-(-sizes[-1] // branching))
    return sizes


def _hierarchy(document: dict[str, Any], mechanism: Any) -> Rows:
    options, bins = document["options"], size_of(document["domain"])
    sizes = _node_sizes(bins, options["branching"])
    nodes = [
        [v // options["branching"] ** level for level in range(len(sizes))] for v in range(bins)
    ]
    if options["split"] == "budget":
        levels = [
            _unary(size, weights, options["bits"])
            for size, weights in zip(sizes, document["weights"], strict=True)
        ]
        return [
            [math.prod(parts) for parts in product(*(levels[i][n] for i, n in enumerate(own)))]
            for own in nodes
        ]
    ranges = options["hash_ranges"]
    counts = [_family_size(size, g) if g else 1 for size, g in zip(sizes, ranges, strict=True)]
    shared, start = math.lcm(*counts), 0
    rows: Rows = [[] for _ in range(bins)]
    for level, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        g = ranges[level] or size
        for hash_ in range(count):
            words = _word(level, len(sizes)), _word(hash_, count), 0
            cells = [mechanism.respond(v, _Given(*words))[0] - start for v in range(bins)]
            assert all(0 <= cell < g for cell in cells)
            part = _response(cells, g, document["weights"][level])
            for row, more in zip(rows, part, strict=True):
                row += [weight * (shared // count) for weight in more]
            start += g
    return rows


def _haar(document: dict[str, Any], _: Any) -> Rows:
    bins, rows = size_of(document["domain"]), []
    H = max(1, (bins - 1).bit_length())
    for v in range(bins):
        row = []
        for h in range(H):
            for c in range(2 ** (H - 1 - h)):
                sign = ((v >> h + 1) & c).bit_count() % 2 ^ (v >> h & 1)
                (answers,) = _response([sign], 2, document["weights"])
                row += [2**h * weight for weight in answers]
        rows.append(row)
    return rows


# -- mechanisms within mechanisms ----------------------------------------------------------


def _table(document: dict[str, Any], _: Any) -> Rows:
    return [list(row) for row in document["weights"]]


def _binned(document: dict[str, Any], mechanism: Any) -> Rows:
    options = document["options"]
    interval = {"kind": "interval", "bins": options["report_bins"]}
    inside = {**options["oracle"], "domain": interval, "weights": document["weights"]}
    return law(inside, mechanism.reporting)


def _sampled_coordinate(document: dict[str, Any], mechanism: Any) -> Rows:
    domain = document["domain"]
    inside = {
        **document["options"]["inner"], "domain": domain["interval"], "weights": document["weights"],
    }  # fmt: skip
    each = law(inside, mechanism.coordinate)
    return [[*chain(*rows)] for rows in product(each, repeat=domain["coordinates"])]


def _memoized(document: dict[str, Any], mechanism: Any) -> Rows:
    """Round 1 times round 2, over everything that may be kept."""
    options, weights = document["options"], document["weights"]
    inside = {**options["inner"], "domain": document["domain"], "weights": weights["permanent"]}
    fresh, T = weights["fresh"], 2 ** inside["options"]["bits"]
    if inside["mechanism"] == "unary-encoding":
        d = size_of(document["domain"])
        told = [
            [
                math.prod((fresh["stay" if one else "rise"], T - fresh["stay" if one else "rise"])[not y]
                          for one, y in zip(memo, report, strict=True))
                for report in product((0, 1), repeat=d)
            ]
            for memo in product((0, 1), repeat=d)
        ]  # fmt: skip
        return _times(_unary(d, weights["permanent"], inside["options"]["bits"]), told)
    if inside["mechanism"] == "local-hashing":
        d, g = size_of(document["domain"]), inside["options"]["hash_range"]
        count, rows = _family_size(d, g), [[] for _ in range(d)]
        for hash_ in range(count):
            cells = [mechanism.respond(v, _Given(_word(hash_, count), 0, 0))[1] for v in range(d)]
            kept = _response(cells, g, weights["permanent"])
            for row, part in zip(rows, _times(kept, _response([*range(g)], g, fresh)), strict=True):
                row += part
        return rows
    kept = law({**inside, "weights": weights["permanent"]}, mechanism.inner)
    outputs = len(kept[0])
    return _times(kept, _response([*range(outputs)], outputs, fresh))


def _times(first: Rows, second: Rows) -> Rows:
    columns = [*zip(*second, strict=True)]
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in first]  # fmt: skip


_LAWS = {
    "binned": _binned,
    "choice-response": _choice_response,
    "choice-subsets": _choice_subsets,
    "degree-noise": noise_on_bins,
    "drawn-option": _drawn_option,
    "fixed-hashing": _fixed_hashing,
    "gaussian": gaussian,
    "haar": _haar,
    "hadamard-response": _hadamard_response,
    "hierarchy": _hierarchy,
    "key-value": key_value,
    "laplace": noise_on_bins,
    "local-hashing": _local_hashing,
    "memoized": _memoized,
    "piecewise": wave,
    "question-sets": question_sets,
    "randomized-response": _randomized_response,
    "sampled-coordinate": _sampled_coordinate,
    "seeded-hashing": _seeded_hashing,
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
