"""Mechanisms whose reports are about wider bins than those of their domain."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from sottovoce.channels.binning import Binning
from sottovoce.core.mechanism import Mechanism

__all__ = ["CoarseMechanism", "reporting_mechanism"]


class CoarseMechanism(Mechanism):
    """A mechanism over an Interval whose reports are those of another over wider bins.

    Estimates are made for the wide bins, and spread evenly over the narrow ones.
    """

    @property
    @abstractmethod
    def reporting(self) -> Mechanism:
        """The mechanism that makes the reports."""

    @cached_property
    def binning(self) -> Binning:
        """How the bins lie in each other."""
        return Binning(self.domain.size, self.reporting.domain.size)


def reporting_mechanism(mechanism: Mechanism) -> Mechanism:
    """The mechanism whose tallies are estimated from: itself, unless its reports are coarser."""
    return mechanism.reporting if isinstance(mechanism, CoarseMechanism) else mechanism
