"""Limits of keys with numbers, and of mechanisms inside others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.exact import decimal_text
from vectors.changed import MOST, Pair, filled, flat, survey_of, with_changes

__all__ = ["cell_limits", "mechanism_limits", "pair_limits"]


def pair_limits() -> Iterator[Pair]:
    """Of key-value."""
    domain = sv.KeyValues(2, 0, 1, bins=2, pairs=2)
    for name in ("pckv-ue", "pckv-grr"):
        document = survey_of(sv.mechanism(name, domain, 2.0, steps=1))
        if name == "pckv-grr":  # so that the total holds many slots
            document = with_changes(
                document, {"weights.base": str(2**40), "weights.unit": str(2**40)}
            )
        at, over = ({"domain.pairs": pairs} for pairs in (2**16, 2**16 + 1))
        yield f"pairs of {name}", with_changes(document, at), with_changes(document, over)
    response = survey_of(sv.mechanism("pckv-grr", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=1))
    at, over = (  # two keys of two outputs, and one unit
        {"weights.base": str(2**60 + 2**59), "weights.unit": str(2**61 + more)} for more in (0, 1)
    )
    yield "total of response keys", with_changes(response, at), with_changes(response, over)
    dummies = survey_of(sv.mechanism("pckv-grr", domain, 2.0, steps=1))
    at, over = (  # and of two dummies
        {"weights.base": str(2**60 - 2**58), "weights.unit": str(2**61 + more)} for more in (0, 1)
    )
    yield "total with dummies", with_changes(dummies, at), with_changes(dummies, over)
    unary = survey_of(sv.mechanism("pckv-ue", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=1))
    near = {"weights.own": str(2**61), "weights.other": str(2**61 - 2**50)}
    at, over = (
        {**near, "weights.base": str(2**61 + 2**60), "weights.unit": str(2**61 + more)}
        for more in (0, 1)
    )
    yield "total of a number", with_changes(unary, at), with_changes(unary, over)
    fine = survey_of(
        sv.mechanism("pckv-pm", sv.KeyValues(2, 0, 1, bins=2), 2.0, steps=2, output_bins=2)
    )
    tiny = {**near, "weights.low": "1", "weights.unit": "1", "weights.width": "1"}
    at, over = ({**tiny, "options.steps": s} for s in (2**21, 2**21 + 1))
    yield "positions of a number", with_changes(fine, at), with_changes(fine, over)
    at, over = ({**tiny, "weights.width": str(w)} for w in (2**22, 2**22 + 1))
    yield "width of a number", with_changes(fine, at), with_changes(fine, over)
    at, over = ({**tiny, "options.output_bins": n} for n in (4, 5))
    yield "outputs of a number", with_changes(fine, at), with_changes(fine, over)
    big = {**tiny, "options.steps": 2**21}
    at, over = ({**big, "options.output_bins": n} for n in (MOST // 2 - 1, MOST // 2))
    yield "cells of unary keys", with_changes(fine, at), with_changes(fine, over)
    at, over = ({**tiny, "domain.keys.size": k} for k in (32_768, 32_769))
    yield "keys in a report", with_changes(fine, at), with_changes(fine, over)
    rounded = {"weights.base": str(2**60), "weights.unit": "1"}
    at, over = ({**near, **rounded, "options.steps": s} for s in (2**39, 2**39 + 1))
    yield "positions of a rounded number", with_changes(unary, at), with_changes(unary, over)
    options = {"keys": "response", "numbers": "piecewise", "steps": 2, "output_bins": 2}
    keys = survey_of(sv.mechanism("key-value", sv.KeyValues(2, 0, 1, bins=2), 2.0, **options))
    tiny = {"weights.low": "1", "weights.unit": "1", "weights.width": "1", "options.steps": 2**21}
    at, over = ({**tiny, "options.output_bins": n} for n in (MOST // 2, MOST // 2 + 1))
    yield "cells of response keys", with_changes(keys, at), with_changes(keys, over)
    one = sv.KeyValues(2, 0, 1, bins=2, pairs=1)
    sets = survey_of(sv.mechanism("key-value", one, 2.0, **options))
    at, over = ({**tiny, "options.output_bins": n} for n in (MOST // 2 - 1, MOST // 2))
    yield "cells of response keys and no pair", with_changes(sets, at), with_changes(sets, over)
    single = survey_of(sv.mechanism("pckv-ue", sv.KeyValues(2, 0, 1, bins=1), 2.0, steps=2))
    for way in ("both", "unar"):
        yield f"keys {way}", response, with_changes(response, {"options.keys": way})
    even = with_changes(unary, {**near, "weights.other": near["weights.own"]})
    yield "other below own", with_changes(unary, near), even
    counts = {"domain.interval": {"kind": "counts", "most": 1, "version": 1}}
    yield "an interval, not counts", unary, with_changes(unary, counts)
    many = {**near, "weights.base": str(2**40), "weights.unit": "1"}
    sized = survey_of(sv.mechanism("pckv-ue", domain, 2.0, steps=1))
    at, over = (
        {**many, "domain.keys.size": k, "domain.interval.bins": bins}
        for k, bins in ((3, 833_333), (2, MOST // 2))
    )
    yield "pairs and no pair", with_changes(sized, at), with_changes(sized, over)
    yield "two positions of a number", single, with_changes(single, {"options.steps": 1})


def mechanism_limits() -> Iterator[Pair]:
    """Of epsilon, precision, blocks, subsets, and of what may be inside another mechanism."""
    plain = survey_of(sv.mechanism("grr", sv.Categories(3), 1.0))
    for inside, beyond in ((8, 7), (62, 63)):
        at, over = ({"options.bits": bits, **filled(3, 1.0, bits)} for bits in (inside, beyond))
        yield f"bits {inside}", with_changes(plain, at), with_changes(plain, over)
    least = {"weights.keep": "1", "weights.other": str((2**62 - 1) // 3)}
    below = decimal_text(math.nextafter(0.000001, 0))
    at, over = ({"epsilon": text, **least} for text in ("0.000001", below))
    yield "the least epsilon", with_changes(plain, at), with_changes(plain, over)
    two = survey_of(sv.mechanism("grr", sv.Categories(2), 1.0))
    for why, keep in (("keep", 0), ("other", 2**62)):
        weights = {"weights.keep": str(keep), "weights.other": str((2**62 - keep) // 2)}
        right = {"weights.keep": "2", "weights.other": str(2**61 - 1)}
        yield f"the least {why}", with_changes(two, right), with_changes(two, weights)
    alone = survey_of(sv.mechanism("grr", sv.Categories(1), 1.0))
    split = {"weights.keep": str(2**62 - 1), "weights.other": "1"}
    yield "a single value", alone, with_changes(alone, split)
    for name in ("olh-seeded", "flh"):
        hashed = survey_of(sv.mechanism(name, sv.Categories(9), 1.0, hash_range=2))
        one = {"options.hash_range": 1, "weights.keep": str(2**62), "weights.other": "0"}
        yield f"the least range of {name}", hashed, with_changes(hashed, one)
    unary = survey_of(sv.mechanism("oue", sv.Categories(9), 1.0))
    at, over = ({"weights.own": "2", "weights.other": other} for other in ("1", "0"))
    yield "the least other of bits", with_changes(unary, at), with_changes(unary, over)
    at, over = ({"epsilon": text} for text in ("20", "20.000000000000004"))
    yield "the largest epsilon", with_changes(plain, at), with_changes(plain, over)
    line = sv.Interval(0, 1, bins=4)
    levels = survey_of(sv.mechanism("hh", line, 1.0, split="budget", branching=2))
    even = [{"own": str(2**61), "other": str(2**61 - 1)}] * 2
    at, over = (
        {"epsilon": text, "weights": even} for text in ("0.000002", "0.0000019999999999999")
    )
    yield "the least epsilon of a level", with_changes(levels, at), with_changes(levels, over)
    hadamard = survey_of(sv.mechanism("hr", sv.Categories(9), 2.0, block_count=3))
    at, over = ({"options.block_count": b, "weights.keep": "1"} for b in (9, 4))
    yield "blocks that the values fill", with_changes(hadamard, at), with_changes(hadamard, over)
    yield (
        "a keep below all",
        with_changes(hadamard, {"weights.keep": "1"}),
        with_changes(hadamard, {"weights.keep": "0"}),
    )
    subset = survey_of(sv.mechanism("ss", sv.Categories(9), 1.0))
    at, over = ({"options.subset_size": k, "weights.own": str(2**62 * k // 9 + 1)} for k in (8, 9))
    yield "size of a subset", with_changes(subset, at), with_changes(subset, over)
    at, over = ({"weights.own": str(2**62 // 3 + more)} for more in (1, 0))
    yield "own above its share", with_changes(with_changes(subset, {"options.subset_size": 3}), at), with_changes(with_changes(subset, {"options.subset_size": 3}), over)  # fmt: skip
    pairs = survey_of(sv.mechanism("grr", sv.KeyValues(2, 0, 1, bins=2), 1.0))
    sets = with_changes(pairs, {"domain.pairs": 2, **filled(5, 1.0)})
    yield "one pair per person", pairs, sets
    eight = survey_of(sv.mechanism("ss", sv.Categories(8), 1.0, subset_size=2))
    at, over = ({"weights.own": str(2**60 + more)} for more in (1, 0))
    yield "own above exactly its share", with_changes(eight, at), with_changes(eight, over)
    lone = survey_of(sv.mechanism("ss", sv.Categories(1), 1.0))
    wrong = {"options.subset_size": 2, "weights.own": "5", "weights.start": "1"}
    for path, value in wrong.items():
        yield f"a subset of one: {path}", lone, with_changes(lone, {path: value})
    binned = survey_of(sv.mechanism("grr", sv.Counts(5), 1.0, report_bins=3))
    rated = survey_of(sv.mechanism("grr", sv.Ratings(1, 6), 1.0, report_bins=3))
    yield (
        "bins of ratings",
        rated,
        with_changes(rated, {"options.report_bins": 4, **filled(4, 1.0)}),
    )
    yield (
        "bins of counts",
        binned,
        with_changes(binned, {"options.report_bins": 4, **filled(4, 1.0)}),
    )
    cut = survey_of(sv.mechanism("grr", line, 1.0, report_bins=4))
    wide = with_changes(
        cut, {"options.report_bins": 1, "weights.keep": str(2**62), "weights.other": "0"}
    )
    yield "a bin reported", wide, with_changes(wide, {"options.report_bins": 0})
    yield "bins reported", cut, with_changes(cut, {"options.report_bins": 5, **filled(5, 1.0)})
    wave = {
        "mechanism": "square-wave",
        "options": {"b": None, "bits": 62, "output_bins": 2, "steps": 1, "wrap": False},
    }
    fine = {"mechanism": "square-wave", "options": {**wave["options"], "steps": 2}}
    weights = {"low": "2", "unit": "3", "width": "1"}
    at, over = ({"options.oracle": oracle, "weights": weights} for oracle in (wave, fine))
    yield "an oracle that sees its bins", with_changes(cut, at), with_changes(cut, over)
    rows = survey_of(sv.mechanism("vector", sv.Vector(sv.Counts(3), 2), 1.0, inner="grr"))
    unary = {"mechanism": "unary-encoding", "options": {"bits": 62, "variant": "optimized"}}
    bits = {"options.inner": unary, "weights": {"own": str(2**61), "other": str(2**61 - 1)}}
    yield "an inner mechanism of one cell", rows, with_changes(rows, bits)
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
    yield (
        "an inner mechanism without a scope",
        with_changes(rows, any_two),
        with_changes(rows, edge),
    )
    for inner in ("seeded-hashing", "subset-selection"):
        other = sv.mechanism(inner, sv.Counts(3), 1.0).document()
        told = {
            "options.inner": {"mechanism": inner, "options": other["options"]},
            "weights": other["weights"],
        }
        yield f"not {inner}", rows, with_changes(rows, told)
    deep = sv.mechanism("hh", sv.Counts(3), 1.0, split="budget").document()
    split = {
        "options.inner": {"mechanism": "hierarchy", "options": deep["options"]},
        "weights": deep["weights"],
    }
    yield "an inner hierarchy by population", rows, with_changes(rows, split)


def cell_limits() -> Iterator[Pair]:
    """Of the cells of a tally: vectors with as many coordinates as the mechanism inside allows."""
    hundred = sv.Interval(0, 1, bins=100)
    inner: dict[str, dict[str, Any]] = {
        "hadamard-response": {}, "haar": {}, "hierarchy": {}, "local-hashing": {}, "square-wave": {"output_bins": 300},
        "fixed-hashing": {"hash_count": 25, "hash_range": 10}, "laplace": {}, "randomized-response": {},
        "binned": {"report_bins": 90, "oracle": "hadamard-response"},
    }  # fmt: skip
    for name, options in inner.items():
        asked = {"mechanism": name, "options": options}
        made = sv.mechanism("vector", sv.Vector(hundred, 2), 2.0, inner=asked)
        document, most = survey_of(made), MOST // max(100, made.coordinate.cells)
        at, over = ({"domain.coordinates": k} for k in (most, most + 1))
        yield f"cells of {name}", with_changes(document, at), with_changes(document, over)
    one = sv.Vector(sv.Interval(0, 1, bins=1), 2)
    rounded = survey_of(
        sv.mechanism("vector", one, 2.0, inner={"mechanism": "sr", "options": {"steps": 2}})
    )
    at, over = ({"domain.coordinates": k} for k in (MOST // 2, MOST // 2 + 1))
    yield "cells of rounding", with_changes(rounded, at), with_changes(rounded, over)
    fine = sv.Vector(sv.Interval(0, 1, bins=1000), 2)
    inputs = survey_of(
        sv.mechanism("vector", fine, 2.0, inner={"mechanism": "sr", "options": {"steps": 1}})
    )
    at, over = ({"domain.coordinates": k} for k in (MOST // 1000, MOST // 1000 + 1))
    yield "inputs of vectors", with_changes(inputs, at), with_changes(inputs, over)
    rows = survey_of(
        sv.mechanism("gaussian", sv.Vector(sv.Interval(0, 1, bins=2), 2), 1.0, delta=0.5, reach=1)
    )
    flat_noise = {"options.reach": 624, **flat(2**40, 2**55, "change")}
    at, over = ({"domain.coordinates": k, **flat_noise} for k in (2000, 2001))
    yield "cells of rows", with_changes(rows, at), with_changes(rows, over)
