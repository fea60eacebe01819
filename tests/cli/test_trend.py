"""``sottovoce trend``: from tallies, folders, reports with windows, and a collector."""

from __future__ import annotations

import csv
import io
import json

import pytest

import sottovoce as sv
from support.commands import refusal, run, run_json
from support.trends import SHOWN, STRIKE, collected

DAYS = [f"2026-11-{day:02d}" for day in range(9, 17)]
MECHANISM = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 2.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tally for every day, on one of which most drink coffee."""
    made = tmp_path_factory.mktemp("trend")
    for seed, day in enumerate(DAYS):
        counts = [400, 1000, 100] if day == DAYS[3] else [900, 500, 100]
        MECHANISM.simulate(counts, source=sv.Seeded(seed)).of_window(day).write(made / f"{day}.svt")
    return made


def files(folder, days=DAYS):
    return [folder / f"{day}.svt" for day in days]


def test_the_numbers_are_those_of_the_library(folder):
    document = run_json("trend", *files(folder), "--share", "tea", "--smooth")
    expected = sv.trend([sv.Tally.read(path) for path in files(folder)]).share("tea")
    (series,) = document["trends"]
    wanted = expected.document(smooth=True)
    assert series == {"question": "share", **json.loads(json.dumps(wanted))}
    assert document["windows"] == DAYS and document["reports"] == 12_000
    assert [shift["first"] for shift in series["shifts"]] == [DAYS[3]]


def test_a_table_with_bars_and_shifts(folder):
    shown = run("trend", *files(folder), "--share", "tea").stdout
    assert "share of tea: 95% intervals, about the population" in shown
    assert "████" in shown and " fall" in shown
    assert f"{DAYS[3]}: -" in shown and "in at most 5% of series" in shown
    quiet = run("trend", *files(folder, DAYS[4:]), "--share", "tea").stdout
    assert "no window differs from the others" in quiet and "fall" not in quiet


def test_csv_files_and_pictures(folder, tmp_path):
    output, plot = tmp_path / "t.csv", tmp_path / "t.png"
    text = run(
        "trend", *files(folder), "--total", "tea,water", "--csv", "-o", output, "--plot", plot
    )
    rows = list(csv.DictReader(io.StringIO(text.stdout)))
    assert [row["window"] for row in rows] == DAYS
    assert list(csv.DictReader(output.open())) == rows
    assert plot.read_bytes()[:4] == b"\x89PNG"


def test_windows_of_unlabelled_tallies_are_the_names_of_files(tmp_path):
    for number in (1, 2):
        path = tmp_path / f"day{number}.svt"
        MECHANISM.simulate([50, 40, 10], source=sv.Seeded(number)).write(path)
    both = [tmp_path / "day2.svt", tmp_path / "day1.svt"]
    document = run_json("trend", *both, "--share", "tea")
    assert document["windows"] == ["day2", "day1"]
    one = run_json("trend", *both, "--share", "tea", "--from", "day1")
    assert one["windows"] == ["day1"]
    assert "must be one of day2, day1" in refusal("trend", *both, "--share", "tea", "--to", "day3")


def test_reports_by_window_and_folders_of_tallies(tmp_path):
    people = tmp_path / "people.csv"
    rows = [f"{drink},{day}" for day in DAYS[:3] for drink in ["tea"] * 200 + ["coffee"] * 100]
    people.write_text("drink,window\n" + "\n".join(rows) + "\n")
    reports, tallies = tmp_path / "reports.parquet", tmp_path / "tallies"
    how = ["-m", "grr", "-e", 2, "--values", "tea,coffee", "--by", "window", "--seed", 1]
    run("randomize", people, "--column", "drink", "-o", reports, *how)
    first = run_json("trend", reports, "--by", "window", "--share", "tea")
    assert first["windows"] == DAYS[:3] and first["reports"] == 900
    run("tally", reports, "--by", "window", "-o", tallies)
    assert run_json("trend", tallies, "--share", "tea") == first
    assert [sv.Tally.read(path).window for path in sorted(tallies.glob("*.svt"))] == DAYS[:3]
    assert "tallies, or reports with --by" in refusal("trend", reports, "--share", "tea")


def test_a_range_of_days(folder):
    found = run_json("trend", *files(folder), "--share", "tea", "--from", DAYS[2], "--to", DAYS[4])
    assert found["windows"] == DAYS[2:5]
    week = run_json("trend", *files(folder), "--share", "tea", "--from", "2026-W47")
    assert week["windows"] == DAYS[-1:]


def test_overlap_and_the_same_people(folder):
    asked = ["trend", *files(folder), "--share", "tea"]
    safe, others = run_json(*asked), run_json(*asked, "--overlap", 0)
    same = run_json(*asked, "--same-people")
    errors = [each["trends"][0]["average"]["stderr"] for each in (safe, others, same)]
    assert errors[0] > errors[1] > errors[2]
    assert same["trends"][0]["about"] == "respondents"


def test_what_is_refused(folder):
    one = files(folder)[0]
    asked = ["trend", *files(folder)]
    assert "must be one of share" in refusal(*asked)
    assert "needs numbers" in refusal(*asked, "--mean")
    assert "a number from 0 to 1, cohorts such as 1/7, or estimate" in refusal(
        *asked, "--share", "tea", "--overlap", 3
    )
    assert "one of the two" in refusal(*asked, "--share", "tea", "--csv", "--json")
    assert "distinct" in refusal("trend", one, one, "--share", "tea")
    assert "must be one of" in refusal(*asked, "--share", "tea", "--about", "cats")
    assert "such that windows are between" in refusal(*asked, "--share", "tea", "--from", "2027-01")
    several = ["--share", "tea", "--share", "water", "--plot", "x.png"]
    assert "given with one question" in refusal(*asked, *several)


def test_a_collector_is_asked(tmp_path):
    with collected(tmp_path) as board:
        key = tmp_path / "read.key"
        key.write_text(board.running.keys.of_role("read") + "\n")
        asked = ["--url", board.running.url, "--key-file", key]
        fingerprint = board.surveys["kept"].fingerprint
        found = run_json("trend", fingerprint, "--share", "bus", *asked)
        assert found["windows"] == SHOWN
        assert [each["first"] for each in found["trends"][0]["shifts"]] == [STRIKE]
        shown = run("trend", fingerprint, "--share", "bus", "--from", "2026-11-03", *asked)
        assert " fall" in shown.stdout and "left out, below the minimum batch" in shown.stderr
        hours = board.surveys["hours"].fingerprint
        assert "mean" in run("trend", hours, "--mean", "--smooth", *asked).stdout
        assert "left out with --key-file" in refusal(
            "trend", hours, "--mean", "--plot", tmp_path / "x.png", *asked
        )
        pooled = run("answers", fingerprint, *asked, code=2)
        assert "cannot be pooled" in pooled.stderr


def test_windows_of_memos_in_a_lake_are_never_pooled(tmp_path):
    """Reports in folders window=...: one is labelled with it, several are refused with the way on."""
    mechanism = sv.mechanism("memoized", sv.Categories(["tea", "coffee"]), 2.0, lifetime=4.0)
    for seed, day in enumerate(DAYS[:2]):
        folder = tmp_path / "lake" / f"window={day}"
        folder.mkdir(parents=True)
        values = ["tea"] * 150 + ["coffee"] * 50
        mechanism.randomize(values, source=sv.Seeded(seed)).write(folder / "part.parquet")
    lake, out = tmp_path / "lake", tmp_path / "out.svt"
    told = refusal("tally", lake, "-o", out)
    assert "cannot add tallies of memoized reports" in told and DAYS[0] in told
    run("tally", lake / f"window={DAYS[1]}", "-o", out)
    assert sv.Tally.read(out).window == DAYS[1]
    found = run_json("trend", lake, "--by", "window", "--share", "tea")
    assert found["windows"] == DAYS[:2]
    run("tally", lake, "--by", "window", "-o", tmp_path / "days")
    assert run_json("trend", tmp_path / "days", "--share", "tea") == found
