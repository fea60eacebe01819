"""The trend of a question of a record: its own shares, and what people who answer twice share."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from support.questionnaires import answers, questionnaire

DAYS = ["2026-11-16", "2026-11-17", "2026-11-18"]


def trend(**more):
    mechanism = questionnaire().mechanism
    reports = [mechanism.randomize(answers(4000, n), source=sv.Seeded(n)) for n in range(3)]
    return sv.trend([mechanism.tally(each) for each in reports], DAYS, **more)


def test_a_question_has_the_estimates_of_its_windows():
    whole = trend()
    part = whole.part("rents")
    for own, window in zip(part.estimates, whole.estimates, strict=True):
        assert own.n < window.n
        np.testing.assert_array_equal(own.shares, window.part("rents").shares)
    series = part.share("yes")
    assert series.reports == tuple(each.n for each in part.estimates)
    assert series.shifts() == []


def test_people_who_all_answer_again_share_at_most_all_of_the_error():
    """Where nothing is known of the overlap, the error of a mean is at most that of a window, and reaches it."""
    part = trend().part("age")
    for series in (part.quantile(0.5), part.mean()):
        one = max(np.sqrt(series.variances))
        assert series.average().stderr <= 1.001 * one
    quantiles = part.quantile(0.5)
    assert quantiles.average().stderr == pytest.approx(
        np.mean(np.sqrt(quantiles.variances)), rel=0.05
    )


def test_others_in_each_window_share_nothing():
    series = trend(overlap=0).part("rents").share("yes")
    assert series.average().stderr == pytest.approx(np.sqrt(series.variances.sum()) / 3)
