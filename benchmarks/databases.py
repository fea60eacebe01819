"""``python -m benchmarks.databases``: DuckDB beside us, counting reports and joining services.

Counting: million reports per second and core, by the query of ``sv.tally_sql``, beside a bare loop
of pyarrow and ``mechanism.count``; the tallies must be the same, byte by byte.  Joining: three
services of PEOPLE people by ``fusion.joining``, beside a full outer join of DuckDB; users, and the
sum of every column, must be the same.  Every measurement is the processor time of a process of its
own, without starting it and importing; files lie in the page cache.

Why fusion does not join by DuckDB: in 2026-11 that took 0.55 to 0.65 of our processor time, but no
less memory (0.05 to 0.1 more), and finds neither keys that are there twice nor keys of another type.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
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
from benchmarks.fresh import peak_memory
from benchmarks.machine import describe_machine
from sottovoce.core.batches import RunningCount
from sottovoce.fusion.joining.files import ServiceFile
from sottovoce.fusion.joining.join import DEFAULT_MEMORY, join

PACKAGES = ("sottovoce", "numpy", "pyarrow", "duckdb")
RESULTS = Path(__file__).parent / "results"
LEAST_RATE = 15e6
"""Reports per second and core that counting by SQL must reach."""
_ROWS_A_BATCH = 2**17
_MEMORY = f"{DEFAULT_MEMORY // 2**20}MiB"
"""What DuckDB may take before it writes to disk: as much as our join."""
MECHANISMS = {
    "grr": sv.mechanism("grr", sv.Categories(1024), 1.0),
    "olh": sv.mechanism("olh", sv.Categories(1024), 1.0),
    "sw": sv.mechanism("sw", sv.Interval(0, 1, bins=1024), 1.0),
}
LINE = sv.Interval(-1, 1, bins=64)
SERVICES = {
    "bank": sv.mechanism("pm", LINE, 1.0),
    "shop": sv.mechanism("sw", LINE, 0.5),
    "gym": sv.mechanism("laplace", LINE, 1.0),
}


# -- the work, in processes of their own ---------------------------------------------------


def count_by_loop(folder: Path, name: str) -> dict[str, Any]:
    """Batches of pyarrow, counted by the mechanism."""
    mechanism = MECHANISMS[name]
    count = RunningCount(mechanism)
    with pq.ParquetFile(folder / f"{name}.parquet", pre_buffer=False, buffer_size=2**20) as file:
        for batch in file.iter_batches(batch_size=_ROWS_A_BATCH):
            columns = {f: batch.column(f).to_numpy() for f in batch.schema.names}
            count.add(sv.Reports(mechanism, columns))
    return {"tally": hashlib.sha256(count.tally().to_bytes()).hexdigest(), "n": count.n}


def _duckdb() -> Any:
    import duckdb

    return duckdb.connect(config={"threads": 1, "memory_limit": _MEMORY})


def count_by_query(folder: Path, name: str) -> dict[str, Any]:
    """The query of the mechanism, over a view of the file."""
    mechanism, connection = MECHANISMS[name], _duckdb()
    file = folder / f"{name}.parquet"
    connection.execute(f"CREATE VIEW reports AS SELECT * FROM '{file}'")  # noqa: S608
    found = connection.execute(sv.tally_sql(mechanism, "reports")).fetchnumpy()
    tally = sv.Tally.from_counts(mechanism, found["cell"], found["reports"])
    return {"tally": hashlib.sha256(tally.to_bytes()).hexdigest(), "n": tally.n}


def join_by_us(folder: Path, _: str) -> dict[str, Any]:
    """The join of fusion, on disk."""
    files = [ServiceFile.open(folder / f"{name}.parquet", key="person") for name in SERVICES]
    aligned = join(files, folder=folder)
    sums = [sum(int(c.sum(dtype=np.int64)) for c in r.columns.values()) for r in aligned.reports]
    return {"users": aligned.n, "sums": sums}


def join_by_duckdb(folder: Path, _: str) -> dict[str, Any]:
    """A full outer join, its result in our form: reports, and which of them a user has.

    Nobody checks here that a key is there once, which ours does.
    """
    connection = _duckdb()
    connection.execute(f"SET temp_directory = '{folder}'")
    names = list(SERVICES)
    fields = [SERVICES[name].fields[0].name for name in names]
    columns = ", ".join(f"{n}.{f} AS {n}" for n, f in zip(names, fields, strict=True))
    files = [f"'{folder}/{name}.parquet' AS {name}" for name in names]
    joins = files[0] + "".join(f" FULL JOIN {file} USING (person)" for file in files[1:])
    table = connection.sql(f"SELECT {columns} FROM {joins}").to_arrow_table()  # noqa: S608
    reports, rows = [], []
    for name in names:
        column = table.column(name)
        present = column.is_valid().to_numpy()
        reports.append(column.drop_null().to_numpy())
        rows.append(np.where(present, np.cumsum(present) - 1, -1))
    sums = [int(column.sum(dtype=np.int64)) for column in reports]
    return {"users": len(rows[0]), "sums": sums}


WORK: dict[str, Callable[[Path, str], dict[str, Any]]] = {
    "count-loop": count_by_loop,
    "count-duckdb": count_by_query,
    "join-ours": join_by_us,
    "join-duckdb": join_by_duckdb,
}


def _this_process(work: str, folder: str, name: str) -> None:
    """Do the work once and print what it took."""
    if "duckdb" in work:
        import duckdb  # noqa: F401 - importing is not timed
    before, start, used = peak_memory(), time.perf_counter(), time.process_time()
    found = WORK[work](Path(folder), name)
    took = {"wall": time.perf_counter() - start, "processor": time.process_time() - used}
    print(json.dumps({**found, **took, "bytes_before": before, "peak_bytes": peak_memory()}))


def _measured(work: str, folder: Path, name: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.databases", "--work", work, str(folder), name]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    root = Path(__file__).parents[1]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root, env=environment
    )
    return dict(json.loads(done.stdout))


# -- the data ------------------------------------------------------------------------------


def write_reports(folder: Path, name: str, rows: int) -> None:
    """Reports of one mechanism in a Parquet file: four million drawn, and repeated."""
    mechanism, random = MECHANISMS[name], np.random.default_rng(1)
    inputs = random.integers(0, mechanism.domain.size, min(rows, 4_000_000))
    table = mechanism.randomize_indices(inputs, sv.Seeded(1)).to_arrow()
    with pq.ParquetWriter(folder / f"{name}.parquet", table.schema, compression="zstd") as file:
        for start in range(0, rows, len(table)):
            file.write_table(table[: min(len(table), rows - start)], row_group_size=2**20)


def write_services(folder: Path, people: int) -> None:
    """Seven in ten people have a report of each service, in an order of its own."""
    random = np.random.default_rng(2)
    values = 2 * random.beta(2, 5, people) - 1
    keys = np.frombuffer(random.bytes(16 * people), dtype="V16")
    for number, (name, mechanism) in enumerate(SERVICES.items()):
        who = random.permutation(people)[: people * 7 // 10]
        table = mechanism.randomize(values[who], source=sv.Seeded(number)).to_arrow()
        data = pa.py_buffer(np.ascontiguousarray(keys[who]))
        person = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(who), [None, data])
        table = table.append_column("person", person)
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")


# -- the tables ----------------------------------------------------------------------------


def counting(folder: Path, rows: int) -> list[dict[str, Any]]:
    """DuckDB beside the loop, for every mechanism."""
    found = []
    for name in MECHANISMS:
        write_reports(folder, name, rows)
        loop, query = (_measured(work, folder, name) for work in ("count-loop", "count-duckdb"))
        if (loop["tally"], loop["n"]) != (query["tally"], rows):
            raise SystemExit(f"WRONG: the tallies of {name} differ")
        rates = {"loop": rows / loop["processor"], "duckdb": rows / query["processor"]}
        met = rates["duckdb"] >= LEAST_RATE
        found.append({"mechanism": name, "rows": rows, **rates, "met": met})
        (folder / f"{name}.parquet").unlink()
        print(found[-1], flush=True)
    return found


def joining(folder: Path, people: int) -> dict[str, Any]:
    """Our join beside DuckDB's."""
    write_services(folder, people)
    ours, theirs = (_measured(work, folder) for work in ("join-ours", "join-duckdb"))
    if any(ours[each] != theirs[each] for each in ("users", "sums")):
        raise SystemExit(f"WRONG: the joins of {people:,} people differ")
    for name in SERVICES:
        (folder / f"{name}.parquet").unlink()
    found = {"people": people, "ours": ours, "duckdb": theirs}
    print(found, flush=True)
    return found


def _markdown(counted: list[dict[str, Any]], joined: list[dict[str, Any]]) -> str:
    lines = [
        "# DuckDB beside us", "",
        "Counting, d = 1024, epsilon 1, one thread: million reports per second of processor time.", "",
        "| mechanism | rows | pyarrow loop | DuckDB, `tally_sql` | at least 15 |", "|---|---:|---:|---:|---|",
    ]  # fmt: skip
    for row in counted:
        rates = f"{row['loop'] / 1e6:.0f} | {row['duckdb'] / 1e6:.0f}"
        met = "yes" if row["met"] else "no"
        lines.append(f"| {row['mechanism']} | {row['rows']:,} | {rates} | {met} |")
    lines += [
        "", "Joining three services by key, 70% of people in each, one thread. Both may take 256 MiB before they "
        "write to disk; DuckDB's is without the checks of keys that ours makes:", "",
        "| people | | wall s | processor s | most memory |", "|---:|---|---:|---:|---:|",
    ]  # fmt: skip
    for row in joined:
        for who in ("ours", "duckdb"):
            one = row[who]
            memory = f"{one['peak_bytes'] / 2**20:,.0f} MiB"
            times = f"{one['wall']:.1f} | {one['processor']:.1f}"
            lines.append(f"| {row['people']:,} | {who} | {times} | {memory} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything once and write ``results/databases.json`` and ``.md``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.databases", description=__doc__)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=48_000_000, help="reports to count")
    parser.add_argument("--people", type=int, nargs="*", default=[2_000_000, 10_000_000])
    parser.add_argument("--folder", help="where the data goes; it is removed at the end")
    options = parser.parse_args()
    if options.work:
        _this_process(*options.work)
        return
    machine = describe_machine(PACKAGES)
    with tempfile.TemporaryDirectory(prefix="sottovoce-", dir=options.folder) as where:
        counted = counting(Path(where), options.rows)
        joined = [joining(Path(where), people) for people in options.people]
    text = _markdown(counted, joined)
    print(text)
    document = {"machine": machine, "counting": counted, "joining": joined}
    (RESULTS / "databases.json").write_text(json.dumps(document, indent=1) + "\n")
    note = f"{machine['processor']}, load {machine['load_average_at_start']}, {machine['date']}"
    (RESULTS / "databases.md").write_text(f"{text}\n{note}.\n")


if __name__ == "__main__":
    main()
