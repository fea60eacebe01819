"""Surveys that a likely misreading of the pages would take or refuse wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from vectors.changed import filled, survey_of, with_changes

__all__ = ["other_readings", "right_readings"]

Case = tuple[str, str]
"""Why, and the text."""

_IN_SETS: dict[str, dict[str, Any]] = {
    "unary-encoding": {}, "subset-selection": {}, "seeded-hashing": {}, "hierarchy": {"split": "budget"},
}  # fmt: skip
"""Mechanisms with a block for every value."""
_CATEGORICAL = ("randomized-response", "unary-encoding", "subset-selection", "hadamard-response",
                "local-hashing", "seeded-hashing", "fixed-hashing", "table")  # fmt: skip
_LONGEST = 2**53 - 1


def right_readings() -> Iterator[Case]:
    """Surveys to take."""
    for why, document in _right():
        yield why, canonical_json(document)


def other_readings() -> Iterator[Case]:
    """Surveys to refuse, everything else about which is right."""
    for why, document in _wrong():
        yield why, canonical_json(document)


def _right() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, options in _IN_SETS.items():
        yield f"{name} inside a vector, over one bin", _vector_of(1, name, options)
    wide = {"report_bins": 1, "oracle": {"mechanism": "unary-encoding", "options": {}}}
    yield "an inner oracle of one wide bin", _vector_of(4, "binned", wide)
    uneven = {"report_bins": 3, "oracle": {"mechanism": "randomized-response", "options": {}}}
    yield "inner bins that do not divide", _vector_of(4, "binned", uneven)
    yield "wider bins of wider bins", survey_of(_nested_bins(4, 2))
    yield "the largest branching", survey_of(sv.mechanism("hh", _line(4), 1.0, branching=_LONGEST))
    yield "a level of one node, whatever its weights", _one_node()


def _wrong() -> Iterator[tuple[str, dict[str, Any]]]:
    row = sv.Vector(_line(4), 2).to_json()
    for name in _CATEGORICAL:
        table = {"weights": [[3, 1]] * 8} if name == "table" else {}
        one = survey_of(sv.mechanism(name, sv.Categories(8), 1.2, **table))
        yield f"{name} over vectors", with_changes(one, {"domain": row})
    named = survey_of(sv.mechanism("grr", sv.Categories(["a", "b"]), 1.0))
    for values in (["a", "b", "a"], [1, 1, "1"]):
        repeated = {"domain.values": values}
        yield f"two of the categories {values}", with_changes(named, repeated)
    nested = survey_of(_nested_bins(4, 2))
    uneven = {"options.oracle.options.report_bins": 3, **filled(3, 1.0)}
    yield "wider bins of wider bins that do not divide", with_changes(nested, uneven)
    tree = survey_of(sv.mechanism("hh", _line(9), 1.0, branching=3, hash_ranges=[0, 0]))
    for ranges in ([-1, 0], [0, -1], [-3, 0]):
        yield (
            f"levels with the hash ranges {ranges}",
            with_changes(tree, {"options.hash_ranges": ranges}),
        )
    split = survey_of(sv.mechanism("hh", _line(9), 1.0, branching=3, split="budget"))
    for why, levels in (("population", tree), ("budget", split)):
        weights = levels["mechanism"]["weights"]
        for place in (0, 2):
            more = [*weights[:place], weights[1], *weights[place:]]
            changed = with_changes(levels, {"weights": more})
            yield f"weights of a level too much, by {why}, at {place}", changed
    weights = tree["mechanism"]["weights"]
    more = {"options.hash_ranges": [0, 0, 0], "weights": [*weights, weights[1]]}
    yield "a level too much", with_changes(tree, more)


def _line(bins: int) -> sv.Interval:
    return sv.Interval(0, 1, bins=bins)


def _vector_of(bins: int, name: str, options: dict[str, Any]) -> dict[str, Any]:
    inner = {"mechanism": name, "options": options}
    return survey_of(sv.mechanism("vector", sv.Vector(_line(bins), 2), 1.0, inner=inner))


def _nested_bins(inner: int, innermost: int) -> sv.Mechanism:
    """Twelve bins, reported in ``inner`` ones, and these in ``innermost`` ones."""
    response = {"mechanism": "randomized-response", "options": {}}
    oracle = {"mechanism": "binned", "options": {"report_bins": innermost, "oracle": response}}
    return sv.mechanism("binned", _line(12), 1.0, report_bins=inner, oracle=oracle)


def _one_node() -> dict[str, Any]:
    one = survey_of(sv.mechanism("hh", _line(1), 1.0, split="budget"))
    return with_changes(one, {"weights": [{"own": str(2**62 - 1), "other": "1"}]})
