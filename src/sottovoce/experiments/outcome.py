"""What every reproduction comes to: measured curves, judged claims, and the files about them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from sottovoce.base.frame import Frame
from sottovoce.base.progress import Progress, silent
from sottovoce.experiments import page
from sottovoce.experiments.claims import Finding
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.plots import png
from sottovoce.experiments.tables import claims_table, markdown, verdicts
from sottovoce.experiments.work import write

__all__ = ["Outcome", "file_name", "publish"]


@dataclass(frozen=True, eq=False)
class Outcome(ABC):
    """All that was measured for a paper."""

    title: ClassVar[str]

    datasets: Mapping[str, Any]
    """By name; each has a name, a title, a note, and n people."""
    skipped: tuple[str, ...]
    repeats: int
    curves: Mapping[tuple[str, str], Curve]
    findings: tuple[Finding, ...]

    @property
    @abstractmethod
    def tables(self) -> dict[str, Frame]:
        """The tables, by name."""

    @property
    @abstractmethod
    def lead(self) -> str:
        """How it was run, in a paragraph."""

    @abstractmethod
    def figures(self) -> Iterable[tuple[str, str]]:
        """Name and HTML of every figure that was measured."""

    @abstractmethod
    def extras(self) -> Iterable[tuple[str, str]]:
        """Name and HTML of what stands behind the figures."""

    def facts(self, source: Any) -> dict[str, Any]:
        """The sizes of a data set, for the numbers."""
        return {"people": source.n, "values": source.size}

    def data_table(self) -> Frame:
        """The sizes of all data sets, for people."""
        sets: Sequence[Any] = list(self.datasets.values())
        return Frame(
            {
                "name": [d.name for d in sets],
                "data": [d.title for d in sets],
                "people": [f"{d.n:,}" for d in sets],
                "values": [f"{d.size:,}" for d in sets],
            }
        )

    @property
    def theirs(self) -> list[Finding]:
        """What became of the paper's own claims."""
        return [f for f in self.findings if f.claim.where != "ours"]

    def html_page(self) -> str:
        """The page, with everything on it."""
        ours = [f for f in self.findings if f.claim.where == "ours"]
        sections = [
            ("The paper's claims", page.claim_cards(self.theirs)),
            ("Our own claims", page.claim_cards(ours)),
            ("Data", self._data()),
            *((name, html) for name, html in self.figures() if html),
            *self.extras(),
        ]
        lead = page.text(self.lead, verdicts(self.theirs))
        return page.document(f"Reproduction: {self.title}", lead, sections)

    def _data(self) -> str:
        skipped = "".join(f"<li>{escape(said)}</li>" for said in self.skipped)
        return (
            page.table(self.data_table())
            + (f"<p>Not run:</p><ul>{skipped}</ul>" if skipped else "")
            + "".join(page.text(f"{d.title}. {d.note}") for d in self.datasets.values())
        )

    def summary_tables(self) -> str:
        """The tables of the docs page, in Markdown."""
        parts = [
            verdicts(self.theirs),
            markdown(claims_table(self.findings)),
            markdown(self.data_table()),
            *(f"{name}\n\n{markdown(frame)}" for name, frame in self.tables.items()),
        ]
        return "\n\n".join(parts) + "\n"

    def document(self) -> dict[str, Any]:
        """Everything in numbers and strings."""
        return {
            "paper": self.title,
            "repeats": self.repeats,
            "skipped": list(self.skipped),
            "datasets": {d.name: {**self.facts(d), "note": d.note} for d in self.datasets.values()},
            "claims": [finding.document() for finding in self.findings],
            "tables": {name: frame.columns for name, frame in self.tables.items()},
            "curves": [curve.document() for curve in self.curves.values()],
        }


def file_name(figure: str) -> str:
    """``Figure 2`` as part of a file's name."""
    return figure.lower().replace(" ", "-")


def publish(
    outcome: Outcome,
    output: Path,
    stem: str,
    pictures: Iterable[tuple[str, Any]],
    progress: Progress = silent,
) -> list[Path]:
    """Page, numbers, tables and ``pictures`` as files of a folder; page and numbers first."""
    progress("page", 0.0)
    written = [
        write(output / f"{stem}.html", outcome.html_page()),
        write(output / f"{stem}.json", json.dumps(outcome.document(), indent=1)),
        write(output / f"{stem}-tables.md", outcome.summary_tables()),
    ]
    written += [write(output / f"{name}.png", png(picture)) for name, picture in pictures]
    progress("page", 1.0)
    return written
