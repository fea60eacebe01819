"""Documents of mechanisms whose weights the library did not make.

A :class:`Case` is a mechanism over a small domain with some options.  :mod:`hostile_weights` draws
weights for it: uniform, of extreme ratios, at their limits, one too many or too few, zeros,
exchanged roles, one huge.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sottovoce as sv

__all__ = ["CASES", "Case"]


@dataclass(frozen=True)
class Case:
    """A mechanism to attack.  ``exact``: its certificate claims to be the worst ratio itself."""

    name: str
    domain: Any
    options: dict[str, Any]
    exact: bool = True
    epsilon: float = 1.0

    def document(self, epsilon: float | None = None) -> dict[str, Any]:
        """The document that the library would write, with its own weights."""
        key = id(self), epsilon or self.epsilon
        if key not in _DOCUMENTS:
            _DOCUMENTS[key] = sv.mechanism(
                self.name, self.domain, epsilon or self.epsilon, **self.options
            ).document()
        return copy.deepcopy(_DOCUMENTS[key])


_DOCUMENTS: dict[tuple[int, float], dict[str, Any]] = {}
"""Of every case and epsilon, made once: deriving weights takes longer than judging them."""


# -- the cases -----------------------------------------------------------------------------


def _cases() -> Iterator[Case]:
    few, numbers = sv.Categories, lambda bins: sv.Interval(0, 1, bins=bins)
    for bits in (8, 16, 62):
        some = {"bits": bits}
        for d in (2, 3, 7):
            yield Case("randomized-response", few(d), some)
        for d in (2, 3, 4):
            yield Case("unary-encoding", few(d), some, epsilon=2.0)
        yield Case("unary-encoding", few(3), {"variant": "symmetric", **some}, epsilon=2.0)
        for d, k in ((2, 1), (4, 1), (4, 2), (5, 4)):
            yield Case("subset-selection", few(d), {"subset_size": k, **some})
        for d, most in ((1, 1), (3, 2), (4, 3)):
            boxes = sv.Choices([f"o{option}" for option in range(d)], most)
            yield Case("choice-response", boxes, some, epsilon=2.0)
            yield Case("drawn-option", boxes, some)
        for d, most, size in ((3, 1, 1), (4, 2, 2), (4, 2, 3), (5, 3, 2)):
            boxes = sv.Choices([f"o{option}" for option in range(d)], most)
            yield Case("choice-subsets", boxes, {"report_size": size, **some}, epsilon=2.0)
        for d, sensitive in ((2, [1]), (4, [0, 2]), (5, [1, 2, 3, 4])):
            yield Case("sensitive-response", few(d, sensitive=sensitive), some)
        for d, s, k in ((3, 2, 1), (5, 4, 1), (6, 4, 2), (5, 4, 3)):
            options = {"subset_size": k, **some}
            yield Case("sensitive-subsets", few(d, sensitive=range(s)), options)
        for d, s, g in ((3, 2, 2), (6, 4, 2), (7, 5, 3)):
            yield Case("sensitive-hashing", few(d, sensitive=range(s)), {"hash_range": g, **some})
        for d, blocks in ((2, 1), (3, 1), (5, 2), (4, 4)):
            yield Case("hadamard-response", few(d), {"block_count": blocks, **some})
        for d, g in ((2, 2), (5, 2), (5, 3), (5, 5)):
            yield Case("local-hashing", few(d), {"hash_range": g, **some})
        yield Case("fixed-hashing", few(4), {"hash_count": 9, "hash_range": 3, **some}, False)
        yield Case("seeded-hashing", few(4), {"hash_range": 3, **some}, False)
        yield Case("haar", numbers(2), some)
        yield Case("haar", numbers(5), some)
    for options in ({"branching": 2}, {"branching": 2, "hash_ranges": (3, 2, 0)}, {"branching": 4}):
        yield Case("hierarchy", numbers(5), {**options, "bits": 30})
    yield Case("hierarchy", numbers(2), {"bits": 8})
    for bins, branching in ((3, 2), (4, 2), (3, 4)):
        options = {"branching": branching, "split": "budget", "bits": 20}
        yield Case("hierarchy", numbers(bins), options, epsilon=6.0)
    yield from _waves()
    yield from _noises()
    yield from _pairs()
    yield from _nested()
    yield from _memories()
    yield from _records()
    for d in (2, 3, 4):
        yield Case("table", few(d), {"weights": [[1] * d] * d})


def _waves() -> Iterator[Case]:
    numbers = sv.Interval(0, 1, bins=3)
    for steps in (1, 2):
        some = {"steps": steps, "output_bins": 2, "bits": 40}
        yield Case("square-wave", numbers, some)
        yield Case("piecewise", numbers, some)
        yield Case("stochastic-rounding", numbers, {"steps": steps})
        yield Case("square-wave", numbers, {**some, "wrap": True}, False)
        for ratio in (0.0, 0.29, 0.5, 1.0):
            yield Case("wave", numbers, {**some, "ratio": ratio}, False)
    yield Case("piecewise", sv.Counts(3), {"output_bins": 2})


def _noises() -> Iterator[Case]:
    for bins in (2, 3, 5):
        yield Case("laplace", sv.Interval(0, 1, bins=bins), {"bits": 40})
        yield Case("degree-noise", sv.Counts(bins - 1), {"bits": 40})
        for reach in (0, 1, 3):
            options = {"delta": 0.1, "reach": reach, "bits": 50}
            yield Case("gaussian", sv.Interval(0, 1, bins=bins), options, False)
    for bins, reach, coordinates in ((2, 0, 2), (2, 2, 2), (3, 1, 2), (2, 1, 3)):
        domain, options = sv.Vector(sv.Interval(0, 1, bins=bins), coordinates), {"delta": 0.1}
        yield Case("gaussian", domain, {**options, "reach": reach, "bits": 50}, False)


def _pairs() -> Iterator[Case]:
    shapes = [
        (1, None),
        (2, None),
        (3, None),
        (1, 1),
        (1, 2),
        (2, 2),
        (2, 3),
        (3, 2),
        (3, 3),
        (2, 5),
    ]
    for keys in ("unary", "response"):
        for count, pairs in shapes:
            domain = sv.KeyValues(count, 0, 1, bins=2, pairs=pairs)
            options = {"keys": keys, "steps": 1, "bits": 30}
            yield Case("key-value", domain, {**options, "numbers": "rounding"}, epsilon=3.0)
            piecewise = {**options, "numbers": "piecewise"}
            yield Case("key-value", domain, {**piecewise, "output_bins": 2}, False, epsilon=3.0)
        wider = sv.KeyValues(2, 0, 1, bins=3, pairs=2)
        yield Case("key-value", wider, {**options, "numbers": "rounding"}, epsilon=3.0)
        sampled = sv.KeyValues(3, 0, 1, bins=2, pairs=2, larger="sample")
        yield Case("key-value", sampled, {**options, "numbers": "rounding"}, epsilon=3.0)


def _records() -> Iterator[Case]:
    three = sv.Record({name: sv.Categories(size) for name, size in (("a", 2), ("b", 3), ("c", 2))})
    two = sv.Record({"a": sv.Categories(3), "b": sv.Categories(2)})
    for bits in (12, 62):
        for design in ("sample", "pairs", "mixed", "parities"):
            yield Case("question-sets", three, {"design": design, "bits": bits})
        yield Case("question-sets", two, {"design": "pairs", "hash_ranges": [3], "bits": bits})
        yield Case("question-sets", two, {"design": "parities", "rates": [1, 2, 5], "bits": bits})
        yield Case("question-sets", three, {"design": "joint", "bits": bits})
        for ranges in ([0, 0], [2, 0], [3, 2]):
            options = {"design": "split", "hash_ranges": ranges, "bits": bits}
            yield Case("question-sets", two, options, epsilon=3.0)


def _memories() -> Iterator[Case]:
    for bits in (10, 62):
        for name, d, more in (
            ("randomized-response", 2, {}), ("randomized-response", 5, {}),
            ("local-hashing", 5, {"hash_range": 3}), ("unary-encoding", 3, {"variant": "symmetric"}),
            ("unary-encoding", 2, {}),
        ):  # fmt: skip
            inner = {"mechanism": name, "options": {"bits": bits, **more}}
            yield Case("memoized", sv.Categories(d), {"lifetime": 20.0, "inner": inner})
    for more in ({}, {"wrap": True}):
        inner = {"mechanism": "square-wave", "options": {"steps": 1, "bits": 40, **more}}
        options = {"lifetime": 20.0, "inner": inner}
        yield Case("memoized", sv.Interval(0, 1, bins=4), options, not more)


def _nested() -> Iterator[Case]:
    interval = sv.Interval(0, 1, bins=6)
    for bins in (1, 2, 4):
        for oracle in ("randomized-response", "unary-encoding", "subset-selection", "laplace",
                       "hadamard-response", "haar"):  # fmt: skip
            yield Case("binned", interval, {"report_bins": bins, "oracle": oracle}, epsilon=2.0)
        hashed = {"mechanism": "local-hashing", "options": {"hash_range": 2}}
        yield Case("binned", interval, {"report_bins": bins, "oracle": hashed})
    for name in ("fixed-hashing", "seeded-hashing"):
        oracle = {"mechanism": name, "options": {"hash_range": 2}}
        if name == "fixed-hashing":
            oracle["options"]["hash_count"] = 5
        yield Case("binned", interval, {"report_bins": 3, "oracle": oracle}, False)
    tree = {"mechanism": "hierarchy", "options": {"branching": 2}}
    yield Case("binned", interval, {"report_bins": 4, "oracle": tree})
    noise = {"mechanism": "gaussian", "options": {"delta": 0.1, "reach": 2}}
    yield Case("binned", interval, {"report_bins": 3, "oracle": noise}, False)
    vector = sv.Vector(sv.Interval(0, 1, bins=3), 2)
    for inner in ("randomized-response", "laplace", "haar", "hadamard-response"):
        yield Case("sampled-coordinate", vector, {"inner": inner})
    for inner in ("piecewise", "square-wave", "stochastic-rounding"):
        cells = {} if inner == "stochastic-rounding" else {"output_bins": 2}
        inside = {"mechanism": inner, "options": {"steps": 1, **cells}}
        yield Case("sampled-coordinate", vector, {"inner": inside})
    for inner, options in (
        ("wave", {"steps": 1, "output_bins": 2}), ("local-hashing", {"hash_range": 2}), ("hierarchy", {}),
        ("fixed-hashing", {"hash_count": 3, "hash_range": 2}), ("gaussian", {"delta": 0.1, "reach": 1}),
        ("binned", {"report_bins": 2, "oracle": "randomized-response"}),
    ):  # fmt: skip
        inside = {"mechanism": inner, "options": options}
        yield Case("sampled-coordinate", vector, {"inner": inside}, False)


CASES = [*_cases()]
