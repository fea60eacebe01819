"""Answers of the collector, each beside the truth that only a simulation knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.demo.questions import Asked
from sottovoce.demo.surveys import Poll
from sottovoce.device.remote_collector import RemoteCollector

__all__ = ["Finding", "Findings", "ask", "ask_difference", "ask_table"]


@dataclass(frozen=True)
class Finding:
    """One answer with its interval, and the truth."""

    words: str
    unit: str
    truth: float
    value: float
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low <= self.truth <= self.high


@dataclass(frozen=True)
class Findings:
    """Answers under what they are about, and by which method they were found."""

    title: str
    findings: list[Finding]
    method: str
    why: str
    signed: bool = False
    """Whether the answers are differences."""


def ask(
    reader: RemoteCollector, title: str, poll: Poll, asked: Sequence[Asked], of: str | None = None
) -> Findings:
    """Answers about all days of a survey; ``of`` names one question of several."""
    query = _query(asked) + ([] if of is None else [("question", of)])
    told = reader.get(f"/surveys/{poll.survey.fingerprint}/answers", query)
    values = poll.values if of is None else [each[of] for each in poll.values]
    truths = [each.truth(values) for each in asked]
    return Findings(title, _findings(told, asked, truths), told["method"], told["why"])


def ask_table(reader: RemoteCollector, title: str, poll: Poll, pair: tuple[str, str]) -> Findings:
    """The table of two questions: within each answer to the first, the shares of the second."""
    query = [("table", ",".join(pair)), ("percent", "rows")]
    told = reader.get(f"/surveys/{poll.survey.fingerprint}/table", query)
    both = Counter((each[pair[0]], each[pair[1]]) for each in poll.values)
    held = Counter(each[pair[0]] for each in poll.values)
    found = [
        Finding(
            f"{cell['row']}: {cell['column']}", "share",
            both[cell["row"], cell["column"]] / held[cell["row"]],
            cell["share"], cell["low"], cell["high"],
        )
        for cell in told["cells"]
        if cell["share"] is not None
    ]  # fmt: skip
    why = f"{told['reports']:,} reports are about both questions"
    return Findings(title, found, "unbiased", why)


Side = tuple[Poll, str | None]
"""A survey and one of its windows, or all."""


def ask_difference(
    reader: RemoteCollector, title: str, first: Side, second: Side, asked: Sequence[Asked]
) -> Findings:
    """How the second side differs from the first."""
    query = _query(asked)
    for name, (poll, window) in (("first", first), ("second", second)):
        query.append((name, poll.survey.fingerprint))
        query += [] if window is None else [(f"{name}_window", window)]
    told = reader.get("/differences", query)
    sides = [
        poll.values if window is None else poll.days[window] for poll, window in (first, second)
    ]
    truths = [each.truth(sides[1]) - each.truth(sides[0]) for each in asked]
    head = told["second"]
    return Findings(title, _findings(told, asked, truths), head["method"], head["why"], True)


def _query(asked: Sequence[Asked]) -> list[tuple[str, str]]:
    return [(each.name, each.text) for each in asked]


def _findings(told: Any, asked: Sequence[Asked], truths: Sequence[float]) -> list[Finding]:
    """Answers come in the order of the questions; of a key there is one more, which was not wanted."""
    wanted = {each.question or each.name for each in asked}
    rows = [row for row in told["answers"] if row["question"] in wanted]
    return [
        Finding(each.words, each.unit, truth, row["value"], row["low"], row["high"])
        for each, truth, row in zip(asked, truths, rows, strict=True)
    ]
