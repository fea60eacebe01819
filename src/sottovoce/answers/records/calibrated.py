"""Shares of a population with known margins, from respondents who are not spread like it.

Let some questions of a record have known shares T in the population, such as age and region.  Weights
``w = 1 + sum over them of l_q(answer to q)`` are chosen so that the weighted respondents have these shares
(linear calibration; Deville and Sarndal 1992).  With one question this is post-stratification,

    theta_b = sum over a of T_a f_ab / f_a,

with several the linear form of raking.  Only tables of two questions are needed: with M the moments of
the indicators of all known answers among each other, and m_b those with answer b,

    theta_b = T' M^- m_b = l' m_b,    l = M^- T,    d theta_b = l' (dm_b - dM beta_b),   beta_b = M^- m_b,

so that an estimate is linear in the tables to first order, and its error has all their covariances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.pooled_sets import PooledSets, SetWeights
from sottovoce.answers.records.groups import group_of
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["Calibrated", "calibrated"]

_SUM = 1e-6
"""How far known shares may be from summing to 1."""
_CLEARLY = 3.0
"""Standard errors above 0 from which the respondents of every known group must be."""


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A record's respondents, weighted to known margins. Make one with ``Estimate.poststratified``.

    Parameters
    ----------
    sets : PooledSets
        What the reports say.
    record : Record
        The questions.
    known : dict
        For every question with known shares, its groups of answers (a row each) and their shares.
    source : Estimate
        The estimate that it was made from.
    """

    sets: PooledSets
    record: Record
    known: dict[int, tuple[Floats, Floats]]
    source: Estimate

    def part(self, question: str) -> Estimate:
        """The answers to a question in the population, unbiased, with linearized errors."""
        place = self.record.question(question)
        if place in self.known:
            raise Unfit(f"the shares of {question!r} are known")
        gains = self._gains(place)
        shares = self._weighted(place)
        names = " and ".join(self.record.names[q] for q in self.known)
        return replace(
            self.source, domain=self.record.domains[place], shares=shares, method="calibrated",
            why=f"weighted to known shares of {names}", about="population",
            error_model=CalibratedErrors(self.sets, gains), unbiased_source=None, clips=False,
            converged=True, iterations=0, history=(), optimality=0.0, trace=(), part_source=None,
        )  # fmt: skip

    def weights(self) -> Frame:
        """Every known group with its share among the respondents, its known share, and its weight.

        A person's weight is the sum of those of their groups.
        """
        found: dict[str, list[Any]] = {
            "question": [], "answers": [], "share": [], "known": [], "weight": []
        }  # fmt: skip
        for question, own in self._parts(self._multipliers).items():
            groups, known = self.known[question]
            domain, shares = self.record.domains[question], self.sets.shares(question)
            found["question"] += [self.record.names[question]] * len(known)
            found["answers"] += [_group_text(domain, group) for group in groups]
            found["share"] += (groups @ shares).tolist()
            found["known"] += known.tolist()
            found["weight"] += own.tolist()
        return Frame(found)

    # -- how ---------------------------------------------------------------------------------

    @cached_property
    def _targets(self) -> Floats:
        return np.concatenate([shares for _, shares in self.known.values()])

    @cached_property
    def _inverse(self) -> Floats:
        """M^-: one direction per further question is not told apart, since groups sum to 1."""
        moments = np.block(
            [[self._moments(first, second) for second in self.known] for first in self.known]
        )
        return np.asarray(np.linalg.pinv(moments, rcond=1e-10, hermitian=True))

    @cached_property
    def _multipliers(self) -> Floats:
        """l, so that a person has the weight ``sum of l`` over their groups."""
        return self._inverse @ self._targets

    def _moments(self, first: int, second: int) -> Floats:
        """The shares of groups of two known questions together."""
        groups, others = self.known[first][0], self.known[second][0]
        if first == second:
            return np.diag(groups @ self.sets.shares(first))
        return groups @ self._table(first, second) @ others.T

    def _table(self, first: int, second: int) -> Floats:
        low, high = sorted((first, second))
        table = self.sets.table((low, high), self._base(low, high))
        return table if first == low else table.T

    def _base(self, first: int, second: int) -> int:
        base = self.sets.set_of((first, second))
        if base is None:
            names = (self.record.names[question] for question in (first, second))
            raise Unfit(
                "weights to known shares need reports about both {!r} and {!r}: "
                'design="pairs", "mixed" or "joint" has such'.format(*names)
            )
        return base

    def _with(self, place: int) -> Floats:
        """m: the shares of known groups and answers to a question together."""
        return np.concatenate(
            [groups @ self._table(q, place) for q, (groups, _) in self.known.items()]
        )

    def _weighted(self, place: int) -> Floats:
        return np.asarray(self._multipliers @ self._with(place))

    def _gains(self, place: int) -> list[SetWeights]:
        """What every answer's share takes from the tables, to first order."""
        slopes = self._inverse @ self._with(place)
        found = []
        for answer, unit in enumerate(np.eye(self.record.domains[place].size)):
            total: SetWeights = {}
            self._add_answers(total, place, unit)
            self._take_moments(total, slopes[:, answer])
            found.append(total)
        return found

    def _parts(self, vector: Floats) -> dict[int, Floats]:
        ends = np.cumsum([len(shares) for _, shares in self.known.values()])[:-1]
        return dict(zip(self.known, np.split(vector, ends), strict=True))

    def _add_answers(self, total: SetWeights, place: int, unit: Floats) -> None:
        """``l' dm``."""
        for question, own in self._parts(self._multipliers).items():
            rows = own @ self.known[question][0]
            self._add_pair(total, (question, place), np.outer(rows, unit))

    def _take_moments(self, total: SetWeights, slopes: Floats) -> None:
        """``- l' dM beta``."""
        left, right = self._parts(self._multipliers), self._parts(slopes)
        for first, second in np.ndindex(len(self.known), len(self.known)):
            p, q = list(self.known)[first], list(self.known)[second]
            groups, others = self.known[p][0], self.known[q][0]
            if p == q:
                weights = -(left[p] * right[p]) @ groups
                _add(total, self.sets.part_weights(p, weights))
            else:
                self._add_pair(total, (p, q), -np.outer(left[p] @ groups, right[q] @ others))

    def _add_pair(self, total: SetWeights, pair: tuple[int, int], weights: Floats) -> None:
        low, high = sorted(pair)
        turned = weights if pair == (low, high) else weights.T
        _add(total, self.sets.pair_weights((low, high), self._base(low, high), turned))


@dataclass(frozen=True, eq=False)
class CalibratedErrors:
    """Errors of shares of a weighted population, to first order."""

    sets: PooledSets
    gains: list[SetWeights]

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        return np.array([self.stderr_of(unit, about) for unit in np.eye(len(self.gains))])

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``: about the population, as the known shares are of it."""
        total: SetWeights = {}
        for weight, gains in zip(weights.tolist(), self.gains, strict=True):
            if weight:
                _add(total, {number: weight * part for number, part in gains.items()})
        return math.sqrt(self.sets.variance(total, 0.0, "population"))


def calibrated(
    sets: PooledSets, record: Record, source: Estimate, known: Mapping[str, Any]
) -> Calibrated:
    """Check known shares, and that the respondents have people of every group."""
    if not known:
        raise InvalidInput("known", "poststratified", "shares of at least one question", None)
    found: dict[int, tuple[Floats, Floats]] = {}
    for name, shares in known.items():
        place = record.question(name)
        groups, wanted = _known_shares(name, record.domains[place], shares)
        for group, share in zip(groups, wanted.tolist(), strict=True):
            own = float(group @ sets.shares(place))
            error = math.sqrt(sets.variance(sets.part_weights(place, group), 0.0, "population"))
            if share > 0 and own < _CLEARLY * error:
                text = _group_text(record.domains[place], group)
                raise Unfit(
                    f"not enough people: the share of {name} = {text} among the respondents is "
                    f"{own:.4f} +- {error:.4f}; put it together with another, as a group"
                )
        found[place] = groups, wanted
    return Calibrated(sets, record, found, source)


def _known_shares(name: str, domain: Domain, shares: Any) -> tuple[Floats, Floats]:
    """Groups of answers and their shares: a mapping, or a number per answer in order."""
    if not isinstance(shares, Mapping):
        values = list(shares)
        if len(values) != domain.size:
            allowed = f"{domain.size} shares, or a mapping of answers to shares"
            raise InvalidInput(f"shares of {name}", "poststratified", allowed, values)
        shares = dict(zip(range(domain.size), values, strict=True))
        groups = np.eye(domain.size)
    else:
        groups = np.stack([group_of(domain, key) for key in shares])
    wanted = np.array(
        [check_real(x, f"share of {name}", "poststratified", "a number") for x in shares.values()]
    )
    covered = groups.sum(axis=0)
    if np.any(np.abs(covered - 1) > _SUM):
        missing = [
            label for label, c in zip(domain.labels(), covered, strict=True) if abs(c - 1) > _SUM
        ]
        allowed = "with every answer in one group"
        raise InvalidInput(f"shares of {name}", "poststratified", allowed, f"{missing[0]!r} is not")
    if np.any(wanted < 0) or abs(wanted.sum() - 1) > _SUM:
        allowed = "not negative, and 1 in all"
        raise InvalidInput(f"shares of {name}", "poststratified", allowed, wanted.tolist())
    return groups, wanted


def _group_text(domain: Domain, group: Floats) -> str:
    labels = [str(domain.label(int(i))) for i in np.flatnonzero(group)]
    return labels[0] if len(labels) == 1 else f"{labels[0]} ... {labels[-1]}"


def _add(total: SetWeights, more: SetWeights) -> None:
    for number, part in more.items():
        total[number] = (
            total[number] + part if number in total else np.array(part, dtype=np.float64)
        )
