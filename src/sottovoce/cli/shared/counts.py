"""Results of the counting query, from files and pipes, made into tallies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.inputs import Groups, add_group, check_distinct
from sottovoce.cli.shared.tables import STDIN, read_table, row_error
from sottovoce.core.mechanism import Mechanism
from sottovoce.engines.sql.results import tallies_of_result
from sottovoce.engines.sql.tally_query import CELL, COUNT
from sottovoce.surveys.toml import read_survey

__all__ = ["read_counts"]


def read_counts(inputs: Sequence[str], by: str | None, survey: Path | None) -> Groups:
    """A tally per group, in order of name; without ``by``, everything is one group."""
    if survey is None:
        allowed = "given with --counts: the survey whose query was run"
        raise InvalidInput("--survey", "the command", allowed, None)
    check_distinct(inputs)
    mechanism = read_survey(survey).mechanism
    found: Groups = {}
    for given in inputs:
        for group, tally in _tallies(given, by, mechanism).items():
            add_group(found, group, tally, given, by)
    return dict(sorted(found.items()))


def _tallies(given: str, by: str | None, mechanism: Mechanism) -> Groups:
    name = "standard input" if given == STDIN else given
    columns = read_table(given)
    numbers = {
        column: [_number(cell, name, row, column) for row, cell in enumerate(cells, start=1)]
        for column, cells in columns.items()
        if column.lower() in (CELL, COUNT)
    }
    return tallies_of_result(mechanism, {**columns, **numbers}, by, name)


def _number(cell: Any, name: str, row: int, column: str) -> Any:
    """A number of CSV from its text; others are as they are, and checked where they are counted."""
    if cell is None or (isinstance(cell, str) and not re.fullmatch(r"-?\d+", cell)):
        raise row_error(name, row, column, "a whole number", cell)
    return int(cell) if isinstance(cell, str) else cell
