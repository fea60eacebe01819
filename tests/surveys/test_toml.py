"""Surveys as files: what is written reads back, what is wrong is said with file, table and key."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError, Unfit
from sottovoce.surveys.toml import read_survey, survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import beliefs, doubts, survey_in_words
from sottovoce.wire.uploads import upload_size
from support.commands import run
from support.documents import integer_weights, with_weights

FILE = """
name = "drinks"
question = "What do you drink?"
window = "week"
minimum_batch = 50
outside = "other"
opens = 2026-11-16
closes = "2026-12-31"

[domain]
kind = "categories"
values = ["tea", "coffee", "other"]

[mechanism]
name = "OLH"
epsilon = 1

[mechanism.options]
hash_range = 3
"""


# -- reading --------------------------------------------------------------------------------


def test_a_file_is_the_survey_it_says(tmp_path):
    domain = sv.Categories(["tea", "coffee", "other"])
    olh = sv.mechanism("olh", domain, 1.0, hash_range=3)
    wanted = sv.Survey(
        "drinks", "What do you drink?", olh, "week", 50, "other", "2026-11-16", "2026-12-31"
    )
    assert survey_from_toml(FILE) == wanted
    path = tmp_path / "drinks.toml"
    path.write_text("\ufeff" + FILE, encoding="utf-8")
    assert read_survey(path).fingerprint == wanted.fingerprint
    path.write_text(f"\n {wanted.to_json()}\n", encoding="utf-8")
    assert read_survey(path) == wanted


DOMAINS = {
    'kind = "categories"\nsize = 5': sv.Categories(5),
    'kind = "categories"\nvalues = [3, 1, "x"]': sv.Categories([3, 1, "x"]),
    'kind = "interval"\nlow = -1\nhigh = 2.5': sv.Interval(-1, 2.5),
    'kind = "interval"\nlow = -1\nhigh = 2.5\nbins = 7': sv.Interval(-1, 2.5, 7),
    'kind = "counts"\nmost = 12': sv.Counts(12),
}


@pytest.mark.parametrize("text", DOMAINS)
def test_domains(text):
    made = survey_from_toml(
        f'name = "n"\nquestion = "q"\n[domain]\n{text}\n[mechanism]\nname = "grr"\nepsilon = 0.5'
    )
    assert made.mechanism.domain == DOMAINS[text]
    assert made.window == "once"


def test_a_table_needs_no_epsilon():
    text = FILE.partition("[mechanism]")[0] + '[mechanism]\nname = "table"\nweights = '
    rows = [[3, 1, 1], [1, 3, 1], [1, 1, 3]]
    made = survey_from_toml(f"{text}{rows}")
    assert made.mechanism == sv.mechanism(
        "table", sv.Categories(["tea", "coffee", "other"]), weights=rows
    )


def changed(old: str, new: str) -> str:
    assert old in FILE
    return FILE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "s.toml is not TOML: "),
        (changed('name = "drinks"\n', ""), "name of s.toml must be given; got None"),
        (changed('name = "drinks"', 'name = " "'), "name of s.toml must be text of 1 to 200"),
        (changed("window =", "windw ="), "a key of s.toml must be one of .*; got 'windw'. Did you mean 'window'?"),
        (changed('"week"', '"year"'), "window of s.toml must be one of day, month, once, week; got 'year'"),
        (changed("50", '"50"'), "minimum_batch of s.toml must be a whole number from 1 to 1000000000; got '50'"),
        (changed("50", "true"), "minimum_batch of s.toml must be a whole number"),
        (changed("2026-11-16", "2026-11-16T10:00:00"), "opens of s.toml must be empty or a date"),
        (changed("2026-12-31", "2026-02-31"), "closes of s.toml must be empty or a date"),
        (changed("2026-12-31", "2026-02-01"), "closes of s.toml must be not before opens"),
        (changed('"other"\nopens', '"nearest"\nopens'), "outside of s.toml must be 'other' or 'refuse' for Categories.*; got 'nearest'. 'nearest' needs numbers"),
        (changed("[domain]", "[domane]"), "a key of s.toml .* got 'domane'. Did you mean 'domain'?"),
        ('domain = 3\n' + changed("[domain]\n", "[other]\n"), "a key of s.toml .* got 'other'"),
        ('name = "n"\nquestion = "q"\ndomain = 3\nmechanism = 4', r"domain of s.toml must be a table, \[domain\]; got 3"),
        (changed('"categories"', '"colors"'), r"kind of \[domain\] in s.toml must be one of categories, choices, counts, dates, interval, key-values, may-decline, ratings, vector, yes-no; got 'colors'"),
        (changed('kind = "categories"\n', ""), r"kind of \[domain\] in s.toml must be one of .*; got None"),
        (changed("values =", "valuesx ="), r"a key of \[domain\] in s.toml .* Did you mean 'values'"),
        (changed('values = ["tea", "coffee", "other"]', ""), r"values of \[domain\] in s.toml must be given, or size"),
        (changed("values =", "size = 3\nvalues ="), r"values of \[domain\] in s.toml must be given, or size .* got 'both'"),
        (changed('["tea", "coffee", "other"]', '"tea"'), r"values of \[domain\] in s.toml must be a list of distinct names; got 'tea'"),
        (changed('["tea", "coffee", "other"]', '["tea", "tea"]'), r"values of \[domain\] in s.toml must be distinct names; got 'tea'"),
        (changed('["tea", "coffee", "other"]', '[1.5]'), r"in s.toml must be"),
        (changed('values = ["tea", "coffee", "other"]', "size = [3]"), r"size of \[domain\] in s.toml must be a whole number"),
        (changed('values = ["tea", "coffee", "other"]', "size = 0"), r"size of \[domain\] in s.toml must be a whole number"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "interval"\nlow = 3'), r"high of \[domain\] in s.toml must be given"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "interval"\nlow = 3\nhigh = 2'), r"high of \[domain\] in s.toml must be a finite number above"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "interval"\nlow = 3\nhigh = inf'), r"high of \[domain\] in s.toml"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "vector"\nlow = 0\nhigh = 1\ncoordinates = 0'), r"coordinates of \[domain\] in s.toml must be a whole number"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "key-values"\nlow = 0\nhigh = 1\nkeys = ["a", "a"]'), r"keys of \[domain\] in s.toml must be distinct"),
        (changed('kind = "categories"\nvalues = ["tea", "coffee", "other"]', 'kind = "key-values"\nlow = 0\nhigh = 1\nkeys = 3\npairs = 0'), r"pairs of \[domain\] in s.toml must be a whole number"),
        (changed('name = "OLH"\n', ""), r"name of \[mechanism\] in s.toml must be given; got None"),
        (changed('"OLH"', "7"), r"name of \[mechanism\] in s.toml must be the name of a mechanism; got 7"),
        (changed('"OLH"', '"ohl"'), r"name of \[mechanism\] in s.toml: unknown mechanism 'ohl'. Did you mean 'o"),
        (changed("epsilon = 1\n", ""), r"epsilon of \[mechanism\] in s.toml must be given: a number from 1e-6 to 20; got None"),
        (changed("epsilon = 1", "epsilon = 100"), r"epsilon of \[mechanism\] in s.toml must be a number from 1e-06 to 20; got 100"),
        (changed("epsilon = 1", 'epsilon = "1"'), r"epsilon of \[mechanism\] in s.toml must be a number"),
        (changed("epsilon = 1", "epsilon = nan"), r"epsilon of \[mechanism\] in s.toml must be a number"),
        (changed("hash_range = 3", "hash_range = 4"), r"hash_range of \[mechanism.options\] in s.toml must be"),
        (changed("hash_range = 3", "hush_range = 3"), r"options of \[mechanism.options\] in s.toml must be among .*hash_range"),
        (changed("hash_range = 3", "epsilon = 3"), r"a key of \[mechanism.options\] in s.toml must be another name than epsilon"),
        (changed("[mechanism.options]\nhash_range = 3", "options = 3"), r"options of \[mechanism\] in s.toml must be a table, \[options\]; got 3"),
        (changed("epsilon = 1", "epsilon = 1\nweights = {keep = 1, other = 2}"), r"weights of \[mechanism\] in s.toml|weight"),
        (changed('"OLH"\nepsilon = 1\n\n[mechanism.options]\nhash_range = 3', '"sw"\nepsilon = 1'), r"domain.* in s.toml must be"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, message):
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SottovoceError, match=message):
        read_survey(path)


def test_files_that_are_no_surveys(tmp_path):
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CorruptBytes, match="is not UTF-8 text"):
        read_survey(path)
    path.write_text('{"survey": 7}')
    with pytest.raises(CorruptBytes, match="s.toml: a survey of version 7"):
        read_survey(path)
    document = json.loads(survey_from_toml(FILE).to_json())
    path.write_text(json.dumps({**document, "window": "year"}))
    with pytest.raises(InvalidInput, match="window of Survey in s.toml must be one of"):
        read_survey(path)
    with pytest.raises(FileNotFoundError):
        read_survey(tmp_path / "none.toml")


# -- writing --------------------------------------------------------------------------------


def test_every_mechanism_is_written_and_read_back(mechanism):
    survey = sv.Survey("n", "q", mechanism, "day")
    assert survey_from_toml(survey_to_toml(survey)).to_json() == survey.to_json()


@given(
    st.text(min_size=1), st.text(min_size=1), st.sets(st.text(min_size=1), min_size=1, max_size=4)
)
def test_any_text_is_written_and_read_back(name, question, values):
    try:
        survey = sv.Survey(name, question, sv.mechanism("grr", sv.Categories(sorted(values)), 1.0))
        survey.fingerprint  # noqa: B018  # refuses what no UTF-8 can say
    except (InvalidInput, UnicodeEncodeError):
        return
    assert survey_from_toml(survey_to_toml(survey)) == survey


def test_weights_that_are_not_ours_are_kept():
    document = json.loads(survey_from_toml(FILE).to_json())
    weights = integer_weights(document["mechanism"])
    weights["keep"], weights["other"] = weights["keep"] - 3, weights["other"] + 1
    document["mechanism"] = with_weights(document["mechanism"], weights)
    survey = sv.Survey.from_json(json.dumps(document))
    text = survey_to_toml(survey)
    assert "weights = {keep = " in text
    assert survey_from_toml(text) == survey


def test_what_toml_cannot_say_is_refused():
    grid = sv.Vector(sv.Counts(3), 2)
    survey = sv.Survey("n", "q", sv.mechanism("vector", grid, 1.0, inner="grr"))
    with pytest.raises(Unfit, match="cannot be written as TOML; its canonical JSON can"):
        survey_to_toml(survey)
    with pytest.raises(Unfit, match=r"Vector\(Counts\(3\), 2\) cannot be written as TOML"):
        grid.to_toml()


# -- in words -------------------------------------------------------------------------------


def test_words_for_people(mechanism):
    survey = sv.Survey("n", "q?", mechanism, "month", opens="2026-01-01", closes="2026-02-01")
    text = survey_in_words(survey)
    assert text.startswith("n: q?\n")
    assert survey.privacy() in text
    assert "At most one report per month. From 2026-01-01. Until 2026-02-01." in text
    assert 30 < upload_size(survey) < 200
    whole = {"reports": "all"} if mechanism.remembers else {}
    ratio = mechanism.certificate(**whole).ratio
    for before, after in beliefs(survey):
        prior = before / 100
        exact = 100 * prior * float(ratio) / (prior * float(ratio) + 1 - prior)
        assert exact - 1e-9 <= after <= exact + 0.1 + 1e-9


def test_words_of_the_rules():
    many = sv.Survey(
        "n", "q", sv.mechanism("oue", sv.Categories([f"v{i}" for i in range(20)]), 1.0)
    )
    assert "v11 and 8 more. Anything else is not sent" in survey_in_words(many)
    assert "What is sent: 3 bytes" in survey_in_words(many)
    ages = sv.Survey(
        "n", "q", sv.mechanism("grr", sv.Interval(0, 9, bins=3), 1.0), outside="nearest"
    )
    assert (
        "a number from 0 to 9, seen through 3 bins. A number outside counts as the nearest"
        in survey_in_words(ages)
    )
    weekly = survey_from_toml(FILE)
    assert "Anything else counts as 'other'." in survey_in_words(weekly)
    assert (
        "factor of up to 7.39 after 2 reports and more than a million after 52"
        in survey_in_words(weekly)
    )
    friends = sv.Survey("n", "q", sv.mechanism("degree-noise", sv.Counts(9), 0.5), "week")
    assert beliefs(friends) == []
    assert "Every report tells" not in survey_in_words(friends)


def test_doubts():
    def of(*arguments, **more):
        return " | ".join(doubts(sv.Survey("n", "q", sv.mechanism(*arguments), **more)))

    few = sv.Categories(["a", "other"])
    assert of("grr", few, 1.0, outside="other") == ""
    assert "that silence can be noticed" in of("grr", few, 1.0)
    assert "epsilon is large: a report may be 149 times" in of("grr", few, 5.0)
    assert "as few as 5 reports" in of("grr", few, 1.0, minimum_batch=5)
    assert "it closed on 2020-01-01" in of("grr", few, 1.0, closes="2020-01-01")
    assert "only between degrees" in of("degree-noise", sv.Counts(9), 0.5)
    assert "may fail with a chance of" in of("gaussian", sv.Interval(0, 1, bins=8), 1.0)


# -- the commands ---------------------------------------------------------------------------


def test_new_check_and_show(tmp_path):
    path, agreed = tmp_path / "pets.toml", tmp_path / "pets.json"
    run("survey", "new", path)
    survey = read_survey(path)
    assert (survey.name, survey.mechanism.name) == ("pets", "randomized-response")
    shown = run("survey", "check", path, "-o", agreed).stdout
    assert shown.startswith(f"{path}: valid, fingerprint {survey.fingerprint}\n")
    assert "warning: devices whose answer is not on the list send nothing" in shown
    assert agreed.read_text() == survey.to_json() + "\n"
    assert run("survey", "check", path, "-o", "-").stdout == survey.to_json() + "\n"
    shown = run("survey", "show", agreed).stdout
    assert survey_in_words(survey) in shown
    assert survey.fingerprint in shown
    run("survey", "new", path, code=2)
    run("survey", "new", path, "--force")
    run("survey", "check", path, "-o", agreed, code=2)
    assert "FILE of the command" in run("survey", "new", tmp_path, "--force", code=2).stderr


def test_new_with_everything_said(tmp_path):
    path = tmp_path / "s.toml"
    run(
        "survey", "new", path, "--name", "ages", "--question", "How old?", "--window", "month", "--low", 0,
        "--high", 120, "--bins", 24, "--minimum-batch", 30, "--outside", "nearest", "--opens", "2026-01-01",
        "--closes", "2026-06-30", "--cohorts", 3, "-m", "sw", "-e", 2, "--option", "output_bins=64",
    )  # fmt: skip
    wave = sv.mechanism("sw", sv.Interval(0, 120, bins=24), 2.0, output_bins=64)
    wanted = sv.Survey(
        "ages", "How old?", wave, "month", 30, "nearest", "2026-01-01", "2026-06-30", ask="1/3"
    )
    assert read_survey(path) == wanted


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--size", 500], "local-hashing"), (["--most", 9], "square-wave"), (["--size", 3], "randomized-response"),
        (["--low", 0, "--high", 1], "square-wave"), (["--keys", "a,b", "--low", 0, "--high", 1], "key-value"),
        (["-m", "table", "--size", 2, "--option", "weights=[[3,1],[1,3]]"], "table"),
    ],
)  # fmt: skip
def test_new_chooses_what_is_usual(options, name):
    text = run("survey", "new", "-", *options).stdout
    made = survey_from_toml(text)
    assert (made.name, made.mechanism.name) == ("survey", name)


def test_results_as_json(tmp_path):
    path = tmp_path / "s.toml"
    made = json.loads(run("survey", "new", path, "--json").stdout)
    survey = read_survey(path)
    assert (made["file"], made["fingerprint"]) == (str(path), survey.fingerprint)
    checked = json.loads(run("survey", "check", path, "--json").stdout)
    assert checked["privacy"] == survey.privacy().splitlines()
    assert checked["doubts"] == doubts(survey)
    shown = json.loads(run("survey", "show", path, "--json").stdout)
    assert shown["survey"] == survey.document()
    assert shown["upload_bytes"] == upload_size(survey)
    assert shown["beliefs_percent"][2] == {"before": 50.0, "after": 73.2}
    run("survey", "new", "-", "--json", code=2)
    run("survey", "check", path, "-o", "-", "--json", code=2)


def test_errors_are_one_line(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(FILE.replace("epsilon", "epsilom"), encoding="utf-8")
    for command in ("check", "show"):
        told = run("survey", command, path, code=2).stderr
        assert told.startswith("error: a key of [mechanism] in s.toml must be one of")
        assert told.count("\n") == 1
    assert "No such file" in run("survey", "check", tmp_path / "none", code=2).stderr
