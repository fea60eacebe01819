"""Worker processes: how they are started, and their threads."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

__all__ = ["worker_pool"]

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do their work on one core each; what waits is dropped if anything fails.

    They are started by a server without threads where there is one: a copy of a process with
    threads may hang.  Ctrl-C ends this process, and by that the others once they are done with
    what they are at.
    """
    context = get_context("forkserver" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_leave_interrupts)
    with _one_thread_each(), pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
