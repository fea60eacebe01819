"""Answers about records: one question, or two together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sottovoce.answers.errors import CellErrors, LinearErrors
from sottovoce.answers.pooled_sets import PooledSets
from sottovoce.answers.tables import Table
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.record import Record

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["part", "record_sets", "table"]


def part(estimate: Estimate, question: str, method: str, **options: Any) -> Estimate:
    """The answers to one question, as an estimate over its domain."""
    record, _ = record_sets(estimate, "part")
    record.question(question)  # refused where there is none of that name
    if estimate.part_source is None:
        raise Unfit("part needs an estimate from one tally")
    return replace(estimate.part_source(question, method, **options), about=estimate.about)


def table(estimate: Estimate, first: str, second: str) -> Table:
    """The table of two questions."""
    record, sets = record_sets(estimate, "table")
    pair = record.question(first), record.question(second)
    if pair[0] == pair[1]:
        raise InvalidInput("questions", "table", "two different ones", (first, second))
    base = sets.set_of(pair)
    if base is None:
        raise Unfit(
            f"no report is about both {first!r} and {second!r}: devices were asked one question each; "
            'a table needs another design than "sample"'
        )
    return Table(sets, record, pair, base, estimate.about)


def record_sets(estimate: Estimate, question: str) -> tuple[Record, PooledSets]:
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
