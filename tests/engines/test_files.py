"""Parquet files counted on one machine: exact however they are cut, and clear about what is wrong."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, Unfit
from sottovoce.engines import files as engine
from sottovoce.engines.files import count_files
from sottovoce.engines.lake import report_files, survey_label

GRR = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0)
SURVEY = sv.Survey("drinks", "What do you drink?", GRR)


def table_of(mechanism, count=900, seed=1):
    """Reports and a public column of three regions."""
    random = np.random.default_rng(seed)
    held = random.integers(0, mechanism.domain.size, count)
    regions = pa.array(np.array(["north", "south", "east"])[random.integers(0, 3, count)].tolist())
    return (
        mechanism.randomize_indices(held, sv.Seeded(seed))
        .to_arrow()
        .append_column("region", regions)
    )


def write(table, path, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)


def wanted(mechanism, tables, by):
    """By the counter, batch by batch: tested on its own."""
    counter = sv.Counter(mechanism, by)
    for table in tables:
        counter.add(table)
    return counter.tallies()


@pytest.mark.parametrize("name", ["grr", "olh", "oue", "ss", "seeded-hashing"])
def test_a_folder_is_the_sum_of_its_files(tmp_path, name):
    mechanism = sv.mechanism(name, sv.Categories(12), 1.0)
    tables = [table_of(mechanism, seed=seed) for seed in (1, 2, 3)]
    for k, table in enumerate(tables):
        write(table, tmp_path / f"day={k}" / "p.parquet", row_group_size=200)
    files = report_files(tmp_path)
    assert count_files(files).tallies() == wanted(mechanism, tables, ())
    assert count_files(files, ["region"]).tallies() == wanted(mechanism, tables, "region")
    both = [t.append_column("day", pa.array([str(k)] * len(t))) for k, t in enumerate(tables)]
    for by in (["day"], ["region", "day"], ["day", "region"]):
        assert count_files(files, by).tallies() == wanted(mechanism, both, by)


def test_large_files_are_cut_and_small_ones_gathered(tmp_path, monkeypatch):
    tables = [table_of(GRR, 5000, seed=1), *(table_of(GRR, 50, seed=s) for s in range(2, 9))]
    for k, table in enumerate(tables):
        write(table, tmp_path / f"{k}.parquet", row_group_size=500)
    files = report_files(tmp_path)
    monkeypatch.setattr(engine, "_TASK", files[0].size // 4)
    tasks = list(engine._tasks(files))
    assert len(tasks) > 4 and max(len(task) for task in tasks) > 2
    assert sum(piece.size for task in tasks for piece in task) <= sum(file.size for file in files)
    assert sorted(g for task in tasks for piece in task for g in piece.groups or ()) == list(
        range(10)
    )
    assert count_files(files, ["region"]).tallies() == wanted(GRR, tables, "region")


def test_processes_count_the_same(tmp_path, monkeypatch):
    tables = [table_of(GRR, 3000, seed=s) for s in (1, 2)]
    for k, table in enumerate(tables):
        write(table, tmp_path / f"window={k}" / "p.parquet", row_group_size=500)
    files = report_files(tmp_path)
    monkeypatch.setattr(engine, "_TASK", files[0].size // 3)
    done = []
    found = count_files(files, ["region"], SURVEY, workers=2, advance=done.append)
    assert found.tallies() == wanted(GRR, tables, "region")
    assert len(done) > 3
    bad = table_of(GRR).set_column(0, "value", pa.array([0] * 899 + [7]))
    write(bad.replace_schema_metadata(None), tmp_path / "window=2" / "p.parquet")
    with pytest.raises(
        InvalidInput, match=r"row 900 of column 'value' of .*window=2/p.parquet.* got 7"
    ):
        count_files(report_files(tmp_path), ["region"], SURVEY, workers=2)


def test_rows_are_numbered_in_their_file_whatever_was_read_before(tmp_path, monkeypatch):
    write(table_of(GRR, 70), tmp_path / "0.parquet")
    bad = table_of(GRR, 1000).set_column(0, "value", pa.array([0] * 776 + [None] + [1] * 223))
    write(bad.replace_schema_metadata(None), tmp_path / "1.parquet", row_group_size=100)
    for task in (2**25, 500):
        monkeypatch.setattr(engine, "_TASK", task)
        with pytest.raises(
            InvalidInput, match=r"row 777 of column 'value' of .*1.parquet.* got None"
        ):
            count_files(report_files(tmp_path), (), SURVEY)


def test_only_columns_that_are_needed_are_read(tmp_path):
    table = table_of(GRR).append_column("notes", pa.array(["x" * 50] * 900))
    path = tmp_path / "p.parquet"
    write(table, path, compression="none", use_dictionary=False)
    data, at = bytearray(path.read_bytes()), path.read_bytes().index(b"x" * 50)
    data[at + 50 : at + 54] = b"\xff" * 4  # the length of the second note
    path.write_bytes(bytes(data))
    with pytest.raises((pa.ArrowException, OSError)):
        pq.read_table(path)
    assert count_files(report_files(tmp_path), ["region"]).tallies() == wanted(
        GRR, [table], "region"
    )


def test_files_of_another_engine_need_the_survey(tmp_path):
    table = table_of(GRR)
    plain = table.set_column(0, "value", table.column("value").cast(pa.int16()))
    write(plain.replace_schema_metadata(None), tmp_path / "p.parquet")
    files = report_files(tmp_path)
    assert count_files(files, (), SURVEY).tallies() == wanted(GRR, [table], ())
    with pytest.raises(CorruptBytes, match=r"p.parquet: .*no sottovoce.format.*--survey"):
        count_files(files)


def test_other_mechanisms_and_surveys_are_refused_by_file(tmp_path):
    other = sv.mechanism("grr", GRR.domain, 2.0)
    write(table_of(GRR), tmp_path / survey(SURVEY) / "a.parquet")
    write(table_of(other), tmp_path / survey(SURVEY) / "b.parquet")
    with pytest.raises(Mismatch, match=f"b.parquet: .*{other.fingerprint}"):
        count_files(report_files(tmp_path))
    (tmp_path / survey(SURVEY) / "b.parquet").unlink()
    later = sv.Survey("drinks again", "What do you drink?", GRR)
    with pytest.raises(
        Mismatch, match=f"a.parquet is in the folder of the survey s{SURVEY.fingerprint}"
    ):
        count_files(report_files(tmp_path), (), later)
    write(table_of(GRR), tmp_path / survey(later) / "a.parquet")
    with pytest.raises(Mismatch, match="the files are of 2 surveys .*--by survey"):
        count_files(report_files(tmp_path))
    assert len(count_files(report_files(tmp_path), ["survey"]).tallies()) == 2


def survey(chosen):
    return f"survey={survey_label(chosen.fingerprint)}"


@pytest.mark.parametrize("harm", ["cut", "empty", "text", "middle"])
def test_a_corrupt_file_among_many_is_named(tmp_path, harm):
    for k in range(5):
        write(table_of(GRR), tmp_path / f"{k}.parquet")
    path = tmp_path / "3.parquet"
    data = path.read_bytes()
    harmed = {
        "cut": data[:-20], "empty": b"", "text": b"nothing",
        "middle": data[:4] + bytes(60) + data[64:],
    }  # fmt: skip
    path.write_bytes(harmed[harm])
    with pytest.raises(CorruptBytes, match=r"3\.parquet is not a readable Parquet file"):
        count_files(report_files(tmp_path))


def test_columns_that_are_missing_or_in_two_places_are_named(tmp_path):
    write(table_of(GRR), tmp_path / "region=north" / "p.parquet")
    files = report_files(tmp_path)
    with pytest.raises(Unfit, match=r"p.parquet: column 'region' is in the file and in its folder"):
        count_files(files, ["region"])
    with pytest.raises(
        Unfit, match=r"no public column 'town' in .*p.parquet \(it has: region, region\)"
    ):
        count_files(files, ["town"])
    write(table_of(GRR).drop_columns(["value"]), tmp_path / "region=north" / "p.parquet")
    with pytest.raises(CorruptBytes, match=r"p.parquet: the reports lack the columns \['value'\]"):
        count_files(report_files(tmp_path), (), SURVEY)


def test_a_folder_named_like_a_field_is_refused(tmp_path):
    write(table_of(GRR), tmp_path / "value=1" / "p.parquet")
    with pytest.raises(Unfit, match=r"p.parquet: a folder is named value=, which is a field"):
        count_files(report_files(tmp_path))
    with pytest.raises(InvalidInput, match="by of Counter"):
        count_files(report_files(tmp_path), ["value"])


def test_a_check_can_end_the_counting(tmp_path):
    write(table_of(GRR), tmp_path / "p.parquet")

    def few(counter):
        if counter.groups > 2:
            raise Unfit("too many")

    with pytest.raises(Unfit, match="too many"):
        count_files(report_files(tmp_path), ["region"], check=few)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (pa.array([1, 2, 1], pa.int8()), ["1", "2"]),
        (pa.array([True, False, True]), ["False", "True"]),
        (pa.array([1, 2, 1]).cast(pa.decimal128(20, 0)), ["1", "2"]),
        (pa.array([20000, 20001, 20000], pa.date32()), ["2024-10-04", "2024-10-05"]),
        (pa.array(["a", "b", "a"], pa.large_string()), ["a", "b"]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b"]),
    ],
    ids=str,
)
def test_groups_by_columns_of_any_plain_type(tmp_path, cells, labels):
    write(pa.table({"value": [0, 1, 2], "g": cells}), tmp_path / "p.parquet")
    found = count_files(report_files(tmp_path), ["g"], SURVEY).tallies()
    assert [group for (group,) in found] == labels
    assert sorted(tally.n for tally in found.values()) == [1, 2]


@pytest.mark.parametrize(
    "cells", [pa.array([[1], [2], [1]]), pa.array([b"a", b"b", b"a"])], ids=str
)
def test_columns_without_text_are_no_groups(tmp_path, cells):
    table = pa.table({"value": [0, 1, 2], "g": cells})
    write(table, tmp_path / "p.parquet")
    with pytest.raises(InvalidInput, match=r"column 'g' of .*p.parquet must be of text, numbers"):
        count_files(report_files(tmp_path), ["g"], SURVEY)
    with pytest.raises(InvalidInput, match="column 'g' of batches .* must be of text, numbers"):
        sv.Counter(GRR, by="g").add(table)
