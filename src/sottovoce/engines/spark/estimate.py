"""Error bars of many groups: a tally per row goes in, a row per value comes out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sottovoce.base.errors import InvalidInput, Mismatch, NotConverged
from sottovoce.base.text import label_text
from sottovoce.base.threads import one_product_thread
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.spark.frames import mechanism_of, quoted, tasks_or_default
from sottovoce.engines.spark.tallies import Group, batches_of, check_tallies, read_tally
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.estimators import estimate as estimate_tally
from sottovoce.surveys.survey import Survey

__all__ = ["estimate"]

_NUMBERS = ("share", "stderr", "low", "high")
_COLUMNS = {
    "value": "string", **dict.fromkeys(_NUMBERS, "float64"), "n": "int64",
    "method": "string", "converged": "bool",
}  # fmt: skip
_SPARK = {"string": "string", "float64": "double", "int64": "bigint", "bool": "boolean"}


def estimate(
    tallies: Any,
    survey: Survey | Mechanism,
    method: str = "auto",
    *,
    confidence: float = 0.95,
    tasks: int | None = None,
    **options: Any,
) -> Any:
    """Estimate every group of a frame of tallies, on the cluster.

    Each group is estimated as :func:`sottovoce.estimate` does it. A group with fewer reports than
    the survey's minimum batch is not shown: its one row has no value, no share and no ``n``, and the
    method ``left out: below the minimum batch``, so that it can be counted.

    Parameters
    ----------
    tallies : pyspark.sql.DataFrame
        Tallies, best read back from storage: a lazy frame counts its reports again.
    survey : Survey or Mechanism
        What the tallies are of. A mechanism has no minimum batch.
    method : str
        The name of a method, as for :func:`sottovoce.estimate`.
    confidence : float
        The confidence of the intervals.
    tasks : int, optional
        Into how many tasks the groups are divided; ``spark.sql.shuffle.partitions`` if not given.
    **options
        More parameters of :func:`sottovoce.estimate`, such as ``goal`` or ``about``.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the groups, then ``value``, ``share``, ``stderr``, ``low``, ``high``, ``n``,
        ``method`` and ``converged``: a row per value and group. It is lazy.

    Raises
    ------
    InvalidInput
        Where the frame does not hold tallies.
    Mismatch
        Where a tally is of another mechanism; as the frame is lazy, when it is used.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> tallies = spark.read.parquet("lake/tallies")  # doctest: +SKIP
    >>> svs.estimate(tallies, survey).where("value = 'tea'").show()  # doctest: +SKIP
    """
    owner = "svs.estimate"
    by = check_tallies(tallies, owner)
    mechanism = mechanism_of(survey, owner)
    for name in set(by) & set(_COLUMNS):
        raise InvalidInput("tallies", owner, f"without a group named {name!r}", by)
    count = tasks_or_default(tallies, tasks)
    minimum = survey.minimum_batch if isinstance(survey, Survey) else 0
    step = Estimates(mechanism, tuple(by), minimum, method, confidence, options)
    kinds = [f"{quoted(name)} {_SPARK[kind]}" for name, kind in step.kinds.items()]
    return on_workers(tallies.repartition(count), step, ", ".join(kinds))


@dataclass(frozen=True)
class Estimates(Step):
    """Estimates the tallies of a partition."""

    mechanism: Mechanism
    by: tuple[str, ...]
    minimum: int
    method: str
    confidence: float
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, str]:
        """The columns of the result, with their types of Arrow."""
        return {**dict.fromkeys(self.by, "string"), **_COLUMNS}

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        with one_product_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # the column says so
            for batch in batches:
                yield from batches_of(self._rows(batch), self.kinds)

    def _rows(self, batch: Any) -> Iterator[tuple[Any, ...]]:
        labels = [batch.column(name).to_pylist() for name in self.by]
        groups = zip(*labels, strict=True) if self.by else [()] * batch.num_rows
        for group, data in zip(groups, batch.column("tally").to_pylist(), strict=True):
            yield from self._of_group(group, data)

    def _of_group(self, group: Group, data: bytes | None) -> Iterator[tuple[Any, ...]]:
        tally = read_tally(data, group)
        if tally.mechanism != self.mechanism:
            raise Mismatch(
                f"tally of {', '.join(group) or 'all reports'} is of {tally.mechanism} "
                f"({tally.mechanism.fingerprint}), not of {self.mechanism} "
                f"({self.mechanism.fingerprint})"
            )
        if tally.n < max(self.minimum, 1):
            nothing = [None] * (2 + len(_NUMBERS))
            yield (*group, *nothing, "left out: below the minimum batch", None)
            return
        found = estimate_tally(tally, self.method, **self.options)
        frame = found.frame(confidence=self.confidence)
        for value, *numbers in zip(frame["value"], *(frame[n] for n in _NUMBERS), strict=True):
            yield (*group, label_text(value), *numbers, tally.n, found.method, found.converged)
