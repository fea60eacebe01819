"""``survey new --from``, and options for every kind of question."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.surveys.toml import read_survey
from support.commands import refusal, run, run_json

HEAD = "smokes,stars,height,name\n"


@pytest.fixture
def answers(tmp_path):
    file = tmp_path / "answers.csv"
    rows = (f"{'yes' if i % 3 else 'no'},{1 + i % 5},{150.5 + i},person {i}\n" for i in range(40))
    file.write_text(HEAD + "".join(rows))
    return file


def test_a_question_per_column_with_the_reasons(answers, tmp_path):
    file = tmp_path / "survey.toml"
    result = run("survey", "new", file, "--from", answers)
    assert "Use public or old data here" in " ".join(result.stderr.split())
    assert "free text, or names of people" in result.stdout and "left out" in result.stdout
    assert read_survey(file).mechanism.domain == sv.Record(
        {"smokes": sv.YesNo(), "stars": sv.Ratings(1, 5), "height": sv.Interval(150, 190, bins=20)}
    )
    told = run_json("survey", "new", file, "--from", answers, "--force")
    assert [row["column"] for row in told["columns"]] == ["smokes", "stars", "height", "name"]
    assert told["columns"][3]["kind"] == "left out"


def test_one_column_is_one_question(answers, tmp_path):
    file = tmp_path / "survey.toml"
    run("survey", "new", file, "--from", answers, "--column", "stars")
    assert read_survey(file).mechanism.domain == sv.Ratings(1, 5)
    written = run("survey", "new", "-", "--from", answers, "--column", "stars").stdout
    assert 'kind = "ratings"' in written and "why" not in written


def test_boxes_are_a_question_of_their_own(tmp_path):
    file, answers = tmp_path / "survey.toml", tmp_path / "boxes.csv"
    answers.write_text("pets,stars\n" + "cat;dog,1\ncat,5\ndog,3\n" * 5)
    shown = run("survey", "new", file, "--from", answers).stdout
    assert "a survey of one question: --column pets" in " ".join(shown.split())
    assert read_survey(file).mechanism.domain == sv.Ratings(1, 5)
    run("survey", "new", file, "--from", answers, "--column", "pets", "--force")
    assert read_survey(file).mechanism.domain == sv.Choices(["cat", "dog"], most=2)


def test_what_cannot_be_guessed_is_refused(answers, tmp_path):
    new = ("survey", "new", tmp_path / "survey.toml")
    assert "one of smokes, stars, height, name; got 'star'. Did you mean 'stars'?" in refusal(
        *new, "--from", answers, "--column", "star"
    )
    assert "--column of survey new must be left out without --from" in refusal(
        *new, "--column", "a"
    )
    assert "left out where options say what a value may be" in refusal(
        *new, "--from", answers, "--yes-no"
    )
    assert "a column that looks like answers to a question" in refusal(
        *new, "--from", answers, "--column", "name"
    )


@pytest.mark.parametrize(
    ("options", "domain"),
    [
        (("--dates", "2026-01-01", "2026-06-30", "--step", "month"), sv.Dates("2026-01-01", "2026-06-30", step="month")),
        (("--dates", "2026-01-01", "2026-01-31"), sv.Dates("2026-01-01", "2026-01-31")),
        (("--edges", "0,10,50", "--open-end", "--unit", "EUR"), sv.Interval(0, 50, edges=[0, 10, 50], open_end=True, unit="EUR")),
        (("--low", 0, "--high", 1000, "--bins", 4, "--log", 1), sv.Interval(0, 1000, 4, scale="log", start=1)),
        (("--low", 1, "--high", 1000, "--bins", 3, "--log", 1), sv.Interval(1, 1000, 3, scale="log")),
        (("--low", 0, "--high", 9, "--bins", 4, "--unit", "h"), sv.Interval(0, 9, 4, unit="h")),
        (("--most", 9, "--unit", "visits"), sv.Counts(9, unit="visits")),
        (("--ratings", 1, 5, "--decline", "No answer"), sv.MayDecline(sv.Ratings(1, 5), "No answer")),
        (("--yes-no", "--decline", "No answer"), sv.MayDecline(sv.YesNo(), "No answer")),
    ],
)  # fmt: skip
def test_options_for_every_kind(options, domain, tmp_path):
    file = tmp_path / "survey.toml"
    run("survey", "new", file, *options)
    assert read_survey(file).mechanism.domain == domain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--values", "a,b", "--unit", "EUR"), "--unit of the command must be left out"),
        (("--values", "a,b", "--open-end"), "--open-end of the command must be left out"),
        (("--ratings", 1, 5, "--log", 1), "--log of the command must be left out"),
        (("--ratings", 1, 5, "--step", "week"), "--step of the command must be left out"),
        (("--edges", "0,ten"), "--edges of the command must be numbers such as 0,10,100; got 'ten'"),
        (("--edges", "0,10", "--low", 0), "exactly one of"),
        (("--low", 5, "--high", 10, "--log", 1), "--log of the command must be 5, as --low is; got 1.0"),
        (("--low", -5, "--high", 10, "--log", 1), "--log of the command must be left out: --low is below 0"),
        (("--dates", "2026-01-01", "soon"), "last of Dates must be a date"),
        (("--keys", "a,b", "--low", 0, "--high", 1, "--decline", "-"), "--decline of the command must be left out"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options, message, tmp_path):
    assert message in " ".join(refusal("survey", "new", tmp_path / "x.toml", *options).split())
