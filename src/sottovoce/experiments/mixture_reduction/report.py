"""The results in words, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from sottovoce.base.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.mixture_reduction import conditional, drawing, figures, tables
from sottovoce.experiments.mixture_reduction.methods import TITLES
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.outcome import Outcome, file_name

__all__ = ["TITLE", "Results"]

TITLE = "Revisiting EM-based estimation for locally differentially private protocols"


@dataclass(frozen=True, eq=False)
class Results(Outcome):
    """All that was measured."""

    title: ClassVar[str] = TITLE

    @property
    def tables(self) -> dict[str, Frame]:
        people = {name: d.n for name, d in self.datasets.items()}
        return {
            "Squared errors of shares, times a million": tables.frequency_table(self.curves),
            "MR over others, absolute errors": tables.gain_table(self.curves),
            "Exchangeable over its rivals, squared errors": tables.rival_table(self.curves),
            "Distributions by the number of people": tables.distribution_table(self.curves),
            "Means of keys, squared errors": tables.key_table(self.curves),
            "Proposition 1, squared errors times a million": tables.proposition_table(self.curves),
            "Table II": tables.seconds_table(self.curves, people),
        }

    @property
    def lead(self) -> str:
        return (
            f"The experiments of the paper, run again with {self.repeats} repeats (fewer where methods are slow: "
            "the tables tell). Values without order are in a random order. Tallies follow the exact law of each "
            "mechanism; methods on one mechanism see the same tallies. In figures and their numbers ± is one "
            "standard deviation over repeats; in claims and tables it is a standard error."
        )

    def figures(self) -> Iterator[tuple[str, str]]:
        return ((figure.name, _figure(figure, self)) for figure in figures.FIGURES)

    def extras(self) -> Iterator[tuple[str, str]]:
        return ((name, page.table(frame)) for name, frame in self.tables.items())

    def facts(self, source: Any) -> dict[str, Any]:
        return {"people": source.n, "values": _size(source)}

    def data_table(self) -> Frame:
        sets = list(self.datasets.values())
        return Frame(
            {
                "name": [d.name for d in sets],
                "data": [d.title for d in sets],
                "people": [f"{d.n:,}" for d in sets],
                "values, bins or keys": [f"{_size(d):,}" for d in sets],
            }
        )


def _size(source: Any) -> int:
    return int(source.bins if isinstance(source, Numbers) else source.size)


def _figure(figure: figures.Figure, results: Results) -> str:
    panels = list(figure.panels(results.curves, results.datasets))
    if not panels:
        return ""
    pictures = [
        plots.svg(drawing.draw(panel), f"{file_name(figure.name)}-{place}")
        for place, panel in enumerate(panels)
    ]
    parts = [page.text(figure.title + "."), page.figures(pictures)]
    for panel in panels:
        for curve in panel.numbers:
            if curve.by != "rank":
                titles = {m: {**TITLES, **conditional.TITLES}.get(m, m) for m in curve.methods}
                what = f"Numbers: {panel.heading}, {curve.measure}"
                parts.append(page.folded(what, page.curve_table(curve, titles, curve.xs)))
    return "\n".join(parts)
