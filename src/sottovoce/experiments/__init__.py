"""Papers reproduced: their figures and claims, with our numbers and a verdict on each.

One folder a paper.  ``reproduce`` runs one and writes a page that opens without
a network, all numbers as JSON, and pictures.

    sottovoce reproduce consistency --output reproductions

Without a folder of real data only made-up data sets are run, and the page says so.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.frame import Frame
from sottovoce.base.progress import Progress
from sottovoce.experiments.claims import Finding
from sottovoce.experiments.outcome import publish
from sottovoce.experiments.work import Workers, shown_progress

__all__ = ["Reproduction", "papers", "reproduce"]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What came out: findings, tables, what could not be run, and the files written."""

    paper: str
    findings: tuple[Finding, ...]
    tables: dict[str, Frame]
    skipped: tuple[str, ...]
    page: Path
    numbers: Path
    files: tuple[Path, ...]

    def verdicts(self) -> Frame:
        """One row a claim."""
        return Frame(
            {
                "claim": [f.claim.name for f in self.findings],
                "tested": [f.claim.allowed for f in self.findings],
                "ours": [f.ours for f in self.findings],
                "agree": [f.counted for f in self.findings],
                "verdict": [f.verdict for f in self.findings],
            }
        )


_PAPERS = {
    "consistency": "consistency",
    "square-wave": "square_wave",
    "wiener": "wiener",
    "mixture-reduction": "mixture_reduction",
    "fusion": "fusion",
}
"""Names, and the folders with ``TITLE``, ``REPEATS``, ``results`` and ``pictures``."""


def _module(paper: str) -> Any:
    return import_module(f"sottovoce.experiments.{_PAPERS[paper]}")


def papers() -> dict[str, str]:
    """The papers that can be reproduced: name and title."""
    return {paper: _module(paper).TITLE for paper in _PAPERS}


def reproduce(
    paper: str,
    *,
    data: Path | None = None,
    output: Path,
    repeats: int | None = None,
    progress: Progress | None = None,
    workers: Workers = None,
) -> Reproduction:
    """Run the experiments of a paper again and write what came out to the folder ``output``.

    ``data`` is the folder with real data sets; those that are not there are
    skipped.  ``repeats`` is the paper's own number, or what takes a quarter of an hour on two
    cores, unless given.  ``progress`` is told what is being done; by default a
    bar is shown where a person is looking.
    """
    check_choice(paper, "paper", "reproduce", tuple(_PAPERS))
    module = _module(paper)
    count = module.REPEATS if repeats is None else check_int(repeats, "repeats", "reproduce", 2)
    if data is not None and not data.is_dir():
        raise InvalidInput("data", "reproduce", "a folder", str(data))
    output.mkdir(parents=True, exist_ok=True)
    with shown_progress() if progress is None else nullcontext(progress) as told:
        results = module.results(data, count, progress=told, workers=workers)
        written = publish(results, output, paper, module.pictures(results), told)
    return Reproduction(
        paper, results.findings, results.tables, results.skipped,
        page=written[0], numbers=written[1], files=tuple(written),
    )  # fmt: skip
