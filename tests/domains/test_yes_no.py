"""Yes and no are two names on the wire, and truth values too for whoever holds them."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.questions import read_questions
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.parsing import read_value
from sottovoce.surveys.toml import read_survey, survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import survey_in_words
from support.commands import refusal, run, run_json

ANSWER = sv.YesNo()


def test_the_document_is_that_of_two_names():
    named = {"kind": "categories", "version": 1, "size": 2, "values": ["no", "yes"]}
    assert sv.Categories(["no", "yes"]) == ANSWER
    assert ANSWER.to_json() == named
    survey = sv.Survey("smoke", "Do you smoke?", sv.mechanism("grr", ANSWER, 1.0))
    assert survey_from_toml(survey_to_toml(survey)) == survey
    assert "The answer: yes or no. Anything else" in survey_in_words(survey)


@pytest.mark.parametrize("value", ["yes", True, np.True_, np.str_("yes")])
@pytest.mark.parametrize("other", ["no", False, np.False_, np.str_("no")])
def test_texts_and_truth_values_are_values(value, other):
    assert (ANSWER.index(value), ANSWER.index(other)) == (1, 0)
    assert ANSWER.indices([value, other, value]).tolist() == [1, 0, 1]
    ANSWER.check(value)


def test_arrays_go_straight_in():
    truths = np.array([True, False, True])
    for values in (truths, truths.astype(object), np.array(["yes", "no", "yes"]), tuple(truths)):
        indices = ANSWER.indices(values)
        assert (indices.dtype, indices.tolist()) == (np.int64, [1, 0, 1])
    mechanism = sv.mechanism("grr", ANSWER, 20.0)
    reports = mechanism.randomize(np.repeat([True, False], [300, 700]), source=sv.Seeded(1))
    estimate = sv.estimate(mechanism.tally(reports), "unbiased")
    assert estimate.share(True) == estimate.share("yes")
    assert estimate.share("yes").value == pytest.approx(0.3, abs=1e-6)
    assert estimate.share(False).label == "no"


@pytest.mark.parametrize(
    "value", ["Yes", "y", "true", 1, 0, 1.0, np.int64(1), None, np.nan, b"yes"]
)
def test_what_is_neither_is_refused(value):
    message = (
        r"value of Categories\(\['no', 'yes'\]\) must be one of \['no', 'yes'\], True or False; got"
    )
    with pytest.raises(InvalidInput, match=message):
        ANSWER.index(value)
    with pytest.raises(InvalidInput, match=f"{message}|a missing value .* in row 1"):
        ANSWER.indices(["yes", value])


def test_arrays_of_another_shape_or_without_values_are_refused():
    with pytest.raises(InvalidInput, match="one value or a flat list; got .*shape"):
        ANSWER.indices(np.ones((2, 2), dtype=bool))
    with pytest.raises(InvalidInput, match="at least one value"):
        ANSWER.indices(np.ones(0, dtype=bool))


@pytest.mark.parametrize("names", [["yes", "no"], ["no", "yes", "unsure"], ["No", "Yes"]])
def test_truth_values_are_no_values_of_other_names(names):
    domain = sv.Categories(names)
    assert not domain.yes_or_no
    with pytest.raises(InvalidInput, match="must be one of"):
        domain.index(True)
    with pytest.raises(InvalidInput, match="must be one of"):
        domain.indices(np.array([True, False]))
    assert domain.reader()("true") == "true"


def test_texts_of_truth_values_are_read():
    written = {"yes": 1, "true": 1, "True": 1, "no": 0, "false": 0, "False": 0}
    for text, index in written.items():
        assert ANSWER.index(read_value(text, ANSWER, "share", "a test")) == index
    assert ANSWER.index(ANSWER.reader()(True)) == 1  # a cell of Parquet
    with pytest.raises(InvalidInput, match="True or False; got 'TRUE'"):
        ANSWER.index(ANSWER.reader()("TRUE"))
    estimate = sv.estimate(sv.mechanism("grr", ANSWER, 1.0).simulate([60, 40], source=sv.Seeded(1)))
    (row,) = read_questions(ANSWER, [("share", "true")]).of(estimate)
    assert row["label"] == "yes"


# -- in a shell ----------------------------------------------------------------------------------


def test_a_survey_in_a_shell(tmp_path):
    file = tmp_path / "smoke.toml"
    run("survey", "new", file, "--yes-no", "-m", "grr", "--question", "Do you smoke?")
    assert read_survey(file).mechanism.domain == ANSWER


def test_truth_values_of_a_table_are_randomized_in_a_shell(tmp_path):
    table, reports = tmp_path / "people.csv", tmp_path / "reports.parquet"
    options = ("--column", "smokes", "-o", reports, "--yes-no", "-m", "grr", "-e", 1)
    table.write_text("smokes\nTrue\nno\nfalse\nyes\n")
    run("randomize", table, *options)
    assert reports.exists()
    table.write_text("smokes\nyes\n1\n")
    message = refusal("randomize", table, *options, "--force")
    assert "row 2" in message and "['no', 'yes'], True or False; got '1'" in message


def test_planning_in_a_shell():
    planned = run_json("plan", "--yes-no", "-e", 1, "--users", 900)
    assert planned == run_json("plan", "--values", "no,yes", "-e", 1, "--users", 900)
    both = refusal("plan", "--yes-no", "--size", 2, "-e", 1, "--users", 900)
    assert "exactly one of" in both and "--yes-no; --size" in both
