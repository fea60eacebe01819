"""Estimates for reports about wide bins: made for these, then spread evenly over the domain's own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sottovoce.answers.errors import ExpandedErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.observed import Observed

__all__ = ["observed_of_bins", "expand_evenly"]


def observed_of_bins(given: Observed, mechanism: CoarseMechanism) -> Tally | Reports:
    """The same evidence as that of the mechanism over wide bins."""
    if given.reports is not None:
        return Reports(mechanism.reporting, given.reports.columns)
    return Tally(mechanism.reporting, given.n, given.tally.cells)


def expand_evenly(wide: Estimate, mechanism: CoarseMechanism) -> Estimate:
    """Shares of the domain's own bins; sums of them have the errors of the wide bins' shares."""
    binning = mechanism.binning
    if wide.shares is None:  # the mean alone, which is the same over wide bins
        return wide
    return replace(
        wide,
        domain=mechanism.domain,
        shares=binning.expand(wide.shares),
        why=f"{wide.why}; shares are uniform within each of the {binning.coarse} reported bins",
        error_model=ExpandedErrors(wide.error_model, binning),
        unbiased_source=wide.unbiased_source and partial(_expanded_unbiased, wide, mechanism),
    )


def _expanded_unbiased(wide: Estimate, mechanism: CoarseMechanism) -> Estimate | None:
    """The unbiased estimate for wide bins, over the domain's own."""
    return wide.unbiased and expand_evenly(wide.unbiased, mechanism)
