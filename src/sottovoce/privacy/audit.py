"""Audits: the exact certificate of a mechanism, and a black-box attack on any randomizer.

The black box asks a randomizer for reports of every value and looks for an
event that is too likely under one value compared with another.  If an event has
probability p1 under v and p2 under u, then epsilon is at least
``ln((p1 - delta) / p2)``.  Clopper-Pearson bounds on p1 (from below) and on p2
(from above), at a level shared by all proportions looked at (Bonferroni), make
this a lower bound on epsilon that is wrong with probability at most ``alpha``.

Events are tight: where reports are sets of values, "v is in the set and u is
not"; where they are one of a few outcomes, every single outcome, and every tail
where outcomes have an order.  Attacks that
guess a value from a report, as in Arcolezi and Gambs 2023, are looser.

A randomizer whose reports are all the same, whatever the value, breaks no bound
but is not random (a constant seed, for instance): that fails an audit too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.certificate import Certificate
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.privacy.events import Sample, Supports, count_outcomes, count_supports, lower_bounds

__all__ = ["Audit", "audit", "audit_black_box", "usual_plan"]

_LARGEST_DOMAIN = 64
_ON_A_GRID = 9
"""How many positions of a finer grid are tried, its ends among them."""


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    ``lower_bound`` is a confidence bound on the true epsilon, from samples;
    ``certificate`` (for mechanisms of this library) is the exact statement.
    """

    claimed: float
    lower_bound: float
    trials: int
    alpha: float
    worst: str
    varies: bool = True
    certificate: Certificate | None = None
    between: str = ""
    """Which values the claim is about, where not any two."""
    forbidden: int = 0
    """Reports that their value must never send: open ones that reveal a sensitive value, or another."""

    @property
    def passed(self) -> bool:
        """No sample contradicts the claim, reports vary, and the certificate, if any, keeps it."""
        exact = self.certificate is None or self.certificate.holds(self.claimed)
        return exact and self.varies and not self.forbidden and self.lower_bound <= self.claimed

    def __str__(self) -> str:
        verdict = "holds" if self.passed else "BROKEN"
        of = f" between {self.between}" if self.between else ""
        exact = "" if self.certificate is None else f"\n  exact: {self.certificate}"
        exact += "" if self.varies else "\n  all reports are the same: this is not random"
        if self.forbidden:
            exact += f"\n  {self.forbidden:,} reports were open where they must not be"
        return (
            f"claimed epsilon {self.claimed:g}{of}: {verdict}\n"
            f"  sampled: epsilon is at least {self.lower_bound:.4f} "
            f"({self.trials:,} trials per value, alpha {self.alpha:g}; {self.worst}){exact}"
        )


def audit(mechanism: Mechanism, *, trials: int = 1_000_000, alpha: float = 1e-6) -> Audit:
    """Audit a mechanism: its exact certificate, and a black-box attack on its randomizer.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    trials : int
        Reports drawn per value.
    alpha : float
        The probability that a correct mechanism fails the audit.

    Returns
    -------
    Audit
        The certificate, the lower bound of epsilon that the attack shows, and whether both keep the
        claim.

    Raises
    ------
    InvalidInput
        Where a parameter is not allowed.
    MissingExtra
        Where scipy is not installed (the ``analyse`` extra).

    Examples
    --------
    >>> import sottovoce as sv
    >>> sv.audit(sv.mechanism("grr", sv.Categories(2), 1.0), trials=10_000).passed
    True
    """
    mechanism = mechanism.audited
    first, certificate = mechanism.audit_plan() or usual_plan(mechanism), mechanism.certificate()
    plans, scope, forbidden = [first, *first.further], certificate.scope, 0
    in_steps = scope is not None and scope.any_two is not None

    def counted(plan: AuditPlan) -> Sample:
        """Its samples, with reports that must not be counted."""

        def sample(value: Any, count: int) -> Reports:
            nonlocal forbidden
            reports = plan.sample(value, count)
            if plan.forbidden is not None:
                forbidden += int(plan.forbidden(reports, value).sum())
            return reports

        return sample

    tried = [
        audit_black_box(
            counted(plan),
            plan.values,
            mechanism.epsilon,
            supports=plan.supports,
            outcomes=plan.outcomes,
            read=plan.read,
            ordered=plan.ordered,
            apart=(lambda v, u: abs(v - u)) if in_steps else None,
            trials=trials,
            alpha=alpha / len(plans),
            delta=float(certificate.delta),
        )
        for plan in plans
    ]
    strongest = max(tried, key=lambda each: each.lower_bound)
    varies = all(each.varies for each in tried)
    found = replace(strongest, alpha=alpha, varies=varies, forbidden=forbidden)
    between = "" if scope is None else certificate.between
    return replace(found, certificate=certificate, between=between)


def usual_plan(mechanism: Mechanism) -> AuditPlan:
    """Every value, or some positions of a finer grid, by what reports support or are."""
    size = mechanism.domain.size
    if size == mechanism.positions and not 2 <= size <= _LARGEST_DOMAIN:
        raise InvalidInput(
            "domain",
            "audit",
            f"of 2 to {_LARGEST_DOMAIN} values",
            f"{size} values",
            hint="The certificate is exact for every size; audit the same mechanism on fewer values.",
        )
    tried = size if mechanism.positions == size else min(_ON_A_GRID, mechanism.positions)
    indices = np.linspace(0, mechanism.positions - 1, tried).astype(np.int64).tolist()

    def sample(index: int, count: int) -> Reports:
        positions = np.full(count, index, dtype=np.int64)
        return mechanism.randomize_positions(positions, OperatingSystem())

    def supports(reports: Reports, index: int) -> NDArray[np.bool_]:
        supported = mechanism.supports(reports, index)
        assert supported is not None  # asked below
        return supported

    if mechanism.supports(sample(0, 1), 0) is not None:
        return AuditPlan(indices, sample, supports)
    (field,) = mechanism.fields

    def read(reports: Reports) -> NDArray[Any]:
        return reports.columns[field.name]

    ordered = mechanism.domain.ordered
    return AuditPlan(indices, sample, outcomes=field.size, read=read, ordered=ordered)


def audit_black_box(
    sample: Sample,
    values: Sequence[Any],
    epsilon: float,
    *,
    supports: Supports | None = None,
    outcomes: int | None = None,
    read: Callable[[Any], Any] = np.asarray,
    ordered: bool = False,
    apart: Callable[[Any, Any], float] | None = None,
    trials: int = 1_000_000,
    alpha: float = 1e-6,
    delta: float = 0.0,
) -> Audit:
    """Audit any randomizer, ours or another's.

    ``sample(value, count)`` returns that many independent reports of ``value``.
    Say either how reports ``supports(reports, value)``, a boolean a report, or
    the number of ``outcomes``: then ``read(reports)`` are integers below it.  Where
    they are ``ordered``, reports of at least y are looked at besides those equal to y.
    A claim of epsilon *a step* (of an edge of a graph, say) needs ``apart``, the number of steps
    between two values: m steps may take m epsilon, so a bound is divided by m.

    >>> rng = np.random.default_rng(1)
    >>> def leaky(value, count):  # keeps the answer 9 times in 10
    ...     return np.where(rng.random(count) < 0.9, value, 1 - value)
    >>> found = audit_black_box(leaky, [0, 1], 1.0, outcomes=2, trials=20_000)
    >>> found.passed, bool(2 < found.lower_bound < np.log(9))
    (False, True)
    """
    if (supports is None) == (outcomes is None):
        raise InvalidInput(
            "supports, outcomes", "audit_black_box", "one of the two", (supports, outcomes)
        )
    check_int(trials, "trials", "audit", 1)
    if not 0 < check_real(alpha, "alpha", "audit", "between 0 and 1") < 1:
        raise InvalidInput("alpha", "audit", "between 0 and 1", alpha)
    if supports is not None:
        mine, theirs, varies = count_supports(sample, values, supports, trials)
        events = [f"with {v!r} and without {u!r}" for v in values for u in values]
    else:
        width = check_int(outcomes, "outcomes", "audit", 2)
        counts = count_outcomes(sample, values, width, read, trials)
        varies = bool(np.count_nonzero(counts.sum(axis=0)) > 1)
        named = [f"equal to {y}" for y in range(width)]
        if ordered:
            named += [f"of at least {y}" for y in range(1, width)]
            counts = np.hstack([counts, counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]])
        shape = (len(values), len(values), len(named))
        mine, theirs = np.broadcast_to(counts[:, None], shape), np.broadcast_to(counts, shape)
        events = named * len(values) ** 2
    bounds = lower_bounds(mine, theirs, trials, alpha, delta)
    if apart is not None:
        steps = np.array([[max(1.0, apart(v, u)) for u in values] for v in values])
        bounds = bounds / steps.reshape(steps.shape + (1,) * (bounds.ndim - 2))
    best = int(np.argmax(bounds))
    per_pair = bounds.size // len(values) ** 2
    v, u = divmod(best // per_pair, len(values))
    worst = f"reports {events[best]}, of {values[v]!r} against {values[u]!r}"
    found = Audit(float(epsilon), float(bounds.flat[best]), trials, alpha, worst, varies)
    return found if apart is None else replace(found, between="values a step apart")
