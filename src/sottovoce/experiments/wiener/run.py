"""Fang et al. 2023 again: the figures, the claims, our own claims, and a page about them.

Reference: Huiyu Fang, Liquan Chen, Yali Liu, Yuan Gao: Locally Differentially Private Frequency
Estimation Based on Convolution Framework, 2023.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sottovoce.core.frame import Frame
from sottovoce.experiments.claims import Finding, Reading, judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.plots import png
from sottovoce.experiments.wiener import comparison, figures, spectra
from sottovoce.experiments.wiener.histograms import Histogram, load
from sottovoce.experiments.wiener.report import html_page, summary_tables
from sottovoce.experiments.wiener.sweep import sweep
from sottovoce.experiments.work import Progress, silent, write

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "conclude", "measure", "publish", "run"]

TITLE = "Locally differentially private frequency estimation based on convolution framework"
CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 30
"""A run takes two and a half minutes on one core; the paper has 10."""


@dataclass(frozen=True, eq=False)
class Results:
    """All that was measured."""

    datasets: Mapping[str, Histogram]
    skipped: tuple[str, ...]
    repeats: int
    curves: Mapping[tuple[str, str], Curve]
    findings: tuple[Finding, ...]

    @property
    def tables(self) -> dict[str, Frame]:
        """The tables, by name."""
        return {
            "Errors over the plain estimate's": comparison.gain_table(self.curves),
            "When to trust IIW-G": comparison.trust_table(self.curves, self.datasets),
            "True and false positives": comparison.positives_table(self.curves),
        }


def run(
    data: Path | None,
    output: Path,
    repeats: int,
    *,
    progress: Progress = silent,
    workers: int | None = None,
) -> tuple[Results, list[Path]]:
    """Measure everything, judge the claims, and write page, numbers, tables and pictures."""
    results = conclude(*measure(data, repeats, progress=progress, workers=workers), repeats)
    progress("page", 0.0)
    written = publish(results, output)
    progress("page", 1.0)
    return results, written


Measured = tuple[list[Histogram], list[str], dict[tuple[str, str], Curve]]
"""Data sets, those that could not be had, and curves."""


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: int | None = None
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


def publish(results: Results, output: Path) -> list[Path]:
    """Page, numbers, tables and pictures as files of a folder; page and numbers first."""
    written = [
        write(output / "wiener.html", html_page(results, TITLE)),
        write(output / "wiener.json", json.dumps(document(results), indent=1)),
        write(output / "wiener-tables.md", summary_tables(results)),
    ]
    for figure in figures.FIGURES:
        if any(figures.panels(figure, results.curves)):
            picture = png(figures.picture(figure, results.curves, results.datasets))
            name = figure.name.lower().replace(" ", "-")
            written.append(write(output / f"wiener-{name}.png", picture))
    return written


def document(results: Results) -> dict[str, Any]:
    """Everything in numbers and strings."""
    return {
        "paper": TITLE,
        "repeats": results.repeats,
        "skipped": list(results.skipped),
        "datasets": {
            d.name: {"people": d.n, "values": d.size, "note": d.note}
            for d in results.datasets.values()
        },
        "claims": [finding.document() for finding in results.findings],
        "tables": {name: frame.columns for name, frame in results.tables.items()},
        "curves": [curve.document() for curve in results.curves.values()],
    }
