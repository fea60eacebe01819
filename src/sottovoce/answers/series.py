"""One answer in every window, and what can be said of several windows together.

Whatever method made the answers that are shown, changes and means over windows are those of the unbiased
answers, with the covariances of :mod:`sottovoce.answers.overlap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import Answer, answer, two_sided
from sottovoce.answers.comparing import holm, normal_p
from sottovoce.answers.level_shifts import Shift, find_shifts
from sottovoce.answers.local_level import smooth
from sottovoce.answers.notebook import series_html
from sottovoce.answers.overlap import Overlap, largest_variance
from sottovoce.answers.series_document import series_document
from sottovoce.answers.show import renderer
from sottovoce.base.errors import InvalidInput
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats

__all__ = ["Series"]


@dataclass(frozen=True, eq=False)
class Series:
    """One answer in every window. Make one with :class:`~sottovoce.answers.trend.Trend`.

    Parameters
    ----------
    windows : tuple of str
        Their names, in order.
    answers : tuple of Answer
        The answer of every window, as its own estimate gives it.
    reports : tuple of int
        The number of reports of every window.
    values : array of float
        The answers that are compared, unbiased where there are such.
    variances : array of float
        Their variances, each by itself.
    shared : tuple of float
        What one person who answered twice adds to a covariance: at least, and at most.
    overlap : Overlap
        How many people did.
    earlier : tuple of int or None
        For each window, the one a period earlier.
    about : str
        ``"population"`` or ``"respondents"``.
    why : str
        What is compared, and how, in words.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["bus", "car"]), 2.0)
    >>> days = [m.simulate([bus, 4000 - bus], source=sv.Seeded(bus)) for bus in (2000, 2020, 1200)]
    >>> bus = sv.trend(days, windows=["2026-11-16", "2026-11-17", "2026-11-18"]).share("bus")
    >>> print(bus.changes()[-1])
    2026-11-18: -0.1993 +- 0.0143 (95% from -0.2274 to -0.1711, p = 7.38e-44)
    """

    windows: tuple[str, ...]
    answers: tuple[Answer, ...]
    reports: tuple[int, ...]
    values: Floats
    variances: Floats
    shared: tuple[float, float]
    overlap: Overlap
    earlier: tuple[int | None, ...]
    about: str
    why: str

    @property
    def label(self) -> Any:
        """What the answers are about."""
        return self.answers[0].label

    # -- several windows together ----------------------------------------------------

    def combine(self, weights: Any, label: Any = "", *, confidence: float = 0.95) -> Answer:
        """The answer ``sum_t weights_t answer_t``, its error with what windows share.

        Where the overlap of people is not known, the error is the largest that it can be.
        """
        c = np.asarray(weights, dtype=np.float64)
        if c.shape != self.values.shape or not np.isfinite(c).all():
            allowed = f"{len(self.values)} finite numbers"
            raise InvalidInput("weights", "combine", allowed, f"shape {c.shape}")
        value, stderr = float(c @ self.values), self._stderr(c)
        differs = abs(c.sum()) < 1e-12 * np.abs(c).sum()
        p_value = float(normal_p(value, stderr)) if differs else None
        return answer(value, stderr, label, confidence, p_value=p_value)

    def _stderr(self, weights: Floats) -> float:
        return float(np.sqrt(largest_variance(weights, *self._covariances)))

    @cached_property
    def _covariances(self) -> tuple[Floats, Floats]:
        """Bounds of the covariance of all windows."""
        return self.overlap.covariance(self.variances, *self.shared)

    def average(
        self, first: str | None = None, last: str | None = None, *, confidence: float = 0.95
    ) -> Answer:
        """The mean over the windows from ``first`` to ``last``, each counted alike."""
        start = 0 if first is None else self._index(first)
        end = len(self.windows) - 1 if last is None else self._index(last)
        if end < start:
            raise InvalidInput("last", "average", f"not before {first}", last)
        weights = np.zeros(len(self.windows))
        weights[start : end + 1] = 1 / (end - start + 1)
        label = f"{self.windows[start]} to {self.windows[end]}"
        return self.combine(weights, label, confidence=confidence)

    def difference(self, first: str, second: str, *, confidence: float = 0.95) -> Answer:
        """The answer of window ``second`` minus that of ``first``."""
        one, other = self._index(first), self._index(second)
        if one == other:
            raise InvalidInput("second", "difference", f"another window than {first}", second)
        return self.combine(self._contrast(one, other), second, confidence=confidence)

    def changes(self, *, confidence: float = 0.95) -> list[Answer]:
        """The change against the window before, from the second window on.

        Their ``adjusted`` p-values count all of them (Holm).
        """
        pairs = [(t - 1, t) for t in range(1, len(self.windows))]
        return self._differences(pairs, confidence)

    def since_last_period(self, *, confidence: float = 0.95) -> list[Answer]:
        """The change against the same window a period earlier, where that window is there."""
        pairs = [(s, t) for t, s in enumerate(self.earlier) if s is not None]
        return self._differences(pairs, confidence)

    def _differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> list[Answer]:
        found = [
            self.combine(self._contrast(s, t), self.windows[t], confidence=confidence)
            for s, t in pairs
        ]
        adjusted = holm([one.p_value or 0.0 for one in found])
        return [replace(one, adjusted=float(p)) for one, p in zip(found, adjusted, strict=True)]

    def _contrast(self, first: int, second: int) -> Floats:
        weights = np.zeros(len(self.windows))
        weights[first], weights[second] = -1.0, 1.0
        return weights

    def _index(self, window: str) -> int:
        if window not in self.windows:
            raise InvalidInput("window", "trend", f"one of {', '.join(self.windows)}", window)
        return self.windows.index(window)

    # -- models ------------------------------------------------------------------------

    def covariance(self) -> Floats:
        """Of the errors of all windows, with the largest overlap there can be."""
        return self._covariances[1].copy()

    def smoothed(self, *, confidence: float = 0.95) -> list[Answer]:
        """Every window's answer with what the others tell of it (a local-level model, learned).

        The level walks from window to window by steps of a size that the answers tell, and jumps at
        :meth:`shifts`; see :mod:`sottovoce.answers.local_level`.
        """
        shifted = [np.flatnonzero(self.within(shift)).tolist() for shift in self.shifts()]
        found, stderr = smooth(self.values, self.covariance(), shifted)
        reach = two_sided(confidence)
        return [
            answer(value, error, window, confidence, reach=reach)
            for value, error, window in zip(found, stderr, self.windows, strict=True)
        ]

    def shifts(self, *, alpha: float = 0.05) -> list[Shift]:
        """Windows whose level differs from that of all others, and by how much.

        In at most ``alpha`` of all series whose level never changes, anything is found.
        """
        if alpha not in self._shifts:
            found = find_shifts(self.windows, self.values, self._covariances, self.combine, alpha)
            self._shifts[alpha] = tuple(found)
        return list(self._shifts[alpha])

    @cached_property
    def _shifts(self) -> dict[float, tuple[Shift, ...]]:
        """Those that were asked for: documents and pictures ask again."""
        return {}

    def within(self, shift: Shift) -> NDArray[np.bool_]:
        """Which windows are those of a shift."""
        found = np.zeros(len(self.windows), dtype=bool)
        found[self._index(shift.first) : self._index(shift.last) + 1] = True
        return found

    # -- shown -------------------------------------------------------------------------

    def document(
        self, *, confidence: float = 0.95, smooth: bool = False, alpha: float = 0.05
    ) -> dict[str, Any]:
        """All of it as a document: windows with their changes, shifts, and the mean over all."""
        return series_document(self, confidence, smooth, alpha)

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every window with its answer, the change against the one before and its p-values."""
        changes = [None, *self.changes(confidence=confidence)]

        def column(name: str) -> list[float]:
            return [np.nan if one is None else getattr(one, name) for one in changes]

        return Frame(
            {
                "window": list(self.windows),
                "reports": list(self.reports),
                "value": [one.value for one in self.answers],
                "stderr": [one.stderr for one in self.answers],
                "low": [one.low for one in self.answers],
                "high": [one.high for one in self.answers],
                "change": column("value"),
                "change_low": column("low"),
                "change_high": column("high"),
                "p_value": column("p_value"),
                "adjusted": column("adjusted"),
            }
        )

    def plot(
        self, *, confidence: float = 0.95, title: str = "", truth: Any = None, ax: Any = None
    ) -> Any:
        """A matplotlib figure: answers with their intervals, the smoothed line, and shifts.

        ``ax`` are axes of your own to draw into.
        """
        return renderer("trend")(self, confidence=confidence, title=title, truth=truth, ax=ax)

    def _repr_html_(self) -> str:
        """The answers of all windows, for a notebook."""
        return series_html(self)

    def __repr__(self) -> str:
        return f"<{self.label} in {len(self.windows)} windows, {self.windows[0]} to {self.windows[-1]}>"
