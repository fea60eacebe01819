"""Surveys at a limit, and one beyond it: everything else about both is right."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.core.canonical import canonical_json
from sottovoce.mechanisms.randomized_response import response_weights

__all__ = ["limits"]

Limit = tuple[str, str, bool]
"""What is limited, a text, and whether it is within."""


def limits() -> Iterator[Limit]:
    """Of every limit a survey within and one beyond."""
    for part in (_inputs, _hashes, _grids, _totals, _noise, _pairs, _others):
        for why, inside, beyond in part():
            yield why, canonical_json(inside), True
            yield f"{why}, and one more", canonical_json(beyond), False


Pair = tuple[str, dict[str, Any], dict[str, Any]]
MOST = 2_500_000


def _survey(mechanism: sv.Mechanism, **rules: Any) -> dict[str, Any]:
    return copy.deepcopy(sv.Survey("limit", "?", mechanism, **rules).document())


def _with(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy with other values at some paths below ``mechanism``."""
    changed = copy.deepcopy(document)
    for path, value in changes.items():
        *parents, last = path.split(".")
        node = changed["mechanism"]
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        node[int(last) if isinstance(node, list) else last] = value
    return changed


def _filled(size: int, epsilon: float, bits: int = 62, path: str = "weights") -> dict[str, Any]:
    """Weights of randomized response over so many values."""
    keep, other = response_weights(epsilon, size, bits, "a limit")
    return {f"{path}.keep": str(keep), f"{path}.other": str(other)}


def _flat(center: int, tail: int, *more: str) -> dict[str, Any]:
    """Noise of one height; ``more`` are further ratios of one."""
    one = str(2**128)
    flat = {"weights.center": str(center), "weights.ratio": one, "weights.tail": str(tail)}
    return flat | {f"weights.{name}": one for name in more}


def _inputs() -> Iterator[Pair]:
    few = _survey(sv.mechanism("grr", sv.Categories(3), 20.0))
    at, over = ({"domain.size": d, **_filled(d, 20.0)} for d in (MOST, MOST + 1))
    yield "values", _with(few, at), _with(few, over)
    unary = _survey(sv.mechanism("oue", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (262_144, 262_145))
    yield "bytes of a report", _with(unary, at), _with(unary, over)
    seeded = _survey(sv.mechanism("olh-seeded", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (MOST // 2, MOST // 2 + 1))
    yield "cells of seeded hashing", _with(seeded, at), _with(seeded, over)
    line = _survey(sv.mechanism("sr", sv.Interval(0, 1, bins=2), 1.0, steps=1))
    small = {"weights.base": str(2**61), "weights.unit": "1"}
    at, over = ({"domain.bins": d, **small} for d in (MOST, MOST + 1))
    yield "bins", _with(line, at), _with(line, over)
    counts = _survey(sv.mechanism("sr", sv.Counts(2), 1.0))
    at, over = ({"domain.most": d, **small} for d in (MOST - 1, MOST))
    yield "counts", _with(counts, at), _with(counts, over)
    rows = _survey(
        sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=4), 2), 1.0, inner="grr")
    )
    at, over = ({"domain.coordinates": k} for k in (MOST // 4, MOST // 4 + 1))
    yield "coordinates", _with(rows, at), _with(rows, over)
    narrow = _survey(sv.mechanism("grr", sv.Interval(2**52, 2**52 + 64, bins=4), 1.0))
    yield "16 units in the last place", narrow, _with(narrow, {"domain.bins": 5, **_filled(5, 1.0)})
    wide = _survey(sv.mechanism("grr", sv.Interval(0, 1, bins=2), 1.0))
    ends = ("89" + "0" * 306, "-89" + "0" * 306)
    at = {"domain.high": ends[0], "domain.low": ends[1]}
    over = {"domain.high": "9" + ends[0][1:], "domain.low": "-9" + ends[1][2:]}
    yield "a finite width", _with(wide, at), _with(wide, over)


def _hashes() -> Iterator[Pair]:
    local = _survey(sv.mechanism("blh", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (2**20, 2**20 + 1))
    yield "cells of local hashing", _with(local, at), _with(local, over)
    ranges = {g: {"options.hash_range": g, **_filled(g, 1.0)} for g in (2, 4, 7, 9, 11, 13, 25)}
    nine = _with(local, {"domain.size": 9})
    yield "the first prime from d on", _with(nine, ranges[11]), _with(nine, ranges[13])
    yield "a prime below", _with(nine, ranges[7]), _with(nine, ranges[9])
    many = _with(local, {"domain.size": 1000})
    yield "a prime, not four", _with(many, ranges[2]), _with(many, ranges[4])
    yield "a prime, not a square", _with(many, ranges[13]), _with(many, ranges[25])
    seeded = _survey(sv.mechanism("olh-seeded", sv.Categories(9), 20.0))
    at, over = ({"options.hash_range": g, **_filled(g, 20.0)} for g in (2**29, 2**29 + 1))
    yield "range of seeded hashing", _with(seeded, at), _with(seeded, over)
    fixed = _survey(sv.mechanism("flh", sv.Categories(9), 20.0, hash_count=4, hash_range=2))
    at, over = ({"options.hash_range": g, **_filled(g, 20.0)} for g in (625_000, 625_001))
    yield "range of fixed hashing", _with(fixed, at), _with(fixed, over)
    at, over = ({"options.hash_count": k} for k in (MOST // 2, MOST // 2 + 1))
    yield "hashes", _with(fixed, at), _with(fixed, over)
    at, over = ({"options.hash_count": 500, "domain.size": d} for d in (33_554, 33_555))
    yield "hashes of many values", _with(fixed, at), _with(fixed, over)
    tree = _survey(
        sv.mechanism("hh", sv.Interval(0, 1, bins=9), 1.0, hash_ranges=[3, 0], branching=3)
    )
    at, over = (
        {"options.hash_ranges": [g, 0], **_filled(g, 1.0, path="weights.0")} for g in (11, 13)
    )
    yield "range of a level", _with(tree, at), _with(tree, over)
    at, over = (
        {"options.hash_ranges": [g, 0], **_filled(g, 1.0, path="weights.0")} for g in (7, 9)
    )
    yield "a prime for a level", _with(tree, at), _with(tree, over)


def _grids() -> Iterator[Pair]:
    line = _survey(sv.mechanism("sw", sv.Interval(0, 1, bins=4), 1.0, steps=2, output_bins=2))
    tiny = {"weights.low": "2", "weights.unit": "3", "weights.width": "1"}
    at, over = ({"options.steps": s, **tiny} for s in (2**20, 2**20 + 1))
    yield "positions of a wave", _with(line, at), _with(line, over)
    at, over = ({**tiny, "weights.width": str(w)} for w in (2**22, 2**22 + 1))
    yield "width of a wave", _with(line, at), _with(line, over)
    at, over = (
        {**tiny, "options.steps": 2**20, "options.output_bins": n} for n in (MOST, MOST + 1)
    )
    yield "cells of a wave", _with(line, at), _with(line, over)
    at, over = ({**tiny, "options.output_bins": n} for n in (8, 9))
    yield "outputs of a wave", _with(line, at), _with(line, over)
    at, over = ({**tiny, "options.wrap": True, "weights.width": w} for w in ("8", "9"))
    yield "width on a ring", _with(line, at), _with(line, over)
    one = {**tiny, "domain.bins": 1, "options.output_bins": 1}
    yield (
        "one position, not on a ring", _with(line, {**one, "options.steps": 1}),
        _with(line, {**one, "options.steps": 1, "options.wrap": True}),
    )  # fmt: skip
    yield (
        "two positions on a ring", _with(line, {**one, "options.steps": 2, "options.wrap": True, "options.output_bins": 2}),
        _with(line, {**one, "options.steps": 2, "options.wrap": True}),
    )  # fmt: skip
    rounding = _survey(sv.mechanism("sr", sv.Interval(0, 1, bins=1), 1.0, steps=2))
    small = {"weights.base": str(2**62 - 2**50), "weights.unit": "1"}
    at, over = ({"options.steps": s, **small} for s in (2**40, 2**40 + 1))
    yield "positions of rounding", _with(rounding, at), _with(rounding, over)
    yield "two positions of rounding", rounding, _with(rounding, {"options.steps": 1})
    counts = _survey(sv.mechanism("sr", sv.Counts(1), 1.0))
    yield "steps of counts", counts, _with(counts, {"options.steps": 2, "weights.unit": "1"})


def _totals() -> Iterator[Pair]:
    line = sv.Interval(0, 1, bins=8)
    rounding = _survey(sv.mechanism("sr", line, 3.0, steps=1))
    at, over = ({"weights.base": str(2**59 + more), "weights.unit": str(2**60)} for more in (0, 1))
    yield "total of rounding", _with(rounding, at), _with(rounding, over)
    piecewise = _survey(sv.mechanism("pm", line, 2.0, steps=1, output_bins=2))
    low, unit = 2**60 - 2**57, 2**60
    at, over = (
        {"weights.low": str(low), "weights.unit": str(unit + more), "weights.width": "1"}
        for more in (0, 1)
    )
    yield "total of a wave", _with(piecewise, at), _with(piecewise, over)
    wave = _survey(sv.mechanism("gw", line, 2.0, steps=1, ratio=0.0, output_bins=2))
    at, over = (  # 10 outputs, an area of 4 units
        {"weights.low": str((2**63 - 2**61) // 10 + more), "weights.unit": str(2**59), "weights.width": "3"}
        for more in (0, 1)
    )  # fmt: skip
    yield "total of a triangle", _with(wave, at), _with(wave, over)
    two = _survey(sv.mechanism("table", sv.Categories(2), 1.0, weights=[[1, 1], [1, 1]]))
    at, over = ({"weights": [[str(2**62 + more), str(2**62)]] * 2} for more in (0, 1))
    yield "sum of a row", _with(two, at), _with(two, over)


def _noise() -> Iterator[Pair]:
    one = _survey(sv.mechanism("laplace", sv.Interval(0, 1, bins=1), 1.0))
    at, over = ({"weights.tail": str(2**62 + more)} for more in (0, 1))
    yield "total of noise", _with(one, at), _with(one, over)
    at, over = ({"weights.center": str(2**63 - 1 + more)} for more in (0, 1))
    yield "center of noise", _with(one, at), _with(one, over)
    at, over = ({"weights.ratio": str(2**128 + more)} for more in (0, 1))
    yield "ratio of noise", _with(one, at), _with(one, over)
    gaussian = _survey(sv.mechanism("gaussian", sv.Interval(0, 1, bins=1), 1.0))
    at, over = ({"weights.change": str(2**128 + more)} for more in (0, 1))
    yield "change of noise", _with(gaussian, at), _with(gaussian, over)
    yield (
        "reach of one bin",
        gaussian,
        _with(gaussian, {"options.reach": 1, **_flat(2**40, 2**40, "change")}),
    )
    at, over = ({"domain.bins": bins, **_flat(1, 2**40)} for bins in (2**16, 2**16 + 1))
    yield "bins of noise", _with(one, at), _with(one, over)
    two = _survey(sv.mechanism("gaussian", sv.Interval(0, 1, bins=2), 1.0, delta=0.1, reach=0))
    at, over = (
        {"options.reach": reach, **_flat(2**40, 2**40, "change")} for reach in (2**16, 2**16 + 1)
    )
    yield "reach", _with(two, at), _with(two, over)
    for bits, reach in ((20, 8), (16, 4)):
        made = sv.mechanism(
            "gaussian", sv.Interval(0, 1, bins=3), 1.0, delta=0.01, reach=reach, bits=bits
        )
        known = float(made.certificate().delta)
        document = _survey(made)
        at, over = ({"options.delta": f"{known * more:.7f}"} for more in (1.001, 0.999))
        yield f"delta of {bits} bits", _with(document, at), _with(document, over)
    ratio = int(made.weights[1])
    steep = {"weights.ratio": str(ratio), "weights.change": str(made.weights[2])}
    longest = (made.noise.guarded[-1] * made.noise.last_ratio) // (2**128 - made.noise.last_ratio)
    at, over = (
        {**steep, "weights.tail": str((longest >> 64) + more), "options.delta": "0.5"}
        for more in (0, 1)
    )
    yield "noise that falls steadily", _with(document, at), _with(document, over)
    rows = sv.Vector(sv.Interval(0, 1, bins=3), 2)
    made = sv.mechanism("gaussian", rows, 1.0, delta=0.01, reach=4, bits=24)
    known, document = float(made.certificate().delta), _survey(made)
    at, over = ({"options.delta": f"{known * more:.7f}"} for more in (1.001, 0.999))
    yield "delta of a row", _with(document, at), _with(document, over)


def _pairs() -> Iterator[Pair]:
    domain = sv.KeyValues(2, 0, 1, bins=2, pairs=2)
    for name in ("pckv-ue", "pckv-grr"):
        document = _survey(sv.mechanism(name, domain, 2.0, steps=1))
        if name == "pckv-grr":  # so that the total holds many slots
            document = _with(document, {"weights.base": str(2**40), "weights.unit": str(2**40)})
        at, over = ({"domain.pairs": pairs} for pairs in (2**16, 2**16 + 1))
        yield f"pairs of {name}", _with(document, at), _with(document, over)
    response = _survey(sv.mechanism("pckv-grr", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=1))
    at, over = (  # two keys of two outputs, and one unit
        {"weights.base": str(2**60 + 2**59), "weights.unit": str(2**61 + more)} for more in (0, 1)
    )
    yield "total of response keys", _with(response, at), _with(response, over)
    dummies = _survey(sv.mechanism("pckv-grr", domain, 2.0, steps=1))
    at, over = (  # and of two dummies
        {"weights.base": str(2**60 - 2**58), "weights.unit": str(2**61 + more)} for more in (0, 1)
    )
    yield "total with dummies", _with(dummies, at), _with(dummies, over)
    unary = _survey(sv.mechanism("pckv-ue", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=1))
    near = {"weights.own": str(2**61), "weights.other": str(2**61 - 2**50)}
    at, over = (
        {**near, "weights.base": str(2**61 + 2**60), "weights.unit": str(2**61 + more)}
        for more in (0, 1)
    )
    yield "total of a number", _with(unary, at), _with(unary, over)
    fine = _survey(
        sv.mechanism("pckv-pm", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=2, output_bins=2)
    )
    tiny = {**near, "weights.low": "2", "weights.unit": "3", "weights.width": "1"}
    at, over = ({**tiny, "options.steps": s} for s in (2**21, 2**21 + 1))
    yield "positions of a number", _with(fine, at), _with(fine, over)
    at, over = ({**tiny, "weights.width": str(w)} for w in (2**22, 2**22 + 1))
    yield "width of a number", _with(fine, at), _with(fine, over)
    at, over = ({**tiny, "options.output_bins": n} for n in (4, 5))
    yield "outputs of a number", _with(fine, at), _with(fine, over)
    big = {**tiny, "options.steps": 2**21}
    at, over = ({**big, "options.output_bins": n} for n in (MOST // 2 - 1, MOST // 2))
    yield "cells of unary keys", _with(fine, at), _with(fine, over)
    at, over = ({**tiny, "domain.keys.size": k} for k in (32_768, 32_769))
    yield "keys in a report", _with(fine, at), _with(fine, over)
    rounded = {"weights.base": str(2**60), "weights.unit": "1"}
    at, over = ({**near, **rounded, "options.steps": s} for s in (2**39, 2**39 + 1))
    yield "positions of a rounded number", _with(unary, at), _with(unary, over)
    options = {"keys": "response", "numbers": "piecewise", "steps": 2, "output_bins": 2}
    keys = _survey(sv.mechanism("key-value", sv.KeyValues(2, 0, 1, bins=2), 2.0, **options))
    tiny = {"weights.low": "2", "weights.unit": "3", "weights.width": "1", "options.steps": 2**21}
    at, over = ({**tiny, "options.output_bins": n} for n in (MOST // 2, MOST // 2 + 1))
    yield "cells of response keys", _with(keys, at), _with(keys, over)
    sets = _survey(sv.mechanism("key-value", domain, 2.0, **options))
    at, over = ({**tiny, "options.output_bins": n} for n in (MOST // 2 - 1, MOST // 2))
    yield "cells of response keys and no pair", _with(sets, at), _with(sets, over)
    single = _survey(sv.mechanism("pckv-ue", sv.KeyValues(2, 0, 1, bins=1), 2.0, steps=2))
    yield "two positions of a number", single, _with(single, {"options.steps": 1})


def _others() -> Iterator[Pair]:
    plain = _survey(sv.mechanism("grr", sv.Categories(3), 1.0))
    for inside, beyond in ((8, 7), (62, 63)):
        at, over = ({"options.bits": bits, **_filled(3, 1.0, bits)} for bits in (inside, beyond))
        yield f"bits {inside}", _with(plain, at), _with(plain, over)
    least = {"weights.keep": "1", "weights.other": str((2**62 - 1) // 3)}
    at, over = ({"epsilon": text, **least} for text in ("0.000001", "0.0000009999999999999999"))
    yield "the least epsilon", _with(plain, at), _with(plain, over)
    at, over = ({"epsilon": text} for text in ("20", "20.000000000000004"))
    yield "the largest epsilon", _with(plain, at), _with(plain, over)
    line = sv.Interval(0, 1, bins=4)
    levels = _survey(sv.mechanism("hh", line, 1.0, split="budget", branching=2))
    even = [{"own": str(2**61), "other": str(2**61 - 1)}] * 2
    at, over = (
        {"epsilon": text, "weights": even} for text in ("0.000002", "0.0000019999999999999")
    )
    yield "the least epsilon of a level", _with(levels, at), _with(levels, over)
    hadamard = _survey(sv.mechanism("hr", sv.Categories(9), 2.0, block_count=3))
    at, over = ({"options.block_count": b, "weights.keep": "1"} for b in (9, 4))
    yield "blocks that the values fill", _with(hadamard, at), _with(hadamard, over)
    yield (
        "a keep below all",
        _with(hadamard, {"weights.keep": "1"}),
        _with(hadamard, {"weights.keep": "0"}),
    )
    subset = _survey(sv.mechanism("ss", sv.Categories(9), 1.0))
    at, over = ({"options.subset_size": k, "weights.own": str(2**62 * k // 9 + 1)} for k in (8, 9))
    yield "size of a subset", _with(subset, at), _with(subset, over)
    at, over = ({"weights.own": str(2**62 // 3 + more)} for more in (1, 0))
    yield "own above its share", _with(_with(subset, {"options.subset_size": 3}), at), _with(_with(subset, {"options.subset_size": 3}), over)  # fmt: skip
    binned = _survey(sv.mechanism("grr", sv.Counts(5), 1.0, report_bins=3))
    yield "bins of counts", binned, _with(binned, {"options.report_bins": 4, **_filled(4, 1.0)})
    cut = _survey(sv.mechanism("grr", line, 1.0, report_bins=4))
    yield "bins reported", cut, _with(cut, {"options.report_bins": 5, **_filled(5, 1.0)})
    wave = {
        "mechanism": "square-wave",
        "options": {"b": None, "bits": 62, "output_bins": 2, "steps": 1, "wrap": False},
    }
    fine = {"mechanism": "square-wave", "options": {**wave["options"], "steps": 2}}
    weights = {"low": "2", "unit": "3", "width": "1"}
    at, over = ({"options.oracle": oracle, "weights": weights} for oracle in (wave, fine))
    yield "an oracle that sees its bins", _with(cut, at), _with(cut, over)
    rows = _survey(sv.mechanism("vector", sv.Vector(sv.Counts(3), 2), 1.0, inner="grr"))
    unary = {"mechanism": "unary-encoding", "options": {"bits": 62, "variant": "optimized"}}
    bits = {"options.inner": unary, "weights": {"own": str(2**61), "other": str(2**61 - 1)}}
    yield "an inner mechanism of one cell", rows, _with(rows, bits)
    degrees = sv.mechanism("degree-noise", sv.Counts(3), 1.0).document()
    edge = {
        "options.inner": {"mechanism": "degree-noise", "options": degrees["options"]},
        "weights": degrees["weights"],
    }
    laplace = sv.mechanism("laplace", sv.Counts(3), 1.0).document()
    any_two = {
        "options.inner": {"mechanism": "laplace", "options": laplace["options"]},
        "weights": laplace["weights"],
    }
    yield "an inner mechanism without a scope", _with(rows, any_two), _with(rows, edge)
    for inner in ("seeded-hashing", "subset-selection"):
        other = sv.mechanism(inner, sv.Counts(3), 1.0).document()
        told = {
            "options.inner": {"mechanism": inner, "options": other["options"]},
            "weights": other["weights"],
        }
        yield f"not {inner}", rows, _with(rows, told)
    deep = sv.mechanism("hh", sv.Counts(3), 1.0, split="budget").document()
    split = {
        "options.inner": {"mechanism": "hierarchy", "options": deep["options"]},
        "weights": deep["weights"],
    }
    yield "an inner hierarchy by population", rows, _with(rows, split)
