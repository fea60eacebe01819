"""``python -m benchmarks.records``: designs of a record in hindsight, and two-way tables against HDG.

    designs                     the design that a plan chooses, over the best of all in hindsight
    grids --checkout FOLDER     two-way tables against the public code of HDG

Each writes its part of ``results/records.json`` and all of ``results/records.md``.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_machine
from benchmarks.records import designs, grids

_RESULTS = Path(__file__).parents[1] / "results"
_DESIGNS_TARGET, _PACKAGES = 1.1, ("numpy",)


def main(arguments: list[str] | None = None) -> None:
    """Run one of the two, print its rows, write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.records", description=__doc__)
    parser.add_argument("task", choices=("designs", "grids"))
    parser.add_argument("--checkout", type=Path, help="of github.com/YangJianyu-bupt/privmdr")
    chosen = parser.parse_args(arguments)
    if (chosen.task == "grids") != (chosen.checkout is not None):
        parser.error("--checkout is for grids, which needs it")
    rows = []
    found = designs.compare() if chosen.task == "designs" else grids.compare(chosen.checkout)
    for row in found:
        designed = isinstance(row, designs.Row)
        more = {"over_best": row.over_best} if designed else {"readable": row.readable}
        rows.append(asdict(row) | more)
        print(rows[-1], flush=True)
    path = _RESULTS / "records.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results |= {chosen.task: rows, "machine": describe_machine(_PACKAGES)}
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(as_page(results), encoding="utf-8")


def as_page(results: dict[str, Any]) -> str:
    """Both tables, with their targets."""
    lines = ["# Records of several questions", ""]
    if rows := results.get("designs"):
        worst = max(row["over_best"] for row in rows)
        lines += [
            "Error of a cell of a two-way table (root mean square, mean over pairs) by design, 50,000 people with correlated",
            "answers; *chosen* is what `sv.plan(record, goal=\"tables\")` takes, knowing sizes and epsilon only:", "",
            "| questions | answers | epsilon | pairs | mixed | parities | joint | split | chosen | over best |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|",
        ]  # fmt: skip
        for row in rows:
            names = ("pairs", "mixed", "parities", "joint", "split")
            errors = [f"{row['errors'][n]:.5f}" if n in row["errors"] else "-" for n in names]
            first = [str(row["questions"]), str(row["answers"]), f"{row['epsilon']:g}"]
            cells = [*first, *errors, row["chosen"], f"{row['over_best']:.3f}"]
            lines.append(f"| {' | '.join(cells)} |")
        met = "yes" if worst <= _DESIGNS_TARGET else "no"
        lines += [
            "",
            f"Target: within 10% of the best in hindsight. Worst {worst:.3f}: met, {met}.",
            "",
        ]
    if rows := results.get("grids"):
        lines += [
            "Mean absolute error over all cells of all two-way tables of d answers each, against HDG (its public code, the same",
            "people; 1,000,000 people with 6 attributes of 64 values, and 50,000 with 8 of 16):", "",
            "| people | attributes | epsilon | d | HDG | unbiased | over HDG | not negative | over HDG | readable |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
        ]  # fmt: skip
        for row in rows:
            first = [f"{row['people']:,}", str(row["attributes"]), f"{row['epsilon']:g}"]
            errors = [f"{row['grids']:.5f}"]
            for name in ("unbiased", "nonnegative"):
                errors += [f"{row[name]:.5f}", f"{row[name] / row['grids']:.2f}"]
            readable = "yes" if row["readable"] else "no"
            lines.append(f"| {' | '.join([*first, str(row['answers']), *errors, readable])} |")
        read = [row["nonnegative"] / row["grids"] for row in rows if row["readable"]]
        below = sum(quotient < 1 for quotient in read)
        lines += [
            "",
            "*Readable*: the plan expects a cell to err by no more than it has on average, and else advises fewer answers.",
            "HDG smooths: it reports 2 to 4 bins per attribute for pairs and 8 to 32 for one, and spreads people within bins,",
            "which is better than cells of which each is noise. *Not negative*: the nearest distribution to the unbiased one.", "",
            f"Target: below HDG. Met by {below} of {len(read)} readable tables (worst {max(read):.2f}) and by "
            f"{sum(row['nonnegative'] < row['grids'] for row in rows)} of all {len(rows)}.", "",
        ]  # fmt: skip
    machine = results["machine"]
    lines.append(f"{machine['processor']}, {machine['cores']} cores, {machine['date']}.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
