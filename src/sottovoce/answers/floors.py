"""The least standard error that an unbiased answer can have, whatever the truth.

The error of an unbiased answer is computed from the reports.  Where few of them speak for a value,
the computed variance can be far too small, at first 0.  The variance given the least noisy input
bounds it from below: for a share of a pure oracle that is ``q (1 - q) / (p - q)^2 / n``, the noise
of a value that nobody holds.  Answers straight from cells
(:class:`~sottovoce.answers.errors.CellErrors`) need no bound: their errors take care of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.errors import CellErrors, ErrorModel, ExpandedErrors, LinearErrors
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["FlooredErrors", "LeastErrors", "floored", "least_stderr"]


@dataclass(frozen=True, eq=False)
class LeastErrors:
    """The least errors there can be, of answers whose computed errors are ``errors``."""

    errors: ErrorModel

    def stderr(self, about: str) -> Floats:
        """Of every share; 0 where no bound is known."""
        errors = self.errors
        if isinstance(errors, LinearErrors):
            odds = errors.channel.support_probabilities
            if odds is None:
                return np.zeros(errors.channel.inputs)
            least = odds.variance(np.array([0.0, 1.0])).min() / errors.n
            return np.full(errors.channel.inputs, np.sqrt(least))
        return np.zeros_like(errors.stderr(about))

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``; 0 where no bound is known."""
        errors = self.errors
        if isinstance(errors, ExpandedErrors):
            return LeastErrors(errors.coarse).stderr_of(errors.binning.collect(weights), about)
        if isinstance(errors, LinearErrors):
            return float(np.sqrt(errors.channel.least_variance_of(weights) / errors.n))
        return 0.0


@dataclass(frozen=True, eq=False)
class FlooredErrors:
    """Errors as computed, and never below the least there can be."""

    errors: ErrorModel

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        return np.maximum(self.errors.stderr(about), LeastErrors(self.errors).stderr(about))

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        least = LeastErrors(self.errors).stderr_of(weights, about)
        return max(self.errors.stderr_of(weights, about), least)


def floored(errors: ErrorModel) -> ErrorModel:
    """The same errors, bounded where they may be too small."""
    return errors if isinstance(errors, CellErrors) else FlooredErrors(errors)


def least_stderr(side: Estimate, ask: Callable[[Estimate], Answer]) -> float:
    """The least standard error of an answer, from asking the same of an estimate with such errors."""
    if isinstance(side.error_model, CellErrors):
        return 0.0
    return ask(replace(side, error_model=LeastErrors(side.error_model))).stderr
