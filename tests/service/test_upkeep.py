"""A collector's own work: what fails for one survey stops no other, and is seen."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import text

import sottovoce.store.removing as removing
from sottovoce.store import Rules, StoreDown
from support.loading import colors, load, make, running
from support.stores import submission

QUICK = {"expire_seconds": 0.02, "fold_seconds": 0.02}
BEGUN = datetime(2026, 11, 16, tzinfo=UTC)


def until(found, patience: float = 20.0):
    """What is found, once it is."""
    end = time.monotonic() + patience
    while not (result := found()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
    return result


def health(collector):
    return httpx.get(f"{collector.url}/health/ready").json()["upkeep"]


def metric(collector, name) -> float:
    lines = httpx.get(f"{collector.url}/metrics").text.splitlines()
    return next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name} "))


def surveys():
    return colors("day", 1, "broken"), colors("day", 1, "sound")


def next_days(clock, store, wanted):
    """Let days pass, slowly enough for the collector to follow, until something is so."""
    for _ in range(60):
        if wanted(store):
            return
        clock[0] += timedelta(1)
        time.sleep(0.1)
    raise AssertionError("it did not come about")


@pytest.mark.parametrize(
    ("work", "lookup"), [("expire", "expired_windows"), ("scrub", "scrubbable_windows")]
)
def test_a_survey_that_cannot_be_tidied_stops_no_other(tmp_path, monkeypatch, caplog, work, lookup):
    broken, sound = surveys()
    real = getattr(removing, lookup)

    def fail(database, entry, today):
        if entry.published.survey.name == "broken":
            raise OverflowError("a mistake of ours")
        return real(database, entry, today)

    clock, rules = [BEGUN], Rules(retention=3, scrub=work == "scrub")
    with running(
        tmp_path, broken, sound, rules=rules, clock=lambda: clock[0], **QUICK
    ) as collector:
        for survey in (broken, sound):
            load(collector.address, make(survey, 10, "2026-11-16").uploads(10))
        monkeypatch.setattr(removing, lookup, fail)
        store = collector.store
        next_days(clock, store, lambda store: not store.kept(sound.fingerprint))
        failing = [{"work": work, "survey": broken.fingerprint}]
        assert until(lambda: health(collector)["failing"]) == failing
        labels = f'{{work="{work}",survey="{broken.fingerprint}"}}'
        failures = f"sottovoce_upkeep_failures_total{labels}"
        before = metric(collector, failures)
        until(lambda: metric(collector, failures) > before)
        assert metric(collector, "sottovoce_upkeep_failing") == 1
        told = [r.getMessage() for r in caplog.records if broken.fingerprint in r.getMessage()]
        assert len(told) == 1
        assert told[0].startswith(f"{work} of survey {broken.fingerprint}: OverflowError")
        assert "a mistake of ours" not in told[0]
        monkeypatch.undo()
        next_days(clock, store, lambda store: not store.kept(broken.fingerprint))
        until(lambda: not health(collector)["failing"])
        assert metric(collector, failures) > before


def test_a_survey_that_cannot_be_folded_stops_no_other(tmp_path):
    broken, sound = surveys()
    with running(tmp_path, broken, sound, clock=lambda: BEGUN, fold_seconds=0.02) as collector:
        load(collector.address, make(broken, 10, "2026-11-16").uploads(10))
        store = collector.store

        def unfolded() -> int:
            with store.database.reading() as connection:
                return connection.execute(text("SELECT count(*) FROM changes")).scalar_one()

        until(lambda: not unfolded())
        with store.database.writing() as connection:
            connection.execute(text("UPDATE tallies SET n = 3"))
        for survey in (broken, sound):
            load(collector.address, make(survey, 10, "2026-11-16", seed=2).uploads(10))
        failing = [{"work": "fold", "survey": broken.fingerprint}]
        assert until(lambda: health(collector)["failing"]) == failing
        until(lambda: unfolded() == 1)
        with store.database.writing() as connection:
            connection.execute(text("UPDATE tallies SET n = 10"))
        until(lambda: not health(collector)["failing"])
        assert unfolded() == 0
        assert store.check() == []


def test_for_all_surveys_at_once_the_error_comes_after_the_others(tmp_path, monkeypatch):
    broken, sound = surveys()
    real = removing.expired_windows

    def fail(database, entry, today):
        if entry.published.survey.name == "broken":
            raise error
        return real(database, entry, today)

    with running(tmp_path, broken, sound, rules=Rules(retention=3)) as collector:
        store, day = collector.store, datetime(2026, 12, 1, tzinfo=UTC).date()
        for error, expired in ((StoreDown("gone"), 0), (OverflowError(), 10)):
            store.write([submission(sound, 10)])
            monkeypatch.setattr(removing, "expired_windows", fail)
            with pytest.raises(type(error)):
                store.expire(day)
            monkeypatch.undo()
            assert store.counts().expired == expired


def test_a_clock_that_is_ahead_once_removes_nothing(tmp_path, caplog):
    survey, clock = colors("day", 1), [BEGUN]
    with running(
        tmp_path, survey, rules=Rules(retention=3, scrub=True), clock=lambda: clock[0], **QUICK
    ) as collector:
        load(collector.address, make(survey, 30, "2026-11-16").uploads(30))
        until(lambda: collector.store.tally(survey.fingerprint).n == 30)
        assert health(collector) == {"failing": [], "clock_trusted": True}
        clock[0] = datetime(2036, 1, 1, tzinfo=UTC)
        until(lambda: not health(collector)["clock_trusted"])
        time.sleep(0.2)  # ten rounds
        assert metric(collector, "sottovoce_clock_trusted") == 0
        assert collector.store.kept(survey.fingerprint) == {"2026-11-16": 30}
        clock[0] = BEGUN + timedelta(1)
        until(lambda: health(collector)["clock_trusted"])
        until(lambda: not collector.store.kept(survey.fingerprint))  # scrubbed, as is right
        assert collector.store.counts().expired == 0
        warned = [r for r in caplog.records if "the clock jumped ahead" in r.getMessage()]
        assert len(warned) == 1


def test_deletions_have_a_rate(tmp_path):
    survey = colors(minimum_batch=1)
    with running(tmp_path, survey, delete_rate=2) as collector:
        made = make(survey, 30)
        load(collector.address, made.uploads(30))
        where = f"{collector.url}/surveys/{survey.fingerprint}/reports"
        with httpx.Client() as client:
            answers = [client.delete(f"{where}/{each.hex()}") for each in made.ids]
        deleted = [answer for answer in answers if answer.status_code == 200]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(deleted) + len(refused) == 30
        assert deleted
        assert refused
        assert collector.store.counts().deleted == len(deleted)
        assert {answer.json()["code"] for answer in refused} == {"rate-limited"}
        assert {answer.headers["retry-after"] for answer in refused} == {"1"}


def test_one_address_cannot_use_up_the_deletions_of_all(tmp_path):
    survey = colors(minimum_batch=1)
    with running(tmp_path, survey, address_rate=1, delete_rate=20) as collector:
        where = f"{collector.url}/surveys/{survey.fingerprint}/reports/{bytes(16).hex()}"
        with httpx.Client() as client:
            codes = [client.delete(where).json()["code"] for _ in range(10)]
        assert codes[0] == "no-such-report"
        assert "rate-limited" in codes
        assert not collector.app.collector_state.deletions.wait()


NUMBERS = (2**31, 2**53, 2**63, 2**64, 10**40)


@pytest.mark.parametrize("number", NUMBERS)
def test_large_numbers_are_refused_and_do_no_harm(tmp_path, number):
    survey = colors(minimum_batch=1)
    other = colors(name="other")
    with running(tmp_path, survey) as collector, httpx.Client() as client:
        key = {"Authorization": f"Bearer {collector.keys.of_role('publish')}"}
        post = lambda path, body: client.post(f"{collector.url}{path}", json=body, headers=key)  # noqa: E731
        document = other.document()
        refused = [
            post("/surveys", {"survey": document, "rules": {"retention": number}}),
            post(f"/surveys/{survey.fingerprint}/tokens", {"count": number}),
        ]
        if number >= 2**53:
            refused.append(post("/surveys", {"survey": {**document, "minimum_batch": number}}))
            where = f"/surveys/{survey.fingerprint}/tokens"
            refused.append(post(where, {"allowance": number}))
        for answer in refused:
            assert answer.status_code == 400
            assert answer.json()["code"] == "invalid"
        most = 36_500 if number < 2**53 else 2**53 - 1  # of retention, or of any whole number
        assert str(most) in refused[0].json()["message"]
        assert list(collector.store.surveys()) == [survey.fingerprint]
