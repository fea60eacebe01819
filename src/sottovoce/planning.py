"""Which mechanism, how many people, which epsilon: decided before anything is collected.

The error of an unbiased share is known in advance.  Given the respondents' true
shares f its mean square over values is ``V/n + M``: V the mean of
:meth:`~sottovoce.core.channel.Channel.expected_variance`, the full formula with its
part in f, and M the mean of ``misfits``, zero but for fixed hashing.  For a pure
oracle V does not depend on f: with ``sum f = 1``,

    V = [q(1-q) + (p-q)(1-p-q)/d] / (p-q)^2

Any two of epsilon, users and error give the third.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from sottovoce.core.categories import Categories
from sottovoce.core.channel import Floats
from sottovoce.core.checks import MAX_EPSILON, check_epsilon, check_int, check_real
from sottovoce.core.domain import Domain
from sottovoce.core.errors import InvalidInput, SottovoceError
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.plan import Plan, Prospect
from sottovoce.core.registry import mechanism, registered

__all__ = ["plan"]

_LARGEST_DOMAIN = 2**22
_MOST_USERS = 2**62
"""As many reports as a tally counts."""
_GRAIN = 10**6
"""Epsilon is searched in millionths, from 1e-6 to 20."""
_SUM = 1e-6
"""How far from 1 the sum of guessed shares may be; they are then divided by it."""


def plan(
    domain: Domain,
    *,
    epsilon: float | None = None,
    users: int | None = None,
    error: float | None = None,
    shares: Any = None,
    of: Any = None,
) -> Plan:
    """Every frequency oracle that fits ``domain``, ranked by predicted error.

    Give two of the three; the third is found:

    * ``epsilon`` and ``users``: the errors to expect;
    * ``epsilon`` and ``error``: the fewest users for whom the best oracle's
      root-mean-square error is at most ``error``;
    * ``users`` and ``error``: the smallest epsilon, in millionths, for which it is.

    ``shares`` is a guess of the true distribution, in the order of the domain; by
    default all values are equally frequent.  ``of`` is the value whose error is told
    besides; by default the most frequent.

    Errors are those of unbiased shares, about the respondents.  A method that knows
    more (that shares are not negative) errs less.  With one value nothing is
    uncertain: every error is 0, a single user and the least epsilon are enough.

    >>> import sottovoce as sv
    >>> found = sv.plan(sv.Categories(["yes", "no"]), epsilon=1.0, users=1000)
    >>> print(found.best)
    randomized-response(Categories(['yes', 'no']), epsilon=1)
    >>> sv.plan(sv.Categories(["yes", "no"]), epsilon=1.0, error=0.01).users
    9207
    """
    _check_domain(domain)
    epsilon, users, error = _check_two(epsilon, users, error)
    guess, needed = _guess(domain, shares, of), dict[str, float | None]()
    found = "users" if users is None else "epsilon" if epsilon is None else "error"
    if users is None:
        assert epsilon is not None and error is not None
        needed = _users_needed(domain, epsilon, error, guess)
        impossible = f"larger: at epsilon {epsilon:g} it takes more than 2^62 users"
        users = int(_least(needed, error, impossible))
    elif epsilon is None:
        assert error is not None
        needed = _epsilons_needed(domain, users, error, guess)
        impossible = f"larger: {users:,} users do not reach it even at epsilon {MAX_EPSILON:g}"
        epsilon = _least(needed, error, impossible)
    oracles, unfit = _oracles(domain, epsilon)
    prospects = [_prospect(m, name, users, guess, needed) for name, m in oracles.items()]
    prospects.sort(key=lambda prospect: prospect.rank)
    return Plan(domain, epsilon, users, error, found, guess.words, tuple(prospects), unfit)


# -- what is given -------------------------------------------------------------------


def _check_domain(domain: object) -> None:
    allowed = f"a domain of at most {_LARGEST_DOMAIN:,} values"
    if not isinstance(domain, Domain) or domain.size > _LARGEST_DOMAIN:
        raise InvalidInput("domain", "plan", allowed, domain)


def _check_two(
    epsilon: object, users: object, error: object
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
    limit = None if error is None else check_real(error, "error", "plan", "between 0 and 1")
    if limit is not None and not 0 < limit < 1:
        raise InvalidInput("error", "plan", "between 0 and 1", error)
    return (
        None if epsilon is None else check_epsilon(epsilon, "plan"),
        None if users is None else check_int(users, "users", "plan", 1, _MOST_USERS),
        limit,
    )


@dataclass(frozen=True)
class _Guess:
    """The true shares, as far as they can be guessed, and the one to be told of."""

    shares: Floats
    index: int
    words: str


def _guess(domain: Domain, shares: Any, of: Any) -> _Guess:
    if shares is None:
        true = np.full(domain.size, 1 / domain.size)
    else:
        true = _check_shares(shares, domain.size)
    index = int(true.argmax()) if of is None else domain.index(of)
    told = f"of the value {domain.label(index)}, if its share is {true[index]:.4g}"
    return _Guess(true, index, told)


def _check_shares(shares: Any, size: int) -> Floats:
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


# -- oracles and their errors ----------------------------------------------------------


def _names() -> list[str]:
    """A name for every registered mechanism with every set of options that a paper named."""
    names = []
    for cls in registered():
        seen: list[Mapping[str, Any]] = []
        for name, options in (cls.aka or {cls.name: {}}).items():
            if options not in seen and cls.name != "table":  # a table has no default
                seen.append(options)
                names.append(name)
    return names


def _oracles(domain: Domain, epsilon: float) -> tuple[dict[str, Mechanism], dict[str, str]]:
    """Those that fit, each once, and why the others do not."""
    fitting: dict[str, Mechanism] = {}
    unfit: dict[str, str] = {}
    for name in _names():
        try:
            made = mechanism(name, domain, epsilon)
        except SottovoceError as error:
            unfit[name] = str(error)
            continue
        if made.channel().inverse is None:
            unfit[name] = f"{made.name} does not tell all distributions apart"
        elif made not in fitting.values():
            fitting[name] = made
    return fitting, unfit


def _mean_square(oracle: Mechanism, guess: _Guess) -> tuple[float, float]:
    """V and M: the mean square error of a share is ``V/n + M``."""
    if oracle.domain.size == 1:
        return 0.0, 0.0
    channel, d = oracle.channel(), oracle.domain.size
    if channel.pure is not None:  # linear in the shares, whose mean is 1/d
        return float(channel.pure.variance(np.array([1 / d]))[0]), 0.0
    variance = channel.expected_variance(guess.shares).mean()
    return float(variance), float(channel.misfits(guess.shares).mean())


def _prospect(
    oracle: Mechanism, name: str, n: int, guess: _Guess, needed: Mapping[str, float | None]
) -> Prospect:
    """The errors of one oracle.

    The variance of a total is ``z' C z``, C the covariances of shares.  Over all halves
    (h of d values) two values are both in with probability ``b = h(h-1) / (d(d-1))``, one
    is with ``a = h/d``, so that its mean is ``(a - b) tr C + b 1'C1``.
    """
    d = oracle.domain.size
    if d == 1:
        return Prospect(oracle, name, 0.0, 0.0, 0.0, needed.get(name))
    channel, true = oracle.channel(), guess.shares
    squares = channel.expected_variance(true) / n + channel.misfits(true)
    of_all = channel.expected_variance_of_all(true) / n + channel.misfit(np.ones(d), true)
    a, b = (d // 2) / d, (d // 2) * (d // 2 - 1) / (d * (d - 1))
    of_half = (a - b) * squares.sum() + b * of_all
    rms, one, half = np.sqrt([squares.mean(), squares[guess.index], of_half]).tolist()
    return Prospect(oracle, name, rms, one, half, needed.get(name))


# -- what is needed ----------------------------------------------------------------------


def _users_needed(
    domain: Domain, epsilon: float, error: float, guess: _Guess
) -> dict[str, float | None]:
    """The least whole n with ``V/n + M <= error^2``, in exact arithmetic."""
    needed: dict[str, float | None] = {}
    for name, oracle in _oracles(domain, epsilon)[0].items():
        variance, floor = map(Fraction, _mean_square(oracle, guess))
        spare = Fraction(error) ** 2 - floor
        n = max(1, math.ceil(variance / spare)) if spare > 0 else _MOST_USERS + 1
        needed[name] = n if n <= _MOST_USERS else None
    return needed


def _epsilons_needed(
    domain: Domain, users: int, error: float, guess: _Guess
) -> dict[str, float | None]:
    """The smallest epsilon for each oracle, in millionths, up to 20.

    Only sizes count, so that long lists of names are not written and hashed each time.
    """
    light = Categories(domain.size) if isinstance(domain, Categories) else domain

    def reached(name: str, millionths: int) -> bool:
        try:
            oracle = mechanism(name, light, millionths / _GRAIN)
        except SottovoceError:
            return False
        variance, floor = _mean_square(oracle, guess)
        return variance / users + floor <= error**2

    found = {name: _first(partial(reached, name), round(MAX_EPSILON * _GRAIN)) for name in _names()}
    return {name: None if first is None else first / _GRAIN for name, first in found.items()}


def _first(reached: Callable[[int], bool], most: int) -> int | None:
    """The first whole number from 1 to ``most`` with ``reached``, or None.

    By bisection, as errors fall with epsilon.  Where an option chosen by default (the
    range of hashes, the size of sets) changes with epsilon the error may rise a little,
    so that the last quarter before the number found is searched again, in 64 steps.
    """
    if not reached(most):
        return None
    high = _bisect(reached, 0, most)
    steps = np.unique(np.linspace(3 * high // 4, high, 65).astype(np.int64)).tolist()
    for low, step in pairwise(steps):
        if reached(step):
            return _bisect(reached, low, step)
    return high


def _bisect(reached: Callable[[int], bool], low: int, high: int) -> int:
    """Not reached at ``low``, reached at ``high``: where that changes."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _least(needed: Mapping[str, float | None], error: float, impossible: str) -> float:
    enough = [value for value in needed.values() if value is not None]
    if not enough:
        raise InvalidInput("error", "plan", impossible, error)
    return min(enough)
