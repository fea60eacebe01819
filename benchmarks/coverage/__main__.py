"""``python -m benchmarks.coverage``: how often tests and intervals are right.

    no-difference   A/A tests of 2 x 5,000 people: rejected in 5%?
    every-look      30 looks at growing surveys: the truth inside at all of them in 95%?
    differences     intervals of true differences: do they hold them in 95%?
    intervals       intervals of the default's shares, totals, means, quantiles, ranges, largest values
    records         intervals of cross tables: shares, percentages, differences of groups, Cramer's V
    regression      intervals of coefficients of regressions through the randomization
    independence    tables of independent questions: rejected in 5%?
    windows         trends of memoized reports: windows, means and changes of 100,000 people in 30 days

``--draws`` makes it smaller or larger.
"""

from __future__ import annotations

import argparse
import os
from math import sqrt
from pathlib import Path

from benchmarks.coverage import (
    differences,
    every_look,
    intervals,
    no_difference,
    records,
    regression,
    windows,
)

_DRAWS = {
    "no-difference": 10_000, "every-look": 20_000, "differences": 400, "intervals": 2_000,
    "records": 2_000, "independence": 10_000, "regression": 2_000, "windows": 1_500,
}  # fmt: skip


def _no_difference(draws: int, only: str) -> None:
    for name in (*no_difference.ORACLES, *no_difference.NUMBERS):
        for epsilon in (1.0, 2.0, 4.0):
            if only in f"{name} {epsilon:g}":
                for asked, rate in no_difference.rejections(name, epsilon, draws=draws):
                    print(f"{name:4} epsilon {epsilon:g}  {asked:10}  {rate:.4f}", flush=True)


def _every_look(draws: int, only: str) -> None:
    for name in no_difference.ORACLES:
        for epsilon in (1.0, 4.0):
            for share in (0.01, 0.1, 0.3):
                cell = f"{name} {epsilon:g} {share:g}"
                if only not in cell:
                    continue
                rates = [
                    *every_look.all_looks(name, epsilon, share, surveys=draws),
                    *every_look.differences_at_all_looks(name, epsilon, share, surveys=draws),
                ]
                print(cell, *(f"{what} {rate:.4f}" for what, rate in rates), sep="  ", flush=True)


def _differences(draws: int, only: str) -> None:
    for name, epsilon, sizes, about in differences.CELLS:
        cell = f"{name} {epsilon:g} {sizes[0]}+{sizes[1]} {about}"
        if only in cell:
            rates = differences.coverage(name, epsilon, sizes, about, draws)
            print(
                cell, *(f"{what} {rate:.4f}" for what, rate in rates.items()), sep="  ", flush=True
            )


def _intervals(draws: int, only: str) -> None:
    folder = os.environ.get("SOTTOVOCE_DATA")
    for cell in intervals.CELLS:
        if only in cell.name:
            rates = intervals.coverage(cell, Path(folder) if folder else None, draws)
            shown = (
                "no data" if rates is None else "  ".join(f"{k} {v:.3f}" for k, v in rates.items())
            )
            print(f"{cell.name:55} {shown}", flush=True)


def _records(draws: int, only: str) -> None:
    folder = os.environ.get("SOTTOVOCE_DATA")
    for cell in records.CELLS:
        if only in cell.name:
            rates = records.coverage(cell, Path(folder) if folder else None, draws)
            shown = (
                "no data" if rates is None else "  ".join(f"{k} {v:.3f}" for k, v in rates.items())
            )
            print(f"{cell.name:48} {shown}", flush=True)


def _independence(draws: int, only: str) -> None:
    for cell in records.NULLS:
        if only in cell.name:
            print(f"{cell.name:48} p < 5%  {records.rejections(cell, draws):.4f}", flush=True)


def _regression(draws: int, only: str) -> None:
    for cell in regression.CELLS:
        if only in cell.name:
            rates = regression.coverage(cell, draws)
            shown = "  ".join(f"{k} {v:.3f}" for k, v in rates.items())
            print(f"{cell.name:36} {shown}", flush=True)


def _windows(draws: int, only: str) -> None:
    for case in windows.CASES:
        if only in case.name:
            for what, rate in windows.coverage(case, draws).items():
                print(f"{case.name:15} {what:20} {rate:.4f}", flush=True)


_PARTS = {
    "no-difference": _no_difference,
    "every-look": _every_look,
    "differences": _differences,
    "intervals": _intervals,
    "records": _records,
    "regression": _regression,
    "independence": _independence,
    "windows": _windows,
}


def main() -> None:
    """Run one part and print a line per cell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("part", choices=_PARTS)
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--only", default="", help="cells whose name contains it")
    given = parser.parse_args()
    draws = given.draws or _DRAWS[given.part]
    print(f"{draws:,} draws a cell; one standard error at 0.05 is {sqrt(0.05 * 0.95 / draws):.4f}")
    _PARTS[given.part](draws, given.only)


if __name__ == "__main__":
    main()
