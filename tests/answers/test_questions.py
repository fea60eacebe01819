"""Questions as the command line and HTTP ask them: read alike, answered alike."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import sottovoce as sv
from docs.generate.commands import commands
from sottovoce.answers.errors import Exact
from sottovoce.answers.questions import (
    Question,
    Questions,
    find_question,
    read_questions,
    register_question,
    registered_questions,
    unregister_question,
)
from sottovoce.answers.questions.catalogue import RESERVED
from sottovoce.answers.questions.texts import COUNT
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.cli.shared.asking import AskedOptions, option_words
from sottovoce.service.routes import ROUTES
from support.copies import pickled

DRINKS = sv.Categories(["tea", "coffee", "tea, iced"])
INCOME = sv.Interval(0, 60_000, bins=24)
PAIRS = sv.KeyValues(["film", "book"], 0, 5, bins=10)


def example(name, domain):
    return find_question(name).example(domain)


def told(domain, values, seed=1):
    mechanism = sv.mechanism("pckv-pm" if domain is PAIRS else "olh", domain, 2.0)
    return sv.estimate(mechanism.tally(mechanism.randomize(values, source=sv.Seeded(seed))))


@pytest.mark.parametrize(
    ("domain", "names", "goal"),
    [
        (INCOME, "", "distribution"),
        (INCOME, "mean", "mean"),
        (INCOME, "mean variance", "range"),
        (INCOME, "quantile", "range"),
        (INCOME, "cdf range mean", "range"),
        (INCOME, "quantile share", "distribution"),
        (DRINKS, "top", "distribution"),
        (DRINKS, "total", "subset"),
        (DRINKS, "share", "distribution"),
        (DRINKS, "top total", "distribution"),
        (PAIRS, "", "mean"),
        (PAIRS, "key top_keys mean", "mean"),
        (PAIRS, "key quantile", "distribution"),
    ],
)
def test_what_is_asked_decides_the_goal(domain, names, goal):
    value = "tea" if domain is DRINKS else "3"
    texts = {
        "range": "1:2", "cdf": "1", "quantile": "0.5", "mean": "1", "variance": "1", "top": "2",
        "share": value, "total": value, "key": "film", "top_keys": "1",
    }  # fmt: skip
    assert read_questions(domain, [(name, texts[name]) for name in names.split()]).goal == goal


WRONG = [
    (INCOME, "range", "20", "two numbers such as 30000:40000; got '20'"),
    (INCOME, "range", "nan:3", "two numbers such as 30000:40000"),
    (INCOME, "cdf", "many", "a number; got 'many'"),
    (INCOME, "share", "many", "a number, of Interval"),
    (INCOME, "mean", "yes", "1, or 0"),
    (DRINKS, "total", "tea,,coffee", "a list such as a,b,c, without empty items"),
    (DRINKS, "top", "0", "a whole number of at least 1; got 0"),
    (DRINKS, "top", "1.5", "a whole number of at least 1"),
    (sv.Categories(5), "share", "x", "a whole number, of Categories"),
    (PAIRS, "top_keys", "-1", "a whole number of at least 1"),
]


@pytest.mark.parametrize(("domain", "name", "text", "said"), WRONG)
def test_errors_are_in_the_words_of_who_asks(domain, name, text, said):
    with pytest.raises(InvalidInput) as over_http:
        read_questions(domain, [(name, text)])
    assert str(over_http.value).startswith(f"{name} of a question must be {said}")
    with pytest.raises(InvalidInput) as typed:
        read_questions(domain, [(name, text)], words=option_words("estimate"))
    option = f"--{name.replace('_', '-')}"
    assert str(typed.value).startswith(f"{option} of estimate must be {said}")


def test_keys_are_wanted_over_pairs_and_only_there():
    words = option_words("answers")
    with pytest.raises(Unfit, match="^key and top_keys need pairs of keys and numbers"):
        read_questions(DRINKS, [("key", "tea")])
    with pytest.raises(Unfit, match="^--key and --top-keys need pairs"):
        read_questions(DRINKS, [("top_keys", "1")], words=words)
    with pytest.raises(InvalidInput, match="^--key of answers must be given with questions on num"):
        read_questions(PAIRS, [("quantile", "0.5")], words=words)
    with pytest.raises(Unfit, match="pairs are asked about by key"):
        read_questions(PAIRS, [("share", "film")])


def test_options_become_texts_in_their_order():
    values = {"key": ["k"], "top": 0, "share": ["a", "b"], "cdf": [0.1], "mean": True}
    asked = AskedOptions.from_options(**values, variance=False, top_keys=2, total=None)
    assert asked.questions == [
        ("top", "0"),
        ("share", "a"),
        ("share", "b"),
        ("cdf", "0.1"),
        ("mean", "1"),
        ("top_keys", "2"),
        ("key", "k"),
    ]


def test_answers_come_in_the_order_of_the_questions():
    estimate = told(DRINKS, ["tea", "coffee", "tea, iced"] * 500)
    asked = [("share", "coffee"), ("total", 'tea,"tea, iced"'), ("top", "1"), ("share", "tea")]
    rows = read_questions(DRINKS, asked, confidence=0.9).of(estimate)
    assert [row["question"] for row in rows] == ["share", "total", "top", "share"]
    expected = estimate.total(["tea", "tea, iced"], confidence=0.9)
    assert (rows[1]["value"], rows[1]["low"]) == (expected.value, expected.low)
    everything = Questions(DRINKS).of(estimate)
    assert [row["label"] for row in everything] == DRINKS.labels()
    np.testing.assert_allclose([row["value"] for row in everything], estimate.frame()["share"])


def test_a_text_of_0_asks_nothing():
    assert read_questions(INCOME, [("mean", "0"), ("variance", "0")]).asked == ()


def test_of_a_difference_the_top_is_that_of_either_side():
    first, second = told(DRINKS, ["tea"] * 900), told(DRINKS, ["coffee"] * 900, 2)
    found = sv.difference(first, second)
    rows = read_questions(DRINKS, [("top", "1")]).of(found)
    assert [row["label"] for row in rows] == ["tea", "coffee"]
    assert list(rows[0]) == [
        "question",
        "label",
        "value",
        "stderr",
        "low",
        "high",
        "p_value",
        "adjusted",
    ]
    everything = Questions(DRINKS).of(found)
    assert list(everything[0]) == list(rows[0])
    assert rows[0]["adjusted"] == everything[0]["adjusted"]
    named = read_questions(DRINKS, [("share", "tea"), ("share", "coffee")]).of(found)
    assert [row["adjusted"] for row in named] == [
        pytest.approx(min(1, 2 * row["p_value"]), rel=1) for row in named
    ]  # Holm over the two that were asked
    assert [row["value"] for row in everything][:2] == [row["value"] for row in rows]


def test_keys_are_told_once_and_then_their_numbers():
    estimate = told(PAIRS, [("film", 4.0), ("book", 1.0), ("film", 3.0)] * 3000)
    asked = [("key", "book"), ("cdf", "3"), ("mean", "1"), ("top_keys", "2"), ("quantile", "0.5")]
    rows = read_questions(PAIRS, asked).of(estimate)
    labels = [(row["question"], row["label"]) for row in rows]
    assert labels[:4] == [
        ("frequency", "book"), ("frequency", "film"), ("mean", "book"), ("mean", "film")
    ]  # fmt: skip
    assert [question for question, _ in labels[4:]] == ["cdf", "quantile"]
    assert all(label.startswith("book: ") for _, label in labels[4:])
    expected = estimate.distribution("book").cdf(3)
    assert rows[4]["value"] == expected.value


def test_every_question_can_be_read():
    for question in registered_questions():
        domain = PAIRS if question.about == "keys" else INCOME
        (asked,) = read_questions(domain, [(question.name, question.example(domain))]).asked
        assert (asked.question, asked.name) == (question, question.name)


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (sv.Interval(0, 12, 12), "6:8"),
        (sv.Interval(0, 12, 256), "6:8.01562"),
        (sv.Interval(-1, 1, 1), "-1:1"),
        (sv.Interval(0, 100, 2), "50:100"),
        (sv.Counts(1), "1:1"),
        (sv.Counts(20), "10:14"),
        (sv.KeyValues(["film"], 1, 5, 8), "3:3.5"),
    ],
)
def test_examples_are_answered(domain, expected):
    assert example("range", domain) == expected
    numbers = domain.interval if isinstance(domain, sv.KeyValues) else domain
    shares = np.full(numbers.size, 1 / numbers.size)
    estimate = sv.Estimate(numbers, shares, 100, "certain", "", Exact(numbers.size))
    for question in registered_questions():
        text = question.example(domain)
        if question.name in ("range", "cdf"):
            bounds = [float(part) for part in text.split(":")]
            low, high = numbers.span
            assert all(low <= bound <= high for bound in bounds)
        if question.about == "numbers" or (question.about == "values" and domain is numbers):
            assert read_questions(numbers, [(question.name, text)]).of(estimate)


def test_long_and_odd_values_are_no_examples():
    odd = sv.Categories(["x" * 25, "b"])
    assert example("share", odd) == example("total", odd) == ""
    assert example("total", sv.Categories(["a,b", "c"])) == ""
    assert example("total", sv.Categories(["only"])) == "only"
    assert example("total", sv.Categories(3)) == "0,1"
    assert example("top", sv.Categories(3)) == "3"


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(Unfit) as refused:
        read_questions(DRINKS, [("shar", "tea")])
    assert str(refused.value) == "unknown question 'shar'. Did you mean 'share'?"
    with pytest.raises(Unfit, match="^unknown question 'sahres'"):
        unregister_question("sahres")


RECORD = {
    "name": "odd", "summary": "an odd question", "about": "values", "text": COUNT,
    "example": lambda domain: "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "Odd One", "name of Question must be lower-case letters, digits and _, beginning"),
        ("name", "import", "not a Python keyword; got 'import'"),
        ("about", "people", "about of odd must be one of keys, numbers, values; got 'people'"),
        ("unit", "percent", "unit of odd must be one of number, share, square; got 'percent'"),
        ("goals", (), "goals of odd must be at least one goal; got ()"),
        ("about", "keys", "chooses of odd must be given for a question about keys, and only there"),
        ("chooses", list, "chooses of odd must be given for a question about keys, and only there"),
    ],
)
def test_records_are_checked(field, value, said):
    with pytest.raises(InvalidInput, match=re.escape(said)):
        Question(**{**RECORD, field: value})


@pytest.mark.parametrize("name", ["share", "method", "window", "as_json"])
def test_taken_names_are_refused(name):
    with pytest.raises(InvalidInput, match="^name of register_question must be not taken yet"):
        register_question(Question(**{**RECORD, "name": name}))


def test_names_of_other_options_and_parameters_are_reserved():
    questions = {each.name for each in registered_questions()}
    typed = {
        name.lstrip("-").replace("-", "_")
        for command in ("estimate", "answers", "trend")
        for option in commands()[command].params
        for name in (option.name, *option.opts)
        if len(name.lstrip("-")) > 1
    }
    queried = {each.name for route in ROUTES if route.asks for each in route.parameters}
    assert {*typed, *queried, "help"} - questions == set(RESERVED)
    assert not questions & RESERVED


def test_questions_can_be_pickled_by_their_name():
    questions = read_questions(INCOME, [("range", "1:2"), ("mean", "1")])
    assert pickled(questions, protocol=5) == questions
    assert copy.deepcopy(questions) == questions
    with pytest.raises(Unfit, match="^odd cannot be pickled: it is not a registered question"):
        pickle.dumps(Question(**RECORD))


def test_a_form_offers_what_its_domain_has():
    for domain, names in (
        (DRINKS, ["share", "total", "top"]),
        (INCOME, ["range", "cdf", "quantile"]),
        (PAIRS, ["key", "top_keys"]),
    ):
        assert [
            each.name for each in registered_questions() if each.is_offered_for(domain)
        ] == names


@pytest.mark.parametrize(
    ("domain", "names"),
    [
        (DRINKS, "share total top"),
        (sv.Categories(["x" * 25, "b,c"]), "share total top"),
        (INCOME, "share total top range cdf quantile median mean variance std"),
        (sv.Counts(20), "share total top range cdf quantile median mean variance std"),
        (PAIRS, "top range cdf quantile median mean variance std key top_keys"),
        (sv.Vector(INCOME, 2), "top"),
    ],
    ids=str,
)
def test_a_question_knows_the_domains_that_it_can_be_asked_about(domain, names):
    assert " ".join(each.name for each in registered_questions() if each.fits(domain)) == names
