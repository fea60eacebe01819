"""The results in words, tables and pictures: as a page, and as Markdown for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from sottovoce.core.frame import Frame
from sottovoce.experiments import page, plots
from sottovoce.experiments.consistency import figures
from sottovoce.experiments.consistency.comparison import Cell
from sottovoce.experiments.consistency.methods import TITLES
from sottovoce.experiments.tables import claims_table, markdown, verdicts

if TYPE_CHECKING:
    from sottovoce.experiments.consistency.run import Results

__all__ = ["html_page", "summary_tables"]


def html_page(results: Results, title: str) -> str:
    """The page, with everything on it."""
    theirs = [f for f in results.findings if f.claim.where != "ours"]
    ours = [f for f in results.findings if f.claim.where == "ours"]
    lead = page.text(
        f"The experiments of the paper, run again with {results.repeats} repeats. Every method sees "
        "the same simulated tallies; tallies follow the exact law of optimized unary encoding. "
        "Bands and ± are one standard deviation over repeats; in claims and tables ± is a standard "
        "error.",
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
    sections += [
        ("Against the best method", _comparison(results)),
        ("Coverage of intervals", _coverage(results)),
    ]
    return page.document(f"Reproduction: {title}", lead, sections)


def _data(results: Results) -> str:
    skipped = "".join(f"<li>{escape(said)}</li>" for said in results.skipped)
    rows = data_table(results)
    return (
        page.table(rows)
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
                "Empirical Bayes beside the best of Base, the ten post-processings and Power-NS, "
                "chosen in hindsight cell by cell; and an oracle that knows how many values have "
                "which share. With 17 values (msnbc) such an oracle knows nearly everything: it is left "
                "out of the oracle's mean.",
                "Where the best method's shares sum to 1, as ours do, ratios on sets are those on "
                "the full domain.",
            ),
            page.table(tables["summary"]),
            page.figures(pictures),
            page.folded("Numbers: empirical Bayes", page.table(tables["empirical Bayes"])),
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


# -- Markdown -----------------------------------------------------------------------------


def summary_tables(results: Results) -> str:
    """The tables of the docs page, in Markdown."""
    tables = results.tables
    parts = [
        verdicts([f for f in results.findings if f.claim.where != "ours"]),
        markdown(claims_table(results.findings)),
        markdown(data_table(results)),
        *(f"{name}\n\n{markdown(frame)}" for name, frame in tables.items()),
    ]
    return "\n\n".join(parts) + "\n"
