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
from sottovoce.experiments.square_wave.report import html_page, summary_tables
from sottovoce.experiments.square_wave.sweep import sweep
from sottovoce.experiments.work import Progress, silent, write

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "fewer", "measure", "run"]

TITLE = "Estimating numerical distributions under local differential privacy"
CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 20
"""A run takes a quarter of an hour on two cores; the paper has 100."""


def fewer(repeats: int) -> int:
    """The repeats of figures 5 to 7, which have many cells."""
    return max(2, repeats // 2)


@dataclass(frozen=True, eq=False)
class Results:
    """All that was measured."""

    datasets: Mapping[str, Numbers]
    skipped: tuple[str, ...]
    repeats: int
    curves: Mapping[tuple[str, str], Curve]
    findings: tuple[Finding, ...]

    @property
    def fewer(self) -> int:
        """The repeats of figures 5 to 7."""
        return fewer(self.repeats)

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
    results = measure(data, repeats, progress=progress, workers=workers)
    progress("page", 0.0)
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
    progress("page", 1.0)
    return results, written


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: int | None = None
) -> Results:
    """All numbers, without writing anything."""
    loaded, skipped = load(figures.ALL, data)
    datasets = {d.name: d for d in loaded}
    papers = [datasets[name] for name in figures.PAPERS if name in datasets]
    how: dict[str, Any] = {"progress": progress, "workers": workers}
    curves = sweep(loaded, repeats, **how)
    parts = (
        variants.shapes, variants.widths, variants.buckets, variants.orders, variants.stops,
    )  # fmt: skip
    for part in parts:
        curves |= part(papers, fewer(repeats), **how)
    prepared: dict[str, Sequence[Reading]] = {
        "shapes": variants.shape_readings(curves),
        "chosen b": variants.chosen_width_readings(curves),
        "adaptive mean": comparison.adaptive_readings(curves),
    }
    for method in ("ems", "em"):
        prepared[f"stops {method}"] = variants.stop_readings(curves, method)
        prepared[f"expected {method}"] = comparison.expected_readings(curves, method)
    findings = judge(read_claims(CLAIMS), curves, prepared)
    return Results(datasets, tuple(skipped), repeats, curves, findings)


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
