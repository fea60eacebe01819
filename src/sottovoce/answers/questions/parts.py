"""One question of a record, wherever an interface lets people choose it."""

from __future__ import annotations

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.parts import record_sets
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain

__all__ = ["part_domain", "part_of", "reports_about"]


def part_domain(domain: Domain, question: str | None, parameter: str, owner: str) -> Domain:
    """The domain that questions are asked about: that of a record's question, which must be chosen."""
    if question is not None:
        return domain.part(question)
    if (record := domain.record) is not None:
        allowed = f"given: one of {', '.join(record.names)}"
        raise InvalidInput(parameter, owner, allowed, None)
    return domain.answered


def part_of(estimate: Estimate, question: str | None) -> Estimate:
    """The estimate of one question; the estimate itself where none is chosen."""
    return estimate if question is None else estimate.part(question)


def reports_about(estimate: Estimate, *questions: str) -> int:
    """Reports about all of these questions of a record together.

    >>> import sottovoce as sv
    >>> two = sv.Record({"a": sv.YesNo(), "b": sv.YesNo()})
    >>> m = sv.mechanism("record", two, 1.0, design="joint")
    >>> reports_about(sv.estimate(m.simulate([30, 20, 30, 20], source=sv.Seeded(1))), "a", "b")
    100
    """
    record, sets = record_sets(estimate, "part")
    places = {record.question(name) for name in questions}
    pairs = zip(sets.channel.sets, sets.counts, strict=True)
    return round(sum(count for asked, count in pairs if places <= {*asked}))
