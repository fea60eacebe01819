"""A collector with daily surveys: a strike, a gap, a day with too few reports, memos on devices."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime

import numpy as np

import sottovoce as sv
from sottovoce.surveys.survey import Survey
from support.dashboards import Board, fill
from support.loading import running

DAYS = [f"2026-11-{day:02d}" for day in range(2, 17)]
STRIKE, GAP, FEW, LAST = "2026-11-11", "2026-11-06", "2026-11-04", DAYS[-1]
SHOWN = [day for day in DAYS if day not in (GAP, FEW)]
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
"""In the last day, which is open; all others have ended."""
TRAVEL = ["bus", "car", "bike", "foot", "train", "tram"]


def noon():
    """The clock."""
    return NOON


def travel(bus: int, people: int = 1500) -> list[str]:
    """Answers of a day."""
    rest = people - bus
    return ["bus"] * bus + ["car"] * (rest // 2) + ["bike"] * (rest - rest // 2)


def surveys() -> dict[str, Survey]:
    """Short names and surveys."""
    ways, hours = sv.Categories(TRAVEL), sv.Interval(0, 24, 24)
    kept = sv.mechanism("memoized", sv.Categories(["bus", "car", "bike"]), 2.0, lifetime=4.0)
    pairs = sv.mechanism("pckv-grr", sv.KeyValues(["bus", "train"], 0, 10, 4), 2.0)
    return {
        "travel": Survey("travel", "How did you travel?", sv.mechanism("olh", ways, 3.0), "day"),
        "kept": Survey("kept", "How do you travel?", kept, "day"),
        "hours": Survey("hours", "How long?", sv.mechanism("sw", hours, 3.0), "day"),
        "young": Survey("young", "New?", sv.mechanism("grr", ways, 3.0), "day"),
        "pairs": Survey("pairs", "How far?", pairs, "day"),
        "once": Survey("once", "Ever?", sv.mechanism("grr", ways, 3.0)),
    }


@contextmanager
def collected(folder):
    """The collector, which everybody may read."""
    told = surveys()
    with running(folder, *told.values(), open_reading=True, clock=noon) as collector:
        store = collector.store
        for seed, day in enumerate(DAYS, start=1):
            if day == GAP:
                continue
            people = 50 if day == FEW else 1500
            bus = people // (6 if day == STRIKE else 2)
            fill(store, told["travel"], day, travel(bus, people), seed)
            fill(store, told["kept"], day, travel(bus, people), seed)
            long = np.full(people, 2.0 if day == STRIKE else 9.0)
            fill(store, told["hours"], day, long, seed)
        fill(store, told["young"], DAYS[-2], ["bus"] * 300)
        for seed, day in enumerate(DAYS[:2], start=1):
            fill(store, told["pairs"], day, [("bus", 2.0)] * 300 + [("train", 8.0)] * 300, seed)
        fill(store, told["once"], "", ["bus"] * 300)
        found = Board(collector, told)
        yield found
        found.http.close()
