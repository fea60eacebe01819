"""Questions as the command line and HTTP ask them: read alike, answered alike."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.questions import QUESTIONS, Questions, example_of, read_questions
from sottovoce.base.errors import InvalidInput, SottovoceError, Unfit
from sottovoce.cli.shared.asking import AskedOptions, option_words

DRINKS = sv.Categories(["tea", "coffee", "tea, iced"])
INCOME = sv.Interval(0, 60_000, bins=24)
PAIRS = sv.KeyValues(["film", "book"], 0, 5, bins=10)


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
        (DRINKS, "top", "top"),
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
    asked = AskedOptions(top=0, share=["a", "b"], cdf=[0.1], mean=True, variance=False)
    assert asked.questions == [
        ("top", "0"),
        ("share", "a"),
        ("share", "b"),
        ("cdf", "0.1"),
        ("mean", "1"),
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
    assert list(rows[0]) == ["question", "label", "value", "stderr", "low", "high", "p_value"]
    everything = Questions(DRINKS).of(found)
    assert list(everything[0]) == [*rows[0], "adjusted"]
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
    for name in QUESTIONS:
        domain = PAIRS if "key" in name else INCOME
        for text in ("1", "1:2", "film"):
            try:
                (question,) = read_questions(domain, [(name, text)]).asked
            except SottovoceError:
                continue
            assert question.name == name
            break
        else:
            pytest.fail(f"no text is taken for {name}")


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
    assert example_of("range", domain) == expected
    for name in QUESTIONS:
        text = example_of(name, domain)
        numbers = domain.interval if isinstance(domain, sv.KeyValues) else domain
        if name in ("range", "cdf"):
            bounds = [float(part) for part in text.split(":")]
            low, high = numbers.span
            assert all(low <= bound <= high for bound in bounds)
        if name not in ("share", "total"):
            read_questions(numbers, [(name, text)]) if name not in ("key", "top_keys") else None


def test_long_and_odd_values_are_no_examples():
    odd = sv.Categories(["x" * 25, "b"])
    assert example_of("share", odd) == example_of("total", odd) == ""
    assert example_of("total", sv.Categories(["a,b", "c"])) == ""
    assert example_of("total", sv.Categories(["only"])) == "only"
    assert example_of("total", sv.Categories(3)) == "0,1"
    assert example_of("top", sv.Categories(3)) == "3"
