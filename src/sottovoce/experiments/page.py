"""A page about a reproduction: one HTML file that opens without a network, on any screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sottovoce.base.frame import Frame
from sottovoce.experiments.claims import Finding
from sottovoce.experiments.curves import Curve

__all__ = [
    "claim_cards",
    "curve_table",
    "document",
    "figures",
    "folded",
    "section",
    "table",
    "text",
]

_LOOKS = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; } h3 { margin-bottom: .3rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: .6rem 0; border-block: 1px solid var(--line); }
a { color: inherit; }
.panels { display: flex; flex-wrap: wrap; gap: 1rem; margin: .5rem 0; }
.panels figure { flex: 1 1 21rem; max-width: 36rem; margin: 0; }
.panels svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } .word { text-align: left; }
td small { opacity: .7; display: block; font-size: .75rem; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.claim { border: 1px solid var(--line); border-left: .45rem solid #888; border-radius: .4rem; padding: .5rem .8rem .5rem 1.6rem; }
.claim summary { list-style-position: outside; } .claim summary small { display: block; opacity: .75; }
.claim dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .4rem 0; }
.claim dt { opacity: .75; } .claim dd { margin: 0; }
.held { border-left-color: #2e9e5b; } .partly { border-left-color: #d69a1f; } .not { border-left-color: #cf4a4a; }
.verdict { font-weight: 600; }
"""
_CLASSES = {"held": "held", "held partly": "partly", "did not hold": "not", "not tested": ""}


def document(title: str, lead: str, sections: Sequence[tuple[str, str]]) -> str:
    """The whole page; sections are pairs of a heading and HTML."""
    links = "".join(f'<a href="#{_anchor(name)}">{escape(name)}</a>' for name, _ in sections)
    body = "\n".join(section(name, html) for name, html in sections)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_LOOKS}</style></head><body>
<h1>{escape(title)}</h1>
{lead}
<nav aria-label="Sections">{links}</nav>
{body}
</body></html>
"""


def section(name: str, html: str) -> str:
    """A heading that can be linked to, and what stands under it."""
    return f'<h2 id="{_anchor(name)}">{escape(name)}</h2>\n{html}'


def _anchor(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def text(*paragraphs: str) -> str:
    """Paragraphs of plain text."""
    return "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)


def folded(summary: str, html: str) -> str:
    """HTML that opens on a click."""
    return f"<details><summary>{escape(summary)}</summary>{html}</details>"


def table(frame: Frame) -> str:
    """All rows; columns of words stand left."""
    words = {n: all(isinstance(c, str) for c in column) for n, column in frame.columns.items()}
    head = "".join(_cell("th", name, words[name]) for name in frame.columns)
    rows = (
        "<tr>" + "".join(_cell("td", _said(cell), words[n]) for n, cell in row.items()) + "</tr>"
        for row in frame
    )
    return _table(head, rows)


def curve_table(curve: Curve, titles: dict[str, str], xs: Iterable[float]) -> str:
    """Mean errors with their standard deviations: a row a method, a column an x."""
    shown = [curve.xs.index(x) for x in xs]
    head = _cell("th", curve.by, True) + "".join(
        _cell("th", f"{curve.xs[i]:g}", False) for i in shown
    )
    rows = []
    for j, method in enumerate(curve.methods):
        cells = "".join(
            f"<td>{curve.means[i, j]:.2e}<small>± {curve.deviations[i, j]:.1e}</small></td>"
            for i in shown
        )
        rows.append(f"<tr>{_cell('td', titles[method], True)}{cells}</tr>")
    return _table(head, rows)


def figures(pictures: Iterable[str]) -> str:
    """SVG pictures side by side where there is room, one under the other where not."""
    inside = "".join(f"<figure>{picture}</figure>" for picture in pictures)
    return f'<div class="panels">{inside}</div>'


def claim_cards(findings: Iterable[Finding]) -> str:
    """A card a claim: the verdict and the statement; the numbers open on a click."""
    return "\n".join(_card(finding) for finding in findings)


def _card(finding: Finding) -> str:
    claim = finding.claim
    facts = {
        "where": claim.where, "the paper": claim.paper, "note": claim.note,
    }  # fmt: skip
    said = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items() if v)
    frame = Frame(
        {
            "reading": [r.where for r in finding.readings],
            "value": [r.value for r in finding.readings],
            "± s.e.": [r.stderr for r in finding.readings],
            "agrees": ["yes" if finding.agrees(r) else "no" for r in finding.readings],
        }
    )
    readings = folded("All readings", table(frame)) if finding.readings else ""
    return (
        f'<details class="claim {_CLASSES[finding.verdict]}"><summary>'
        f'<span class="verdict">{finding.verdict}</span> '
        f"{escape(claim.statement)}<small>quotient {escape(claim.allowed)} in {finding.counted} "
        f"readings; ours {escape(finding.ours)}</small></summary>"
        f"<dl>{said}</dl>{readings}</details>"
    )


def _table(head: str, rows: Iterable[str]) -> str:
    body = "\n".join(rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(tag: str, said: str, word: bool) -> str:
    return f"<{tag}{' class=word' if word else ''}>{escape(said)}</{tag}>"


def _said(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
