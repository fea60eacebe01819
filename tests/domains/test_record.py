"""Records: what one is made of, how answers are read, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput

PEOPLE = sv.Record(
    {"age": sv.Interval(0, 120, bins=24), "os": sv.Categories(["mac", "linux", "other"])}
)
ROWS = [{"age": 31, "os": "linux"}, {"os": "mac", "age": 4.5}]


def test_index_and_label_are_inverse():
    small = sv.Record({"a": sv.Categories(2), "b": sv.Categories(3), "c": sv.Counts(1)})
    for index in range(small.size):
        assert small.index(small.label(index)) == index
        assert small.digits(index) == small.answers(small.label(index))
    assert small.indices(small.labels()).tolist() == list(range(small.size))


def test_lists_frames_and_tables_are_the_same_rows():
    expected = [[6, 1], [0, 0]]
    arrow = pytest.importorskip("pyarrow")
    columns = {"os": ["linux", "mac"], "age": [31, 4.5]}
    for values in (ROWS, iter(ROWS), sv.Frame(columns), arrow.table(columns), Columns(columns)):
        assert PEOPLE.rows(values).tolist() == expected


class Columns(dict):
    """A dataframe as far as a record asks: names, and columns by name."""

    @property
    def columns(self):
        return list(self)

    def __getitem__(self, name):
        return np.array(super().__getitem__(name), dtype=object if name == "os" else float)


def test_rows_of_text_are_read():
    row = {"id": "7", "age": "31", "os": "linux"}
    assert PEOPLE.index(PEOPLE.read(row)) == PEOPLE.index(ROWS[0])
    with pytest.raises(InvalidInput, match=r"answer to 'age' of Record\(.* got 'old'"):
        PEOPLE.read({"age": "old", "os": "mac"})
    with pytest.raises(InvalidInput, match="question 'os' of .* must be answered"):
        PEOPLE.read({"age": "31"})


def test_large_records_have_no_index_of_64_bits():
    large = sv.Record({f"q{i}": sv.Categories(24) for i in range(30)})
    value = {f"q{i}": 23 for i in range(30)}
    assert large.index(value) == 24**30 - 1
    assert large.rows([value]).tolist() == [[23] * 30]
    with pytest.raises(InvalidInput, match="at most .* records for indices of 64 bits"):
        large.indices([value])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"age": 31}, "question 'os' of .* must be answered"),
        ({"age": 31, "so": "mac", "os": "mac"}, "a question of .* among age, os; got 'so'"),
        ({"agee": 31, "os": "mac"}, "Did you mean 'age'"),
        ({"age": "old", "os": "mac"}, "answer to 'age' of Interval"),
        ({"age": 31, "os": "maac"}, r"answer to 'os' of Categories.* one of \['mac'"),
        ({"age": 121, "os": "mac"}, "answer to 'age' of Interval.* got 121"),
        (31, "value of Record.* must be a mapping of questions to answers; got 31"),
    ],
)
def test_bad_answers_are_refused_by_question(value, message):
    with pytest.raises(InvalidInput, match=message):
        PEOPLE.index(value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "at least one value"),
        ("mac", "a list of mappings, or a table"),
        (sv.Frame({"age": [1.0], "os": ["mac"], "id": [3]}), "among age, os; got 'id'"),
        (sv.Frame({"age": [1.0], "os": ["m"]}), "answer to 'os'"),
        (sv.Frame({"age": [], "os": []}), "at least one value"),
    ],
)
def test_bad_batches_are_refused(values, message):
    with pytest.raises(InvalidInput, match=message):
        PEOPLE.rows(values)


def test_repeated_columns_are_refused():
    class Twice:
        columns = ("age", "os", "age")

    with pytest.raises(InvalidInput, match="questions of .* must be distinct; got 'age'"):
        PEOPLE.rows(Twice())


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([1, 2], "questions of Record must be a mapping of 2 to 30 names"),
        ({"a": sv.Categories(2)}, "got '1 questions'"),
        ({f"q{i}": sv.Categories(2) for i in range(31)}, "got '31 questions'"),
        ({"a": sv.Categories(2), "b": sv.Categories(1)}, "question 'b' .* at least 2 values"),
        ({"a": sv.Categories(2), "b": 3}, "question 'b' of Record must be a domain of one value"),
        ({"a": sv.Categories(2), "b": PEOPLE}, "question 'b' of Record must be a domain of one"),
        ({"a": sv.Categories(2), " b": sv.Counts(2)}, "name of a question .* got ' b'"),
        ({"a": sv.Categories(2), 3: sv.Counts(2)}, "name of a question .* got 3"),
        ({"a": sv.Categories(2), "b\t": sv.Counts(2)}, "none of them a control character"),
        ({"a": sv.Categories(2), "\ud800": sv.Counts(2)}, "name of a question of Record must be"),
    ],
)
def test_what_is_not_a_record_is_refused(questions, message):
    with pytest.raises(InvalidInput, match=message):
        sv.Record(questions)


def test_questions_are_found_by_name():
    assert PEOPLE.question("os") == 1
    with pytest.raises(InvalidInput, match="one of age, os; got 'osx'. Did you mean 'os'"):
        PEOPLE.question("osx")


@pytest.mark.parametrize("text", ["age,os", "age, os", "os,age"])
def test_two_questions_are_named_in_one_text(text):
    assert PEOPLE.pair(text) == tuple(name.strip() for name in text.split(","))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "age",
            "table of .* must be two different questions with a comma between them, of age, os",
        ),
        ("age,age", "two different questions"),
        ("age,os,age", "two different questions"),
        ("age,osx", "must be one of age, os; got 'osx'. Did you mean 'os'"),
    ],
)
def test_what_does_not_name_two_questions_is_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        PEOPLE.pair(text)


def test_repeated_names_in_json_are_refused():
    document = PEOPLE.to_json()
    document["questions"][1]["name"] = "age"
    with pytest.raises(InvalidInput, match="must be distinct; got 'age'"):
        sv.Record.from_json(json.loads(json.dumps(document)))


def test_other_mechanisms_refuse_records():
    with pytest.raises(InvalidInput, match="of one value per person.*Records are for"):
        sv.mechanism("grr", PEOPLE, 1.0)


def test_names_of_questions_do_not_depend_on_the_version_of_unicode():
    """Letters that join by a mark without width, and characters that no version has yet."""
    names = ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0003fffd", "\u3000")
    record = sv.Record(dict.fromkeys(names, sv.YesNo()))
    assert sv.Record.from_json(record.to_json()) == record


def test_many_records_are_read_as_columns_and_refused_as_one_is():
    """A batch is read question by question: the same indices, and the same refusals, as one by one."""
    people = sv.Record(
        {"age": sv.Ratings(0, 99), "smokes": sv.YesNo(), "os": sv.Categories(["a", 2])}
    )
    some = [
        {"os": os, "age": age, "smokes": yes} for age, yes, os in [(3, True, "a"), (4.0, "no", 2)]
    ]
    assert people.rows(some).tolist() == [list(people.answers(each)) for each in some]
    for bad in ([1, 2], None, "x", 100, float("nan")):
        for records in ([some[0], {**some[1], "age": bad}], [{**some[0], "age": bad}]):
            with pytest.raises(InvalidInput, match="answer to 'age'"):
                people.rows(records)
