"""The same people in W windows: four designs, what each costs a person, and how much it errs.

n people hold one answer; V(epsilon) is n times the mean variance of a share in one report of each, f the
shares.  L is the budget of a person for all W windows.

| design | a person's reports | n times the variance of one window | of the mean of all windows | of a change |
|---|---|---|---|---|
| fresh | W at epsilon, which cost W epsilon | V(epsilon) | V(epsilon) / W | 2 V(epsilon) |
| cohorts | one at L | W V(L) + (W - 1) f (1 - f) | V(L) | 2 W (V(L) + f (1 - f)) |
| memory | W at epsilon, from one answer kept at L | V(epsilon) | (V(epsilon) + (W - 1) V_L) / W | 2 (V(epsilon) - V_L) |
| split | W at L / W | V(L / W) | V(L / W) / W | 2 V(L / W) |

Of cohorts, one in W answers in a window, and who they are is drawn: that adds f (1 - f) for those who are left
out, and since nobody is in two cohorts, -f (1 - f) to the covariance of two windows.  Of memory, V_L is the variance
of what is kept: all windows share it, so that their mean does not fall below it, and a change from one window to
another does not have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.checks import check_epsilon, check_int, check_real
from sottovoce.base.errors import InvalidInput, SottovoceError, Unfit
from sottovoce.base.exact import decimal_text
from sottovoce.base.frame import Frame
from sottovoce.base.notebook import result_html
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain
from sottovoce.planning.plan import ShareYardstick, check_shares, plan
from sottovoce.planning.search import MOST_USERS

__all__ = ["Design", "WindowPlan", "plan_windows"]

_MOST_WINDOWS = 1000
_REFERENCE = 10**6
"""Users that mechanisms are ranked with: their order does not depend on it."""


@dataclass(frozen=True)
class Design:
    """One way to ask the same people in several windows.

    Parameters
    ----------
    name : str
        ``"fresh"``, ``"cohorts"``, ``"memory"`` or ``"split"``.
    mechanism : Mechanism
        How a report is randomized.
    reports : int
        Reports of a person in all windows.
    total_epsilon : float
        What all of them cost a person.
    window_variance, mean_variance, change_variance : float
        The number of people times the mean squared error of a share: in one window, of the mean of all
        windows, and of the change from one window to another.

    Examples
    --------
    >>> import sottovoce as sv
    >>> found = sv.plan_windows(sv.Categories(["yes", "no"]), 30, lifetime=2.0, users=10_000)
    >>> [design.name for design in found.designs]
    ['fresh', 'cohorts', 'memory', 'split']
    """

    name: str
    mechanism: Mechanism
    reports: int
    total_epsilon: float
    window_variance: float
    mean_variance: float
    change_variance: float

    @property
    def counts_changes(self) -> bool:
        """Whether a person who changes their answer reports the new one."""
        return self.name != "memory"


@dataclass(frozen=True, eq=False)
class WindowPlan:
    """Designs for a survey that asks the same people again and again. Made by :func:`plan_windows`.

    Parameters
    ----------
    domain : Domain
        What is asked.
    windows : int
        In how many windows.
    designs : tuple of Design
        One per design: fresh, cohorts, memory, split.
    users : int, optional
        The number of people, where it was given.
    error : float, optional
        The wanted error, where it was given.

    Examples
    --------
    >>> import sottovoce as sv
    >>> print(sv.plan_windows(sv.Categories(["yes", "no"]), 30, lifetime=2.0, users=10_000))
    Categories(['yes', 'no']), 30 windows, 10,000 people: root-mean-square errors of a share
    ...
    """

    domain: Domain
    windows: int
    designs: tuple[Design, ...]
    users: int | None = None
    error: float | None = None

    def frame(self) -> Frame:
        """A row per design."""
        rows = self.designs
        columns: dict[str, list[Any]] = {
            "design": [row.name for row in rows],
            "mechanism": [row.mechanism.name for row in rows],
            "epsilon per report": [row.mechanism.epsilon for row in rows],
            "reports": [row.reports for row in rows],
            "epsilon of all": [row.total_epsilon for row in rows],
            "changes count": ["yes" if row.counts_changes else "no" for row in rows],
        }
        for title, variances in (
            ("window", [row.window_variance for row in rows]),
            ("mean", [row.mean_variance for row in rows]),
            ("change", [row.change_variance for row in rows]),
        ):
            if self.users is not None:
                users = self.users
                columns[f"error of a {title}"] = [math.sqrt(each / users) for each in variances]
            else:
                assert self.error is not None
                square = self.error**2
                columns[f"people for a {title}"] = [math.ceil(each / square) for each in variances]
        return Frame(columns)

    def __str__(self) -> str:
        asked = f"{self.domain}, {self.windows:,} windows, "
        if self.users is not None:
            return (
                f"{asked}{self.users:,} people: root-mean-square errors of a share\n{self.frame()}"
            )
        return f"{asked}an error of {self.error:g}: people that it takes\n{self.frame()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The plan, for a notebook."""
        heading = str(self).partition("\n")[0]
        return result_html(heading, self.frame()._repr_html_())


def plan_windows(
    domain: Domain,
    windows: int,
    *,
    lifetime: float,
    epsilon: float | None = None,
    users: int | None = None,
    error: float | None = None,
    shares: Any = None,
) -> WindowPlan:
    """Compare designs for asking the same people in several windows.

    Errors are those of unbiased shares among all people, while nobody's answer changes; each design
    uses the mechanism that errs least at its epsilon.

    Parameters
    ----------
    domain : Domain
        What is asked.
    windows : int
        In how many windows, from 2 to 1000.
    lifetime : float
        What all reports of a person may cost: of cohorts, memory and the split budget.
    epsilon : float, optional
        The privacy parameter of one report, of fresh reports and of memory, below ``lifetime``; half of it
        if not given.
    users : int, optional
        The number of people. Give it, or ``error``.
    error : float, optional
        The wanted root-mean-square error of a share.
    shares : array of float, optional
        A guess of the true distribution; all values are equally frequent if not given.

    Returns
    -------
    WindowPlan
        One row per design.

    Raises
    ------
    InvalidInput
        Where a parameter is not allowed.

    Examples
    --------
    >>> import sottovoce as sv
    >>> found = sv.plan_windows(sv.Categories(["yes", "no"]), 30, lifetime=2.0, users=10_000)
    >>> [row["epsilon of all"] for row in found.frame()]
    [30.0, 2.0, 2.0, 2.0]
    """
    owner = "plan_windows"
    count = check_int(windows, "windows", owner, 2, _MOST_WINDOWS)
    budget = check_epsilon(lifetime, f"lifetime of {owner}")
    one = check_epsilon(budget / 2 if epsilon is None else epsilon, owner)
    if one >= budget:
        raise InvalidInput("epsilon", owner, f"below lifetime = {budget:g}", one)
    if (users is None) == (error is None):
        raise InvalidInput("parameters", owner, "users or error", "both" if users else "neither")
    if users is not None:
        check_int(users, "users", owner, 1, MOST_USERS)
    if error is not None and not 0 < check_real(error, "error", owner) < 1:
        raise InvalidInput("error", owner, "between 0 and 1", error)
    guess = (
        np.full(domain.size, 1 / domain.size)
        if shares is None
        else check_shares(shares, domain.size)
    )
    designs = tuple(_designs(domain, count, one, budget, guess))
    return WindowPlan(domain, count, designs, users, error)


def _designs(
    domain: Domain, windows: int, epsilon: float, lifetime: float, shares: Floats
) -> Iterator[Design]:
    """The table of this module."""
    fresh, once = (_best(domain, each, shares) for each in (epsilon, lifetime))
    part = float(decimal_text(lifetime / windows))
    v_fresh, v_once = _variance(fresh, shares), _variance(once, shares)
    left_out = float((shares * (1 - shares)).mean())
    yield Design(
        "fresh", fresh, windows, windows * epsilon, v_fresh, v_fresh / windows, 2 * v_fresh
    )
    cohort = windows * v_once + (windows - 1) * left_out
    yield Design("cohorts", once, 1, lifetime, cohort, v_once, 2 * (cohort + left_out))
    kept = _remembering(domain, epsilon, lifetime, shares)
    v_one, v_kept = _variance(kept, shares), _variance(kept.rounds.permanent, shares)
    mean = (v_one + (windows - 1) * v_kept) / windows
    yield Design("memory", kept, windows, lifetime, v_one, mean, 2 * (v_one - v_kept))
    split = _best(domain, part, shares)
    v_split = _variance(split, shares)
    yield Design("split", split, windows, lifetime, v_split, v_split / windows, 2 * v_split)


def _variance(chosen: Mechanism, shares: Floats) -> float:
    """n times the mean squared error of a share."""
    variance, _ = ShareYardstick(chosen.domain, shares, 0).parts(chosen)
    return variance


def _best(domain: Domain, epsilon: float, shares: Floats) -> Mechanism:
    """The mechanism that errs least on shares, of those whose error falls with the number of people."""
    ranked = plan(domain, epsilon=epsilon, users=_REFERENCE, goal="shares", shares=shares)
    return next(row.mechanism for row in ranked.prospects if row.no_floor)


def _remembering(domain: Domain, epsilon: float, lifetime: float, shares: Floats) -> Any:
    """The memory that errs least in one window."""
    made: list[Any] = []
    for inner in ("randomized-response", "local-hashing"):
        try:
            made.append(mechanism("memoized", domain, epsilon, lifetime=lifetime, inner=inner))
        except SottovoceError:
            continue
    if not made:
        raise Unfit(f"no memory for {domain} at epsilon {epsilon:g} and lifetime {lifetime:g}")
    return min(made, key=lambda each: _variance(each, shares))
