"""``python -m benchmarks.streaming``: `sottovoce tally` of a folder beside a bare loop, DuckDB and Polars.

Million reports per second and core.  Every run is a process of its own on one core, and its processor
time is that of starting, reading and counting.  Rates are at the margin: the rows that a large folder
has more than a small one, over the processor time that it takes more, so that starting does not
count, for anybody.  A folder is one file of reports, linked many times, in the page cache.  All must
find the same tally.  The most memory of a process is looked at in a run on all cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sottovoce as sv
from benchmarks.machine import describe_machine
from sottovoce.core.batches import RunningCount

PACKAGES = ("sottovoce", "numpy", "numba", "pyarrow", "duckdb", "polars")
RESULTS = Path(__file__).parent / "results"
LINE, NAMES = sv.Interval(0, 1, bins=1024), sv.Categories(1024)
MECHANISMS = {
    "grr": sv.mechanism("grr", NAMES, 1.0), "olh": sv.mechanism("olh", NAMES, 1.0),
    "sw": sv.mechanism("sw", LINE, 1.0), "oue": sv.mechanism("oue", NAMES, 1.0),
}  # fmt: skip
ROWS = {"grr": 4_000_000, "olh": 4_000_000, "sw": 4_000_000, "oue": 1_000_000}
"""Reports of a file."""
FILES = {"grr": (15, 125), "olh": (15, 125), "sw": (15, 125), "oue": (5, 50)}
"""Files of the small and of the large folder."""
REGIONS = 8
ROUNDS = 2
LEAST_SHARE, MOST_TIMES, MOST_MEMORY = 0.8, 3.0, 300 * 2**20
"""Targets: of the bare loop's rate, --by over plain, bytes of a process."""
_BATCH = 2**17


# -- the work, in processes of their own ---------------------------------------------------


def by_loop(folder: Path, name: str) -> sv.Tally:
    """Batches of pyarrow, counted by the mechanism: nothing is checked but values."""
    mechanism = MECHANISMS[name]
    count, fields = RunningCount(mechanism), [field.name for field in mechanism.fields]
    for path in sorted(folder.iterdir()):
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
            for batch in file.iter_batches(_BATCH, columns=fields, use_threads=False):
                count.add(sv.Reports.from_arrow(batch, mechanism))
    return count.tally()


def by_duckdb(folder: Path, name: str) -> sv.Tally:
    """The query of the mechanism, over a view of the files."""
    import duckdb

    mechanism, connection = MECHANISMS[name], duckdb.connect(config={"threads": 1})
    connection.execute(f"CREATE VIEW reports AS SELECT * FROM '{folder}/*.parquet'")  # noqa: S608
    found = connection.execute(sv.tally_sql(mechanism, "reports")).fetchnumpy()
    return sv.Tally.from_counts(mechanism, found["cell"], found["reports"])


class _Polars:
    """Cell expressions in Polars; without it, they are those of SQL and numpy."""

    def field(self, name: str) -> Any:
        import polars

        return polars.col(name).cast(polars.Int64)

    def add(self, first: Any, second: Any) -> Any:
        return first + second

    def multiply(self, first: Any, factor: int) -> Any:
        return first * factor

    def divide(self, first: Any, divisor: int) -> Any:
        return first // divisor

    def at_most(self, first: Any, bound: int) -> Any:
        return first.clip(upper_bound=bound)


def by_polars(folder: Path, name: str) -> sv.Tally:
    """A group-by of the cell expression, streaming."""
    import polars

    mechanism = MECHANISMS[name]
    expression = mechanism.cell_expression()
    assert expression is not None
    cell = expression.under(_Polars())
    scanned = polars.scan_parquet(f"{folder}/*.parquet").group_by(cell.alias("cell"))
    found = scanned.agg(polars.len().alias("n")).collect(engine="streaming")
    return sv.Tally.from_counts(mechanism, found["cell"].to_numpy(), found["n"].to_numpy())


WORK: dict[str, Callable[[Path, str], sv.Tally]] = {
    "loop": by_loop,
    "duckdb": by_duckdb,
    "polars": by_polars,
}
COMMANDS: dict[str, list[str]] = {"command": [], "command --by": ["--by", "region"]}


def _digest(tally: sv.Tally) -> str:
    return hashlib.sha256(tally.to_bytes()).hexdigest()


# -- measuring -----------------------------------------------------------------------------


def _one_core() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def processor_time(command: list[str]) -> tuple[float, str]:
    """Processor seconds of a command on one core, and what it printed."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, check=True, env=environment, preexec_fn=_one_core,
        capture_output=True, text=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return used, done.stdout.strip()


def run_once(work: str, folder: Path, name: str, out: Path) -> tuple[float, str]:
    """Processor seconds of one engine on a folder, and the digest of its tally."""
    if work not in COMMANDS:
        module = [sys.executable, "-m", "benchmarks.streaming", "--work", work]
        return processor_time([*module, str(folder), name])
    more = COMMANDS[work]
    target = out / ("groups" if more else "all.svt")
    command = [sys.executable, "-m", "sottovoce.cli", "tally", str(folder), *more]
    used, _ = processor_time([*command, "--force", "-o", str(target)])
    found = [sv.Tally.read(p) for p in (target.glob("*.svt") if more else [target])]
    return used, _digest(sum(found[1:], found[0]))


def most_memory(folder: Path, out: Path, more: list[str]) -> tuple[int, int, float]:
    """The most bytes of any process of the command on all cores, the processes, and wall seconds."""
    target = out / ("groups" if more else "all.svt")
    command = [sys.executable, "-m", "sottovoce.cli", "tally", str(folder), *more]
    start, marks = time.perf_counter(), {}
    with subprocess.Popen(
        [*command, "--force", "-o", str(target)], start_new_session=True, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            marks.update(_marks(process.pid))
            time.sleep(0.01)
    if process.returncode:
        raise SystemExit(f"WRONG: {' '.join(command)} failed")
    return max(marks.values()), len(marks), time.perf_counter() - start


def _marks(session: int) -> dict[int, int]:
    """The most bytes that each process of a session has had so far."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat = (place / "stat").read_text().rpartition(")")[2].split()
            if int(stat[3]) == session:
                lines = (place / "status").read_text().splitlines()
                mark = next(line for line in lines if line.startswith("VmHWM:"))
                found[int(place.name)] = int(mark.split()[1]) * 1024
        except (OSError, StopIteration, IndexError):
            continue  # it has ended
    return found


# -- the data ------------------------------------------------------------------------------


def write_file(path: Path, name: str) -> None:
    """One file of reports, with a public column of regions."""
    mechanism, random, rows = MECHANISMS[name], np.random.default_rng(1), ROWS[name]
    held = np.minimum(random.geometric(0.005, rows), mechanism.domain.size) - 1
    regions = np.array([f"region-{number}" for number in range(REGIONS)])
    table = mechanism.randomize_indices(held, sv.Seeded(1)).to_arrow()
    column = pa.array(regions[random.integers(0, REGIONS, rows)])
    pq.write_table(
        table.append_column("region", column), path, compression="zstd", row_group_size=2**20
    )


def link(file: Path, folder: Path, count: int) -> Path:
    """A folder with a file many times."""
    folder.mkdir()
    for number in range(count):
        os.link(file, folder / f"part-{number:05d}.parquet")
    return folder


# -- the tables ----------------------------------------------------------------------------


def measure(where: Path, name: str) -> dict[str, Any]:
    """All engines on one mechanism: rates at the margin, the cost of --by, memory."""
    write_file(where / "one.parquet", name)
    folders = [link(where / "one.parquet", where / f"x{k}", k) for k in FILES[name]]
    rows = [count * ROWS[name] for count in FILES[name]]
    engines = ["loop", "command", "command --by"]
    engines += [] if MECHANISMS[name].cell_expression() is None else ["duckdb", "polars"]
    used: dict[str, list[float]] = {engine: [np.inf, np.inf] for engine in engines}
    for _ in range(ROUNDS):
        for size, folder in enumerate(folders):
            digests = set()
            for engine in engines:
                seconds, digest = run_once(engine, folder, name, where)
                used[engine][size] = min(used[engine][size], seconds)
                digests.add(digest)
            if len(digests) != 1:
                raise SystemExit(f"WRONG: the tallies of {name} differ")
    rates = {e: (rows[1] - rows[0]) / (large - small) for e, (small, large) in used.items()}
    memory = {}
    for more in ([], ["--by", "region"]):
        for count, folder in zip(rows, folders, strict=True):
            most, processes, wall = most_memory(folder, where, more)
            memory[f"{count} {' '.join(more)}".strip()] = {
                "bytes": most, "processes": processes, "wall": wall,
            }  # fmt: skip
    found = {
        "mechanism": name, "rows": rows, "file_bytes": (where / "one.parquet").stat().st_size,
        "processor_seconds": used, "rates": rates, "memory": memory,
        "share_of_loop": rates["command"] / rates["loop"],
        "by_over_plain": used["command --by"][0] / used["command"][0],
        "by_over_plain_at_margin": rates["command"] / rates["command --by"],
    }  # fmt: skip
    print(json.dumps(found), flush=True)
    return found


def markdown(measured: list[dict[str, Any]]) -> str:
    """The tables."""
    lines = [
        "# Streaming on one machine", "",
        "Million reports per second of processor time on one core, at the margin between two folders "
        f"(d = 1024, epsilon 1, Parquet with zstd, page cache; the least of {ROUNDS} runs each):", "",
        "| mechanism | rows | bare loop | `sottovoce tally` | share | DuckDB | Polars | `--by` 8 regions |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for one in measured:
        rate = {engine: f"{value / 1e6:.3g}" for engine, value in one["rates"].items()}
        small, large = (f"{count / 1e6:g}" for count in one["rows"])
        lines.append(
            f"| {one['mechanism']} | {small} to {large} M | {rate['loop']} | {rate['command']} "
            f"| {one['share_of_loop']:.2f} | {rate.get('duckdb', '-')} | {rate.get('polars', '-')} "
            f"| {rate['command --by']} |"
        )
    lines += [
        "", "Processor seconds of the whole command, with its start, and the most memory of any of its processes:", "",
        "| mechanism | rows | plain | `--by` | times | memory | memory `--by` |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for one in measured:
        for size, count in enumerate(one["rows"]):
            plain, by = (one["processor_seconds"][each][size] for each in COMMANDS)
            memory = [
                one["memory"][k]["bytes"] / 2**20 for k in (f"{count}", f"{count} --by region")
            ]
            lines.append(
                f"| {one['mechanism']} | {count / 1e6:g} M | {plain:.2f} | {by:.2f} | {by / plain:.2f} "
                f"| {memory[0]:.0f} MiB | {memory[1]:.0f} MiB |"
            )
    least = min(one["share_of_loop"] for one in measured)
    times = max(one["by_over_plain"] for one in measured)
    memory = max(run["bytes"] for one in measured for run in one["memory"].values())
    lines += [
        "", "| target | measured | met |", "|---|---:|---|",
        f"| the command at least {LEAST_SHARE} of the bare loop at the margin | {least:.2f} | {_met(least >= LEAST_SHARE)} |",
        f"| `--by` at most {MOST_TIMES:g} times plain on the small folder | {times:.2f} | {_met(times <= MOST_TIMES)} |",
        f"| a process below 300 MiB | {memory / 2**20:.0f} MiB | {_met(memory <= MOST_MEMORY)} |",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _met(met: bool) -> str:
    return "yes" if met else "no"


def main() -> None:
    """Measure everything once and write ``results/streaming.json`` and ``.md``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--only", nargs="*", choices=list(MECHANISMS), default=list(MECHANISMS))
    parser.add_argument("--folder", help="where the data goes; it is removed at the end")
    options = parser.parse_args()
    if options.work:
        work, folder, name = options.work
        print(_digest(WORK[work](Path(folder), name)))
        return
    machine, measured = describe_machine(PACKAGES), []
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="sottovoce-", dir=options.folder) as where:
            measured.append(measure(Path(where), name))
    text = markdown(measured)
    print(text)
    if len(measured) == len(MECHANISMS):
        document = {"machine": machine, "measured": measured}
        (RESULTS / "streaming.json").write_text(json.dumps(document, indent=1) + "\n")
        load = f"load {machine['load_average_at_start']} to {os.getloadavg()[0]:.2f}"
        note = f"{machine['processor']}, {machine['cores']} cores, {load}, {machine['date']}"
        (RESULTS / "streaming.md").write_text(f"{text}\n{note}.\n")


if __name__ == "__main__":
    main()
