"""Answers that need more than one estimate: the difference of two windows, groups or variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.about import check_about
from sottovoce.answers.answer import Answer, answer, two_sided
from sottovoce.answers.anytime import Looks, always_valid_p, multiplier
from sottovoce.answers.comparing import (
    combine,
    equal_share_stderr,
    holm,
    normal_p,
    ratio_of,
    share_stderr,
)
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.floors import LeastErrors, least_stderr
from sottovoce.answers.notebook import difference_html
from sottovoce.answers.numbers import WholeCumulative
from sottovoce.answers.show import renderer
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Mismatch, NotIdentified, Unfit
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats

__all__ = ["Difference", "difference"]

_LEVEL = 0.05
"""The level at which the intervals behind anytime p-values of shares are narrowest."""

Ask = Callable[[Estimate], Answer]


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of two independent estimates, second minus first. Make one with :func:`difference`.

    Whatever methods made the two estimates, the difference is that of the *unbiased* estimates of
    the same reports, :attr:`sides`: shares that a method shrinks or fits have no exact test.
    Where there is no unbiased answer (shares of a square wave, fused services), the methods' own
    answers are compared; :attr:`why` says so.

    Parameters
    ----------
    first, second : Estimate
        The estimates, over one domain.
    about : str
        ``"population"`` or ``"respondents"``.
    looks : Looks, optional
        That intervals and p-values hold at every look (:meth:`anytime`).

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 2.0)
    >>> before = sv.estimate(m.simulate([6000, 4000], source=sv.Seeded(1)))
    >>> after = sv.estimate(m.simulate([7000, 3000], source=sv.Seeded(2)))
    >>> change = sv.difference(before, after)
    >>> bool(abs(change.share("yes").value - 0.1) < 0.05), bool(change.adjusted[0] < 0.01)
    (True, True)
    """

    first: Estimate
    second: Estimate
    about: str = "population"
    looks: Looks | None = None

    @cached_property
    def sides(self) -> tuple[Estimate, Estimate]:
        """What is compared: the unbiased estimate of each side, or its own where there is none."""
        one, other = (replace(side.unbiased or side, about=self.about) for side in self._own)
        return one, other

    @cached_property
    def _own(self) -> tuple[Estimate, Estimate]:
        """The estimates as they were given, about whom the difference is."""
        return replace(self.first, about=self.about), replace(self.second, about=self.about)

    @property
    def why(self) -> str:
        """What is compared, in words."""
        pairs = zip(self._own, self.sides, strict=True)
        no_shares = any(side.shares is None and own.shares is not None for own, side in pairs)
        if any(own.unbiased is None for own in self._own):
            return "compares the methods' own answers and errors: there are no unbiased ones"
        if no_shares:
            return (
                "compares unbiased estimates where reports have them, such as the mean; "
                "shares are compared by the methods' own answers and errors"
            )
        return "compares unbiased estimates"

    def anytime(self, planned: int | None = None, *, minimum_batch: int = 100) -> Difference:
        """The same, with intervals and p-values that may be looked at as often as one likes.

        ``planned`` is the number of people on each side at the end; see :meth:`Estimate.anytime`.
        """
        for side in self._own:
            side.anytime()  # refused without an unbiased estimate
        return replace(self, looks=Looks.planned(planned, minimum_batch))

    def answered(self) -> Difference:
        """Of those who answered, where people may decline."""
        self._one_look("answered")
        return replace(self, first=self.first.answered(), second=self.second.answered())

    # -- shares ------------------------------------------------------------------

    @cached_property
    def _with_shares(self) -> tuple[Estimate, Estimate]:
        """The sides where shares are asked: the methods' own where reports have no unbiased ones."""
        told = all(side.shares is not None for side in self.sides)
        return self.sides if told or self.looks is not None else self._own

    @cached_property
    def shares(self) -> Floats:
        """The differences of shares."""
        first, second = (side.require_shares("shares") for side in self._with_shares)
        return second - first

    @cached_property
    def stderr(self) -> Floats:
        """Their standard errors."""
        first, second = self._with_shares
        of_oracles = share_stderr(first, second, self.about)
        if of_oracles is not None:
            return of_oracles
        least = [LeastErrors(side.error_model).stderr(self.about) for side in (first, second)]
        return np.maximum(np.hypot(first.stderr, second.stderr), np.hypot(*least))

    @cached_property
    def p_value(self) -> Floats:
        """How often noise alone would differ at least as much, value by value."""
        if self.looks is not None:
            return always_valid_p(ratio_of(self.shares, self.stderr), self._share_tau, _LEVEL)
        stderr = equal_share_stderr(*self._with_shares, self.about)
        return normal_p(self.shares, self.stderr if stderr is None else stderr)

    @cached_property
    def adjusted(self) -> Floats:
        """Holm's p-values: an error among *all* values is as rare as each says."""
        return holm(self.p_value)

    def share(self, value: Any, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of one value."""
        for side in self._with_shares:
            side.require_shares("share")
        return self._at([self.first.domain.index(value)], confidence)[0]

    def top(self, count: int = 10, *, confidence: float = 0.95) -> list[Answer]:
        """The differences of the values of largest share on either side, in the order of the domain.

        Their ``adjusted`` p-values count all values of the domain, among which they were chosen.
        """
        wanted = check_int(count, "count", "top", 1)
        ranked = self._own if all(s.shares is not None for s in self._own) else self._with_shares
        sides = [side.require_shares("top") for side in ranked]
        orders = [np.argsort(-shares, kind="stable")[:wanted] for shares in sides]
        return self._at(np.union1d(*orders).tolist(), confidence)

    def _at(self, indices: Sequence[int], confidence: float) -> list[Answer]:
        """Rows of :meth:`frame`, their p-values adjusted for all values."""
        reach = self._reach(self._share_tau, confidence) * self.stderr
        return [
            Answer(
                value := float(self.shares[i]), float(self.stderr[i]), value - float(reach[i]),
                value + float(reach[i]), self.first.domain.label(i), confidence,
                float(self.p_value[i]), float(self.adjusted[i]),
            )
            for i in indices
        ]  # fmt: skip

    # -- sums of shares ------------------------------------------------------------

    def total(self, values: Iterable[Any], *, confidence: float = 0.95) -> Answer:
        """The difference in the share of several values together."""
        chosen = values if self.first.domain.is_one(values) else list(values)
        return self._linear(lambda e: e.total(chosen), confidence)

    def range(self, low: float, high: float, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of numbers from ``low`` to ``high``."""
        return self._linear(lambda e: e.range(low, high), confidence)

    def cdf(self, x: float, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of numbers up to ``x``."""
        return self._linear(lambda e: e.cdf(x), confidence)

    def mean(
        self, key: Any = None, *, top: float | None = None, confidence: float = 0.95
    ) -> Answer:
        """The difference of the means; over pairs, of the means of a ``key``'s numbers.

        ``top`` stands for every answer in an open bin, on both sides.
        """
        if self.first.domain.dates is not None:
            return self._plain.mean(confidence=confidence)
        if self.first.domain.keyed is None and key is None:
            return self._linear(lambda e: e.mean(top=top), confidence)
        return self._nonlinear("means", lambda e: e.mean(key, confidence=confidence), confidence)

    def frequency(self, key: Any, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of people who hold a key."""
        return self._linear(lambda e: e.frequency(key), confidence)

    def _linear(self, ask: Ask, confidence: float) -> Answer:
        """A difference of sums of shares, with a symmetric interval."""
        (one, first), (two, second) = self._asked(ask)
        value = second.value - first.value
        least = math.hypot(*(least_stderr(side, ask) for side in (one, two)))
        stderr = max(math.hypot(first.stderr, second.stderr), least)
        tau = self._tau(first.stderr, second.stderr)
        p = normal_p(value, stderr)
        if self.looks is not None:
            p = always_valid_p(ratio_of(value, stderr), tau, 1 - confidence)
        reach = float(self._reach(tau, confidence))
        return answer(
            value, stderr, first.label, confidence, reach=reach, p_value=float(p), unit=first.unit
        )

    def both(self, ask: Ask) -> tuple[Answer, Answer]:
        """The answers of the first and the second side that a difference compares."""
        (_, first), (_, second) = self._asked(ask)
        return first, second

    def _asked(self, ask: Ask) -> list[tuple[Estimate, Answer]]:
        """Both sides with their answers: the unbiased ones, or where there are none the methods' own."""
        try:
            return [(side, ask(side)) for side in self.sides]
        except NotIdentified:
            if self.looks is not None:
                raise
            return [(side, ask(side)) for side in self._own]

    # -- looked at again and again -------------------------------------------------

    def _tau(self, first: Floats | float, second: Floats | float) -> Floats:
        """How much more is known than at the planned numbers: ``(stderr* / stderr)^2``.

        With n* people on each side, ``s_i^2 n_i / n*`` would be the variance of side i.
        """
        if self.looks is None:
            return np.ones_like(first)
        now, then = np.square(first) + np.square(second), self.looks.narrowest
        planned = (np.square(first) * self.first.n + np.square(second) * self.second.n) / then
        return np.divide(planned, now, out=np.ones_like(now), where=now > 0)

    @property
    def _share_tau(self) -> Floats:
        return self._tau(*(side.stderr for side in self._with_shares))

    def _reach(self, tau: Floats, confidence: float) -> Floats:
        """Standard errors to either side that an interval reaches."""
        one_look = two_sided(confidence)
        return one_look * tau if self.looks is None else multiplier(tau, 1 - confidence)

    # -- other answers -------------------------------------------------------------

    def distribution(self, key: Any) -> Difference:
        """The difference between the numbers of one key."""
        self._one_look("distribution")
        first, second = (side.distribution(key) for side in self._own)
        return replace(self, first=first, second=second)

    def variance(self, *, confidence: float = 0.95) -> Answer:
        """The difference of the variances."""
        return self._nonlinear("variance", lambda e: e.variance(confidence=confidence), confidence)

    def std(self, *, confidence: float = 0.95) -> Answer:
        """The difference of the standard deviations."""
        ask: Ask = lambda e: e.std(confidence=confidence)  # noqa: E731
        return self._nonlinear("standard deviation", ask, confidence)

    def median(self, *, confidence: float = 0.95) -> Answer:
        """The difference of the medians."""
        return replace(self.quantile(0.5, confidence=confidence), label="median")

    def quantile(self, q: float, *, confidence: float = 0.95) -> Answer:
        """The difference of the quantiles; of dates it is a number of days."""
        if self.first.domain.dates is not None:
            return self._plain.quantile(q, confidence=confidence)
        ask: Ask = lambda e: e.quantile(q, confidence=confidence)  # noqa: E731
        compared = self._nonlinear("quantile", ask, confidence)
        (one, first), (two, second) = self._asked(ask)
        if not isinstance(one.cumulative, WholeCumulative):
            return compared
        # Whole numbers jump: how sure their difference is, the lines tell.
        stderr = math.hypot(first.stderr, second.stderr)
        place = two.cumulative.place(q) - one.cumulative.place(q)
        return replace(compared, stderr=stderr, p_value=float(normal_p(place, stderr)))

    @property
    def _plain(self) -> Difference:
        """Of dates, the difference in days."""
        return replace(self, first=self.first.plain, second=self.second.plain)

    def _nonlinear(self, question: str, ask: Ask, confidence: float) -> Answer:
        """A difference of answers that are not sums of shares."""
        self._one_look(question)
        (_, first), (_, second) = self._asked(ask)
        if math.isinf(first.value) or math.isinf(second.value):
            raise NotIdentified(
                f"the difference of {question} is not identified: it lies above {first.beyond:g}, in the "
                "open bin, on one side at least"
            )
        return combine(first, second, confidence)

    def _one_look(self, question: str) -> None:
        if self.looks is not None:
            raise Unfit(
                f"the difference of {question} has no anytime interval: not a sum of shares"
            )

    # -- shown ---------------------------------------------------------------------

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every value with both shares, the difference, its interval and its p-values.

        The shares are those that are compared (:attr:`sides`), so that they differ by just that.
        """
        first, second = self._with_shares
        reach = self._reach(self._share_tau, confidence) * self.stderr
        return Frame(
            {
                "value": self.first.domain.labels(),
                "first": first.shares,
                "second": second.shares,
                "difference": self.shares,
                "stderr": self.stderr,
                "low": self.shares - reach,
                "high": self.shares + reach,
                "p_value": self.p_value,
                "adjusted": self.adjusted,
            },
            {"value": self.first.domain.unit},
        )

    def plot(
        self,
        *,
        truth: Any = None,
        most: int = 20,
        confidence: float = 0.95,
        title: str = "",
        name: str = "value",
        ax: Any = None,
    ) -> Any:
        """A matplotlib figure of the differences; ``truth`` are the true ones, where known.

        ``ax`` are axes of your own to draw into. Values are dark where Holm's p-value (``adjusted``) is below ``1 - confidence``.
        """
        size = self.first.domain.size
        known = None if truth is None else np.asarray(truth, dtype=np.float64)
        if known is not None and known.shape != (size,):
            raise InvalidInput("truth", "plot", f"{size} differences", f"shape {known.shape}")
        shown = check_int(most, "most", "plot", 1)
        heading = title or f"{self.first.n:,} reports, then {self.second.n:,}"
        return renderer("difference")(
            self.first.domain, self.frame(confidence=confidence), truth=known, most=shown,
            confidence=confidence, title=heading, name=name, about=self.about, ax=ax,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        """The difference, for a notebook."""
        return difference_html(self)

    def __repr__(self) -> str:
        return f"<difference of {self.second!r} and {self.first!r}>"


def difference(
    first: Estimate, second: Estimate, *, about: str = "population", same_people: bool = False
) -> Difference:
    """Compare two estimates: two windows, groups, or variants.

    Parameters
    ----------
    first, second : Estimate
        Estimates over one domain, from different reports. Their mechanisms and methods may differ:
        the unbiased estimates of the same reports are compared.
    about : str
        ``"population"``: whether the populations differ that the two groups of respondents were
        drawn from. ``"respondents"``: whether these two groups differ, all of whom answered.
    same_people : bool
        Whether the same people answered twice. The difference is then about these respondents, and
        the sampling of people does not count: intervals are narrower.

    Returns
    -------
    Difference
        Second minus first, with standard errors, p-values, and p-values adjusted for all values.

    Raises
    ------
    Mismatch
        Where the domains differ.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 2.0)
    >>> before = sv.estimate(m.simulate([6000, 4000], source=sv.Seeded(1)))
    >>> after = sv.estimate(m.simulate([7000, 3000], source=sv.Seeded(2)))
    >>> bool(sv.difference(before, after).share("yes").low > 0)
    True
    >>> sv.difference(before, after, same_people=True).about
    'respondents'
    """
    check_about(about, "difference")
    if first.domain != second.domain:
        raise Mismatch(f"estimates over different domains: {first.domain} and {second.domain}")
    return Difference(first, second, "respondents" if same_people else about)
