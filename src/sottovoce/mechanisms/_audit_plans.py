"""How audits attack vectors with noise on every coordinate, and sets of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import OperatingSystem
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.reports import Reports
from sottovoce.domains.pair_sets import PairSets

if TYPE_CHECKING:
    from sottovoce.mechanisms.gaussian import Gaussian
    from sottovoce.mechanisms.key_value import KeyValue

__all__ = ["plan_for_pairs", "plan_for_sums"]

_MOST_OUTCOMES = 2**12


def plan_for_sums(mechanism: Gaussian) -> AuditPlan:
    """Vectors at both ends of every coordinate, told apart by the sum of all cells: the best test
    of equal noise on all coordinates."""
    k = mechanism.coordinates
    last = k * (mechanism.coordinate.cells - 1)
    step = last // _MOST_OUTCOMES + 1

    def sample(bin_: int, count: int) -> Reports:
        rows = np.full((count, k), bin_, dtype=np.int64)
        return mechanism.randomize_positions(rows, OperatingSystem())

    def read(reports: Reports) -> NDArray[np.int64]:
        columns = np.stack(list(reports.columns.values()))
        return np.asarray(columns.sum(axis=0, dtype=np.int64) // step)

    ends = [0, mechanism.grid.bins - 1]
    return AuditPlan(ends, sample, outcomes=last // step + 1, read=read, ordered=True)


def plan_for_pairs(mechanism: KeyValue) -> AuditPlan:
    """Sets of pairs at both ends of their numbers: full ones, and single pairs.

    A report of one key supports a set if it supports any of its pairs; one of all keys, if all:
    that is where reports of sets differ most.
    """
    domain, named = mechanism.domain, mechanism.domain.keys
    full = min(domain.pairs or 1, named.size)
    ends, labels = (domain.interval.low, domain.interval.high), named.labels()
    some = (labels[:full], labels[-full:], labels[:1], labels[-1:])
    tried = [dict.fromkeys(keys, end) for keys in some for end in ends]
    values = [value for i, value in enumerate(tried) if value not in tried[:i]]
    combine = np.logical_or if mechanism.blocks == 1 else np.logical_and

    def sample(value: dict[Any, float], count: int) -> Reports:
        if domain.pairs is None:
            positions = np.tile(mechanism.locate([*value.items()]), count)
            return mechanism.randomize_positions(positions, OperatingSystem())
        one = domain.sets(value)
        many = (np.tile(column, count) for column in (one.sizes, one.keys, one.numbers))
        return mechanism.randomize_sets(PairSets(*many), OperatingSystem())

    def supports(reports: Reports, value: dict[Any, float]) -> NDArray[np.bool_]:
        positions = mechanism.locate([*value.items()]).tolist()
        return np.asarray(combine.reduce([mechanism.supports(reports, at) for at in positions]))

    return AuditPlan(values, sample, supports)
