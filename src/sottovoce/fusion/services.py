"""Reports that the same people gave to several services, brought to one answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sottovoce.answers.estimate import Estimate
from sottovoce.base.caches import state_without_caches
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.interval import Interval
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.fusion.distribution import INNER, fused_distribution
from sottovoce.fusion.factors import Factor, Varying, factor_of, varying
from sottovoce.fusion.joining.aligned import Aligned
from sottovoce.fusion.joint import FusedObservations, JointRows
from sottovoce.fusion.mean import METHODS, FusedMean, fused_mean

__all__ = ["Fusion", "Joined", "Services"]


class Joined:
    """Services whose reports were joined: what they are, not what was reported."""

    def __init__(
        self,
        names: Sequence[str],
        mechanisms: Sequence[Mechanism],
        n: int,
        all_certified: Sequence[bool],
    ) -> None:
        self.names, self.mechanisms, self.n = tuple(names), tuple(mechanisms), n
        self.all_certified = tuple(all_certified)
        self.domain = self.mechanisms[0].domain

    def __getstate__(self) -> dict[str, Any]:
        return state_without_caches(self)

    @property
    def interval(self) -> Interval:
        """The numbers that were asked for."""
        numbers = self.domain.numbers
        if numbers is None:
            raise Unfit(
                f"a mean needs numbers (an Interval); these services are over {self.domain}"
            )
        return numbers

    @property
    def spent(self) -> float:
        """What a user with a report to every service spent in all; fusing them spends nothing."""
        return float(sum(mechanism.epsilon for mechanism in self.mechanisms))

    @property
    def certified(self) -> bool:
        """Whether the privacy of all reports is known exactly."""
        return all(self.all_certified)

    @property
    def privacy(self) -> str:
        """What is known of the privacy of these reports, in words."""
        if self.certified:
            return f"fusing spends nothing beyond the {self.spent:g} already spent"
        foreign = [
            name for name, ours in zip(self.names, self.all_certified, strict=True) if not ours
        ]
        return f"privacy not certified: {', '.join(foreign)} collected elsewhere, as floats"


class Services(Joined):
    """Aligned reports of n users, as likelihoods and as unbiased numbers.

    Where they are a part of all users, ``cells`` says how many of all fell in each cell, a service at
    a time: some mechanisms turn cells into numbers by that.
    """

    def __init__(self, aligned: Aligned, cells: Sequence[Floats] | None = None) -> None:
        super().__init__(aligned.names, aligned.mechanisms, aligned.n, aligned.certified)
        self.aligned = aligned
        self.cells = [None] * len(self.names) if cells is None else list(cells)

    @cached_property
    def factors(self) -> list[Factor]:
        """How likely every user's report is from every value, a service at a time."""
        parts = zip(
            self.names, self.mechanisms, self.aligned.reports, self.aligned.rows, strict=True
        )
        return [factor_of(*part) for part in parts]

    @cached_property
    def numbers(self) -> list[Varying]:
        """Unbiased numbers, a service at a time."""
        parts = zip(self.names, self.mechanisms, self.factors, self.cells, strict=True)
        counts = self.aligned.counts
        return [varying(name, one, factor, counts, cells) for name, one, factor, cells in parts]

    @cached_property
    def observations(self) -> FusedObservations:
        """All reports of every user, as evidence about one distribution."""
        ring = all(mechanism.channel().ring for mechanism in self.mechanisms)
        largest = max(mechanism.epsilon for mechanism in self.mechanisms)
        joint = JointRows(self.factors, counts=self.aligned.counts)
        return FusedObservations(joint, self.domain, largest, ring)


class Fusion(Services):
    """What several services together tell; see :func:`sottovoce.fuse_mean` for examples."""

    def mean(self, method: str = "population") -> FusedMean:
        """The mean of the users' numbers."""
        check_choice(method, "method", "fuse_mean", METHODS)
        return fused_mean(self, method)

    def distribution(self, method: str = "ule", *, inner: str = "auto", **options: Any) -> Estimate:
        """The distribution of the users' values, by the likelihood of all their reports together.

        ``inner`` is the method that climbs it, ``"auto"`` is ``adaptive`` where values are in order and
        ``em`` where not; ``options`` are that method's.
        """
        check_choice(method, "method", "fuse_distribution", ("ule",))
        check_choice(inner, "inner", "fuse_distribution", ("auto", *INNER))
        if inner == "auto":
            inner = "adaptive" if self.domain.ordered else "em"
        if inner in ("ems", "adaptive") and not self.domain.ordered:
            raise InvalidInput(
                "inner", "fuse_distribution", "em, mle or mr without an order", inner
            )
        found = fused_distribution(self, inner, options)
        warn_unless_converged(found)
        return found
