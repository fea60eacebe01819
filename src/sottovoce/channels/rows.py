"""Evidence whose rows are people: whole reports, where a tally of them would tell less.

A tally counts every report by cells and forgets which counts came from one
report.  Where that loses something (sets of values), a mechanism offers the
reports themselves as :class:`Rows`, with the likelihood of each report as a whole.
"""

from __future__ import annotations

from typing import Protocol

from sottovoce.channels.base import Floats

__all__ = ["Rows"]


class Rows(Protocol):
    """A log-likelihood ``sum c_i log (L w)_i``: rows i, each seen ``c_i`` times, linear in w."""

    @property
    def inputs(self) -> int:
        """The size of a distribution."""

    @property
    def total(self) -> float:
        """``sum c``: how many reports there are."""

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """``(L'(c / L w) / sum c, sum c log L w)``, as ``em_step`` of a channel."""

    def curvature(self, shares: Floats) -> Floats:
        """``L' diag(c / (L w)^2) L``: how the log-likelihood bends, exactly or nearly."""
