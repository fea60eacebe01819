"""Methods by name, and the one way in: ``estimate``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sottovoce.core.errors import InvalidInput, Unfit
from sottovoce.core.estimate import Estimate, NoNoise
from sottovoce.core.frame import Frame
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["Method", "estimate", "find_method", "methods", "register_method"]

_METHODS: dict[str, Method] = {}
_NAMES: dict[str, str] = {}


@dataclass(frozen=True)
class Method:
    """An estimator: what it does in a line, when it applies, and the function that runs."""

    name: str
    summary: str
    unfit: Callable[[Mechanism], str]
    """Why it does not apply to a mechanism; empty where it does."""
    run: Callable[[Tally, str], Estimate]
    """Given a tally and the reason it was chosen, the estimate."""
    aka: tuple[str, ...] = ()


def register_method(method: Method) -> Method:
    """Make a method known under its name and other names; a taken name is refused."""
    for name in (method.name, *method.aka):
        if name in _NAMES:
            raise InvalidInput("name", "register_method", "not taken yet", name)
        _NAMES[name] = method.name
    _METHODS[method.name] = method
    return method


def find_method(name: str, mechanism: Mechanism) -> Method:
    """The method of that name, if it applies to ``mechanism``; else an error that lists what does."""
    fitting = [m.name for m in _METHODS.values() if not m.unfit(mechanism)]
    key = name.strip().lower() if isinstance(name, str) else name
    if key not in _NAMES:
        raise Unfit(
            f"there is no method {name!r}; for {mechanism.name} there are auto, {', '.join(fitting)}"
        )
    method = _METHODS[_NAMES[key]]
    if reason := method.unfit(mechanism):
        raise Unfit(
            f"{method.name} does not apply to {mechanism}: {reason}; "
            f"what applies: {', '.join(fitting) or 'nothing'}"
        )
    return method


def methods(mechanism: Mechanism) -> Frame:
    """Every method, whether it applies to ``mechanism``, and why or why not."""
    rows = [(m, m.unfit(mechanism)) for m in _METHODS.values()]
    return Frame(
        {
            "method": [m.name for m, _ in rows],
            "applies": ["no" if reason else "yes" for _, reason in rows],
            "why": [reason or m.summary for m, reason in rows],
        }
    )


def estimate(evidence: Tally | Reports, method: str = "auto") -> Estimate:
    """Shares with error bars from a tally, or from reports.

    ``method="auto"`` takes the first rule of :mod:`sottovoce.estimators.choose`
    that fits the channel, the domain and n, never the answers, so that
    intervals stay honest; ``why`` tells which.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> tally = m.simulate([600, 400], source=sv.Seeded(1))
    >>> print(sv.estimate(tally).share("yes"))
    yes: 0.6125 +- 0.0303 (95% from 0.5531 to 0.6720)
    """
    from sottovoce.estimators.choose import choose

    if isinstance(evidence, Reports):
        evidence = evidence.mechanism.tally(evidence)
    if not isinstance(evidence, Tally):
        raise InvalidInput("evidence", "estimate", "a Tally or Reports", evidence)
    if evidence.n == 0:
        raise InvalidInput("n", f"tally of {evidence.mechanism.name}", "at least 1", 0)
    why = "asked for by name"
    if method == "auto":
        method, why = choose(evidence.mechanism)
    chosen = find_method(method, evidence.mechanism)
    if evidence.mechanism.domain.size == 1:
        return _only_value(evidence)
    return chosen.run(evidence, why)


def _only_value(tally: Tally) -> Estimate:
    why = "the domain has a single value: its share is 1"
    domain = tally.mechanism.domain
    return Estimate(domain, np.ones(1), tally.n, "certain", why, NoNoise(1))
