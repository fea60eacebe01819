"""Windows that are closed: ended, complete, and the same from then on."""

from __future__ import annotations

from datetime import date

import pytest

from sottovoce.base.errors import Mismatch
from support.stores import DAY, NEXT_DAY, collecting, made, place, server, submission, survey_of  # noqa: F401

LATER = date(2026, 11, 20)


@pytest.mark.parametrize("batch", [1, 20])
def test_closed_windows_have_ended_and_are_complete(place, batch):  # noqa: F811
    survey = survey_of(minimum_batch=batch)
    key = survey.fingerprint
    with collecting(place, survey) as store:
        store.write([submission(survey, 50), submission(survey, 30, seed=2, window=NEXT_DAY)])
        assert store.closed_windows(key, LATER) == {}  # not folded yet
        store.fold(key)
        store.release(key, date(2026, 11, 17))
        assert store.closed_windows(key, date(2026, 11, 17)) == {DAY: 50}
        store.release(key, LATER)
        assert store.closed_windows(key, LATER) == {DAY: 50, NEXT_DAY: 30}
        assert sum(len(part) for part in store.hand_out(key, DAY)) == 50
        store.write([submission(survey, 1, seed=3)])  # late
        assert DAY not in store.closed_windows(key, LATER)


def test_windows_below_the_minimum_batch_or_with_reports_gone_are_not_closed(place):  # noqa: F811
    survey = survey_of(minimum_batch=20)
    key = survey.fingerprint
    with collecting(place, survey, retention=3) as store:
        store.write([submission(survey, 50), submission(survey, 19, seed=2, window=NEXT_DAY)])
        store.fold(key)
        store.release(key, LATER)
        assert store.closed_windows(key, LATER) == {DAY: 50}
        reading = store.hand_out(key, DAY)
        assert store.delete(key, made(survey, 50)[0][7])
        assert store.closed_windows(key, LATER) == {}
        with pytest.raises(Mismatch, match="its reports changed"):
            list(reading)
        store.trusts_day(date(2026, 11, 16))
        store.expire(date(2026, 12, 20), key)
        assert store.closed_windows(key, date(2026, 12, 20)) == {}


def test_a_survey_that_is_closed_has_closed_windows_at_once(place):  # noqa: F811
    survey = survey_of(window="once", minimum_batch=20)
    key = survey.fingerprint
    with collecting(place, survey) as store:
        store.write([submission(survey, 50, window="")])
        store.fold(key)
        store.release(key, LATER)
        assert store.closed_windows(key, LATER) == {}
        store.close_survey(key)
        store.release(key, LATER)
        assert store.closed_windows(key, LATER) == {"": 50}
