"""Many independent tasks on all cores, and how far they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

from sottovoce.core.errors import MissingExtra
from sottovoce.core.extras import optional

__all__ = ["Progress", "in_processes", "shown_progress", "silent"]

Task = TypeVar("Task")
Result = TypeVar("Result")

Progress = Callable[[str, float], object]
"""Told what is being done, and the part of it that is done, from 0 to 1."""


def silent(what: str, part: float) -> None:
    """No progress shown."""


def in_processes(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    what: str,
    progress: Progress = silent,
    workers: int | None = None,
) -> list[Result]:
    """``function`` of every task, in order; results do not depend on the number of workers.

    Each task brings its own seed.  One worker is this process.
    """
    progress(what, 0.0)
    count = min(os.cpu_count() or 1 if workers is None else workers, max(1, len(tasks)))
    results: dict[int, Result] = {}
    if count == 1:
        for i, task in enumerate(tasks):
            results[i] = function(task)
            progress(what, (i + 1) / len(tasks))
    else:
        context = get_context("forkserver" if sys.platform == "linux" else "spawn")
        with ProcessPoolExecutor(count, mp_context=context) as pool:
            places = {pool.submit(function, task): i for i, task in enumerate(tasks)}
            for done in as_completed(places):
                results[places[done]] = done.result()
                progress(what, len(results) / len(tasks))
    return [results[i] for i in range(len(tasks))]


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """A bar a stage on the error stream, if a person is looking; else nothing."""
    if not sys.stderr.isatty():
        yield silent
        return
    try:
        rich = optional("rich.progress", extra="cli", purpose="a progress bar")
        console = optional("rich.console", extra="cli", purpose="a progress bar")
    except MissingExtra:
        yield silent
        return
    with rich.Progress(console=console.Console(stderr=True)) as bars:
        stages: dict[str, int] = {}

        def progress(what: str, part: float) -> None:
            if what not in stages:
                stages[what] = bars.add_task(what, total=1.0)
            bars.update(stages[what], completed=part)

        yield progress
