"""Errors about all respondents, where only some of them were asked a question.

Who is asked does not depend on the answers: of n respondents the m that were asked are a random part.
An answer from their reports has the variance ``v`` about these m, and ``V = v + s / m`` about the
population, s being what the answer varies by among people.  About all n respondents it is
``v + s (1/m - 1/n)``: the mean of v and V, weighted by ``m / n`` and ``1 - m / n``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.answers.errors import ErrorModel
from sottovoce.answers.intervals import ShareIntervals
from sottovoce.channels.base import Floats

__all__ = ["AskedErrors"]


@dataclass(frozen=True, eq=False)
class AskedErrors:
    """The errors of ``inner``, about the people who were asked, as errors about all respondents.

    ``part`` is how many of the respondents were asked, from 0 to 1.
    """

    inner: ErrorModel
    shares: Floats
    part: float

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        whole = self.inner.stderr("population")
        if about == "population":
            return whole
        return np.sqrt(self.part * self.inner.stderr(about) ** 2 + (1 - self.part) * whole**2)

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        whole = self.inner.stderr_of(weights, "population")
        if about == "population":
            return whole
        own = self.inner.stderr_of(weights, about)
        return float(np.sqrt(self.part * own**2 + (1 - self.part) * whole**2))

    def intervals(
        self, about: str, confidence: float, chosen: float = 1.0
    ) -> tuple[Floats, Floats] | None:
        """Those of ``inner``; about the respondents, squares of their reach are averaged likewise."""
        if not isinstance(self.inner, ShareIntervals):
            return None
        whole = self.inner.intervals("population", confidence, chosen)
        own = self.inner.intervals("respondents", confidence, chosen)
        if about == "population" or whole is None or own is None:
            return whole
        at = np.clip(self.shares, 0.0, 1.0)
        below, above = (
            np.sqrt(self.part * (at - one) ** 2 + (1 - self.part) * (at - other) ** 2)
            for one, other in zip(own, whole, strict=True)
        )
        return np.maximum(at - below, 0.0), np.minimum(at + above, 1.0)

    def centre_of(self, weights: Floats, about: str) -> float | None:
        """Around what the interval of ``weights . shares`` lies; None where that is the answer."""
        if not isinstance(self.inner, ShareIntervals):
            return None
        return self.inner.centre_of(weights, "population")
