"""Wang et al. 2020 again: the figures, the claims, our own claims, coverage, and a page about them.

Reference: Tianhao Wang, Milan Lopuhaa-Zwakenberg, Zitao Li, Boris Skoric, Ninghui Li: Consistent
and Accurate Frequency Oracles under Local Differential Privacy (also: Locally Differentially
Private Frequency Estimation with Consistency), 2020.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sottovoce.base.progress import Progress, silent
from sottovoce.experiments.claims import Reading, judge, read_claims
from sottovoce.experiments.consistency import comparison, figures, intervals
from sottovoce.experiments.consistency.report import TITLE, Results
from sottovoce.experiments.consistency.sweep import sweep
from sottovoce.experiments.datasets import Dataset, load
from sottovoce.experiments.outcome import file_name
from sottovoce.experiments.work import Workers

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "pictures", "results"]

CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 30
"""As in the paper; the tables take 5/3 and the coverage 4/3 as many."""
TABLED = ("zipf", "beta-1024", "cities", "kosarak", "retail", "emoji", "msnbc")
MECHANISMS = ("oue", "grr", "olh", "hr")
COVERED = ("zipf", "cities")


def results(data: Path | None, repeats: int, **how: Any) -> Results:
    """Measure everything and judge the claims; ``how`` are ``progress`` and ``workers``."""
    return measure(data, repeats, **how)


def pictures(results: Results) -> Iterator[tuple[str, Any]]:
    """The figures with something to show, each with the name of its file."""
    yield "against-the-best", figures.ratios(results.cells, "oue", "full")
    for figure in figures.FIGURES:
        if any(figure.curves(results.curves)):
            yield (
                file_name(figure.name),
                figures.picture(figure, results.curves, results.datasets),
            )


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: Workers = None
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
    return Results(datasets, tuple(skipped), repeats, curves, findings, cells, covered)
