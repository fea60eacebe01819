"""Repeats of many cells, in blocks that keep all cores busy to the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.tally import Tally
from sottovoce.estimators import estimate
from sottovoce.experiments.work import Workers, in_processes, seed_of

__all__ = ["Errors", "repeat", "shares_of"]

Cell = TypeVar("Cell")

Errors = dict[str, Floats]
"""By measure: one error a method, and after :func:`repeat` ``[method, repeat]``."""

_BLOCK = 10
"""Repeats that one task makes.  Part of the seeds: another number draws other reports."""


@dataclass(frozen=True, eq=False)
class _Task(Generic[Cell]):
    prepare: Callable[[Cell], Callable[[Seeded], Errors]]
    cell: Cell
    repeats: int
    seed: int


def repeat(
    prepare: Callable[[Cell], Callable[[Seeded], Errors]],
    cells: Sequence[Cell],
    repeats: int,
    *,
    what: str,
    progress: Progress = silent,
    workers: Workers = None,
) -> list[Errors]:
    """The errors of every cell, ``[method, repeat]`` by measure.

    ``prepare`` makes the mechanisms of a cell, once a block, and returns a function that
    draws once from a source.  A cell's ``str`` is its seed.
    """
    tasks, owners = [], []
    for place, cell in enumerate(cells):
        for block, start in enumerate(range(0, repeats, _BLOCK)):
            count = min(_BLOCK, repeats - start)
            tasks.append(_Task(prepare, cell, count, seed_of(what, cell, block)))
            owners.append(place)
    done = in_processes(_run, tasks, what=what, progress=progress, workers=workers)
    gathered: list[dict[str, list[Floats]]] = [{} for _ in cells]
    for owner, errors in zip(owners, done, strict=True):
        for measure, values in errors.items():
            gathered[owner].setdefault(measure, []).append(values)
    return [{m: np.concatenate(v, axis=-1) for m, v in cell.items()} for cell in gathered]


def _run(task: _Task[Any]) -> Errors:
    draw, source = task.prepare(task.cell), Seeded(task.seed)
    draws = [draw(source) for _ in range(task.repeats)]
    return {m: np.stack([np.asarray(d[m]) for d in draws], axis=-1) for m in draws[0]}


def shares_of(tally: Tally, method: str, **options: Any) -> Floats:
    """The shares that a method finds."""
    shares = estimate(tally, method, **options).shares
    assert shares is not None  # only estimates of a mean alone have none
    return shares
