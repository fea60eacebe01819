"""Reports that a relay draws for many people, from the rows of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.cli.shared.answered import read_records
from sottovoce.cli.shared.cohorts import Cohorts
from sottovoce.cli.shared.lines import read_lines
from sottovoce.cli.shared.pairs import read_pairs
from sottovoce.cli.shared.tables import STDIN, read_columns
from sottovoce.cli.shared.values import Columns, PrivateColumn
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Read
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.record import Record
from sottovoce.surveys.survey import Survey

__all__ = ["input_name", "relayed_reports"]


def input_name(given: str) -> str:
    """What an input is called in messages."""
    return "standard input" if given == STDIN else given


def relayed_reports(
    given: str,
    *,
    column: str | None,
    number: str | None,
    person: str | None,
    survey: Survey,
    cohorts: Cohorts | None,
) -> Iterator[Reports]:
    """Reports of the input's rows, some at a time; columns that do not suit are refused at once."""
    mechanism, domain = survey.mechanism, survey.mechanism.domain
    pairs = domain.keyed
    if (record := domain.record) is not None:
        for option, name in (("--column", column), ("--number", number)):
            if name is not None:
                allowed = "left out: columns have the names of the survey's questions"
                raise InvalidInput(option, "send", allowed, name)
        if person is not None and cohorts is None:
            allowed = "left out: every row is a person"
            raise InvalidInput("--person", "send", allowed, person)
        return _of_records(given, record, mechanism, person, cohorts)
    if pairs is None:
        for option, name in (("--number", number), ("--person", person)):
            if name is not None and (option == "--number" or cohorts is None):
                allowed = "left out where a value is not a pair of key and number"
                raise InvalidInput(option, "send", allowed, name)
        if cohorts is not None and column is None:
            raise InvalidInput("--column", "send", "given with --person", None)
        private = PrivateColumn(input_name(given), column or "value", domain, _admitting(survey))
        named = ("--column", column), ("--person", person)
        wanted = [(option, name) for option, name in named if name is not None]
        return _of_values(given, wanted, private, mechanism, cohorts)
    if column is None or number is None:
        allowed = "given: keys and numbers are read from two columns"
        raise InvalidInput("--column, --number", "send", allowed, [column, number])
    if person is not None and pairs.pairs is None and cohorts is None:
        raise InvalidInput("--person", "send", "left out where a person holds one pair", person)
    of_sets = None if pairs.pairs is None else person
    by = None if cohorts is None else person
    return _of_pairs(given, Columns(column, number, of_sets, by), pairs, mechanism, cohorts)


def _of_values(
    given: str,
    wanted: list[tuple[str, str]],
    private: PrivateColumn,
    mechanism: Mechanism,
    cohorts: Cohorts | None,
) -> Iterator[Reports]:
    source = OperatingSystem()
    if not wanted:
        for line, cells in read_lines(given):
            yield mechanism.randomize_indices(private.indices(list(cells), line), source)
    else:
        for row, columns in read_columns(given, wanted):
            indices = private.indices(columns[0], row)
            if cohorts is not None:
                indices = indices[cohorts.asked(columns[1], row)]
            yield mechanism.randomize_indices(indices, source)
    private.warn()


def _of_records(
    given: str, record: Record, mechanism: Mechanism, person: str | None, cohorts: Cohorts | None
) -> Iterator[Reports]:
    source = OperatingSystem()
    for row, answers, (people,) in read_records(given, record, ("--person", person), owner="send"):
        asked = answers
        if cohorts is not None and people is not None:
            asked = answers[cohorts.asked(people, row)]
        if len(asked):
            yield mechanism.randomize_positions(asked, source)


def _of_pairs(
    given: str,
    columns: Columns,
    domain: KeyValues,
    mechanism: Mechanism,
    cohorts: Cohorts | None,
) -> Iterator[Reports]:
    row = 1
    for some, people in read_pairs(given, columns, domain):
        chosen = some
        if cohorts is not None and people is not None:
            asked = cohorts.asked(people, row)
            row += len(people)
            rows = asked if columns.person is None else asked[some[0]]
            chosen = tuple(part[rows] for part in some)
        if len(chosen[0]):
            yield mechanism.randomize(chosen, source=OperatingSystem())


def _admitting(survey: Survey) -> Read:
    """How a cell becomes a value, by the survey's rule for values outside."""
    read = survey.mechanism.domain.reader()

    def admitted(cell: Any) -> Any:
        value = read(cell)
        try:
            return survey.admit(value)
        except InvalidInput:
            return value  # refused by the domain, with its row

    return admitted
