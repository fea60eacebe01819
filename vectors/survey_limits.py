"""Surveys at a limit, and one beyond it: everything else about both is right."""

from __future__ import annotations

import math
from collections.abc import Iterator

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from sottovoce.base.exact import decimal_text
from vectors.changed import MOST, Pair, filled, flat, survey_of, with_changes
from vectors.survey_limits_of_kinds import kind_limits
from vectors.survey_limits_of_parts import cell_limits, mechanism_limits, pair_limits

__all__ = ["limits"]

Limit = tuple[str, str, bool]
"""What is limited, a text, and whether it is within."""


def limits() -> Iterator[Limit]:
    """Of every limit a survey within and one beyond."""
    for part in (
        _inputs,
        _hashes,
        _grids,
        _totals,
        _noise,
        pair_limits,
        mechanism_limits,
        cell_limits,
        kind_limits,
    ):
        for why, inside, beyond in part():
            yield why, canonical_json(inside), True
            yield f"{why}, and one more", canonical_json(beyond), False


def _inputs() -> Iterator[Pair]:
    few = survey_of(sv.mechanism("grr", sv.Categories(3), 20.0))
    at, over = ({"domain.size": d, **filled(d, 20.0)} for d in (MOST, MOST + 1))
    yield "values", with_changes(few, at), with_changes(few, over)
    unary = survey_of(sv.mechanism("oue", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (262_144, 262_145))
    yield "bytes of a report", with_changes(unary, at), with_changes(unary, over)
    seeded = survey_of(sv.mechanism("olh-seeded", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (MOST // 2, MOST // 2 + 1))
    yield "cells of seeded hashing", with_changes(seeded, at), with_changes(seeded, over)
    line = survey_of(sv.mechanism("sr", sv.Interval(0, 1, bins=2), 1.0, steps=1))
    small = {"weights.base": str(2**61), "weights.unit": "1"}
    at, over = ({"domain.bins": d, **small} for d in (MOST, MOST + 1))
    yield "bins", with_changes(line, at), with_changes(line, over)
    counts = survey_of(sv.mechanism("sr", sv.Counts(2), 1.0))
    at, over = ({"domain.most": d, **small} for d in (MOST - 1, MOST))
    yield "counts", with_changes(counts, at), with_changes(counts, over)
    ratings = survey_of(sv.mechanism("sr", sv.Ratings(1, 3), 1.0))
    at, over = ({"domain.high": d, **small} for d in (MOST, MOST + 1))
    yield "ratings", with_changes(ratings, at), with_changes(ratings, over)
    far = 10**12
    for name, places in (("high", (far - 2, far)), ("low", (-far, 2 - far))):
        at, over = (
            {"domain.low": low, "domain.high": high}
            for low, high in (places, [x + (1 if name == "high" else -1) for x in places])
        )
        yield f"the farthest {name} rating", with_changes(ratings, at), with_changes(ratings, over)
    at, over = ({"domain.low": low, "domain.high": 3} for low in (2, 3))
    two = {"weights.base": str(2**60), "weights.unit": "1"}
    yield (
        "two ratings",
        with_changes(ratings, {**at, **two}),
        with_changes(ratings, {**over, **two}),
    )
    rows = survey_of(
        sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=4), 2), 1.0, inner="grr")
    )
    at, over = ({"domain.coordinates": k} for k in (MOST // 4, MOST // 4 + 1))
    yield "coordinates", with_changes(rows, at), with_changes(rows, over)
    fewest = {"domain.coordinates": 1}, {"domain.coordinates": 0}
    yield "a coordinate", *(with_changes(rows, change) for change in fewest)
    narrow = survey_of(sv.mechanism("grr", sv.Interval(2**52, 2**52 + 64, bins=4), 1.0))
    fewer = with_changes(narrow, {"domain.high": str(2**52 + 62)})  # bins of 15.5
    yield "16 units in the last place", narrow, fewer
    across = {"domain.low": str(2**52 - 32), "domain.high": str(2**52 + 32)}
    at, over = ({**across, "domain.bins": bins, **filled(bins, 1.0)} for bins in (4, 5))
    yield "16 units of the larger bound", with_changes(narrow, at), with_changes(narrow, over)
    power = {"domain.low": str(2**53 - 64), "domain.high": str(2**53)}
    at, over = ({**power, "domain.bins": bins, **filled(bins, 1.0)} for bins in (2, 3))
    yield "16 units of a power of two", with_changes(narrow, at), with_changes(narrow, over)
    least = math.ulp(0.0)  # 47 of them in three bins: the double w is 16 of them, the quotient less
    at, over = (
        {
            "domain.low": "0",
            "domain.high": decimal_text(n * least),
            "domain.bins": 3,
            **filled(3, 1.0),
        }
        for n in (47, 46)
    )
    yield "a width that is rounded", with_changes(narrow, at), with_changes(narrow, over)
    wide = survey_of(sv.mechanism("grr", sv.Interval(0, 1, bins=2), 1.0))
    ends = ("89" + "0" * 306, "-89" + "0" * 306)
    at = {"domain.high": ends[0], "domain.low": ends[1]}
    over = {"domain.high": "9" + ends[0][1:], "domain.low": "-9" + ends[1][2:]}
    yield "a finite width", with_changes(wide, at), with_changes(wide, over)


def _hashes() -> Iterator[Pair]:
    local = survey_of(sv.mechanism("blh", sv.Categories(9), 1.0))
    at, over = ({"domain.size": d} for d in (2**20, 2**20 + 1))
    yield "cells of local hashing", with_changes(local, at), with_changes(local, over)
    ranges = {g: {"options.hash_range": g, **filled(g, 1.0)} for g in (2, 4, 7, 9, 11, 13, 25)}
    nine = with_changes(local, {"domain.size": 9})
    yield (
        "the first prime from d on",
        with_changes(nine, ranges[11]),
        with_changes(nine, ranges[13]),
    )
    yield "a prime below", with_changes(nine, ranges[7]), with_changes(nine, ranges[9])
    many = with_changes(local, {"domain.size": 1000})
    yield "a prime, not four", with_changes(many, ranges[2]), with_changes(many, ranges[4])
    yield "a prime, not a square", with_changes(many, ranges[13]), with_changes(many, ranges[25])
    seeded = survey_of(sv.mechanism("olh-seeded", sv.Categories(9), 20.0))
    at, over = ({"options.hash_range": g, **filled(g, 20.0)} for g in (2**29, 2**29 + 1))
    yield "range of seeded hashing", with_changes(seeded, at), with_changes(seeded, over)
    fixed = survey_of(sv.mechanism("flh", sv.Categories(9), 20.0, hash_count=4, hash_range=2))
    at, over = ({"options.hash_range": g, **filled(g, 20.0)} for g in (625_000, 625_001))
    yield "range of fixed hashing", with_changes(fixed, at), with_changes(fixed, over)
    at, over = ({"options.hash_count": k} for k in (MOST // 2, MOST // 2 + 1))
    yield "hashes", with_changes(fixed, at), with_changes(fixed, over)
    at, over = ({"options.hash_count": 500, "domain.size": d} for d in (33_554, 33_555))
    yield "hashes of many values", with_changes(fixed, at), with_changes(fixed, over)
    tree = survey_of(
        sv.mechanism("hh", sv.Interval(0, 1, bins=9), 1.0, hash_ranges=[3, 0], branching=3)
    )
    at, over = (
        {"options.hash_ranges": [g, 0], **filled(g, 1.0, path="weights.0")} for g in (11, 13)
    )
    yield "range of a level", with_changes(tree, at), with_changes(tree, over)
    at, over = ({"options.hash_ranges": [g, 0], **filled(g, 1.0, path="weights.0")} for g in (7, 9))
    yield "a prime for a level", with_changes(tree, at), with_changes(tree, over)


def _grids() -> Iterator[Pair]:
    line = survey_of(sv.mechanism("sw", sv.Interval(0, 1, bins=4), 1.0, steps=2, output_bins=2))
    tiny = {"weights.low": "1", "weights.unit": "1", "weights.width": "1"}
    at, over = ({"options.steps": s, **tiny} for s in (2**20, 2**20 + 1))
    yield "positions of a wave", with_changes(line, at), with_changes(line, over)
    at, over = ({**tiny, "weights.width": str(w)} for w in (2**22, 2**22 + 1))
    yield "width of a wave", with_changes(line, at), with_changes(line, over)
    at, over = (
        {**tiny, "options.steps": 2**20, "options.output_bins": n} for n in (MOST, MOST + 1)
    )
    yield "cells of a wave", with_changes(line, at), with_changes(line, over)
    least = {**tiny, "weights.width": "0", "options.output_bins": 2}
    yield "the least width", with_changes(line, tiny), with_changes(line, least)
    none = {**tiny, "options.steps": 0, "weights.width": "5"}
    yield (
        "the fewest steps",
        with_changes(line, {**none, "options.steps": 1}),
        with_changes(line, none),
    )
    for weight in ("low", "unit"):
        zero = with_changes(line, {**tiny, f"weights.{weight}": "0"})
        yield f"the least {weight}", with_changes(line, tiny), zero
    at, over = ({**tiny, "options.output_bins": n} for n in (8, 9))
    yield "outputs of a wave", with_changes(line, at), with_changes(line, over)
    at, over = ({**tiny, "options.wrap": True, "weights.width": w} for w in ("8", "9"))
    yield "width on a ring", with_changes(line, at), with_changes(line, over)
    one = {**tiny, "domain.bins": 1, "options.output_bins": 1}
    yield (
        "one position, not on a ring", with_changes(line, {**one, "options.steps": 1}),
        with_changes(line, {**one, "options.steps": 1, "options.wrap": True}),
    )  # fmt: skip
    yield (
        "two positions on a ring", with_changes(line, {**one, "options.steps": 2, "options.wrap": True, "options.output_bins": 2}),
        with_changes(line, {**one, "options.steps": 2, "options.wrap": True}),
    )  # fmt: skip
    rounding = survey_of(sv.mechanism("sr", sv.Interval(0, 1, bins=1), 1.0, steps=2))
    small = {"weights.base": str(2**62 - 2**50), "weights.unit": "1"}
    at, over = ({"options.steps": s, **small} for s in (2**40, 2**40 + 1))
    yield "positions of rounding", with_changes(rounding, at), with_changes(rounding, over)
    ones = {"weights.base": "1", "weights.unit": "1"}
    for weight in ("base", "unit"):
        zero = with_changes(rounding, {**ones, f"weights.{weight}": "0"})
        yield f"the least {weight}", with_changes(rounding, ones), zero
    wave = survey_of(sv.mechanism("gw", sv.Interval(0, 1, bins=4), 1.0, steps=2, output_bins=2))
    at, over = ({**tiny, "options.ratio": ratio} for ratio in ("0", "-0.1"))
    yield "the least ratio of a wave", with_changes(wave, at), with_changes(wave, over)
    at, over = ({**tiny, "options.ratio": ratio} for ratio in ("1", "1.0000000000000002"))
    yield "the largest ratio of a wave", with_changes(wave, at), with_changes(wave, over)
    yield "two positions of rounding", rounding, with_changes(rounding, {"options.steps": 1})
    counts = survey_of(sv.mechanism("sr", sv.Counts(1), 1.0))
    yield "steps of counts", counts, with_changes(counts, {"options.steps": 2, "weights.unit": "1"})
    ratings = survey_of(sv.mechanism("sr", sv.Ratings(1, 2), 1.0))
    finer = {"options.steps": 2, "weights.unit": "1"}
    yield "steps of ratings", ratings, with_changes(ratings, finer)


def _totals() -> Iterator[Pair]:
    line = sv.Interval(0, 1, bins=8)
    rounding = survey_of(sv.mechanism("sr", line, 3.0, steps=1))
    at, over = ({"weights.base": str(2**59 + more), "weights.unit": str(2**60)} for more in (0, 1))
    yield "total of rounding", with_changes(rounding, at), with_changes(rounding, over)
    piecewise = survey_of(sv.mechanism("pm", line, 2.0, steps=1, output_bins=2))
    low, unit = 2**60 - 2**57, 2**60
    at, over = (
        {"weights.low": str(low), "weights.unit": str(unit + more), "weights.width": "1"}
        for more in (0, 1)
    )
    yield "total of a wave", with_changes(piecewise, at), with_changes(piecewise, over)
    wave = survey_of(sv.mechanism("gw", line, 2.0, steps=1, ratio=0.0, output_bins=2))
    at, over = (  # 10 outputs, an area of 4 units
        {"weights.low": str((2**63 - 2**61) // 10 + more), "weights.unit": str(2**59), "weights.width": "3"}
        for more in (0, 1)
    )  # fmt: skip
    yield "total of a triangle", with_changes(wave, at), with_changes(wave, over)
    two = survey_of(sv.mechanism("table", sv.Categories(2), 1.0, weights=[[1, 1], [1, 1]]))
    at, over = ({"weights": [[str(2**62 + more), str(2**62)]] * 2} for more in (0, 1))
    yield "sum of a row", with_changes(two, at), with_changes(two, over)
    at, over = ({"weights": [[weight], [weight]]} for weight in ("1", "0"))
    yield "the least sum of a row", with_changes(two, at), with_changes(two, over)


def _noise() -> Iterator[Pair]:
    one = survey_of(sv.mechanism("laplace", sv.Interval(0, 1, bins=1), 1.0))
    at, over = ({"weights.tail": str(2**62 + more)} for more in (0, 1))
    yield "total of noise", with_changes(one, at), with_changes(one, over)
    at, over = ({"weights.center": str(2**63 - 1 + more)} for more in (0, 1))
    yield "center of noise", with_changes(one, at), with_changes(one, over)
    at, over = ({"weights.ratio": str(2**128 + more)} for more in (0, 1))
    yield "ratio of noise", with_changes(one, at), with_changes(one, over)
    gaussian = survey_of(sv.mechanism("gaussian", sv.Interval(0, 1, bins=1), 1.0))
    at, over = ({"weights.change": str(2**128 + more)} for more in (0, 1))
    yield "change of noise", with_changes(gaussian, at), with_changes(gaussian, over)
    at, over = ({"options.delta": delta} for delta in ("0.000000000001", "0.0000000000009"))
    yield "the least delta", with_changes(gaussian, at), with_changes(gaussian, over)
    yield (
        "reach of one bin",
        gaussian,
        with_changes(gaussian, {"options.reach": 1, **flat(2**40, 2**40, "change")}),
    )
    at, over = ({"domain.bins": bins, **flat(1, 2**40)} for bins in (2**16, 2**16 + 1))
    yield "bins of noise", with_changes(one, at), with_changes(one, over)
    changes = ({"domain.bins": n, **flat(1, 2**40, "change")} for n in (2**16, 2**16 + 1))
    yield "bins of Gaussian noise", *(with_changes(gaussian, change) for change in changes)
    two = survey_of(sv.mechanism("gaussian", sv.Interval(0, 1, bins=2), 1.0, delta=0.1, reach=0))
    at, over = (
        {"options.reach": reach, **flat(2**40, 2**40, "change")} for reach in (2**16, 2**16 + 1)
    )
    yield "reach", with_changes(two, at), with_changes(two, over)
    for bits, reach in ((20, 8), (16, 4)):
        made = sv.mechanism(
            "gaussian", sv.Interval(0, 1, bins=3), 1.0, delta=0.01, reach=reach, bits=bits
        )
        known = float(made.certificate().delta)
        document = survey_of(made)
        at, over = ({"options.delta": _rounded(known * more)} for more in (1.001, 0.999))
        yield f"delta of {bits} bits", with_changes(document, at), with_changes(document, over)
    ratio = int(made.weights[1])
    steep = {"weights.ratio": str(ratio), "weights.change": str(made.weights[2])}
    longest = (made.noise.guarded[-1] * made.noise.last_ratio) // (2**128 - made.noise.last_ratio)
    at, over = (
        {**steep, "weights.tail": str((longest >> 64) + more), "options.delta": "0.5"}
        for more in (0, 1)
    )
    yield "noise that falls steadily", with_changes(document, at), with_changes(document, over)
    half = {"weights.ratio": str(2**127), "weights.change": str(2**128), "options.delta": "0.5"}
    at, over = (
        {
            **half,
            "options.reach": 1,
            "weights.center": str(2**40),
            "weights.tail": str(2**39 + more),
        }
        for more in (0, 1)
    )
    yield "noise that falls just steadily", with_changes(two, at), with_changes(two, over)
    rows = sv.Vector(sv.Interval(0, 1, bins=3), 2)
    made = sv.mechanism("gaussian", rows, 1.0, delta=0.01, reach=4, bits=24)
    known, document = float(made.certificate().delta), survey_of(made)
    at, over = ({"options.delta": _rounded(known * more)} for more in (1.001, 0.999))
    yield "delta of a row", with_changes(document, at), with_changes(document, over)


def _rounded(delta: float) -> str:
    """A delta of seven decimals, as documents write it."""
    return decimal_text(round(delta, 7))
