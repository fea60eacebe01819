"""The page of two questions together: a heat map with numbers in its cells, and whether they go together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.answer import Answer
from sottovoce.answers.questions.cross_tables import (
    BELOW_NOISE,
    CrossTable,
    Pair,
    cross_table,
    independence_in_words,
)
from sottovoce.answers.tables import NOT_ENOUGH, Table
from sottovoce.answers.view import View
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import SottovoceError, Unfit
from sottovoce.domains.record import Record
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.pages.surveys import Query, Scene, scene_of
from sottovoce.service.pages.words import share_row, text
from sottovoce.service.state import CollectorState
from sottovoce.surveys.survey import Survey

__all__ = ["HeatMap", "table_page"]

SHOWS = {"shares": "Shares", "rows": "Percent of each row", "columns": "Percent of each column"}
"""What the cells may be; also the values of the parameter."""
_LEVELS = 10
"""Steps of color: the class of a cell is the nearest to its share."""
_MOST_CELLS = 1000
"""Cells of a table on a page."""
_OTHER_WAY = {"shares": "shares", "rows": "columns", "columns": "rows"}


@dataclass(frozen=True)
class Cell:
    """A cell as it is shown: its number, its interval, and the classes that color it."""

    value: str
    interval: str
    look: str


@dataclass(frozen=True)
class HeatRow:
    """A row of the heat map."""

    label: str
    cells: tuple[Cell, ...]
    is_total: bool = False


@dataclass(frozen=True)
class HeatMap:
    """All that there is to see of a table."""

    title: str
    told: str
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    legend: str
    independence: str
    test: str
    list: Sequence[tuple[str, ...]]
    reports: int
    all_reports: int
    left_out: tuple[str, ...]
    query: str
    """What a link to the same as a file needs."""


async def table_page(state: CollectorState, request: Request) -> Response:
    """Two questions together; unless they are chosen, the first two of the survey."""
    published, query = state.published(request.path_params["fingerprint"]), request.query_params
    survey = published.survey
    record = _record_of(survey)
    first = query.get("rows", record.names[0])
    others = (name for name in record.names if name != first)
    second = query.get("columns", next(others))
    show = query.get("show", "shares")
    for name in (first, second):
        record.question(name)
    check_choice(show, "show", "a page of two questions", tuple(SHOWS))
    base: Query = [("rows", first), ("columns", second), ("show", show)]
    scene = await scene_of(state, request, base)
    problem, prepared = _problem(record, first, second), None
    if not problem:
        key: Hashable = ("table", survey.fingerprint, scene.wanted, scene.view.about, *base)
        prepared = await state.preparer.board(
            key, scene.version, lambda: _board(state, scene, (first, second), show),
            patient=is_patient(request),
        )  # fmt: skip
    return page(
        request, "table.html", 400 if problem else 200, **scene.common, first=first, second=second,
        show=show, problem=problem, prepared=prepared, turned=_OTHER_WAY[show],
        board=prepared.board if prepared else None,
        incomplete=prepared is not None and prepared.pending and prepared.board is None,
    )  # fmt: skip


def _record_of(survey: Survey) -> Record:
    record = survey.mechanism.domain.record
    if record is None:
        raise Unfit(f"a table needs answers to several questions; {survey.name!r} asks one")
    return record


def _problem(record: Record, first: str, second: str) -> str:
    """Why there is no such table; empty if there may be one."""
    if first == second:
        return "choose two different questions"
    cells = record.part(first).size * record.part(second).size
    if cells > _MOST_CELLS:
        return (
            f"this table has {cells:,} cells; a page shows at most {_MOST_CELLS:,}. The CSV file of "
            "/table.csv has more, and numbers in fewer bins make smaller tables"
        )
    return ""


def _board(state: CollectorState, scene: Scene, pair: tuple[str, str], show: str) -> HeatMap:
    view = View(scene.view.about)
    told, table = state.analyst.table(scene.published, scene.wanted, pair, view)
    percent = "" if show == "shares" else show
    found = cross_table(table, percent=percent)
    words, test = _independence(table)
    about = [] if found.about == "respondents" else [("about", found.about)]
    asked = [("percent", percent)] if percent else []
    windows = [("window", name) for name in scene.wanted]
    return HeatMap(
        SHOWS[show], f"{_what(found)}.", _column_heads(table, percent), _rows(table, found),
        _legend(found), words, test, [_listed(cell) for cell in found.cells], found.reports,
        told.estimate.n, told.left_out,
        urlencode([("table", ",".join(pair)), *asked, *about, *windows]),
    )  # fmt: skip


def _what(found: CrossTable) -> str:
    first, second = found.questions
    if not found.percent:
        return f"The share of {found.whole} with each answer to {first} and each to {second}"
    within, of = (first, second) if found.percent == "rows" else (second, first)
    line = found.percent.removesuffix("s")
    return f"Of the people with an answer to {within}, the share with each answer to {of}: a {line} sums to 100%"


def _column_heads(table: Table, percent: str) -> tuple[str, ...]:
    names = tuple(map(text, table.domains[1].labels()))
    return names if percent else (*names, "all")


def _rows(table: Table, found: CrossTable) -> tuple[HeatRow, ...]:
    """The cells by row; of shares with their sums."""
    largest = max((cell.share or 0.0 for cell in found.cells), default=0.0)
    height, width = table.shares.shape
    rows = []
    for place, label in enumerate(table.domains[0].labels()):
        cells = [_cell(c, largest) for c in found.cells[place * width : (place + 1) * width]]
        if found.percent == "columns":
            cells = [_cell(found.cells[place + height * at], largest) for at in range(width)]
        if not found.percent:
            weights = np.zeros((height, width))
            weights[place] = 1.0
            cells.append(_sum(table.linear(weights)))
        rows.append(HeatRow(text(label), tuple(cells)))
    if not found.percent:
        totals = []
        for place in range(width):
            weights = np.zeros((height, width))
            weights[:, place] = 1.0
            totals.append(_sum(table.linear(weights)))
        everybody = Cell("100%", "everybody", "sum")
        rows.append(HeatRow("all", (*totals, everybody), is_total=True))
    return tuple(rows)


def _answer(cell: Pair) -> Answer | None:
    if cell.share is None or cell.low is None or cell.high is None:
        return None
    return Answer(cell.share, cell.stderr or 0.0, cell.low, cell.high)


def _cell(cell: Pair, largest: float) -> Cell:
    answer = _answer(cell)
    if answer is None:
        return Cell("—", NOT_ENOUGH, "none")
    value, _, interval = share_row(answer)
    level = round(_LEVELS * max(0.0, answer.value) / largest) if largest > 0 else 0
    noise = " noise" if cell.note == BELOW_NOISE else ""
    told = f"{interval}{', may be 0' if noise else ''}"
    return Cell(value, told, f"h{min(level, _LEVELS)}{noise}")


def _sum(answer: Answer) -> Cell:
    value, _, interval = share_row(answer)
    return Cell(value, interval, "sum")


def _listed(cell: Pair) -> tuple[str, ...]:
    answer = _answer(cell)
    numbers = ("—", "—", "—") if answer is None else share_row(answer)
    return (text(cell.row), text(cell.column), *numbers, cell.note)


def _legend(found: CrossTable) -> str:
    notes = {cell.note for cell in found.cells}
    parts = ["The stronger its color, the larger the share of a cell."]
    if BELOW_NOISE in notes:
        parts.append("Numbers in italics are below noise: the share may be 0.")
    if NOT_ENOUGH in notes:
        parts.append("A dash: not enough people gave the answer that the share is within.")
    return " ".join(parts)


def _independence(table: Table) -> tuple[str, str]:
    """What a test says, in words and in numbers."""
    try:
        found = table.independence()
    except SottovoceError as error:
        return f"No test: {error}.", ""
    return independence_in_words(found, table.names), str(found)
