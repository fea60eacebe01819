"""What a survey would cost and tell, mechanism by mechanism, before it is run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from sottovoce.base.exact import decimal_text
from sottovoce.base.frame import Frame
from sottovoce.base.notebook import result_html, text_html
from sottovoce.core.fields import BitField, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.odds import privacy_in_words
from sottovoce.domains.base import Domain
from sottovoce.surveys.default_limits import mechanism_for_clients

__all__ = ["Plan", "Prospect"]

_ERRORS = {
    "shares": "rms error",
    "mean": "error of the mean",
    "range": "error of a range",
    "distribution": "error of a cumulative share",
    "parts": "error of a share",
    "tables": "error of a table's cell",
    "both": "error of shares and cells",
}
_NEAR = 1.1
"""How many times the least error a mechanism with smaller reports may have to be pointed out."""


@dataclass(frozen=True)
class Prospect:
    """One mechanism: its predicted standard errors, and what a report and a tally cost."""

    mechanism: Mechanism
    paper_name: str
    rms_error: float
    """The root of the mean squared error: of a share over all values, or of what the goal asks."""
    share_error: float | None = None
    """The standard error of one share, where shares are the goal."""
    half_error: float | None = None
    """The standard error of a total of half the values, on average over all halves."""
    needed: float | None = None
    """The users or the epsilon that the asked error takes; None where none is enough."""
    method: str = "unbiased"
    simulated: bool = False
    """Whether the error is that of a few simulated surveys, as there is no formula."""
    part_error: float | None = None
    """Over records the standard error of a share, on average over questions."""
    table_error: float | None = None
    """Over records the standard error of a cell, on average over pairs; None without tables."""

    @property
    def name(self) -> str:
        """Explaining and paper name."""
        own, paper = self.mechanism.name, self.paper_name
        return own if own == paper else f"{own} ({paper})"

    @property
    def options(self) -> str:
        """The options that were chosen, but for the precision of weights."""
        chosen = self.mechanism.options().items()
        short = ("design",) if self.mechanism.domain.record is not None else dict(chosen)
        told = [
            (name, value)
            for name, value in chosen
            if name in short and name != "bits" and value is not None
        ]
        return ", ".join(f"{name}={value}" for name, value in told)

    @property
    def report_bytes(self) -> int:
        """Bytes of one report, as columns hold them."""
        fields = self.mechanism.fields
        return sum(f.dtype.itemsize if isinstance(f, IntField) else f.width for f in fields)

    @property
    def protects(self) -> str:
        """Which values are protected: all, or only the sensitive ones."""
        scope = self.mechanism.certificate().scope
        return "all answers" if scope is None else scope.protects

    @property
    def no_floor(self) -> bool:
        """Whether more reports make every error as small as one likes."""
        return self.mechanism.channel().exact_inverse

    @property
    def counting(self) -> str:
        """What the collector's work grows with, n reports over d values."""
        if self.mechanism.blocks == 1:
            return "n"
        packed = any(isinstance(f, BitField) for f in self.mechanism.fields)
        return "n x d bits" if packed else "n x d hashes"

    @property
    def rank(self) -> tuple[float, float, int, int, str]:
        """By what is needed, then by error; where six digits agree, by what a report costs."""
        needed = math.inf if self.needed is None else self.needed
        error, words = float(f"{self.rms_error:.6g}"), self.mechanism.words_per_report
        return needed, error, self.report_bytes, words, self.name


@dataclass(frozen=True, eq=False)
class Plan:
    """Mechanisms ranked by predicted error, best first. Made by :func:`plan`.

    Errors are standard errors of unbiased answers about the respondents, or simulated.

    Parameters
    ----------
    domain : Domain
        What is asked.
    epsilon : float
        The privacy parameter.
    users : int
        The number of respondents.
    error : float, optional
        The wanted error, where it was an input.
    found : str
        Which of epsilon, users and error was computed.
    told : str
        The value whose error is shown in addition.
    prospects : tuple of Prospect
        One per mechanism, best first.
    unfit : mapping of str to str
        Mechanisms that do not fit, with the reason.
    goal : str
        Which error the ranking is by.

    Examples
    --------
    >>> import sottovoce as sv
    >>> sv.plan(sv.Categories(["yes", "no"]), epsilon=1.0, users=1000).best.name
    'randomized-response'
    """

    domain: Domain
    epsilon: float
    users: int
    error: float | None
    found: str
    told: str
    """What the errors speak of, in words."""
    prospects: tuple[Prospect, ...]
    unfit: Mapping[str, str] = field(default_factory=dict)
    """Mechanisms left out, with the reason."""
    goal: str = "shares"

    @property
    def best(self) -> Mechanism:
        """The mechanism of least predicted error, ready to use."""
        return self.prospects[0].mechanism

    def frame(self) -> Frame:
        """A row a mechanism, best first."""
        rows = self.prospects
        columns: dict[str, list[Any]] = {
            "mechanism": [row.mechanism.name for row in rows],
            "paper name": [row.paper_name for row in rows],
            "options": [row.options for row in rows],
            **({"protects": [row.protects for row in rows]} if self.protection else {}),
            **self._errors(),
            "report bytes": [row.report_bytes for row in rows],
            "tally cells": [row.mechanism.cells for row in rows],
            "tally bytes": [8 * row.mechanism.cells for row in rows],
            "counting": [row.counting for row in rows],
            "words": [row.mechanism.words_per_report for row in rows],
        }
        if self.found != "error":
            columns[f"{self.found} needed"] = [row.needed for row in rows]
        return Frame(columns)

    def _errors(self) -> dict[str, list[Any]]:
        rows = self.prospects
        if self.goal == "shares":
            return {
                "rms error": [row.rms_error for row in rows],
                "share error": [row.share_error for row in rows],
                **(
                    {}
                    if rows and rows[0].half_error is None
                    else {"half error": [row.half_error for row in rows]}
                ),
            }
        if self.domain.record is not None:
            return {
                "error": [row.rms_error for row in rows],
                "share error": [row.part_error for row in rows],
                "cell error": [row.table_error for row in rows],
            }
        return {
            "error": [row.rms_error for row in rows],
            "method": [row.method for row in rows],
            "known": ["simulated" if row.simulated else "by formula" for row in rows],
        }

    def __str__(self) -> str:
        columns = self.frame().columns
        del columns["tally cells"]
        if self.found != "error":
            column = columns[f"{self.found} needed"]
            column[:] = ["never" if needed is None else needed for needed in column]
        lines = [f"{self.domain}: {self._result()}", str(Frame(columns))]
        lines += [self.told, *self.protection, self.clients]
        lines += [f"left out: {name}: {reason}" for name, reason in self.unfit.items()]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The plan, for a notebook."""
        missing = [f"left out: {name}: {reason}" for name, reason in self.unfit.items()]
        said = text_html("\n".join([self.told, self.clients, *missing]))
        return result_html(f"{self.domain}: {self._result()}", self.frame()._repr_html_(), said)

    def _result(self) -> str:
        best, epsilon = self.prospects[0], decimal_text(self.epsilon)
        given = {"users": f"{self.users:,} users", "epsilon": f"epsilon {epsilon}"}
        if self.found == "error":
            said = f"with {given['users']} at {given['epsilon']} the least {self._error} is"
            return f"{said} {best.rms_error:.4g}, by {best.name}"
        other = given["epsilon" if self.found == "users" else "users"]
        wanted = f"an {self._error} of {self.error:g} with {other}"
        return f"{wanted} takes {given[self.found]}, by {best.name}"

    @property
    def _error(self) -> str:
        return _ERRORS[self.goal]

    def explain(self) -> str:
        """The privacy in plain words, and why the best mechanism is the best."""
        return "\n".join(
            [
                privacy_in_words(self.best.certificate()),
                *self.protection,
                *self._why(),
                *self._near(),
                self.clients,
            ]
        )

    @property
    def protection(self) -> list[str]:
        """What must be said where some mechanisms protect the sensitive values only; else nothing."""
        partly = [row for row in self.prospects if row.mechanism.open_chance is not None]
        if not partly:
            return []
        scope = partly[0].mechanism.certificate().scope
        assert scope is not None
        several = len(partly) > 1
        names = ", ".join(dict.fromkeys(row.mechanism.name for row in partly))
        return [
            f"{names}: {'each ' if several else ''}{scope.says_what_it_protects}. That is not epsilon-LDP: "
            "compare errors with the others only if this is enough."
        ]

    @property
    def clients(self) -> str:
        """What clients with default limits do with a survey of the best mechanism."""
        said = mechanism_for_clients(self.best)
        return f"{said[:1].upper()}{said[1:]}."

    def _why(self) -> list[str]:
        best = self.prospects[0]
        if self.domain.size == 1:
            return ["There is a single value: its share is 1."]
        if self.goal != "shares":
            said = f"{best.name} errs least: {best.rms_error:.3g} is the {self._error}."
            if self.domain.record is None:
                return [said]
            return [said, best.mechanism.why_least_error(), *self._unreadable()]
        said = f"{best.name} errs least: {best.rms_error:.3g} for a typical share."
        reason = best.mechanism.why_least_error()
        return [said, reason] if reason else [said]

    def _unreadable(self) -> list[str]:
        """Where a cell of a table errs by more than it has on average."""
        record, error = self.domain.record, self.prospects[0].table_error
        if record is None or error is None or self.goal == "parts":
            return []
        pairs = [first * second for first, second in combinations(record.sizes, 2)]
        mean = sum(1 / cells for cells in pairs) / len(pairs)
        if error <= mean:
            return []
        return [
            f"A cell of a table has a share of {mean:.3g} on average, and errs by {error:.3g}: ask with fewer "
            "answers per question, or more people."
        ]

    def _near(self) -> list[str]:
        """The smallest reports among those that err little more, whatever the true shares."""
        best, most = self.prospects[0], _NEAR * self.prospects[0].rms_error
        near = [best, *(row for row in self.prospects if row.rms_error <= most and row.no_floor)]
        small = min(near, key=lambda row: row.report_bytes)  # of equals the first errs least
        if self.domain.size == 1 or small.report_bytes == best.report_bytes:
            return []
        more = small.rms_error / best.rms_error - 1
        cost = f"{small.report_bytes:,} bytes per report instead of {best.report_bytes:,}"
        return [f"{small.name} errs {100 * more:.1f}% more, in {cost}."]
