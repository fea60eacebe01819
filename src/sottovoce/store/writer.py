"""Group commit: submissions from many threads, one transaction for those that wait."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sottovoce.store.errors import StoreDown, StoreFull
from sottovoce.store.items import Receipt, Refusals, Submission
from sottovoce.store.store import Store

__all__ = ["Writer"]

_LOG = logging.getLogger(__name__)
T = TypeVar("T")
Item = Submission | Refusals
Delivery = list[tuple[Any, Receipt | Exception]]


class Writer:
    """A thread that writes what is submitted, as much at once as has come meanwhile.

    ``deliver`` gets, once a commit and from the writer's thread, every key with its receipt, or
    with the error that kept it from being stored: never before the commit is on the disk.
    ``most_waiting`` submissions may wait, ``most_reports`` go into one commit.  ``gather`` is
    how many seconds to wait for company: reports that share a commit cannot be told
    apart by it.
    """

    def __init__(
        self,
        store: Store,
        deliver: Callable[[Delivery], object],
        *,
        most_waiting: int = 10_000,
        most_reports: int = 5_000,
        gather: float = 0.0,
    ) -> None:
        self.store, self._deliver, self._gather = store, deliver, gather
        self.most_waiting, self.most_reports = most_waiting, most_reports
        self._queue: SimpleQueue[tuple[Any, Item] | None] = SimpleQueue()
        self._gate, self._stopping = threading.Lock(), False
        self._others = ThreadPoolExecutor(1, thread_name_prefix="store-maintenance")
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Submissions and refusals that wait for a commit."""
        return self._queue.qsize()

    def submit(self, key: Any, submission: Submission) -> bool:
        """Take a submission; False where too many wait already, or the writer stops."""
        if self._queue.qsize() >= self.most_waiting:
            return False
        return self._put(key, submission)

    def refuse(self, key: Any, refusals: Refusals) -> bool:
        """Count reports that were refused; False only where the writer stops."""
        return self._put(key, refusals)

    def _put(self, key: Any, item: Item) -> bool:
        with self._gate:
            if not self._stopping:
                self._queue.put((key, item))
            return not self._stopping

    def call(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Run a method of the store beside the commits: publish, delete, fold, scrub, ...

        Its transactions come between those of the writer, which waits for one of them at most.
        """
        return self._others.submit(function, *args)

    def stop(self) -> None:
        """Take nothing more, write and deliver all that waits, and end."""
        with self._gate:
            if not self._stopping:
                self._stopping = True
                self._queue.put(None)
        self._thread.join()
        self._others.shutdown()

    # -- the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        going = True
        while going:
            group, going = self._next_group()
            if group:
                self._give(self._write(group))

    def _next_group(self) -> tuple[list[tuple[Any, Item]], bool]:
        """All that waits, up to the most that one commit takes; whether there may be more."""
        group: list[tuple[Any, Item]] = []
        reports, found = 0, self._queue.get()
        if self._gather and found is not None:
            time.sleep(self._gather)
        while found is not None:
            group.append(found)
            reports += len(found[1].ids) if isinstance(found[1], Submission) else 0
            if reports >= self.most_reports or len(group) >= self.most_reports:
                return group, True
            try:
                found = self._queue.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _write(self, group: list[tuple[Any, Item]]) -> Delivery:
        try:
            receipts = self.store.write([item for _, item in group])
        except (StoreFull, StoreDown) as error:
            return [(key, error) for key, _ in group]
        except Exception as error:
            if len(group) == 1:
                return [(group[0][0], error)]
            return [given for one in group for given in self._write([one])]  # one spoils no other
        return [(key, receipt) for (key, _), receipt in zip(group, receipts, strict=True)]

    def _give(self, delivery: Delivery) -> None:
        try:
            self._deliver(delivery)
        except Exception:
            _LOG.exception("receipts of %d submissions were not delivered", len(delivery))
