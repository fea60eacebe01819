"""One distribution from the reports of several services: user-level likelihood (ULE).

Any likelihood method can climb the joint likelihood: ``em``, ``ems``, ``mle``, ``mr``, and on users in
groups ``adaptive``, whose errors come from its own posterior.  The errors of the others come from
fusing again.  Reference: Du, Ye, Fu, Hu 2025, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.errors import ErrorModel, Exact
from sottovoce.answers.estimate import Estimate
from sottovoce.estimators.errors.parametric_bootstrap import without_progress
from sottovoce.estimators.likelihood.em import em, ems
from sottovoce.estimators.likelihood.mle import mle
from sottovoce.estimators.likelihood.mr import mr
from sottovoce.estimators.methods import Method
from sottovoce.estimators.observed import Fit
from sottovoce.estimators.smooth.adaptive import adaptive
from sottovoce.fusion.condensed import condensed
from sottovoce.fusion.fused_bootstrap import FusedBootstrap
from sottovoce.fusion.joint import FusedObservations

if TYPE_CHECKING:
    from sottovoce.fusion.services import Joined, Services

__all__ = ["INNER", "fused_estimate", "fused_distribution"]


def fused_distribution(services: Services, inner: str, options: dict[str, Any]) -> Estimate:
    """The distribution that ``inner`` finds."""
    if services.domain.size == 1:
        why = "the domain has a single value: its share is 1"
        return Estimate(services.domain, np.ones(1), services.n, "certain", why, Exact(1))
    function = INNER[inner]
    Method(inner, "", fit=function).check_options(function, options)
    fit = function(services.observations, **options)
    noise = fit.error_model or FusedBootstrap(
        services, partial(function, **without_progress(options)), fit
    )
    return fused_estimate(services, inner, fit, noise)


def fused_estimate(services: Joined, inner: str, fit: Fit, noise: ErrorModel) -> Estimate:
    """What ``inner`` found, as an estimate with these errors."""
    return Estimate(
        services.domain, fit.shares, services.n, f"ule + {inner}",
        f"{len(services.names)} services: {fit.why}; {services.privacy}", noise,
        fit.converged, fit.iterations, fit.history, fit.optimality, trace=fit.trace,
        unbiased_source=_no_unbiased,
    )  # fmt: skip


def _no_unbiased() -> None:
    """Reports of several services have no unbiased estimate of a distribution here."""


def _adaptive(observations: FusedObservations, *, progress: Any = None) -> Fit:
    return adaptive(condensed(observations), progress=progress)


INNER: dict[str, Callable[..., Fit]] = {
    "em": em,
    "ems": ems,
    "mle": mle,
    "mr": mr,
    "adaptive": _adaptive,
}
"""What climbs the joint likelihood, by name."""
