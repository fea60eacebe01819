"""Options for answers to several questions: one question of a record, or the table of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer
from rich.console import Console

from sottovoce.answers.independence import Independence
from sottovoce.answers.questions.cross_tables import (
    BELOW_NOISE,
    PERCENT,
    CrossTable,
    Pair,
    independence_in_words,
)
from sottovoce.answers.tables import NOT_ENOUGH
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import csv_text, label_text
from sottovoce.cli.shared.results import write_result
from sottovoce.cli.shared.screen import plain_label, say, show_json, show_table, show_text
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record

__all__ = ["Part", "RecordOptions", "check_part", "read_cross_table", "show_cross_table"]

_PANEL = "Several questions (a Record)"

Part = Annotated[
    str | None,
    typer.Option(
        "--part", metavar="QUESTION", rich_help_panel=_PANEL,
        help="The question of a record that answers are about, by name.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class RecordOptions:
    """Which question, or which two together."""

    part: Part = None
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="A,B",
            rich_help_panel=_PANEL,
            help="The table of two questions: the share of every pair of answers.",
        ),
    ] = None
    percent: Annotated[
        str | None,
        typer.Option(
            "--percent",
            metavar="WORD",
            rich_help_panel=_PANEL,
            help="With --table: rows, for percentages within each answer to the first question, or columns.",
        ),
    ] = None
    given: Annotated[
        str | None,
        typer.Option(
            "--given",
            metavar="A=VALUE",
            rich_help_panel=_PANEL,
            help="With --table: shares among people with this answer.",
        ),
    ] = None
    independence: Annotated[
        bool,
        typer.Option(
            "--independence", rich_help_panel=_PANEL,
            help="With --table: also test whether the two questions are independent.",
        ),
    ] = False  # fmt: skip

    def check(self, command: str, others: Mapping[str, Any]) -> None:
        """Refuse what does not go together, before anything is read; ``others`` have no table."""
        if self.table is None:
            for name in ("percent", "given", "independence"):
                if getattr(self, name):
                    allowed = "left out without --table"
                    raise InvalidInput(f"--{name}", command, allowed, getattr(self, name))
            return
        used = {option: given for option, given in others.items() if given}
        if self.part is not None:
            used = {"--part": self.part, **used}
        for option, given in used.items():
            raise InvalidInput(option, command, "left out with --table", given)
        if self.percent is not None:
            check_choice(self.percent, "--percent", command, PERCENT)
            if self.given is not None:
                raise InvalidInput("--percent, --given", command, "one of the two", "both")

    @property
    def used(self) -> bool:
        """Whether any is given."""
        return any(getattr(self, each.name) for each in fields(self))


def check_part(domain: Domain, options: RecordOptions, command: str) -> Record | None:
    """The record, if answers are to several questions; its options are refused elsewhere."""
    record = domain.record
    if record is None and options.used:
        raise Unfit(
            f"{command}: --part and --table need answers to several questions; these are {domain}"
        )
    if record is not None and options.part is not None:
        record.question(options.part)
    return record


# -- showing ---------------------------------------------------------------------------------


def read_cross_table(document: Mapping[str, Any]) -> CrossTable:
    """The table that a collector sent: bins, which JSON has as lists, are tuples again."""
    first, second = document["questions"]
    found = document["independence"]
    cells = tuple(
        Pair(**{**cell, "row": _label(cell["row"]), "column": _label(cell["column"])})
        for cell in document["cells"]
    )
    return CrossTable(
        (first, second), document["percent"], {k: _label(v) for k, v in document["given"].items()},
        document["reports"], document["about"], document["confidence"], cells,
        None if found is None else Independence(**found),
    )  # fmt: skip


def _label(label: Any) -> Any:
    return tuple(label) if isinstance(label, list) else label


@dataclass(frozen=True)
class ShownTable:
    """A cross table on a screen or in a file."""

    table: CrossTable

    def show(self) -> None:
        """A matrix where it fits the screen, else a row per pair of answers."""
        table, (first, second) = self.table, self.table.questions
        show_text(
            f"{first} by {second}: shares of {table.whole}, from {table.reports:,} reports about both"
        )
        show_text(f"{100 * table.confidence:.6g}% intervals, about the {table.about}")
        matrix = self._matrix()
        width = sum(2 + max(len(str(row[name])) for row in matrix) for name in matrix[0])
        console = Console()
        if (
            console.is_terminal
            and max(width, sum(2 + len(name) for name in matrix[0])) > console.width
        ):
            show_table([self._row(cell) for cell in table.cells])
        else:
            show_table(matrix)
        notes = {cell.note for cell in table.cells}
        if BELOW_NOISE in notes:
            show_text("* below noise: the share may be 0")
        if NOT_ENOUGH in notes:
            show_text("- not enough people gave this answer for shares among them")
        if table.independence is not None:
            show_text(independence_in_words(table.independence, table.questions))
            show_text(str(table.independence))

    def _matrix(self) -> list[dict[str, Any]]:
        first, second = self.table.questions
        corner = f"{first} \\ {second}"
        rows: dict[Any, dict[str, Any]] = {}
        for cell in self.table.cells:
            row = rows.setdefault(cell.row, {corner: label_text(cell.row)})
            row[f"{label_text(cell.column)} "] = _written(cell)
        return list(rows.values())

    def _row(self, cell: Pair) -> dict[str, Any]:
        first, second = self.table.questions
        share = "share" if cell.stderr is not None else "share within"
        return {
            first: cell.row, f"{second} ": cell.column, share: cell.share, "low": cell.low,
            "high": cell.high, "note": cell.note,
        }  # fmt: skip

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.table.questions, "share", "stderr", "low", "high", "note")

    @property
    def _cells(self) -> list[Sequence[Any]]:
        return [
            (plain_label(c.row), plain_label(c.column), c.share, c.stderr, c.low, c.high, c.note)
            for c in self.table.cells
        ]

    def show_csv(self) -> None:
        """A row per pair of answers."""
        typer.echo(csv_text(self._columns, self._cells), nl=False)

    def write(self, output: str) -> None:
        """The same as a file; as JSON, the whole document."""
        rows = [dict(zip(self._columns, row, strict=True)) for row in self._cells]
        write_result(output, self._columns, rows, self.table.document())
        say(f"table in {output}")


def show_cross_table(found: CrossTable, output: str | None, *, as_csv: bool, as_json: bool) -> None:
    """A table in the form that was asked for, and as a file."""
    shown = ShownTable(found)
    if as_json:
        show_json(found.document())
    elif as_csv:
        shown.show_csv()
    else:
        shown.show()
    if output is not None:
        shown.write(output)


def _written(cell: Pair) -> str:
    """A share with its reach, in percent."""
    if cell.share is None or cell.low is None or cell.high is None:
        return "-"
    reach = 100 * max(cell.share - cell.low, cell.high - cell.share)
    mark = "*" if cell.note == BELOW_NOISE else ""
    return f"{100 * cell.share:.1f}% ±{reach:.1f}{mark}"
