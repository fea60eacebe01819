"""Fang et al. 2023 again: the figures, the claims, our own claims, and a page about them.

Reference: Huiyu Fang, Liquan Chen, Yali Liu, Yuan Gao: Locally Differentially Private Frequency
Estimation Based on Convolution Framework, 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sottovoce.base.progress import Progress, silent
from sottovoce.experiments.claims import Reading, judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.outcome import file_name
from sottovoce.experiments.wiener import comparison, figures, spectra
from sottovoce.experiments.wiener.histograms import Histogram, load
from sottovoce.experiments.wiener.report import TITLE, Results
from sottovoce.experiments.wiener.sweep import sweep
from sottovoce.experiments.work import Workers

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "conclude", "measure", "pictures", "results"]

CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 30
"""A run takes two and a half minutes on one core; the paper has 10."""


def results(data: Path | None, repeats: int, **how: Any) -> Results:
    """Measure everything and judge the claims; ``how`` are ``progress`` and ``workers``."""
    return conclude(*measure(data, repeats, **how), repeats)


Measured = tuple[list[Histogram], list[str], dict[tuple[str, str], Curve]]
"""Data sets, those that could not be had, and curves."""


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: Workers = None
) -> Measured:
    """All numbers."""
    loaded, skipped = load(figures.ALL, data)
    how: dict[str, Any] = {"progress": progress, "workers": workers}
    curves = spectra.noise(loaded, repeats, **how)
    curves |= spectra.passes([d for d in loaded if d.name != "flat"], repeats, **how)
    curves |= sweep(loaded, repeats, **how)
    return loaded, skipped, curves


def conclude(
    loaded: Sequence[Histogram],
    skipped: Sequence[str],
    curves: dict[tuple[str, str], Curve],
    repeats: int,
) -> Results:
    """The claims, judged by what was measured."""
    datasets = {d.name: d for d in loaded}
    prepared: dict[str, Sequence[Reading]] = {
        "noise": comparison.noise_readings(curves, "noise"),
        "noise at 0": comparison.noise_readings(curves, "noise-0"),
        "stuck": comparison.trust_readings(curves, datasets, "flat", trusted=False),
    }
    for rival in ("flat", "krr-iiw", "oue-iiw"):
        found = comparison.trust_readings(curves, datasets, rival, trusted=True)
        prepared[f"trusted {rival}"] = found
    for step in ("dw", "iiw", "iiw-limit"):
        prepared[f"residual {step}"] = comparison.residual_readings(curves, step)
    findings = judge(read_claims(CLAIMS), curves, prepared)
    return Results(datasets, tuple(skipped), repeats, curves, findings)


def pictures(results: Results) -> Iterator[tuple[str, Any]]:
    """The figures with something to show, each with the name of its file."""
    for figure in figures.FIGURES:
        if any(figures.panels(figure, results.curves)):
            picture = figures.picture(figure, results.curves, results.datasets)
            yield f"wiener-{file_name(figure.name)}", picture
