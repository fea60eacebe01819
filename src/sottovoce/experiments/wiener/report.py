"""The results in words, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.base.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.outcome import Outcome
from sottovoce.experiments.wiener import comparison, figures

__all__ = ["TITLE", "Results"]

TITLE = "Locally differentially private frequency estimation based on convolution framework"


@dataclass(frozen=True, eq=False)
class Results(Outcome):
    """All that was measured."""

    title: ClassVar[str] = TITLE

    @property
    def tables(self) -> dict[str, Frame]:
        return {
            "Errors over the plain estimate's": comparison.gain_table(self.curves),
            "When to trust IIW-G": comparison.trust_table(self.curves, self.datasets),
            "True and false positives": comparison.positives_table(self.curves),
        }

    @property
    def lead(self) -> str:
        return (
            f"The experiments of the paper, run again with {self.repeats} repeats. Tallies follow the "
            "exact law of each mechanism; methods on one oracle see the same tallies. In figures and "
            "their numbers ± is one standard deviation over repeats; in claims it is a standard error. "
            "IIW-G is drawn also where the library refuses it."
        )

    def figures(self) -> Iterator[tuple[str, str]]:
        return ((figure.name, _figure(figure, self)) for figure in figures.FIGURES)

    def extras(self) -> Iterator[tuple[str, str]]:
        return ((name, page.table(frame)) for name, frame in self.tables.items())


def _figure(figure: figures.Figure, results: Results) -> str:
    parts = [page.text(figure.title + ".")]
    for row in figures.panels(figure, results.curves):
        title = results.datasets[row[0].curve.dataset].title
        pictures = []
        for place, panel in enumerate(row):
            stem = f"{figure.name.lower().replace(' ', '')}-{panel.curve.dataset}-{place}"
            pictures.append(plots.svg(figures.draw(figure, panel, title), stem))
        parts.append(page.figures(pictures))
        for curve in {panel.curve.measure: panel.curve for panel in row}.values():
            titles = {m: figures.TITLES.get(m, m) for m in curve.methods}
            numbers = page.curve_table(curve, titles, curve.xs)
            parts.append(page.folded(f"Numbers: {title}, by {curve.by}", numbers))
    return "\n".join(parts) if len(parts) > 1 else ""
