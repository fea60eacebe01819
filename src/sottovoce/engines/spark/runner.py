"""Many independent tasks of Python on the cluster: sweeps, reproductions, comparisons."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.base.tasks import Result, Run, Task
from sottovoce.base.threads import one_product_thread
from sottovoce.engines.spark.frames import collected
from sottovoce.engines.spark.session import session_or_active
from sottovoce.engines.spark.tallies import batches_of
from sottovoce.engines.spark.workers import Step, on_workers

__all__ = ["runner"]

_KINDS = {"index": "int64", "result": "binary"}


def runner(spark: Any = None) -> Run:
    """Make a runner: what runs independent tasks for ``compare``, ``reproduce`` and sweeps.

    Each task brings its own seed, so that results are those of one process.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession, optional
        The session; the active one, or a local one, if not given.

    Returns
    -------
    callable
        Takes a function and a sequence of tasks and yields the index and the result of each.

    Raises
    ------
    InvalidInput
        Where ``spark`` is not a session.

    Examples
    --------
    >>> import sottovoce as sv, sottovoce.spark as svs
    >>> sv.compare(tally, run=svs.runner(spark))  # doctest: +SKIP
    >>> from sottovoce.experiments import reproduce
    >>> reproduce("wiener", output="out", workers=svs.runner(spark))  # doctest: +SKIP
    """
    chosen = session_or_active(spark, "svs.runner")

    def run(
        function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        if not tasks:
            return
        from pyspark.cloudpickle import dumps

        rows = [(index, bytearray(dumps(task))) for index, task in enumerate(tasks)]
        frame = chosen.createDataFrame(rows, "index bigint, task binary")
        spread = frame.repartitionByRange(len(rows), "index")  # a partition per task
        done = on_workers(spread, Call(dumps(function)), "index bigint, result binary")
        table = collected(done)
        results = table.column("result").to_pylist()
        for index, result in zip(table.column("index").to_pylist(), results, strict=True):
            yield index, pickle.loads(result)  # noqa: S301 - our own workers made it

    return run


@dataclass(frozen=True)
class Call(Step):
    """Calls a function on every task of a partition."""

    function: bytes

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        function = pickle.loads(self.function)  # noqa: S301 - our own driver made it
        with one_product_thread():
            for batch in batches:
                indices, tasks = (batch.column(name).to_pylist() for name in ("index", "task"))
                rows = (
                    (index, pickle.dumps(function(pickle.loads(task))))  # noqa: S301
                    for index, task in zip(indices, tasks, strict=True)
                )
                yield from batches_of(rows, _KINDS)
