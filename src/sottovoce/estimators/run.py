"""A method, chosen by rule or by name, run on a tally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sottovoce.answers.errors import Exact, LinearErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.cell_means import estimate_without_shares
from sottovoce.estimators.choose import choose
from sottovoce.estimators.coarse_bins import expand_evenly, observed_of_bins
from sottovoce.estimators.errors.bootstrap import Bootstrap
from sottovoce.estimators.errors.parametric_bootstrap import ParametricBootstrap, without_progress
from sottovoce.estimators.methods import Method, applies, find_method, find_step
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.parts import part_estimate
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares

__all__ = ["run_method", "unbiased_estimate"]


def run_method(
    observed: Tally | Reports,
    method: str = "auto",
    *,
    goal: str = "distribution",
    then: str | Sequence[str] = (),
    why: str = "asked for by name",
    **options: Any,
) -> Estimate:
    """:func:`sottovoce.estimate` without its warning: for callers that run it many times.

    ``why`` is the reason for a method that is not chosen by rule.
    """
    given = Observed.of(observed)
    found = _run_chosen(given, method, goal=goal, then=then, why=why, **options)
    if given.domain.record is None:
        return found
    return replace(found, part_source=partial(part_estimate, run_method, given.tally))


def _run_chosen(
    given: Observed, method: str, *, goal: str, then: str | Sequence[str], why: str, **options: Any
) -> Estimate:
    """The method that was named, or is chosen by rule."""
    tally = given.tally
    if isinstance(coarse := tally.mechanism, CoarseMechanism):
        bins = observed_of_bins(given, coarse)
        wide = run_method(bins, method, goal=goal, then=then, why=why, **options)
        return expand_evenly(wide, coarse)
    steps = [then] if isinstance(then, str) else list(then)
    if method == "auto" and tally.mechanism.domain.size > 1:
        rule = choose(tally.mechanism, goal, tally.n)
        method, why, steps = rule.method, rule.why, [*rule.then, *steps]
        options = {**rule.options, **options}
    named = [] if method == "auto" else [find_method(method, tally.mechanism)]
    chosen = [*named, *(find_step(step, tally.mechanism) for step in steps)]
    if tally.mechanism.domain.size == 1:
        why = "the domain has a single value: its share is 1"
        return Estimate(tally.mechanism.domain, np.ones(1), tally.n, "certain", why, Exact(1))
    name = " + ".join(m.name for m in chosen)
    told = chosen[0].tells_only(tally.mechanism)
    if len(chosen) > 1 and (told or chosen[0].fit is not None):
        gives = f"estimates only {told}" if told else "gives a distribution already"
        raise Unfit(
            f"{chosen[0].name} {gives}: nothing can follow it; "
            f"then = {', '.join(m.name for m in chosen[1:])}"
        )
    companion = partial(unbiased_estimate, tally)
    if chosen[0].fit is not None:
        fitted = _from_fit(given, chosen[0], options, name, why)
        return replace(fitted, unbiased_source=companion)
    if told:
        chosen[0].check_options(None, options)
        if chosen[0].mean is None:
            return estimate_without_shares(tally, name, why)
        return replace(chosen[0].mean(tally, name, why), unbiased_source=companion)
    return _from_unbiased(tally, chosen, options, name, why)


def _from_unbiased(
    tally: Tally, chosen: Sequence[Method], options: dict[str, Any], name: str, why: str
) -> Estimate:
    """Unbiased shares, and steps on them."""
    unbiased = unbiased_shares(tally)
    plain = Estimate(
        tally.mechanism.domain, _run(chosen, options, unbiased), tally.n, name, why,
        LinearErrors(unbiased.channel, tally.n, tally.cells / tally.n, unbiased.shares),
        clips=any(m.clips_answers for m in chosen),
    )  # fmt: skip
    steps = [m for m in chosen if m.step is not None]
    if not steps:
        return plain
    found = replace(plain, unbiased_source=partial(unbiased_estimate, tally))
    if all(m.clips_answers for m in steps):
        return found
    return replace(found, error_model=Bootstrap(tally, unbiased, partial(_run, chosen, options)))


def unbiased_estimate(tally: Tally) -> Estimate | None:
    """The unbiased estimate, which tests and anytime intervals take; None where there is none."""
    if not applies("unbiased", tally.mechanism):
        return None
    return run_method(tally, "unbiased", why="unbiased, for tests and for looking again and again")


def _from_fit(
    given: Observed, method: Method, options: dict[str, Any], name: str, why: str
) -> Estimate:
    fit = method.run(given, options)
    noise = fit.error_model or ParametricBootstrap(given, method, without_progress(options), fit)
    return Estimate(
        given.mechanism.domain, fit.shares, given.n, name, "; ".join(filter(None, (why, fit.why))),
        noise, fit.converged, fit.iterations, fit.history, fit.optimality, trace=fit.trace,
    )  # fmt: skip


def _run(chosen: Sequence[Method], options: dict[str, Any], unbiased: UnbiasedShares) -> Floats:
    """The first method takes the options, those that follow their defaults."""
    shares = chosen[0].apply(unbiased, options)
    for method in chosen[1:]:
        shares = method.apply(replace(unbiased, shares=shares), {})
    return shares
