"""``python -m benchmarks.defaults``: is the default as good as the best method in hindsight?

    auto            the default, compared with the yardstick that is kept here
    record FILE     every method of the code at hand on every cell (hours; resumes where it stopped)
    keep FILE       what was recorded becomes part of the yardstick

``--held-out`` takes the sets that are kept for the end.  ``--draws``, ``--only TEXT`` (cells whose
name contains it) and ``--workers`` make it smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.defaults.cells import (
    DRAWS,
    Cell,
    Errors,
    all_cells,
    errors_of_auto,
    errors_of_methods,
    find_cell,
)
from benchmarks.defaults.table import Ratio, ratios_of, summary
from benchmarks.defaults.yardstick import marks_of, read_yardstick, write_yardstick


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
    parser.add_argument("task", choices=("auto", "record", "keep"))
    parser.add_argument("file", type=Path, nargs="?", help="of record and keep")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=25, help="how many of the worst cells to list")
    given = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if given.task != "auto" and given.file is None:
        parser.error(f"{given.task} needs a file")
    if given.task == "keep":
        return _keep(given.file)
    data = os.environ.get("SOTTOVOCE_DATA")
    folder = Path(data) if data else None
    cells = [cell for cell in all_cells(held_out=given.held_out) if given.only in cell.name]
    return _record(given, cells, folder) if given.task == "record" else _auto(given, cells, folder)


def _record(given: argparse.Namespace, cells: list[Cell], folder: Path | None) -> int:
    path: Path = given.file
    known: dict[str, Errors] = json.loads(path.read_text()) if path.is_file() else {}
    todo = [cell.name for cell in cells if cell.name not in known]
    for done, (name, errors) in enumerate(_runs("record", todo, folder, given), 1):
        known[name] = _rounded(errors)
        if done % 20 == 0:
            path.write_text(json.dumps(known, separators=(",", ":")))
    path.write_text(json.dumps(known, separators=(",", ":")))
    return 0


def _keep(path: Path) -> int:
    recorded: dict[str, Errors] = json.loads(path.read_text())
    yardstick = read_yardstick() | {name: marks_of(errors) for name, errors in recorded.items()}
    write_yardstick(yardstick)
    print(f"{len(recorded)} cells kept, {len(yardstick)} in all")
    return 0


def _auto(given: argparse.Namespace, cells: list[Cell], folder: Path | None) -> int:
    yardstick = read_yardstick()
    todo = [cell.name for cell in cells if cell.name in yardstick]
    ratios: list[Ratio] = []
    for name, errors in _runs("auto", todo, folder, given):
        ratios += ratios_of(name, errors, yardstick[name])
    print(summary(ratios))
    for one in sorted(ratios, key=lambda one: -one.ratio)[: given.show]:
        print(f"{one.ratio:6.2f} {one.measure:13} {one.cell:55} best {one.best} ({one.above:+.1f})")
    return int(any(one.too_high for one in ratios))


def _runs(
    task: str, names: list[str], folder: Path | None, given: argparse.Namespace
) -> Iterator[tuple[str, Errors]]:
    """The errors of every cell as it is ready; progress on standard error."""
    with ProcessPoolExecutor(given.workers) as pool:
        runs = [pool.submit(_work, task, name, folder, given.draws) for name in names]
        for done, run in enumerate(as_completed(runs), 1):
            name, errors = run.result()
            print(f"\r{done} of {len(runs)}: {name:60}", end="", file=sys.stderr, flush=True)
            if errors is not None:
                yield name, errors
    print(file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
