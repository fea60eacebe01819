"""Numbers on a grid finer than their bins: what a device sees, and what it is randomized from."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.domains.may_decline import MayDecline

__all__ = ["FineGrid", "check_interval", "declining_hint", "places_on_grid"]


def check_interval(domain: object, owner: str) -> None:
    """A mechanism for numbers needs an interval."""
    if not isinstance(domain, Interval):
        hint = declining_hint(domain)
        allowed = "an Interval: its values must be numbers"
        raise InvalidInput("domain", owner, allowed, domain, hint=hint)


def declining_hint(domain: object) -> str:
    """What to take where people may decline: there is no number that declining is near to."""
    if isinstance(domain, MayDecline):
        return "Where people may decline, take a frequency oracle, such as local-hashing."
    return ""


def places_on_grid(interval: Interval, steps: int, values: Any) -> Indices:
    """The positions of numbers on a grid of ``steps`` positions a bin.

    Bins have equally many positions, however wide they are: the grid is that of the bins' numbers, of
    which the values are a broken line.
    """
    bins = interval.indices(values)
    numbers = interval.as_numbers(values)
    if interval.uneven is not None:
        if steps == 1:
            return bins
        begins, ends = interval.edges_at(bins), interval.edges_at(bins + 1)
        within = (numbers - begins) / (ends - begins) * steps
        return bins * steps + np.clip(within, 0, steps - 1).astype(np.int64)
    offsets, scale = numbers - interval.edges_at(bins), steps / interval.width
    if np.isinf(scale):  # bins narrower than about steps * 5e-309: the first position, or the last
        return bins * steps + np.where(offsets > 0, steps - 1, 0)
    return bins * steps + np.clip((offsets * scale).astype(np.int64), 0, steps - 1)


@dataclass(frozen=True)
class FineGrid(Mechanism):
    """A mechanism for numbers: ``steps`` equal positions a bin, the first at its lower edge.

    Unless given, there are so many steps that the grid has at least ``default_positions``.
    Whole numbers have one: nobody is elsewhere in the bin.  So do bins of which one has no end.
    """

    default_positions: ClassVar[int]
    largest_grid: ClassVar[int]
    domain: Interval

    _: KW_ONLY
    steps: int | None = None
    """Positions a bin; with 1 a device knows its bin only.  Allowed: 1 to the largest grid (2^22
    positions, rounding 2^40) over the bins; 1 for whole numbers, single days and an open end.  Unless given: so many that there are
    65,536 positions (rounding: 1,048,576).
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_domain(self) -> None:
        check_interval(self.domain, self.name)

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        bins, most = self.domain.size, self.largest_grid
        if bins > most:
            raise InvalidInput("domain", self.name, f"of at most {most} bins", f"{bins} bins")
        if self.steps is None:
            enough = 1 if self._single else -(-self.default_positions // bins)
            object.__setattr__(self, "steps", enough)
        check_int(self.steps, "steps", self.name, 1, 1 if self._single else most // bins)

    @property
    def _single(self) -> bool:
        """Whether a bin is one position: it holds one number, or has no end to lie between."""
        return self.domain.whole or self.domain.open_end

    @property
    def each(self) -> int:
        """Positions a bin, a number by now."""
        assert self.steps is not None
        return self.steps

    @property
    def positions(self) -> int:
        return self.domain.size * self.each

    def locate(self, values: Any) -> Indices:
        return places_on_grid(self.domain, self.each, values)

    def _too_coarse(self) -> InvalidInput:
        """Where rounding leaves no difference between values."""
        return InvalidInput(
            "epsilon", self.name, f"larger for {self.bits} bits on {self.positions} positions",
            self.epsilon, hint="At this precision the answer would carry nothing.",
        )  # fmt: skip
