"""How many people and surveys a run has."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUICK", "Sizes", "sizes_of"]

QUICK = 5
"""With fewer repeats a run is a try, of few people."""


@dataclass(frozen=True)
class Sizes:
    """People of one survey, and surveys of one repeat."""

    people: int = 10_000
    """Of a mean: mean squared errors fall as 1/n, so that their quotients do not depend on it."""
    trials: int = 20
    many: tuple[int, ...] = (100_000, 500_000, 1_000_000)
    """Of figure 7 c and d."""
    middle: int = 100_000
    """Of distributions where users give more than three reports."""
    divided: int = 1
    """What all other people of distributions are divided by."""
    group: int = 9_000
    """Of each group of users."""
    lengths: tuple[int, ...] = (10, 20, 30, 40, 50, 60)
    """Of sequences."""
    most: int = 10_000
    """Passes of EM."""

    def of(self, people: int) -> int:
        """So many of the people that the paper has."""
        return people // self.divided

    @property
    def is_try(self) -> bool:
        """Whether there are fewer people than in the paper."""
        return self.divided > 1


_A_TRY = Sizes(
    1_000, 2, (1_000, 5_000, 10_000), 2_000, divided=100, group=500, lengths=(2, 4), most=20
)


def sizes_of(repeats: int) -> Sizes:
    """Those of the paper, or nearly; or of a try."""
    return Sizes() if repeats >= QUICK else _A_TRY
