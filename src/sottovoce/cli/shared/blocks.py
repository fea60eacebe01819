"""Answers block by block, a group each, shown as tables, as CSV, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import typer

from sottovoce.answers.about import share_of
from sottovoce.answers.anytime import any_look
from sottovoce.answers.questions import Row
from sottovoce.base.text import csv_text
from sottovoce.cli.shared.options import describe
from sottovoce.cli.shared.results import write_result
from sottovoce.cli.shared.screen import plain_label, say, show_table, show_text
from sottovoce.core.mechanism import Mechanism

__all__ = ["Block", "ComparedAnswers", "Findings", "Made"]


class Made(Protocol):
    """How an estimate was made: that of this machine, or what a collector says of its own."""

    @property
    def n(self) -> int:
        """Reports that went into it."""

    @property
    def method(self) -> str:
        """The method, by name."""

    @property
    def why(self) -> str:
        """Why this method."""

    @property
    def converged(self) -> bool:
        """Whether it came to its end."""

    @property
    def iterations(self) -> int:
        """Steps it took."""

    @property
    def about(self) -> str:
        """Whom its intervals are about."""

    @property
    def looks(self) -> object:
        """What its intervals are planned for, if they hold at every look; else nothing."""


@dataclass(frozen=True)
class Block:
    """The answers about one group; its name is empty where there are no groups."""

    group: str
    estimate: Made
    answers: list[Row]
    windows: int = 1
    """How many windows its reports come from."""

    @property
    def head(self) -> str:
        """What its shares are of."""
        return share_of(self.estimate.about, self.windows)


@dataclass(frozen=True)
class ComparedAnswers:
    """How a second group differs from a first: about whom, by which statistic, and the answers."""

    about: str
    why: str
    answers: list[Row]


@dataclass(frozen=True)
class Findings:
    """All blocks, and for two of them how the second differs from the first."""

    mechanism: Mechanism
    confidence: float
    blocks: Sequence[Block]
    by: str | None = None
    difference: ComparedAnswers | None = None

    @property
    def _minus(self) -> str:
        first, second = (block.group for block in self.blocks)
        return f"{second} minus {first}"

    def show(self) -> None:
        """Tables under a few words each."""
        one = self.blocks[0].estimate
        show_text(f"{self.mechanism}: {one.method}; {one.why}")
        show_text(f"{100 * self.confidence:.6g}% intervals, about the {one.about}")
        if one.looks:
            show_text(any_look(self.confidence))
        for number, block in enumerate(self.blocks):
            if number:
                show_text("")
            count = f"{block.estimate.n:,} reports"
            rows = _short(block.answers, block.head)
            show_table(rows, f"{block.group}: {count}" if self.by else count)
        if (change := self.difference) is not None:
            show_text(f"\nabout the {change.about}; {change.why}")
            show_table(_short(change.answers, "difference"), f"difference: {self._minus}")

    def show_csv(self) -> None:
        """The table of all answers, as CSV."""
        names, rows = self._table()
        typer.echo(csv_text(names, ([row.get(name) for name in names] for row in rows)), nl=False)

    def write(self, output: str, document: Any) -> None:
        """The table of all answers as a file; as JSON, the whole document."""
        names, rows = self._table()
        write_result(output, names, rows, document)
        say(f"answers in {output}")

    def _table(self) -> tuple[list[str], list[Row]]:
        """One row per answer; groups and differences in a column before it."""
        names = ["question", "label", "value", "stderr", "low", "high", "about"]
        if self.by is not None:
            names = ["group", *names, "p_value", "adjusted"]
        parts = [(block.group, block.estimate.about, block.answers) for block in self.blocks]
        if (change := self.difference) is not None:
            parts.append((self._minus, change.about, change.answers))
        if any("standing" in row for _, _, rows in parts for row in rows):
            names += ["false_discovery", "standing"]
        return names, [
            {**row, "label": plain_label(row["label"]), "group": group, "about": about}
            for group, about, rows in parts
            for row in rows
        ]

    def document(self) -> dict[str, Any]:
        """Everything, for JSON."""
        blocks = [self._of(block) for block in self.blocks]
        if self.by is None:
            return blocks[0]
        document: dict[str, Any] = {"by": self.by, "groups": blocks}
        if self.difference is not None:
            first, second = (block.group for block in self.blocks)
            document["difference"] = {"first": first, "second": second, **asdict(self.difference)}
        return document

    def _of(self, block: Block) -> dict[str, Any]:
        told = block.estimate
        head = {} if self.by is None else {"group": block.group}
        return {
            **head, "reports": told.n, "method": told.method, "why": told.why,
            "converged": told.converged, "iterations": told.iterations, "about": told.about,
            "looks": "any" if told.looks else "one", "confidence": self.confidence, "mechanism": describe(self.mechanism),
            "answers": block.answers,
        }  # fmt: skip


def _short(rows: Sequence[Row], head: str) -> list[Row]:
    """Without the column of questions where all are shares; keys with frequency and mean side by side.

    ``head`` says what shares are of.
    """
    asked = {row["question"] for row in rows}
    if asked <= {"share", "top"}:
        heads, hidden = {"value": head}, ("question", "false_discovery")
        return [{heads.get(k, k): v for k, v in row.items() if k not in hidden} for row in rows]
    if asked == {"frequency", "mean"}:
        means = {row["label"]: row for row in rows if row["question"] == "mean"}
        rates = [row for row in rows if row["question"] == "frequency"]
        return [{**_renamed(row), **_renamed(means[row["label"]], "mean ")} for row in rates]
    return list(rows)


def _renamed(row: Row, mark: str = "") -> Row:
    """A row under the name of its question, the other columns marked."""
    head = {"key": row["label"]} if not mark else {}
    others = {f"{mark}{k}": v for k, v in row.items() if k not in ("question", "label", "value")}
    return {**head, row["question"]: row["value"], **others}
