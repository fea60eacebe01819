"""Random surveys of all mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Any

import sottovoce as sv
from sottovoce.base.errors import SottovoceError
from sottovoce.core.registry import registered

__all__ = ["random_survey"]

NAMES = [cls.name for cls in registered()]
WORDS = [
    "red", "1", 1, "other", -3, "é", "e\u0301", "", "x y", "чай", "قهوة", "お茶", "ชา", "चाय", "\U0001f375", 2**53 - 1,
]  # fmt: skip
QUESTIONS = [
    "age", "os", "How often?", "é", "e\u0301", "__proto__", "x\u3000", "\u202e\U0001f600", '"', "\ufeff", "1",
]  # fmt: skip
"""Names of questions."""
DESIGNS = ["sample", "sample", "pairs", "mixed", "joint", "parities", "split", "split"]
LETTERS = 'aZ0 ßİσςčжЖאבשعمकी்ไทย한글漢字ｱ１\u0301\u200d\u202e\u2028\ufeff\U0001d54f\U0001f600"\\/<&\t\n\x01\x7f'
"""Of many scripts, with marks that combine, turn or hide, and what JSON escapes."""
UNITS = ["", "", "", "EUR", "hours", "\u20ac\u200d", "kg m\u00b2 / s\u00b2"]
DAYS = ["", "", "0001-01-01", "2024-02-29", "2026-11-16", "9999-12-31"]


def random_survey(rng: Random, *, names: Sequence[str] = NAMES) -> sv.Survey:
    """A survey by any mechanism, or one of ``names``; combinations that the library refuses are drawn again."""
    while True:
        name = rng.choice(names)
        try:
            mechanism = _MAKERS.get(name, _oracle)(rng, name)
            rules = {"opens": rng.choice(DAYS), "closes": rng.choice(DAYS)}
            rules |= _repeating(rng, mechanism)
            return sv.Survey(
                _text(rng, 200), _text(rng, 2000), mechanism,
                window=rng.choice(["once", "day", "week", "month"]),
                minimum_batch=rng.choice([1, 100, rng.randint(1, 10**9)]),
                outside=_outside(rng, mechanism), **rules,
            )  # fmt: skip
        except SottovoceError:
            continue


def _repeating(rng: Random, mechanism: sv.Mechanism) -> dict[str, Any]:
    if not mechanism.remembers:
        return {} if rng.random() < 0.7 else {"ask": f"1/{rng.choice([2, 7, 30, 1000])}"}
    dates = {"opens": "2026-01-31", "closes": rng.choice(["", "2026-02-10", "2027-01-01"])}
    return {"changes": rng.choice([0, 0, 1, 9]), "period": rng.choice([0, 0, 2, 30]), **dates}


def _text(rng: Random, most: int) -> str:
    """Short, or now and then as long as it may be."""
    length = most if rng.random() < 0.01 else rng.randint(1, 12)
    return "".join(rng.choice(LETTERS) for _ in range(length))


def _outside(rng: Random, mechanism: sv.Mechanism) -> str:
    domain = mechanism.domain
    if isinstance(domain, sv.Interval):
        return rng.choice(["refuse", "nearest"])
    named = isinstance(domain, sv.Categories) and "other" in (domain.values or ())
    return rng.choice(["refuse", "other"]) if named else "refuse"


def _epsilon(rng: Random) -> float:
    usual = round(rng.uniform(0.01, 8), rng.randint(1, 15))
    wide = min(20.0, max(1e-6, 10 ** rng.uniform(-6, 1.31)))
    return rng.choice([1.0, 0.5, 2.0, 1e-3, 1e-6, 20.0, usual, wide])


def _bits(rng: Random) -> dict[str, int]:
    return {} if rng.random() < 0.6 else {"bits": rng.randint(8, 62)}


def _interval(rng: Random, most: int = 60) -> sv.Interval:
    unit = rng.choice(UNITS)
    if rng.random() < 0.2:
        return sv.Counts(rng.randint(0, most), unit=unit)
    if rng.random() < 0.2:
        lowest = rng.choice([1, -2, rng.randint(-(10**9), 10**9)])
        return sv.Ratings(lowest, lowest + rng.randint(1, most - 1), unit=unit)
    if rng.random() < 0.15:
        first = date(
            rng.choice([1, 1969, 1970, 2024, 2026, 9999]), rng.randint(1, 12), rng.randint(1, 28)
        )
        step, span = rng.choice(
            [("day", most), ("week", 400), ("month", 900), ("quarter", 3000), ("year", 9000)]
        )
        last = min(first.toordinal() + rng.randint(0, span - 1), date.max.toordinal())
        return sv.Dates(first, date.fromordinal(last), step=step)
    low = rng.choice([0.0, -1.0, round(rng.uniform(-100, 100), 3), 1e6])
    high, bins = low + rng.choice([1.0, 0.1, 120.0, 3.3]), rng.randint(1, most)
    if rng.random() < 0.7:
        return sv.Interval(low, high, bins=bins, unit=unit)
    return _uneven(rng, low, high, bins, unit)


def _uneven(rng: Random, low: float, high: float, bins: int, unit: str) -> sv.Interval:
    """Edges of all widths, on a logarithmic scale too, with an open end or without."""
    open_end = rng.random() < 0.5
    if rng.random() < 0.3:
        low, high = rng.choice([(0.0, 1e6), (0.5, 3.0), (1e-9, 1e9), (1.0, 1.1)])
        start = {"start": high / 1000} if low == 0 else {}
        more: dict[str, Any] = {"scale": "log", "open_end": open_end, **start}
        return sv.Interval(low, high, bins=bins + 2, unit=unit, **more)
    inner = {round(rng.uniform(low, high), rng.choice([1, 3, 15])) for _ in range(bins - 1)}
    edges = [low, *sorted(edge for edge in inner if low < edge < high), high]
    return sv.Interval(low, high, edges=edges, open_end=open_end, unit=unit)


def _categories(rng: Random, most: int = 90) -> sv.Categories:
    if rng.random() < 0.3:
        return sv.Categories(rng.sample(WORDS, rng.randint(1, len(WORDS))))
    if rng.random() < 0.03:
        return sv.Categories(rng.choice([4096, 65_537, 1_000_000]))
    return sv.Categories(rng.choice([rng.randint(1, most), 255, 256, 257, 700]))


def _oracle(rng: Random, name: str) -> sv.Mechanism:
    domain: Any = _interval(rng) if rng.random() < 0.25 else _categories(rng)
    if rng.random() < 0.1:
        domain = sv.MayDecline(domain, rng.choice(["Prefer not to say", "\u200d", "nothing"]))
    options: dict[str, Any] = _bits(rng)
    if name in ("local-hashing", "seeded-hashing") and rng.random() < 0.4:
        options["hash_range"] = rng.choice([2, 3, 5, 7, 13])
    if name == "fixed-hashing":
        options["hash_count"] = rng.choice([1, 7, 64, 300])
    if name == "subset-selection" and domain.size > 1 and rng.random() < 0.5:
        options["subset_size"] = rng.randint(1, domain.size - 1)
    if name == "unary-encoding":
        options["variant"] = rng.choice(["optimized", "symmetric"])
    return sv.mechanism(name, domain, _epsilon(rng), **options)


def _table(rng: Random, name: str) -> sv.Mechanism:
    rows, columns, total = rng.randint(1, 4), rng.randint(1, 6), rng.choice([64, 1000, 2**40])
    weights = []
    for _ in range(rows):
        row = [rng.randint(1, total // columns) for _ in range(columns - 1)]
        weights.append([*row, total - sum(row)])
    return sv.mechanism(name, sv.Categories(rows), None, weights=weights)


def _grid(rng: Random, name: str) -> sv.Mechanism:
    domain, options = _interval(rng), _bits(rng)
    if not domain.whole:
        options["steps"] = rng.choice([1, 2, 3, 7, 50])
    if name == "wave":
        options["ratio"] = rng.choice([0.0, 1.0, 0.5, round(rng.random(), 2)])
    if name in ("wave", "square-wave") and rng.random() < 0.5:
        options["b"] = round(rng.uniform(0.01, 0.5), 3)
    if name == "square-wave" and rng.random() < 0.4:
        options["wrap"] = True
    return sv.mechanism(name, domain, _epsilon(rng), **options)


def _noise(rng: Random, name: str) -> sv.Mechanism:
    if name == "degree-noise":
        return sv.mechanism(name, sv.Counts(rng.randint(0, 40)), _epsilon(rng), **_bits(rng))
    domain: Any = _interval(rng, 30)
    if name == "laplace":
        return sv.mechanism(name, domain, _epsilon(rng), **_bits(rng))
    if rng.random() < 0.3:
        domain = sv.Vector(domain, rng.randint(1, 4))
    options = {"delta": rng.choice([0.01, 1e-3, 0.1]), "reach": rng.choice([None, 0, 5, 40])}
    return sv.mechanism(name, domain, _epsilon(rng), **_bits(rng), **options)


def _tree(rng: Random, name: str) -> sv.Mechanism:
    options: dict[str, Any] = _bits(rng)
    if name == "hierarchy":
        options |= {"branching": rng.randint(2, 5), "split": rng.choice(["population", "budget"])}
    return sv.mechanism(name, _interval(rng), _epsilon(rng), **options)


def _binned(rng: Random, name: str) -> sv.Mechanism:
    domain = _interval(rng)
    wide, oracle = (
        rng.randint(1, domain.size),
        rng.choice(["grr", "olh", "flh", "oue", "haar", "hr", "gaussian"]),
    )
    return sv.mechanism(oracle, domain, _epsilon(rng), report_bins=wide)


def _sampled(rng: Random, name: str) -> sv.Mechanism:
    inner = rng.choice(
        ["grr", "olh", "pm", "sw", "laplace", "haar", "hh", "sr", "binned", "gaussian"]
    )
    asked = {"mechanism": inner, "options": {"report_bins": 3, "oracle": "olh"}}
    domain = sv.Vector(_interval(rng, 40), rng.randint(1, 5))
    return sv.mechanism(name, domain, _epsilon(rng), inner=asked if inner == "binned" else inner)


def _key_value(rng: Random, name: str) -> sv.Mechanism:
    pairs = rng.choice([None, 1, 2, 3, 5])
    larger = "refuse" if pairs is None else rng.choice(["refuse", "sample"])
    keys = rng.choice([1, 2, 3, 8, 9, 65, ["x", "y", 1, "1"]])
    domain = sv.KeyValues(keys, 0, 5, bins=rng.randint(1, 6), pairs=pairs, larger=larger)
    options = {
        "keys": rng.choice(["unary", "response"]),
        "numbers": rng.choice(["rounding", "piecewise"]),
    }
    options |= {"steps": rng.choice([2, 3, 40])}
    return sv.mechanism(name, domain, _epsilon(rng), **options, **_bits(rng))


def _choices(rng: Random, name: str) -> sv.Mechanism:
    options = rng.sample([word for word in WORDS if ";" not in str(word)], rng.randint(1, 9))
    if rng.random() < 0.3:
        options = [f"option {i}" for i in range(rng.choice([40, 63, 64, 65, 200]))]
    most = rng.randint(1, min(6, len(options)))
    more: dict[str, Any] = _bits(rng)
    if name == "choice-subsets" and rng.random() < 0.6:
        more["report_size"] = rng.randint(1, min(12, len(options)))
    return sv.mechanism(name, sv.Choices(options, most=most), _epsilon(rng), **more)


def _sensitive(rng: Random, name: str) -> sv.Mechanism:
    plain = sv.Categories(rng.sample(WORDS, rng.randint(2, 9)))
    if rng.random() < 0.6:
        plain = sv.Categories(rng.choice([rng.randint(2, 40), 100, 300]))
    chosen = rng.sample(plain.labels(), rng.randint(1, plain.size - 1))
    domain = sv.Categories(plain.values or plain.size, sensitive=chosen)
    more: dict[str, Any] = _bits(rng)
    if name == "sensitive-subsets" and rng.random() < 0.5:
        more["subset_size"] = rng.randint(1, len(chosen))
    return sv.mechanism(name, domain, _epsilon(rng), **more)


def _question_sets(rng: Random, name: str) -> sv.Mechanism:
    count = rng.choice([2, 2, 3, 4, 7, 30])
    names = [*rng.sample(QUESTIONS, min(count, len(QUESTIONS))), *(f"q{i}" for i in range(30))]
    few = rng.choice([4, 20])
    record = sv.Record({each: _question(rng, few) for each in names[:count]})
    design = rng.choice(DESIGNS if count < 30 else ["sample"])
    options: dict[str, Any] = {"design": design, **_bits(rng)}
    pairs = count * (count - 1) // 2
    sets = {"sample": count, "pairs": pairs, "joint": 1, "split": 1}.get(design, count + pairs)
    if rng.random() < 0.5:
        options["rates"] = [rng.choice([1, 2, 7, 2**27]) for _ in range(sets)]
    return sv.mechanism(name, record, _epsilon(rng), **options)


def _question(rng: Random, most: int) -> Any:
    return rng.choice([
        sv.YesNo(), sv.Categories(rng.randint(2, most)), sv.Categories(rng.sample(WORDS, rng.randint(2, 4))),
        sv.Counts(rng.randint(1, most)), sv.Ratings(-1, rng.randint(0, most)), _interval(rng, most),
    ])  # fmt: skip


def _memoized(rng: Random, name: str) -> sv.Mechanism:
    epsilon, options = _epsilon(rng), _bits(rng)
    inner = rng.choice(["randomized-response", "local-hashing", "square-wave", "unary-encoding"])
    if inner == "square-wave":
        domain: Any = _interval(rng)
        options["steps"] = 1 if domain.whole else rng.choice([1, 2, 5])
    else:
        domain = _categories(rng, 40)
    if inner == "unary-encoding":
        options["variant"] = rng.choice(["optimized", "symmetric"])
    more = {
        "half": inner == "unary-encoding" and rng.random() < 0.3,
        "linkable": rng.random() < 0.7,
    }
    asked = {"mechanism": inner, "options": options}
    return sv.mechanism(name, domain, epsilon, lifetime=2 * epsilon, inner=asked, **more)


_MAKERS: dict[str, Any] = {
    "table": _table, "square-wave": _grid, "wave": _grid, "piecewise": _grid,
    "stochastic-rounding": _grid, "laplace": _noise, "gaussian": _noise, "degree-noise": _noise,
    "hierarchy": _tree, "haar": _tree, "binned": _binned, "sampled-coordinate": _sampled,
    "key-value": _key_value, "memoized": _memoized, "question-sets": _question_sets,
    "choice-response": _choices, "choice-subsets": _choices, "drawn-option": _choices,
    "sensitive-response": _sensitive, "sensitive-hashing": _sensitive, "sensitive-subsets": _sensitive,
}  # fmt: skip
