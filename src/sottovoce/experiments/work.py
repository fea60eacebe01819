"""Many independent tasks on all cores, and how far they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sottovoce.base.errors import MissingExtra
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.base.processes import worker_pool
from sottovoce.base.progress import Progress, silent
from sottovoce.base.tasks import Result, Run, Task, one_by_one

__all__ = ["Workers", "in_processes", "seed_of", "shown_progress", "write"]

Workers = int | Run | None
"""How many processes run tasks, or what runs them elsewhere; None for a process per core."""


def seed_of(*parts: object) -> int:
    """A seed for a cell of an experiment, the same on every machine."""
    return int.from_bytes("/".join(map(str, parts)).encode(), "big")


def write(path: Path, content: bytes | str) -> Path:
    """Write a file whole or not at all, and say which."""
    data = content.encode() if isinstance(content, str) else content
    return write_whole(path, lambda part: part.write_bytes(data))


def in_processes(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    what: str,
    progress: Progress = silent,
    workers: Workers = None,
) -> list[Result]:
    """``function`` of every task, in order; results do not depend on who runs them.

    Each task brings its own seed.  ``workers`` is a number of processes, by default one per core,
    or what runs tasks elsewhere, such as ``sottovoce.spark.runner(...)``.  One worker is this process.
    """
    progress(what, 0.0)
    run = workers if callable(workers) else _own(workers, len(tasks))
    results: dict[int, Result] = {}
    for index, result in run(function, tasks):
        results[index] = result
        progress(what, len(results) / len(tasks))
    return [results[index] for index in range(len(tasks))]


def _own(workers: int | None, tasks: int) -> Run:
    """Processes of this machine; this one alone where one is enough."""
    count = min(os.cpu_count() or 1 if workers is None else workers, max(1, tasks))
    return one_by_one if count == 1 else partial(_in_pool, count=count)


def _in_pool(
    function: Callable[[Task], Result], tasks: Sequence[Task], *, count: int
) -> Iterator[tuple[int, Result]]:
    with worker_pool(count) as pool:
        places = {pool.submit(function, task): index for index, task in enumerate(tasks)}
        for done in as_completed(places):
            yield places[done], done.result()


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
