"""Answers over windows, shown as tables with a bar for every window, as CSV, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from sottovoce.answers.series_document import COLUMNS, SMOOTHED, series_rows
from sottovoce.base.text import csv_text, label_text
from sottovoce.cli.shared.results import write_result
from sottovoce.cli.shared.screen import plain_label, say, show_table, show_text

__all__ = ["ShownTrend"]

_BLOCKS = "▏▎▍▌▋▊▉█"
_WIDTH = 16
"""Characters of the longest bar."""


@dataclass(frozen=True)
class ShownTrend:
    """The document of a trend: of files, or as a collector gives it."""

    document: Mapping[str, Any]

    def show(self) -> None:
        """A table for each question, under a few words."""
        for number, series in enumerate(self.document["trends"]):
            if number:
                show_text("")
            confidence = 100 * self.document["confidence"]
            show_text(f"{_name(series)}: {confidence:.6g}% intervals, about the {series['about']}")
            show_text(series["why"])
            show_table(_table(series))
            average = series["average"]
            show_text(
                f"mean over windows: {average['value']:.4g} +- {average['stderr']:.2g} "
                f"({average['low']:.4g} to {average['high']:.4g})"
            )
            _show_shifts(series)

    def show_csv(self) -> None:
        """All windows of all questions, as CSV."""
        names, rows = self._rows()
        typer.echo(csv_text(names, ([row.get(name) for name in names] for row in rows)), nl=False)

    def write(self, output: str) -> None:
        """The same as a file; as JSON, the whole document."""
        names, rows = self._rows()
        write_result(output, names, rows, self.document)
        say(f"answers in {output}")

    def _rows(self) -> tuple[list[str], list[dict[str, Any]]]:
        every = self.document["trends"]
        smooth = any("smoothed" in each for series in every for each in series["windows"])
        names = [*COLUMNS, *(SMOOTHED if smooth else ()), "about"]
        return names, [
            {**row, "about": series["about"]}
            for series in every
            for row in series_rows(series, series["question"], plain_label(_label(series)))
        ]


def _label(series: Mapping[str, Any]) -> Any:
    """What a series is about; a bin, which JSON has as a list, is a tuple again."""
    label = series["label"]
    return tuple(label) if isinstance(label, list) else label


def _name(series: Mapping[str, Any]) -> str:
    label = label_text(_label(series))
    return label if label.startswith(series["question"]) else f"{series['question']} of {label}"


def _table(series: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = series_rows(series, "", "")
    bars = _bars([row["value"] for row in rows])
    found = []
    for row, bar in zip(rows, bars, strict=True):
        shown = {name: row[name] for name in ("window", "reports", "value", "low", "high")}
        shown[""] = bar
        shown |= {"change": row["change"], "p": row["adjusted"]}
        if any(each["period_change"] is not None for each in rows):
            shown["since last period"] = row["period_change"]
        if any(each["smoothed"] is not None for each in rows):
            shown["smoothed"] = row["smoothed"]
        if series["shifts"]:
            shown["shift"] = row["shift"]
        found.append(shown)
    return found


def _bars(values: Sequence[float]) -> list[str]:
    """A bar for every value, from 0, or from the lowest where some are below.

    >>> _bars([0.0, 0.5, 1.0])
    ['', '████████', '████████████████']
    """
    low = min(0.0, *values)
    span = max(values) - low
    found = []
    for value in values:
        eighths = round(8 * _WIDTH * (value - low) / span) if span > 0 else 0
        rest = _BLOCKS[eighths % 8 - 1] if eighths % 8 else ""
        found.append(_BLOCKS[-1] * (eighths // 8) + rest)
    return found


def _show_shifts(series: Mapping[str, Any]) -> None:
    rate = 100 * series["false_alarms"]
    if not series["shifts"]:
        show_text(f"no window differs from the others ({rate:g}% false alarms)")
        return
    for shift in series["shifts"]:
        first, last = shift["first"], shift["last"]
        when = first if first == last else f"{first} to {last}"
        show_text(
            f"{when}: {shift['value']:+.4g} against the other windows "
            f"({shift['low']:+.4g} to {shift['high']:+.4g}), p = {shift['adjusted']:.2g}"
        )
    show_text(f"in at most {rate:g}% of series whose level never changes is anything found")
