"""Cohorts on a device: drawn once and privately, asked once in W windows, silent whatever the value."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import date, timedelta

import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Refused
from sottovoce.device import ledger as ledgers
from sottovoce.device.ledger import Ledger
from sottovoce.device.memory import cohort_of
from support.devices import DRINKS, MONDAY, client_of, make_survey, running

WEEK = [MONDAY + timedelta(step) for step in range(7)]


def cohorts_survey(name="daily", ask="1/7", window="day", **more):
    return make_survey(name, window=window, ask=ask, **more)


def one_day(folder, day, survey=None, **more):
    return client_of(folder, survey or cohorts_survey(), clock=lambda: day, **more)


def test_a_device_is_asked_in_one_window_of_seven(tmp_path):
    days = [MONDAY + timedelta(step) for step in range(28)]
    receipts = [one_day(tmp_path, day).report("tea") for day in days]
    asked = [place for place, receipt in enumerate(receipts) if receipt.state == "pending"]
    assert len(asked) == 4
    assert {place % 7 for place in asked} == {asked[0]}
    assert [one_day(tmp_path, day).asked() for day in days] == [
        receipt.state == "pending" for receipt in receipts
    ]
    assert one_day(tmp_path, MONDAY).spent == 4
    silent = next(receipt for receipt in receipts if receipt.state == "not-asked")
    assert (silent.epsilon, silent.id, silent.upload, silent.code) == ("0", b"", b"", "")
    assert silent.window
    stored = Ledger(tmp_path).receipts()
    assert [receipt.window for receipt in stored] == [days[place].isoformat() for place in asked]


@pytest.mark.parametrize("window", ["day", "week", "month"])
def test_the_next_window_that_asks_is_told(tmp_path, window):
    survey = cohorts_survey(f"next-{window}", "1/3", window)
    day = date(2026, 12, 30)
    client = one_day(tmp_path, day, survey)
    following = client.next_asked()
    assert following > day
    assert one_day(tmp_path, following, survey).asked()
    between = [day + timedelta(step) for step in range((following - day).days)]
    windows = {
        one_day(tmp_path, each, survey).asked(): each
        for each in between
        if sv.surveys.windows.window_name(window, each)
        != sv.surveys.windows.window_name(window, day)
    }
    assert True not in windows


def test_a_survey_that_closes_asks_no_more(tmp_path):
    survey = cohorts_survey("closing", opens="2026-11-16", closes="2026-11-22")
    asked = [day for day in WEEK if one_day(tmp_path, day, survey).asked()]
    assert len(asked) == 1
    assert one_day(tmp_path, asked[0], survey).next_asked() is None
    with pytest.raises(Refused):
        one_day(tmp_path, date(2026, 11, 23), survey).report("tea")
    once = client_of(tmp_path, make_survey("once only", window="once"))
    assert (once.asked(), once.next_asked()) == (True, None)
    every = one_day(tmp_path, MONDAY, make_survey("every day", window="day"))
    assert (every.asked(), every.next_asked()) == (True, WEEK[1])


def test_a_survey_that_opens_later_asks_from_then_on(tmp_path):
    survey = cohorts_survey("later", "1/2", "week", opens="2027-01-06")  # a Wednesday
    following = one_day(tmp_path, MONDAY, survey).next_asked()
    assert following in (date(2027, 1, 6), date(2027, 1, 11))
    assert one_day(tmp_path, following, survey).report("tea").state == "pending"
    assert one_day(tmp_path, date.max, survey).next_asked() is None


def test_nothing_leaves_a_device_that_is_not_asked(tmp_path):
    """Not even the questions that come before a report, whatever the value."""
    with running() as collector:
        for day in WEEK:
            client = one_day(tmp_path, day, url=collector.url)
            before = len(collector.asked)
            if not client.asked():
                assert client.report("water").state == "not-asked"
                assert len(collector.asked) == before
        assert collector.received == []
    assert Ledger(tmp_path).receipts() == []


def test_a_bad_value_is_an_error_in_every_window(tmp_path):
    """Its program sees the same whether the device is asked or not."""
    for day in WEEK:
        with pytest.raises(InvalidInput, match="value"):
            one_day(tmp_path, day).report("beer")
        with pytest.raises(InvalidInput):
            one_day(tmp_path, day).report(["tea", "water"])
    survey = cohorts_survey("lenient", outside="other")
    states = Counter(one_day(tmp_path, day, survey).report("beer").state for day in WEEK)
    assert states == {"not-asked": 6, "pending": 1}


def test_a_survey_that_is_published_again_draws_nothing_anew(tmp_path):
    first, again = cohorts_survey(), cohorts_survey("daily", minimum_batch=20)
    assert first.fingerprint != again.fingerprint
    days = [day for day in WEEK if one_day(tmp_path, day, first).asked()]
    assert days == [day for day in WEEK if one_day(tmp_path, day, again).asked()]
    with Ledger(tmp_path)._transaction() as database:
        assert database.execute("SELECT count(*) FROM kept").fetchone() == (1,)


def test_a_cohort_is_uniform_and_from_the_devices_randomness(tmp_path):
    """2,000 draws of 5 cohorts; at a chi-square of 37.3 a fair draw fails once in ten million."""
    made, survey = Ledger(tmp_path), cohorts_survey("uniform", "1/5")
    made.cohort(survey, sv.OperatingSystem())  # the tables are there
    counts = Counter()
    with made._transaction() as database:
        for _ in range(2000):
            database.execute("DELETE FROM kept")
            counts[cohort_of(database, survey, sv.OperatingSystem())] += 1
    assert sorted(counts) == [0, 1, 2, 3, 4]
    assert sum((count - 400) ** 2 / 400 for count in counts.values()) < 37.3


def test_the_cohort_does_not_depend_on_the_answer_or_the_day(tmp_path):
    """Which devices are silent says nothing: the draw is made before the value is looked at."""
    drawn = []

    class Counted(sv.OperatingSystem):
        def words(self, count):
            drawn.append(count)
            return super().words(count)

    for place, value in enumerate(DRINKS.values):
        drawn.clear()
        client = one_day(tmp_path / str(place), MONDAY, source=Counted())
        client.asked()
        assert drawn == [1]
        client.report(value)
        assert (len(drawn) == 1) == (not client.asked())


def test_racing_threads_draw_one_cohort(tmp_path):
    found, survey = [], cohorts_survey("race", "1/1000")
    Ledger(tmp_path)

    def ask():
        found.append(Ledger(tmp_path).cohort(survey, sv.OperatingSystem()))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_another_number_of_cohorts_and_another_device_draw_anew(tmp_path):
    survey = cohorts_survey("many", "1/1000")
    drawn = {Ledger(tmp_path / str(i)).cohort(survey, sv.OperatingSystem()) for i in range(10)}
    assert len(drawn) > 3
    assert Ledger(tmp_path / "0").cohort(survey, sv.OperatingSystem()) in drawn
    few = cohorts_survey("many", "1/2")
    assert Ledger(tmp_path / "0").cohort(few, sv.OperatingSystem()) < 2


# -- the file -------------------------------------------------------------------------------


def version(folder):
    with Ledger(folder)._transaction() as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


def test_a_ledger_is_of_version_4_only_where_something_is_kept(tmp_path):
    client_of(tmp_path).report("tea")
    assert version(tmp_path) == 3
    one_day(tmp_path, MONDAY).report("tea")
    assert version(tmp_path) == 4
    assert client_of(tmp_path).report("tea").state == "pending"
    assert len(Ledger(tmp_path).receipts()) in (1, 2)
    assert version(tmp_path) == 4


def test_a_program_that_knows_version_3_only_refuses_and_changes_nothing(tmp_path, monkeypatch):
    one_day(tmp_path, MONDAY).asked()
    before = (tmp_path / "ledger.sqlite").read_bytes()
    old = ledgers._FORMAT.__class__(**{**vars(ledgers._FORMAT), "extension": ()})
    monkeypatch.setattr(ledgers, "_FORMAT", old)
    with pytest.raises(CorruptBytes, match="a ledger of version 4; this version reads 3"):
        Ledger(tmp_path)
    assert (tmp_path / "ledger.sqlite").read_bytes() == before


def test_a_file_that_cannot_be_written_means_no_cohort_and_no_report(tmp_path):
    client = one_day(tmp_path, MONDAY)
    client.ledger.path.unlink()
    with pytest.raises(OSError, match="cannot be written"):
        client.report("tea")
    with pytest.raises(OSError, match="cannot be written"):
        client.asked()
