"""Releases: readers see a window in steps of the minimum batch, and no single report by itself."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from sqlalchemy import func, select

import sottovoce as sv
from sottovoce.base.errors import Mismatch, Unfit
from sottovoce.store import Released, Rules, Submission
from sottovoce.store.schema import releases, waiting
from sottovoce.surveys.survey import Survey
from sottovoce.wire.payloads import payloads_of
from support.stores import DAY, NEXT_DAY, made, place, server, store, survey_of

__all__ = ["place", "server", "store"]
BATCH = 10
AFTER = date(2026, 11, 20)


def batched(batch=BATCH, **rest):
    return survey_of(minimum_batch=batch, **rest)


def memoized():
    mechanism = sv.mechanism("memoized", sv.Categories(4), 1.0, lifetime=2.0)
    return Survey("kept", "Which?", mechanism, "day", BATCH)


class Sending:
    """Reports of a survey, sent some at a time, and what readers then see."""

    def __init__(self, store, survey, count=400, window=DAY):
        self.store, self.survey, self.window = store, survey, window
        store.publish(survey, Rules(retention=5))
        self.ids, reports = made(survey, count)
        self.rows = payloads_of(reports)
        self.sent = 0

    def send(self, count):
        chosen = slice(self.sent, self.sent + count)
        sent = Submission(self.survey.fingerprint, self.window, self.ids[chosen], self.rows[chosen])
        self.store.write([sent])
        self.sent += count

    def seen(self, ended=None):
        """What a reader sees who asks now."""
        f = self.survey.fingerprint
        self.store.release(f, ended)
        return self.store.released_tally(f, [self.window])

    def delete(self, place):
        assert self.store.delete(self.survey.fingerprint, self.ids[place])

    def kept_rows(self):
        with self.store.database.reading() as connection:
            return connection.execute(select(func.sum(waiting.c.reports))).scalar() or 0


def test_asking_before_and_after_every_report_shows_no_report_by_itself(store):
    sending = Sending(store, batched())
    seen = [sending.seen()]
    for _ in range(55):
        sending.send(1)
        seen.append(sending.seen())
    moves = [after.n - before.n for before, after in pairwise(seen)]
    assert set(moves) == {0, BATCH}
    assert next(tally.n for tally in seen if tally.n) == BATCH
    assert seen[19].n == 0 and seen[20].n == BATCH  # the newest ten are left out
    for before, after in pairwise(seen):
        if before.n == after.n:
            np.testing.assert_array_equal(before.cells, after.cells)
    assert store.check() == []


@pytest.mark.parametrize("size", [1, 7, 60, 200])
def test_an_ended_window_is_released_whole_and_its_last_step_is_a_batch(store, size):
    sending = Sending(store, batched())
    steps = [0]
    while sending.sent < 200:
        sending.send(min(size, 200 - sending.sent))
        steps.append(sending.seen().n)
    assert steps[-1] <= 200 - BATCH
    last = sending.seen(AFTER)
    assert last.n == 200 and last.n - steps[-1] >= BATCH
    np.testing.assert_array_equal(last.cells, store.tally(sending.survey.fingerprint).cells)
    assert all(b == a or b - a >= BATCH for a, b in pairwise(steps))
    assert sending.kept_rows() == 0
    assert store.check() == []


def test_a_survey_that_is_closed_has_ended(store):
    sending = Sending(store, batched())
    sending.send(BATCH)
    assert sending.seen().n == 0
    store.close_survey(sending.survey.fingerprint)
    assert sending.seen().n == BATCH


def test_below_the_minimum_batch_nothing_is_seen_even_at_the_end(store):
    sending = Sending(store, batched())
    sending.send(BATCH - 1)
    assert sending.seen(AFTER).n == 0
    assert store.released(sending.survey.fingerprint) == {DAY: Released(BATCH - 1, 1)}
    sending.send(1)  # a clock was wrong: one more came, and the window has a batch
    assert sending.seen(AFTER).n == BATCH


def test_late_reports_wait_until_they_are_a_batch(store):
    sending = Sending(store, batched())
    sending.send(50)
    assert sending.seen(AFTER).n == 50
    for _ in range(BATCH - 1):
        sending.send(1)
        assert sending.seen(AFTER).n == 50
    sending.send(1)
    assert sending.seen(AFTER).n == 60


@pytest.mark.parametrize("place_of_it", [0, 5, 25, 39])
def test_a_deletion_is_seen_with_the_next_step_only(store, place_of_it):
    """Of the 40 reports, 30 are released and the newest ten wait."""
    sending = Sending(store, batched())
    sending.send(40)
    before = sending.seen()
    sending.delete(place_of_it)
    after = sending.seen()
    assert before.n == after.n == 30
    np.testing.assert_array_equal(before.cells, after.cells)
    sending.send(BATCH)
    step = sending.seen()
    assert step.n in (39, 40)  # of 49, without the newest ten
    last = sending.seen(AFTER)
    assert last.n == 49
    np.testing.assert_array_equal(last.cells, store.tally(sending.survey.fingerprint).cells)
    assert store.check() == []


def test_deletions_after_the_end_are_seen_when_they_are_a_batch(store):
    sending = Sending(store, batched())
    sending.send(50)
    before = sending.seen(AFTER)
    for place_of_it in range(BATCH - 1):
        sending.delete(place_of_it)
        assert sending.seen(AFTER) == before
    sending.delete(BATCH - 1)
    assert sending.seen(AFTER).n == 40


def test_a_deleted_report_is_not_kept_among_those_that_wait(store):
    sending = Sending(store, batched(size=2**16 - 1))  # rows hardly ever agree
    sending.send(15)
    store.fold(sending.survey.fingerprint)
    assert sending.kept_rows() == BATCH
    with store.database.reading() as connection:
        kept = connection.execute(select(waiting.c.rows)).scalar()
    waits = next(i for i, row in enumerate(sending.rows) if row in kept)
    gone = sending.rows[waits]
    sending.delete(waits)
    store.fold(sending.survey.fingerprint)
    with store.database.reading() as connection:
        rows = b"".join(connection.execute(select(waiting.c.rows)).scalars())
    assert gone not in [rows[i : i + len(gone)] for i in range(0, len(rows), len(gone))]


def test_no_more_than_the_newest_are_kept(store):
    sending = Sending(store, batched())
    for _ in range(30):
        sending.send(7)
        store.fold(sending.survey.fingerprint)
        assert sending.kept_rows() < 2 * BATCH
    assert sending.seen().n == 200


def test_steps_outlive_a_restart(place):
    with place.open() as store:
        sending = Sending(store, batched())
        sending.send(40)
        before = sending.seen()
    with place.open() as again:
        sending.store = again
        sending.send(BATCH - 1)
        assert sending.seen() == before
        sending.send(1)
        assert sending.seen().n == before.n + BATCH


def test_with_a_minimum_batch_of_one_all_is_seen_at_once(store):
    sending = Sending(store, batched(1))
    for count in (1, 2, 5):
        sending.send(count)
        assert sending.seen().n == sending.sent
    sending.delete(3)
    assert sending.seen().n == 7
    assert sending.kept_rows() == 0


def test_windows_are_released_by_themselves(store):
    survey = batched()
    first, second = Sending(store, survey), Sending(store, survey, window=NEXT_DAY)
    second.ids = [bytes(reversed(number)) for number in second.ids]
    first.send(30)
    second.send(BATCH)
    assert store.release(survey.fingerprint, date(2026, 11, 17)) == 1  # one day has ended
    assert store.released(survey.fingerprint) == {DAY: Released(30, 1), NEXT_DAY: Released(0, 0)}
    assert store.released_tally(survey.fingerprint, [DAY, NEXT_DAY]).n == 30
    assert store.release() == 0


def test_expiry_releases_what_there_is_and_keeps_no_row(store):
    sending = Sending(store, batched())
    sending.send(35)
    assert sending.seen().n == 25
    assert store.expire(date(2026, 12, 30)) == 35
    assert sending.kept_rows() == 0
    assert store.released_tally(sending.survey.fingerprint, [DAY]).n == 35


def test_a_large_tally_is_released_when_it_is_worth_writing(store):
    """For a tenth as many reports as are released."""
    sending = Sending(store, batched(size=2**17), count=250)
    sending.send(210)
    assert sending.seen().n == 200
    sending.send(19)
    assert sending.seen().n == 200
    sending.send(1)
    assert sending.seen().n == 220
    sending.send(BATCH)
    store.close_survey(sending.survey.fingerprint)
    assert sending.seen().n == 240


def test_a_check_finds_a_release_that_is_not_of_its_tally(store):
    sending = Sending(store, batched())
    sending.send(40)
    sending.seen()
    with store.database.writing() as connection:
        connection.execute(releases.update().values(n=29))
    (found,) = store.check()
    assert "reports released and waiting, folded: 39 is not 40" in found


def test_only_the_collector_releases(place):
    with place.open(), place.open(writable=False) as reader, pytest.raises(Unfit, match="release"):
        reader.release()


def test_each_window_has_its_own_tally_with_its_label(store):
    """Memoized reports of two windows are never one tally; each window by itself is."""
    survey = memoized()
    sending = Sending(store, survey, 40)
    sending.send(40)
    second = made(survey, 30, seed=2)
    later = Submission(survey.fingerprint, NEXT_DAY, second[0], payloads_of(second[1]))
    store.write([later])
    f, days = survey.fingerprint, [DAY, NEXT_DAY]
    store.release(f, AFTER)
    tallies = store.released_tallies(f, [NEXT_DAY, DAY, "2026-11-19"])
    assert {name: tally.n for name, tally in tallies.items()} == {DAY: 40, NEXT_DAY: 30}
    assert [tally.window for tally in tallies.values()] == days
    assert store.released_tally(f, [DAY]) == tallies[DAY] == store.tally(f, [DAY])
    for pooled in (store.released_tally, store.tally):
        with pytest.raises(Mismatch, match=r"memoized reports of 2026-11-16 and 2026-11-17.*trend"):
            pooled(f, days)
    assert store.check() == []


def test_windows_of_fresh_reports_are_merged_without_a_label(store):
    survey = batched()
    sending = Sending(store, survey, 40)
    sending.send(40)
    ids, reports = made(survey, 5, seed=2)
    store.write([Submission(survey.fingerprint, NEXT_DAY, ids, payloads_of(reports))])
    f, days = survey.fingerprint, [DAY, NEXT_DAY]
    store.release(f, AFTER)
    assert list(store.released_tallies(f, days)) == [DAY]  # the other is below its minimum batch
    assert store.tally(f, days).window == "" and store.tally(f, days).n == 45
    assert store.released_tally(f, days).window == DAY
