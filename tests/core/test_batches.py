"""Batches of reports into one tally: any form and order, in bounded memory, and what is refused."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.core.batches import RunningCount

GRR = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0)


def reports_of(mechanism, count=300, seed=1):
    held = np.random.default_rng(seed).integers(0, mechanism.domain.size, count)
    return mechanism.randomize_indices(held, sv.Seeded(seed))


def test_batches_of_every_form_are_the_whole(mechanism):
    reports = reports_of(mechanism)
    parts = [reports[:0], reports[:7], reports[7:90], reports[90:]]
    whole = mechanism.tally(reports)
    arrow = reports.to_arrow()
    assert sv.tally_batches(mechanism, parts) == whole
    assert sv.tally_batches(mechanism, iter(parts[::-1])) == whole
    assert sv.tally_batches(mechanism, [part.to_arrow() for part in parts]) == whole
    assert sv.tally_batches(mechanism, arrow.to_batches(max_chunksize=50)) == whole
    assert sv.tally_batches(mechanism, [parts[1], arrow[7:], parts[0]]) == whole


def test_no_batches_are_the_empty_tally(mechanism):
    assert sv.tally_batches(mechanism, []) == sv.Tally.empty(mechanism)
    assert sv.tally_batches(mechanism, iter(())) == sv.Tally.empty(mechanism)
    assert sv.tally_batches(mechanism, [reports_of(mechanism)[:0]]) == sv.Tally.empty(mechanism)


def test_batches_of_a_file_and_public_columns_beside_the_reports(tmp_path):
    reports = reports_of(GRR)
    table = reports.to_arrow().append_column("country", pa.array(["pt"] * 300))
    pq.write_table(table, tmp_path / "r.parquet", row_group_size=64)
    with pq.ParquetFile(tmp_path / "r.parquet") as file:
        found = sv.tally_batches(GRR, file.iter_batches(batch_size=50))
    assert found == GRR.tally(reports)


def test_a_batch_of_another_mechanism_is_refused_by_its_index():
    other = sv.mechanism("grr", GRR.domain, 2.0)
    mine, strange = reports_of(GRR), reports_of(other)
    for wrong in (strange, strange.to_arrow(), strange.to_arrow().to_batches()[0]):
        with pytest.raises(Mismatch, match=f"batch 2 of tally_batches: .*{other.fingerprint}"):
            sv.tally_batches(GRR, [mine, mine.to_arrow(), wrong])


def test_a_batch_that_is_not_reports_is_refused_by_its_index():
    mine = reports_of(GRR)
    with pytest.raises(
        CorruptBytes, match="batch 1 of tally_batches: the reports lack the columns"
    ):
        sv.tally_batches(GRR, [mine, pa.table({"other": [1, 2]})])
    with pytest.raises(InvalidInput, match="row 302 of column 'value' of reports .* got None"):
        sv.tally_batches(GRR, [mine, pa.table({"value": [1, None]})])
    with pytest.raises(InvalidInput, match=r"batch of Counter .* must be Arrow data .*; got \["):
        sv.tally_batches(GRR, [mine, [0, 1, 2]])


@pytest.mark.parametrize("form", ["reports", "table", "columns"])
def test_one_batch_is_not_an_iterable_of_batches(form):
    one = reports_of(GRR)
    forms = {"reports": one, "table": one.to_arrow(), "columns": one.columns}
    with pytest.raises(InvalidInput, match="batches of tally_batches must be an iterable"):
        sv.tally_batches(GRR, forms[form])


def test_memory_does_not_grow_with_the_number_of_batches(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    oue = sv.mechanism("oue", sv.Categories(1000), 1.0)
    reports = oue.randomize_indices(np.zeros(2000, dtype=int), sv.Seeded(1))

    def batches(count):
        for _ in range(count):
            yield sv.Reports(oue, {name: column.copy() for name, column in reports.columns.items()})

    def peak(count):
        tracemalloc.start()
        assert sv.tally_batches(oue, batches(count)).n == 2000 * count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(40)  # kernels are loaded
    assert peak(200) < 1.2 * peak(40)


def test_a_running_count_can_be_read_undone_and_continued(mechanism):
    reports = reports_of(mechanism)
    count = RunningCount(mechanism)
    assert count.tally() == sv.Tally.empty(mechanism)
    count.add(reports[:100])
    early = count.tally()
    count.add(reports[100:])
    assert early == mechanism.tally(reports[:100])
    assert count.tally() == mechanism.tally(reports)
    count.remove(reports[:100])
    assert count.tally() == mechanism.tally(reports[100:])
    count.add_tally(early)
    assert count.tally() == mechanism.tally(reports)
    with pytest.raises(InvalidInput, match="reports of tally of .* must be Reports"):
        count.remove([1])
