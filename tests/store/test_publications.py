"""The log of publications: appended in the transaction that publishes, one chain, found broken."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from sottovoce.base.errors import Mismatch
from sottovoce.store import Rules, open_store
from sottovoce.surveys.publications import EMPTY, digest_of, follow
from sottovoce.surveys.signing import PublisherKey
from support.stores import place, server, survey_of

__all__ = ["place", "server"]
FIRST, SECOND, THIRD = (survey_of(f"survey {k}") for k in range(3))
OLD = Path(__file__).parents[1] / "old" / "store.1.sql"


def test_every_publication_is_in_the_log_in_order_and_once(place):
    with place.open() as store:
        assert store.log() == (EMPTY, [])
        assert [store.publish(survey) for survey in (FIRST, SECOND, FIRST)] == [True, True, False]
        head, entries = store.log()
        assert [entry["survey"] for entry in entries] == [digest_of(FIRST), digest_of(SECOND)]
        assert [entry["fingerprint"] for entry in entries] == [
            FIRST.fingerprint,
            SECOND.fingerprint,
        ]
        assert follow(EMPTY, entries) == head
        with pytest.raises(Mismatch):
            store.publish(THIRD)
            store.publish(THIRD, Rules(upload="tokens"))
        store.close_survey(FIRST.fingerprint)
        assert store.log(start=1, most=1).entries == [entries[1]]
        assert store.log(start=9).entries == []
        assert follow(head, store.log(start=2).entries) == store.log().head
    with place.open() as store:
        assert store.log().head.size == 3
        assert store.check() == []


def test_a_signature_is_kept_and_may_come_later(place):
    key = PublisherKey.generate()
    with place.open() as store:
        assert store.publish(FIRST) is True
        assert store.publish(key.sign(FIRST)) is False
        assert store.publish(FIRST) is False, "what is signed stays signed"
        assert store.publish(key.sign(FIRST)) is False
        assert store.publish(key.sign(SECOND)) is True
        with pytest.raises(Mismatch, match="is signed by the key"):
            store.publish(PublisherKey.generate().sign(FIRST))
        publishers = [entry["publisher"] for entry in store.log().entries]
        assert publishers == ["", key.public, key.public]
    with place.open() as store:
        found = store.surveys()[FIRST.fingerprint]
        assert (found.publisher, found.signature) == (key.public, key.sign(FIRST).signature)
        assert store.check() == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("DELETE FROM publications WHERE number = 1", "stands where 1 must stand"),
        ("DELETE FROM publications WHERE number = 2", "published and not in the log"),
        ("UPDATE publications SET entry = replace(entry, '\"index\":0', '\"index\":5')", "stands where 0"),
        ("UPDATE publications SET head = 'x' WHERE number = 2", "not that of its entries"),
    ],
)  # fmt: skip
def test_a_log_that_was_changed_is_found(tmp_path, change, found):
    with open_store(tmp_path / "c.db") as store:
        for survey in (FIRST, SECOND, THIRD):
            store.publish(survey)
        with store.database.writing() as connection:
            connection.exec_driver_sql(change)
        (wrong,) = store.check()
        assert found in wrong


def test_a_survey_that_could_not_be_published_is_not_in_the_log(tmp_path):
    with open_store(tmp_path / "c.db") as store:
        store.publish(FIRST)
        with store.database.writing() as connection:
            connection.execute(
                text(
                    "CREATE TRIGGER full BEFORE INSERT ON surveys "
                    "BEGIN SELECT RAISE(ABORT, 'full'); END"
                )
            )
        with pytest.raises(Exception, match="full"):
            store.publish(SECOND)
        assert store.log().head.size == 1


def test_an_upgrade_begins_the_log_with_what_was_published(tmp_path):
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(OLD.read_text())
    with open_store(tmp_path / "old.db") as store:
        (published,) = store.surveys().values()
        (entry,) = store.log().entries
        assert entry["survey"] == digest_of(published.survey)
        assert store.check() == []
