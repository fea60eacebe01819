"""The results in words, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.base.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.consistency import comparison, figures, intervals
from sottovoce.experiments.consistency.comparison import Cell
from sottovoce.experiments.consistency.methods import TITLES
from sottovoce.experiments.outcome import Outcome

__all__ = ["TITLE", "Results"]

TITLE = "Consistent and accurate frequency oracles under local differential privacy"


@dataclass(frozen=True, eq=False)
class Results(Outcome):
    """All that was measured."""

    title: ClassVar[str] = TITLE

    cells: Sequence[Cell]
    coverage: Sequence[intervals.Coverage]

    @property
    def tables(self) -> dict[str, Frame]:
        return {
            "summary": comparison.summary(self.cells),
            "exchangeable": comparison.exchangeable_table(self.cells),
            "top": comparison.top_table(self.cells),
            "coverage": intervals.coverage_table(self.coverage),
        }

    @property
    def lead(self) -> str:
        return (
            f"The experiments of the paper, run again with {self.repeats} repeats. Every method sees "
            "the same simulated tallies; tallies follow the exact law of optimized unary encoding. "
            "Bands and ± are one standard deviation over repeats; in claims and tables ± is a standard "
            "error."
        )

    def figures(self) -> Iterator[tuple[str, str]]:
        return ((figure.name, _figure(figure, self)) for figure in figures.FIGURES)

    def extras(self) -> Iterator[tuple[str, str]]:
        yield "Against the best method", _comparison(self)
        yield "Coverage of intervals", _coverage(self)


def _figure(figure: figures.Figure, results: Results) -> str:
    titles = dict(TITLES)
    parts = [page.text(figure.title + ".")]
    for number, curve in enumerate(figure.curves(results.curves)):
        title = figures.heading(curve, results.datasets)
        stem = f"{figure.name.lower().replace(' ', '')}-{number}"
        pictures = [
            plots.svg(panel, f"{stem}{side}")
            for side, panel in zip("ab", figures.panels(figure, curve, title), strict=True)
        ]
        parts.append(page.figures(pictures))
        parts.append(page.folded(f"Numbers: {title}", page.curve_table(curve, titles, figure.xs)))
    return "\n".join(parts) if len(parts) > 1 else ""


def _comparison(results: Results) -> str:
    cells: Sequence[Cell] = results.cells
    mechanisms = list(dict.fromkeys(cell.mechanism for cell in cells))
    pictures = [
        plots.svg(figures.ratios(cells, mechanism, "full"), f"ratio-{mechanism}-full")
        for mechanism in mechanisms
    ]
    tops = [
        plots.svg(figures.ratios(cells, mechanism, "top"), f"ratio-{mechanism}-top")
        for mechanism in mechanisms
    ]
    tables = results.tables
    return "\n".join(
        [
            page.text(
                "Exchangeable beside the best of Base, the ten post-processings and Power-NS, "
                "chosen in hindsight cell by cell; and an oracle that knows how many values have "
                "which share. With 17 values (msnbc) such an oracle knows nearly everything: it is left "
                "out of the oracle's mean.",
                "Where the best method's shares sum to 1, as ours do, ratios on sets are those on "
                "the full domain.",
            ),
            page.table(tables["summary"]),
            page.figures(pictures),
            page.folded("Numbers: exchangeable", page.table(tables["exchangeable"])),
            page.text('The automatic choice for goal="top", on the ten truly largest values.'),
            page.figures(tops),
            page.folded('Numbers: goal="top"', page.table(tables["top"])),
        ]
    )


def _coverage(results: Results) -> str:
    return page.text(
        "How often 95% intervals of simulated surveys (OUE, epsilon 1) hold the truth, and how wide "
        "they are beside those of Base."
    ) + page.table(results.tables["coverage"])
