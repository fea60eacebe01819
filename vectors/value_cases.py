"""Values: which input and position a device finds for them, or that it refuses them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms._fine_grid import places_on_grid
from vectors.report_cases import held

__all__ = ["index_of", "value_vectors"]


def value_vectors() -> Iterator[dict[str, Any]]:
    """Every domain with values, their inputs, and with ``steps`` their positions."""
    for domain, outside, steps, values in _asked():
        for value in values:
            special = isinstance(value, float) and not math.isfinite(value)
            given = {"number": _SPECIAL[str(value)]} if special else {"value": value}
            case = {"domain": domain.to_json(), "outside": outside, "steps": steps, **given}
            yield {**case, **index_of(domain, outside, steps, value)}


_SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def index_of(domain: Any, outside: str, steps: int, value: Any) -> dict[str, Any]:
    """What the library finds: ``input`` and ``position``, or ``refused``."""
    survey = sv.Survey("values", "Which?", _mechanism(domain), outside=outside)
    try:
        admitted = survey.admit(held(domain, value))
        return {"input": _input(domain, admitted), "position": _position(domain, steps, admitted)}
    except InvalidInput:
        return {"refused": True}


def _mechanism(domain: Any) -> sv.Mechanism:
    if isinstance(domain, sv.Vector):
        return sv.mechanism("vector", domain, 1.0, inner="grr")
    if isinstance(domain, sv.KeyValues):
        return sv.mechanism("pckv-grr", domain, 3.0, steps=2)
    if domain.choices is not None:
        return sv.mechanism("drawn-option", domain, 1.0)
    if isinstance(domain, sv.Record):
        return sv.mechanism("record", domain, 1.0, design="sample")
    return sv.mechanism("grr", domain, 9.0)


def _input(domain: Any, value: Any) -> Any:
    if isinstance(domain, sv.Vector):
        return domain.bins_of([value])[0].tolist()
    if isinstance(domain, sv.KeyValues):
        pairs = [value] if domain.pairs is None else value
        found = [[domain.keys.index(key), domain.interval.index(number)] for key, number in pairs]
        return found[0] if domain.pairs is None else found
    if isinstance(domain, sv.Record):
        return list(domain.answers(value))
    if domain.choices is not None:
        places = domain.positions(value)
        return [*places, *(domain.options.size + slot for slot in range(len(places), domain.most))]
    return domain.index(value)


def _position(domain: Any, steps: int, value: Any) -> Any:
    """On a grid of ``steps`` positions a bin; of categories and records there is none."""
    if isinstance(domain, (sv.Categories, sv.Record)) or domain.choices or domain.may_decline:
        return None
    grid = getattr(domain, "interval", domain)
    if isinstance(domain, sv.Vector):
        return places_on_grid(grid, steps, value).tolist()
    if isinstance(domain, sv.KeyValues):
        pairs = [value] if domain.pairs is None else value
        found = places_on_grid(grid, steps, [number for _, number in pairs]).tolist()
        return found[0] if domain.pairs is None else found
    return int(places_on_grid(grid, steps, [value])[0])


def _beside(*numbers: float) -> list[float]:
    """Numbers with the doubles next to them."""
    return [
        near
        for x in numbers
        for near in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf))
    ]


def _asked() -> Iterator[tuple[Any, str, int, list[Any]]]:
    nan, inf = math.nan, math.inf
    odd = [None, True, False, "0.5", "", [0.5], []]
    unit = sv.Interval(0, 1, bins=100)
    yield unit, "refuse", 1, [0.29, 0.57, 0.58, *_beside(0.07, 0.3, 0.99), 0, 1, -0.0, 1.0]
    yield unit, "refuse", 7, [*_beside(0, 0.29, 1), 0.005, 0.0099, nan, inf, -inf, *odd]
    yield unit, "nearest", 3, [-1, 2, -inf, inf, nan, 1e300, -1e-300, 0.5, *odd]
    third = sv.Interval(-1, 2.3, bins=7)
    starts = [third.low + i * third.width for i in range(8)]
    yield third, "refuse", 5, [*_beside(*starts), 0, 2.3]
    yield sv.Interval(0, 120, bins=24), "refuse", 2731, [*_beside(5, 60, 120), 7.25, 119.9999]
    yield sv.Interval(-1e-300, 1e-300, bins=3), "refuse", 2, [0, -1e-300, 1e-300, 4e-301, -4e-301]
    tiny = sv.Interval(0, 3e-322, bins=2)  # steps / width is infinite
    for steps in (1, 3):
        yield tiny, "refuse", steps, [0, *_beside(tiny.width), 1e-322, 3e-322]
        yield sv.Interval(0, 1e-308, bins=1), "refuse", steps, [0, 5e-324, 5e-309, 1e-308]
    yield (
        sv.Interval(1e15, 1e15 + 64, bins=4),
        "refuse",
        4,
        [1e15, 1e15 + 15.875, 1e15 + 16, 1e15 + 64, 10**15 + 33],
    )
    yield (
        sv.Interval(0, 5, bins=1),
        "refuse",
        3,
        [0, 5, 1.6666666666666667, 1.6666666666666665, 3.4],
    )
    counts = sv.Counts(9)
    yield counts, "refuse", 1, [0, 9, 3, 3.0, 2.5, 10, -1, 9.5, -0.5, nan, inf, -0.0, *odd]
    yield counts, "nearest", 1, [10, -1, 1e9, -1e9, inf, -inf, nan, 2.5, 9.5, -0.5, 1e300, 4, *odd]
    yield sv.Counts(0), "nearest", 1, [0, 1, -1, 0.0]
    stars = sv.Ratings(1, 5)
    yield stars, "refuse", 1, [1, 5, 3, 3.0, 2.5, 6, 0, 0.5, 5.5, nan, inf, -0.0, *odd]
    yield (
        stars,
        "nearest",
        1,
        [6, 0, -0.0, 1e9, -1e9, inf, -inf, nan, 2.5, 5.5, 0.5, 1e300, 4, *odd],
    )
    yield sv.Ratings(-2, 2), "nearest", 1, [-2, 2, 0, -0.0, -3, -2.5, -1, 3, -1.5]
    far = sv.Ratings(10**12 - 2, 10**12)
    yield far, "refuse", 1, [10**12, 10**12 - 2, 10**12 - 1.5, 1e12 - 1, *_beside(1e12), 10**12 + 1]
    yield sv.Vector(sv.Ratings(-1, 1), 2), "refuse", 1, [[-1, 1], [0, -0.0], [0.5, 0], [0, 2]]
    names = sv.Categories(["1", 1, "other", -3, "é", "e\u0301", ""])
    told = [
        "1", 1, "other", -3, "-3", "é", "e\u0301", "", " 1", "Other", 2, True, None, ["1"], "\x001",
    ]  # fmt: skip
    yield names, "refuse", 1, told
    yield names, "other", 1, [*told, 1.5, nan, inf, {"a": 1}]
    yield sv.Categories(5), "refuse", 1, [0, 4, 5, -1, "0", True, None, 0.5, nan]
    row = sv.Vector(sv.Interval(0, 1, bins=10), 2)
    yield (
        row,
        "refuse",
        3,
        [[0, 1], [0.1, 0.3], [1, 0.7000000000000001], [0.5], [0, 0, 0], [0, 2], [-0.1, 0]],
    )
    yield row, "refuse", 1, [[0.5, None], [0.5, "0"], 0.5, "01", [], None, [[0, 1]]]
    yield sv.Vector(sv.Counts(3), 2), "refuse", 1, [[0, 3], [1, 1.5], [3, 4], [2.0, 1]]
    pair = sv.KeyValues(["x", 1, "1"], 0, 1, bins=10)
    yield (
        pair,
        "refuse",
        3,
        [["x", 0.3], [1, 0.30000000000000004], ["1", 1], ["y", 0], ["x", 2], ["x"]],
    )
    yield (
        pair,
        "refuse",
        1,
        [["x", "0"], ["x", None], ["x", True], None, "x", ["x", 0, 0], [], 1],
    )
    sets = sv.KeyValues(["x", "y", "z"], 0, 1, bins=10, pairs=2)
    full = [["z", 0.3], ["x", 1], ["y", 0]]
    yield (
        sets,
        "refuse",
        3,
        [full[:1], full[:2], full[1::-1], full, [], [["x", 0], ["x", 1]], [["x", 2]], [["w", 1]]],
    )
    yield sets, "refuse", 1, [[["x"]], [["x", 0, 1]], None, "x", [["x", None]]]
    more = sv.KeyValues(["x", "y", "z"], 0, 1, bins=10, pairs=2, larger="sample")
    yield more, "refuse", 1, [full, full[:1], [*full, ["x", 0]], []]
    rent = sv.Interval(0, 2000, edges=[0, 300, 0.1 + 0.2 + 500, 1000, 2000], open_end=True)
    ends = [0, 300, 500.3, 1000, 2000]
    for outside in ("refuse", "nearest"):
        yield rent, outside, 3, [*_beside(*ends), 1e300, -1, nan, inf, -inf, *odd]
    ages = sv.Interval(-5, 7.5, edges=[-5, -1e-300, 0.1, 7.5], unit="years")
    for steps in (1, 7):
        yield ages, "refuse", steps, [*_beside(-5, -1e-300, 0.1, 7.5), 0, -0.0, 0.05, 3]
    yield ages, "nearest", 2, [8, -6, inf, -inf, nan]
    log = sv.Interval(0, 1_000_000, bins=7, scale="log", start=10, open_end=True)
    yield log, "refuse", 5, [0, *_beside(10, 100, 1000), 999_999, 1_000_000, 1e12, -1e-9]
    yield sv.Interval(0, 9, bins=9, unit="EUR"), "nearest", 2, [0, 9, 4.5, 10, "4"]
    yield sv.Counts(9, unit="visits"), "nearest", 1, [0, 9, 10, 2.5]
    yield sv.Ratings(1, 5, unit="stars"), "refuse", 1, [1, 5, 6, "5"]
    told = [
        "2024-02-29", "2024-03-01", "2023-12-31", "2024-01-01", "2023-11-15", "2026-02-01", "2023-11-14",
        "2026-02-02", "2025-02-29", "2024-2-29", "20240229", " 2024-02-29", "2024-02-30", "0000-01-01", "10000-01-01",
        "2024-W05-1", "29.02.2024", 19_782, None, True, ["2024-02-29"], {}, "",
    ]  # fmt: skip
    for step in ("day", "week", "month", "quarter", "year"):
        steps = 1 if step == "day" else 5
        yield sv.Dates("2023-11-15", "2026-02-01", step=step), "refuse", steps, told
    yield sv.Dates("2023-11-15", "2026-02-01", step="week"), "nearest", 1, told
    yield sv.Dates("0001-01-01", "0001-12-31", step="week"), "refuse", 2, ["0001-01-01", "0001-01-07", "0001-01-08", "0001-12-31"]  # fmt: skip
    yield sv.Dates("9999-01-01", "9999-12-31", step="quarter"), "refuse", 1, ["9999-09-30", "9999-10-01", "9999-12-31"]  # fmt: skip
    yield sv.Dates("2026-05-06", "2026-05-06", step="week"), "refuse", 3, ["2026-05-06", "2026-05-05"]  # fmt: skip
    either = sv.MayDecline(sv.Ratings(1, 5))
    yield either, "refuse", 1, [1, 5, "Prefer not to say", "prefer not to say", 6, 0, None, "", 2.5]
    yield either, "nearest", 1, [9, "Prefer not to say", "no", inf]
    said = sv.MayDecline(sv.Categories(["a", "other"]), "\u2014")
    yield said, "other", 1, ["a", "\u2014", "-", None, "other"]
    yield sv.MayDecline(sv.Dates("2026-01-01", "2026-12-31", step="month")), "refuse", 1, ["2026-02-28", "Prefer not to say"]  # fmt: skip
    pets = sv.Choices(["cat", 1, "1", "e\u0301"], most=3)
    ticked = [[], ["cat"], [1], ["1", "cat"], ["e\u0301", 1, "cat"], ["cat", "cat"], ["cat", 1, "1", "e\u0301"],
              ["dog"], ["é"], [None], [["cat"]], "cat", None, 1, {}, {"cat": True}, True]  # fmt: skip
    yield pets, "refuse", 1, ticked
    some = sv.Categories(["none", "flu", "other"], sensitive=["flu"])
    yield some, "other", 1, ["none", "flu", "cold", None]
    people = sv.Record({
        "age": sv.Interval(0, 120, bins=24), "os": sv.Categories(["mac", "linux", 1]),
        "stars": sv.Ratings(1, 5), "rooms": sv.Counts(9),
    })  # fmt: skip
    one = {"age": 31, "os": "linux", "stars": 5, "rooms": 0}
    yield people, "refuse", 1, [one, dict(reversed(one.items())), {**one, "os": 1, "age": 4.99}]
    for change in ({"age": 121}, {"age": "31"}, {"age": None}, {"os": "Mac"}, {"os": "1"}, {"os": True},
                   {"stars": 0}, {"stars": 2.5}, {"rooms": [1]}, {"os": ["mac"]}, {"Age": 31}, {"": 1}):  # fmt: skip
        yield people, "refuse", 1, [{**one, **change}]
    less = [{key: one[key] for key in one if key != left} for left in one]
    yield people, "refuse", 1, [*less, {}, *odd, list(one.values()), [*one.items()], 0, "age"]
    marks = ["__proto__", "constructor", "é", "e\u0301", "a b", "\u3000", "\u200b", "\U0001f600"]
    named = sv.Record({name: sv.Categories(2) for name in marks})
    full = dict.fromkeys(marks, 1)
    yield named, "refuse", 1, [full, {**full, "toString": 1}, dict.fromkeys(marks[1:], 1)]
