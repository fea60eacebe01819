"""Sums over combinations of reports on the cluster: one vector per partition comes back.

Every pass is one read of what was written, with what it needs (shares, cells) in the step itself.
Nothing is cached, broadcast or accumulated, so a task that runs twice counts once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats
from sottovoce.engines.spark.combinations import Overview, Service, aligned_of
from sottovoce.engines.spark.frames import collected
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.fusion.factors import cells_of_users
from sottovoce.fusion.joint import CURVATURE_PRODUCTS
from sottovoce.fusion.mean import mean_sums
from sottovoce.fusion.services import Services

__all__ = ["CellSums", "LikelihoodSums", "MeanPass", "NumberSums", "OverviewSums", "summed"]

_ROWS = 2**17
"""Combinations that a worker takes at a time."""
LARGE, _TOGETHER = 256, 8
"""Values beyond which curvatures (0.5 MB each there) are added up by workers, and into how many."""
_SCHEMA = "sums binary"


def summed(frame: Any, step: Summing) -> Floats:
    """The sum of a step over all partitions."""
    parts = on_workers(frame, step, _SCHEMA)
    if step.large:
        parts = on_workers(parts.repartition(_TOGETHER), AddUp(), _SCHEMA)
    return _sum(collected(parts).column("sums"))


def _sum(column: Any) -> Floats:
    return np.asarray(np.sum([np.frombuffer(one, "<f8") for one in column.to_pylist()], axis=0))


def _batch(sums: Floats) -> Any:
    import pyarrow as arrow

    cells = arrow.array([sums.astype("<f8").tobytes()], arrow.binary())
    return arrow.RecordBatch.from_arrays([cells], names=["sums"])


@dataclass(frozen=True, eq=False)
class Summing(Step):
    """Adds up a vector over the combinations of a partition."""

    services: tuple[Service, ...]

    @property
    def most(self) -> int:
        """Combinations that are taken at a time."""
        return _ROWS

    @property
    def large(self) -> bool:
        """Whether vectors are so long that workers add them up before the driver does."""
        return False

    @abstractmethod
    def of(self, table: Any) -> Floats:
        """The vector of some combinations."""

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        total: Floats | None = None
        with one_product_thread():
            for table in self._tables(batches):
                found = self.of(table)
                total = found if total is None else total + found
        if total is not None:
            yield _batch(total)

    def _tables(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Batches of Spark gathered into tables: each costs its own tables of likelihoods."""
        import pyarrow as arrow

        waiting: list[Any] = []
        for batch in batches:
            waiting.append(batch)
            if sum(each.num_rows for each in waiting) >= self.most:
                yield from self._cut(arrow.Table.from_batches(waiting))
                waiting = []
        if waiting:
            yield from self._cut(arrow.Table.from_batches(waiting))

    def _cut(self, table: Any) -> Iterator[Any]:
        for start in range(0, table.num_rows, self.most):
            yield table.slice(start, self.most)


class AddUp(Step):
    """Adds up the vectors of several partitions."""

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        parts = [_sum(batch.column("sums")) for batch in batches if batch.num_rows]
        if parts:
            yield _batch(np.asarray(np.sum(parts, axis=0)))


class OverviewSums(Summing):
    """How many people there are, and what is wrong."""

    def of(self, table: Any) -> Floats:
        found = Overview.of(table, self.services)
        return np.concatenate([found.people, found.services.ravel()])


@dataclass(frozen=True, eq=False)
class LikelihoodSums(Summing):
    """The log-likelihood of a distribution, its slope and its curvature."""

    shares: Floats

    @property
    def most(self) -> int:
        return max(1, min(_ROWS, CURVATURE_PRODUCTS // len(self.shares) ** 2))

    @property
    def large(self) -> bool:
        return len(self.shares) > LARGE

    def of(self, table: Any) -> Floats:
        joint = Services(aligned_of(table, self.services)).observations.joint
        ratio, likelihood = joint.em_step(self.shares)
        bend = joint.curvature(self.shares)
        return np.concatenate([[likelihood], joint.total * ratio, bend.ravel()])


class CellSums(Summing):
    """How many people fell in each cell of every service."""

    def of(self, table: Any) -> Floats:
        part = Services(aligned_of(table, self.services))
        return np.concatenate([cells_of_users(f, part.aligned.counts) for f in part.factors])


@dataclass(frozen=True, eq=False)
class UserSums(Summing):
    """What needs the numbers of users, and so the cells of all."""

    cells: tuple[Floats, ...]

    def part(self, table: Any) -> Services:
        """Some users."""
        return Services(aligned_of(table, self.services), self.cells)


class NumberSums(UserSums):
    """Per service: people, and their numbers taken to the powers 1, 2 and 4."""

    def of(self, table: Any) -> Floats:
        found: list[float] = []
        for one in self.part(table).numbers:
            assert one.counts is not None
            counts, numbers = one.counts[one.present], one.numbers[one.present]
            found += [float(counts.sum()), *(float(counts @ numbers**k) for k in (1, 2, 4))]
        return np.array(found)


@dataclass(frozen=True, eq=False)
class MeanPass(UserSums):
    """What a fused mean needs of users."""

    method: str
    first: float
    typical: Floats

    def of(self, table: Any) -> Floats:
        sums = mean_sums(self.part(table), self.method, self.first, self.typical)
        return np.concatenate([[sums.total, sums.squares, sums.noise], sums.used])
