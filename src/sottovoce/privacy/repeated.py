"""Attacks on people who report in many windows: what all reports tell together, and who they are from.

Somebody who sees every report of a device takes the most frequent output of all windows (for bits, of each
bit): with memory that is the memo, soon for sure, and no more.  :func:`audit_windows` audits that as a report of
its own, against the lifetime's epsilon.  A device without memory shows its true answer.

:func:`linkage` measures another thing: whether two reports can be seen to come from one device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem, Source
from sottovoce.channels.base import Floats
from sottovoce.core.fields import BitField, Column
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.mechanisms.memoized import Memoized
from sottovoce.privacy.audit import Audit, audit_black_box, usual_plan

__all__ = ["Linkage", "audit_windows", "linkage"]


def audit_windows(
    mechanism: Mechanism, *, windows: int = 100, trials: int = 100_000, alpha: float = 1e-6
) -> Audit:
    """Audit all reports of one value together: the lifetime of a memoized mechanism.

    Parameters
    ----------
    mechanism : Mechanism
        A memoized mechanism.
    windows : int
        Reports of each device.
    trials : int
        Devices drawn per value.
    alpha : float
        The probability that a correct mechanism fails the audit.

    Returns
    -------
    Audit
        The certificate of the lifetime, and the lower bound of epsilon that the attack shows.

    Raises
    ------
    InvalidInput
        Where the mechanism has no memory.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("memoized", sv.Categories(2), 1.0, lifetime=2.0)
    >>> found = sv.audit_windows(m, windows=30, trials=10_000)
    >>> found.passed, found.lower_bound > m.epsilon
    (True, True)
    """
    kept = _memoized(mechanism, "audit_windows")
    turns = check_int(windows, "windows", "audit_windows", 1)
    plan = usual_plan(kept.inner)

    def sample(value: int, count: int) -> Reports:
        source = OperatingSystem()
        devices = Devices.drawn(kept, np.full(count, value, dtype=np.int64), source)
        return most_frequent(kept, devices.report, turns, source)

    found = audit_black_box(
        sample, plan.values, kept.total_epsilon, supports=plan.supports, outcomes=plan.outcomes,
        read=plan.read, ordered=plan.ordered, trials=trials, alpha=alpha,
    )  # fmt: skip
    return replace(found, certificate=kept.certificate(reports="all"))


def _memoized(mechanism: Mechanism, owner: str) -> Memoized:
    if not isinstance(mechanism, Memoized):
        raise InvalidInput("mechanism", owner, "a memoized mechanism", str(mechanism))
    return mechanism


@dataclass(frozen=True, eq=False)
class Devices:
    """Many devices that remember, each with one value."""

    mechanism: Memoized
    hashes: Indices | None
    memos: Column

    @classmethod
    def drawn(cls, mechanism: Memoized, positions: Indices, source: Source) -> Devices:
        """Their hashes and memos."""
        rounds, inner = mechanism.rounds, mechanism.inner
        hashes = rounds.hash_numbers(inner, len(positions), source)
        return cls(
            mechanism,
            hashes,
            rounds.remember_many(rounds.entries(inner, hashes, positions), source),
        )

    def report(self, source: Source) -> tuple[Column, ...]:
        """The reports of all in one window."""
        m = self.mechanism
        return m.rounds.tell_many(self.hashes, self.memos, m.weights[1], source)


def most_frequent(
    mechanism: Memoized,
    report: Callable[[Source], tuple[Column, ...]],
    windows: int,
    source: Source,
) -> Reports:
    """The output that each device sent most often in so many windows, as a report of ``inner``.

    ``report(source)`` gives the columns of all devices in one window.
    """
    *fixed, last = mechanism.fields
    if isinstance(last, BitField):
        ones = sum(_bits(report(source)[-1], last.size).astype(np.int64) for _ in range(windows))
        chosen: Column = np.packbits(2 * ones > windows, axis=1, bitorder="little")
        columns = [chosen]
    else:
        first = report(source)
        seen = np.zeros((len(first[-1]), last.size), dtype=np.int32)
        rows = np.arange(len(seen))
        seen[rows, first[-1]] += 1
        for _ in range(windows - 1):
            seen[rows, report(source)[-1]] += 1
        columns = [*first[:-1], seen.argmax(axis=1)]
    names = [field.name for field in (*fixed, last)]
    return Reports(mechanism.inner, dict(zip(names, columns, strict=True)))


def _bits(packed: Column, size: int) -> NDArray[np.uint8]:
    return np.unpackbits(np.asarray(packed), axis=1, count=size, bitorder="little")


# -- two reports of one device ----------------------------------------------------------------------


@dataclass(frozen=True)
class Linkage:
    """How often a device was found again.

    Parameters
    ----------
    devices : int
        Among how many.
    found : float
        The part of devices whose second report was matched with their first.
    chance : float
        The part that anybody finds who looks only at what devices share by design: all devices, or with
        hashes those that keep the same hash.

    Examples
    --------
    >>> print(Linkage(2000, 0.994, 0.0005))
    99.4% of 2,000 devices found again by two reports (by chance 0.05%)
    """

    devices: int
    found: float
    chance: float

    def __str__(self) -> str:
        told = f"{self.found:.1%} of {self.devices:,} devices found again by two reports"
        return f"{told} (by chance {100 * self.chance:.2g}%)"


def linkage(mechanism: Mechanism, *, devices: int = 2000, source: Source | None = None) -> Linkage:
    """Match reports of two windows: for each device's first report the likeliest second one.

    Everybody holds a value drawn uniformly and keeps it.

    Parameters
    ----------
    mechanism : Mechanism
        A memoized mechanism.
    devices : int
        How many devices report twice.
    source : Source, optional
        Where randomness comes from; the operating system unless given.

    Returns
    -------
    Linkage
        The part that was matched rightly, and the part that chance would match.

    Raises
    ------
    InvalidInput
        Where the mechanism has no memory.

    Examples
    --------
    >>> import sottovoce as sv
    >>> unary = sv.mechanism("l-osue", sv.Categories(1024), 1.0, lifetime=2.0, linkable=True)
    >>> sv.linkage(unary, devices=200, source=sv.Seeded(1)).found > 0.99
    True
    """
    kept = _memoized(mechanism, "linkage")
    count = check_int(devices, "devices", "linkage", 2)
    chosen = OperatingSystem() if source is None else source
    values = chosen.generator().integers(0, kept.positions, count)
    people = Devices.drawn(kept, values, chosen)
    first, second = people.report(chosen), people.report(chosen)
    if isinstance(kept.fields[-1], BitField):
        scores = _bit_scores(kept, *(_bits(one[-1], kept.domain.size) for one in (first, second)))
    else:
        scores = np.equal.outer(first[-1], second[-1]).astype(np.float64)
    together = np.ones((count, count), dtype=bool)
    if people.hashes is not None:
        together = np.equal.outer(people.hashes, people.hashes)
    scores = np.where(together, scores, -np.inf)
    best = scores.max(axis=1)
    tied = scores == best[:, None]
    found = np.diag(tied) / tied.sum(axis=1)
    return Linkage(count, float(found.mean()), float(np.mean(1 / together.sum(axis=1))))


def _bit_scores(mechanism: Memoized, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Floats:
    """Log-likelihood that two rows of bits come from one memo, over that of two memos, for all pairs."""
    stay, rise = (weight / mechanism.rounds.total for weight in mechanism.weights[1])
    own, other = (weight / mechanism.rounds.total for weight in mechanism.rounds.permanent.weights)
    one = (own + (mechanism.domain.size - 1) * other) / mechanism.domain.size  # of a memo's bit
    set_ = np.array([1 - stay, stay]), np.array([1 - rise, rise])
    together = one * np.outer(set_[0], set_[0]) + (1 - one) * np.outer(set_[1], set_[1])
    alone = one * set_[0] + (1 - one) * set_[1]
    table = np.log(together / np.outer(alone, alone))
    a, b = first.astype(np.float64), second.astype(np.float64)
    both, ones = a @ b.T, (a.sum(axis=1)[:, None], b.sum(axis=1)[None, :])
    neither = mechanism.domain.size - ones[0] - ones[1] + both
    apart = ones[0] + ones[1] - 2 * both
    scores: Floats = table[1, 1] * both + table[0, 0] * neither + table[0, 1] * apart
    return scores
