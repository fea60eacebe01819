"""The trend at the top of a repeated survey's page: a chart of the few lines that say most, and a table.

The numbers are those of :func:`sottovoce.trend` on the released tallies of the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.level_shifts import Shift
from sottovoce.service.analysis.answering import Analyst
from sottovoce.service.pages.charts import Point, Trail, trails
from sottovoce.service.pages.panels import Panel
from sottovoce.service.pages.ranges import Range, calendar
from sottovoce.service.pages.trend_lines import (
    FALSE_ALARMS,
    PERIODS,
    TrendLine,
    TrendLines,
    trend_lines,
)
from sottovoce.service.pages.words import change_row, count, number_row, p_text, share_row
from sottovoce.store import Published

__all__ = ["MOST_ON_PAGE", "Choice", "TrendBoard", "trend_board"]

MOST_ON_PAGE = 120
"""Windows of a trend on a page, the latest of a range."""
_MOST_FINDINGS = 3
_NOTHING = ("—", "—", "—")


@dataclass(frozen=True)
class Choice:
    """A line that can stand out: its name, the parameter that chooses it, and whether it does."""

    label: str
    line: str
    chosen: bool


@dataclass(frozen=True)
class TrendBoard:
    """What there is to see of a trend."""

    panel: Panel
    choices: tuple[Choice, ...]
    findings: tuple[str, ...]
    """Windows that differ, in words."""
    notes: tuple[str, ...]
    """What intervals and marks mean."""
    left_out: tuple[str, ...]
    download: str
    """The query of the same as CSV."""


def trend_board(
    analyst: Analyst,
    published: Published,
    chosen: Range,
    *,
    line: str,
    still_open: Sequence[str],
    part: str | None = None,
) -> TrendBoard:
    """The trend over a range; ``line`` is the one that stands out, empty for the one that says most.

    ``part`` is the question of a survey of several.
    """
    names = chosen.windows[-MOST_ON_PAGE:]
    known = trend_lines(analyst, published, names, line, part)
    of_part = [] if part is None else [("question", part)]
    notes = _notes(known, still_open)
    if len(chosen.windows) > MOST_ON_PAGE:
        notes.append(
            f"The latest {MOST_ON_PAGE} of {count(len(chosen.windows))} windows are drawn."
        )
    return TrendBoard(
        _panel(known),
        tuple(
            Choice(each.label, each.line, each.line == known.first.line) for each in known.choices
        ),
        _findings(known),
        tuple(notes),
        known.found.left_out,
        urlencode([*of_part, known.first.question, ("from", names[0]), ("to", names[-1])]),
    )


def _panel(known: TrendLines) -> Panel:
    window, first, shares = known.survey.window, known.first, known.are_shares
    windows = known.found.windows
    names = calendar(window, windows[0], windows[-1], MOST_ON_PAGE)
    marked, period = _marks(first), PERIODS[window][0]
    what = "share of the population" if shares else first.label
    chart = trails(
        names, _trail(known, first, names), [_trail(known, each, names) for each in known.others],
        name="trend", title=f"{first.label} over time", down_is=what, description=_described(known),
        form="percent" if shares else "number",
        before=[known.before[name].value if name in known.before else None for name in names],
        before_is=f"{first.label}, a {period} before" if known.before else "",
        marked={index: marked[name] for index, name in enumerate(names) if name in marked},
    )  # fmt: skip
    head = (
        window, what, "give or take", "95% interval", "change", "its 95% interval", "adjusted p",
        *((f"a {period} before",) if known.before else ()), "level",
    )  # fmt: skip
    return Panel("trend", f"{first.label} over time", "", chart, head, _rows(known))


def _trail(known: TrendLines, line: TrendLine, names: Sequence[str]) -> Trail:
    write = share_row if known.are_shares else number_row
    answers = dict(zip(line.series.windows, line.series.answers, strict=True))
    points: list[Point | None] = []
    for name in names:
        one = answers.get(name)
        if one is None:
            points.append(None)
        else:
            value, _, interval = write(one)
            points.append(Point(one.value, one.low, one.high, f"{name}: {value} ({interval})"))
    return Trail(line.label, tuple(points))


def _marks(line: TrendLine) -> dict[str, str]:
    """Windows that differ from the others, and a word which way."""
    found = {}
    for shift in line.shifts:
        inside = np.flatnonzero(line.series.within(shift))
        found.update(dict.fromkeys((line.series.windows[i] for i in inside), _way(shift)))
    return found


def _way(shift: Shift) -> str:
    return "higher" if shift.change.value > 0 else "lower"


def _rows(known: TrendLines) -> list[tuple[str, ...]]:
    """A row for every window, the latest first."""
    write = share_row if known.are_shares else number_row
    series, marked = known.first.series, _marks(known.first)
    changes = {one.label: one for one in series.changes()}
    rows: list[tuple[str, ...]] = []
    earlier: Answer | None = None
    for name, one in zip(series.windows, series.answers, strict=True):
        change, told = changes.get(name), _NOTHING
        if change is not None and earlier is not None:
            size, interval, _ = change_row(earlier, one, change, not known.are_shares)
            told = (size, interval, p_text(change.adjusted or 0.0))
        before = known.before.get(name)
        period = ("—" if before is None else write(before)[0],) if known.before else ()
        rows.append((name, *write(one), *told, *period, marked.get(name, "—")))
        earlier = one
    return rows[::-1]


# -- in words ---------------------------------------------------------------------------------


def _described(known: TrendLines) -> str:
    write = share_row if known.are_shares else number_row
    series, label = known.first.series, known.first.label
    ends = [f"{write(series.answers[at])[0]} in {series.windows[at]}" for at in (0, -1)]
    shifts = [_in_words(known, known.first, shift) for shift in known.first.shifts]
    return " ".join([f"{label}: {ends[0]}, {ends[1]}.", *shifts])


def _findings(known: TrendLines) -> tuple[str, ...]:
    """The clearest shifts of all lines."""
    found = [(each, shift) for each in known.lines for shift in each.shifts]
    found.sort(key=lambda pair: pair[1].p)
    told = [_in_words(known, each, shift) for each, shift in found[:_MOST_FINDINGS]]
    if len(found) > _MOST_FINDINGS:
        told.append(f"{count(len(found) - _MOST_FINDINGS)} more are marked on their lines.")
    return tuple(told)


def _in_words(known: TrendLines, line: TrendLine, shift: Shift) -> str:
    when = shift.first if shift.first == shift.last else f"{shift.first} to {shift.last}"
    zero = Answer(0.0, 0.0, 0.0, 0.0)
    size, interval, _ = change_row(zero, shift.change, shift.change, not known.are_shares)
    unit = " percentage points" if known.are_shares else ""
    place = "on" if known.survey.window == "day" and shift.first == shift.last else "in"
    return (
        f"{line.label} was {_way(shift)} {place} {when}: {size}{unit} (95%: {interval}) against the other "
        f"{known.survey.window}s."
    )


def _notes(known: TrendLines, still_open: Sequence[str]) -> list[str]:
    """What may be concluded, and from how many looks."""
    window, lines = known.survey.window, len(known.lines)
    ended = (
        f"Bands are 95% intervals, about the population. A {window} that has ended does not change any "
        "more: its interval is right whenever you look."
    )
    still = [name for name in known.found.windows if name in still_open]
    if still:
        when = still[0] if len(still) == 1 else f"From {still[0]} on, {window}s"
        verb, whose = (
            ("is", "its interval is") if len(still) == 1 else ("are", "their intervals are")
        )
        ended += f" {when} {verb} still open: {whose} right for one look."
    together = "on this line" if lines == 1 else f"on these {lines} lines together"
    return [
        ended,
        f"A {window} is marked where its level differs from all others. Where nothing changes, any is "
        f"marked in at most {FALSE_ALARMS:.0%} of surveys, {together}, at one look.",
        f"Changes: {known.first.series.why}.",
    ]
