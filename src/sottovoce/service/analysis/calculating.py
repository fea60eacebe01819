"""What a survey would tell, for the calculator: errors, users and epsilons by formula.

Mechanisms are ranked by :func:`sottovoce.plan`, at one epsilon.  Errors that it would have to
simulate (the shares of a square wave) take seconds and are left out: for ranges and distributions it
is asked how many users one error takes, which it answers by formula, and errors follow as one over
the root of users.  The smallest epsilon is searched among the few mechanisms that are best at a small
and at a large one, to three digits; a plan searches all of them, to a millionth, and takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.planning.numbers import NumberYardstick, bump
from sottovoce.planning.plan import ShareYardstick, plan
from sottovoce.planning.result import Prospect
from sottovoce.planning.search import Yardstick
from sottovoce.planning.windows import WindowPlan, plan_windows
from sottovoce.privacy.influence import Influence
from sottovoce.service.analysis.shifts import shifts_of

__all__ = ["EPSILONS", "Asked", "Calculation", "Row", "calculate"]

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Those that a chart shows."""
_LEAST, _MOST = 0.01, 20.0
_STEP = 1.003
"""How near to each other two epsilons are when the search for the smallest ends."""
_LINES = 3
_DRAWN = 2_000
"""Values above which no chart is drawn: its lines would take longer than all else."""
_LOOKED_AT, _BEST = (0.3, 3.0), 3
_SIMULATED = ("range", "distribution")
_ANY_ERROR = 0.01


@dataclass(frozen=True)
class Asked:
    """A question to the calculator; of epsilon, users and error one is None."""

    kind: str
    size: int
    low: float
    high: float
    goal: str
    epsilon: float | None
    users: int | None
    error: float | None
    """A standard error, as a share from 0 to 1 or in units of the numbers."""
    windows: int = 1
    """In how many windows the same people are asked."""
    lifetime: float | None = None
    """What all reports of a person may cost; None for twice the epsilon of one."""

    @property
    def domain(self) -> Domain:
        """What people answer."""
        if self.kind == "categories":
            return Categories(self.size)
        return Interval(self.low, self.high, self.size)


@dataclass(frozen=True)
class Row:
    """One mechanism: its error, and the users or the epsilon that the wanted error takes."""

    name: str
    paper_name: str
    error: float
    report_bytes: int
    needed: float | None
    mechanism: Mechanism


@dataclass(frozen=True)
class Calculation:
    """The numbers of a page: two that were given and the one found, mechanisms, a chart's lines."""

    found: str
    epsilon: float
    users: int
    rows: tuple[Row, ...]
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    """The error against epsilon, of the best few mechanisms."""
    influences: tuple[Influence, ...]
    repeated: WindowPlan | None = None
    """Designs for the same people in several windows."""


def calculate(asked: Asked) -> Calculation:
    """The numbers of a question."""
    domain, goal, found = asked.domain, asked.goal, "error"
    epsilon, users = asked.epsilon, asked.users
    needed: dict[str, float] = {}
    if users is None:
        assert epsilon is not None and asked.error is not None
        planned = plan(domain, epsilon=epsilon, error=asked.error, goal=goal)
        users, found = planned.users, "users"
        rows = [_row(each, each.rms_error, each.needed) for each in planned.prospects]
    else:
        if epsilon is None:
            assert asked.error is not None
            epsilon, needed = _smallest_epsilon(domain, goal, users, asked.error)
            found = "epsilon"
        rows = [
            replace(row, needed=needed.get(row.paper_name))
            for row in _ranked(domain, goal, users, epsilon)
        ]
    return Calculation(
        found, epsilon, users, tuple(rows), _lines(domain, goal, users, rows, epsilon),
        shifts_of(rows[0].mechanism, mean=goal != "shares"), _repeated(asked, epsilon, users),
    )  # fmt: skip


def _repeated(asked: Asked, epsilon: float, users: int) -> WindowPlan | None:
    """Designs at the epsilon and with the people that were given or found."""
    if asked.windows == 1:
        return None
    lifetime = min(_MOST, 2 * epsilon) if asked.lifetime is None else asked.lifetime
    if lifetime <= epsilon:
        raise InvalidInput("lifetime", "calculator", f"above epsilon = {epsilon:g}", lifetime)
    return plan_windows(
        asked.domain, asked.windows, lifetime=lifetime, epsilon=epsilon, users=users
    )


def _row(prospect: Prospect, error: float, needed: float | None = None) -> Row:
    return Row(
        prospect.name, prospect.paper_name, error, prospect.report_bytes, needed, prospect.mechanism
    )


def _ranked(domain: Domain, goal: str, users: int, epsilon: float) -> list[Row]:
    """All mechanisms at one epsilon, the best first."""
    if goal not in _SIMULATED:
        found = plan(domain, epsilon=epsilon, users=users, goal=goal)
        return [_row(each, each.rms_error) for each in found.prospects]
    found = plan(domain, epsilon=epsilon, error=_ANY_ERROR, goal=goal)
    scale = math.sqrt(found.users / users)
    rows = [_row(each, each.rms_error * scale) for each in found.prospects if each.no_floor]
    return sorted(rows, key=lambda row: row.error)


def _error_of(domain: Domain, goal: str, users: int) -> Callable[[str, float], float]:
    """The error of one mechanism, by name and epsilon; infinite where it cannot be made."""
    yardstick: Yardstick
    if (numbers := domain.numbers) is not None and goal != "shares":
        yardstick = NumberYardstick(numbers, bump(numbers.bins), goal, guessed=False)
    else:
        yardstick = ShareYardstick(domain, np.full(domain.size, 1 / domain.size), 0)

    @cache
    def error(name: str, epsilon: float) -> float:
        try:
            variance, floor = yardstick.parts(mechanism(name, domain, epsilon))
        except SottovoceError:
            return math.inf
        return math.sqrt(variance / users + floor)

    return error


def _smallest_epsilon(
    domain: Domain, goal: str, users: int, error: float
) -> tuple[float, dict[str, float]]:
    """The smallest epsilon of three digits at which some mechanism's error is small enough.

    And for the mechanisms looked at the epsilon at which its own is.
    """
    ranked = [_ranked(domain, goal, users, epsilon)[:_BEST] for epsilon in _LOOKED_AT]
    names = dict.fromkeys(row.paper_name for rows in ranked for row in rows)
    error_of = _error_of(domain, goal, users)
    needed = {}
    for name in names:
        if (found := _first(partial(error_of, name), error)) is not None:
            needed[name] = found
    if not needed:
        impossible = f"larger: {users:,} people do not reach it even at epsilon {_MOST:g}"
        raise InvalidInput("error", "calculator", impossible, error)
    return min(needed.values()), needed


def _first(error_at: Callable[[float], float], error: float) -> float | None:
    """The smallest epsilon of three digits at which an error is small enough, by bisection."""
    if error_at(_LEAST) <= error:
        return _LEAST
    low, high = _LEAST, _MOST
    for epsilon in (1.0, 4.0, _MOST, 0.25, 0.1):
        if low < epsilon <= high:
            low, high = (low, epsilon) if error_at(epsilon) <= error else (epsilon, high)
    if low == _MOST:
        return None
    while high / low > _STEP:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if error_at(middle) <= error else (middle, high)
    return _rounded_up(high)


def _rounded_up(epsilon: float) -> float:
    digits = 2 - math.floor(math.log10(epsilon))
    return min(_MOST, math.ceil(round(epsilon * 10**digits, 6)) / 10**digits)


def _lines(
    domain: Domain, goal: str, users: int, rows: list[Row], epsilon: float
) -> tuple[tuple[str, tuple[tuple[float, float], ...]], ...]:
    """The error against epsilon, of the best few mechanisms; none where a domain has many values."""
    if domain.size > _DRAWN:
        return ()
    error_of, across = _error_of(domain, goal, users), sorted({*EPSILONS, epsilon})
    lines = [
        (row.name, tuple((each, error_of(row.paper_name, each)) for each in across))
        for row in rows[:_LINES]
    ]
    return tuple(
        (name, line) for name, line in lines if all(map(math.isfinite, dict(line).values()))
    )
