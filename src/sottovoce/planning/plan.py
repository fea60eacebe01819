"""Which mechanism, how many people, which epsilon: decided before anything is collected.

What is ranked is a yardstick's matter: the error of shares here, that of answers on
numbers in :mod:`sottovoce.planning.numbers`.

The error of an unbiased share is known in advance.  Given the respondents' true
shares f its mean square over values is ``V/n + M``: V the mean of
:meth:`~sottovoce.channels.base.Channel.expected_variance`, the full formula with its
part in f, and M the mean of ``hash_variances``, zero but for fixed hashing.  For a pure
oracle V does not depend on f: with ``sum f = 1``,

    V = [q(1-q) + (p-q)(1-p-q)/d] / (p-q)^2

Any two of epsilon, users and error give the third.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sottovoce.base.checks import MAX_EPSILON, check_choice, check_epsilon, check_int, check_real
from sottovoce.base.errors import InvalidInput, SottovoceError, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism, registered
from sottovoce.domains.base import Domain
from sottovoce.domains.record import Record
from sottovoce.planning.numbers import NumberYardstick, bump
from sottovoce.planning.records import DESIGNS, RECORD_GOALS, RecordYardstick, design_of, sketch_of
from sottovoce.planning.result import Plan, Prospect
from sottovoce.planning.search import (
    MOST_USERS,
    Needed,
    Yardstick,
    epsilons_needed,
    least,
    users_needed,
)
from sottovoce.planning.ticks import tick_yardstick

__all__ = ["ShareYardstick", "check_shares", "plan"]

GOALS = ("shares", "distribution", "range", "mean")
"""Those of one question; a record has :data:`~sottovoce.planning.records.RECORD_GOALS`."""

_LARGEST_DOMAIN = 2**22
_SUM = 1e-6
"""How far from 1 the sum of guessed shares may be; they are then divided by it."""


def plan(
    domain: Domain,
    *,
    epsilon: float | None = None,
    users: int | None = None,
    error: float | None = None,
    goal: str | None = None,
    shares: Any = None,
    of: Any = None,
) -> Plan:
    """Rank every mechanism that fits a domain by predicted error; for a record every design.

    Give two of ``epsilon``, ``users`` and ``error``; the third is computed: the errors to expect; the
    fewest users for whom the root-mean-square error of the best oracle is at most ``error``; or the
    smallest epsilon, in millionths.

    Errors are those of unbiased answers, about the respondents, or of a few simulated surveys where a
    mechanism has none. A method that uses more knowledge, such as that shares are not negative, has
    smaller errors. With a single value nothing is uncertain: every error is 0.

    Parameters
    ----------
    domain : Domain
        What is asked.
    epsilon : float, optional
        The privacy parameter.
    users : int, optional
        The number of respondents.
    error : float, optional
        The wanted error.
    goal : str, optional
        Which error: of ``"shares"`` (the default but for an Interval); over an Interval of the
        ``"mean"``, in units of the numbers, of the share of a ``"range"`` of a tenth of the interval,
        or for the ``"distribution"`` (the default) of the share up to a number. Over a Record of shares
        of questions, ``"parts"``, of cells of tables of two questions, ``"tables"``, or of
        ``"both"`` (the default): the geometric mean of the two.
    shares : array of float, optional
        A guess of the true distribution, in the order of the domain. If not given, all values are
        equally frequent, and numbers are distributed as Beta(5, 2). Over a Record answers are always
        taken for equally frequent.
    of : object, optional
        The value whose error is shown in addition; the most frequent if not given.

    Returns
    -------
    Plan
        Mechanisms, best first.

    Raises
    ------
    InvalidInput
        Where not exactly two of the three are given, or one is not allowed.
    Unfit
        Where the error cannot be reached.

    Examples
    --------
    >>> import sottovoce as sv
    >>> design = sv.plan(sv.Categories(["yes", "no"]), epsilon=1.0, users=1000)
    >>> print(design.best)
    randomized-response(Categories(['yes', 'no']), epsilon=1)
    >>> sv.plan(sv.Categories(["yes", "no"]), epsilon=1.0, error=0.01).users
    9207
    """
    _check_domain(domain)
    yardstick = _yardstick(domain, goal, shares, of)
    epsilon, users, error = _check_two(epsilon, users, error, in_units=yardstick.goal == "mean")
    found = "users" if users is None else "epsilon" if epsilon is None else "error"
    needed: Needed = {}
    if users is None:
        assert epsilon is not None and error is not None
        fitting, _ = _fitting(domain, epsilon, yardstick, users=None)
        needed = users_needed(fitting, yardstick, error)
        impossible = f"larger: at epsilon {epsilon:g} it takes more than 2^62 users"
        users = int(least(needed, error, impossible))
    elif epsilon is None:
        assert error is not None
        needed = _epsilons_needed(domain, users, error, yardstick)
        impossible = f"larger: {users:,} users do not reach it even at epsilon {MAX_EPSILON:g}"
        epsilon = least(needed, error, impossible)
    fitting, unfit = _fitting(domain, epsilon, yardstick, users=users if found == "error" else None)
    prospects = [
        yardstick.prospect(m, name, users, needed.get(name)) for name, m in fitting.items()
    ]
    prospects.sort(key=lambda prospect: prospect.rank)
    return Plan(
        domain, epsilon, users, error, found, yardstick.told, tuple(prospects), unfit,
        yardstick.goal,
    )  # fmt: skip


# -- what is given -------------------------------------------------------------------


def _check_domain(domain: object) -> None:
    allowed = f"a domain of at most {_LARGEST_DOMAIN:,} values"
    listed = isinstance(domain, Domain) and (
        domain.record or domain.choices or domain.size <= _LARGEST_DOMAIN
    )
    if not isinstance(domain, Domain) or not listed:
        raise InvalidInput("domain", "plan", allowed, domain)
    if domain.holds_sets:
        hint = "Sets of pairs have one mechanism, key-value."
        raise InvalidInput("domain", "plan", "of one value per person", domain, hint=hint)


def _check_two(
    epsilon: object, users: object, error: object, *, in_units: bool
) -> tuple[float | None, int | None, float | None]:
    given = {"epsilon": epsilon, "users": users, "error": error}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 2:
        raise InvalidInput(
            "parameters",
            "plan",
            "exactly two of epsilon, users and error",
            ", ".join(named) or "none of them",
            hint="The third is what plan finds.",
        )
    allowed, most = ("above 0", np.inf) if in_units else ("between 0 and 1", 1.0)
    limit = None if error is None else check_real(error, "error", "plan", allowed)
    if limit is not None and not 0 < limit < most:
        raise InvalidInput("error", "plan", allowed, error)
    return (
        None if epsilon is None else check_epsilon(epsilon, "plan"),
        None if users is None else check_int(users, "users", "plan", 1, MOST_USERS),
        limit,
    )


def _yardstick(domain: Domain, goal: str | None, shares: Any, of: Any) -> Yardstick:
    if domain.choices is not None:
        return tick_yardstick(domain.choices, goal, shares, of)
    if domain.record is not None:
        return _of_record(domain.record, goal, shares, of)
    numbers = domain.numbers
    if goal is None:
        goal = "distribution" if numbers is not None and of is None else "shares"
    check_choice(goal, "goal", "plan", GOALS)
    true = None if shares is None else check_shares(shares, domain.size)
    if goal == "shares" or (goal == "distribution" and numbers is None):
        guess = np.full(domain.size, 1 / domain.size) if true is None else true
        return ShareYardstick(
            domain, guess, int(guess.argmax()) if of is None else domain.index(of)
        )
    if numbers is None:
        raise InvalidInput("goal", "plan", f"shares: {domain} has no numbers", goal)
    if of is not None:
        raise InvalidInput("of", "plan", 'left out: it asks of a share, goal "shares"', of)
    guess = bump(numbers.bins) if true is None else true
    return NumberYardstick(numbers, guess, goal, guessed=true is not None)


def _of_record(record: Record, goal: str | None, shares: Any, of: Any) -> RecordYardstick:
    for option, given in (("shares", shares), ("of", of)):
        if given is not None:
            allowed = "left out: answers to a record are taken for equally frequent"
            raise InvalidInput(option, "plan", allowed, given)
    check_choice("both" if goal is None else goal, "goal", "plan of a Record", RECORD_GOALS)
    return RecordYardstick(record, "both" if goal is None else goal)


def check_shares(shares: Any, size: int) -> Floats:
    """A guess of the true distribution."""
    allowed = f"{size} numbers, none negative, whose sum is 1 to {_SUM:g}"
    try:
        true = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("shares", "plan", allowed, shares) from None
    if true.shape != (size,):
        raise InvalidInput("shares", "plan", allowed, f"shape {true.shape}")
    if not np.isfinite(true).all() or true.min() < 0:
        wrong = true[~(np.isfinite(true) & (true >= 0))][0].item()
        raise InvalidInput("shares", "plan", allowed, wrong)
    total = float(true.sum())
    if abs(total - 1) > _SUM:
        raise InvalidInput("shares", "plan", allowed, f"sum {total:g}")
    return true / total


# -- which mechanisms ------------------------------------------------------------------


def _names(domain: Domain) -> list[str]:
    """A name for every registered mechanism with every set of options that a paper named.

    Over a record one mechanism fits, and names are those of its designs.
    """
    if domain.record is not None:
        return list(DESIGNS)
    names = []
    for cls in registered():
        seen: list[Mapping[str, Any]] = []
        for name, options in (cls.aka or {cls.name: {}}).items():
            if options not in seen and cls.is_planned:
                seen.append(options)
                names.append(name)
    return names


def _make(name: str, domain: Domain, epsilon: float) -> Mechanism:
    """A mechanism to rank: one whose epsilon is about any two values, or about the sensitive ones.

    The latter are ranked where a domain has sensitive values, and marked: they protect less.
    """
    if domain.record is not None:
        return design_of(domain, name, epsilon)
    made = mechanism(name, domain, epsilon)
    certificate = made.certificate()
    if certificate.scope is not None and certificate.scope.any_two is not None:
        raise Unfit(f"its epsilon is about {certificate.between} only, and is not comparable")
    return made


def _fitting(
    domain: Domain, epsilon: float, yardstick: Yardstick, *, users: int | None
) -> tuple[dict[str, Mechanism], dict[str, str]]:
    """Those that fit, each once, and why others do not; those for another kind of domain go unsaid."""
    fitting: dict[str, Mechanism] = {}
    unfit: dict[str, str] = {}
    for name in _names(domain):
        try:
            made = _make(name, domain, epsilon)
        except InvalidInput as error:
            if error.parameter != "domain":
                unfit[name] = str(error)
            continue
        except SottovoceError as error:
            unfit[name] = str(error)
            continue
        if reason := yardstick.why_not(made, users=users):
            unfit[name] = reason
        elif made not in fitting.values():
            fitting[name] = made
    return fitting, unfit


def _epsilons_needed(domain: Domain, users: int, error: float, yardstick: Yardstick) -> Needed:
    """Only sizes count, so that long lists of names are not written and hashed each time."""
    light = domain.unnamed()
    if domain.record is not None:
        sizes = domain.record.sizes
        return epsilons_needed(
            _names(domain), partial(sketch_of, sizes), yardstick, users=users, error=error
        )
    return epsilons_needed(
        _names(domain),
        lambda name, epsilon: _make(name, light, epsilon),
        yardstick,
        users=users,
        error=error,
    )


# -- errors of shares --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ShareYardstick:
    """The root-mean-square error of a share, over all values."""

    domain: Domain
    shares: Floats
    index: int
    """Of the value whose own error is told besides."""
    goal: str = "shares"

    @property
    def told(self) -> str:
        label, share = self.domain.label(self.index), self.shares[self.index]
        one = f"of the value {label}, if its share is {share:.4g}"
        return f"share error: {one}; half error: of a total of half the values"

    def why_not(self, mechanism: Mechanism, *, users: int | None) -> str:
        if mechanism.domain.size > 1 and mechanism.channel().inverse is None:
            return f'{mechanism.name} has no unbiased shares; goals such as "range" plan with it'
        return ""

    def parts(self, mechanism: Mechanism) -> tuple[float, float]:
        """V and M, on average over values."""
        d = mechanism.domain.size
        if d == 1:
            return 0.0, 0.0
        channel = mechanism.channel()
        if channel.support_probabilities is not None:  # linear in the shares, whose mean is 1/d
            return float(channel.support_probabilities.variance(np.array([1 / d]))[0]), 0.0
        variance = channel.expected_variance(self.shares).mean()
        return float(variance), float(channel.hash_variances(self.shares).mean())

    def prospect(
        self, mechanism: Mechanism, name: str, users: int, needed: float | None
    ) -> Prospect:
        """The errors of one oracle.

        The variance of a total is ``z' C z``, C the covariances of shares.  Over all halves
        (h of d values) two values are both in with probability ``b = h(h-1) / (d(d-1))``, one
        is with ``a = h/d``, so that its mean is ``(a - b) tr C + b 1'C1``.
        """
        d, true = mechanism.domain.size, self.shares
        if d == 1:
            return Prospect(mechanism, name, 0.0, 0.0, 0.0, needed)
        channel = mechanism.channel()
        squares = channel.expected_variance(true) / users + channel.hash_variances(true)
        of_all = channel.expected_variance_of_all(true) / users + channel.hash_variance(
            np.ones(d), true
        )
        a, b = (d // 2) / d, (d // 2) * (d // 2 - 1) / (d * (d - 1))
        of_half = (a - b) * squares.sum() + b * of_all
        rms, one, half = np.sqrt([squares.mean(), squares[self.index], of_half]).tolist()
        return Prospect(mechanism, name, rms, one, half, needed)
