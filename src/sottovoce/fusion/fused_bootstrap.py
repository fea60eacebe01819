"""Errors of a fused distribution: people with a plausible truth answer all services again.

Through the same mechanisms and with the same services missing; their reports are fused by the same
method.  Truths are drawn from the posterior of ``adaptive`` where values are in order, as for
a single tally (:mod:`sottovoce.estimators.errors.parametric_bootstrap`); else the estimate has to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.estimators.errors.replicates import Counts, Replicates
from sottovoce.estimators.observed import Fit, Observations
from sottovoce.estimators.smooth.adaptive import posterior
from sottovoce.fusion.condensed import condensed
from sottovoce.fusion.joining.aligned import Aligned

if TYPE_CHECKING:
    from sottovoce.fusion.services import Services

__all__ = ["FusedBootstrap"]

_REPEATS = 20


@dataclass(frozen=True, eq=False)
class FusedBootstrap(Replicates):
    """Errors of a fused distribution: plausible truths fused again."""

    services: Services
    run: Callable[[Observations], Fit]
    fit: Fit

    one_thread = True

    def again(self, counts: Counts, source: Seeded) -> Floats:
        services = type(self.services)(_answered_again(self.services, counts, source))
        return self.run(services.observations).shares

    def truths(self, source: Seeded) -> list[Floats]:
        if not self.services.domain.ordered:
            return [self.fit.shares] * _REPEATS
        return posterior(condensed(self.services.observations)).draws(_REPEATS, source.generator())

    @property
    def shares(self) -> Floats:
        return self.fit.shares

    @property
    def n(self) -> int:
        return self.services.n


def _answered_again(services: Services, counts: Indices, source: Seeded) -> Aligned:
    """A population with these counts gives every service as many reports as it had, of as many users."""
    values = np.repeat(np.arange(len(counts)), counts)
    source.generator().shuffle(values)
    reports: list[Reports] = []
    rows: list[Indices | None] = []
    each = services.aligned.counts
    for mechanism, known in zip(services.mechanisms, services.aligned.rows, strict=True):
        if known is None:
            reports.append(mechanism.randomize_indices(values, source))
            rows.append(None)
            continue
        old = known if each is None else np.repeat(known, each)
        have, new = np.flatnonzero(old >= 0), np.full(len(old), -1)
        new[have] = np.arange(len(have))
        reports.append(mechanism.randomize_indices(values[have], source))
        rows.append(new)
    return Aligned(
        services.names, services.mechanisms, tuple(reports), tuple(rows), services.n,
        services.aligned.certified,
    )  # fmt: skip
