"""The unbiased estimate that stands beside every other: for tests, and for looking again and again.

Methods that shrink, cut or fit err less, but have no exact test, and their errors at one look are not
independent of those at the next.  Unbiased answers have both, so tests, differences and anytime
intervals take them, whatever method is shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sottovoce.answers.anytime import Looks
from sottovoce.answers.errors import CellErrors
from sottovoce.answers.floors import floored
from sottovoce.base.errors import Unfit

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["for_every_look", "unbiased_of"]


def unbiased_of(estimate: Estimate) -> Estimate | None:
    """The unbiased estimate of the same reports, about the same people; None where there is none.

    Where it has answers straight from cells only, the shares of ``estimate`` give the spread of
    numbers among the respondents, which such cells may not have.
    """
    if estimate.unbiased_source is None:
        return estimate
    companion = estimate.unbiased_source()
    if companion is None:
        return None
    errors = companion.error_model
    if isinstance(errors, CellErrors) and companion.domain == estimate.domain:
        errors = replace(errors, shares=estimate.shares)
    return replace(companion, about=estimate.about, error_model=errors)


def for_every_look(estimate: Estimate, looks: Looks) -> Estimate:
    """The unbiased estimate with anytime intervals, its errors never below the least there can be."""
    unbiased = estimate.unbiased
    if unbiased is None:
        raise Unfit(f"anytime needs an unbiased estimate; there is none with {estimate.method}")
    return replace(unbiased, error_model=floored(unbiased.error_model), looks=looks)
