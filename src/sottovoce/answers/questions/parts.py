"""One question of a record, wherever an interface lets people choose it."""

from __future__ import annotations

from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput, NotIdentified
from sottovoce.domains.base import Domain

__all__ = ["part_domain", "reports_about"]


def part_domain(domain: Domain, question: str | None, parameter: str, owner: str) -> Domain:
    """The domain that questions are asked about: that of a record's question, which must be chosen."""
    if question is not None:
        return domain.part(question)
    if (record := domain.record) is not None:
        allowed = f"given: one of {', '.join(record.names)}"
        raise InvalidInput(parameter, owner, allowed, None)
    return domain.answered


def reports_about(estimate: Estimate, *questions: str) -> int:
    """Reports about one question of a record, or about two together.

    >>> import sottovoce as sv
    >>> two = sv.Record({"a": sv.YesNo(), "b": sv.YesNo()})
    >>> m = sv.mechanism("record", two, 1.0, design="joint")
    >>> reports_about(sv.estimate(m.simulate([30, 20, 30, 20], source=sv.Seeded(1))), "a", "b")
    100
    """
    try:
        if len(questions) == 1:
            return estimate.part(questions[0], "unbiased").n
        first, second = questions
        return estimate.table(first, second).n
    except NotIdentified:
        return 0
