"""``python -m benchmarks.defaults``: is the default as good as the best method in hindsight?

    record FILE     every method on every cell, kept as the yardstick (hours; resumes where it stopped)
    auto FILE       the default on the same draws, compared with the yardstick

``--held-out`` takes the sets that are kept for the end.  ``--draws``, ``--only TEXT`` (cells whose
name contains it) and ``--workers`` make it smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.defaults.cells import (
    DRAWS,
    Errors,
    all_cells,
    errors_of_auto,
    errors_of_methods,
    find_cell,
)
from benchmarks.defaults.table import Ratio, ratios_of, summary


def _work(task: str, name: str, folder: Path | None, draws: int) -> tuple[str, Errors | None]:
    cell = find_cell(name)
    run = errors_of_methods if task == "record" else errors_of_auto
    return cell.name, run(cell, folder, draws)


def _rounded(errors: Errors) -> Errors:
    return {
        m: {k: [float(f"{x:.5g}") for x in v] for k, v in by.items()} for m, by in errors.items()
    }


def main() -> int:
    """Run what was asked for; the exit status is 1 where a ratio is too high."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.defaults", description=__doc__.split("\n")[0]
    )
    parser.add_argument("task", choices=("record", "auto"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=25, help="how many of the worst cells to list")
    given = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    data = os.environ.get("SOTTOVOCE_DATA")
    folder = Path(data) if data else None
    known: dict[str, Errors] = json.loads(given.file.read_text()) if given.file.is_file() else {}
    cells = [cell for cell in all_cells(held_out=given.held_out) if given.only in cell.name]
    todo = [cell for cell in cells if (cell.name in known) == (given.task == "auto")]
    found: dict[str, Errors] = {}
    with ProcessPoolExecutor(given.workers) as pool:
        runs = [pool.submit(_work, given.task, cell.name, folder, given.draws) for cell in todo]
        for done, run in enumerate(as_completed(runs), 1):
            name, errors = run.result()
            if errors is not None:
                found[name] = errors
            print(f"\r{done} of {len(runs)}: {name:60}", end="", file=sys.stderr, flush=True)
            if given.task == "record" and errors is not None:
                known[name] = _rounded(errors)
                if done % 20 == 0 or done == len(runs):
                    given.file.write_text(json.dumps(known, separators=(",", ":")))
    print(file=sys.stderr)
    if given.task == "record":
        return 0
    ratios: list[Ratio] = []
    for name, errors in found.items():
        methods = {m: {k: v[: given.draws] for k, v in by.items()} for m, by in known[name].items()}
        ratios += ratios_of(name, errors, methods)
    print(summary(ratios))
    for one in sorted(ratios, key=lambda one: -one.ratio)[: given.show]:
        print(f"{one.ratio:6.2f} {one.measure:13} {one.cell:55} best {one.best} ({one.above:+.1f})")
    return int(any(one.too_high for one in ratios))


if __name__ == "__main__":
    sys.exit(main())
