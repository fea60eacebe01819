"""The one way in: a tally goes in, an estimate comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sottovoce.answers.about import check_about
from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.compare.compare import compare
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.run import run_method

__all__ = ["estimate"]


def estimate(
    observed: Tally | Reports,
    method: str = "auto",
    *,
    goal: str = "distribution",
    then: str | Sequence[str] = (),
    auto: str = "rules",
    about: str = "respondents",
    **options: Any,
) -> Estimate:
    """Estimate a distribution with errors from a tally, or from reports.

    Parameters
    ----------
    observed : Tally or Reports
        What was collected.
    method : str
        The name of a method; ``"auto"`` takes the first rule of :mod:`sottovoce.estimators.choose`
        that fits. ``Estimate.why`` gives the reason.
    goal : str
        What ``auto`` chooses for: ``"distribution"``, ``"subset"``, ``"top"``, ``"mean"`` or
        ``"range"``.
    then : str or sequence of str
        Methods to apply to the result, in order.
    auto : str
        ``"rules"``, or ``"bootstrap"`` to take the best of :func:`compare`.
    about : str
        ``"respondents"``: errors of randomization alone. ``"population"``: with the error of having
        asked only these people.
    **options
        Options of the method, such as ``alpha`` of ``norm-hyb``.

    Returns
    -------
    Estimate
        Shares, errors, and what was done.

    Raises
    ------
    InvalidInput
        Where a parameter or an option is not allowed.
    Unfit
        Where the method is unknown or does not apply to the mechanism.

    Warns
    -----
    NotConverged
        Where an iterative method stopped early.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> tally = m.simulate([600, 400], source=sv.Seeded(1))
    >>> print(sv.estimate(tally, "unbiased").share("yes"))
    yes: 0.6125 +- 0.0303 (95% from 0.5531 to 0.6720)
    """
    check_choice(auto, "auto", "estimate", ("rules", "bootstrap"))
    check_about(about, "estimate")
    if auto == "bootstrap" and Observed.of(observed).mechanism.domain.size > 1:
        found = _best_in_comparison(observed, method, goal, then, options)
    else:
        found = run_method(observed, method, goal=goal, then=then, **options)
    warn_unless_converged(found)
    return replace(found, about=about)


def _best_in_comparison(
    observed: Tally | Reports,
    method: str,
    goal: str,
    then: str | Sequence[str],
    options: dict[str, Any],
) -> Estimate:
    if method != "auto" or options:
        given = method if method != "auto" else ", ".join(options)
        raise InvalidInput("auto", "estimate", 'given with "auto" alone, without options', given)
    found = compare(observed, goal)
    best = found.contenders[0].candidate
    steps = [*best.then, *([then] if isinstance(then, str) else then)]
    return run_method(
        observed, best.method, goal=goal, then=steps, why=found.why, **dict(best.options)
    )
