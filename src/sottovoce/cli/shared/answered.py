"""Records of several questions from the columns of a file, a row per person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.cli.shared.tables import no_column, read_columns
from sottovoce.cli.shared.values import PrivateColumn, groups_of
from sottovoce.domains.base import Indices
from sottovoce.domains.record import Record

__all__ = ["read_records"]


def read_records(
    given: str, record: Record, *others: tuple[str, str | None], owner: str
) -> Iterator[tuple[int, Indices, list[list[str] | None]]]:
    """Rows of answers by index, some people at a time: the first row, the answers, the public cells.

    Columns have the names of the questions, in any order.  ``others`` are options with the columns
    that they name, which are no questions.  A question without a column, and a column without a
    question, are refused; one bad cell ends everything, with its row and column.
    """
    name = "standard input" if given == "-" else given
    named = [(option, column) for option, column in others if column is not None]
    for option, column in named:
        if column in record.names:
            raise InvalidInput(option, owner, "another column than those of questions", column)
    wanted = [*(("a question", question) for question in record.names), *named]
    columns = [
        PrivateColumn(name, question, domain, domain.reader())
        for question, domain in zip(record.names, record.domains, strict=True)
    ]

    def check(header: Sequence[str]) -> None:
        _check_header(header, record, [column for _, column in named], name)

    for row, cells in read_columns(given, wanted, check):
        answers = [column.indices(some, row) for column, some in zip(columns, cells, strict=False)]
        public = iter(cells[len(columns) :])
        found = [
            None if column is None else groups_of(next(public), row, column, name)
            for _, column in others
        ]
        yield row, np.stack(answers, axis=1), found
    for private in columns:
        private.warn()


def _check_header(header: Sequence[str], record: Record, others: list[str], name: str) -> None:
    """Refuse a question without a column, and a column without a question."""
    for question in record.names:
        if question not in header:
            raise Unfit(no_column(question, header, name, "column for the question"))
    for column in header:
        if column not in record.names and column not in others:
            questions = ", ".join(record.names)
            hint = "Remove the column: a file with answers must hold nothing else by accident."
            raise InvalidInput(
                "a column", name, f"one of the questions {questions}", column, hint=hint
            )
