"""``python -m sottovoce.experiments consistency``: reproduce a paper from the command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sottovoce.experiments import papers, reproduce

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Reproduce one paper, print the verdicts, and say where the page is."""
    parser = argparse.ArgumentParser(prog="python -m sottovoce.experiments", description=__doc__)
    parser.add_argument("paper", choices=tuple(papers()))
    parser.add_argument("--data", type=Path, default=os.environ.get("SOTTOVOCE_DATA") or None)
    parser.add_argument("--output", type=Path, default=Path("reproductions"))
    parser.add_argument("--repeats", type=int, default=None)
    parser.add_argument("--workers", type=int, default=None)
    chosen = parser.parse_args(arguments)
    found = reproduce(
        chosen.paper, data=None if chosen.data is None else Path(chosen.data),
        output=chosen.output, repeats=chosen.repeats, workers=chosen.workers,
    )  # fmt: skip
    for row in found.verdicts():
        print(f"{row['verdict']:<13} {row['agree']:>10}  {row['claim']}: {row['ours']}")
    for said in found.skipped:
        print(said)
    print(f"page:    {found.page}\nnumbers: {found.numbers}")


if __name__ == "__main__":
    main()
