"""Ye et al. 2025 again: the figures, the claims, our own claims, and a page about them.

Reference: Yutong Ye, Tianhao Wang, Min Zhang, Dengguo Feng: Revisiting EM-based Estimation for
Locally Differentially Private Protocols, 2025.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sottovoce.base.progress import Progress, silent
from sottovoce.experiments.claims import judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.mixture_reduction import (
    categories,
    conditional,
    convergence,
    distributions,
    figures,
    frequencies,
    means,
    pairs,
    values,
)
from sottovoce.experiments.mixture_reduction.pairs import Pairs
from sottovoce.experiments.mixture_reduction.readings import prepared
from sottovoce.experiments.mixture_reduction.report import TITLE, Results
from sottovoce.experiments.mixture_reduction.rivals import rivals
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.outcome import file_name
from sottovoce.experiments.work import Workers

__all__ = [
    "CLAIMS",
    "REPEATS",
    "TITLE",
    "Measured",
    "Results",
    "conclude",
    "measure",
    "pictures",
    "results",
]

CLAIMS = Path(__file__).with_name("claims.toml")
REPEATS = 100
"""As in the paper."""
_PATHS = ("mixture-60", "adult", "zones")
_TIMED = ("mixture-60", "zipf-300")
_POPULATIONS = (
    "alike-100", "spikes-60", "half-60", "steep-300", "pay-60", "wages-300", "emoji-300", "msnbc-17",
)  # fmt: skip
"""Populations of every kind, for :func:`sottovoce.experiments.mixture_reduction.rivals.rivals`."""


def fewer(repeats: int) -> int:
    """The repeats of what is slow: local hashing of many values, three mechanisms for numbers, keys."""
    return max(2, repeats // 10)


def some(repeats: int) -> int:
    """The repeats of means of more than a few people."""
    return max(2, repeats // 5)


def fewest(repeats: int) -> int:
    """The repeats of paths of ten thousand passes."""
    return max(2, repeats // 20)


@dataclass(frozen=True, eq=False)
class Measured:
    """All data sets, those that could not be had, and curves."""

    categories: list[Dataset]
    numbers: list[Numbers]
    pairs: list[Pairs]
    skipped: list[str]
    curves: Mapping[tuple[str, str], Curve]


def results(data: Path | None, repeats: int, **how: Any) -> Results:
    """Measure everything and judge the claims; ``how`` are ``progress`` and ``workers``."""
    return conclude(measure(data, repeats, **how), repeats)


def measure(
    data: Path | None, repeats: int, *, progress: Progress = silent, workers: Workers = None
) -> Measured:
    """All numbers."""
    shares, no_shares = categories.load((*categories.SETS, categories.UNIFORM), data)
    numbers, no_numbers = values.load(values.SETS, data)
    keys, no_keys = pairs.load(pairs.SETS, data)
    how: dict[str, Any] = {"progress": progress, "workers": workers}
    few = fewer(repeats)
    mixture = numbers[0]
    signed = means.means(numbers, repeats, some(repeats), **how)
    curves = signed | means.absolute(signed)
    curves |= frequencies.frequencies(shares, repeats, few, **how)
    curves |= distributions.by_epsilon(numbers, few, **how)
    curves |= distributions.by_size(mixture, repeats, few, **how)
    paths = [d for d in shares if d.name in _PATHS]
    curves |= convergence.paths(paths, fewest(repeats), **how)
    curves |= conditional.conditional(keys, few, **how)
    beside, no_rivals = rivals(few, data=data, wanted=_POPULATIONS, **how)
    curves |= {(name, f"rivals-{measure}"): curve for (name, measure), curve in beside.items()}
    timed = [d for d in shares if d.name in _TIMED]
    curves |= convergence.seconds(timed, mixture, progress=progress)
    skipped = [*no_shares, *no_numbers, *no_keys, *no_rivals]
    return Measured(shares, numbers, keys, skipped, curves)


def conclude(measured: Measured, repeats: int) -> Results:
    """The claims, judged by what was measured."""
    shares = {d.name: d for d in measured.categories}
    findings = judge(read_claims(CLAIMS), measured.curves, prepared(measured.curves, shares))
    known: list[Any] = [*measured.categories, *measured.numbers, *measured.pairs]
    sets = {d.name: d for d in known}
    return Results(sets, tuple(measured.skipped), repeats, measured.curves, findings)


def pictures(results: Results) -> Iterator[tuple[str, Any]]:
    """The figures with something to show, each with the name of its file."""
    for figure in figures.FIGURES:
        if any(True for _ in figure.panels(results.curves, results.datasets)):
            picture = figures.picture(figure, results.curves, results.datasets)
            yield f"mixture-reduction-{file_name(figure.name)}", picture
