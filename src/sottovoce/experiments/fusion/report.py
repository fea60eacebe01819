"""The results in words, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.base.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.fusion import comparison, figures
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.times import Time, time_frame
from sottovoce.experiments.fusion.values import PAPERS
from sottovoce.experiments.number_outcome import NumberOutcome

__all__ = ["TITLE", "Results"]

TITLE = (
    "Privacy for free: leveraging local differential privacy perturbed data from multiple services"
)


@dataclass(frozen=True, eq=False)
class Results(NumberOutcome):
    """All that was measured."""

    title: ClassVar[str] = TITLE

    sizes: Sizes
    times: tuple[Time, ...]

    @property
    def tables(self) -> dict[str, Frame]:
        papers = [d for name, d in self.datasets.items() if name in PAPERS]
        return {
            "Divergences, EM to |dL| < eps": comparison.share_table(self.curves, "printed", "full"),
            "Divergences, EM to |dL| < eps, single services by their own": comparison.share_table(
                self.curves, "own", "full"
            ),
            "Divergences, EM to |dL| < 0.001 e^eps": comparison.share_table(
                self.curves, "published", "rules"
            ),
            "Divergences, EMS to |dL| < 0.001": comparison.share_table(
                self.curves, "smoothed", "rules"
            ),
            "Mean errors of fused means": comparison.bias_table(self.curves, self.sizes.people),
            "Means by formula": comparison.formula_table(papers),
            "Table 1": time_frame(self.times),
        }

    @property
    def titles(self) -> dict[str, str]:
        """What data sets are called."""
        return {name: d.title for name, d in self.datasets.items()} | {"steps": "Sequences"}

    @property
    def lead(self) -> str:
        surveys = self.repeats * self.sizes.trials
        few = (
            " This run is a try, with far fewer people than the paper." if self.sizes.is_try else ""
        )
        return (
            f"The experiments of the paper, run again. Errors of means are over {surveys:,} surveys of {self.sizes.people:,} "
            "people each, distributions are those of as many people as the paper has. Reports are drawn "
            "by the mechanisms themselves; all methods see the same reports. In figures ± is one standard deviation over "
            "repeats; in claims it is a standard error. Numbers are on [-1, 1]; distributions have 256 bins, reports of PM and SW "
            f"64 cells.{few}"
        )

    def figures(self) -> Iterator[tuple[str, str]]:
        return ((figure.name, _figure(figure, self)) for figure in figures.FIGURES)

    def extras(self) -> Iterator[tuple[str, str]]:
        return ((name, page.table(frame)) for name, frame in self.tables.items())


def _figure(figure: figures.Figure, results: Results) -> str:
    parts, pictures, numbers = [page.text(figure.title + ".")], [], []
    for place, curve in enumerate(figures.panels(figure, results.curves)):
        title = results.titles[curve.dataset]
        stem = f"{figure.name.lower().replace(' ', '')}-{place}"
        pictures.append(plots.svg(figures.draw(figure, curve, title), stem))
        titles = {m: figures.TITLES.get(m, m) for m in curve.methods}
        table = page.curve_table(curve, titles, curve.xs)
        what = figure.labels[curve.measure][1]
        numbers.append(page.folded(f"Numbers: {title}, {what} by {curve.by}", table))
    return "\n".join([*parts, page.figures(pictures), *numbers]) if pictures else ""
