"""The results in words, tables and pictures: as a page, and as Markdown for the docs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sottovoce.core.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.tables import claims_table, markdown, verdicts
from sottovoce.experiments.wiener import figures

if TYPE_CHECKING:
    from sottovoce.experiments.wiener.run import Results

__all__ = ["data_table", "html_page", "summary_tables"]


def html_page(results: Results, title: str) -> str:
    """The page, with everything on it."""
    theirs = [f for f in results.findings if f.claim.where != "ours"]
    ours = [f for f in results.findings if f.claim.where == "ours"]
    lead = page.text(
        f"The experiments of the paper, run again with {results.repeats} repeats. Tallies follow the "
        "exact law of each mechanism; methods on one oracle see the same tallies. In figures and their "
        "numbers ± is one standard deviation over repeats; in claims it is a standard error. IIW-G is "
        "drawn also where the library refuses it.",
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
    sections += [(name, page.table(frame)) for name, frame in results.tables.items()]
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
            "people": [f"{d.n:,}" for d in sets],
            "values": [f"{d.size:,}" for d in sets],
        }
    )


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
