"""The estimates of several windows, asked like one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.floors import least_stderr
from sottovoce.answers.overlap import Overlap
from sottovoce.answers.series import Series
from sottovoce.answers.shared_noise import SharedNoise, SharedSpread
from sottovoce.base.errors import NotIdentified, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism

__all__ = ["Trend"]

Ask = Callable[[Estimate], Answer]


@dataclass(frozen=True, eq=False)
class Trend:
    """The estimates of several windows. Make one with :func:`sottovoce.trend`.

    Every question gives a :class:`~sottovoce.answers.series.Series`: one answer per window, and changes,
    means and shifts over them.

    Parameters
    ----------
    windows : tuple of str
        Their names, in order.
    estimates : tuple of Estimate
        One per window.
    mechanism : Mechanism
        The mechanism of all reports.
    overlap : Overlap
        How many people answered in two windows.
    earlier : tuple of int or None
        For each window, the one a period earlier.
    about : str
        ``"population"`` or ``"respondents"``.
    people : tuple of int
        Respondents of every window, where the estimates are of a part of them; else empty.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["bus", "car"]), 2.0)
    >>> days = [m.simulate([bus, 4000 - bus], source=sv.Seeded(bus)) for bus in (2000, 2020, 1200)]
    >>> trend = sv.trend(days, windows=["2026-11-16", "2026-11-17", "2026-11-18"])
    >>> for shift in trend.share("bus").shifts():
    ...     print(shift)
    2026-11-18: -0.1996 +- 0.0135 against the other windows, p = 9.6e-49
    """

    windows: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    mechanism: Mechanism
    overlap: Overlap
    earlier: tuple[int | None, ...]
    about: str = "population"
    people: tuple[int, ...] = ()

    def share(self, value: Any, *, confidence: float = 0.95) -> Series:
        """The share of one value."""
        return self._sums(lambda e: e.share(value, confidence=confidence))

    def total(self, values: Iterable[Any], *, confidence: float = 0.95) -> Series:
        """The share of several values together."""
        chosen = values if self.estimates[0].domain.is_one(values) else list(values)
        return self._sums(lambda e: e.total(chosen, confidence=confidence))

    def range(self, low: float, high: float, *, confidence: float = 0.95) -> Series:
        """The share of numbers from ``low`` to ``high``."""
        return self._sums(lambda e: e.range(low, high, confidence=confidence))

    def mean(self, *, top: float | None = None, confidence: float = 0.95) -> Series:
        """The mean; ``top`` stands for every answer in an open bin."""
        self._refuse_dates("mean")
        return self._sums(lambda e: e.mean(top=top, confidence=confidence))

    def quantile(self, q: float, *, confidence: float = 0.95) -> Series:
        """The number below which a share ``q`` lies, 0.5 for the median."""
        self._refuse_dates("quantile")
        shown = [e.quantile(q, confidence=confidence) for e in self._own]
        for window, one in zip(self.windows, shown, strict=True):
            if math.isinf(one.high):
                raise NotIdentified(
                    f"a trend of this quantile is not identified: in window {window} its interval "
                    f"reaches above {one.beyond:g}, into the open bin"
                )
        return self._of_answers(shown, shown, "compares the methods' own quantiles")

    def _refuse_dates(self, question: str) -> None:
        domain = self.estimates[0].domain
        if domain.dates is not None:
            raise Unfit(
                f"a trend of a {question} needs numbers; these reports are over {domain}. "
                "Shares of steps, and ranges, have trends"
            )

    def part(self, question: str, method: str = "auto") -> Trend:
        """The trend of one question of a record: its estimate in every window, by a method for it.

        Of N respondents ``r N`` are asked the question, drawn anew in every window.  m people who answered
        twice were both times asked it with chance ``r_s r_t``, so that the covariance of two answers is
        ``m r_s r_t / (r_s N_s r_t N_t)`` times the spread of their values: that of all respondents.
        """
        parts = tuple(each.part(question, method) for each in self.estimates)
        return replace(self, estimates=parts, people=tuple(each.n for each in self.estimates))

    # -- what a series is made of ------------------------------------------------------

    @cached_property
    def _own(self) -> list[Estimate]:
        return [replace(e, about=self.about) for e in self.estimates]

    @cached_property
    def _shares(self) -> Floats:
        """Of all windows together: unbiased where there are such, else as the methods have them."""
        parts = []
        for own in self._own:
            told = None if own.unbiased is None else own.unbiased.shares
            parts.append(own.require_shares("trend") if told is None else told)
        return np.average(parts, axis=0, weights=[own.n for own in self._own])

    @cached_property
    def _noise(self) -> SharedNoise | None:
        """What people who answered twice share by their memos; None where devices keep nothing."""
        memory = self.mechanism.memory()
        if memory is None:
            return None
        return SharedNoise(memory, self.mechanism.channel(), self._shares)

    def _sums(self, ask: Ask) -> Series:
        """A series of sums of shares: compared without bias, where reports allow that."""
        shown = [ask(e) for e in self._own]
        sides = [e.unbiased for e in self._own]
        unbiased = [side for side in sides if side is not None]
        if len(unbiased) < len(sides):
            return self._of_answers(shown, shown, _NO_UNBIASED)
        try:
            compared = [ask(side) for side in unbiased]
        except NotIdentified:
            return self._of_answers(shown, shown, _NO_UNBIASED)
        least = [least_stderr(side, ask) for side in unbiased]
        stderr = np.maximum([one.stderr for one in compared], least)
        shared = self._shared(unbiased[0], ask, stderr**2)
        values = np.array([one.value for one in compared])
        return self._series(shown, values, stderr**2, shared, "compares unbiased answers")

    def _shared(self, side: Estimate, ask: Ask, variances: Floats) -> tuple[float, float]:
        """What people who answered twice share by their memos and values, at least and at most.

        Reports with a mean and no shares do not say it: up to all of the error.
        """
        try:
            noise = 0.0 if self._noise is None else _shared(side, ask, self._noise)
            if self.about != "population":
                return noise, noise
            return noise, noise + _shared(side, ask, SharedSpread(self._shares))
        except NotIdentified:
            return 0.0, self._whole(variances)

    def _whole(self, variances: Floats) -> float:
        """What one person who answered twice adds to a covariance, if windows share all of their error."""
        people = self.people or tuple(e.n for e in self.estimates)
        return float(np.mean([v * n for v, n in zip(variances, people, strict=True)]))

    def _of_answers(self, shown: list[Answer], compared: list[Answer], why: str) -> Series:
        """Answers of which it is not known what they share: nothing, or all of their error."""
        reach = [two_sided(one.confidence) for one in compared]
        widths = [(one.high - one.low) / (2 * z) for one, z in zip(compared, reach, strict=True)]
        variances = np.square(widths)
        values = np.array([one.value for one in compared])
        return self._series(shown, values, variances, (0.0, self._whole(variances)), why)

    def _series(
        self, shown: list[Answer], values: Floats, variances: Floats,
        shared: tuple[float, float], why: str,
    ) -> Series:  # fmt: skip
        return Series(
            self.windows, tuple(shown), tuple(e.n for e in self.estimates), values, variances, shared,
            self.overlap, self.earlier, self.about, f"{why}; {self.overlap.why}",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<trend of {len(self.windows)} windows, {self.windows[0]} to {self.windows[-1]}>"


_NO_UNBIASED = "compares the methods' own answers: there are no unbiased ones"


def _shared(side: Estimate, ask: Ask, errors: SharedNoise | SharedSpread) -> float:
    """What one person adds to a covariance: the question asked of an estimate with such errors."""
    return ask(replace(side, shares=errors.shares, error_model=errors)).stderr ** 2
