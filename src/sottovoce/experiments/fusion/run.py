"""Du et al. 2025 again: the figures, the claims, our own claims, and a page about them.

Reference: Rong Du, Qingqing Ye, Yue Fu, Haibo Hu: Privacy for Free: Leveraging Local Differential
Privacy Perturbed Data from Multiple Services, PVLDB 18(6), 2025.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sottovoce.base.progress import Progress, silent
from sottovoce.experiments.claims import Reading, judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.fusion import (
    comparison,
    dimensions,
    distributions,
    figures,
    groups,
    means,
    times,
)
from sottovoce.experiments.fusion.asking import asking
from sottovoce.experiments.fusion.report import TITLE, Results
from sottovoce.experiments.fusion.sizes import Sizes, sizes_of
from sottovoce.experiments.fusion.values import SKEWED, load, steps_of_time
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.outcome import file_name
from sottovoce.experiments.work import Workers

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "conclude", "measure", "pictures", "results"]

CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 20
"""So many times 20 surveys for a mean; a quarter as many distributions."""


def fewer(repeats: int) -> int:
    """The repeats of distributions."""
    return max(2, repeats // 4)


def few(repeats: int) -> int:
    """The repeats of distributions that take many passes, or many services."""
    return max(2, repeats // 10)


def results(data: Path | None, repeats: int, **how: Any) -> Results:
    """Measure everything and judge the claims; ``how`` are ``progress`` and ``workers``."""
    return conclude(measure(data, repeats, **how), repeats)


@dataclass(frozen=True, eq=False)
class Measured:
    """Data sets, those that could not be had, curves, times, and how many people there were."""

    loaded: Sequence[Numbers]
    skipped: Sequence[str]
    curves: dict[tuple[str, str], Curve]
    times: Sequence[times.Time]
    sizes: Sizes


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: Workers = None
) -> Measured:
    """All numbers."""
    loaded, skipped = load(figures.ALL, data)
    sizes = sizes_of(repeats)
    how: dict[str, Any] = {"progress": progress, "workers": workers}
    papers = [d for d in loaded if d.name != SKEWED]
    (waves,) = (d for d in loaded if d.name == "beta-sin")
    uneven = [d for d in loaded if d.name in (SKEWED, "beta-sin")]
    curves = means.by_epsilon(papers, repeats, sizes, **how)
    curves |= means.by_setting(papers, repeats, sizes, **how)
    curves |= means.by_mechanism(waves, repeats, sizes, **how)
    curves |= means.by_count(waves, repeats, sizes, **how)
    curves |= means.by_people(waves, repeats, sizes, **how)
    curves |= means.bias(uneven, repeats, sizes, **how)
    curves |= _distributions(papers, waves, repeats, sizes, **how)
    curves |= asking(papers, repeats, few(repeats), sizes, **how)
    curves |= groups.by_group(waves, repeats, sizes, **how)
    curves |= groups.pooled(waves, repeats, sizes, **how)
    steps = steps_of_time()
    curves |= dimensions.means(steps, fewer(repeats), sizes, **how)
    curves |= dimensions.shares(steps, few(repeats), sizes, **how)
    taken = times.table_1(waves, sizes.divided, **how)
    return Measured(loaded, skipped, curves, taken, sizes)


def _distributions(
    papers: Sequence[Numbers], waves: Numbers, repeats: int, sizes: Sizes, **how: Any
) -> dict[tuple[str, str], Curve]:
    slow: dict[str, Any] = {"name": "rules", "rules": distributions.SLOW, **how}
    some = distributions.SOME_EPSILONS
    curves = distributions.by_epsilon(papers, fewer(repeats), sizes, **how)
    own = ("printed", "own")
    curves |= distributions.by_setting(papers, fewer(repeats), sizes, rules=own, **how)
    curves |= distributions.by_epsilon(papers, few(repeats), sizes, epsilons=some, **slow)
    curves |= distributions.by_setting(papers, few(repeats), sizes, **slow)
    curves |= distributions.by_cells(papers, few(repeats), sizes, **how)
    curves |= distributions.by_mechanism(waves, fewer(repeats), sizes, **how)
    curves |= distributions.by_count(waves, few(repeats), sizes, **how)
    curves |= distributions.by_people(waves, fewer(repeats), sizes, **how)
    return curves


def conclude(measured: Measured, repeats: int) -> Results:
    """The claims, judged by what was measured."""
    curves, people, trials = measured.curves, measured.sizes.people, measured.sizes.trials
    datasets = {d.name: d for d in measured.loaded}
    papers = [d for d in measured.loaded if d.name != SKEWED]
    prepared: dict[str, Sequence[Reading]] = {
        "textbook weights": comparison.textbook_readings(papers, "weights"),
        "textbook ua": comparison.textbook_readings(papers, "ua"),
        "average gain": comparison.gain_readings(curves),
        "population bias": comparison.bias_readings(curves, "population", trials),
        "uwa bias": comparison.bias_readings(curves, "uwa", trials),
        "uwa at a million": comparison.million_readings(curves, people),
        "coverage": comparison.coverage_readings(curves),
        "expected": comparison.expected_readings(curves, datasets, people),
        "one more": comparison.one_more_readings(curves),
        "cells": comparison.cell_readings(curves),
    }
    findings = judge(read_claims(CLAIMS), curves, prepared)
    return Results(
        datasets, tuple(measured.skipped), repeats, curves, findings, measured.sizes,
        tuple(measured.times),
    )  # fmt: skip


def pictures(results: Results) -> Iterator[tuple[str, Any]]:
    """The figures with something to show, each with the name of its file."""
    for figure in figures.FIGURES:
        if any(figures.panels(figure, results.curves)):
            picture = figures.picture(figure, results.curves, results.titles)
            yield f"fusion-{file_name(figure.name)}", picture
