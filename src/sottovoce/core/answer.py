"""One number with its error bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sottovoce.core.checks import check_real
from sottovoce.core.errors import InvalidInput

__all__ = ["Answer", "answer", "two_sided"]


@dataclass(frozen=True)
class Answer:
    """A value, its standard error, and the interval ``[low, high]`` at ``confidence``.

    The interval is not cut at 0 or 1: where an unbiased estimate lies outside,
    cutting would hide how uncertain it is.
    """

    value: float
    stderr: float
    low: float
    high: float
    label: Any = ""
    confidence: float = 0.95
    p_value: float | None = None
    """For differences: how often pure noise would be at least as large."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        head = f"{self.label}: " if self.label != "" else ""
        tail = "" if self.p_value is None else f", p = {self.p_value:.3g}"
        return (
            f"{head}{self.value:.4f} +- {self.stderr:.4f} "
            f"({self.confidence:.0%} from {self.low:.4f} to {self.high:.4f}{tail})"
        )


def two_sided(confidence: float) -> float:
    """How many standard errors an interval reaches to either side."""
    from statistics import NormalDist  # brings much that a device never needs

    level = check_real(confidence, "confidence", "answer", "a number between 0 and 1")
    if not 0 < level < 1:
        raise InvalidInput("confidence", "answer", "a number between 0 and 1", confidence)
    return NormalDist().inv_cdf((1 + level) / 2)


def answer(value: float, stderr: float, label: Any, confidence: float, **more: Any) -> Answer:
    """An :class:`Answer` with the normal interval around ``value``."""
    value, stderr = float(value), float(stderr)
    reach = two_sided(confidence) * stderr
    return Answer(value, stderr, value - reach, value + reach, label, confidence, **more)
