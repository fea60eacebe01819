"""Who runs independent tasks: this process one by one, or an engine that has many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

__all__ = ["Result", "Run", "Task", "one_by_one"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class Run(Protocol):
    """Calls a function on every task and gives each result with the index of its task.

    Results may come in any order.  Function, tasks and results must be picklable.
    """

    def __call__(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterable[tuple[int, Result]]:
        """Index and result of every task."""


def one_by_one(
    function: Callable[[Task], Result], tasks: Sequence[Task]
) -> Iterator[tuple[int, Result]]:
    """Run tasks in this process, in order.

    >>> dict(one_by_one(abs, [-3, 4]))
    {0: 3, 1: 4}
    """
    for index, task in enumerate(tasks):
        yield index, function(task)
