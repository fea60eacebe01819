"""The results in words, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.base.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.number_outcome import NumberOutcome
from sottovoce.experiments.square_wave import comparison, figures
from sottovoce.experiments.square_wave.methods import TITLES

__all__ = ["TITLE", "Results"]

TITLE = "Estimating numerical distributions under local differential privacy"


@dataclass(frozen=True, eq=False)
class Results(NumberOutcome):
    """All that was measured."""

    title: ClassVar[str] = TITLE

    @property
    def tables(self) -> dict[str, Frame]:
        return {
            "best": comparison.best_table(self.curves),
            "adaptive": comparison.adaptive_table(self.curves),
        }

    @property
    def lead(self) -> str:
        return (
            f"The experiments of the paper, run again with {self.repeats} repeats (half as many more "
            "for figures 5 to 7). Tallies follow the exact law of each mechanism; methods on one "
            "mechanism see the same tallies. Bands and ± are one standard deviation over repeats; in "
            "claims and tables ± is a standard error. All distances are on [0, 1]."
        )

    def figures(self) -> Iterator[tuple[str, str]]:
        return ((figure.name, _figure(figure, self)) for figure in figures.FIGURES)

    def extras(self) -> Iterator[tuple[str, str]]:
        tables = self.tables
        yield "Best methods", page.table(tables["best"])
        yield "Adaptive smoothing", page.table(tables["adaptive"])


def _figure(figure: figures.Figure, results: Results) -> str:
    parts = [page.text(figure.title + ".")]
    for curves in figure.curves(results.curves):
        title = results.datasets[curves[0].dataset].title
        stem = f"{figure.name.lower().replace(' ', '')}-{curves[0].dataset}"
        pictures = [
            plots.svg(
                figures.draw(figure, curve, title), f"{stem}-{curve.measure}".replace(".", "")
            )
            for curve in curves
        ]
        parts.append(page.figures(pictures))
        for curve in curves:
            titles = {method: TITLES.get(method, method) for method in curve.methods}
            numbers = page.curve_table(curve, titles, figures.shown(curve))
            parts.append(page.folded(f"Numbers: {title}, {figure.panels[curve.measure]}", numbers))
    return "\n".join(parts) if len(parts) > 1 else ""
