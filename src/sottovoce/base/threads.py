"""Work in parallel on the cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

__all__ = ["cores", "in_parallel", "one_product_thread"]

A = TypeVar("A")
B = TypeVar("B")


def cores() -> int:
    """The cores this process may use, at most ``OMP_NUM_THREADS`` where that is set.

    Engines that run a process per core, as Spark does, set it so that processes do not each start
    as many threads as the machine has cores.  A list, as OpenMP allows, means its first number.
    """
    allowed = getattr(os, "sched_getaffinity", None)
    most = len(allowed(0)) if allowed else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(most, int(wanted)) if wanted.isdecimal() and int(wanted) else most


def in_parallel(work: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """``work`` of every item, in order; the first error reaches the caller.

    Threads: the work releases the interpreter (system calls, numpy, compiled kernels).
    """
    items = list(items)
    threads = min(cores(), len(items))
    if threads <= 1:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor  # a tenth of the time of importing us

    with ThreadPoolExecutor(max_workers=threads) as pool:
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
