"""Answers that need more than one estimate: the difference of two windows, groups or variants."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.numbers import WholeCumulative
from sottovoce.answers.show import renderer
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats

__all__ = ["Difference", "difference"]


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of two independent estimates, second minus first.

    Variances add, covariances included. Make one with :func:`difference`.

    Parameters
    ----------
    first, second : Estimate
        The estimates, over one domain.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 2.0)
    >>> before = sv.estimate(m.simulate([6000, 4000], source=sv.Seeded(1)), "unbiased")
    >>> after = sv.estimate(m.simulate([7000, 3000], source=sv.Seeded(2)), "unbiased")
    >>> change = sv.difference(before, after)
    >>> bool(abs(change.share("yes").value - 0.1) < 0.05), bool(change.adjusted[0] < 0.01)
    (True, True)
    """

    first: Estimate
    second: Estimate

    @property
    def shares(self) -> Floats:
        """The differences of shares."""
        return self.second.require_shares("shares") - self.first.require_shares("shares")

    @cached_property
    def stderr(self) -> Floats:
        """Their standard errors."""
        return np.hypot(self.first.stderr, self.second.stderr)

    @cached_property
    def p_value(self) -> Floats:
        """How often pure noise would differ at least as much, value by value."""
        pairs = zip(self.shares, self.stderr, strict=True)
        return np.array([_p_value(value, stderr) for value, stderr in pairs])

    @cached_property
    def adjusted(self) -> Floats:
        """Holm's p-values: an error among *all* values is as rare as each says."""
        order = np.argsort(self.p_value, kind="stable")
        remaining = np.arange(len(order), 0, -1)
        steps = np.minimum(1.0, np.maximum.accumulate(self.p_value[order] * remaining))
        adjusted = np.empty_like(steps)
        adjusted[order] = steps
        return adjusted

    def share(self, value: Any, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of one value."""
        a, b = (e.share(value, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def total(self, values: Iterable[Any], *, confidence: float = 0.95) -> Answer:
        """The difference in the share of several values together."""
        chosen = values if self.first.domain.is_one(values) else list(values)
        a, b = (e.total(chosen, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def top(self, count: int = 10, *, confidence: float = 0.95) -> list[Answer]:
        """The differences of the values of largest share on either side, in the order of the domain.

        The intervals and p-values are those of values named in advance.
        """
        wanted = check_int(count, "count", "top", 1)
        sides = [side.require_shares("top") for side in (self.first, self.second)]
        orders = [np.argsort(-shares, kind="stable")[:wanted] for shares in sides]
        indices = np.union1d(*orders)
        all_values = self.frame(confidence=confidence)
        names = ("difference", "stderr", "low", "high", "value", "p_value")
        rows = ([all_values[name][i] for name in names] for i in indices.tolist())
        return [
            Answer(value, stderr, low, high, label, confidence, p_value)
            for value, stderr, low, high, label, p_value in rows
        ]

    def range(self, low: float, high: float, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of numbers from ``low`` to ``high``."""
        a, b = (e.range(low, high, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def cdf(self, x: float, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of numbers up to ``x``."""
        a, b = (e.cdf(x, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def mean(self, key: Any = None, *, confidence: float = 0.95) -> Answer:
        """The difference of the means; over pairs, of the means of a ``key``'s numbers."""
        a, b = (e.mean(key, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def frequency(self, key: Any, *, confidence: float = 0.95) -> Answer:
        """The difference in the share of people who hold a key."""
        a, b = (e.frequency(key, confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def distribution(self, key: Any) -> Difference:
        """The difference between the numbers of one key."""
        return Difference(self.first.distribution(key), self.second.distribution(key))

    def variance(self, *, confidence: float = 0.95) -> Answer:
        """The difference of the variances."""
        a, b = (e.variance(confidence=confidence) for e in (self.first, self.second))
        return _combine(a, b, confidence)

    def quantile(self, q: float, *, confidence: float = 0.95) -> Answer:
        """The difference of the quantiles."""
        a, b = (e.quantile(q, confidence=confidence) for e in (self.first, self.second))
        found = _combine(a, b, confidence)
        first, second = self.first.cumulative, self.second.cumulative
        if not isinstance(first, WholeCumulative):
            return found
        # Whole numbers jump: how sure their difference is, the lines tell.
        stderr = math.hypot(a.stderr, b.stderr)
        return replace(
            found, stderr=stderr, p_value=_p_value(second.place(q) - first.place(q), stderr)
        )

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every value with both shares, the difference, its interval and its p-values."""
        shares, reach = self.shares, two_sided(confidence) * self.stderr
        return Frame(
            {
                "value": self.first.domain.labels(),
                "first": self.first.shares,
                "second": self.second.shares,
                "difference": shares,
                "stderr": self.stderr,
                "low": shares - reach,
                "high": shares + reach,
                "p_value": self.p_value,
                "adjusted": self.adjusted,
            }
        )

    def plot(
        self,
        *,
        truth: Any = None,
        most: int = 20,
        confidence: float = 0.95,
        title: str = "",
        name: str = "value",
    ) -> Any:
        """A matplotlib figure of the differences; ``truth`` are the true ones, where known.

        Values are dark where Holm's p-value (``adjusted``) is below ``1 - confidence``.
        """
        size = self.first.domain.size
        known = None if truth is None else np.asarray(truth, dtype=np.float64)
        if known is not None and known.shape != (size,):
            raise InvalidInput("truth", "plot", f"{size} differences", f"shape {known.shape}")
        shown = check_int(most, "most", "plot", 1)
        heading = title or f"{self.first.n:,} reports, then {self.second.n:,}"
        return renderer("difference")(
            self.first.domain, self.shares, self.stderr, self.adjusted, truth=known, most=shown,
            confidence=confidence, title=heading, name=name,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<difference of {self.second!r} and {self.first!r}>"


def difference(first: Estimate, second: Estimate) -> Difference:
    """Compare two estimates: two windows, groups, or variants.

    Parameters
    ----------
    first, second : Estimate
        Estimates over one domain, from different reports, both about the respondents or both about
        the population. Their mechanisms may differ.

    Returns
    -------
    Difference
        Second minus first, with standard errors, p-values, and p-values adjusted for all values.

    Raises
    ------
    Mismatch
        Where the domains differ, or one estimate is about the respondents and the other is not.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 2.0)
    >>> before = sv.estimate(m.simulate([6000, 4000], source=sv.Seeded(1)), "unbiased")
    >>> after = sv.estimate(m.simulate([7000, 3000], source=sv.Seeded(2)), "unbiased")
    >>> bool(sv.difference(before, after).share("yes").low > 0)
    True
    """
    if first.domain != second.domain:
        raise Mismatch(f"estimates over different domains: {first.domain} and {second.domain}")
    if first.about != second.about:
        raise Mismatch(
            f"one estimate is about the {first.about}, the other of the {second.about}; "
            "use for_population() on both or on neither"
        )
    return Difference(first, second)


def _combine(first: Answer, second: Answer, confidence: float) -> Answer:
    """``second - first``: errors add in squares, to each side those that lead there.

    Where both intervals are symmetric so is theirs, ``value +- z stderr``.
    """
    value = second.value - first.value
    below = np.hypot(second.value - second.low, first.high - first.value)
    above = np.hypot(second.high - second.value, first.value - first.low)
    stderr = float(below + above) / (2 * two_sided(confidence))
    return Answer(
        value, stderr, value - float(below), value + float(above), first.label, confidence,
        _p_value(value, stderr),
    )  # fmt: skip


def _p_value(value: float, stderr: float) -> float:
    if stderr == 0.0:
        return 1.0 if value == 0.0 else 0.0
    return math.erfc(abs(value) / stderr / math.sqrt(2))  # exact far in the tail
