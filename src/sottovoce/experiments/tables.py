"""Findings and tables in words and in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sottovoce.base.frame import Frame
from sottovoce.experiments.claims import Finding

__all__ = ["claims_table", "markdown", "verdicts"]


def verdicts(findings: Sequence[Finding]) -> str:
    """How many claims held, in a sentence."""
    counts = Counter(finding.verdict for finding in findings)
    parts = [(counts[v], v) for v in ("held", "held partly", "did not hold", "not tested")]
    return f"Of {len(findings)} claims " + ", ".join(f"{n} {v}" for n, v in parts if n) + "."


def claims_table(findings: Sequence[Finding]) -> Frame:
    """One row a claim, with the words of the paper."""
    return Frame(
        {
            "claim": [f.claim.statement for f in findings],
            "where": [f.claim.where for f in findings],
            "tested": [f.claim.allowed for f in findings],
            "ours": [f.ours for f in findings],
            "agree": [f.counted for f in findings],
            "verdict": [f.verdict for f in findings],
        }
    )


def markdown(frame: Frame) -> str:
    """A table in Markdown; columns of words stand left."""
    words = [all(isinstance(c, str) for c in column) for column in frame.columns.values()]
    lines = [
        "| " + " | ".join(frame.columns) + " |",
        "|" + "|".join("---" if word else "---:" for word in words) + "|",
    ]
    for row in frame:
        said = (f"{c:.3g}" if isinstance(c, float) else str(c) for c in row.values())
        lines.append("| " + " | ".join(text.replace("|", "\\|") for text in said) + " |")
    return "\n".join(lines)
