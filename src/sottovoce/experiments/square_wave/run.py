"""Li et al. 2020 again: the figures, the claims, our own claims, and a page about them.

Reference: Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric: Estimating
Numerical Distributions under Local Differential Privacy, 2020.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sottovoce.base.progress import Progress, silent
from sottovoce.experiments.claims import Reading, judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.numbers import Numbers, load
from sottovoce.experiments.outcome import file_name
from sottovoce.experiments.square_wave import comparison, figures, variants
from sottovoce.experiments.square_wave.means import means
from sottovoce.experiments.square_wave.report import TITLE, Results
from sottovoce.experiments.square_wave.sweep import sweep
from sottovoce.experiments.work import Workers

__all__ = ["CLAIMS", "REPEATS", "TITLE", "Results", "conclude", "measure", "pictures", "results"]

CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 20
"""A run computes for about ten minutes on each of two cores; the paper has 100."""


def more(repeats: int) -> int:
    """The repeats of figures 5 to 7, where differences are small."""
    return repeats * 3 // 2


def many(repeats: int) -> int:
    """The repeats of means by stochastic rounding and the piecewise mechanism."""
    return 10 * repeats


def results(data: Path | None, repeats: int, **how: Any) -> Results:
    """Measure everything and judge the claims; ``how`` are ``progress`` and ``workers``."""
    return conclude(*measure(data, repeats, **how), repeats)


Measured = tuple[list[Numbers], list[str], dict[tuple[str, str], Curve]]
"""Data sets, those that could not be had, and curves."""


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: Workers = None
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


def pictures(results: Results) -> Iterator[tuple[str, Any]]:
    """The figures with something to show, each with the name of its file."""
    for figure in figures.FIGURES:
        if any(figure.curves(results.curves)):
            picture = figures.picture(figure, results.curves, results.datasets)
            yield f"square-wave-{file_name(figure.name)}", picture
