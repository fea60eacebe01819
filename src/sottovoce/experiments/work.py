"""Many independent tasks on all cores, and how far they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from sottovoce.base.errors import MissingExtra
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.base.progress import Progress, silent

__all__ = ["in_processes", "seed_of", "shown_progress", "write"]

Task = TypeVar("Task")
Result = TypeVar("Result")

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


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
        with _one_thread_each(), ProcessPoolExecutor(count, mp_context=context) as pool:
            places = {pool.submit(function, task): i for i, task in enumerate(tasks)}
            for done in as_completed(places):
                results[places[done]] = done.result()
                progress(what, len(results) / len(tasks))
    return [results[i] for i in range(len(tasks))]


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started here do their linear algebra on one core: more would only disturb each other."""
    kept = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
