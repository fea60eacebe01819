"""Which methods there are for a mechanism, and when ``auto`` chooses each."""

from __future__ import annotations

from sottovoce.base.checks import check_int
from sottovoce.base.frame import Frame
from sottovoce.core.coarse import reporting_mechanism
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.choose import GOALS, find_rule
from sottovoce.estimators.methods import Method, registered_methods

__all__ = ["methods"]


def methods(mechanism: Mechanism, *, users: int | None = None) -> Frame:
    """List every method: whether it applies to a mechanism, and when ``auto`` chooses it.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the reports.
    users : int, optional
        The number of reports; many if not given.

    Returns
    -------
    Frame
        One row per method. ``why`` is its summary, or why it does not apply; ``guideline`` is the
        advice of its authors; ``rule`` names the goals for which ``auto`` chooses it.

    Raises
    ------
    InvalidInput
        Where ``users`` is not a whole number of at least 1.

    Examples
    --------
    >>> import sottovoce as sv
    >>> table = sv.methods(sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0))
    >>> table["method"][0], table["applies"][0]
    ('unbiased', 'yes')
    """
    n = None if users is None else check_int(users, "users", "methods", 1)
    mechanism = reporting_mechanism(mechanism)
    rows = [(m, m.why_not(mechanism)) for m in registered_methods()]
    chosen: dict[str, list[str]] = {}
    for goal in GOALS:
        if rule := find_rule(mechanism, goal, n):
            chosen.setdefault(rule.method, []).append(goal)
    return Frame(
        {
            "method": [m.name for m, _ in rows],
            "applies": [_applies(m, reason, mechanism) for m, reason in rows],
            "why": [reason or m.summary for m, reason in rows],
            "guideline": [m.guideline for m, _ in rows],
            "rule": [", ".join(chosen.get(m.name, [])) for m, _ in rows],
        }
    )


def _applies(method: Method, reason: str, mechanism: Mechanism) -> str:
    if reason:
        return "no"
    told = method.tells_only(mechanism)
    return f"to {told} only" if told else "yes"
