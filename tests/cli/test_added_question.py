"""A question added from outside, with nothing but its record, is asked in every interface."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from docs.generate.questions import askable, question_pages
from sottovoce.answers.questions import (
    Question,
    find_question,
    read_questions,
    register_question,
    registered_questions,
    unregister_question,
)
from sottovoce.answers.questions.examples import upper_example
from sottovoce.answers.questions.texts import NUMBER
from sottovoce.base.errors import Unfit
from sottovoce.service.pages.asking import offered
from sottovoce.surveys.survey import Survey
from support.commands import refusal, run, run_json
from support.dashboards import Board, figure, fill, rows
from support.loading import running

HOURS = sv.Interval(0, 14, bins=28)
PAIRS = sv.KeyValues(["bus", "train"], 0, 10, bins=4)
SUMMARY = "the share of numbers of at least X"


def at_least(source, x, *, confidence):
    """The share from x to the end of the domain, of an estimate or a difference."""
    domain = getattr(source, "first", source).domain
    answer = source.range(x, domain.span[1], confidence=confidence)
    return replace(answer, label=f"at least {x:g}")


@pytest.fixture
def question():
    added = register_question(
        Question(
            "at_least", SUMMARY, "numbers", NUMBER, upper_example, at_least, goals=("range",),
            metavar="X",
        )
    )  # fmt: skip
    yield added
    unregister_question("at_least")


def tally_of(domain, values, mechanism="sw", seed=1):
    made = sv.mechanism(mechanism, domain, 2.0)
    return made.tally(made.randomize(values, source=sv.Seeded(seed)))


@pytest.fixture
def tally():
    return tally_of(HOURS, np.linspace(4, 10, 3000))


def test_in_the_library(question, tally):
    questions = read_questions(HOURS, [("at_least", "7"), ("cdf", "7")], confidence=0.9)
    assert questions.goal == "range"
    above, below = questions.of(sv.estimate(tally))
    assert (above["question"], above["label"]) == ("at_least", "at least 7")
    assert above["value"] + below["value"] == pytest.approx(1)
    assert above["stderr"] == pytest.approx(below["stderr"])
    assert above["high"] - above["value"] == pytest.approx(below["value"] - below["low"])


def test_of_a_difference_and_of_the_numbers_of_a_key(question, tally):
    other = tally_of(HOURS, np.linspace(8, 12, 3000), seed=2)
    difference = sv.difference(sv.estimate(tally), sv.estimate(other))
    (row,) = read_questions(HOURS, [("at_least", "7")]).of(difference)
    assert row["value"] == difference.range(7, 14).value > 0.3
    assert row["p_value"] < 0.01
    pairs = sv.estimate(tally_of(PAIRS, [("bus", 2.0), ("train", 8.0)] * 1500, "pckv-pm"))
    *keys, row = read_questions(PAIRS, [("key", "bus"), ("at_least", "5")]).of(pairs)
    assert [each["question"] for each in keys] == ["frequency", "mean"]
    assert (row["question"], row["label"]) == ("at_least", "bus: at least 5")
    assert row["value"] == pairs.distribution("bus").range(5, 10).value


def test_on_the_command_line(question, tally, tmp_path):
    path = tmp_path / "hours.svt"
    tally.write(path)
    asked = ("--at-least", 7, "--at-least", 9, "--quantile", 0.5)
    document = run_json("estimate", path, *asked)
    assert [row["label"] for row in document["answers"]] == [
        "quantile 0.5", "at least 7", "at least 9"
    ]  # fmt: skip
    expected = sv.estimate(tally, goal="range").range(7, 14)
    assert document["answers"][1]["value"] == pytest.approx(expected.value)
    for command in ("estimate", "answers"):
        words = " ".join(run(command, "--help").stdout.replace("│", " ").split())
        assert "--at-least X The share of numbers of at least X. Repeatable." in words
    assert "--at-least" in refusal("estimate", path, "--at-lest", 7)  # the nearest option
    drinks = tmp_path / "drinks.svt"
    tally_of(sv.Categories(["tea", "coffee"]), ["tea", "coffee"] * 200, "grr").write(drinks)
    assert "at_least needs numbers (an Interval)" in refusal("estimate", drinks, "--at-least", 7)


def test_over_http_and_in_the_form(question, tmp_path):
    survey = Survey("hours", "How long did you sleep?", sv.mechanism("sw", HOURS, 2.0))
    at = f"/surveys/{survey.fingerprint}/answers"
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", np.linspace(4, 10, 3000))
        board = Board(collector, {"hours": survey})
        told = board.http.get(at, params={"at_least": ["7", "9"], "cdf": "7"}).json()
        first, second, below = told["answers"]
        assert [first["label"], second["label"]] == ["at least 7", "at least 9"]
        assert first["value"] + below["value"] == pytest.approx(1)
        refused = board.http.get(at, params={"at_least": "seven"}).json()
        assert refused["message"] == "at_least of a question must be a number; got 'seven'"
        refused = board.http.get(at, params={"at_lest": "7"}).json()
        assert refused["message"].endswith("Did you mean 'at_least'?")
        operation = board.http.get("/openapi.json").json()["paths"]
        parameters = operation["/surveys/{fingerprint}/answers"]["get"]["parameters"]
        (parameter,) = [each for each in parameters if each["name"] == "at_least"]
        assert parameter["description"] == SUMMARY
        assert parameter["schema"] == {"type": "array", "items": {"type": "number"}}

        page = board.page("hours", ask="at_least", text="7")
        assert f"{SUMMARY} (9.5)" in page.words
        shown = rows(page, "answer", 1)["at least 7"]
        assert figure(shown[0]) == pytest.approx(100 * first["value"], abs=3)
        problem = board.page("hours", ask="at_lest", text="7", status=400)
        assert "Did you mean 'at_least'?" in problem.words
        board.http.close()


def test_on_the_reference_page(question):
    ((path, page),) = question_pages()
    assert path == "reference/questions.md"
    (entry,) = [each for each in page.split("\n## ") if each.startswith("at_least\n")]
    assert "The share of numbers of at least X." in entry
    assert "* on the command line `--at-least 70`" in entry
    assert "* over `Interval`, `KeyValues`" in entry
    assert "at_least" in askable(sv.mechanism("sw", HOURS, 2.0))


def test_taken_out_it_is_unknown_everywhere(tally, tmp_path):
    assert "at_least" not in [each.name for each in registered_questions()]
    with pytest.raises(Unfit, match=r"^unknown question 'at_least'\. Known: share, total, top, "):
        find_question("at_least")
    assert "at_least" not in [name for name, _, _ in offered(HOURS)]
    tally.write(tmp_path / "hours.svt")
    assert "No such option" in refusal("estimate", tmp_path / "hours.svt", "--at-least", 7)
    assert "at-least" not in run("answers", "--help").stdout
    document = run_json("estimate", tmp_path / "hours.svt")
    assert "at_least" not in json.dumps(document)
