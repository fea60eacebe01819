"""Folders of a lake: what their names say, and folders that are refused."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.engines.lake import ReportFile, folder_columns, folder_name, report_files


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"PAR1")


@pytest.mark.parametrize("value", ["2026-W47", "a/b", "x=y", "è %20", "..", "007", "1e5", "."])
def test_names_of_folders_say_their_column_and_value_again(value):
    name = folder_name("key", value)
    assert "/" not in name and name.count("=") == 1
    assert folder_columns(PurePath("lake") / name / "part.parquet") == {"key": value}


def test_values_are_text_that_nobody_guesses():
    path = PurePath("survey=s1234567890123456789e123456789012/window=2026-11-16/code=007/p.parquet")
    assert folder_columns(path) == {
        "survey": "s1234567890123456789e123456789012", "window": "2026-11-16", "code": "007",
    }  # fmt: skip
    assert folder_columns(PurePath("plain/p=1.parquet")) == {}
    with pytest.raises(Unfit, match="more than one of its folders is named a="):
        folder_columns(PurePath("a=1/a=2/p.parquet"))


def test_all_parquet_files_are_found_and_marks_left_out(tmp_path):
    touch(tmp_path, "b.parquet", "k=2/a.pq", "k=1/deep/c.PARQUET", "_k=3/d.parquet")
    touch(tmp_path, "_SUCCESS", "notes.txt", "_temporary/x.parquet", ".x.parquet.crc",
          ".b.parquet.12.part", ".hidden/y.parquet", "_common.parquet")  # fmt: skip
    found = report_files(tmp_path)
    assert [str(file.path.relative_to(tmp_path)) for file in found] == [
        "_k=3/d.parquet", "b.parquet", "k=1/deep/c.PARQUET", "k=2/a.pq",
    ]  # fmt: skip
    assert found[0].columns == {"_k": "3"} and found[1].size == 4


def test_folders_without_reports_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="It has neither"):
        report_files(tmp_path)
    touch(tmp_path, "notes.txt", "_temporary/x.parquet")
    with pytest.raises(InvalidInput, match="a folder with Parquet files"):
        report_files(tmp_path)


@pytest.mark.parametrize(("mark", "table"), [("_delta_log", "Delta"), (".hoodie", "Hudi")])
def test_tables_that_keep_deleted_rows_are_refused(tmp_path, mark, table):
    touch(tmp_path, "t/a.parquet", f"t/{mark}/0.json")
    with pytest.raises(InvalidInput, match=f"{table} table may hold deleted rows"):
        report_files(tmp_path)


def test_linked_folders_are_read_and_a_loop_is_refused(tmp_path):
    touch(tmp_path, "elsewhere/a.parquet", "lake/b.parquet")
    (tmp_path / "lake/k=1").symlink_to(tmp_path / "elsewhere")
    assert len(report_files(tmp_path / "lake")) == 2
    (tmp_path / "lake/again").symlink_to(tmp_path / "lake")
    with pytest.raises(InvalidInput, match="count twice"):
        report_files(tmp_path / "lake")


def test_a_folder_that_stands_for_nothing_is_not_a_label(tmp_path):
    for name in ("k=__HIVE_DEFAULT_PARTITION__", "k="):
        touch(tmp_path, f"{name}/a.parquet")
        with pytest.raises(InvalidInput, match="folder k= of .* with a value"):
            ReportFile.at(tmp_path / name / "a.parquet").label("k")
