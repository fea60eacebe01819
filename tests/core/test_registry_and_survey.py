"""Names, parameters, surveys: what is taken, what is refused, and how it is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.core.registry import register

DOMAIN = sv.Categories(["a", "b", "other"])


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("grr", sv.RandomizedResponse), ("KRR", sv.RandomizedResponse), ("de", sv.RandomizedResponse),
        ("randomized-response", sv.RandomizedResponse), (" OLH ", sv.LocalHashing),
        ("BLH", sv.LocalHashing), ("local-hashing", sv.LocalHashing),
        ("OLH-seeded", sv.SeededHashing), ("seeded-hashing", sv.SeededHashing),
        ("FLH", sv.FixedHashing), ("fixed-hashing", sv.FixedHashing),
        ("SS", sv.SubsetSelection), ("subset-selection", sv.SubsetSelection),
        ("HR", sv.HadamardResponse), ("Hadamard-Response", sv.HadamardResponse),
        ("oue", sv.UnaryEncoding), ("SUE", sv.UnaryEncoding), ("unary-encoding", sv.UnaryEncoding),
    ],
)  # fmt: skip
def test_names_in_any_case(name, cls):
    assert isinstance(sv.mechanism(name, DOMAIN, 1.0), cls)


def test_paper_names_are_the_same_mechanism():
    assert sv.mechanism("oue", DOMAIN, 1.0) == sv.UnaryEncoding(DOMAIN, 1.0)
    assert sv.mechanism("sue", DOMAIN, 1.0) == sv.UnaryEncoding(DOMAIN, 1.0, variant="symmetric")
    assert sv.mechanism("olh", DOMAIN, 1) == sv.LocalHashing(DOMAIN, epsilon=1.0)


@pytest.mark.parametrize("name", ["grr", "oue", "sue", "olh", "olh-seeded", "flh", "ss", "hr"])
@pytest.mark.parametrize(
    "epsilon", [0, -1, 1e-7, 20.001, float("nan"), float("inf"), "1", None, True, [1.0]]
)
def test_epsilon_outside_its_range(name, epsilon):
    with pytest.raises(InvalidInput) as error:
        sv.mechanism(name, DOMAIN, epsilon=epsilon)
    if epsilon is not None:
        assert "epsilon of" in str(error.value)
        assert "must be a number from 1e-06 to 20; got " + repr(epsilon) in str(error.value)


def test_wrong_names_and_options():
    with pytest.raises(
        Unfit, match="unknown mechanism 'rappor'. Known: biloloha, binned, blh, .*grr"
    ):
        sv.mechanism("rappor", DOMAIN, 1.0)
    with pytest.raises(InvalidInput, match="options of randomized-response must be among epsilon"):
        sv.mechanism("grr", DOMAIN, 1.0, color="red")
    with pytest.raises(
        InvalidInput, match="variant of unary-encoding must be one of optimized, symmetric"
    ):
        sv.mechanism("unary-encoding", DOMAIN, 1.0, variant="best")
    with pytest.raises(InvalidInput, match="variant of sue must be 'symmetric'"):
        sv.mechanism("sue", DOMAIN, 1.0, variant="optimized")
    with pytest.raises(
        InvalidInput, match="domain of randomized-response must be a domain such as"
    ):
        sv.mechanism("grr", ["a", "b"], 1.0)
    with pytest.raises(InvalidInput, match="domain of table must be a domain"):
        sv.mechanism("table", 2, weights=[[1, 1], [1, 1]])
    with pytest.raises(InvalidInput, match="not taken yet; got 'randomized-response'"):
        register(sv.RandomizedResponse)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (None, "3 rows of whole numbers"),
        ([[1, 1]], "3 rows of whole numbers"),
        ([[1, 1], [1, 1], [1]], "one per value, with equal sums"),
        ([[1, 1], [1, 1], [1, 2]], "one per value, with equal sums"),
        ([[1, 1], [1, 1], [0.5, 1.5]], "weights of table must be a whole number from 0"),
        ([[1, 1], [1, 1], [-1, 3]], "weights of table must be a whole number from 0"),
        ([[1, 1], [1, 1], [0, 2]], "positive in a column where any is; got 'column 0: (1, 1, 0)'"),
        ([[0, 0], [0, 0], [0, 0]], "rows whose sum is from 1 to 2^63; got 0"),
        ([[], [], []], "with equal sums"),
        ([[2**63, 2**63]] * 3, "rows whose sum is from 1 to 2^63"),
    ],
)
def test_bad_tables(weights, message):
    with pytest.raises(InvalidInput) as error:
        sv.mechanism("table", DOMAIN, weights=weights)
    assert message in str(error.value)


def test_a_table_and_its_epsilon():
    rows = [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
    assert np.isclose(sv.mechanism("table", DOMAIN, weights=rows).epsilon, np.log(2))
    assert sv.mechanism("table", DOMAIN, 1.0, weights=np.array(rows)).epsilon == 1.0
    with pytest.raises(InvalidInput, match=r"no ratio exceeds e\^0.5; got 'worst ratio 2"):
        sv.mechanism("table", DOMAIN, 0.5, weights=rows)
    with pytest.raises(InvalidInput, match="epsilon of table must be a number from 1e-06 to 20"):
        sv.mechanism("table", DOMAIN, weights=[[10**9, 1, 1], [1, 10**9, 1], [1, 1, 10**9]])


def test_a_table_that_tells_nothing():
    """Equal rows: private, but no distribution can be told from the reports."""
    mechanism = sv.mechanism("table", DOMAIN, weights=[[1, 2]] * 3)
    assert mechanism.epsilon == 1e-6
    tally = mechanism.simulate([10, 10, 10], source=sv.Seeded(1))
    with pytest.raises(
        Unfit, match="no method applies to table.*different distributions give the same reports"
    ):
        sv.estimate(tally)
    with pytest.raises(Unfit, match="unbiased does not apply to table.*what applies: nothing"):
        sv.estimate(tally, "unbiased")
    assert set(sv.methods(mechanism)["applies"]) == {"no"}


def test_one_value_is_certain():
    for name in ("grr", "oue", "sue", "olh", "olh-seeded", "flh", "ss", "hr"):
        mechanism = sv.mechanism(name, sv.Categories(1), 1.0)
        assert mechanism.certificate().ratio == 1
        e = sv.estimate(mechanism.randomize([0, 0, 0]))
        assert (e.shares.tolist(), e.stderr.tolist()) == ([1.0], [0.0])
        with pytest.raises(Unfit, match="unknown method 'nonsense'"):
            sv.estimate(mechanism.randomize([0]), "nonsense")
        assert e.why == "the domain has a single value: its share is 1"
        assert e.share(0).low == e.share(0).high == 1.0


def test_what_cannot_be_estimated_from():
    with pytest.raises(
        InvalidInput, match=r"observed of estimate must be a Tally or Reports; got \[1, 2\]"
    ):
        sv.estimate([1, 2])


# -- surveys ---------------------------------------------------------------------


def survey(**changes):
    arguments = {"name": "n", "question": "q?", "mechanism": sv.mechanism("oue", DOMAIN, 1.0)}
    return sv.Survey(**{**arguments, **changes})


def test_survey_round_trip_and_fingerprint():
    one = survey(
        window="week", minimum_batch=50, outside="other", opens="2026-01-01", closes="2026-12-31"
    )
    again = sv.Survey.from_json(one.to_json())
    assert again == one
    assert again.fingerprint == one.fingerprint
    assert len({one.fingerprint, survey().fingerprint, survey(name="m").fingerprint}) == 3

    def leaves(document):
        for value in document.values() if isinstance(document, dict) else document:
            if isinstance(value, (dict, list)):
                yield from leaves(value)
            else:
                yield value

    assert all(
        leaf is None or isinstance(leaf, (int, str)) for leaf in leaves(json.loads(one.to_json()))
    )


def test_the_fingerprint_never_changes():
    assert survey().fingerprint == "010f0fc4f7a1115d68f9e5bb5e95a0ac"


def test_a_device_needs_no_exponential(monkeypatch):
    """Everything it draws with is in the JSON: the derivation of weights is never called."""
    text = survey().to_json()

    def forbidden(self):
        raise AssertionError("a device derived weights")

    monkeypatch.setattr(sv.UnaryEncoding, "_derive_weights", forbidden)
    assert len(sv.Survey.from_json(text).mechanism.randomize("a")) == 1


def test_values_outside():
    assert survey(outside="other").admit("a") == "a"
    assert survey(outside="other").admit("z") == "other"
    with pytest.raises(InvalidInput, match="got 'z'"):
        survey().admit("z")
    numbers = survey(mechanism=sv.mechanism("oue", sv.Interval(0, 10, 5), 1.0), outside="nearest")
    assert [numbers.admit(x) for x in (-3, 4, 12, float("inf"))] == [0, 4, 10, 10]
    assert numbers.admit(np.float32(20)) == numbers.admit(np.int64(20)) == 10
    for wrong in (float("nan"), "many", None, True):
        with pytest.raises(InvalidInput):
            numbers.admit(wrong)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": " "}, "name of Survey must be text of 1 to 200 characters that is not blank"),
        (
            {"question": 5},
            "question of Survey must be text of 1 to 2000 characters that is not blank; got 5",
        ),
        ({"mechanism": "oue"}, "mechanism of Survey must be a mechanism; got 'oue'"),
        ({"window": "year"}, "window of Survey must be one of day, month, once, week; got 'year'"),
        (
            {"minimum_batch": 0},
            "minimum_batch of Survey must be a whole number from 1 to 1000000000",
        ),
        ({"minimum_batch": 2**53}, "minimum_batch of Survey must be a whole number from 1 to"),
        ({"outside": "drop"}, "outside of Survey must be one of nearest, other, refuse"),
        (
            {"outside": "nearest"},
            "outside of Survey must be 'other' or 'refuse' for Categories(['a', 'b', 'other'])"
            "; got 'nearest'. 'nearest' needs numbers, 'other' a category of that name.",
        ),
        (
            {"outside": "other", "mechanism": sv.mechanism("grr", sv.Categories(3), 1.0)},
            "outside of Survey must be 'refuse' for Categories(3); got 'other'. "
            "'nearest' needs numbers, 'other' a category of that name.",
        ),
        ({"opens": "tomorrow"}, "opens of Survey must be empty or a date such as 2026-01-31"),
        (
            {"opens": "2026-02-01", "closes": "2026-01-01"},
            "closes of Survey must be not before opens",
        ),
    ],
)
def test_bad_surveys(changes, message):
    with pytest.raises(InvalidInput) as error:
        survey(**changes)
    assert message in str(error.value)


def test_survey_json_of_others():
    with pytest.raises(CorruptBytes, match="the survey is not JSON"):
        sv.Survey.from_json("{")
    with pytest.raises(CorruptBytes, match="a survey of version None; this version reads 2"):
        sv.Survey.from_json("{}")
    document = json.loads(survey().to_json())
    del document["mechanism"]
    with pytest.raises(CorruptBytes, match="the survey is incomplete: 'mechanism'"):
        sv.Survey.from_json(json.dumps(document))
    with pytest.raises(CorruptBytes, match="the survey is incomplete"):
        sv.Survey.from_json(json.dumps({**json.loads(survey().to_json()), "color": "red"}))


def test_privacy_in_words():
    """Promises are rounded up: e^1.1 = 3.0042 is not "at most 3 times"."""
    assert "at most 3.01 times" in survey(mechanism=sv.mechanism("oue", DOMAIN, 1.1)).privacy()
    assert (
        "at most 7.39 times as likely"
        in survey(mechanism=sv.mechanism("oue", DOMAIN, 2.0)).privacy()
    )
    assert "at most 88.1%" in survey(mechanism=sv.mechanism("oue", DOMAIN, 2.0)).privacy()
