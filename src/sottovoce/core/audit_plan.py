"""How an audit attacks a mechanism: which values it samples, and what it reads off the reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sottovoce.core.reports import Reports

__all__ = ["AuditPlan"]


@dataclass(frozen=True, eq=False)
class AuditPlan:
    """The values to sample, and the events by which their reports are told apart.

    ``sample(value, count)`` gives that many independent reports.  Either ``supports(reports, value)`` says
    which of them support a value, or ``read(reports)`` gives integers below ``outcomes``, which
    may be ``ordered``.  ``further`` plans look at other events, at a shared level.
    ``forbidden(reports, value)`` says which reports a value must never send.
    """

    values: Sequence[Any]
    sample: Callable[[Any, int], Reports]
    supports: Callable[[Reports, Any], NDArray[np.bool_]] | None = None
    outcomes: int | None = None
    read: Callable[[Reports], NDArray[Any]] = np.asarray
    ordered: bool = False
    further: Sequence[AuditPlan] = ()
    forbidden: Callable[[Reports, Any], NDArray[np.bool_]] | None = None
