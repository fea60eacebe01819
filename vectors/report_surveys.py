"""The surveys of the report vectors: every mechanism's examples, and those at which clients fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sottovoce as sv

__all__ = ["Asked", "asked_surveys"]


class Asked(NamedTuple):
    """A mechanism, values to answer with (none: those of the domain), and the rules of a survey."""

    mechanism: Any
    values: tuple[Any, ...] = ()
    rules: tuple[tuple[str, Any], ...] = ()


def asked_surveys(cls: type[sv.Mechanism]) -> Iterator[Asked]:
    """The examples of a mechanism, then its harder cases."""
    for mechanism in cls.examples():
        yield Asked(mechanism)
    yield from _MORE[cls.name]()


def _m(name: str, domain: Any, epsilon: float | None = 1.0, **options: Any) -> Any:
    return sv.mechanism(name, domain, epsilon, **options)


NAMES = ("1", 1, "other", -7, "Ä\U0001f600", 2**53 - 1, "", 'a "b"\\c\n')
"""Labels that look alike, and some that have to be escaped."""
ROUND = (127, 128, 254, 255, 256)
RULES = (("outside", "other"), ("opens", "2026-01-05"), ("closes", "2027-12-31"))
NEAREST = (("outside", "nearest"),)
RENT = sv.Interval(0, 2000, edges=[0, 300, 500, 750, 1000, 2000], open_end=True, unit="EUR")
YEARS = sv.Interval(0, 100, edges=[0, 0.1, 2, 50, 99.5, 100])


def _randomized_response() -> Iterator[Asked]:
    yield Asked(_m("grr", sv.Categories(NAMES), 3.0), (*NAMES, "nothing", 2, True), RULES)
    yield Asked(_m("grr", sv.Categories(["alone"])), ("alone",))
    for size in (256, 257, 65_536, 65_537):
        yield Asked(
            _m("grr", sv.Categories(size), 9.0), (0, *ROUND[: 5 if size > 256 else 4], size - 1)
        )
    yield Asked(_m("grr", sv.Counts(5), 2.0), (0, 5, 3, 3.0, -4, 99, 1e300), NEAREST)
    yield Asked(_m("grr", sv.Ratings(1, 5), 2.0), (1, 5, 3, 4.0, 0, 6, -1e300), NEAREST)
    yield Asked(
        _m("grr", sv.Interval(0, 1, bins=100), 6.0), (0.29, 0.28, 1, 0, -3, 2.5, 0.57), NEAREST
    )
    yield Asked(
        _m("grr", RENT, 2.0), (0, 300, 299.99999999999994, 2000, 1e300, -1, 1999.9), NEAREST
    )
    moved = sv.Dates("2024-02-15", "2026-03-01", step="quarter")
    days = ("2024-02-15", "2024-03-31", "2024-04-01", "2026-03-01", "2020-01-01", "2027-01-01")
    yield Asked(_m("grr", moved, 2.0), days, NEAREST)
    stars = sv.MayDecline(sv.Ratings(1, 5, unit="stars"))
    yield Asked(_m("grr", stars, 2.0), (1, 5, "Prefer not to say", 9), NEAREST)
    pairs = sv.KeyValues(["a", "b", "c"], 0, 1, bins=2)
    yield Asked(_m("grr", pairs, 3.0), (["c", 1], ["a", 0], ["b", 0.5], ["c", 0.25]))


def _unary_encoding() -> Iterator[Asked]:
    yield Asked(_m("oue", sv.Categories(2040), 1.0), (0, 2039))
    yield Asked(_m("sue", sv.Categories(2041), 6.0), (2040, 7))
    yield Asked(_m("oue", sv.Categories(1)), (0,))
    yield Asked(_m("sue", sv.Categories(64), 1e-6), (0, 63, 31))
    yield Asked(_m("oue", sv.Categories(2)), (0, 1))


def _subset_selection() -> Iterator[Asked]:
    yield Asked(_m("ss", sv.Categories(1)), (0,))
    for size, k in (
        (3, 1),
        (4, 2),
        (66, 33),
        (65, 1),
        (66, 65),
        (129, 64),
        (961, 300),
        (962, 300),
        (1024, 275),
        (1025, 1000),
    ):
        yield Asked(_m("ss", sv.Categories(size), 1.5, subset_size=k), (0, size - 1, size // 2))
    for size in (17, 33):  # no words at first, and tries of 4 and of 5 bits
        made = _m("ss", sv.Categories(size), 1.5, subset_size=2)
        empty = {"own": made.weights[0], "start": 0}
        yield Asked(
            _m("ss", sv.Categories(size), 1.5, subset_size=2, weights=empty), (0, 5, size - 1)
        )
    yield Asked(_m("ss", sv.Categories(262_144), 12.0, subset_size=3), (262_143, 0))
    yield Asked(_m("ss", sv.Categories(2), subset_size=1), (0, 1))


def _hadamard_response() -> Iterator[Asked]:
    yield Asked(_m("hr", sv.Categories(1)), (0,))
    yield Asked(_m("hr", sv.Categories(2)), (0, 1))
    yield Asked(_m("hr", sv.Categories(1000)), (0, 999, 126, 127, 254, 255, 256))
    yield Asked(_m("hr", sv.Categories(1000), 5.0), (0, 999, 127, 512))
    yield Asked(_m("hr", sv.Categories(21), 2.0, block_count=3), (0, 20, 7, 19))


def _local_hashing() -> Iterator[Asked]:
    yield Asked(_m("olh", sv.Categories(1)), (0,))
    yield Asked(_m("olh", sv.Categories(1000)), (0, 999, 255, 256, 257, 500))
    yield Asked(_m("olh", sv.Categories(1_000_000)), (0, 999_999, 65_535, 65_536, 123_456))
    yield Asked(_m("olh", sv.Categories(300), 6.0), (0, 299, 255, 256))
    yield Asked(_m("blh", sv.Categories(70_000), 0.5), (0, 69_999, 4_096))
    yield Asked(_m("olh", sv.Categories(2)), (0, 1))


def _seeded_hashing() -> Iterator[Asked]:
    for g in (256, 257, 65_537, 2**29):
        yield Asked(_m("olh-seeded", sv.Categories(5000), 12.0, hash_range=g), (0, 4999, 256))
    yield Asked(_m("olh-seeded", sv.Categories(1)), (0,))
    yield Asked(_m("olh-seeded", sv.Categories(2)), (0, 1))


def _fixed_hashing() -> Iterator[Asked]:
    wide = (0, 254, 255, 256, 257, 511, 512, 999)
    yield Asked(_m("flh", sv.Categories(1000), 1.0, hash_count=300), wide)
    yield Asked(_m("flh", sv.Categories(600), 6.0, hash_count=256), (0, 599, 256))
    yield Asked(_m("flh", sv.Categories(9), 4.0, hash_count=1), (0, 8))
    yield Asked(_m("flh", sv.Categories(1), hash_count=3), (0,))
    yield Asked(_m("flh", sv.Categories(2), hash_count=3), (0, 1))


def _table() -> Iterator[Asked]:
    one = [[2**62, 2**61, 2**61 - 1, 1, 0], [2**61, 2**62, 2**61 - 1, 1, 0]]
    yield Asked(_m("table", sv.Categories(2), None, weights=one), (0, 1))
    two = [[3] * 64 + [1] * 192 + [128] * 1, [1] * 192 + [3] * 64 + [128] * 1]
    yield Asked(_m("table", sv.Categories(2), None, weights=two), (0, 1))
    yield Asked(_m("table", sv.Interval(0, 1, bins=2), 1.2, weights=[[3, 1], [1, 3]]), (0, 1, 0.5))


def _square_wave() -> Iterator[Asked]:
    edges = (0, 5, 4.999999999999999, 119.99999999999999, 57.5, 120)
    yield Asked(_m("sw", sv.Interval(0, 120, bins=24), 2.0, b=0.1), edges)
    yield Asked(
        _m("sw", sv.Interval(0, 1, bins=100), 1.0, steps=7, output_bins=64), (0.29, 0.57, 1, 0.999)
    )
    ring = sv.Interval(0, 7, bins=7)
    yield Asked(_m("sw", ring, 1.0, wrap=True, steps=1), (0, 7, 6.9, 3.5))
    yield Asked(_m("sw", ring, 1.0, wrap=True, steps=3, b=0.5), (0, 7, 6.9, 3.5))
    yield Asked(_m("sw", sv.Counts(9), 1.0), (0, 9, 4))
    yield Asked(_m("sw", sv.Ratings(-3, 6), 1.0), (-3, 6, 0))
    yield Asked(_m("sw", RENT, 1.0, steps=4), (2000, 9999, 1999, 1250, 300, 0))
    weeks = sv.Dates("2026-01-01", "2026-03-31", step="week")
    yield Asked(_m("sw", weeks, 1.0, steps=7), ("2026-01-01", "2026-01-05", "2026-03-31", "2026-02-08"))  # fmt: skip
    yield Asked(_m("sw", sv.Dates("2024-02-27", "2024-03-02"), 1.0), ("2024-02-29", "2024-03-02"))
    yield Asked(_m("sw", sv.Interval(-5, 5, bins=1), 1.0, steps=300), (-5, 0, 5))
    yield Asked(_m("sw", sv.Interval(0, 1, bins=1), 1.0, steps=1), (0, 1))
    yield Asked(_m("sw", sv.Interval(0, 1, bins=2), 1.0, steps=1), (0, 1))
    yield Asked(_m("sw", sv.Interval(0, 1, bins=2), 1.0, steps=1, wrap=True), (0, 1))


def _wave() -> Iterator[Asked]:
    line = sv.Interval(0, 1, bins=8)
    for ratio in (0.0, 0.29, 0.5, 1.0):
        b = 100 / 320 + 1e-6 if ratio == 0.29 else 0.3
        yield Asked(_m("gw", line, 1.5, ratio=ratio, steps=40, b=b, output_bins=8), (0, 1, 0.51))
    yield Asked(_m("gw", sv.Counts(9), 2.0, ratio=0.25, b=0.5), (0, 9, 4))
    yield Asked(_m("gw", sv.Counts(0), 1.0), (0,))
    yield Asked(_m("gw", sv.Counts(1), 1.0), (0, 1))


def _piecewise() -> Iterator[Asked]:
    yield Asked(_m("pm", sv.Interval(0, 10, bins=256), 2.0, steps=1), (0, 10, 4.96))
    yield Asked(_m("pm", sv.Counts(20), 1.0), (0, 20, 7))
    yield Asked(_m("pm", sv.Interval(0, 1, bins=1), 8.0, steps=1), (0, 1))
    yield Asked(_m("pm", sv.Counts(1), 8.0), (0, 1))
    yield Asked(_m("pm", YEARS, 2.0, steps=3), (0, 0.1, 0.0333, 0.0334, 99.9, 100))


def _stochastic_rounding() -> Iterator[Asked]:
    yield Asked(_m("sr", sv.Counts(20), 1.0), (0, 20, 7))
    yield Asked(_m("sr", sv.Interval(0, 1, bins=1), 1.0, steps=2**30), (0, 1, 0.3))


def _laplace() -> Iterator[Asked]:
    yield Asked(_m("laplace", sv.Interval(0, 1, bins=1)), (0, 1))
    yield Asked(_m("laplace", sv.Interval(0, 1, bins=2)), (0, 1))
    yield Asked(_m("laplace", sv.Interval(0, 1, bins=257), 4.0), (0, 1, 0.5))
    yield Asked(_m("laplace", sv.Counts(30), 2.0), (0, 30, 17), NEAREST)


def _degree_noise() -> Iterator[Asked]:
    yield Asked(_m("degree-noise", sv.Counts(0)), (0,))
    yield Asked(_m("degree-noise", sv.Counts(1)), (0, 1))
    yield Asked(_m("degree-noise", sv.Counts(255), 1.0), (0, 255, 128), NEAREST)
    yield Asked(_m("degree-noise", sv.Counts(256), 0.05), (0, 256, 127))


def _gaussian() -> Iterator[Asked]:
    rows = sv.Vector(sv.Interval(0, 1, bins=5), 3)
    yield Asked(_m("gaussian", rows, 2.0, delta=0.01), ([0, 1, 0.5], [1, 0, 0.2], [0.6, 0.6, 0.6]))
    yield Asked(_m("gaussian", sv.Counts(7), 2.0, delta=0.001), (0, 7, 3))
    yield Asked(_m("gaussian", sv.Interval(0, 1, bins=1), 1.0), (0, 1))
    yield Asked(_m("gaussian", sv.Vector(sv.Interval(0, 1, bins=1), 2), 1.0), ([0, 1],))
    yield Asked(_m("gaussian", sv.Interval(0, 1, bins=2), 1.0, delta=0.1, reach=0), (0, 1))
    row = sv.Vector(sv.Interval(0, 1, bins=14), 1)  # its delta is that of a number
    yield Asked(_m("gaussian", row, 0.5, delta=0.01, reach=0), ([0], [1], [0.5]))


def _hierarchy() -> Iterator[Asked]:
    yield Asked(_m("hh", sv.Interval(0, 1, bins=300), 1.0), (0, 1, 0.5, 0.333))
    yield Asked(_m("hh", sv.Interval(0, 1, bins=3), 1.0), (0, 1, 0.5))
    yield Asked(_m("hh", sv.Counts(63), 2.0, branching=2), (0, 63, 32, 31))
    days = sv.Dates("2026-01-01", "2026-12-31")
    yield Asked(_m("hh", days, 2.0), ("2026-01-01", "2026-12-31", "2026-07-02"))
    yield Asked(_m("hh", sv.Interval(0, 1, bins=27), 3.0, branching=3, split="budget"), (0, 1, 0.5))


def _haar() -> Iterator[Asked]:
    for bins in (1, 2, 3, 128, 129):
        yield Asked(_m("haar", sv.Interval(0, 1, bins=bins), 2.0), (0, 1, 0.61, 0.3))


def _binned() -> Iterator[Asked]:
    edge = (0.3, 0.29999999999999999, 0.30000000000000004, 0.7, 1, 0)
    yield Asked(_m("binned", sv.Interval(0, 1, bins=100), 4.0, report_bins=10), edge)
    yield Asked(_m("olh", sv.Interval(0, 1, bins=99), 1.0, report_bins=40), (*edge, 0.975))
    yield Asked(_m("flh", sv.Interval(0, 1, bins=12), 1.0, report_bins=5, hash_count=20), edge)
    yield Asked(_m("olh", sv.Counts(119), 1.0, report_bins=40), (0, 119, 3, 60))
    yield Asked(_m("grr", sv.Counts(11), 4.0, report_bins=4), (0, 11, 2, 3, 9))
    yield Asked(_m("grr", sv.Ratings(-5, 6), 4.0, report_bins=4), (-5, 6, -3, -2, 4))
    yield Asked(_m("sw", sv.Interval(0, 1, bins=12), 2.0, report_bins=6, steps=1), edge)
    yield Asked(_m("olh", RENT, 1.0, report_bins=3), (0, 499, 500, 1000, 2e9))
    log = sv.Interval(1, 10_000, bins=4, scale="log", unit="EUR")
    yield Asked(_m("grr", log, 2.0, report_bins=2), (1, 99, 100, 10_000))
    months = sv.Dates("2025-12-15", "2026-11-30", step="month")
    yield Asked(_m("grr", months, 2.0, report_bins=4), ("2025-12-15", "2026-02-28", "2026-03-01", "2026-11-30"))  # fmt: skip
    days = sv.Dates("2026-01-01", "2026-01-12")
    yield Asked(_m("olh", days, 2.0, report_bins=6), ("2026-01-02", "2026-01-03", "2026-01-12"))
    inside = {"mechanism": "binned", "options": {"report_bins": 2, "oracle": "randomized-response"}}
    yield Asked(_m("binned", sv.Interval(0, 1, bins=12), 2.0, report_bins=4, oracle=inside), edge)
    noisy = {"mechanism": "gaussian", "options": {"delta": 0.01, "reach": 3}}
    yield Asked(_m("binned", sv.Interval(0, 1, bins=12), 2.0, report_bins=4, oracle=noisy), edge)


def _sampled_coordinate() -> Iterator[Asked]:
    rows = sv.Vector(sv.Interval(0, 1, bins=40), 3)
    some = ([0, 1, 0.5], [1, 0, 0.2], [0.6, 0.6, 0.6], [0.025, 0.975, 1])
    for inner in ("local-hashing", "fixed-hashing", "square-wave", "haar", "hierarchy"):
        yield Asked(_m("vector", rows, 1.0, inner=inner), some)
    deep = {"mechanism": "binned", "options": {"report_bins": 7, "oracle": "local-hashing"}}
    yield Asked(_m("vector", rows, 1.0, inner=deep), some)
    many = sv.Vector(sv.Counts(3), 257)
    yield Asked(_m("vector", many, 2.0, inner="grr"), ([0, 3] * 128 + [1], [2] * 257))
    noisy = {"mechanism": "gaussian", "options": {"delta": 0.01, "reach": 3}}
    yield Asked(_m("vector", sv.Vector(sv.Interval(0, 1, bins=6), 2), 2.0, inner=noisy), ([0, 1],))


def _key_value() -> Iterator[Asked]:
    names = ["film", "book", "song"]
    one, sets = sv.KeyValues(names, 0, 5, bins=4), sv.KeyValues(names, 0, 5, bins=4, pairs=2)
    larger = sv.KeyValues(names, 0, 5, bins=4, pairs=2, larger="sample")
    few = sv.KeyValues(names[:2], 0, 5, bins=4, pairs=3)
    pairs = (["film", 0], ["song", 5], ["book", 2.5])
    held = ([["film", 0]], [["song", 5], ["film", 1.25]], [["book", 2.5], ["song", 0]])
    more = ([*held[2], ["film", 5]], *held)
    for keys in ("unary", "response"):
        for numbers in ("rounding", "piecewise"):
            ways = {"keys": keys, "numbers": numbers, "steps": 25}
            yield Asked(_m("key-value", one, 2.0, **ways), pairs)
            yield Asked(_m("key-value", sets, 2.0, **ways), held)
            yield Asked(_m("key-value", larger, 2.0, **ways), more)
            if numbers == "rounding":
                yield Asked(
                    _m("key-value", few, 2.0, **ways), ([["film", 0], ["book", 1]], held[0])
                )
    for keys, numbers in ((64, "rounding"), (65, "rounding"), (65, "piecewise")):
        many = sv.KeyValues(keys, -1, 1, bins=2)
        yield Asked(
            _m("key-value", many, 3.0, numbers=numbers),
            ([0, 1], [keys - 1, -1], [63, 0.1], [62, 0.5]),
        )
    rows = {"steps": 500, "output_bins": 300}
    yield Asked(_m("pckv-pm", one, 3.0, **rows), pairs)
    yield Asked(_m("pckv-pm", one, 3.0, steps=20_000, output_bins=66_000), pairs[:2])
    wide = sv.KeyValues(256, 0, 1, bins=2)
    yield Asked(_m("pckv-grr", wide, 6.0, steps=2), ([255, 1], [127, 0]))
    for keys in (255, 256):
        wide = sv.KeyValues(keys, 0, 1, bins=2, pairs=1)
        ways = {"keys": "response", "numbers": "piecewise", "steps": 200, "output_bins": 256}
        yield Asked(_m("key-value", wide, 6.0, **ways), ([[keys - 1, 1]], [[127, 0]], [[128, 0.5]]))


def _memoized() -> Iterator[Asked]:
    def remembering(domain: Any, inner: Any = None, epsilon: float = 1.0, **more: Any) -> Any:
        return _m("memoized", domain, epsilon, **{"lifetime": 2.0, "inner": inner, **more})

    yield Asked(remembering(sv.Categories(NAMES), epsilon=0.5), (*NAMES, "nothing"), RULES)
    yield Asked(remembering(sv.Categories(["alone"])), ("alone",))
    yield Asked(remembering(sv.Categories(257), "randomized-response", 1.5), (0, 255, 256))
    yield Asked(remembering(sv.Categories(1024)), (0, 1, 512, 1023))
    binary = {"mechanism": "local-hashing", "options": {"hash_range": 2}}
    yield Asked(remembering(sv.Categories(100), binary), (0, 50, 99))
    ring = {"mechanism": "square-wave", "options": {"steps": 2, "wrap": True}}
    yield Asked(remembering(sv.Interval(0, 24, bins=12), ring), (0, 23.9, 11, 6.5))
    fine = {"mechanism": "square-wave", "options": {"steps": 40}}
    yield Asked(remembering(sv.Interval(0, 1, bins=5), fine), (0, 1, 0.5, 0.29, -3, 7), NEAREST)
    for variant in ("optimized", "symmetric"):
        bits = {"mechanism": "unary-encoding", "options": {"variant": variant}}
        yield Asked(remembering(sv.Categories(17), bits, linkable=True), (0, 8, 16))


def _question_sets() -> Iterator[Asked]:
    kinds = sv.Record({
        "age": sv.Interval(0, 120, bins=24), "smokes": sv.YesNo(), "stars": sv.Ratings(-2, 2),
        "rooms": sv.Counts(4), "Què?": sv.Categories(NAMES), "rent": RENT, "since": sv.Dates("1999-12-31", "2003-01-01", step="year"),
        "party": sv.MayDecline(sv.Categories(["red", "blue"])),
    })  # fmt: skip
    first = {
        "age": 31,
        "smokes": "yes",
        "stars": -2,
        "rooms": 0,
        "Què?": 2**53 - 1,
        "rent": 2001,
        "since": "2000-01-01",
        "party": "Prefer not to say",
    }
    last = {
        "Què?": 1,
        "rooms": 4,
        "stars": 2,
        "smokes": "no",
        "age": 120,
        "since": "1999-12-31",
        "party": "red",
        "rent": 999.5,
    }
    designs = (("sample", 1.0), ("pairs", 1.0), ("mixed", 3.0), ("joint", 0.5), ("parities", 0.5))
    for design, epsilon in designs:
        yield Asked(_m("record", kinds, epsilon, design=design), (first, last))
    rates = {"rates": [3, 1, 12], "hash_ranges": [0, 2, 5]}
    three = sv.Record({"a": sv.Categories(2), "b": sv.Categories(3), "c": sv.Categories(30)})
    some = ({"a": 1, "b": 2, "c": 29}, {"a": 0, "b": 0, "c": 0})
    yield Asked(_m("record", three, 2.0, design="sample", **rates), some)
    largest = [2**32 - 5, 2, 3]
    yield Asked(_m("record", three, 2.0, rates=largest, design="pairs"), some)
    yield Asked(_m("record", three, 2.0, hash_ranges=[181], design="joint"), some)
    apart = {"design": "split", "hash_ranges": [0, 2, 5]}
    yield Asked(_m("record", three, 8.0, **apart), some)
    six = sv.Record({f"q{i}": sv.Categories(3) for i in range(6)})
    yield Asked(_m("record", six, 2.45, design="split"), ({f"q{i}": i % 3 for i in range(6)},))
    two = sv.Record({"a": sv.Categories(128), "b": sv.Categories(128)})
    yield Asked(_m("record", two, 9.0, design="sample"), ({"a": 127, "b": 127}, {"a": 0, "b": 1}))
    many = sv.Record({f"q{i}": sv.Categories(24) for i in range(30)})
    answers = ({f"q{i}": i % 24 for i in range(30)}, {f"q{i}": 23 for i in range(30)})
    yield Asked(_m("record", many, 2.0, design="sample"), answers)


def _pets(name: str) -> Iterator[Asked]:
    three = ([], ["fish"], ["dog", "cat"], ["fish", "dog"])
    yield Asked(_m(name, sv.Choices(["cat", "dog", "fish"], most=2), 1.0), three)
    odd = sv.Choices([*NAMES[:2], *NAMES[3:6]], most=5)
    yield Asked(_m(name, odd, 2.0), ([], [1, "1"], ["1"], [2**53 - 1, -7, 1, "1", NAMES[4]]))
    many = sv.Choices([f"film {i}" for i in range(255)], most=3)
    yield Asked(_m(name, many, 3.0), (["film 254"], ["film 7", "film 127", "film 0"], []))


def _choice_response() -> Iterator[Asked]:
    yield from _pets("choice-response")


def _drawn_option() -> Iterator[Asked]:
    yield from _pets("drawn-option")


def _choice_subsets() -> Iterator[Asked]:
    yield from _pets("choice-subsets")
    for most, size in ((1, 1), (1, 6), (6, 1), (6, 6), (2, 5)):
        six = sv.Choices(["a", "b", "c", "d", "e", "f"], most=most)
        made = _m("choice-subsets", six, 1.0, report_size=size)
        yield Asked(made, ([], ["f"], ["c", "a", "b"][:most]))


def _ill(name: str) -> Iterator[Asked]:
    five = sv.Categories(["none", "flu", "HIV", "other", 3], sensitive=["HIV", 3])
    yield Asked(_m(name, five, 1.0), ("HIV", "none", 3, "other", "cold"), RULES)
    many = sv.Categories(300, sensitive=[0, *range(7, 200, 3), 299])
    yield Asked(_m(name, many, 2.0), (0, 299, 1, 298, 10, 11))
    most = sv.Categories(66, sensitive=range(65))
    yield Asked(_m(name, most, 0.5), (65, 64, 0))


def _sensitive_response() -> Iterator[Asked]:
    yield from _ill("sensitive-response")
    yield Asked(_m("urr", sv.Categories(["no", "yes"], sensitive=["yes"]), 1.0), ("yes", "no"))


def _sensitive_hashing() -> Iterator[Asked]:
    yield from _ill("sensitive-hashing")
    yield Asked(_m("ulh", sv.Categories(9, sensitive=[4, 8]), 3.0, hash_range=2), (4, 8, 0, 7))


def _sensitive_subsets() -> Iterator[Asked]:
    yield from _ill("sensitive-subsets")
    for k in (1, 33, 64):
        most = sv.Categories(67, sensitive=range(1, 66))
        yield Asked(_m("uss", most, 2.0, subset_size=k), (0, 66, 1, 65, 31))


_MORE = {
    "randomized-response": _randomized_response, "unary-encoding": _unary_encoding,
    "subset-selection": _subset_selection, "hadamard-response": _hadamard_response,
    "local-hashing": _local_hashing, "seeded-hashing": _seeded_hashing,
    "fixed-hashing": _fixed_hashing, "table": _table, "square-wave": _square_wave, "wave": _wave,
    "piecewise": _piecewise, "stochastic-rounding": _stochastic_rounding, "laplace": _laplace,
    "degree-noise": _degree_noise, "gaussian": _gaussian, "hierarchy": _hierarchy, "haar": _haar,
    "binned": _binned, "sampled-coordinate": _sampled_coordinate, "key-value": _key_value,
    "memoized": _memoized, "question-sets": _question_sets,
    "choice-response": _choice_response, "choice-subsets": _choice_subsets, "drawn-option": _drawn_option,
    "sensitive-response": _sensitive_response, "sensitive-hashing": _sensitive_hashing,
    "sensitive-subsets": _sensitive_subsets,
}  # fmt: skip
