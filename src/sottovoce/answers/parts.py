"""Answers about records: one question, or two together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sottovoce.answers.errors import CellErrors, LinearErrors
from sottovoce.answers.pooled_sets import PartErrors, PooledSets
from sottovoce.answers.tables import Table
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.record import Record

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["part", "table"]


def part(estimate: Estimate, question: str) -> Estimate:
    """The answers to one question, as an estimate over its domain."""
    record, sets = _sets(estimate, "part")
    place = record.question(question)
    shares = sets.shares(place)
    asked = len(sets.mixture(place))
    return replace(
        estimate, domain=record.domains[place], shares=shares, method="unbiased",
        why=f"answers to {question!r}, from {asked} sets of questions" if asked > 1
        else f"answers to {question!r}",
        error_model=PartErrors(sets, place, shares), unbiased_source=None, clips=False,
        converged=True, iterations=0, history=(), optimality=0.0, trace=(),
    )  # fmt: skip


def table(estimate: Estimate, first: str, second: str) -> Table:
    """The table of two questions."""
    record, sets = _sets(estimate, "table")
    pair = record.question(first), record.question(second)
    if pair[0] == pair[1]:
        raise InvalidInput("questions", "table", "two different ones", (first, second))
    base = sets.set_of(pair)
    if base is None:
        raise Unfit(
            f"no report is about both {first!r} and {second!r}: devices were asked one question each; "
            'a table needs design="pairs", "mixed" or "joint"'
        )
    return Table(sets, record, pair, base, estimate.about)


def _sets(estimate: Estimate, question: str) -> tuple[Record, PooledSets]:
    """What the reports say of every set of questions."""
    record, plain = estimate.domain.record, estimate.unbiased or estimate
    model = plain.error_model
    if record is not None and isinstance(model, (CellErrors, LinearErrors)):
        channel = model.channel.record
        if channel is not None:
            return record, PooledSets(channel, estimate.n, model.frequencies)
    raise Unfit(
        f"{question} needs answers to several questions (a Record); this estimate is over {estimate.domain}"
    )
