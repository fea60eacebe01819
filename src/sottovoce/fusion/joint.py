"""Several services as one likelihood: all reports of a user come from one value.

``L_iv = prod_j P[report of user i to service j | value v]``, services being independent given the
value.  Equal combinations of reports are counted once: with few different reports a service,
millions of users are some thousand rows.  Reference: Du, Ye, Fu, Hu 2025, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.channels.base import Channel, Floats
from sottovoce.domains.base import Domain, Indices
from sottovoce.estimators.observed import Observations
from sottovoce.fusion.factors import Codes, Factor, TableFactor
from sottovoce.fusion.pieces import cut_table, joined
from sottovoce.kernels.joint import JointUsers, joint_step_plain, joint_sums_plain, product
from sottovoce.kernels.products import gram

__all__ = ["CURVATURE_PRODUCTS", "FusedObservations", "JointChannel", "JointRows"]

_MOST_COUNTED = 2**25
"""Combinations of reports up to which they are counted in a table of all."""
_MUCH_MORE = 4
"""Times as many combinations as users: counting them would not merge many."""
CURVATURE_PRODUCTS = 2**32
"""Multiplications for a curvature: beyond, it is taken from every k-th row."""
_AT_ONCE = 2**13


class JointRows:
    """The likelihoods of users; a :class:`~sottovoce.channels.rows.Rows`.

    Rows are different combinations of reports with their counts, or with ``distinct=False``
    the users in their order.  With ``counts``, the rows of ``factors`` have been counted already.
    """

    def __init__(
        self, factors: Sequence[Factor], *, distinct: bool = True, counts: Indices | None = None
    ) -> None:
        tables = [factor for factor in factors if isinstance(factor, TableFactor)]
        self._sets = [factor for factor in factors if not isinstance(factor, TableFactor)]
        users = len(factors[0].present)
        self.inputs = factors[0].size
        self.total = float(users if counts is None else counts.sum())
        largest = [np.log(factor.table.max(axis=1)) for factor in tables]
        self._tables = [factor.table / factor.table.max(axis=1, keepdims=True) for factor in tables]
        sizes = [len(table) for table in self._tables]
        if counts is not None:
            self.codes, self.counts = _stacked(tables, users), counts.astype(np.float64)
        elif self._sets or not distinct:
            self.codes, self.counts = _stacked(tables, users), np.ones(users)
        else:
            self.codes, self.counts = _distinct(_stacked(tables, users), sizes)
        self._constant = sum(
            float(self.counts @ np.where(column >= 0, logs[column], 0.0))
            for column, logs in zip(self.codes.T, largest, strict=True)
        )
        cuts = [cut_table(table) for table in self._tables]
        found = [cut for cut in cuts if cut is not None]
        missing = [not factor.present.all() for factor in tables]
        whole = len(found) == len(cuts) and not self._sets
        pieces = joined(found, missing) if whole and found else None
        self._users = None if pieces is None else JointUsers(self.codes, self.counts, pieces)

    @property
    def structured(self) -> bool:
        """Whether likelihoods are summed piece by piece."""
        return self._users is not None

    def rows(self, some: slice) -> Floats:
        """Likelihoods written out for some rows, each up to a constant."""
        likelihood = np.ones((len(self.counts[some]), self.inputs))
        if self._tables:
            likelihood = product(self.codes[some], self._tables)
        for factor in self._sets:
            likelihood *= factor.rows(some)
        return likelihood

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """``(L'(c / L w) / sum c, sum c log L w)``."""
        found = None if self._users is None else self._users.step(shares)
        gathered, likelihood = found or joint_step_plain(self.rows, self.counts, shares)
        return gathered / self.total, likelihood + self._constant

    def sums(self, vectors: Sequence[Floats]) -> Floats:
        """``(L u)_i`` for every row (down) and several vectors u (across), up to a constant a row."""
        found = None if self._users is None else self._users.sums(vectors)
        return joint_sums_plain(self.rows, len(self.counts), vectors) if found is None else found

    def curvature(self, shares: Floats) -> Floats:
        """``L' diag(c / (L w)^2) L``, from every k-th row where there are very many."""
        every = max(1, len(self.counts) * self.inputs**2 // CURVATURE_PRODUCTS)
        chosen = np.arange(0, len(self.counts), every)
        scale = self.total / float(self.counts[chosen].sum())
        bend = np.zeros((self.inputs, self.inputs))
        for start in range(0, len(self.counts), _AT_ONCE * every):
            some = slice(start, min(start + _AT_ONCE * every, len(self.counts)), every)
            likelihood = self.rows(some)
            expected = likelihood @ shares
            scaled = likelihood * (np.sqrt(scale * self.counts[some]) / expected)[:, None]
            bend += gram(np.ascontiguousarray(scaled.T))
        return bend


def _stacked(tables: Sequence[TableFactor], users: int) -> Codes:
    codes = np.empty((users, len(tables)), dtype=np.int32)
    for j, factor in enumerate(tables):
        codes[:, j] = factor.codes
    return codes


def _distinct(codes: Codes, sizes: Sequence[int]) -> tuple[Codes, Floats]:
    """Different combinations of reports and how many users gave each, in order.

    Where there are far more combinations than users, users stay as they are.
    """
    bases = [size + 1 for size in sizes]
    combinations = float(np.prod(np.array(bases, dtype=np.float64)))
    if combinations > _MUCH_MORE * max(len(codes), 2**16) or combinations > 2**62:
        return codes, np.ones(len(codes))
    number = np.zeros(len(codes), dtype=np.int64)
    for column, base in zip(codes.T, bases, strict=True):
        number *= base
        number += column
        number += 1
    if combinations <= _MOST_COUNTED:
        counted = np.bincount(number, minlength=int(combinations))
        seen = np.flatnonzero(counted)
        counts = counted[seen]
    else:
        seen, counts = np.unique(number, return_counts=True)
    distinct = np.empty((len(seen), len(bases)), dtype=np.int32)
    for j in range(len(bases) - 1, -1, -1):
        seen, digit = np.divmod(seen, bases[j])
        distinct[:, j] = digit - 1
    return distinct, counts.astype(np.float64)


class JointChannel(Channel):
    """The rows that were seen, as a channel; each up to a constant."""

    def __init__(self, joint: JointRows, ring: bool) -> None:
        self.joint, self.ring = joint, ring
        self.inputs, self.cells = joint.inputs, len(joint.counts)

    def forward(self, shares: Floats) -> Floats:
        return self.joint.sums([shares])[:, 0]

    def adjoint(self, values: Floats) -> Floats:
        parts = range(0, self.cells, _AT_ONCE)
        some = [slice(start, start + _AT_ONCE) for start in parts]
        return np.sum([values[part] @ self.joint.rows(part) for part in some], axis=0)


@dataclass(frozen=True, eq=False)
class FusedObservations(Observations):
    """Users with their reports to several services, as evidence about one distribution."""

    joint: JointRows
    values: Domain
    largest: float
    """The largest budget of a service: what stopping rules go by."""
    ring: bool = False

    @property
    def domain(self) -> Domain:
        return self.values

    @property
    def epsilon(self) -> float:
        return self.largest

    @property
    def name(self) -> str:
        return "several services"

    @property
    def n(self) -> int:
        return int(self.joint.total)

    @cached_property
    def channel(self) -> Channel:
        return JointChannel(self.joint, self.ring)

    @property
    def cells(self) -> Floats:
        return self.joint.counts

    @property
    def rows(self) -> JointRows:  # type: ignore[override]
        return self.joint

    @property
    def likelihood(self) -> str:
        way = "piece by piece" if self.joint.structured else "written out, value by value"
        return f"joint likelihood of each user's reports, {way}"
