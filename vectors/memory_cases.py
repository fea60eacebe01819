"""What devices remember: answers and random words to reports, charges, and what is kept of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from typing import Any

import sottovoce as sv
from sottovoce.base.exact import decimal_text
from sottovoce.device.memory import KEPT, MEMOS, memory_of
from sottovoce.surveys.repeating import report_cost
from sottovoce.wire.payloads import payloads_of
from vectors.words import Stream, as_if_drawn

__all__ = ["remembered"]

COLORS = sv.Categories(["red", "green", "blue", "other"])
DATES = {"opens": "2026-11-16", "closes": "2026-12-15"}
UNARY = {"mechanism": "unary-encoding", "options": {"variant": "optimized"}}
Step = tuple[int, str, Any]
"""Which survey, on which day, and the value."""


def _survey(mechanism: sv.Mechanism, name: str = "again", **rules: Any) -> sv.Survey:
    return sv.Survey(
        name, **{"question": "Which?", "mechanism": mechanism, "window": "day", **rules}
    )


def _memory(domain: Any = COLORS, epsilon: float = 1.0, **options: Any) -> sv.Mechanism:
    return sv.mechanism("memoized", domain, epsilon, **{"lifetime": 2.0, **options})


def remembered() -> Iterator[dict[str, Any]]:
    """Devices that answer day after day."""
    for why, surveys, steps in _devices():
        database = sqlite3.connect(":memory:", isolation_level=None)
        for table in (KEPT, MEMOS):
            database.execute(table)
        done = [
            _step(database, surveys[step[0]], step, f"{why} {i}") for i, step in enumerate(steps)
        ]
        kept = {
            table: [list(map(_told, row)) for row in database.execute(f"SELECT * FROM {table}")]  # noqa: S608
            for table in ("kept", "memos")
        }
        yield {"why": why, "surveys": [each.to_json() for each in surveys], "steps": done, **kept}


def _step(
    database: sqlite3.Connection, survey: sv.Survey, step: Step, label: str
) -> dict[str, Any]:
    number, day, value = step
    memory, source = memory_of(survey, date.fromisoformat(day)), Stream(label)
    assert memory is not None
    epsilon = "0" if memory.has_begun(database) else decimal_text(report_cost(survey))
    reports = memory.report(database, survey.admit(value), source)
    (payload,) = payloads_of(as_if_drawn(reports))
    said = {"survey": number, "day": day, "value": value, "words": source.drawn.hex()}
    return {**said, "epsilon": epsilon, "payload": payload.hex()}


def _told(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def _days(*values: Any, start: int = 16) -> list[Step]:
    return [(0, f"2026-11-{start + i:02}", value) for i, value in enumerate(values)]


def _devices() -> Iterator[tuple[str, list[sv.Survey], list[Step]]]:
    yield "the first answer counts", [_survey(_memory())], _days("red", "blue", "red", "green")
    for changes, answers in ((1, "red blue red green blue"), (2, "red blue green other red blue")):
        chosen = [_survey(_memory(), changes=changes, **DATES)]
        yield f"{changes} changes", chosen, _days(*answers.split())
    clear = _memory(epsilon=19.9, lifetime=20.0)
    chosen = [_survey(clear, changes=1, period=3)]
    yield (
        "periods, and a change in each",
        chosen,
        _days("red", "blue", "green", "red", "red", "blue", "other"),
    )
    yield from _inner_mechanisms()
    yield from _several_surveys()
    before = [_survey(_memory(), window="week", changes=1, period=2)]
    days = ("1969-12-15", "1969-12-22", "1969-12-29", "1970-01-05", "1970-01-12")
    yield "weeks before 1970", before, [(0, day, "red") for day in days]
    moved = [_survey(_memory(sv.Interval(0, 10, bins=5)), outside="nearest")]
    yield "values outside", moved, _days(-3, 12.5)
    other = [_survey(_memory(), outside="other", changes=1, **DATES)]
    yield "values that are other", other, _days("white", "other", "black")


def _inner_mechanisms() -> Iterator[tuple[str, list[sv.Survey], list[Step]]]:
    hashing = _memory(sv.Categories(40))
    yield "a hash is kept", [_survey(hashing)], _days(3, 17, 3)
    cells = [_survey(hashing, changes=3, **DATES)]
    yield "values in one cell share a permanent answer", cells, _days(*range(0, 40, 5))
    bits = [_survey(_memory(sv.Categories(11), inner=UNARY), changes=1, **DATES)]
    yield "permanent bits", bits, _days(3, 10, 3, 5)
    half = [_survey(_memory(sv.Categories(8), inner=UNARY, half=True))]
    yield "permanent bits, half", half, _days(0, 7)
    wave = [_survey(_memory(sv.Interval(0, 10, bins=5)), changes=1, **DATES)]
    yield "an output of a wave", wave, _days(0.5, 9.5, 0.7)
    fine = {"mechanism": "square-wave", "options": {"steps": 3}}
    yield (
        "positions of a wave",
        [_survey(_memory(sv.Interval(0, 10, bins=5), inner=fine))],
        _days(5, 5.1),
    )
    one = sv.Categories(1)
    only = [_survey(_memory(one, inner="randomized-response"), changes=1, **DATES)]
    yield "one value", only, _days(0, 0)


def _several_surveys() -> Iterator[tuple[str, list[sv.Survey], list[Step]]]:
    first, second = (
        _survey(_memory(sv.Categories(40)), name, question=name) for name in ("a", "b")
    )
    other = _survey(_memory(sv.Categories(200)), "c", question="c")
    steps = [(i, f"2026-11-{16 + i}", 5) for i in range(3)]
    yield "one hash for a family", [first, second, other], steps
    published = [
        _survey(_memory()), _survey(_memory(), "once more", minimum_batch=7, closes="2026-12-31"),
        _survey(_memory(), question=" WHICH?"), _survey(_memory(), question="Which one?"),
        _survey(_memory(), period=100), _survey(_memory(), changes=1, **DATES),
        _survey(_memory(), changes=1, **{**DATES, "closes": "2026-12-14"}),
        _survey(_memory(), changes=1, window="week", **DATES), _survey(_memory(epsilon=0.5)),
    ]  # fmt: skip
    steps = [(i, f"2026-11-{16 + i}", "red") for i in range(len(published))]
    yield (
        "which surveys share a memory",
        published,
        [*steps, (0, "2026-11-28", "blue"), (5, "2026-11-29", "blue")],
    )
