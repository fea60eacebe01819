"""Numbers about the collector itself, and their text for Prometheus.

What was stored, sent twice and refused is counted in the store, for ever and exactly.  Here is
what a running collector knows beside it, from 0 at every start.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

from sottovoce.service.documents import FailingWork, Upkeep
from sottovoce.store import Counts

__all__ = ["Counters", "UpkeepState", "metrics_text"]

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Seconds that split the times of uploads."""


class UpkeepState:
    """How the collector's own work goes: what failed, for which survey, and whether still."""

    def __init__(self) -> None:
        self.failures: Counter[tuple[str, str]] = Counter()
        """By work (fold, hand-over, expire, scrub, release) and fingerprint of the survey."""
        self.failing: set[tuple[str, str]] = set()
        self.clock_trusted = True

    def failed(self, work: str, survey: str) -> bool:
        """Note a failure; whether it is new, and not that of the round before."""
        new = (work, survey) not in self.failing
        self.failures[work, survey] += 1
        self.failing.add((work, survey))
        return new

    def done(self, work: str, survey: str) -> None:
        """Note that some work was done for a survey."""
        self.failing.discard((work, survey))

    def all_done(self, work: str) -> None:
        """Note that some work was done for all surveys."""
        self.failing = {each for each in self.failing if each[0] != work}

    def document(self) -> Upkeep:
        """The part of ``/health/ready`` on it."""
        failing = [FailingWork(work, survey) for work, survey in sorted(self.failing)]
        return Upkeep(failing, self.clock_trusted)


class Counters:
    """Answers by status and code, times of acknowledged uploads, the upkeep, open files used up."""

    clock = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.codes: Counter[str] = Counter()
        self.times = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        self.upkeep = UpkeepState()
        self.out_of_files = 0

    def count(self, status: int, code: str = "") -> None:
        """One more answer of that status, and refusal of that code."""
        self.statuses[status] += 1
        if code:
            self.codes[code] += 1

    def took(self, began: float) -> None:
        """One more upload acknowledged, that began then."""
        seconds = self.clock() - began
        self.statuses[200] += 1
        self.seconds += seconds
        self.times[bisect_left(BOUNDS, seconds)] += 1


def metrics_text(
    counters: Counters, counts: Counts | None, gauges: Mapping[str, tuple[str, float]]
) -> str:
    """All numbers in the text form of Prometheus; ``counts`` is None where the store is down."""
    lines = [] if counts is None else _of_store(counts)
    files = "connections refused, and seconds passed, while open files were used up"
    lines += _metric("out_of_files_total", "counter", files, [("", counters.out_of_files)])
    answers = [(_labels(status=str(s)), n) for s, n in sorted(counters.statuses.items())]
    lines += _metric("answers_total", "counter", "answers since the start", answers)
    codes = [(_labels(code=code), n) for code, n in sorted(counters.codes.items())]
    lines += _metric("refusals_total", "counter", "requests refused since the start", codes)
    failures = [
        (_labels(work=work, survey=survey), n)
        for (work, survey), n in sorted(counters.upkeep.failures.items())
    ]
    means = "times that work for a survey failed since the start"
    lines += _metric("upkeep_failures_total", "counter", means, failures)
    for name, (means, gauge) in gauges.items():
        lines += _metric(name, "gauge", means, [("", gauge)])
    return "\n".join([*lines, *_histogram(counters)]) + "\n"


def _of_store(counts: Counts) -> list[str]:
    totals = {
        "stored": ("reports stored, ever", counts.stored),
        "duplicates": ("reports that were there already, ever", counts.duplicates),
        "deleted": ("reports deleted by their id, ever", counts.deleted),
        "expired": ("reports gone by retention, ever", counts.expired),
    }
    lines: list[str] = []
    for name, (means, value) in totals.items():
        lines += _metric(f"reports_{name}_total", "counter", means, [("", value)])
    refused = [(_labels(code=code), n) for code, n in sorted(counts.refused.items())]
    return lines + _metric("reports_refused_total", "counter", "reports refused, ever", refused)


def _histogram(counters: Counters) -> list[str]:
    name, below, rows = "upload_seconds", 0, []
    for bound, count in zip([*map(str, BOUNDS), "+Inf"], counters.times, strict=True):
        below += count
        rows.append((_labels(le=bound), below))
    head = _metric(name, "histogram", "seconds of acknowledged uploads", [])
    full = f"sottovoce_{name}"
    return [
        *head,
        *(f"{full}_bucket{label} {value}" for label, value in rows),
        f"{full}_sum {counters.seconds}",
        f"{full}_count {below}",
    ]


def _metric(name: str, kind: str, means: str, values: Iterable[tuple[str, float]]) -> list[str]:
    full = f"sottovoce_{name}"
    head = [f"# HELP {full} {means}", f"# TYPE {full} {kind}"]
    return [*head, *(f"{full}{label} {value}" for label, value in values)]


def _labels(**values: str) -> str:
    escaped = {
        name: value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        for name, value in values.items()
    }
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped.items()) + "}"
