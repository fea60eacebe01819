"""Wang et al. 2020 again: the figures, the claims, our own claims, coverage, and a page about them.

Reference: Tianhao Wang, Milan Lopuhaa-Zwakenberg, Zitao Li, Boris Skoric, Ninghui Li: Consistent
and Accurate Frequency Oracles under Local Differential Privacy (also: Locally Differentially
Private Frequency Estimation with Consistency), 2020.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sottovoce.core.frame import Frame
from sottovoce.experiments.claims import Finding, Reading, judge, read_claims
from sottovoce.experiments.consistency import comparison, figures, intervals
from sottovoce.experiments.consistency.report import html_page, summary_tables
from sottovoce.experiments.consistency.sweep import sweep
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset, load
from sottovoce.experiments.plots import png
from sottovoce.experiments.work import Progress, silent, write

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "run"]

TITLE = "Consistent and accurate frequency oracles under local differential privacy"
CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 30
"""As in the paper; the tables take 5/3 and the coverage 4/3 as many."""
TABLED = ("zipf", "beta-1024", "cities", "kosarak", "retail", "emoji", "msnbc")
MECHANISMS = ("oue", "grr", "olh", "hr")
COVERED = ("zipf", "cities")


@dataclass(frozen=True, eq=False)
class Results:
    """All that was measured."""

    datasets: Mapping[str, Dataset]
    skipped: tuple[str, ...]
    repeats: int
    curves: Mapping[tuple[str, str], Curve]
    cells: Sequence[comparison.Cell]
    coverage: Sequence[intervals.Coverage]
    findings: tuple[Finding, ...]

    @property
    def tables(self) -> dict[str, Frame]:
        """The tables, by name."""
        return {
            "summary": comparison.summary(self.cells),
            "empirical Bayes": comparison.empirical_bayes_table(self.cells),
            "top": comparison.top_table(self.cells),
            "coverage": intervals.coverage_table(self.coverage),
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
        write(output / "consistency.html", html_page(results, TITLE)),
        write(output / "consistency.json", json.dumps(document(results), indent=1)),
        write(output / "consistency-tables.md", summary_tables(results)),
    ]
    against = png(figures.ratios(results.cells, "oue", "full"))
    written.append(write(output / "against-the-best.png", against))
    for figure in figures.FIGURES:
        if any(figure.curves(results.curves)):
            picture = png(figures.picture(figure, results.curves, results.datasets))
            written.append(write(output / f"{figure.name.lower().replace(' ', '-')}.png", picture))
    progress("page", 1.0)
    return results, written


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: int | None = None
) -> Results:
    """All numbers, without writing anything."""
    wanted = dict.fromkeys((*figures.MAIN, *figures.APPENDIX, *TABLED))
    loaded, skipped = load(wanted, data)
    datasets = {d.name: d for d in loaded}

    def these(names: Sequence[str]) -> list[Dataset]:
        return [datasets[name] for name in names if name in datasets]

    how: dict[str, Any] = {"progress": progress, "workers": workers}
    curves = sweep(these((*figures.MAIN, *figures.APPENDIX)), repeats, **how)
    cells = comparison.compare(MECHANISMS, these(TABLED), max(2, repeats * 5 // 3), **how)
    covered = intervals.coverage(these(COVERED), max(2, repeats * 4 // 3), **how)
    prepared: dict[str, Sequence[Reading]] = {
        f"{mechanism} {task}": comparison.readings(cells, mechanism, task)
        for mechanism in MECHANISMS
        for task in comparison.TASKS
    }
    for question, name in enumerate(("shares", "top", "totals")):
        prepared[f"coverage {name}"] = intervals.coverage_readings(covered, question)
    findings = judge(read_claims(CLAIMS), curves, prepared)
    return Results(datasets, tuple(skipped), repeats, curves, cells, covered, findings)


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
