"""Files that workers read themselves: the same tallies, and what is refused of a folder."""

from __future__ import annotations

import pyarrow as arrow
import pytest
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, Unfit
from sottovoce.engines import files as pieces
from sottovoce.engines.spark import files
from support.spark import by_region, drawn, examples, with_regions

pytestmark = pytest.mark.slow

MECHANISMS = examples()
DRINKS = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
SURVEY = sv.Survey("drinks", "Tea?", DRINKS)


@pytest.fixture
def lake(tmp_path):
    """A folder as a collector hands it over, with names that need care."""
    folder = tmp_path / "a lake" / f"survey=s{SURVEY.fingerprint}"
    reports = drawn(DRINKS)
    for i, (window, region) in enumerate([("2026-11-16", "north"), ("2026-11-16", "a%2Fb"), ("0042", "south")]):  # fmt: skip
        place = folder / f"window={window}" / f"region={region}"
        place.mkdir(parents=True)
        parquet.write_table(reports[100 * i : 100 * i + 100].to_arrow(), place / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    unfinished = folder / "_temporary"
    unfinished.mkdir()
    parquet.write_table(reports.to_arrow(), unfinished / "part-9.parquet")
    return tmp_path / "a lake", reports


@pytest.mark.parametrize("one", MECHANISMS, ids=lambda m: f"{m.name}-{m.domain.size}-{m.cells}")
def test_every_mechanism(one, spark, tmp_path, monkeypatch):
    reports = drawn(one)
    table = with_regions(reports)
    parquet.write_table(table.slice(0, 10), tmp_path / "a.parquet")
    parquet.write_table(table.slice(10), tmp_path / "b.parquet", row_group_size=50)
    monkeypatch.setattr(files, "_TASK", 1500)  # several tasks
    found = svs.collect(svs.tally_files(str(tmp_path), one, by=["region"], spark=spark))
    wanted = by_region(reports)
    assert {k: t.to_bytes() for k, t in found.items()} == {k: t.to_bytes() for k, t in wanted.items()}  # fmt: skip


def test_a_large_file_is_read_by_several_tasks(spark, tmp_path, monkeypatch):
    """Workers see the size at which files are divided as it is: the file has to be that large."""
    reports = drawn(DRINKS, 2000)
    parquet.write_table(reports.to_arrow(), tmp_path / "a.parquet", row_group_size=50)
    size = (tmp_path / "a.parquet").stat().st_size
    monkeypatch.setattr(pieces, "_TASK", size // 5)
    monkeypatch.setattr(files, "_TASK", 1)
    shares = [share for task in files._tasks([files.StoredFile.named(f"file:{tmp_path}/a.parquet", size)]) for share in task]  # fmt: skip
    assert [share.index for share in shares] == list(range(len(shares)))
    assert len(shares) >= 5
    together = [piece for share in shares for piece in files._pieces(share)]
    assert [piece.groups for piece in together] == [(k,) for k in range(40)]
    counted = pieces.CountPieces(DRINKS, (), None)
    found = [counted(files._pieces(share))[1] for share in shares]
    counter = sv.Counter(DRINKS)
    for partials in found:
        counter.merge(partials)
    assert counter.tallies()[()] == DRINKS.tally(reports)


def test_folders_are_columns(lake, spark):
    place, reports = lake
    found = svs.collect(svs.tally_files(str(place), SURVEY, by=["region", "window"], spark=spark))
    assert found == {
        ("a/b", "2026-11-16"): DRINKS.tally(reports[100:200]).of_window("2026-11-16"),
        ("north", "2026-11-16"): DRINKS.tally(reports[:100]).of_window("2026-11-16"),
        ("south", "0042"): DRINKS.tally(reports[200:300]).of_window("0042"),
    }
    whole = svs.tally_files(str(place), SURVEY, spark=spark)
    assert svs.collect(whole) == {(): DRINKS.tally(reports[:300])}
    one = svs.tally_files(f"{place}/*/window=0042", SURVEY, by="window", spark=spark)
    assert list(svs.collect(one)) == [("0042",)]


def test_a_folder_of_another_survey(lake, spark):
    other = sv.Survey("drinks", "Coffee?", DRINKS)
    with pytest.raises(
        Mismatch,
        match=f"is in the folder of the survey s{SURVEY.fingerprint}; 'drinks' is s{other.fingerprint}",
    ):
        svs.tally_files(str(lake[0]), other, spark=spark)


def test_one_corrupt_file_among_many(lake, spark):
    place, reports = lake
    for i in range(30):
        parquet.write_table(reports[i : i + 5].to_arrow(), place / f"more-{i}.parquet")
    (place / "more-17.parquet").write_bytes(b"PAR1 but nothing else PAR1")
    tallies = svs.tally_files(str(place), SURVEY, spark=spark)
    with pytest.raises(CorruptBytes, match=r"more-17\.parquet is not a readable Parquet file"):
        svs.collect(tallies)


def test_files_of_other_reports(lake, spark):
    place, _ = lake
    other = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 2.0)
    parquet.write_table(drawn(other).to_arrow(), place / "other.parquet")
    with pytest.raises(Mismatch, match=r"other\.parquet: reports of .*epsilon=2"):
        svs.collect(svs.tally_files(str(place), SURVEY, spark=spark))
    parquet.write_table(arrow.table({"x": [1]}), place / "other.parquet")
    with pytest.raises(CorruptBytes, match=r"other\.parquet: .*lack the columns .'value'"):
        svs.collect(svs.tally_files(str(place), SURVEY, spark=spark))
    (place / "other.parquet").unlink()
    with pytest.raises(Unfit, match="no public column 'country' in"):
        svs.collect(svs.tally_files(str(place), SURVEY, by="country", spark=spark))


def test_values_outside(spark, tmp_path):
    parquet.write_table(arrow.table({"value": [0, 1, 7]}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"row 3 of .*from 0 to 2; got 7|from 0 to 2; got 7"):
        svs.collect(svs.tally_files(str(tmp_path), DRINKS, spark=spark))


def test_nothing_there(spark, tmp_path):
    with pytest.raises(InvalidInput, match="that exists"):
        svs.tally_files(str(tmp_path / "nowhere"), DRINKS, spark=spark)
    with pytest.raises(InvalidInput, match="a place with Parquet files"):
        svs.tally_files(str(tmp_path), DRINKS, spark=spark)
    (tmp_path / "notes.txt").write_text("none")
    with pytest.raises(InvalidInput, match="a place with Parquet files"):
        svs.tally_files(str(tmp_path), DRINKS, spark=spark)
    with pytest.raises(InvalidInput, match="the name of a folder or file"):
        svs.tally_files(7, DRINKS, spark=spark)
    with pytest.raises(InvalidInput, match="a SparkSession"):
        svs.tally_files(str(tmp_path), DRINKS, spark="local")
