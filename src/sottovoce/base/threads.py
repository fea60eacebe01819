"""Work in parallel on the cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

__all__ = ["in_parallel", "one_product_thread"]

A = TypeVar("A")
B = TypeVar("B")


def in_parallel(work: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """``work`` of every item, in order; the first error reaches the caller.

    Threads: the work releases the interpreter (system calls, numpy, compiled kernels).
    """
    from concurrent.futures import ThreadPoolExecutor  # a tenth of the time of importing us

    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed else os.cpu_count()
    items = list(items)
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(max_workers=cores) as pool:
        return list(pool.map(work, items))


def one_product_thread() -> AbstractContextManager[Any]:
    """Matrix products on one thread, where threadpoolctl is installed to see to it.

    A product on several threads waits for all of them.  With matrices of a few hundred rows
    and other work on the machine it waits ten times as long as it computes.
    """
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    limited: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limited
