"""Folders of Parquet files through the command line: as one tally, by column, by folder, with a survey."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.cli.shared.outputs import read_folder
from sottovoce.engines.lake import survey_label
from support.commands import refusal, run, run_json

GRR = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
SURVEY = sv.Survey("drinks", "What do you drink?", GRR, minimum_batch=1)
LAKE = f"lake/survey={survey_label(SURVEY.fingerprint)}"
WINDOWS = ("2026-W46", "2026-W47")


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """Two windows of reports with a region each, in a lake; by window, the reports and regions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drinks.json").write_text(SURVEY.to_json(), encoding="utf-8")
    found = {}
    for seed, window in enumerate(WINDOWS):
        random = np.random.default_rng(seed)
        drawn = GRR.randomize_indices(random.integers(0, 2, 400), sv.Seeded(seed))
        regions = np.array(["north", "south"])[random.integers(0, 2, 400)]
        folder = tmp_path / LAKE / f"window={window}"
        folder.mkdir(parents=True)
        table = drawn.to_arrow().append_column("region", pa.array(regions.tolist()))
        pq.write_table(table[:150], folder / "part-0000.parquet")
        pq.write_table(table[150:], folder / "part-0001.parquet")
        found[window] = drawn, regions
    return found


def test_a_folder_is_one_tally_or_one_per_group(reports):
    whole = sum(GRR.tally(drawn) for drawn, _ in reports.values())
    assert run_json("tally", "lake", "-o", "all.svt")["reports"] == 800
    assert sv.Tally.read("all.svt") == whole
    run("tally", LAKE, "--by", "window", "-o", "windows")
    column, groups = read_folder(Path("windows"))
    assert column == "window"
    assert groups == {
        window: GRR.tally(drawn).of_window(window) for window, (drawn, _) in reports.items()
    }
    run("tally", "lake", "--by", "region", "-o", "regions")
    _, groups = read_folder(Path("regions"))
    assert list(groups) == ["north", "south"] and sum(groups.values()) == whole
    north = sum(int((regions == "north").sum()) for _, regions in reports.values())
    assert groups["north"].n == north
    assert run_json("estimate", "lake") == run_json("estimate", "all.svt")


def test_folders_files_and_tallies_together(reports):
    one, two = (f"{LAKE}/window={window}" for window in WINDOWS)
    run("tally", two, "-o", "two.svt")
    run("tally", f"{one}/part-0000.parquet", f"{one}/part-0001.parquet", "two.svt", "-o", "all.svt")
    run("tally", "lake", "-o", "lake.svt")
    assert sv.Tally.read("all.svt") == sv.Tally.read("lake.svt")
    piped = run("tally", "-", "-o", "-", stdin=Path(f"{one}/part-0000.parquet").read_bytes())
    assert sv.Tally.from_bytes(piped.stdout_bytes).n == 150
    for inputs in (["lake", f"{one}/part-0000.parquet"], ["lake", LAKE], ["lake", "./lake"]):
        assert "count twice" in refusal("tally", *inputs, "-o", "twice.svt")


def test_files_of_another_engine_are_read_with_the_survey(reports):
    for path in Path("lake").rglob("*.parquet"):
        table = pq.read_table(path).replace_schema_metadata(None)
        table = table.set_column(0, "value", table.column("value").cast(pa.int16()))
        pq.write_table(
            table.drop_columns("window") if "window" in table.column_names else table, path
        )
    assert "give --survey" in refusal("tally", "lake", "-o", "t.svt")
    run("tally", "lake", "--survey", "drinks.json", "-o", "t.svt")
    assert sv.Tally.read("t.svt") == sum(GRR.tally(drawn) for drawn, _ in reports.values())


def test_nothing_is_written_where_anything_is_wrong(reports):
    other = sv.Survey("others", "What do you drink?", GRR)
    Path("other.json").write_text(other.to_json(), encoding="utf-8")
    line = refusal("tally", "lake", "--survey", "other.json", "-o", "t.svt")
    assert f"survey {survey_label(SURVEY.fingerprint)}" in line and "part-0000.parquet" in line
    strange = sv.mechanism("grr", GRR.domain, 2.0)
    Path("strange.json").write_text(sv.Survey("s", "t", strange).to_json(), encoding="utf-8")
    run("tally", "lake", "-o", "fine.svt")
    line = refusal("tally", "fine.svt", "--survey", "strange.json", "-o", "t.svt")
    assert "fine.svt" in line and strange.fingerprint in line
    last = Path(f"{LAKE}/window={WINDOWS[1]}/part-0001.parquet")
    last.write_bytes(last.read_bytes()[:-9])
    for by in ((), ("--by", "region"), ("--by", "window")):
        assert "part-0001.parquet is not a readable" in refusal("tally", "lake", *by, "-o", "t")
    Path("hollow").mkdir()
    assert "It has neither" in refusal("tally", "hollow", "-o", "t.svt")
    assert sorted(path.name for path in Path().iterdir()) == [
        "drinks.json", "fine.svt", "hollow", "lake", "other.json", "strange.json",
    ]  # fmt: skip
