"""What is drawn in the terminal: bars while devices send, tables of answers beside the truth.

Where the output is no terminal there are no bars, only a line for each when it is done.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import rich.progress
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.table import Table
from rich.text import Text

from sottovoce.base.progress import Progress
from sottovoce.demo.findings import Findings

__all__ = ["bars", "console", "show"]

_WIDTH = 80
"""Columns, where the terminal has more: longer lines are hard to read."""


def console(*, stderr: bool = False) -> Console:
    """Where the demo is shown."""
    made = Console(stderr=stderr, highlight=False)
    made.width = min(made.width, _WIDTH)
    return made


# -- bars --------------------------------------------------------------------------------


class _Rate(ProgressColumn):
    """Reports a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s".rjust(8), style="dim")


@contextmanager
def bars(target: Console, totals: Mapping[str, int]) -> Iterator[Progress]:
    """A bar for every survey, by name, with what is done and how fast; plain lines in a pipe."""
    if not target.is_terminal:
        yield _Lines(target, totals).show
        return
    columns = (
        TextColumn("  {task.description}"), BarColumn(24),
        TextColumn("{task.completed:>8,.0f} of {task.total:,.0f}"), _Rate(),
    )  # fmt: skip
    with rich.progress.Progress(*columns, console=target) as progress:
        tasks = {name: progress.add_task(name, total=total) for name, total in totals.items()}
        yield lambda name, part: progress.update(tasks[name], completed=part * totals[name])


class _Lines:
    """A line for every survey once all its reports are there."""

    def __init__(self, target: Console, totals: Mapping[str, int]) -> None:
        self._target, self._totals = target, totals
        self._began = time.monotonic()

    def show(self, name: str, part: float) -> None:
        if part == 1.0:
            rate = self._totals[name] / (time.monotonic() - self._began)
            self._target.print(f"  {name}: {self._totals[name]:,} reports, {rate:,.0f} a second")


# -- tables ------------------------------------------------------------------------------


def show(target: Console, findings: Findings) -> None:
    """The answers with their intervals beside the truth; where one misses it, that is marked."""
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    drawn.add_column("", width=28)
    for name, width in (("truth", 7), ("answer", 7), ("95% interval", 16), ("inside", 6)):
        drawn.add_column(name, justify="right", min_width=width, no_wrap=True)
    for each in findings.findings:
        scale, digits, unit = _FORMS[each.unit]
        form, unit = (f"+.{digits}f", "") if findings.signed else (f".{digits}f", unit)
        truth, value, low, high = (
            f"{round(scale * number, digits) + 0.0:{form}}"  # no minus before a zero
            for number in (each.truth, each.value, each.low, each.high)
        )
        inside = Text("yes", "green") if each.inside else Text("no", "bold yellow")
        drawn.add_row(
            Text(each.words), truth + unit, value + unit, f"{low} to {high}{unit}", inside
        )
    target.print(Text(findings.title, "bold"))
    target.print(drawn, "")


_FORMS = {"share": (100, 1, "%"), "hours": (1, 2, " h"), "points": (1, 2, ""), "years": (1, 1, "")}
"""By what numbers are multiplied, how many digits they have, and what follows them; of differences
the title says the unit."""
