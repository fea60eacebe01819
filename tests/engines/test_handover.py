"""Windows handed over to a lake: once, whole, shuffled, in types that every engine has."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.engines import handover
from sottovoce.engines.files import count_files
from sottovoce.engines.handover import hand_over, is_handed_over, lake_table
from sottovoce.engines.lake import report_files, survey_label

GRR = sv.mechanism("grr", sv.Categories(1000), 1.0)
SURVEY = sv.Survey("colors", "Which?", GRR, window="week")
WEEK = "2026-W47"
HOME = f"survey={survey_label(SURVEY.fingerprint)}"


def numbered(count=1000):
    """Reports whose values are 0, 1, 2, ...: their order can be seen."""
    return sv.Reports(GRR, {"value": np.arange(count) % 1000})


def batches(reports, rows=100):
    return (reports[start : start + rows] for start in range(0, len(reports), rows))


def test_a_window_is_a_folder_that_everything_reads(tmp_path):
    assert hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000) == 1000
    (file,) = report_files(tmp_path)
    assert str(file.path.relative_to(tmp_path)) == f"{HOME}/window={WEEK}/part-00000.parquet"
    assert file.columns == {"survey": f"s{SURVEY.fingerprint}", "window": WEEK}
    found = count_files([file], ["window"], SURVEY).tallies()
    assert found == {(WEEK,): GRR.tally(numbered()).of_window(WEEK)}
    assert count_files([file]).tallies() == {(): GRR.tally(numbered())}
    text = (tmp_path / HOME / "_survey.json").read_text(encoding="utf-8")
    assert sv.Survey.from_json(text) == SURVEY


def test_nothing_but_reports_is_in_the_files(tmp_path):
    hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000)
    (file,) = report_files(tmp_path)
    table = pq.read_table(file.path, partitioning=None)
    assert table.column_names == ["value"]
    keys = {key.decode() for key in table.schema.metadata}
    assert keys == {
        "sottovoce.format", "sottovoce.mechanism", "sottovoce.fingerprint", "sottovoce.survey",
    }  # fmt: skip
    names = {path.name for path in tmp_path.rglob("*")}
    assert names == {
        HOME,
        "_survey.json",
        "_handed_over",
        WEEK,
        f"window={WEEK}",
        "part-00000.parquet",
    }


@pytest.mark.parametrize("parts", [1, 4])
def test_rows_are_in_random_order(tmp_path, monkeypatch, parts):
    """Under a uniform order a rank correlation is below 6 / sqrt(n) but for one in 5e8."""
    monkeypatch.setattr(handover, "_PART", 8 * 4000 // parts)
    reports, orders = sv.Reports(GRR, {"value": np.repeat(np.arange(1000), 4)}), []
    for copy in ("a", "b"):
        (tmp_path / copy).mkdir()
        hand_over(tmp_path / copy, SURVEY, WEEK, batches(reports), 4000)
        files = report_files(tmp_path / copy)
        assert len(files) == parts
        orders.append(
            np.concatenate([pq.read_table(f.path, partitioning=None)["value"] for f in files])
        )
        assert np.array_equal(np.sort(orders[-1]), reports.columns["value"])
    arrival = reports.columns["value"].astype(float)
    for first, second in ((orders[0], arrival), (orders[1], arrival), orders):
        assert abs(np.corrcoef(first, second)[0, 1]) < 6 / np.sqrt(4000)
    nearly = arrival.reshape(40, 100)[np.random.default_rng(1).permutation(40)].ravel()
    blocks = np.corrcoef(nearly[:-1], nearly[1:])[0, 1]  # what is shuffled in blocks only is seen
    own = np.corrcoef(orders[0][:-1], orders[0][1:])[0, 1]
    assert blocks > 0.5 and abs(own) < 6 / np.sqrt(4000)


def test_types_are_those_that_spark_has_and_come_back_the_same(mechanism):
    held = np.random.default_rng(1).integers(0, mechanism.domain.size, 50)
    reports = mechanism.randomize_indices(held, sv.Seeded(1))
    table = lake_table(reports, sv.Survey("s", "t", mechanism, "day"))
    for field in table.schema:
        kind = field.type.value_type if pa.types.is_list(field.type) else field.type
        assert pa.types.is_signed_integer(kind) or kind in (pa.decimal128(20, 0), pa.binary())
        assert not field.nullable
    again = sv.Reports.from_arrow(table)
    assert again == reports  # with its marks


def test_a_window_is_handed_over_once(tmp_path):
    assert not is_handed_over(tmp_path, SURVEY, WEEK)
    hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000)
    assert is_handed_over(tmp_path, SURVEY, WEEK)
    assert hand_over(tmp_path, SURVEY, WEEK, iter([pytest.fail]), 1) is None
    target = tmp_path / HOME / f"window={WEEK}"
    target.rename(tmp_path / "moved on")
    assert is_handed_over(tmp_path, SURVEY, WEEK)
    assert hand_over(tmp_path, SURVEY, WEEK, iter([pytest.fail]), 1) is None
    assert not target.exists()
    assert not is_handed_over(tmp_path, SURVEY, "2026-W48")
    (tmp_path / HOME / "_handed_over" / WEEK).unlink()
    assert hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000) == 1000


def test_a_window_that_was_not_marked_is_not_written_again(tmp_path):
    hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000)
    (mark,) = (tmp_path / HOME / "_handed_over").iterdir()
    mark.unlink()  # as if the process had ended before it
    left = tmp_path / HOME / f".window={WEEK}.12ab.part"
    left.mkdir()
    assert hand_over(tmp_path, SURVEY, WEEK, iter([pytest.fail]), 1) is None
    assert mark.exists() and not left.exists()


def test_what_fails_on_the_way_leaves_nothing_that_is_read(tmp_path):
    def broken():
        yield numbered(200)
        raise Mismatch("its reports changed")

    with pytest.raises(Mismatch, match="changed"):
        hand_over(tmp_path, SURVEY, WEEK, broken(), 1000)
    assert not is_handed_over(tmp_path, SURVEY, WEEK)
    with pytest.raises(InvalidInput, match="It has neither"):
        report_files(tmp_path)
    assert [path.name for path in (tmp_path / HOME).iterdir()] == ["_survey.json"]
    assert hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000) == 1000


def test_the_faster_of_two_wins(tmp_path, monkeypatch):
    real = Path.rename

    def late(self, target):
        monkeypatch.setattr(Path, "rename", real)
        hand_over(tmp_path, SURVEY, WEEK, batches(numbered(10)), 10)
        return real(self, target)

    monkeypatch.setattr(Path, "rename", late)
    assert hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000) is None
    assert sum(pq.read_metadata(f.path).num_rows for f in report_files(tmp_path)) == 10
    assert not list((tmp_path / HOME).glob(".*"))


def test_a_survey_without_windows_has_one_folder(tmp_path):
    once = sv.Survey("once", "Which?", GRR, window="once")
    hand_over(tmp_path, once, "", batches(numbered()), 1000)
    (file,) = report_files(tmp_path)
    assert file.columns["window"] == "all" and is_handed_over(tmp_path, once, "")


def test_a_file_in_the_folder_of_another_survey_is_refused(tmp_path):
    hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000)
    other = sv.Survey("other", "Which?", GRR, window="week")
    (tmp_path / HOME).rename(tmp_path / f"survey={survey_label(other.fingerprint)}")
    for survey in (None, other):
        with pytest.raises(Mismatch, match=f"is of the survey s{SURVEY.fingerprint}, not s"):
            count_files(report_files(tmp_path), (), survey)


def test_a_lake_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="a folder that exists and can be written"):
        hand_over(tmp_path / "none", SURVEY, WEEK, batches(numbered()), 1000)
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(InvalidInput, match="can be written"):
            hand_over(tmp_path, SURVEY, WEEK, batches(numbered()), 1000)
