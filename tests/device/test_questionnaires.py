"""The client answers several questions at once: one record, one report, one cost; and spends nothing on bad ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, OverBudget
from sottovoce.device.client import Client
from sottovoce.surveys.signing import PublisherKey
from support.dashboards import now
from support.loading import running
from support.questionnaires import questionnaire

ANSWERS = {"age": 31, "rents": True, "way": "bus", "mood": 4}


def survey(**more):
    record = questionnaire().mechanism.domain
    mechanism = sv.mechanism("record", record, 2.0, design="mixed")
    return sv.Survey("living", "Four questions", mechanism, **more)


def test_records_reach_a_collector_and_come_back_as_parts(tmp_path):
    """Forty devices and a relay of a thousand: every report is stored once, and tallied with the others."""
    agreed = survey(minimum_batch=20)
    (tmp_path / "service").mkdir()
    with running(tmp_path / "service", agreed, clock=now) as collector:
        for number in range(40):
            client = Client(agreed, folder=tmp_path / str(number), url=collector.url)
            receipt = client.report({**ANSWERS, "age": 20 + number})
            assert receipt.state == "acknowledged"
            assert client.report({**ANSWERS, "way": "car"}) == receipt  # the first answers count
            assert client.spent == 2
        store, fingerprint = collector.store, agreed.fingerprint
        assert store.windows(fingerprint) == {"": 40}
        assert store.counts(fingerprint).duplicates == 0
        store.fold(fingerprint)
        tally = store.tally(fingerprint)
        assert tally.n == 40
        assert sum(sv.estimate(tally).part("way").shares) == pytest.approx(1)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"age": 31, "rents": True, "way": "bus"}, "question 'mood' of Record.* must be answered"),
        (
            {**ANSWERS, "extra": 1},
            "a question of Record.* among age, rents, way, mood; got 'extra'",
        ),
        ({"aeg": 31, "rents": True, "way": "bus", "mood": 4}, "got 'aeg'. Did you mean 'age'"),
        ({**ANSWERS, "way": "boat"}, "answer to 'way' of Categories.* got 'boat'"),
        ({**ANSWERS, "mood": 6}, "answer to 'mood' of Ratings.* from 1 to 5; got 6"),
        ({**ANSWERS, "age": "old"}, "answer to 'age' of Interval.* got 'old'"),
        ({**ANSWERS, "rents": "maybe"}, "answer to 'rents' .* got 'maybe'"),
        ({}, "question 'age' of Record.* must be answered"),
        ("bus", "value of Record.* must be a mapping of questions to answers; got 'bus'"),
        ([("age", 31)], "a mapping of questions to answers"),
    ],
)
def test_bad_answers_are_refused_and_nothing_is_spent(tmp_path, answers, message):
    client = Client(survey(), folder=tmp_path)
    with pytest.raises(InvalidInput, match=message):
        client.report(answers)
    assert client.spent == 0
    assert client.ledger.receipts(client.survey.fingerprint) == []


def test_limits_count_a_record_once_and_know_it_again(tmp_path):
    first = survey(series="life")
    Client(first, folder=tmp_path).report(ANSWERS)
    reworded = sv.Survey(
        "again", first.question, first.mechanism, "month", series="life", texts={"age": "Your age?"}
    )
    client = Client(reworded, folder=tmp_path)
    with pytest.raises(OverBudget, match="has the name or question of 'living'"):
        client.report(ANSWERS)  # other words for the same questions
    assert client.spent == 2
    other = sv.Survey("other", "Other questions", first.mechanism, series="life")
    with pytest.raises(OverBudget, match="series_epsilon"):
        Client(other, folder=tmp_path, series_epsilon=3.0, day_epsilon=10.0).report(ANSWERS)


def test_signed_questionnaires_are_answered_and_changed_ones_are_not(tmp_path):
    key = PublisherKey.generate()
    signed = key.sign(survey(texts={"way": "How do you get to work?"}))
    client = Client(signed, publisher=key.public, folder=tmp_path)
    assert client.report(ANSWERS).state == "pending"
    assert client.spent == Fraction(2)


def test_cohorts_answer_several_questions_too(tmp_path):
    agreed = survey(window="week", ask="1/3")
    receipts = [
        Client(agreed, folder=tmp_path / str(n), clock=lambda: now().date()).report(ANSWERS)
        for n in range(60)
    ]
    states = [receipt.state for receipt in receipts]
    assert set(states) == {"pending", "not-asked"}
    bad = Client(agreed, folder=tmp_path / "0", clock=lambda: now().date())
    with pytest.raises(InvalidInput, match="question 'age'"):
        bad.report({})


def test_uploads_have_one_length_whatever_the_answers(tmp_path):
    rng = np.random.default_rng(1)
    sizes = set()
    for n in range(30):
        answers = {
            "age": float(rng.integers(0, 100)),
            "rents": bool(n % 2),
            "way": "car",
            "mood": 1 + n % 5,
        }
        sizes.add(len(Client(survey(), folder=tmp_path / str(n)).report(answers).upload))
    assert len(sizes) == 1
