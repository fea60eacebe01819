"""Trends of people who are asked every day: do intervals of windows, means and changes hold the truth?

100,000 people, 30 days, a tenth draw their value anew each day; what is asked is about these people.
``known``: the part with the same value in any two windows is given.  ``unknown``: nothing is said.
``estimate``: from the tallies.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

import sottovoce as sv
from benchmarks.coverage.panel import Floats, Panel

__all__ = ["CASES", "Case", "coverage"]


@dataclass(frozen=True)
class Case:
    """A memory, and what is asked of it."""

    name: str
    mechanism: sv.Memoized
    law: Floats
    asked: tuple[int, ...] = ()
    """Values whose shares are asked for; none for the mean of numbers."""
    overlaps: tuple[str, ...] = ("known", "unknown")
    windows: int = 30
    people: int = 100_000
    method: str = "unbiased"


def _falling(size: int) -> Floats:
    law = 1 / np.arange(1.0, size + 1)
    return np.asarray(law / law.sum())


def _memory(domain: sv.Domain, inner: str | dict[str, object]) -> sv.Memoized:
    found = sv.mechanism("memoized", domain, 1.0, lifetime=2.0, inner=inner)
    assert isinstance(found, sv.Memoized)
    return found


_HUMP = np.exp(-0.5 * ((np.arange(32) - 10) / 5.0) ** 2)
CASES = (
    Case("grr", _memory(sv.Categories(6), "randomized-response"), _falling(6), (0, 2, 5)),
    Case(
        "local-hashing", _memory(sv.Categories(100), "local-hashing"), _falling(100), (0, 5, 60),
        ("known", "unknown", "estimate"),
    ),
    Case(
        "square-wave",
        _memory(sv.Interval(0, 100, bins=32), {"mechanism": "square-wave", "options": {"steps": 1}}),
        _HUMP / _HUMP.sum(), windows=8, method="auto",
    ),
)  # fmt: skip
"""What is measured."""


def coverage(case: Case, surveys: int, *, seed: int = 1) -> dict[str, float]:
    """The part of intervals that hold the truth, by what is known of the overlap and what is asked."""
    held: dict[str, list[float]] = {}
    days = [f"2026-01-{day + 1:02d}" for day in range(case.windows)]
    for survey in range(surveys):
        panel = Panel(
            case.mechanism, case.people, case.law, 0.1, np.random.default_rng([seed, survey])
        )
        values, cells = zip(*panel.windows(case.windows), strict=True)
        tallies = [
            sv.Tally(case.mechanism, case.people, found, day)
            for found, day in zip(cells, days, strict=True)
        ]
        same = np.eye(case.windows)
        for one, other in combinations(range(case.windows), 2):
            same[one, other] = same[other, one] = np.mean(values[one] == values[other])
        for said in case.overlaps:
            overlap = {"known": same, "unknown": None}.get(said, said)
            trend = sv.trend(tallies, overlap=overlap, same_people=True, method=case.method)
            for series, truth in _asked(case, trend, values):
                for what, found in _held(series, truth).items():
                    held.setdefault(f"{said} {what}", []).append(found)
    return {what: float(np.mean(found)) for what, found in held.items()}


def _asked(
    case: Case, trend: sv.Trend, values: tuple[Floats, ...]
) -> list[tuple[sv.Series, Floats]]:
    """Every series with its truth in all windows."""
    if not case.asked:
        middles = case.mechanism.domain.midpoints
        return [(trend.mean(), np.array([middles[each].mean() for each in values]))]
    labels = [case.mechanism.domain.label(index) for index in case.asked]
    return [
        (trend.share(label), np.array([np.mean(each == index) for each in values]))
        for index, label in zip(case.asked, labels, strict=True)
    ]


def _held(series: sv.Series, truth: Floats) -> dict[str, float]:
    """The part of a survey's intervals that hold the truth."""

    def part(answers: list[sv.Answer], true: Floats) -> float:
        return float(
            np.mean([one.low <= t <= one.high for one, t in zip(answers, true, strict=True)])
        )

    since = series.since_last_period()
    back = np.array([truth[t] - truth[s] for t, s in enumerate(series.earlier) if s is not None])
    found = {
        "windows": part(list(series.answers), truth),
        "mean": part([series.average()], truth.mean(keepdims=True)),
        "change": part(series.changes(), np.diff(truth)),
        "smoothed": part(series.smoothed(), truth),
    }
    return found | ({"period": part(since, back)} if since else {})
