"""How answers are read off estimates: about whom, and for how many looks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sottovoce.answers.about import check_about
from sottovoce.answers.anytime import Looks
from sottovoce.answers.difference import Difference, difference
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput

__all__ = ["View"]


@dataclass(frozen=True)
class View:
    """The options that every interface has for answers.

    ``about`` is that of answers and differences; None leaves each its default, respondents and
    population.  ``planned`` and ``minimum_batch`` say where anytime intervals are narrowest.
    """

    about: str | None = None
    same_people: bool = False
    anytime: bool = False
    planned: int | None = None
    minimum_batch: int = 100

    def check(self, owner: str) -> View:
        """This view, or an error before any work is done."""
        if self.about is not None:
            check_about(self.about, owner)
        if self.planned is not None and not self.anytime:
            allowed = "given together with anytime, whose intervals it is for"
            raise InvalidInput("planned", owner, allowed, self.planned)
        Looks.planned(self.planned, self.minimum_batch)
        return self

    def of(self, estimate: Estimate) -> Estimate:
        """An estimate to ask."""
        seen = replace(estimate, about=self.about or "respondents")
        if not self.anytime:
            return seen
        return seen.anytime(self.planned, minimum_batch=self.minimum_batch)

    def between(self, first: Estimate, second: Estimate) -> Difference:
        """A difference to ask."""
        about = self.about or "population"
        change = difference(first, second, about=about, same_people=self.same_people)
        if not self.anytime:
            return change
        return change.anytime(self.planned, minimum_batch=self.minimum_batch)
