"""Surveys of several questions: their texts, their file, their document."""

from __future__ import annotations

import json

import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.surveys.charges import question_key
from sottovoce.surveys.toml import survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import survey_in_words

FILE = """
name = "home"
question = "Your home: three short questions"

[[questions]]
name = "age"
text = "How old are you?"
kind = "interval"
low = 0
high = 100
bins = 10

[[questions]]
name = "rent"
text = "Do you rent it?"
kind = "yes-no"

[[questions]]
name = "size"
kind = "ratings"
low = 1
high = 5

[mechanism]
name = "record"
epsilon = 2

[mechanism.options]
design = "mixed"
"""
HOME = sv.Record(
    {"age": sv.Interval(0, 100, bins=10), "rent": sv.YesNo(), "size": sv.Ratings(1, 5)}
)
TEXTS = {"age": "How old are you?", "rent": "Do you rent it?"}


def home(**more):
    mechanism = sv.mechanism("record", HOME, 2.0, design="mixed")
    return sv.Survey("home", "Your home: three short questions", mechanism, **more)


def test_a_file_of_several_questions_is_the_survey_it_says():
    read = survey_from_toml(FILE, "s.toml")
    assert read == home(texts=TEXTS)
    assert [read.text_of(name) for name in HOME.names] == [*TEXTS.values(), "size"]
    written = survey_to_toml(read)
    assert survey_from_toml(written).fingerprint == read.fingerprint
    assert 'text = "Do you rent it?"\nkind = "yes-no"' in written
    assert "[domain]" not in written


def test_texts_come_with_a_version_of_the_document():
    plain, asked = home(), home(texts=TEXTS)
    assert plain.document()["survey"] == 2
    assert "texts" not in plain.document()
    document = json.loads(asked.to_json())
    assert (document["survey"], document["texts"]) == (4, [*TEXTS.values(), ""])
    assert sv.Survey.from_json(asked.to_json()) == asked
    assert home(texts=("", "", "")) == plain
    assert home(texts=[*TEXTS.values(), ""]) == asked
    document["texts"] = []
    with pytest.raises(CorruptBytes, match="the survey is not in canonical form"):
        sv.Survey.from_document(document)


def test_wording_does_not_make_another_question_for_a_budget():
    assert question_key(home()) == question_key(home(texts=TEXTS))


def test_people_read_the_texts():
    words = survey_in_words(home(texts=TEXTS))
    assert "  1. How old are you? (a number from 0 to 100, seen through 10 bins)" in words
    assert "  3. size (a whole number from 1 to 5)" in words
    assert "Your device draws one or two of these questions at random" in words


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"aeg": "How old?"}, "must be one of age, rent, size; got 'aeg'. Did you mean 'age'"),
        ({"age": " "}, "text of 'age' of Survey must be text of 1 to 2000 characters"),
        ({"age": 3}, "text of 'age' of Survey must be text"),
        (("a", "b"), "texts of Survey must be a mapping of questions to texts, or 3 texts"),
        ("abc", "texts of Survey must be a mapping"),
    ],
)
def test_bad_texts_are_refused(texts, message):
    with pytest.raises(InvalidInput, match=message):
        home(texts=texts)


def test_one_question_has_no_texts():
    yes_no = sv.mechanism("grr", sv.YesNo(), 1.0)
    with pytest.raises(InvalidInput, match="texts of Survey must be left out unless .* a Record"):
        sv.Survey("n", "q", yes_no, texts={"a": "b"})
    with pytest.raises(InvalidInput, match="about a survey of several questions"):
        sv.Survey("n", "q", yes_no).text_of("age")


def changed(old: str, new: str, file: str = FILE) -> str:
    assert old in file
    return file.replace(old, new, 1)


ONE = FILE[: FILE.index('[[questions]]\nname = "rent"')] + FILE[FILE.index("[mechanism]") :]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("bins = 10", "bns = 10"), r"a key of \[\[questions\]\] 'age' in s.toml .* Did you mean 'bins'"),
        (changed("bins = 10", "bins = 0"), r"bins of \[\[questions\]\] 'age' in s.toml must be"),
        (changed("high = 100\n", ""), r"high of \[\[questions\]\] 'age' in s.toml must be given"),
        (changed('"yes-no"', '"yesno"'), r"kind of \[\[questions\]\] 'rent' in s.toml must be one of .* Did you mean 'yes-no'"),
        (changed('"yes-no"', '"record"'), r"kind of \[\[questions\]\] 'rent' in s.toml must be one of"),
        (changed('"yes-no"', "3"), r"kind of \[\[questions\]\] 'rent' in s.toml must be one of .*; got 3"),
        (changed('name = "rent"', 'name = "age"'), r"name of \[\[questions\]\] 2 in s.toml must be text, another for every question; got 'age'"),
        (changed('name = "rent"\n', ""), r"name of \[\[questions\]\] 2 in s.toml .* got None"),
        (changed('"Do you rent it?"', '" "'), r"text of \[\[questions\]\] 'rent' in s.toml must be what people are asked"),
        (changed('"Do you rent it?"', "true"), r"text of \[\[questions\]\] 'rent' in s.toml .* got True. Left out, people read the name"),
        (FILE + '\n[domain]\nkind = "yes-no"', r"domain of s.toml must be left out where there are \[\[questions\]\]"),
        (ONE, r"questions of \[\[questions\]\] in s.toml must be .* got '1 questions'. A survey of one question has \[domain\]"),
        ("questions = 3\n" + changed(FILE[FILE.index("[[questions]]") : FILE.index("[mechanism]")], ""), r"questions of s.toml must be tables, each \[\[questions\]\]; got 3"),
    ],
)  # fmt: skip
def test_bad_files_say_where(text, message):
    with pytest.raises(InvalidInput, match=message):
        survey_from_toml(text, "s.toml")
