"""Kinds of questions guessed from a file of answers, for ``survey new --from``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.base.suggestions import did_you_mean
from sottovoce.cli.shared.domains import DomainOptions
from sottovoce.cli.shared.tables import read_table
from sottovoce.domains.base import Domain
from sottovoce.domains.guessing import Guess, guess_kind
from sottovoce.domains.record import Record

__all__ = ["FROM_ANSWERS", "guess_columns", "guessed_domain", "rows_of"]

FROM_ANSWERS = (
    "warning: values and bins that are chosen from answers depend on them, and a survey is public. Use public or "
    "old data here, not the answers to be protected, and edit what it guessed"
)


def guess_columns(
    answers: str | None, column: str | None, given: DomainOptions
) -> dict[str, Guess]:
    """The guess for every column of a file, or for one; none without a file."""
    if answers is None:
        if column is not None:
            raise InvalidInput("--column", "survey new", "left out without --from", column)
        return {}
    if given.given:
        allowed = "left out where options say what a value may be"
        raise InvalidInput("--from", "survey new", allowed, answers)
    table = read_table(answers)
    if column is not None and column not in table:
        hint = did_you_mean(column, list(table))
        allowed = f"one of {', '.join(table)}"
        raise InvalidInput("--column", f"{answers}", allowed, column, hint=hint)
    if column is not None:
        return {column: guess_kind(table[column])}
    return {name: _of_several(name, guess_kind(cells)) for name, cells in table.items()}


def _of_several(name: str, guess: Guess) -> Guess:
    """The guess for one of several questions: sets of boxes are a question of their own."""
    if guess.domain is None or guess.domain.choices is None:
        return guess
    return Guess(None, f"{guess.why}; a survey of one question: --column {name}")


def guessed_domain(guesses: Mapping[str, Guess], answers: str | None) -> Domain:
    """One question, or a record of several, of the columns that a kind was found for."""
    found = {name: each.domain for name, each in guesses.items() if each.domain is not None}
    if not found:
        reasons = "; ".join(f"{name}: {each.why}" for name, each in guesses.items())
        allowed = "a file with a column that looks like answers to a question"
        raise InvalidInput("--from", "survey new", allowed, answers, hint=reasons)
    return next(iter(found.values())) if len(found) == 1 else Record(found)


def rows_of(guesses: Mapping[str, Guess]) -> list[dict[str, Any]]:
    """What was guessed, a row per column."""
    return [
        {
            "column": name,
            "kind": "left out" if each.domain is None else str(each.domain),
            "why": each.why,
        }
        for name, each in guesses.items()
    ]
