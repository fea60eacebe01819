"""One number with its error bar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import inf, isfinite, isinf
from typing import Any

from sottovoce.answers.notebook import answer_html
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.text import label_text

__all__ = ["Answer", "answer", "two_sided"]


@dataclass(frozen=True)
class Answer:
    """One number with its error: an estimate, its standard error and its interval.

    The interval holds possible values only: shares from 0 to 1, means between the bounds of the
    numbers. It need not be symmetric. Over dates the mean and quantiles are ``datetime.date``, with a
    standard error in days. An unbiased estimate may lie outside of what is possible,
    and then outside of its interval.

    Parameters
    ----------
    value : float
        The estimate.
    stderr : float
        Its standard error.
    low, high : float
        Bounds of the interval at ``confidence``.
    label : object
        What the answer is about, such as a value or ``"mean"``.
    confidence : float
        The probability with which the interval covers the truth.
    p_value : float, optional
        For differences: how often noise alone would be at least as large.
    adjusted : float, optional
        For differences of several: the p-value adjusted for all of them (Holm).
    unit : str
        The unit of the numbers, such as ``"EUR"``.
    beyond : float, optional
        Over an interval with an open end: the number above which an infinite value or bound lies.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> answer = sv.estimate(m.simulate([600, 400], source=sv.Seeded(1)), "unbiased").share("yes")
    >>> round(answer.value, 4), answer.low < answer.value < answer.high
    (0.6125, True)
    """

    value: float
    stderr: float
    low: float
    high: float
    label: Any = ""
    confidence: float = 0.95
    p_value: float | None = None
    """For differences: how often pure noise would be at least as large."""
    adjusted: float | None = None
    """For differences of several: Holm's p-value, adjusted for all of them."""
    unit: str = ""
    """The unit of the numbers, such as EUR; empty for shares."""
    beyond: float | None = None
    """Of an interval with an open end: an infinite quantile or bound lies above this number."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        head = f"{label_text(self.label)}: " if self.label != "" else ""
        tail = "" if self.p_value is None else f", p = {self.p_value:.3g}"
        value, stderr, low, high = self.texts()
        unit = f" {self.unit}" if self.unit else ""
        around = "" if isinf(self.stderr) and self.beyond is not None else f" +- {stderr}"
        told = f"{value}{around}{unit} ({self.confidence:.0%} from {low} to {high}{tail})"
        return f"{head}{told}"

    def _repr_html_(self) -> str:
        """The answer, for a notebook."""
        return answer_html(self)

    def texts(self) -> list[str]:
        """Value, standard error, and interval as text: four decimals, fewer where numbers are large: five digits in all; ``nan`` and ``inf`` too."""
        if isinstance(self.value, date):
            return [str(self.value), f"{self.stderr:.1f}", str(self.low), str(self.high)]
        parts = self.value, self.stderr, self.low, self.high
        digits = len(str(int(max((abs(part) for part in parts if isfinite(part)), default=0))))
        known = self.beyond if self.beyond is None else f"above {self.beyond:.10g}"
        return [
            known if known and part == inf else f"{part:.{max(0, 5 - digits)}f}" for part in parts
        ]


def two_sided(confidence: float, part: float = 1.0) -> float:
    """How many standard errors an interval reaches to either side.

    With ``part`` below 1, only that part of the misses that ``confidence`` leaves is allowed.
    """
    from statistics import NormalDist  # brings much that a device never needs

    level = check_real(confidence, "confidence", "answer", "a number between 0 and 1")
    if not 0 < level < 1:
        raise InvalidInput("confidence", "answer", "a number between 0 and 1", confidence)
    return NormalDist().inv_cdf(1 - (1 - level) * part / 2)


def answer(
    value: float,
    stderr: float,
    label: Any,
    confidence: float,
    *,
    reach: float | None = None,
    **more: Any,
) -> Answer:
    """An :class:`Answer` with an interval of ``reach`` standard errors, unless given the normal one."""
    value, stderr = float(value), float(stderr)
    away = (two_sided(confidence) if reach is None else reach) * stderr
    return Answer(value, stderr, value - away, value + away, label, confidence, **more)
