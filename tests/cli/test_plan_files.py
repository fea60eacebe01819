"""``plan --survey``: the domain of a survey file, and its epsilon where nothing else is given."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.surveys.toml import read_survey, survey_to_toml
from support.commands import refusal, run, run_json

HOME = sv.Record(
    {"age": sv.Interval(0, 100, bins=10), "rent": sv.YesNo(), "size": sv.Ratings(1, 5)}
)


@pytest.fixture
def file(tmp_path):
    mechanism = sv.mechanism("record", HOME, 2.0, design="sample")
    path = tmp_path / "home.toml"
    text = survey_to_toml(sv.Survey("home", "Your home", mechanism))
    assert 'design = "sample"' in text
    path.write_text(text, encoding="utf-8")
    return path


def test_designs_are_ranked_for_a_file_of_several_questions(file):
    found = run_json("plan", "--survey", file, "--users", "20000", "--goal", "tables")
    assert (found["epsilon"], found["goal"]) == (2.0, "tables")
    plan = sv.plan(HOME, epsilon=2.0, users=20_000, goal="tables")
    assert found["mechanisms"] == list(plan.frame())
    assert found["best"]["fingerprint"] == plan.best.fingerprint
    assert found["left_out"] == {"sample": "no report is about two questions: it has no tables"}
    said = run("plan", "--survey", file, "--epsilon", "1", "--error", "0.01").stdout
    assert "takes" in said and "question-sets (mixed)" in said
    assert run_json("plan", "--survey", file, "--error", "0.01")["users"] > 1000


def test_files_that_always_name_a_design_read_as_they_were_written(file):
    survey = read_survey(file)
    assert survey.mechanism == sv.mechanism("record", HOME, 2.0, design="sample")
    chosen = sv.Survey("home", "Your home", sv.mechanism("record", HOME, 2.0))
    assert f'design = "{chosen.mechanism.design}"' in survey_to_toml(chosen)


def test_one_domain_only(file):
    said = refusal("plan", "--survey", file, "--users", "10", "--size", "3", "-e", "1")
    assert "the domain of plan must be left out with --survey" in said
    said = refusal("plan", "--survey", file, "--users", "10", "--goal", "mean")
    assert "goal of plan of a Record must be one of both, parts, tables" in said
