"""One warning where a method stopped before it had converged."""

from __future__ import annotations

import inspect
import math
import warnings

from sottovoce.answers.estimate import Estimate
from sottovoce.base.callers import stacklevel_outside
from sottovoce.base.errors import NotConverged
from sottovoce.estimators.methods import registered_method

__all__ = ["warn_unless_converged"]


def warn_unless_converged(found: Estimate) -> None:
    """Warn the caller of sottovoce if the method that made an estimate did not converge."""
    if not found.converged:
        warnings.warn(_message(found), NotConverged, stacklevel=stacklevel_outside())


def _message(found: Estimate) -> str:
    fit = registered_method(found.method.split(" + ")[-1]).fit
    options = () if fit is None else inspect.signature(fit).parameters
    more = [f"{name}=" for name in ("max_iterations", "tolerance", "gap") if name in options]
    advice = f"Give a larger {' or '.join(more)}, or choose" if more else "Choose"
    return (
        f"{found.method} did not converge: it stopped at iteration {found.iterations}"
        f"{_remaining(found)}. {advice} another method (sv.methods lists them)."
    )


def _remaining(found: Estimate) -> str:
    """How far it may be from where it was going, or how much it still moved."""
    if math.isfinite(found.optimality):
        return f", its objective up to {found.optimality:.3g} from the optimum"
    if len(found.history) > 1:
        return (
            f", and the last changed its objective by {found.history[-1] - found.history[-2]:.3g}"
        )
    return ""
