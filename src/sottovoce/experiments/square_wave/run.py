"""Li et al. 2020 again: the figures, the claims, our own claims, and a page about them.

Reference: Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric: Estimating
Numerical Distributions under Local Differential Privacy, 2020.
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
from sottovoce.experiments.numbers import Numbers, load
from sottovoce.experiments.plots import png
from sottovoce.experiments.square_wave import comparison, figures, variants
from sottovoce.experiments.square_wave.means import means
from sottovoce.experiments.square_wave.report import html_page, summary_tables
from sottovoce.experiments.square_wave.sweep import sweep
from sottovoce.experiments.work import Progress, silent, write

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "conclude", "measure", "publish", "run"]

TITLE = "Estimating numerical distributions under local differential privacy"
CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 20
"""A run computes for about ten minutes on each of two cores; the paper has 100."""


def more(repeats: int) -> int:
    """The repeats of figures 5 to 7, where differences are small."""
    return repeats * 3 // 2


def many(repeats: int) -> int:
    """The repeats of means by stochastic rounding and the piecewise mechanism."""
    return 10 * repeats


@dataclass(frozen=True, eq=False)
class Results:
    """All that was measured."""

    datasets: Mapping[str, Numbers]
    skipped: tuple[str, ...]
    repeats: int
    curves: Mapping[tuple[str, str], Curve]
    findings: tuple[Finding, ...]

    @property
    def tables(self) -> dict[str, Frame]:
        """The tables, by name."""
        return {
            "best": comparison.best_table(self.curves),
            "adaptive": comparison.adaptive_table(self.curves),
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


Measured = tuple[list[Numbers], list[str], dict[tuple[str, str], Curve]]
"""Data sets, those that could not be had, and curves."""


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: int | None = None
) -> Measured:
    """All numbers."""
    loaded, skipped = load(figures.ALL, data)
    papers = [d for d in loaded if d.name in figures.PAPERS]
    how: dict[str, Any] = {"progress": progress, "workers": workers}
    curves = sweep(loaded, repeats, **how)
    curves |= means(loaded, many(repeats), **how)
    parts = (
        variants.shapes, variants.widths, variants.buckets, variants.orders, variants.stops,
    )  # fmt: skip
    for part in parts:
        curves |= part(papers, more(repeats), **how)
    return loaded, skipped, curves


def conclude(
    loaded: Sequence[Numbers],
    skipped: Sequence[str],
    curves: dict[tuple[str, str], Curve],
    repeats: int,
) -> Results:
    """The claims, judged by what was measured."""
    prepared: dict[str, Sequence[Reading]] = {
        "shapes": variants.shape_readings(curves),
        "chosen b": variants.chosen_width_readings(curves),
        "adaptive mean": comparison.adaptive_readings(curves),
    }
    for method in ("ems", "em"):
        prepared[f"stops {method}"] = variants.stop_readings(curves, method)
        prepared[f"expected {method}"] = comparison.expected_readings(curves, method)
    findings = judge(read_claims(CLAIMS), curves, prepared)
    return Results({d.name: d for d in loaded}, tuple(skipped), repeats, curves, findings)


def publish(results: Results, output: Path) -> list[Path]:
    """Page, numbers, tables and pictures as files of a folder; page and numbers first."""
    written = [
        write(output / "square-wave.html", html_page(results, TITLE)),
        write(output / "square-wave.json", json.dumps(document(results), indent=1)),
        write(output / "square-wave-tables.md", summary_tables(results)),
    ]
    for figure in figures.FIGURES:
        if any(figure.curves(results.curves)):
            picture = png(figures.picture(figure, results.curves, results.datasets))
            name = figure.name.lower().replace(" ", "-")
            written.append(write(output / f"square-wave-{name}.png", picture))
    return written


def document(results: Results) -> dict[str, Any]:
    """Everything in numbers and strings."""
    return {
        "paper": TITLE,
        "repeats": results.repeats,
        "skipped": list(results.skipped),
        "datasets": {
            d.name: {"people": d.n, "bins": d.bins, "low": d.low, "high": d.high, "note": d.note}
            for d in results.datasets.values()
        },
        "claims": [finding.document() for finding in results.findings],
        "tables": {name: frame.columns for name, frame in results.tables.items()},
        "curves": [curve.document() for curve in results.curves.values()],
    }
