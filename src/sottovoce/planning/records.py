"""The errors of answers about records, before anything is collected: which design is best for which answers.

The error of a part is the standard error of a share of one question, on average over its answers (root
mean square), then over questions; that of a table is the standard error of a cell, on average over pairs.
Both are known by formula for equally frequent answers
(:meth:`~sottovoce.mechanisms.question_sets.QuestionSets.expected_variances`).  Who wants both is served by
the least geometric mean of the two: neither is preferred, whatever their sizes are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record
from sottovoce.mechanisms._designs import DESIGNS, Design
from sottovoce.planning.result import Prospect

__all__ = ["DESIGNS", "RECORD_GOALS", "RecordYardstick", "design_of", "sketch_of"]

RECORD_GOALS = ("both", "parts", "tables")
_NO_TABLES = "no report is about two questions: it has no tables"


def design_of(domain: Domain, name: str, epsilon: float) -> Mechanism:
    """The mechanism of a design."""
    return mechanism("record", domain, epsilon, design=name)


def sketch_of(sizes: tuple[int, ...], name: str, epsilon: float) -> Any:
    """The same without weights, for a search; a design whose tallies are too large is refused."""
    design = Design(name, sizes, epsilon)
    if not design.fits:
        raise Unfit(f"design {name} does not fit questions of these sizes")
    return design


class HasExpectedVariances(Protocol):
    """A design, or its mechanism."""

    def expected_variances(self) -> tuple[Floats, Floats]:
        """n Var of a share of every question, and of a cell of every pair."""


@dataclass(frozen=True, eq=False)
class RecordYardstick:
    """The error of shares of questions ("parts"), of cells of tables ("tables"), or of both."""

    domain: Record
    goal: str = "both"

    @property
    def told(self) -> str:
        of = {
            "parts": "of a share, on average over questions",
            "tables": "of a cell of the table of two questions, on average over pairs",
            "both": "the geometric mean of that of a share and that of a cell of two questions' table, on "
            "average over questions and pairs",
        }
        return f"error: {of[self.goal]}, if all answers are equally frequent"

    def why_not(self, mechanism: Any, *, users: int | None) -> str:
        """Why a design cannot serve the goal, or nothing."""
        _, tables = mechanism.expected_variances()
        return _NO_TABLES if self.goal != "parts" and np.isinf(tables).any() else ""

    def parts(self, mechanism: Any) -> tuple[float, float]:
        """V of the squared error ``V/n``."""
        of_share, of_cell = _roots(mechanism)
        found = {"parts": of_share**2, "tables": of_cell**2, "both": of_share * of_cell}
        return found[self.goal], 0.0

    def prospect(self, chosen: Mechanism, name: str, users: int, needed: float | None) -> Prospect:
        """What is to be expected of one design."""
        assert hasattr(chosen, "expected_variances")  # those of records have it
        of_share, of_cell = (root / math.sqrt(users) for root in _roots(chosen))
        variance, _ = self.parts(chosen)
        error = math.sqrt(variance / users)
        return Prospect(
            chosen, name, error, needed=needed, part_error=of_share,
            table_error=None if math.isinf(of_cell) else of_cell,
        )  # fmt: skip


def _roots(chosen: HasExpectedVariances) -> tuple[float, float]:
    """Root of n times the mean variance: of a share over questions, of a cell over pairs."""
    parts, tables = chosen.expected_variances()
    return float(np.sqrt(parts).mean()), float(np.sqrt(tables).mean())
