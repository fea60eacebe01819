"""What a paper says, put so that numbers can contradict it.

A claim is a statement, where it stands, and the interval in which a quotient
of errors must lie.  ``kind`` names how the quotient is read off the curves:

``ratio``     error of each of ``methods`` over that of ``against``, at every ``at``
``growth``    error of each of ``methods`` at ``to`` over its error at ``start``
``decline``   how much an error falls from ``start`` to ``to``, over how much ``against`` falls
``symmetry``  error at x percent over the error at 100 - x percent
``steps``     error at each x over the error at the x before
``cells``     the readings are prepared elsewhere, under the name ``table``

A reading agrees if it is in the interval or out of it by at most ``slack`` of its
own standard errors: two for what a paper says, none for what we say ourselves.
The claim held if all readings agree (or more than the part ``quota`` of them,
where a paper says "mostly"), did not hold if none does, and held partly otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from sottovoce.base.checks import check_choice
from sottovoce.experiments.curves import Curve, quotient

__all__ = ["KINDS", "NOISE", "Claim", "Finding", "Reading", "judge", "read_claims", "verdict_of"]

NOISE = 2.0
"""Standard errors by which a reading may miss the interval of a paper's claim."""

Curves = Mapping[tuple[str, str], Curve]


@dataclass(frozen=True)
class Reading:
    """A quotient, its standard error, and where it was read."""

    where: str
    value: float
    stderr: float

    def agrees(self, low: float, high: float, slack: float = NOISE) -> bool:
        """Whether the interval, widened by ``slack`` standard errors, holds it."""
        noise = slack * self.stderr
        return low - noise <= self.value <= high + noise


@dataclass(frozen=True)
class Claim:
    """A statement with its interval."""

    name: str
    statement: str
    where: str
    paper: str
    """The paper's own number or words."""
    kind: str
    low: float = 0.0
    high: float = float("inf")
    measure: str = ""
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    pick: str = "each"
    """Whether a method is read against ``each`` of ``against``, their ``best``, or ``worst``."""
    at: tuple[float, ...] = ()
    start: float = 0.0
    to: float = 0.0
    table: str = ""
    slack: float = NOISE
    quota: float = 1.0
    """The part of the readings of which more must agree, where not all have to."""
    note: str = ""

    def __post_init__(self) -> None:
        check_choice(self.kind, "kind", f"claim {self.name}", tuple(KINDS))
        check_choice(self.pick, "pick", f"claim {self.name}", ("each", "best", "worst"))

    @property
    def allowed(self) -> str:
        """The interval in words."""
        return self._interval + (f" in more than {self.quota:.0%}" if self.quota < 1 else "")

    @property
    def _interval(self) -> str:
        if self.high == float("inf"):
            return f"at least {self.low:.3g}"
        if self.low == 0.0:
            return f"at most {self.high:.3g}"
        return f"{self.low:.3g} to {self.high:.3g}"


@dataclass(frozen=True)
class Finding:
    """A claim beside what was read."""

    claim: Claim
    readings: tuple[Reading, ...]

    def agrees(self, reading: Reading) -> bool:
        """Whether a reading agrees with the claim."""
        return reading.agrees(self.claim.low, self.claim.high, self.claim.slack)

    @property
    def agreeing(self) -> int:
        """How many readings agree."""
        return sum(map(self.agrees, self.readings))

    @property
    def verdict(self) -> str:
        """``held``, ``held partly``, ``did not hold``, or ``not tested``."""
        return verdict_of([self.agrees(reading) for reading in self.readings], self.claim.quota)

    @property
    def ours(self) -> str:
        """Our numbers in a few words: the range, and the standard error at its ends."""
        if not self.readings:
            return "no data"
        least = min(self.readings, key=lambda r: r.value)
        most = max(self.readings, key=lambda r: r.value)
        if least is most:
            return _said(least)
        return f"{_said(least)} to {_said(most)}"

    @property
    def counted(self) -> str:
        """How many of the readings agree."""
        return f"{self.agreeing} of {len(self.readings)}" if self.readings else "-"

    def document(self) -> dict[str, Any]:
        """Everything, for a JSON file."""
        return {
            "claim": self.claim.name, "statement": self.claim.statement, "where": self.claim.where,
            "paper": self.claim.paper, "allowed": self.claim.allowed, "verdict": self.verdict,
            "agreeing": self.agreeing, "note": self.claim.note,
            "readings": [[r.where, r.value, r.stderr] for r in self.readings],
        }  # fmt: skip


def _said(reading: Reading) -> str:
    return f"{reading.value:.3g} ± {reading.stderr:.2g}"


def verdict_of(agreeing: Sequence[bool], quota: float = 1.0) -> str:
    """The verdict, given which readings agree, and of which part of them more must."""
    if not agreeing:
        return "not tested"
    if all(agreeing) or sum(agreeing) > quota * len(agreeing):
        return "held"
    return "held partly" if any(agreeing) else "did not hold"


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a TOML file."""
    claims = []
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["claim"]:
        fields: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in table.items()
        }
        claims.append(Claim(**fields))
    return tuple(claims)


def judge(
    claims: Iterable[Claim], curves: Curves, cells: Mapping[str, Sequence[Reading]]
) -> tuple[Finding, ...]:
    """A finding for every claim; data sets that were not run give no readings."""
    return tuple(Finding(claim, tuple(_readings(claim, curves, cells))) for claim in claims)


def _readings(
    claim: Claim, curves: Curves, cells: Mapping[str, Sequence[Reading]]
) -> Iterable[Reading]:
    if claim.kind == "cells":
        yield from cells.get(claim.table, ())
        return
    for dataset in claim.datasets:
        curve = curves.get((dataset, claim.measure))
        if curve is not None:
            yield from KINDS[claim.kind](claim, curve)


def _reading(curve: Curve, what: str, above: Any, below: Any) -> Reading:
    """Above and below are lists of points (x, method)."""
    found = quotient([curve.at(*point) for point in above], [curve.at(*point) for point in below])
    return Reading(f"{curve.dataset}, {what}", found.value, found.stderr)


def _rivals(claim: Claim, curve: Curve, x: float) -> tuple[str, ...]:
    """The methods of ``against`` to be read at x."""
    if claim.pick == "each":
        return claim.against
    choose = min if claim.pick == "best" else max
    return (choose(claim.against, key=lambda method: curve.mean(x, method)),)


def _ratio(claim: Claim, curve: Curve) -> Iterable[Reading]:
    for x in claim.at or curve.xs:
        for method in claim.methods:
            for rival in _rivals(claim, curve, x):
                what = f"{curve.by} {x:g}: {method} / {rival}"
                yield _reading(curve, what, [(x, method)], [(x, rival)])


def _growth(claim: Claim, curve: Curve) -> Iterable[Reading]:
    for method in claim.methods:
        what = f"{method}: {curve.by} {claim.to:g} / {claim.start:g}"
        yield _reading(curve, what, [(claim.to, method)], [(claim.start, method)])


def _decline(claim: Claim, curve: Curve) -> Iterable[Reading]:
    a, b = claim.start, claim.to
    for method in claim.methods:
        for rival in claim.against:
            what = f"fall of {method} / fall of {rival}, {curve.by} {a:g} to {b:g}"
            yield _reading(curve, what, [(a, method), (b, rival)], [(b, method), (a, rival)])


def _symmetry(claim: Claim, curve: Curve) -> Iterable[Reading]:
    for method in claim.methods:
        for x in curve.xs:
            if x < 50 and 100 - x in curve.xs:
                what = f"{method}: {curve.by} {x:g} / {100 - x:g}"
                yield _reading(curve, what, [(x, method)], [(100 - x, method)])


def _steps(claim: Claim, curve: Curve) -> Iterable[Reading]:
    for method in claim.methods:
        for before, after in pairwise(claim.at or curve.xs):
            what = f"{method}: {curve.by} {after:g} / {before:g}"
            yield _reading(curve, what, [(after, method)], [(before, method)])


def _prepared(claim: Claim, curve: Curve) -> Iterable[Reading]:
    return ()


KINDS: dict[str, Callable[[Claim, Curve], Iterable[Reading]]] = {
    "ratio": _ratio,
    "growth": _growth,
    "decline": _decline,
    "symmetry": _symmetry,
    "steps": _steps,
    "cells": _prepared,
}
