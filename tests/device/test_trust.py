"""Whom a device answers: an open survey, in a log that only grows, signed by the pinned key."""

from __future__ import annotations

import json
import sqlite3
from datetime import timedelta
from types import SimpleNamespace

import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, MissingExtra, NotTrusted, OverBudget, Refused
from sottovoce.device.client import Client
from sottovoce.device.ledger import Ledger
from sottovoce.surveys.publications import digest_of
from sottovoce.surveys.signing import PublisherKey, SignedSurvey
from support.devices import MONDAY, Waits, client_of, log_of, log_page, make_survey, running

KEY = PublisherKey.generate()


@pytest.fixture
def collector():
    with running() as made:
        yield made


def unspent(client, collector):
    return client.spent == 0 and collector.received == [] and client.ledger.receipts() == []


# -- nothing is spent on a refusal ------------------------------------------------------------


@pytest.mark.parametrize(
    ("about", "code"),
    [
        ((200, {"upload": "open", "closed": True}), "window-closed"),
        ((200, {"upload": "tokens", "closed": False}), "not-allowed"),
        ((404, {"code": "unknown-survey", "message": ""}), "unknown-survey"),
    ],
)
def test_a_report_that_would_be_refused_is_not_drawn(tmp_path, collector, about, code):
    collector.told["/about"] = about
    client = client_of(tmp_path, url=collector.url)
    with pytest.raises(Refused, match="Nothing was drawn") as caught:
        client.report("tea")
    assert caught.value.code == code
    assert unspent(client, collector)


def test_with_a_token_it_is_drawn(tmp_path, collector):
    collector.told["/about"] = (200, {"upload": "tokens", "closed": False})
    client = client_of(tmp_path, url=collector.url, token="abc")  # noqa: S106
    assert client.report("tea").state == "acknowledged"


@pytest.mark.parametrize(
    "about",
    [(503, {"code": "stopping", "message": ""}), (200, b"<html>"), (429, b""), (200, [])],
    ids=["stopping", "html", "too many", "list"],
)
def test_who_says_nothing_has_not_refused(tmp_path, collector, about):
    collector.told["/about"] = about
    assert client_of(tmp_path, url=collector.url).report("tea").state == "acknowledged"


def test_a_stored_report_is_sent_without_asking_again(tmp_path, collector):
    client_of(tmp_path).report("tea")
    collector.told["/about"] = (200, {"upload": "open", "closed": True})
    assert client_of(tmp_path, url=collector.url).report("tea").state == "acknowledged"
    assert [path for path in collector.asked if "about" in path] == []


# -- the log ------------------------------------------------------------------------------------

A, B, C = (sv.Survey(f"log {k}", f"{k}?", make_survey().mechanism, "week") for k in range(3))


def logged(collector, *surveys):
    collector.surveys = surveys


def test_the_log_must_have_the_survey(tmp_path, collector):
    logged(collector, A, B)
    client = client_of(tmp_path, C, url=collector.url)
    with pytest.raises(NotTrusted, match="is not in the log of .* others cannot see"):
        client.report("tea")
    assert unspent(client, collector)
    logged(collector, A, B, C)
    assert client.report("tea").state == "acknowledged"


def test_the_whole_survey_is_logged_not_the_half_hash_alone(tmp_path, collector):
    """Of two surveys with one fingerprint (2^64 work), a device answers the one in the log."""
    (entry,) = log_of([A])
    entry["survey"] = entry["survey"][:32] + "0" * 32
    collector.told["/log"] = (200, log_page([entry]))
    with pytest.raises(NotTrusted, match="is not in the log"):
        client_of(tmp_path, A, url=collector.url).report("tea")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c.told.update({"/log": (404, {"code": "no-such-route", "message": ""})}), "it is not shown"),
        (lambda c: c.told.update({"/log": (200, [])}), "not shown in the form of a log"),
        (lambda c: c.told.update({"/log": (200, log_page([]))}), "it has 0 entries, and had 2"),
        (lambda c: logged(c, A), "it has 1 entries, and had 2"),
        (lambda c: logged(c, B, A), "are not those that were there before"),
        (lambda c: logged(c, A, C, B), "are not those that were there before"),
    ],
    ids=["dropped", "other form", "empty", "shorter", "reordered", "replaced"],
)  # fmt: skip
def test_a_log_that_does_not_continue_is_refused(tmp_path, collector, change, why):
    logged(collector, A, B)
    assert client_of(tmp_path, A, url=collector.url).report("tea").state == "acknowledged"
    change(collector)
    client = client_of(tmp_path, B, url=collector.url)
    with pytest.raises(NotTrusted, match=why):
        client.report("tea")
    assert client.spent == 1
    assert len(collector.received) == 1


def test_a_survey_seen_before_is_checked_by_the_extension_alone(tmp_path, collector):
    next_week = MONDAY + timedelta(7)
    survey = make_survey("extension", 0.5)
    client_of(tmp_path, survey, url=collector.url).report("tea")
    kept = Ledger(tmp_path).log_head(collector.url)
    collector.asked.clear()
    make_survey("published later")
    client = client_of(tmp_path, survey, url=collector.url, clock=lambda: next_week)
    assert client.report("tea").state == "acknowledged"
    starts = [int(path.partition("=")[2]) for path in collector.asked if path.startswith("/log")]
    assert starts[0] == kept.size
    assert Ledger(tmp_path).log_head(collector.url).size == kept.size + 1


def test_another_extension_of_a_known_survey_is_refused(tmp_path, collector):
    logged(collector, A, B)
    client_of(tmp_path, A, url=collector.url).report("tea")
    entries = log_of([B, A, C])
    collector.told["/log"] = (200, {**log_page(entries), "entries": entries[2:]})
    client = client_of(tmp_path, A, url=collector.url, clock=lambda: MONDAY + timedelta(7))
    with pytest.raises(NotTrusted, match="does not continue the entries before it"):
        client.report("tea")


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page["entries"][0].update(survey="0" * 64, fingerprint="0" * 32),
        lambda page: page["entries"][0].update(fingerprint="0" * 32),
        lambda page: page["entries"][0].update(note=1),
        lambda page: page["entries"][0].update(log=2),
        lambda page: page["entries"][0].update(index=True),
        lambda page: page["entries"].reverse(),
        lambda page: page.update(head="0" * 64),
        lambda page: page.update(size=5),
        lambda page: page.update(size=1),
        lambda page: page.update(entries=[]),
    ],
)
def test_a_log_that_is_not_one_chain_is_refused(tmp_path, collector, change):
    page = log_page(log_of([A, B]))
    change(page)
    collector.told["/log"] = (200, page)
    client = client_of(tmp_path, A, url=collector.url)
    with pytest.raises(NotTrusted):
        client.report("tea")
    assert unspent(client, collector)


@pytest.mark.parametrize("answer", [(503, b""), (429, b""), (200, b"<html>")])
def test_without_a_log_now_the_report_is_kept_and_does_not_leave(tmp_path, collector, answer):
    collector.told["/log"] = answer
    waits = Waits(attempts=2)
    client = client_of(tmp_path, url=collector.url, patience=waits.patience)
    receipt = client.report("tea")
    assert (receipt.state, receipt.code, len(waits.slept)) == ("pending", "no-answer", 1)
    assert (client.spent, collector.received) == (1, [])
    collector.told.clear()
    assert client.report("tea") == client.send()[0]
    assert collector.received == [receipt.upload]


def test_every_address_has_a_log_of_its_own(tmp_path):
    with running() as one, running() as other:
        logged(one, A, B)
        logged(other, B)
        assert client_of(tmp_path, A, url=one.url).report("tea").state == "acknowledged"
        assert client_of(tmp_path, B, url=other.url).report("tea").state == "acknowledged"


def test_a_head_is_kept_only_by_who_has_seen_the_last(tmp_path):
    ledger = Ledger(tmp_path)
    first, second = (ledger.log_head("u"), log_page(log_of([A])))
    head = type(first)(second["size"], second["head"])
    assert ledger.keep_log("u", first, head, digest_of(A)) is True
    assert ledger.keep_log("u", first, first, digest_of(B)) is False
    assert (ledger.log_head("u"), ledger.is_logged("u", digest_of(B))) == (head, False)


# -- another survey than agreed ------------------------------------------------------------------


def changed(survey, path, value):
    document = json.loads(survey.to_json())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(document)


def test_a_collector_that_changes_weights_is_refused():
    survey = sv.Survey("w", "?", sv.mechanism("grr", sv.Categories(3), 1.0))
    weights = json.loads(survey.to_json())["mechanism"]["weights"]
    total = sum(map(int, [weights["keep"], *[weights["other"]] * 2]))
    dearer = {"keep": str(total - 2), "other": "1"}
    with pytest.raises(InvalidInput, match="weights"):
        sv.Survey.from_json(changed(survey, ("mechanism", "weights"), dearer))


def test_a_collector_that_raises_epsilon_is_refused(tmp_path, collector):
    cheap, dear = make_survey("raised", 0.5), make_survey("raised", 1.0)
    client_of(tmp_path, cheap, url=collector.url).report("tea")
    later = client_of(tmp_path, dear, url=collector.url, clock=lambda: MONDAY + timedelta(7))
    with pytest.raises(OverBudget, match="it asked for 0.5"):
        later.report("tea")
    signed = KEY.sign(cheap)
    for forged in (dear, make_survey("raised", 0.5, question="Another?")):
        with pytest.raises(NotTrusted, match="changed after it was signed"):
            SignedSurvey(forged, signed.publisher, signed.signature)


def test_only_the_pinned_key_is_answered(tmp_path):
    survey = make_survey("pinned")
    signed = KEY.sign(survey)
    client = client_of(tmp_path, signed, publisher=KEY.public)
    assert client.report("tea").state == "pending"
    other = PublisherKey.generate()
    with pytest.raises(NotTrusted, match=f"signed by the key {other.public}, not by {KEY.public}"):
        client_of(tmp_path, other.sign(survey), publisher=KEY.public)
    with pytest.raises(NotTrusted, match="is not signed, and only surveys signed by"):
        client_of(tmp_path, survey, publisher=KEY.public)
    for wrong in ("abc", KEY.public.upper(), 5, KEY.public + "\n"):
        with pytest.raises(InvalidInput, match="publisher of Client must be a public key"):
            client_of(tmp_path, signed, publisher=wrong)


def test_without_cryptography_a_signed_survey_is_refused(monkeypatch):
    import sottovoce.base.extras as extras

    text = KEY.sign(make_survey()).to_json()

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(extras.importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match="'signing'"):
        SignedSurvey.from_json(text)


# -- series and publishers ------------------------------------------------------------------------


def test_a_series_shares_a_budget(tmp_path):
    more = {"day_epsilon": 9.0, "series_epsilon": 1.5, "folder": tmp_path, "clock": lambda: MONDAY}
    first, second, third = (make_survey(f"series {k}", 1.0, series="S") for k in range(3))
    Client(first, **more).report("tea")
    with pytest.raises(OverBudget, match="on surveys of one series .series_epsilon., 1 are spent"):
        Client(second, **more).report("tea")
    for spelled in ("s", " S ", "\uff33"):
        with pytest.raises(OverBudget, match="series"):
            Client(make_survey(f"spelled {spelled}", series=spelled), **more).report("tea")
    assert Client(make_survey("no series"), **more).report("tea")
    Client(third, **{**more, "series_epsilon": 2.0}).report("tea")


def test_a_series_resets_nothing(tmp_path):
    more = {"day_epsilon": 9.0, "folder": tmp_path, "clock": lambda: MONDAY}
    Client(make_survey("one name"), **more).report("tea")
    renamed = make_survey("one name", series="new", question="Another?")
    with pytest.raises(OverBudget, match="has the name or question of"):
        Client(renamed, **more).report("tea")
    week = {**more, "clock": lambda: MONDAY + timedelta(7)}
    with pytest.raises(OverBudget, match="name_epsilon"):
        Client(renamed, **week, name_epsilon=1.5).report("tea")
    with pytest.raises(OverBudget, match="total_epsilon"):
        Client(make_survey("x", series="new"), **week, total_epsilon=1.5).report("tea")


def test_one_key_has_a_budget_for_all_it_signs(tmp_path):
    more = {"day_epsilon": 9.0, "publisher_epsilon": 1.0, "folder": tmp_path}
    more["clock"] = lambda: MONDAY
    Client(KEY.sign(make_survey("signed 1")), **more).report("tea")
    with pytest.raises(OverBudget, match="signed by one key .publisher_epsilon."):
        Client(KEY.sign(make_survey("signed 2", series="other")), **more).report("tea")
    Client(PublisherKey.generate().sign(make_survey("signed 3")), **more).report("tea")
    Client(make_survey("unsigned"), **more).report("tea")


# -- ledgers of version 2 ---------------------------------------------------------------------------

OLD = """
CREATE TABLE reports (
    fingerprint TEXT NOT NULL, "window" TEXT NOT NULL, survey TEXT NOT NULL, epsilon TEXT NOT NULL,
    delta TEXT NOT NULL, name TEXT NOT NULL, question TEXT NOT NULL, first TEXT NOT NULL,
    last TEXT NOT NULL, day TEXT NOT NULL, boot TEXT NOT NULL, uptime REAL NOT NULL,
    id BLOB NOT NULL, upload BLOB NOT NULL, state TEXT NOT NULL, code TEXT NOT NULL,
    PRIMARY KEY (fingerprint, "window")
) WITHOUT ROWID;
INSERT INTO reports VALUES ('00', '2026-W46', 'drinks', '1', '0', 'drinks', 'q', '2026-11-09',
    '2026-11-15', '2026-11-09', 'b', 1.0, x'01', x'02', 'acknowledged', '');
PRAGMA application_id = 1937140836;
PRAGMA user_version = 2;
"""


def test_an_older_ledger_keeps_what_was_spent(tmp_path):
    database = sqlite3.connect(tmp_path / "ledger.sqlite")
    database.executescript(OLD)
    database.close()
    client = client_of(tmp_path)
    assert client.spent == 1
    assert client.report("tea").window == "2026-W47"
    assert [receipt.window for receipt in Ledger(tmp_path).receipts()] == ["2026-W46", "2026-W47"]
    with pytest.raises(OverBudget, match="name_epsilon"):
        client_of(tmp_path, name_epsilon=2.0, clock=lambda: MONDAY + timedelta(7)).report("tea")


def test_a_log_that_comes_too_slowly_is_no_answer(tmp_path, collector, monkeypatch):
    """One entry at a time, slowly, would keep a device busy for ever: the report is kept."""
    client = client_of(tmp_path, url=collector.url, patience=Waits(attempts=1).patience)
    ticks = iter(range(0, 10_000, 70))
    with monkeypatch.context() as patched:
        clock = SimpleNamespace(monotonic=lambda: next(ticks))  # of this module alone
        patched.setattr("sottovoce.device.log_check.time", clock)
        receipt = client.report("tea")
    assert (receipt.state, receipt.code) == ("pending", "no-answer")
    assert collector.received == []
    (sent,) = client.send()
    assert (sent.state, client.spent) == ("acknowledged", 1)
