"""The device client: spent before sent, once a window, within its limits, never counted twice."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import (
    CorruptBytes,
    EntropyError,
    InvalidInput,
    OverBudget,
    Refused,
)
from sottovoce.core.certificate import Certificate
from sottovoce.device.client import Client
from sottovoce.device.ledger import Ledger, default_folder
from sottovoce.device.remote_collector import check_url
from sottovoce.service.upload.reading import decode_upload, parse_upload
from sottovoce.wire.uploads import REFUSALS
from support.devices import DRINKS, MONDAY, Waits, client_of, make_survey, running


@pytest.fixture
def collector():
    with running() as made:
        yield made


# -- one report a window --------------------------------------------------------------------


def test_a_report_is_made_kept_and_sent_once(tmp_path, collector):
    client = client_of(tmp_path, url=collector.url, token="abc")  # noqa: S106
    receipt = client.report("tea")
    assert (receipt.state, receipt.code, receipt.window) == ("acknowledged", "", "2026-W47")
    assert collector.received == [receipt.upload]
    path, headers = collector.headers[0]
    assert path == "/reports"
    assert headers["Content-Type"] == "application/msgpack"
    assert headers["Authorization"] == "Bearer abc"
    assert headers["User-Agent"] == "sottovoce"
    found = decode_upload(receipt.upload, client.survey)
    assert (found.ids, found.window, len(found.reports)) == ((receipt.id,), "2026-W47", 1)
    assert client.report("water") == receipt
    assert len(collector.received) == 1
    assert client.spent == 1


def test_a_window_is_its_own_and_a_survey_too(tmp_path):
    days = [MONDAY, MONDAY + timedelta(6), MONDAY + timedelta(7)]
    receipts = [client_of(tmp_path, clock=lambda day=day: day).report("tea") for day in days]
    assert receipts[0] == receipts[1] != receipts[2]
    assert [r.window for r in receipts] == ["2026-W47", "2026-W47", "2026-W48"]
    other = client_of(tmp_path, make_survey("other"), clock=lambda: days[2])
    assert other.report("tea").id not in {r.id for r in receipts}
    assert other.spent == 3
    once = client_of(tmp_path, make_survey("third", window="once"), day_epsilon=9.0)
    assert once.report("tea") == once.report("tea")
    assert once.report("tea").window == ""


def test_later_answers_never_draw_afresh(tmp_path, monkeypatch):
    client = client_of(tmp_path)
    first = client.report("tea")
    monkeypatch.setattr(sv.LocalHashing, "randomize", None)  # to draw again would fail
    assert all(client_of(tmp_path).report(value) == first for value in DRINKS.values)


def test_the_survey_is_open_on_its_days_only(tmp_path):
    survey = make_survey(opens="2026-11-17", closes="2026-11-20")
    for day, code in ((16, "clock-skew"), (21, "window-closed")):
        client = client_of(tmp_path, survey, clock=lambda day=day: date(2026, 11, day))
        with pytest.raises(Refused) as caught:
            client.report("tea")
        assert caught.value.code == code
        assert client.spent == 0
    assert client_of(tmp_path, survey, clock=lambda: date(2026, 11, 18)).report("tea").window


def test_values_outside_are_treated_as_the_survey_says(tmp_path):
    client = client_of(tmp_path)
    with pytest.raises(InvalidInput, match="value"):
        client.report("beer")
    for wrong in (["tea", "water"], None, 3, float("nan")):
        with pytest.raises(InvalidInput):
            client.report(wrong)
    assert client.spent == 0
    assert client.ledger.receipts() == []
    assert client_of(tmp_path, make_survey(outside="other")).report("beer").state == "pending"


@pytest.mark.parametrize(
    ("chosen", "value"),
    [
        (sv.mechanism("sw", sv.Interval(0, 10, bins=5), 1.0), 3.7),
        (sv.mechanism("pckv-ue", sv.KeyValues(["x", "y"], 0, 1, bins=2), 1.0), ("x", 0.3)),
        (sv.mechanism("pckv-grr", sv.KeyValues(["x", "y"], 0, 1, bins=2, pairs=2), 1.0), {"x": 0.3, "y": 1}),
        (sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=4), 3), 1.0), [0.1, 0.2, 0.3]),
    ],
    ids=lambda given: getattr(given, "name", ""),
)  # fmt: skip
def test_every_kind_of_answer_is_one_report(tmp_path, chosen, value):
    survey = sv.Survey("s", "?", chosen)
    receipt = client_of(tmp_path, survey).report(value)
    assert len(decode_upload(receipt.upload, survey).reports) == 1
    with pytest.raises((InvalidInput, TypeError)):
        client_of(tmp_path, survey).report([value, value])


# -- limits ---------------------------------------------------------------------------------


def test_the_maximum_is_the_devices(tmp_path):
    with pytest.raises(
        OverBudget, match="asks for epsilon 2.5 per report; this device gives at most 2"
    ):
        client_of(tmp_path, make_survey(epsilon=2.5))
    with pytest.raises(OverBudget, match="at most 0.5"):
        client_of(tmp_path, maximum_epsilon=0.5)
    client_of(tmp_path, make_survey(epsilon=2.5), maximum_epsilon=2.5)
    for wrong in (-1, float("nan"), "2", None, True):
        with pytest.raises(InvalidInput, match="total_epsilon of Client must be a number"):
            client_of(tmp_path, total_epsilon=wrong)


def test_the_total_is_over_surveys_and_exact(tmp_path):
    """Ten tenths are one, though not in floats."""
    clients = [client_of(tmp_path, make_survey(f"s{i}", 0.1), total_epsilon=1.0) for i in range(11)]
    receipts = [client.report("tea") for client in clients[:10]]
    assert clients[0].spent == 1
    with pytest.raises(OverBudget, match=r"of the 1 that .* spend in all \(total_epsilon\), 1 are"):
        clients[10].report("tea")
    assert len(clients[0].ledger.receipts()) == 10
    assert [
        client.report("tea") for client in clients[:10]
    ] == receipts  # what is drawn may be sent
    assert client_of(tmp_path, clients[10].survey, total_epsilon=1.1).report("tea")


def test_delta_and_scope_have_to_be_asked_for(tmp_path):
    gauss = sv.Survey(
        "g", "?", sv.mechanism("gaussian", sv.Interval(0, 1, bins=8), 1.0, delta=1e-3)
    )
    with pytest.raises(OverBudget, match="asks for delta .* at most 0"):
        client_of(tmp_path, gauss)
    client = client_of(tmp_path, gauss, maximum_delta=1e-3)
    assert 0 < Fraction(client.report(0.5).delta) <= Fraction("0.001")
    friends = sv.Survey("f", "?", sv.mechanism("degree-noise", sv.Counts(9), 0.5))
    with pytest.raises(InvalidInput, match=r"private between any two answers.*scopes=\('edge',\)"):
        client_of(tmp_path, friends)
    assert client_of(tmp_path, friends, scopes=("edge",)).report(3).state == "pending"


def test_a_certificate_that_does_not_hold_is_refused(tmp_path, monkeypatch):
    survey = make_survey()
    monkeypatch.setattr(sv.LocalHashing, "certificate", lambda self: Certificate(3, 1))
    with pytest.raises(InvalidInput, match="weights of survey 'drinks' must be such that no ratio"):
        client_of(tmp_path, survey)
    assert not (tmp_path / "ledger.sqlite").exists()


def test_seeded_randomness_is_refused(tmp_path, monkeypatch):
    for source in (sv.Seeded(1), object(), 7):
        with pytest.raises(InvalidInput, match="source of Client must be the operating system's"):
            client_of(tmp_path, source=source)
    with pytest.raises(InvalidInput, match="survey of Client must be a Survey"):
        Client("drinks", folder=tmp_path)

    def fail(count):
        raise OSError("no entropy")

    client = client_of(tmp_path)
    monkeypatch.setattr(os, "urandom", fail)
    with pytest.raises(EntropyError):
        client.report("tea")
    monkeypatch.undo()
    assert (client.spent, client.ledger.receipts()) == (0, [])


# -- sending --------------------------------------------------------------------------------


def test_failures_are_tried_again_with_the_same_bytes(tmp_path, collector):
    collector.answers = [
        (503, {}, {}),
        (None, {}, None),
        (429, {}, {"code": "rate-limited"}),
        (500, {}, b"?"),
    ]
    waits = Waits()
    receipt = client_of(tmp_path, url=collector.url, patience=waits.patience).report("tea")
    assert receipt.state == "acknowledged"
    assert len(collector.received) == 5
    assert set(collector.received) == {receipt.upload}
    assert len(waits.slept) == 4
    assert all(0 <= wait <= 2**k for k, wait in enumerate(waits.slept))


def test_patience_ends_and_the_report_stays(tmp_path, collector):
    collector.answers = [(503, {}, {})] * 3
    waits = Waits(attempts=3)
    client = client_of(tmp_path, url=collector.url, patience=waits.patience)
    receipt = client.report("tea")
    assert (receipt.state, receipt.code) == ("pending", "status-503")
    assert len(waits.slept) == 2  # nobody waits for an attempt that is not made
    (sent,) = client.send()
    assert (sent.state, sent.upload) == ("acknowledged", receipt.upload)
    assert client.send() == [sent]
    assert len(collector.received) == 4


def test_retry_after_is_honoured(tmp_path, collector):
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    collector.answers = [
        (429, {"Retry-After": "7"}, {"code": "rate-limited"}), (503, {"Retry-After": later}, {}),
        (503, {"Retry-After": "soon"}, {}),
    ]  # fmt: skip
    waits = Waits()
    client = client_of(tmp_path, url=collector.url, patience=waits.patience)
    assert client.report("tea").state == "acknowledged"
    assert waits.slept[0] == 7
    assert 30 < waits.slept[1] <= 40
    assert waits.slept[2] <= 4
    collector.answers = [(429, {"Retry-After": "3600"}, {"code": "rate-limited"})]
    waits = Waits()
    client = client_of(tmp_path, make_survey("b"), url=collector.url, patience=waits.patience)
    assert (client.report("tea").state, waits.slept) == ("pending", [])


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_every_refusal_is_final_or_not(tmp_path, collector, code):
    collector.answers = [(REFUSALS[code].status, {}, {"code": code, "message": "no"})]
    patience = Waits(attempts=1).patience
    client = client_of(tmp_path, url=collector.url, patience=patience)
    receipt = client.report("tea")
    assert (receipt.state, receipt.code) == ("refused" if REFUSALS[code].final else "pending", code)
    assert client.spent == 1  # it was sent: what it told cannot be taken back
    (again,) = client.send()
    assert again.state == ("refused" if REFUSALS[code].final else "acknowledged")


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>Please log in</html>"), (200, {}, {"stored": 0, "duplicates": 0}),
        (200, {}, {"stored": True, "duplicates": 0}), (200, {}, {"stored": 2, "duplicates": 0}),
        (302, {"Location": "/elsewhere"}, {}), (307, {"Location": "/elsewhere"}, {}), (404, {}, b"no page"),
        (404, {}, {"code": "wrong-payload"}), (403, {}, {"code": "made-up"}), (410, {}, [1]), (204, {}, b"x"),
    ],
    ids=str,
)  # fmt: skip
def test_only_the_collectors_own_words_count(tmp_path, collector, answer):
    collector.answers = [answer]
    client = client_of(tmp_path, url=collector.url, patience=Waits(attempts=1).patience)
    assert client.report("tea").state == "pending"
    assert len(collector.received) == 1
    (sent,) = client.send()
    assert sent.state == "acknowledged"


def test_nobody_there(tmp_path):
    waits = Waits(attempts=2, timeout=1.0)
    receipt = client_of(tmp_path, url="http://127.0.0.1:9", patience=waits.patience).report("tea")
    assert (receipt.state, receipt.code, len(waits.slept)) == ("pending", "no-answer", 1)


def test_addresses():
    assert check_url("https://a.example/x/") == "https://a.example/x"
    assert check_url("http://localhost:8000") == "http://localhost:8000"
    assert check_url("http://a.example", plain_http=True) == "http://a.example"
    for wrong in (
        "http://a.example",
        "ftp://a.example",
        "file:///etc/passwd",
        "a.example",
        "",
        None,
        "https://",
        "https://a.example/?x",
        "https://a.example:many",
        "https://a b",
        "https://é.example",
    ):
        with pytest.raises(InvalidInput, match="url of Client must be"):
            check_url(wrong)


def test_tokens(tmp_path):
    for wrong in ("two words", "line\nbreak", "", 5, "é"):
        with pytest.raises(InvalidInput, match="token of Client must be visible ASCII") as caught:
            client_of(tmp_path, token=wrong)
        assert "line" not in str(caught.value)


def test_another_way_of_sending(tmp_path):
    client = client_of(tmp_path)
    receipt = client.report("tea")
    assert receipt.state == "pending"
    assert client.acknowledge(receipt).state == "acknowledged"
    assert client.ledger.settle(receipt, "refused", "malformed").state == "acknowledged"
    assert client.report("tea").state == "acknowledged"


# -- the ledger -----------------------------------------------------------------------------


def test_the_ledger_is_private_and_holds_no_answer(tmp_path):
    domain = sv.Categories(["sentinelsentinel", "another"])
    survey = sv.Survey("s", "?", sv.mechanism("grr", domain, 1.0))
    folder = tmp_path / "state"
    client_of(folder, survey).report("sentinelsentinel")
    path = folder / "ledger.sqlite"
    assert b"sentinelsentinel" not in path.read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_ledger_that_cannot_be_written_means_no_report(tmp_path, collector):
    client = client_of(tmp_path, url=collector.url)
    with client.ledger._transaction() as database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON reports BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    with pytest.raises((OSError, CorruptBytes)):
        client.report("tea")
    assert collector.received == []
    assert client.spent == 0


def test_the_default_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "sottovoce"
    client = Client(make_survey())
    assert client.ledger.path == tmp_path / "sottovoce" / "ledger.sqlite"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert default_folder().parts[-3:] == (".local", "state", "sottovoce")


def test_racing_threads_get_one_report(tmp_path):
    receipts = []

    def ask(value):
        receipts.append(client_of(tmp_path).report(value))

    threads = [threading.Thread(target=ask, args=(DRINKS.values[i % 4],)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(receipts) == 8
    assert len(set(receipts)) == 1
    assert client_of(tmp_path).spent == 1


BASE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("scipy", "numba", "pyarrow", "typer", "rich", "msgspec", "msgpack"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import sottovoce as sv
survey = sv.Survey.from_json(sys.argv[1])
print(sv.Client(survey, folder=sys.argv[2]).report("tea").state)
"""


def test_a_device_needs_numpy_only(tmp_path):
    command = [sys.executable, "-c", BASE, make_survey().to_json(), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "pending\n"


# -- killed at any moment ---------------------------------------------------------------------

KILLED = """
import os, signal, sys
import sottovoce as sv
from sottovoce.device import client
from sottovoce.device import ledger
def die(*a, **k):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "before the commit":
    client.Client._draw, kept = (lambda self, *a: (kept(self, *a), die())), client.Client._draw
elif sys.argv[3] == "before sending":
    client.deliver = die
else:
    ledger.Ledger.settle = die
client.Client(sv.Survey.from_json(sys.argv[1]), folder=sys.argv[2], url=sys.argv[4]).report("tea")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("moment", ["before the commit", "before sending", "after sending"])
def test_killed_between_spending_and_sending(tmp_path, collector, moment):
    survey = make_survey(window="once")
    command = [sys.executable, "-c", KILLED, survey.to_json(), str(tmp_path), moment, collector.url]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    spent = 0 if moment == "before the commit" else 1
    sent = list(collector.received)
    assert len(sent) == (moment == "after sending")
    client = client_of(tmp_path, survey, url=collector.url)
    assert client.spent == spent
    receipt = client.report("tea")
    assert receipt.state == "acknowledged"
    assert set(collector.received) == {receipt.upload}
    assert client.spent == 1


ANSWERING = """
import os, sys
import sottovoce as sv
from sottovoce.device import client
from sottovoce.device.client import Client
from sottovoce.device.sending import Patience

folder, url = sys.argv[1:]
Client._check_before_drawing = lambda self, collector: False  # its collector has no log of these
client.check_log = lambda *arguments: None
mechanism = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water", "other"]), 0.5)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        for place in range(int(line), int(line) + 1000):
            survey = sv.Survey(f"s{place}", f"What about s{place}?", mechanism, "once")
            patience, most = Patience(attempts=2, timeout=5.0), 1e6
            Client(
                survey, folder=folder, url=url, day_epsilon=most, total_epsilon=most, patience=patience
            ).report("tea")
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be killed any time")
def test_two_hundred_kills_count_nothing_too_little(tmp_path):
    """Whatever was received is in the ledger, byte for byte, after every kill."""
    chance = np.random.default_rng(8)
    with running() as collector:
        command = [sys.executable, "-c", ANSWERING, str(tmp_path), collector.url]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as parent:
            for kill in range(200):
                before = len(collector.received)
                print(len(Ledger(tmp_path).receipts()), file=parent.stdin, flush=True)
                child = int(parent.stdout.readline())
                deadline = time.monotonic() + 20
                while len(collector.received) == before and time.monotonic() < deadline:
                    time.sleep(0.001)
                time.sleep(chance.uniform(0, 0.02))
                os.kill(child, signal.SIGKILL)
                assert parent.stdout.readline() == "ended\n"
                ledger, uploads = Ledger(tmp_path), set(collector.received)
                receipts = ledger.receipts()
                assert uploads <= {receipt.upload for receipt in receipts}, kill
                assert ledger.spent()[0] == Fraction(1, 2) * len(receipts)
        left = [receipt for receipt in receipts if receipt.state == "pending"]
        assert left, "no kill fell between spending and being acknowledged"
        for receipt in left:
            survey = make_survey(receipt.survey, 0.5, "once")
            (sent,) = Client(survey, folder=tmp_path, url=collector.url).send()
            assert (sent.state, sent.upload) == ("acknowledged", receipt.upload)
        assert set(collector.received) == {receipt.upload for receipt in receipts}
        ids = [parse_upload(upload).ids[0] for upload in set(collector.received)]
        assert len(set(ids)) == len(receipts) >= 200
