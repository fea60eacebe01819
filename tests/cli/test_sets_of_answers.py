"""Tick all that apply, and sensitive answers, through the command line and to a collector."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.surveys.toml import read_survey
from support.commands import refusal, run, run_json, small_collector

PETS = ("--choices", "cat,dog,fish", "--boxes", 2)
ILLNESS = ("--values", "none,flu,HIV", "--sensitive", "HIV")


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(1)
    pets = rng.choice(["cat", "cat;dog", " dog ; fish", "none of these"], 3000).tolist()
    ill = rng.choice(["none", "flu", "HIV"], 3000, p=[0.6, 0.3, 0.1]).tolist()
    rows = "".join(f"{each},{other}\n" for each, other in zip(pets, ill, strict=True))
    (tmp_path / "people.csv").write_text("pets,ill\n" + rows)
    return tmp_path


def test_ticks_from_a_file_to_shares(people):
    reports = people / "reports.parquet"
    run("randomize", people / "people.csv", "--output", reports, "--column", "pets", *PETS,
        "--mechanism", "choice-response", "--epsilon", 4)  # fmt: skip
    told = run_json("estimate", reports)
    shares = {row["label"]: row["value"] for row in told["answers"]}
    assert list(shares) == ["cat", "dog", "fish", "none of these"]
    assert abs(shares["cat"] - 0.5) < 0.1 and abs(shares["none of these"] - 0.25) < 0.1
    total = run_json("estimate", reports, "--total", "cat,dog")["answers"][0]
    assert 0.8 < total["value"] < 1.2
    one = run_json("estimate", reports, "--share", "dog")["answers"][0]
    assert abs(one["value"] - 0.5) < 0.1


def test_a_wrong_cell_is_named_with_its_row(people):
    bad = people / "bad.csv"
    bad.write_text("pets\ncat\ncat;bird\n")
    said = refusal("randomize", bad, "--output", people / "r.parquet", "--column", "pets", *PETS,
                   "--mechanism", "drawn-option", "--epsilon", 1)  # fmt: skip
    assert "row 2" in said and "options among cat, dog, fish" in said
    assert not (people / "r.parquet").exists()


@pytest.mark.parametrize(
    ("boxes", "name"), [(1, "choice-response"), (2, "drawn-option"), (3, "drawn-option")]
)
def test_a_new_survey_takes_the_usual_mechanism(tmp_path, boxes, name):
    file = tmp_path / "pets.toml"
    run("survey", "new", file, "--choices", "cat,dog,fish", "--boxes", boxes)
    survey = read_survey(file)
    assert survey.mechanism.name == name and survey.mechanism.domain.most == boxes
    assert "tick all that apply" in run("survey", "show", file).stdout


def test_plans_rank_sets(tmp_path):
    told = run_json("plan", *PETS, "--epsilon", 1, "--users", 1000)
    assert {row["mechanism"] for row in told["mechanisms"]} == {
        "choice-response", "drawn-option", "choice-subsets"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--values", "a,b", "--boxes", 2),
            "--boxes of the command must be left out without --choices",
        ),
        (("--choices", "a,b", "--values", "a"), "exactly one of"),
        (
            ("--choices", "a,b", "--sensitive", "a"),
            "--sensitive of the command must be left out but with",
        ),
        (("--most", 5, "--sensitive", "1"), "--sensitive of the command must be left out but with"),
        (("--values", "a,b", "--sensitive", "a", "--decline", "no"), "left out with --sensitive"),
        (("--size", 5, "--sensitive", "x"), "whole numbers with --size"),
        (("--values", "a,b", "--sensitive", "a,b"), "at least one of the values, and not all"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, options, said):
    assert said in refusal("survey", "new", tmp_path / "x.toml", *options)


@pytest.mark.parametrize(
    "options",
    [("--size", 9, "--sensitive", "0,4"), ("--yes-no", "--sensitive", "yes"), ILLNESS],
)
def test_a_new_survey_with_sensitive_answers(tmp_path, options):
    file = tmp_path / "x.toml"
    run("survey", "new", file, *options)
    survey = read_survey(file)
    assert survey.mechanism.open_chance is not None and survey.window == "once"
    told = run("survey", "check", file).stdout
    assert "this is not epsilon-LDP" in told and "clients with default limits refuse it" in told


def test_a_relay_names_what_is_protected(people):
    file = people / "illness.toml"
    run("survey", "new", file, *ILLNESS, "--window", "week", "--cohorts", 1)
    survey = read_survey(file)
    agreed = people / "illness.json"
    agreed.write_text(survey.to_json())
    with small_collector(survey) as small:
        command = ("send", agreed, people / "people.csv", "--url", small.url, "--column", "ill")
        said = refusal(*command)
        assert "protects 1 of 3 answers" in said and "--scope 'sensitive answer'" in said
        told = run_json(*command, "--scope", "sensitive answer")
        assert told["stored"] == 3000


def test_ticks_go_to_a_collector_and_its_answers(people):
    survey = sv.Survey("pets", "Which?", sv.mechanism("choice-response", sv.Choices(["cat", "dog", "fish"], 2), 4.0), "week")  # fmt: skip
    agreed = people / "pets.json"
    agreed.write_text(survey.to_json())
    with small_collector(survey) as small:
        told = run_json(
            "send", agreed, people / "people.csv", "--url", small.url, "--column", "pets"
        )
        assert told["stored"] == 3000


def test_plans_say_what_is_protected():
    told = run("plan", *ILLNESS, "--epsilon", 1, "--users", 1000).stdout
    assert "protects 1 of 3 answers; open reports reveal theirs. That is not epsilon-LDP" in told
    rows = json.loads(run("plan", *ILLNESS, "--epsilon", 1, "--users", 1000, "--json").stdout)
    assert rows["mechanisms"][0]["protects"] == "1 of 3 answers"
