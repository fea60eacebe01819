"""Table 1: seconds of UWA and of ULE beside the paper's, by the number of services and of people."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.frame import Frame
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.estimators.likelihood.em import em
from sottovoce.experiments.fusion.services import FOUR, THREE, alike, made
from sottovoce.experiments.fusion.values import some_people
from sottovoce.experiments.numbers import Numbers
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.services import Fusion

__all__ = ["Time", "table_1", "time_frame"]

_EPSILON = 0.1
_PASSES = 5
_UWA = {4: 3.45, 8: 6.73, 12: 9.87, 16: 13.16}
_UWA_MANY = {500_000: 2.43, 1_000_000: 3.45}
_ULE = {6: 131.85, 9: 135.72, 12: 138.91, 15: 141.16}
_ULE_MANY = {500_000: 69.79, 1_000_000: 124.05}
"""Seconds that the paper prints, by services and by people, of an RTX 3090."""


@dataclass(frozen=True)
class Time:
    """Seconds of one task; of ULE with many services, of a single pass."""

    method: str
    services: int
    people: int
    theirs: float
    seconds: float
    passes: int
    """How many passes these seconds are of; 0 where there are none."""
    whole: bool = True
    """Whether the task was done, not only some passes of it."""


def table_1(data: Numbers, divided: int, *, progress: Progress = silent, **_: Any) -> list[Time]:
    """UWA to the end; ULE to the end with three services, and a few passes with more."""
    tasks: list[Callable[[], Time]] = []
    million = 1_000_000
    tasks += [_task(_uwa, data, m, million // divided, t) for m, t in _UWA.items()]
    tasks += [_task(_uwa, data, 4, n // divided, t) for n, t in _UWA_MANY.items()]
    tasks += [_task(_ule, data, 3, n // divided, t) for n, t in _ULE_MANY.items()]
    tasks += [_task(_passes, data, m, million // divided, t) for m, t in _ULE.items()]
    found = []
    for done, task in enumerate(tasks):
        progress("table 1", done / len(tasks))
        found.append(task())
    progress("table 1", 1.0)
    return found


def _task(work: Callable[..., Time], *given: Any) -> Callable[[], Time]:
    return lambda: work(*given)


def _fusion(data: Numbers, names: Sequence[str], services: int, people: int) -> Fusion:
    """The services and their reports, not yet read."""
    source = Seeded(services)
    values = some_people(data, people, source.generator())
    mechanisms = made(alike(names, _EPSILON, services // len(names)))
    return Fusion(align(mechanisms, [each.randomize(values, source=source) for each in mechanisms]))


def _uwa(data: Numbers, services: int, people: int, theirs: float) -> Time:
    fusion = _fusion(data, FOUR, services, people)
    start = time.perf_counter()
    fusion.mean("uwa")
    return Time("UWA", services, people, theirs, time.perf_counter() - start, 0)


def _ule(data: Numbers, services: int, people: int, theirs: float) -> Time:
    fusion = _fusion(data, THREE, services, people)
    start = time.perf_counter()
    fit = em(fusion.observations, tolerance=_EPSILON)
    return Time("ULE", services, people, theirs, time.perf_counter() - start, fit.iterations)


def _passes(data: Numbers, services: int, people: int, theirs: float) -> Time:
    rows = _fusion(data, THREE, services, people).observations.joint
    shares = np.full(rows.inputs, 1 / rows.inputs)
    rows.em_step(shares)
    start = time.perf_counter()
    for _ in range(_PASSES):
        ratio, _ = rows.em_step(shares)
        shares = shares * ratio
    seconds = (time.perf_counter() - start) / _PASSES
    return Time("ULE", services, people, theirs, seconds, 1, whole=False)


def time_frame(times: Sequence[Time]) -> Frame:
    """A row a task."""
    return Frame(
        {
            "method": [t.method for t in times],
            "services": [t.services for t in times],
            "people": [f"{t.people:,}" for t in times],
            "paper, s": [t.theirs for t in times],
            "ours, s": [
                f"{t.seconds:.3g}" if t.whole else f"{t.seconds:.3g} a pass" for t in times
            ],
            "passes": [str(t.passes) if t.whole and t.passes else "-" for t in times],
            "paper / ours": [f"{t.theirs / t.seconds:.3g}" if t.whole else "-" for t in times],
        }
    )
