"""Answers to one question of a table within groups that the other question makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.comparing import holm
from sottovoce.answers.records.groups import group_of
from sottovoce.answers.records.ratios import (
    GroupDifference,
    difference_of_ratios,
    ratio_with_interval,
)
from sottovoce.answers.records.table_html import NOT_ENOUGH, TOTAL
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.frame import Frame
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.tables import Table

__all__ = ["condition", "difference", "mean", "mean_difference", "percentages", "within"]

_SHARES = (0.0, 1.0)
_DIFFERENCE = ("first", "second", "difference", "low", "high", "p_value", "adjusted", "note")


def condition(table: Table, mapping: Any, answer: dict[str, Any], owner: str) -> tuple[int, Any]:
    """The position of the question that a condition is about, and what it says of it."""
    asked = dict(mapping or {}, **answer)
    if len(asked) != 1 or next(iter(asked)) not in table.names:
        allowed = f"one answer to {' or '.join(table.names)}"
        raise InvalidInput("condition", owner, allowed, asked)
    ((name, value),) = asked.items()
    return table.names.index(name), value


def within(table: Table, axis: int, group: Floats, confidence: float) -> Frame:
    """A row per answer to the other question, among the people of a group."""
    other, reach = table.domains[1 - axis], two_sided(confidence)
    held = _held(table, axis, group)
    rows: list[tuple[float | None, float | None, float | None, str]] = []
    for unit in np.eye(other.size):
        sums, covariance = table.sums([held * _along(1 - axis, unit), held])
        found = ratio_with_interval(sums, covariance, reach, _SHARES)
        rows.append((None, None, None, NOT_ENOUGH) if found is None else (*found, ""))
    columns = zip(("share", "low", "high", "note"), zip(*rows, strict=True), strict=True)
    return Frame({table.names[1 - axis]: other.labels(), **dict(columns)})


def percentages(table: Table, axis: int, *, totals: bool, sort: bool, confidence: float) -> Frame:
    """:func:`within` for every answer to one question, and for everybody."""
    domain, of = table.domains[axis], table.names[axis]
    groups = [(domain.label(i), unit) for i, unit in enumerate(np.eye(domain.size))]
    if totals:
        groups.append((TOTAL, np.ones(domain.size)))
    found: dict[str, list[Any]] = {}
    for label, weights in groups:
        rows = list(within(table, axis, weights, confidence))
        if sort:
            rows.sort(key=lambda row: -(row["share"] or 0.0))
        for row in rows:
            for column, value in ({of: label} | row).items():
                found.setdefault(column, []).append(value)
    return Frame(found)


def mean(table: Table, axis: int, group: Any, confidence: float) -> Answer | None:
    """The mean of the other question's numbers in a group."""
    values, bounds = _numbers(table, axis, "mean")
    held = _held(table, axis, group_of(table.domains[axis], group))
    sums, covariance = table.sums([held * _along(1 - axis, values), held])
    reach = two_sided(confidence)
    found = ratio_with_interval(sums, covariance, reach, bounds)
    if found is None:
        return None
    value, low, high = found
    return Answer(value, (high - low) / (2 * reach), low, high, label_text(group), confidence)


def difference(table: Table, axis: int, pair: Any, confidence: float) -> Frame:
    """Of every share of the other question, second group minus first."""
    other = table.domains[1 - axis]
    units = [_along(1 - axis, unit) for unit in np.eye(other.size)]
    rows = _differences(table, axis, pair, units, _SHARES, two_sided(confidence))
    adjusted = iter(holm([row.p_value for row in rows if row is not None]).tolist())
    columns: dict[str, list[Any]] = {table.names[1 - axis]: other.labels()}
    for row in rows:
        cells: tuple[Any, ...] = (*(None,) * 7, NOT_ENOUGH)
        if row is not None:
            value = row.second - row.first
            numbers = row.first, row.second, value, row.low, row.high, row.p_value
            cells = (*numbers, next(adjusted), "")
        for head, cell in zip(_DIFFERENCE, cells, strict=True):
            columns.setdefault(head, []).append(cell)
    return Frame(columns)


def mean_difference(table: Table, axis: int, pair: Any, confidence: float) -> Answer | None:
    """Of the mean of the other question's numbers."""
    values, bounds = _numbers(table, axis, "mean_difference")
    reach = two_sided(confidence)
    (found,) = _differences(table, axis, pair, [_along(1 - axis, values)], bounds, reach)
    if found is None:
        return None
    value, stderr = found.second - found.first, (found.high - found.low) / (2 * reach)
    return Answer(value, stderr, found.low, found.high, "mean", confidence, found.p_value)


def _differences(  # noqa: PLR0917
    table: Table, axis: int, pair: Any, weights: Sequence[Floats], bounds: tuple[float, float],
    reach: float,
) -> list[GroupDifference | None]:  # fmt: skip
    """Of ratios whose numerators have these weights within each of two groups."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InvalidInput("groups", "difference", "two answers, or two groups of answers", pair)
    groups = [group_of(table.domains[axis], one) for one in pair]
    if np.any(groups[0] * groups[1] > 0):
        raise InvalidInput("groups", "difference", "without an answer in common", pair)
    one, other = (_held(table, axis, group) for group in groups)
    found = []
    for numbers in weights:
        sums, covariance = table.sums([one * numbers, one, other * numbers, other])
        found.append(difference_of_ratios(sums, covariance, reach, bounds))
    return found


def _numbers(table: Table, axis: int, owner: str) -> tuple[Floats, tuple[float, float]]:
    """The numbers of the other question, and their bounds."""
    domain = table.domains[1 - axis]
    if domain.numbers is None:
        raise Unfit(f"{owner} needs numbers; {table.names[1 - axis]!r} is over {domain}")
    return domain.numbers.midpoints, domain.numbers.span


def _held(table: Table, axis: int, group: Floats) -> Floats:
    """The weights of a table that sum over a group."""
    return np.broadcast_to(_along(axis, group), table.shares.shape)


def _along(axis: int, weights: Floats) -> Floats:
    """Weights of answers to one question, shaped so that they multiply a table."""
    return weights[:, None] if axis == 0 else weights[None, :]
