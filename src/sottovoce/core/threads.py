"""Work in parallel on the cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["in_parallel"]

A = TypeVar("A")
B = TypeVar("B")


def in_parallel(work: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """``work`` of every item, in order; the first error reaches the caller.

    Threads: the work releases the interpreter (system calls, numpy, compiled kernels).
    """
    from concurrent.futures import ThreadPoolExecutor  # a tenth of the time of importing us

    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed else os.cpu_count()
    with ThreadPoolExecutor(max_workers=cores) as pool:
        return list(pool.map(work, items))
