"""What every store promises, in SQLite and in PostgreSQL alike."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import date
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.store import (
    Published,
    Receipt,
    Refusals,
    Rules,
    Scrubbed,
    StoreBusy,
    Submission,
    Writer,
    open_store,
)
from sottovoce.wire.payloads import payloads_of, reports_from_rows
from support.stores import (
    DAY,
    NEXT_DAY,
    collecting,
    made,
    place,
    server,
    store,
    submission,
    survey_of,
)
from vectors.words import as_if_drawn

__all__ = ["place", "server", "store"]
SURVEY = survey_of()
F = SURVEY.fingerprint
EXAMPLE = count()


def tally_of(*submissions):
    mechanism = SURVEY.mechanism
    return sum(
        mechanism.tally(reports_from_rows(mechanism, item.rows)).of_window(item.window)
        for item in submissions
    )


# -- rows ------------------------------------------------------------------------------------


def test_rows_hold_every_report_in_a_fixed_width(mechanism):
    people = np.zeros(9, dtype=np.int64)
    reports = as_if_drawn(mechanism.randomize_indices(people, sv.Seeded(4)))
    rows = payloads_of(reports)
    assert len({len(row) for row in rows}) == 1
    assert reports_from_rows(mechanism, rows) == reports
    assert reports_from_rows(mechanism, b"".join(rows)) == reports
    assert payloads_of(reports[:0]) == []
    assert len(reports_from_rows(mechanism, b"")) == 0
    wrong = b"".join(rows) + b"x" if len(rows[0]) > 1 else [b"xy", *rows]
    with pytest.raises(InvalidInput, match=r"payloads of reports of .* must be of \d+ bytes each"):
        reports_from_rows(mechanism, wrong)


# -- surveys ---------------------------------------------------------------------------------


def test_publishing_is_idempotent_and_survives(place):
    rules = Rules("tokens", retention=30, scrub=True)
    with place.open() as store:
        assert store.publish(SURVEY, rules) is True
        assert store.publish(SURVEY, rules) is False
        with pytest.raises(Mismatch, match="cannot be published again with Rules"):
            store.publish(SURVEY, Rules("open"))
    with place.open() as store:
        assert store.surveys() == {F: Published(SURVEY, rules, closed=False)}
        assert store.publish(SURVEY, rules) is False
        store.close_survey(F)
        assert store.write([submission(SURVEY, 3, token=b"t" * 32)]) == [
            Receipt(0, 0, "window-closed")
        ]
    with place.open() as store:
        assert store.surveys()[F].closed
        assert store.counts(F).refused == {"window-closed": 3}
        assert store.windows(F) == {}


@pytest.mark.parametrize(
    "rules",
    [
        {"upload": "all"},
        {"retention": -1},
        {"retention": 1.5},
        {"retention": 36_501},
        {"retention": 2**31},
        {"retention": 2**63},
        {"scrub": 1},
    ],
)
def test_rules_say_what_is_wrong_with_them(rules):
    with pytest.raises(InvalidInput, match=f"{next(iter(rules))} of Rules must be"):
        Rules(**rules)


def test_retention_needs_a_window_that_closes(store):
    forever = survey_of(window="once")
    with pytest.raises(InvalidInput, match="retention of the rules for survey 'colors'"):
        store.publish(forever, Rules(retention=10))
    assert store.surveys() == {}
    assert store.publish(survey_of(window="once", closes="2026-12-31"), Rules(retention=10))


def test_what_is_not_published_is_not_known(store):
    for ask in (store.counts, store.windows, store.tally, store.close_survey, store.fold):
        with pytest.raises(InvalidInput, match="fingerprint of the store must be"):
            ask("0" * 32)
    assert store.write([submission(SURVEY, 4)]) == [Receipt(0, 0, "unknown-survey")]
    assert store.counts().refused == {"unknown-survey": 4}


# -- writing ---------------------------------------------------------------------------------


def test_an_id_counts_once(place):
    with collecting(place, SURVEY) as store:
        first = submission(SURVEY, 10)
        again = Submission(F, DAY, first.ids, first.rows[::-1])  # other payloads: the first win
        twice = Submission(F, NEXT_DAY, [*first.ids[:2], b"n" * 16, b"n" * 16], first.rows[:4])
        assert store.write([first]) == [Receipt(10, 0)]
        assert store.write([again, twice]) == [Receipt(0, 10), Receipt(1, 3)]
        assert store.write([first, twice]) == [Receipt(0, 10), Receipt(0, 4)]
        assert store.counts(F) == store.counts()
        assert (store.counts().stored, store.counts().duplicates) == (11, 27)
        assert store.counts().sent == 38
        assert store.windows(F) == {DAY: 10, NEXT_DAY: 1}
        assert store.tally(F, [DAY]) == tally_of(first)
        assert store.check() == []
    with place.open() as store:
        assert store.write([first]) == [Receipt(0, 10)]
        (ids, reports), *rest = store.reports(F, DAY)
        assert rest == []
        kept = dict(zip(store.hash_ids(F, first.ids), first.rows, strict=True))
        assert dict(zip(ids, payloads_of(reports), strict=True)) == kept


def test_the_same_id_in_one_transaction_and_in_two_surveys(place):
    other = survey_of("others", size=300)
    with collecting(place, SURVEY) as store:
        store.publish(other)
        one, two = submission(SURVEY, 6), submission(other, 6)
        assert one.ids == two.ids
        assert len(one.rows[0]) != len(two.rows[0])
        receipts = store.write([one, two, one, Refusals("", "malformed", 2)])
        assert receipts == [Receipt(6, 0), Receipt(6, 0), Receipt(0, 6), Receipt(0, 0, "malformed")]
        assert store.counts(other.fingerprint).sent == 6
        assert store.counts().sent == 20
        assert store.check() == []


def test_refusals_are_counted_where_they_belong(place):
    with collecting(place, SURVEY) as store:
        store.write(
            [Refusals(F, "clock-skew", 3), Refusals(F, "clock-skew"), Refusals("", "no-id", 2)]
        )
        store.write([Refusals("f" * 32, "too-large", 7), Refusals(F, "no-id")])
        assert store.counts(F).refused == {"clock-skew": 4, "no-id": 1}
        assert store.counts().refused == {"clock-skew": 4, "no-id": 3, "too-large": 7}
        with pytest.raises(InvalidInput, match="reports of refusals"):
            store.write([Refusals(F, "no-id", -1)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": [b"short"]}, "ids of a submission must be"),
        ({"ids": [b"i" * 16] * 2}, "ids of a submission must be"),
        ({"rows": [b"wide"]}, "rows of a submission to randomized-response must be of 1 bytes"),
        ({"rows": [b"\xff"]}, "from 0 to 4"),
        ({"token": b"short"}, "token of a submission must be 32 bytes"),
        ({"window": "November"}, "window of a survey with window 'day'"),
    ],
)
def test_a_wrong_submission_writes_nothing(place, change, message):
    good = {"fingerprint": F, "window": DAY, "ids": [b"i" * 16], "rows": [b"\1"]}
    with collecting(place, SURVEY) as store:
        with pytest.raises(InvalidInput, match=message):
            store.write([submission(SURVEY, 5), Submission(**(good | change))])
        assert (store.counts().sent, store.windows(F), store.check()) == (0, {}, [])
        assert store.write([submission(SURVEY, 5)]) == [Receipt(5, 0)]


# -- tokens ----------------------------------------------------------------------------------


def test_a_token_allows_so_many_new_reports_a_window(place):
    token, other = b"t" * 32, b"u" * 32
    with collecting(place, SURVEY, upload="tokens") as store:
        first, second = submission(SURVEY, 3, 1), submission(SURVEY, 2, 2)

        def send(found, token, allowance, window=DAY):
            item = Submission(F, window, found.ids, found.rows, token, allowance)
            return store.write([item])[0]

        assert send(first, None, 1) == Receipt(0, 0, "not-allowed")
        assert send(first, token, 2) == Receipt(0, 0, "not-allowed")
        assert store.counts().stored == 0  # a refused submission leaves nothing, and no charge
        assert send(first, token, 3) == Receipt(3, 0)
        assert send(first, token, 3) == Receipt(0, 3)  # what is there costs nothing
        assert send(second, token, 4) == Receipt(0, 0, "not-allowed")
        assert send(second, token, 5) == Receipt(2, 0)
        assert send(submission(SURVEY, 1, 3), token, 5) == Receipt(0, 0, "not-allowed")
        assert send(submission(SURVEY, 1, 3), other, 1) == Receipt(1, 0)
        assert send(submission(SURVEY, 1, 4), other, 1, NEXT_DAY) == Receipt(1, 0)
        assert store.counts(F).refused == {"not-allowed": 3 + 3 + 2 + 1}
        assert store.check() == []


def test_a_token_is_charged_within_a_transaction_too(place):
    token = b"t" * 32
    with collecting(place, SURVEY) as store:
        items = [submission(SURVEY, 1, seed, token=token, allowance=2) for seed in range(5)]
        codes = [receipt.code for receipt in store.write([*items, items[0]])]
        assert codes == ["", "", "not-allowed", "not-allowed", "not-allowed", ""]
        assert store.counts().stored == 2


def test_one_token_in_a_race_brings_one_report(place):
    """Many threads send different reports with one token through a Writer."""
    answers, sends = [], 400
    with collecting(place, SURVEY, upload="tokens") as store:
        writer = Writer(store, answers.extend)

        def send(start):
            for seed in range(start, sends, 8):
                assert writer.submit(seed, submission(SURVEY, 1, seed, token=b"t" * 32))

        threads = [threading.Thread(target=send, args=(start,)) for start in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.stop()
        assert Counter(receipt.code for _, receipt in answers) == {"": 1, "not-allowed": sends - 1}
        assert sorted(key for key, _ in answers) == list(range(sends))
        assert store.counts().sent == sends
        assert store.check() == []


# -- tallies ---------------------------------------------------------------------------------


def test_tallies_are_those_of_the_reports_folded_or_not(place):
    with collecting(place, SURVEY) as store:
        days = [submission(SURVEY, 40, 1), submission(SURVEY, 50, 2, NEXT_DAY)]
        store.write(days)
        for most in (None, 7, 10_000):
            if most:
                assert store.fold(F, most) in (40, 50)
            assert store.tally(F, [DAY]) == tally_of(days[0])
            assert store.tally(F, [NEXT_DAY]) == tally_of(days[1])
            assert store.tally(F) == store.tally(F, [DAY, NEXT_DAY, DAY]) == tally_of(*days)
            assert store.check() == []
        assert (store.fold(F), store.fold()) == (0, 0)
        assert (
            store.tally(F, ["2026-11-18"]) == store.tally(F, []) == sv.Tally.empty(SURVEY.mechanism)
        )
        with pytest.raises(InvalidInput, match="a day such as"):
            store.tally(F, ["2026-W47"])


def test_a_large_tally_waits_until_it_is_worth_writing(store):
    large = sv.Survey("large", "Which?", sv.mechanism("grr", sv.Categories(2**17), 4.0))
    store.publish(large)
    store.write([submission(large, 100, window="")])
    assert store.fold() == 0
    assert store.tally(large.fingerprint).n == 100
    store.write([submission(large, 2**13, 2, window="")])
    assert store.fold() == 100 + 2**13
    assert store.fold(large.fingerprint) == 0
    assert store.check() == []


@settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=8),
    st.lists(st.integers(1, 60), min_size=1, max_size=6),
    st.integers(0, 2**32 - 1),
)
def test_folding_in_any_pieces_gives_the_tally_of_all_reports(store, sizes, pieces, seed):
    survey = survey_of(f"folded {next(EXAMPLE)}")
    store.publish(survey)
    f, sent = survey.fingerprint, []
    for place_of_it, size in enumerate(sizes):
        sent.append(
            submission(survey, size, 100 * seed + place_of_it, (DAY, NEXT_DAY)[place_of_it % 2])
        )
        store.write([sent[-1]])
        if place_of_it < len(pieces):
            store.fold(f, pieces[place_of_it])
        victim = sent[0].ids[0]
        if place_of_it == 1:
            assert store.delete(f, victim)
    rows = [row for item in sent for row in item.rows][1 if len(sizes) > 1 else 0 :]
    expected = survey.mechanism.tally(reports_from_rows(survey.mechanism, rows))
    assert store.tally(f).of_window("") == expected
    while store.fold(f, pieces[0]):
        assert store.tally(f).of_window("") == expected
    assert store.tally(f).of_window("") == expected


# -- removing --------------------------------------------------------------------------------


@pytest.mark.parametrize("folded", [False, True])
def test_a_deleted_report_is_gone_and_stays_gone(place, folded):
    with collecting(place, SURVEY) as store:
        sent = submission(SURVEY, 12)
        store.write([sent])
        if folded:
            store.fold(F)
        assert store.delete(F, sent.ids[3]) is True
        assert store.delete(F, sent.ids[3]) is False
        assert store.delete(F, bytes(16)) is False
        with pytest.raises(InvalidInput, match="id of delete must be 16 bytes"):
            store.delete(F, b"short")
        rest = Submission(F, DAY, sent.ids[:3] + sent.ids[4:], sent.rows[:3] + sent.rows[4:])
        assert store.tally(F) == tally_of(rest)
        assert store.write([sent]) == [Receipt(0, 12)]
        assert store.tally(F) == tally_of(rest)
        assert store.windows(F) == {DAY: 11}
        counts = store.counts(F)
        assert (counts.stored, counts.deleted, counts.held, counts.sent) == (12, 1, 11, 24)
        assert store.check() == []
        store.fold(F)
        assert store.tally(F) == tally_of(rest)
        assert store.check() == []
        assert next(store.reports(F))[0] == sorted(store.hash_ids(F, rest.ids))


def test_scrubbing_leaves_ids_and_tallies(place):
    with collecting(place, SURVEY, scrub=True) as store:
        closed, open_still = submission(SURVEY, 20, 1), submission(SURVEY, 30, 2, NEXT_DAY)
        store.write([closed, open_still])
        store.delete(F, closed.ids[0])
        assert store.scrub(date(2026, 11, 16)) == 0
        assert store.scrub(date(2026, 11, 17)) == 19
        assert store.scrub(date(2026, 11, 17)) == 0
        assert store.check() == []
        rest = Submission(F, DAY, closed.ids[1:], closed.rows[1:])
        assert store.tally(F) == tally_of(rest, open_still)
        assert store.windows(F) == {DAY: 19, NEXT_DAY: 30}
        assert store.write([closed]) == [Receipt(0, 20)]
        assert list(store.reports(F, DAY)) == []
        with pytest.raises(Scrubbed, match="was scrubbed after it was counted"):
            store.delete(F, closed.ids[1])
        late = submission(SURVEY, 5, 3)  # waited for after the window has closed
        assert store.write([late]) == [Receipt(5, 0)]
        assert store.scrub(date(2026, 11, 17)) == 5
        store.close_survey(F)
        assert store.scrub(date(2026, 11, 16)) == 30
        assert store.tally(F) == tally_of(rest, open_still, late)
        assert store.check() == []


def test_without_the_rule_nothing_is_scrubbed(place):
    with collecting(place, SURVEY) as store:
        store.write([submission(SURVEY, 5)])
        assert store.scrub(date(2030, 1, 1)) == store.expire(date(2030, 1, 1)) == 0


def test_expired_windows_lose_ids_but_not_their_tally(place):
    with collecting(place, SURVEY, retention=7, upload="tokens") as store:
        token = {"token": b"t" * 32, "allowance": 99}
        old, new = submission(SURVEY, 20, 1, **token), submission(SURVEY, 30, 2, NEXT_DAY, **token)
        store.write([old, new])
        store.delete(F, old.ids[0])
        assert store.expire(date(2026, 11, 23)) == 0
        assert store.expire(date(2026, 11, 24)) == 19
        assert store.expire(date(2026, 11, 24)) == 0
        counts = store.counts(F)
        assert (counts.stored, counts.deleted, counts.expired, counts.held) == (50, 1, 19, 30)
        rest = Submission(F, DAY, old.ids[1:], old.rows[1:])
        assert store.tally(F) == tally_of(rest, new)
        assert store.windows(F) == {DAY: 19, NEXT_DAY: 30}
        assert store.write([old, new]) == [Receipt(0, 0, "window-closed"), Receipt(0, 30)]
        assert store.delete(F, old.ids[1]) is False
        assert store.check() == []
    with place.open() as store:
        assert store.write([old]) == [Receipt(0, 0, "window-closed")]
        assert store.counts().sent == 50 + 50 + 20
        assert [len(ids) for ids, _ in store.reports(F)] == [30]


# -- reading ---------------------------------------------------------------------------------


def test_kept_are_the_reports_with_a_payload(place):
    with collecting(place, SURVEY, scrub=True, retention=7) as store:

        def kept():
            found = store.kept(F)
            assert list(found) == sorted(found)
            for window in (DAY, NEXT_DAY):
                there = sum(len(ids) for ids, _ in store.reports(F, window))
                assert found.get(window, 0) == there
            return found

        assert kept() == {}
        closed, open_still = submission(SURVEY, 20, 1), submission(SURVEY, 30, 2, NEXT_DAY)
        store.write([open_still, closed])
        assert kept() == {DAY: 20, NEXT_DAY: 30}
        store.delete(F, closed.ids[0])
        assert kept() == {DAY: 19, NEXT_DAY: 30}
        store.scrub(date(2026, 11, 17))
        assert kept() == {NEXT_DAY: 30}
        store.write([submission(SURVEY, 5, 3)])
        assert kept() == {DAY: 5, NEXT_DAY: 30}
        store.expire(date(2026, 11, 24))
        assert kept() == {NEXT_DAY: 30}
        assert store.windows(F) == {DAY: 24, NEXT_DAY: 30}


def test_reports_come_in_the_order_of_hashes(place):
    with collecting(place, SURVEY) as store:
        sent = [submission(SURVEY, 25, seed, (DAY, NEXT_DAY)[seed % 2]) for seed in range(4)]
        for item in sent:
            store.write([item])
        whole = {
            id_hash: row
            for item in sent
            for id_hash, row in zip(store.hash_ids(F, item.ids), item.rows, strict=True)
        }
        for chunk in (7, 100, 100_000):
            ids, rows = [], []
            for some, reports in store.reports(F, chunk=chunk):
                assert len(some) == len(reports) <= chunk
                ids += some
                rows += payloads_of(reports)
            assert ids == sorted(whole)
            assert dict(zip(ids, rows, strict=True)) == whole
        assert sum(len(ids) for ids, _ in store.reports(F, NEXT_DAY)) == 50
        assert list(store.reports(F, "2026-11-20")) == []
        with pytest.raises(InvalidInput, match="chunk of reports"):
            next(store.reports(F, chunk=0))


def test_readers_beside_a_collector(place):
    with pytest.raises((InvalidInput, Unfit)):
        place.open(writable=False)
    with collecting(place, SURVEY) as store, place.open(writable=False) as reader:
        for seed in range(3):
            store.write([submission(SURVEY, 10, seed)])
            assert reader.tally(F).n == reader.counts(F).stored == 10 * (seed + 1)
            store.fold(F)
            assert reader.tally(F) == store.tally(F)
        other = survey_of("later")
        store.publish(other)
        store.close_survey(other.fingerprint)
        assert reader.surveys() == store.surveys()
        assert reader.check() == []
        for change in (
            lambda: reader.publish(survey_of("third")),
            lambda: reader.write([submission(SURVEY)]),
            lambda: reader.delete(F, bytes(16)),
            lambda: reader.close_survey(F),
            reader.fold,
            reader.scrub,
            lambda: reader.expire(date(2027, 1, 1)),
        ):
            with pytest.raises(Unfit, match="was opened only for reading"):
                change()


def test_a_second_collector_is_refused(place):
    with place.open(), pytest.raises(StoreBusy, match="another collector writes to"):
        place.open()
    with place.open() as store:
        assert store.surveys() == {}


def test_check_finds_what_does_not_agree(place):
    """Every law that check() holds a store to is broken once, by hand."""
    from sqlalchemy import text

    for broken, found in [
        ("DELETE FROM reports", "reports there"),
        ("UPDATE windows SET stored = stored + 1", "reports in the tally"),
        ("UPDATE windows SET deleted = 1", "tombstones"),
        ("UPDATE windows SET scrubbed = 1", "payloads gone"),
        ("DELETE FROM changes", "reports in the tally"),
        ('UPDATE reports SET "row" = (SELECT min("row") FROM reports)', "not that of its reports"),
        ("UPDATE windows SET cleared = TRUE", "cleared window"),
        ("UPDATE tallies SET n = 3", "cannot be read"),
    ]:
        survey = survey_of(broken)
        with collecting(place, survey) as store:
            store.write([submission(survey, 30)])
            if "tallies" in broken:
                store.fold(survey.fingerprint)
            assert store.check() == []
            with store.database.writing() as connection:
                connection.execute(text(broken))
            assert any(found in line for line in store.check()), (broken, store.check())
            with store.database.writing() as connection:
                for table in (
                    "reports", "changes", "tallies", "releases", "waiting", "tokens", "windows",
                    "surveys",
                ):  # fmt: skip
                    connection.execute(text(f"DELETE FROM {table}"))  # noqa: S608


# -- the writer ------------------------------------------------------------------------------


def test_the_writer_answers_everything_once(place):
    answers, survey = {}, survey_of(size=200)
    with collecting(place, survey) as store:
        writer = Writer(store, lambda given: answers.update(given), most_reports=40)
        ids, reports = made(survey, 500)
        rows = payloads_of(reports)

        def send(part):
            for turn in range(5):
                item = Submission(survey.fingerprint, DAY, ids[part::5], rows[part::5])
                assert writer.submit((part, turn), item)
                assert writer.refuse(("no", part, turn), Refusals("", "malformed"))

        threads = [threading.Thread(target=send, args=(part,)) for part in range(5)]
        for thread in threads:
            thread.start()
        published = writer.call(store.publish, survey_of("beside"))
        for thread in threads:
            thread.join()
        folded = writer.call(store.fold, survey.fingerprint)
        assert published.result() is True
        assert folded.result() >= 0
        writer.stop()
        assert not writer.submit("late", submission(survey))
        assert not writer.refuse("late", Refusals("", "malformed"))
        assert len(answers) == 50
        assert sum(answers[part, turn].stored for part in range(5) for turn in range(5)) == 500
        assert (store.counts().sent, store.counts().duplicates) == (2500 + 25, 2000)
        assert store.tally(survey.fingerprint) == survey.mechanism.tally(reports).of_window(DAY)
        assert store.check() == []


def test_a_wrong_submission_spoils_no_other_in_its_commit(place):
    answers, gate = {}, threading.Event()
    with collecting(place, SURVEY) as store:

        def deliver(given):
            gate.wait(10)
            answers.update(given)

        writer = Writer(store, deliver)
        for key in range(4):
            writer.submit(key, submission(SURVEY, 2, key))
        writer.submit("wrong", Submission(F, DAY, [b"i" * 16], [b"wide"]))
        gate.set()
        writer.stop()
        assert isinstance(answers.pop("wrong"), InvalidInput)
        assert set(answers.values()) == {Receipt(2, 0)}


def test_a_full_queue_says_so(place):
    gate, answers = threading.Event(), []

    def deliver(given):
        gate.wait(10)
        answers.extend(given)

    with collecting(place, SURVEY) as store:
        writer = Writer(store, deliver, most_waiting=5)
        taken = [writer.submit(seed, submission(SURVEY, 1, seed)) for seed in range(60)]
        assert not taken[-1]
        assert writer.refuse("counted", Refusals(F, "rate-limited"))
        gate.set()
        writer.stop()
        assert len(answers) == sum(taken) + 1
        assert store.counts().stored == sum(taken)


# -- addresses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["", 7, "mysql://host/db", "sqlite://", "postgresql://host:port/db", None]
)
def test_a_wrong_address_is_refused(url):
    with pytest.raises(InvalidInput, match="store of open_store must be"):
        open_store(url)


def test_a_store_needs_its_folder(tmp_path):
    with pytest.raises(InvalidInput, match="in a folder that exists"):
        open_store(tmp_path / "nowhere" / "collector.db")
