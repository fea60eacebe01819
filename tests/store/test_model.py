"""A store against a few dictionaries: the same operations, the same answers, also after reopening."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

import sottovoce as sv
from sottovoce.store import Receipt, Refusals, Rules, Scrubbed, Submission, Writer, open_store
from support.stores import server, survey_of

__all__ = ["server"]

DAYS = [f"2026-11-{day}" for day in (16, 17, 18)]
SURVEYS = {
    survey.fingerprint: (survey, rules)
    for survey, rules in (
        (survey_of("open"), Rules()),
        (survey_of("kept a week", closes="2026-11-17"), Rules(retention=7)),
        (survey_of("by token", size=300), Rules("tokens", retention=2, scrub=True)),
    )
}
fingerprints = st.sampled_from([*SURVEYS, "0" * 32])
known = st.sampled_from(list(SURVEYS))
days = st.sampled_from(DAYS)
numbers = st.lists(st.integers(0, 25), max_size=6)
tokens = st.sampled_from([None, b"t" * 32, b"u" * 32])
today = st.integers(16, 28).map(lambda day: date(2026, 11, day))


def id_of(number):
    return bytes([number]) * 16


class Model(RuleBasedStateMachine):
    """What a store should say, kept as plainly as possible."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = defaultdict(dict)  # survey: id -> (day, value, state)
        self.counted = defaultdict(Counter)  # (survey, day): value -> reports in the tally
        self.stored, self.duplicates, self.refused = Counter(), Counter(), Counter()
        self.deleted, self.expired = Counter(), Counter()
        self.used, self.over, self.closed, self.day = Counter(), set(), set(), date(2026, 11, 16)

    @initialize()
    def publish(self):
        self.url = self.new_url()
        self.store = open_store(self.url)
        for survey, rules in SURVEYS.values():
            assert self.store.publish(survey, rules)

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()

    # -- operations ------------------------------------------------------------------------

    def expect(self, item):
        """The receipt that the oracle gives, and what it then knows."""
        f, count = item.fingerprint, len(item.ids)
        if f not in SURVEYS:
            return self.no("", "unknown-survey", count)
        if f in self.closed or (f, item.window) in self.over:
            return self.no(f, "window-closed", count)
        if item.token is None and SURVEYS[f][1].upload == "tokens":
            return self.no(f, "not-allowed", count)
        new = {}
        for number, row in zip(item.ids, item.rows, strict=True):
            if number not in self.rows[f]:
                new.setdefault(number, int.from_bytes(row, "little"))
        key = (f, item.window, item.token)
        if item.token is not None and new:
            if self.used[key] + len(new) > item.allowance:
                return self.no(f, "not-allowed", count)
            self.used[key] += len(new)
        for number, value in new.items():
            self.rows[f][number] = (item.window, value, "held")
            self.counted[f, item.window][value] += 1
        self.stored[f] += len(new)
        self.duplicates[f] += count - len(new)
        return Receipt(len(new), count - len(new))

    def no(self, f, code, count):
        self.refused[f, code] += count
        return Receipt(0, 0, code)

    @rule(
        uploads=st.lists(
            st.tuples(fingerprints, days, numbers, st.integers(0, 4), tokens, st.integers(1, 6)),
            max_size=4,
        ),
        bad=st.integers(0, 3),
        through_writer=st.booleans(),
    )
    def write(self, uploads, bad, through_writer):
        items = []
        for f, day, ids, value, token, allowance in uploads:
            width = 2 if f in SURVEYS and SURVEYS[f][0].mechanism.domain.size > 256 else 1
            row = value.to_bytes(width, "little")
            ids = [id_of(number) for number in ids]
            items.append(Submission(f, day, ids, [row] * len(ids), token, allowance))
        items.append(Refusals("", "malformed", bad))
        expected = [self.expect(item) for item in items[:-1]]
        expected.append(self.no("", "malformed", bad))
        if not through_writer:
            assert self.store.write(items) == expected
            return
        answers = {}
        writer = Writer(self.store, answers.update)
        for place, item in enumerate(items[:-1]):
            assert writer.submit(place, item)
        assert writer.refuse(len(items) - 1, items[-1])
        writer.stop()
        assert [answers[place] for place in range(len(items))] == expected

    @rule(f=known, number=st.integers(0, 25))
    def delete(self, f, number):
        window, value, state = self.rows[f].get(id_of(number), (None, None, "absent"))
        if state == "scrubbed":
            with pytest.raises(Scrubbed):
                self.store.delete(f, id_of(number))
            return
        assert self.store.delete(f, id_of(number)) is (state == "held")
        if state == "held":
            self.rows[f][id_of(number)] = (window, value, "deleted")
            self.counted[f, window][value] -= 1
            self.deleted[f] += 1

    @rule(f=st.none() | known, most=st.integers(1, 20))
    def fold(self, f, most):
        assert self.store.fold(f, most) >= 0

    def last_day(self, f, window):
        return min(window, SURVEYS[f][0].closes or window)

    @rule(day=today)
    def expire(self, day):
        gone = 0
        for f, (_, rules) in SURVEYS.items():
            for number, (window, _, state) in list(self.rows[f].items()):
                last = date.fromisoformat(self.last_day(f, window))
                if rules.retention is not None and day - last > timedelta(rules.retention):
                    self.expired[f] += state != "deleted"
                    gone += state != "deleted"
                    del self.rows[f][number]
            for window in DAYS:
                last = date.fromisoformat(self.last_day(f, window))
                seen = window in self.store.windows(f)
                if seen and rules.retention is not None and day - last > timedelta(rules.retention):
                    self.over.add((f, window))
        assert self.store.expire(day) == gone

    @rule(day=today)
    def scrub(self, day):
        gone = 0
        for f, (_, rules) in SURVEYS.items():
            for number, (window, value, state) in self.rows[f].items():
                over = f in self.closed or self.last_day(f, window) < day.isoformat()
                if rules.scrub and over and state == "held":
                    self.rows[f][number] = (window, value, "scrubbed")
                    gone += 1
        assert self.store.scrub(day) == gone

    @rule(f=known)
    def close_survey(self, f):
        if len(self.closed) < 2:  # else little happens afterwards
            self.store.close_survey(f)
            self.closed.add(f)

    @rule()
    def reopen(self):
        self.store.close()
        self.store = open_store(self.url)

    # -- laws ------------------------------------------------------------------------------

    @invariant()
    def counts_agree(self):
        if not hasattr(self, "store"):
            return
        for f in SURVEYS:
            counts = self.store.counts(f)
            refused = {code: n for (of, code), n in self.refused.items() if of == f}
            assert counts.refused == dict(sorted(refused.items()))
            found = (counts.stored, counts.duplicates, counts.deleted, counts.expired)
            assert found == tuple(
                c[f] for c in (self.stored, self.duplicates, self.deleted, self.expired)
            )
            assert counts.held == sum(state != "deleted" for _, _, state in self.rows[f].values())
        assert self.store.counts().sent == sum(
            sum(counter.values()) for counter in (self.stored, self.duplicates, self.refused)
        )

    @invariant()
    def reports_and_tallies_agree(self):
        if not hasattr(self, "store"):
            return
        for f, (survey, _) in SURVEYS.items():
            for window in DAYS:
                cells = np.zeros(survey.mechanism.cells, dtype=np.int64)
                for value, number in self.counted[f, window].items():
                    cells[value] = number
                count = int(cells.sum())
                label = window if count else ""
                expected = sv.Tally(survey.mechanism, count, cells, label)
                assert self.store.tally(f, [window]) == expected
                assert self.store.windows(f).get(window, 0) == expected.n
            hashes = [each for some, _ in self.store.reports(f, chunk=3) for each in some]
            held = [n for n, (_, _, state) in self.rows[f].items() if state == "held"]
            assert hashes == sorted(self.store.hash_ids(f, held))
        assert self.store.check() == []


def in_sqlite(examples: int, steps: int) -> None:
    memory = Path("/dev/shm")  # noqa: S108  (nothing is cut off here, so no disk is needed)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        made = iter(range(10**6))

        class InSQLite(Model):
            def new_url(self):
                return str(Path(folder) / f"{next(made)}.db")

        run_machine(InSQLite, settings=settings(max_examples=examples, stateful_step_count=steps))


def test_sqlite_does_what_the_model_does():
    in_sqlite(8, 15)


def test_postgresql_does_what_the_model_does(server):
    class InPostgreSQL(Model):
        def new_url(self):
            return server.new_database()

    run_machine(InPostgreSQL, settings=settings(max_examples=2, stateful_step_count=12))


@pytest.mark.slow
def test_sqlite_does_what_the_model_does_for_long():
    in_sqlite(300, 50)
