"""The table of two questions as it is shown: which shares, with what is said of each cell.

One document for the command line, HTTP and pages: a row per pair of answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sottovoce.answers.independence import Independence
from sottovoce.answers.tables import Table
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.base.frame import Frame
from sottovoce.domains.parsing import read_value
from sottovoce.domains.record import Record

__all__ = [
    "BELOW_NOISE", "PERCENT", "CrossTable", "Pair", "cross_table", "independence_in_words", "read_condition",
]  # fmt: skip

BELOW_NOISE = "below noise"
"""What is said of a share that may be 0 as far as reports show."""
PERCENT = ("rows", "columns")
"""Percentages within each answer to the first question, or to the second."""
_CLEARLY, _LIKELY = 0.001, 0.05


@dataclass(frozen=True)
class Pair:
    """Two answers and their share; no numbers where too few people gave the one it is within."""

    row: Any
    column: Any
    share: float | None
    stderr: float | None
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True)
class CrossTable:
    """A table of two questions, of what its shares are, and from how many reports about both."""

    questions: tuple[str, str]
    percent: str
    """``"rows"`` or ``"columns"``; empty for shares of everybody, or of those with one answer."""
    given: Mapping[str, Any]
    """The answer that all people here have; empty for everybody."""
    reports: int
    about: str
    confidence: float
    cells: tuple[Pair, ...]
    independence: Independence | None = None

    @property
    def whole(self) -> str:
        """What the shares are of, in words.

        >>> CrossTable(("age", "os"), "rows", {}, 9, "respondents", 0.95, ()).whole
        'the people with each answer to age'
        """
        if self.given:
            ((name, value),) = self.given.items()
            return f"the people with {name} = {value}"
        if self.percent:
            return f"the people with each answer to {self.questions[self.percent == 'columns']}"
        return f"the {self.about}"

    def document(self) -> dict[str, Any]:
        """Everything, for JSON."""
        found = asdict(self)
        return found | {"questions": list(self.questions), "cells": list(map(asdict, self.cells))}


def cross_table(
    table: Table,
    *,
    percent: str = "",
    given: Mapping[str, Any] | None = None,
    independence: bool = False,
    confidence: float = 0.95,
) -> CrossTable:
    """The cells of a table: shares of everybody, percentages, or shares of those with one answer.

    Examples
    --------
    >>> import sottovoce as sv
    >>> people = sv.Record({"os": sv.Categories(["mac", "linux"]), "vi": sv.Categories(["no", "yes"])})
    >>> m = sv.mechanism("record", people, 2.0, design="joint")
    >>> table = sv.estimate(m.simulate([4000, 1000, 1000, 4000], source=sv.Seeded(1))).table("os", "vi")
    >>> [(cell.row, cell.column, round(cell.share, 1)) for cell in cross_table(table, percent="rows").cells]
    [('mac', 'no', 0.8), ('mac', 'yes', 0.2), ('linux', 'no', 0.2), ('linux', 'yes', 0.8)]
    """
    if percent:
        check_choice(percent, "percent", "a table", PERCENT)
        if given:
            raise InvalidInput("percent, given", "a table", "one of the two", "both")
    first, second = table.names
    label: dict[str, Any] = {}
    if given:
        ((name, value),) = given.items()
        axis = table.names.index(name)
        label = {name: table.domains[axis].label(table.domains[axis].index(value))}
        cells = _within(table, axis, [label[name]], table.given(given, confidence=confidence))
    elif percent:
        axis = int(percent == "columns")
        frame = table.percentages(table.names[axis], confidence=confidence)
        cells = _within(table, axis, table.domains[axis].labels(), frame)
    else:
        cells = _everybody(table, confidence)
    return CrossTable(
        (first, second), percent, label, table.n, table.about, confidence,
        tuple(cells), table.independence(confidence=confidence) if independence else None,
    )  # fmt: skip


def _everybody(table: Table, confidence: float) -> Iterable[Pair]:
    rows, columns = table.domains
    for row, column in np.ndindex(*table.shares.shape):
        unit = np.zeros(table.shares.shape)
        unit[row, column] = 1.0
        one = table.linear(unit, confidence=confidence)
        note = BELOW_NOISE if one.low <= 0 else ""
        yield Pair(
            rows.label(row), columns.label(column), one.value, one.stderr, one.low, one.high, note
        )


def _within(table: Table, axis: int, held: Sequence[Any], frame: Frame) -> Iterable[Pair]:
    """Shares of the question at the other axis among those with each answer of ``held``."""
    others = table.domains[1 - axis].labels()
    pairs = [(one, other) for one in held for other in others]
    shares = zip(*(frame[column] for column in ("share", "low", "high", "note")), strict=True)
    for (one, other), (share, low, high, note) in zip(pairs, shares, strict=True):
        noise = BELOW_NOISE if low is not None and low <= 0 else note
        row, column = (one, other) if axis == 0 else (other, one)
        yield Pair(row, column, share, None, low, high, noise)


def read_condition(
    text: str, record: Record, pair: Sequence[str], parameter: str, owner: str
) -> dict[str, Any]:
    """The answer to one of two questions that a text such as ``"os=mac"`` names."""
    for name in pair:
        if text.startswith(f"{name}="):
            domain = record.part(name)
            value = read_value(text[len(name) + 1 :], domain, parameter, owner)
            domain.check(value)
            return {name: value}
    allowed = f"an answer to one of the two, such as {pair[0]}=..."
    raise InvalidInput(parameter, owner, allowed, text)


def independence_in_words(found: Independence, questions: tuple[str, str]) -> str:
    """What a test of independence says.

    >>> print(independence_in_words(Independence(2.1, 2, 0.35, 0.02), ("age", "os")))
    No sign that age and os depend on each other: a result as strong comes from independent answers with a chance of 35% (p = 0.35).
    """
    first, second = questions
    p = f"p = {found.p_value:.2g}" if found.p_value >= _CLEARLY else "p below 0.001"
    strength = ""
    if found.cramers_v is not None:
        ends = "" if found.low is None else f" ({found.low:.2f} to {found.high:.2f})"
        strength = f" Strength (Cramér's V, from 0 to 1): {found.cramers_v:.2f}{ends}."
    if found.p_value < _LIKELY:
        return f"Answers to {first} and {second} depend on each other ({p}).{strength}"
    return (
        f"No sign that {first} and {second} depend on each other: a result as strong comes from "
        f"independent answers with a chance of {found.p_value:.0%} ({p})."
    )
