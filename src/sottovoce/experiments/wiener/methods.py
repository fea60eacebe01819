"""The methods compared, and what each makes of one drawing of a population's reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.channels.frequencies import Spectrum
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.categories import Categories
from sottovoce.estimators.filters.plain import gaussian_filter, smooth
from sottovoce.estimators.filters.spectrum import spectrum_of
from sottovoce.estimators.filters.wiener import amrp, dw, iiw
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares
from sottovoce.experiments.draws import Errors
from sottovoce.experiments.wiener.histograms import Histogram

__all__ = [
    "METHODS",
    "ORACLES",
    "PASSES_FROM_G",
    "STEPS",
    "Survey",
    "after_passes",
    "named",
    "noise_over_signal",
    "noise_powers",
]

PASSES_FROM_G = 10
ORACLES = {"krr": "grr", "oue": "oue"}
"""The paper's oracles, and what they are called here."""


def after_passes(
    raw: UnbiasedShares, passes: Sequence[int], *, from_reports: bool = False
) -> Iterator[Floats]:
    """The shares after so many passes of IIW, or of IIW-G, wherever that is trustworthy or not."""
    s = spectrum_of(raw)
    gain = np.abs(s.kernel) ** 2
    power = np.abs(s.observed if from_reports else s.plain) ** 2
    for done in range(max(passes) + 1):
        weight = power / (gain * power + s.noise)
        found = np.conj(s.kernel) * s.observed * weight
        if done in passes:
            yield s.shares(found)
        power = np.abs(found) ** 2 + s.noise * weight


def _from_reports(raw: UnbiasedShares) -> Floats:
    (shares,) = after_passes(raw, [PASSES_FROM_G], from_reports=True)
    return shares


Step = Callable[[UnbiasedShares], Floats]
STEPS: dict[str, Step] = {
    "": lambda raw: raw.shares,
    "dw": dw,
    "iiw": iiw,
    "iiw-limit": lambda raw: iiw(raw, passes="limit"),
    "iiw-g": _from_reports,
    "smooth": smooth,
    "amrp": amrp,
    "gf1": lambda raw: gaussian_filter(raw, sigma=1.0),
    "gf3": lambda raw: gaussian_filter(raw, sigma=3.0),
    "gf1-dw": lambda raw: dw(raw, prior="gaussian", sigma=1.0),
    "gf3-dw": lambda raw: dw(raw, prior="gaussian", sigma=3.0),
}
"""What is done to unbiased shares."""


def named(oracle: str, step: str) -> str:
    """A method's name: ``krr``, ``krr-dw``, ..."""
    return f"{oracle}-{step}" if step else oracle


METHODS = (
    *(named(o, s) for o in ORACLES for s in STEPS if not (o == "oue" and s == "iiw-g")),
    "flat",
)
"""All methods; ``flat`` tells that all values are alike, whatever was reported."""


def noise_over_signal(mechanism: Mechanism, size: int, n: int) -> float:
    """``d sqrt(Var)``, the noise of a rare value's share over the mean share."""
    support_probabilities = mechanism.channel().support_probabilities
    assert support_probabilities is not None
    return float(size * np.sqrt(support_probabilities.variance(np.zeros(1))[0] / n))


@dataclass(frozen=True, eq=False)
class Survey:
    """Both oracles on a histogram in ``size`` bins at an epsilon."""

    data: Histogram
    epsilon: float
    size: int
    tops: tuple[int, ...] = ()
    thresholds: tuple[float, ...] = ()
    """Shares above which a value is frequent."""

    def __str__(self) -> str:
        return f"{self.data.name}, {self.epsilon:g}, {self.size}"

    @cached_property
    def mechanisms(self) -> dict[str, Mechanism]:
        """Each oracle by the paper's name."""
        domain = Categories(self.size)
        return {o: mechanism(name, domain, self.epsilon) for o, name in ORACLES.items()}

    def raws(self, source: Seeded) -> dict[str, UnbiasedShares]:
        """The unbiased shares of one drawing, by oracle."""
        counts = self.data.counts(self.size)
        return {
            o: unbiased_shares(m.simulate(counts, source=source))
            for o, m in self.mechanisms.items()
        }

    @cached_property
    def truth(self) -> Floats:
        """The true distribution."""
        return self.data.counts(self.size) / self.data.n

    def draw(self, source: Seeded) -> Errors:
        """All errors of one drawing, by measure; methods in order, and places along curves first."""
        raws = self.raws(source)
        rows = []
        for method in METHODS[:-1]:
            oracle, _, step = method.partition("-")
            rows.append(STEPS[step](raws[oracle]))
        found = np.array([*rows, np.full(self.size, 1 / self.size)])
        errors = {"mse": metrics.mean_squared_error(found, self.truth)}
        truths = np.broadcast_to(self.truth, found.shape)
        if self.tops:
            errors["top"] = np.array([metrics.top_error(found, truths, k) for k in self.tops])
        if self.thresholds:
            said = [metrics.positives(found, truths, t) for t in self.thresholds]
            errors["true"] = np.array([s.true for s in said], dtype=np.float64)
            errors["false"] = np.array([s.false for s in said], dtype=np.float64)
        return errors


def noise_powers(spectrum: Spectrum, truth: Floats) -> Floats:
    """The power of the noise over its expectation, at every frequency from 0 on."""
    noise = spectrum.observed - spectrum.kernel * np.fft.rfft(truth)
    powers: Floats = np.abs(noise) ** 2 / spectrum.noise
    return powers
