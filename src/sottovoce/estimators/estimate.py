"""The one way in: a tally goes in, an estimate comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sottovoce.answers.errors import LinearNoise, NoNoise
from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Floats
from sottovoce.channels.binning import CoarseMechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.cell_means import estimate_without_shares
from sottovoce.estimators.choose import choose
from sottovoce.estimators.coarse_bins import evidence_of_bins, spread_evenly
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.estimators.errors.bootstrap import Bootstrap
from sottovoce.estimators.errors.parametric_bootstrap import Refits, without_progress
from sottovoce.estimators.methods import Method, find_method, find_step
from sottovoce.estimators.observed import Evidence
from sottovoce.estimators.unbiased import Raw, unbiased_shares

__all__ = ["estimate", "estimated"]


def estimate(
    evidence: Tally | Reports,
    method: str = "auto",
    *,
    goal: str = "distribution",
    then: str | Sequence[str] = (),
    auto: str = "rules",
    **options: Any,
) -> Estimate:
    """Shares with error bars from a tally, or from reports.

    ``method="auto"`` takes the first rule of :mod:`sottovoce.estimators.choose` for
    ``goal``; ``why`` tells which.  With ``auto="bootstrap"`` it takes the best of
    :func:`~sottovoce.estimators.compare.compare.compare` instead.  ``then`` names methods to apply to the result, in
    order.  ``options`` are those of the method, such as ``alpha`` of ``norm-hyb``.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> tally = m.simulate([600, 400], source=sv.Seeded(1))
    >>> print(sv.estimate(tally, "unbiased").share("yes"))
    yes: 0.6125 +- 0.0303 (95% from 0.5531 to 0.6720)
    """
    found = estimated(evidence, method, goal=goal, then=then, auto=auto, **options)
    warn_unless_converged(found)
    return found


def estimated(
    evidence: Tally | Reports,
    method: str = "auto",
    *,
    goal: str = "distribution",
    then: str | Sequence[str] = (),
    auto: str = "rules",
    **options: Any,
) -> Estimate:
    """:func:`estimate` without its warning: for callers that run it many times."""
    given = Evidence.of(evidence)
    tally = given.tally
    check_choice(auto, "auto", "estimate", ("rules", "bootstrap"))
    if isinstance(coarse := tally.mechanism, CoarseMechanism):
        bins = evidence_of_bins(given, coarse)
        wide = estimated(bins, method, goal=goal, then=then, auto=auto, **options)
        return spread_evenly(wide, coarse)
    steps, why = [then] if isinstance(then, str) else list(then), "asked for by name"
    if auto == "bootstrap" and tally.mechanism.domain.size > 1:
        method, why, steps, options = _by_bootstrap(evidence, method, goal, steps, options)
    elif method == "auto" and tally.mechanism.domain.size > 1:
        rule = choose(tally.mechanism, goal, tally.n)
        method, why, steps = rule.method, rule.why, [*rule.then, *steps]
    named = [] if method == "auto" else [find_method(method, tally.mechanism)]
    chosen = [*named, *(find_step(step, tally.mechanism) for step in steps)]
    if tally.mechanism.domain.size == 1:
        why = "the domain has a single value: its share is 1"
        return Estimate(tally.mechanism.domain, np.ones(1), tally.n, "certain", why, NoNoise(1))
    name = " + ".join(m.name for m in chosen)
    told = chosen[0].tells_only(tally.mechanism)
    if len(chosen) > 1 and (told or chosen[0].fit is not None):
        gives = f"tells {told} only" if told else "gives a distribution already"
        raise Unfit(
            f"{chosen[0].name} {gives}: nothing can follow it; "
            f"then = {', '.join(m.name for m in chosen[1:])}"
        )
    if chosen[0].fit is not None:
        return _from_fit(given, chosen[0], options, name, why)
    if told:
        chosen[0].check_options(None, options)
        return (chosen[0].mean or estimate_without_shares)(tally, name, why)
    raw = unbiased_shares(tally)
    plain = Estimate(
        tally.mechanism.domain, _run(chosen, options, raw), tally.n, name, why,
        LinearNoise(raw.channel, tally.n, tally.cells / tally.n, raw.shares),
        clips=any(m.clips_answers for m in chosen),
    )  # fmt: skip
    if all(m.step is None or m.clips_answers for m in chosen):
        return plain
    return replace(plain, noise=Bootstrap(tally, raw, partial(_run, chosen, options)))


def _by_bootstrap(
    evidence: Tally | Reports, method: str, goal: str, steps: list[str], options: dict[str, Any]
) -> tuple[str, str, list[str], dict[str, Any]]:
    """Method, reason, steps and options of the best in a comparison."""
    from sottovoce.estimators.compare.compare import compare

    if method != "auto" or options:
        given = method if method != "auto" else ", ".join(options)
        raise InvalidInput("auto", "estimate", 'given with "auto" alone, without options', given)
    found = compare(evidence, goal)
    best = found.contenders[0].candidate
    return best.method, found.why, [*best.then, *steps], dict(best.options)


def _from_fit(
    given: Evidence, method: Method, options: dict[str, Any], name: str, why: str
) -> Estimate:
    fit = method.run(given, options)
    noise = fit.noise or Refits(given, method, without_progress(options), fit)
    return Estimate(
        given.mechanism.domain, fit.shares, given.n, name, "; ".join(filter(None, (why, fit.why))),
        noise, fit.converged, fit.iterations, fit.history, fit.optimality, trace=fit.trace,
    )  # fmt: skip


def _run(chosen: Sequence[Method], options: dict[str, Any], raw: Raw) -> Floats:
    """The first method takes the options, those that follow their defaults."""
    shares = chosen[0].apply(raw, options)
    for method in chosen[1:]:
        shares = method.apply(replace(raw, shares=shares), {})
    return shares
