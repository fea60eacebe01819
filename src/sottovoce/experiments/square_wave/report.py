"""The results in words, tables and pictures: as a page, and as Markdown for the docs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sottovoce.core.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.square_wave import figures
from sottovoce.experiments.square_wave.methods import TITLES
from sottovoce.experiments.tables import claims_table, markdown, verdicts

if TYPE_CHECKING:
    from sottovoce.experiments.square_wave.run import Results

__all__ = ["data_table", "html_page", "summary_tables"]


def html_page(results: Results, title: str) -> str:
    """The page, with everything on it."""
    theirs = [f for f in results.findings if f.claim.where != "ours"]
    ours = [f for f in results.findings if f.claim.where == "ours"]
    lead = page.text(
        f"The experiments of the paper, run again with {results.repeats} repeats (half as many more "
        "for figures 5 to 7). Tallies follow the exact law of each mechanism; methods on one mechanism "
        "see the same tallies. Bands and ± are one standard deviation over repeats; in claims and "
        "tables ± is a standard error. All distances are on [0, 1].",
        verdicts(theirs),
    )
    sections = [
        ("The paper's claims", page.claim_cards(theirs)),
        ("Our own claims", page.claim_cards(ours)),
        ("Data", _data(results)),
    ]
    for figure in figures.FIGURES:
        if html := _figure(figure, results):
            sections.append((figure.name, html))
    tables = results.tables
    sections += [
        ("Best methods", page.table(tables["best"])),
        ("Adaptive smoothing", page.table(tables["adaptive"])),
    ]
    return page.document(f"Reproduction: {title}", lead, sections)


def _data(results: Results) -> str:
    skipped = "".join(f"<li>{escape(said)}</li>" for said in results.skipped)
    return (
        page.table(data_table(results))
        + (f"<p>Not run:</p><ul>{skipped}</ul>" if skipped else "")
        + "".join(page.text(f"{d.title}. {d.note}") for d in results.datasets.values())
    )


def data_table(results: Results) -> Frame:
    """Sizes of the data sets."""
    sets = list(results.datasets.values())
    return Frame(
        {
            "name": [d.name for d in sets],
            "data": [d.title for d in sets],
            "from": [f"{d.low:,.0f}" for d in sets],
            "to": [f"{d.high:,.0f}" for d in sets],
            "people": [f"{d.n:,}" for d in sets],
            "bins": [f"{d.bins:,}" for d in sets],
        }
    )


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


def summary_tables(results: Results) -> str:
    """The tables of the docs page, in Markdown."""
    theirs = [f for f in results.findings if f.claim.where != "ours"]
    parts = [
        verdicts(theirs),
        markdown(claims_table(results.findings)),
        markdown(data_table(results)),
        *(f"{name}\n\n{markdown(frame)}" for name, frame in results.tables.items()),
    ]
    return "\n\n".join(parts) + "\n"
