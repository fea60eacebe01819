"""What fake senders, acting together, can make of an answer.

Nobody can tell whether a report is honest: any report is possible from anyone.  An unbiased answer
is the average of a gain over all reports, and a share ``beta`` of them that all send the report of
the largest gain, each in the place of an honest one, shift it on average by

    rise = beta (largest gain - honest answer),    fall = beta (honest answer - least gain).

For randomized response over d values this is ``beta (1 - f) + beta (d - r)/(e^eps - 1)`` for the
total f of r values, for optimized unary encoding ``beta (2 r e^eps/(e^eps - 1) - f)``; one formula
serves every mechanism, by the gains of its channel (:mod:`~sottovoce.privacy.one_report`).  A gain is what
makes up for the noise, so that the smaller epsilon is, the more a lie weighs.

The mean of a key's numbers is a quotient of two such averages.  Over what liars can do, quotients
are largest where all liars send one report; only where they can bring the key's share to 0 the mean
can be pushed to its bounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.odds import round_up
from sottovoce.core.tally import Tally
from sottovoce.privacy.one_report import EXACT, TRIED
from sottovoce.privacy.shifts import HonestPopulation, push
from sottovoce.privacy.targets import target_of
from sottovoce.privacy.ticks import push_ticks

__all__ = ["Influence", "influence"]


@dataclass(frozen=True)
class Influence:
    """How far a fraction of fake reports can move an answer.

    Distances are in the units of the answer: shares from 0 to 1, or numbers. They are averages over
    the noise and may lead outside the bounds of the answer, as an unbiased estimate may.

    Parameters
    ----------
    fakes : float
        The fraction of all reports that are fake.
    rise, fall : float
        How far the answer can be moved up and down.
    label : str
        Which answer.
    how : str
        ``"exact"``: an attack that achieves it is known, and none achieves more. ``"bound"``: no
        attack achieves more. ``"tried"``: the most that a few attacks achieved; others may do more.
    in_points : bool
        Whether distances are shares, shown in percentage points.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(["tea", "coffee", "water"]), epsilon=1.0)
    >>> sv.influence(m, 0.01, values="tea").how
    'exact'
    """

    fakes: float
    rise: float
    fall: float
    label: str
    how: str
    in_points: bool = True
    """Whether the answer is a share, shown in percentage points."""

    def __str__(self) -> str:
        """In plain words, rounded up.

        >>> print(Influence(0.01, 0.0312, 0.0137, "the share of tea", "exact"))
        If 1 in 100 reports is fake and the senders coordinate, the share of tea can be pushed up by at most 3.12 points or down by 1.37.
        """
        if self.fakes == 0:
            return f"If no report is fake, nothing moves {self.label}."
        up, down = (_told(100 * x if self.in_points else x) for x in (self.rise, self.fall))
        points = " points" if self.in_points else ""
        if self.how == TRIED:
            return (
                f"{_lies(self.fakes)}, {self.label} was pushed up by {up}{points} or down by {down}, "
                "by the lies that were tried; others may push harder."
            )
        return (
            f"{_lies(self.fakes)}, {self.label} can be pushed up by at most {up}{points} "
            f"or down by {down}."
        )


def influence(
    source: Tally | Mechanism,
    fakes: float = 0.01,
    *,
    values: Any = None,
    count: int | None = None,
    mean: bool = False,
    key: Any = None,
    shares: Iterable[float] | None = None,
    method: str = "unbiased",
) -> Influence:
    """Compute how far a fraction of fake reports, sent together, can move an answer.

    It is about the unbiased answer. Where there is none, such as for the shares of a square wave, or
    where another ``method`` is named, a few attacks are tried: ``how`` is then ``"tried"``, and more
    may be possible. The same holds for a hierarchy whose devices draw a level; without a tally or
    shares, all honest people are assumed to hold the value from which fakes push farthest.

    Parameters
    ----------
    source : Tally or Mechanism
        A tally, taken as honest; or a mechanism, with the honest answer where fakes push farthest
        unless ``shares`` are given.
    fakes : float
        The fraction of all reports that are fake.
    values : object, optional
        The share of this value, or the total of these values.
    count : int, optional
        The total of any that many values, chosen by the attackers.
    mean : bool
        The mean of numbers.
    key : object, optional
        The frequency of a key, or with ``mean=True`` the mean of its numbers.
    shares : iterable of float, optional
        Honest shares, with a mechanism.
    method : str
        The method that estimates; another than ``"unbiased"`` needs a tally.

    Returns
    -------
    Influence
        How far the answer can rise and fall.

    Raises
    ------
    InvalidInput
        Where a parameter is not allowed.
    Unfit
        Where reports of the mechanism do not answer the question.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(["tea", "coffee", "water"]), epsilon=1.0)
    >>> tally = m.simulate([5000, 3000, 2000], source=sv.Seeded(1))
    >>> print(sv.influence(tally, 0.01, values="tea"))
    If 1 in 100 reports is fake and the senders coordinate, the share of tea can be pushed up by at most 2.68 points or down by 1.66.
    >>> round(sv.influence(m, 0.01, count=2).rise, 4)
    0.0633
    """
    allowed = "a number from 0 to below 1"
    share = check_real(fakes, "fakes", "influence", allowed)
    if not 0 <= share < 1:
        raise InvalidInput("fakes", "influence", allowed, fakes)
    honest = _honest(source, shares)
    domain = honest.mechanism.domain
    if domain.choices is not None:
        rise, fall, label = push_ticks(honest, domain.choices, values, share)
        return Influence(share, max(0.0, rise), max(0.0, fall), label, EXACT)
    target = target_of(domain, values, count, mean, key)
    if domain.size == 1 or share == 0:
        return Influence(share, 0.0, 0.0, target.label, EXACT, target.in_points)
    rise, fall, how = push(target, honest, share, method)
    return Influence(share, max(0.0, rise), max(0.0, fall), target.label, how, target.in_points)


def _honest(source: Tally | Mechanism, shares: Iterable[float] | None) -> HonestPopulation:
    """What is known of honest people; a tally without reports says nothing."""
    tally = source if isinstance(source, Tally) else None
    mechanism = source if tally is None else tally.mechanism
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("source", "influence", "a Tally or a mechanism", source)
    if mechanism.domain.vector is not None:
        raise Unfit(
            "influence is asked of one coordinate of a vector at a time (sv.coordinates); where devices "
            "draw their coordinate, attackers may all choose one: fakes are then a share of its reports"
        )
    counted = None if tally is None or tally.n == 0 else tally
    return HonestPopulation(
        mechanism, counted, None if shares is None else _checked(shares, mechanism)
    )


def _checked(shares: Iterable[float], mechanism: Mechanism) -> Floats:
    size = mechanism.domain.size
    found = np.asarray(shares if isinstance(shares, np.ndarray) else list(shares), dtype=np.float64)
    if found.shape != (size,) or not np.isfinite(found).all():
        given = f"shape {found.shape}" if found.shape != (size,) else "a share that is not finite"
        raise InvalidInput("shares", "influence", f"{size} finite numbers", given)
    return found


def _lies(fakes: float) -> str:
    """``1 in 100`` where it is that, else a percentage."""
    among = round(1 / fakes)
    if abs(fakes * among - 1) < 1e-9:
        return f"If 1 in {among:,} reports is fake and the senders coordinate"
    return f"If {100 * fakes:.3g}% of reports are fake and the senders coordinate"


def _told(amount: float) -> str:
    """Three digits, rounded up: what is said to be the most is not less than the most."""
    return f"{round_up(Fraction(f'{amount:.12g}')):,.9g}" if amount > 0 else "0"
