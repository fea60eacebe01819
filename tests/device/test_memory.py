"""Memory on a device: permanent answers drawn once, charged once, and kept before anything leaves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, OverBudget
from sottovoce.base.exact import decimal_text
from sottovoce.device import ledger as ledgers
from sottovoce.device.ledger import Ledger
from sottovoce.device.memory import KEPT, MEMOS, memory_of
from sottovoce.privacy.audit import audit_black_box
from sottovoce.service.upload.reading import decode_upload
from support.commands import run, run_json
from support.devices import MONDAY, client_of, running

YES_NO = sv.Categories(["yes", "no"])
COLORS = sv.Categories(["red", "green", "blue", "other"])
WIDE = {
    "maximum_epsilon": 1e9,
    "day_epsilon": 1e9,
    "name_epsilon": 1e9,
    "question_epsilon": 1e9,
    "total_epsilon": 1e9,
}


def remembering(domain=COLORS, name="colors", epsilon=1.0, lifetime=2.0, inner=None, **more):
    chosen = sv.mechanism("memoized", domain, epsilon, lifetime=lifetime, inner=inner)
    return sv.Survey(name, f"What about {name}?", chosen, "day", **more)


def on_day(folder, step, survey, **more):
    return client_of(folder, survey, clock=lambda: MONDAY + timedelta(step), **more)


def rows(folder, table):
    with Ledger(folder)._transaction() as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608


# -- what is charged ------------------------------------------------------------------------


def test_the_first_report_pays_for_all(tmp_path):
    """Default limits stop a fresh survey after five days; memory goes on."""
    survey = remembering()
    receipts = [on_day(tmp_path, step, survey).report("red") for step in range(40)]
    assert [receipt.epsilon for receipt in receipts] == ["2"] + ["0"] * 39
    assert len({receipt.id for receipt in receipts}) == 40
    assert on_day(tmp_path, 0, survey).spent == 2
    assert len(rows(tmp_path, "memos")) == 1


@pytest.mark.parametrize(("changes", "days"), [(1, 30), (2, 12), (3, 5)])
def test_changes_are_charged_at_the_first_report(tmp_path, changes, days):
    closes = (MONDAY + timedelta(days - 1)).isoformat()
    survey = remembering(changes=changes, opens=MONDAY.isoformat(), closes=closes)
    cost = survey.mechanism.cost(changes + 1, days)
    assert cost > survey.mechanism.cost(1)
    with pytest.raises(OverBudget, match="for all its reports; this device gives at most 2"):
        on_day(tmp_path, 0, survey)
    for step in range(days):
        receipt = on_day(tmp_path, step, survey, **WIDE).report(COLORS.values[step % 4])
        assert receipt.epsilon == (decimal_text(cost) if step == 0 else "0")
    assert on_day(tmp_path, 0, survey, **WIDE).spent == Fraction(decimal_text(cost))
    assert len(rows(tmp_path, "memos")) == changes + 1


def test_a_period_is_charged_when_it_begins(tmp_path):
    """Everybody's memory begins anew in the windows whose number is a multiple of the period."""
    survey = remembering(period=5)
    start = next(
        step for step in range(5) if (MONDAY + timedelta(step) - date(1970, 1, 1)).days % 5 == 0
    )
    charged = [on_day(tmp_path, start + step, survey).report("red").epsilon for step in range(10)]
    assert charged == ["2", "0", "0", "0", "0"] * 2
    with pytest.raises(OverBudget, match="name_epsilon"):
        on_day(tmp_path, start + 10, survey, day_epsilon=9.0).report("red")
    (memo,) = rows(tmp_path, "memos")  # that of the first period is forgotten
    assert memo[2] == (MONDAY + timedelta(start + 5) - date(1970, 1, 1)).days // 5


def test_limits_refuse_before_anything_is_drawn(tmp_path):
    survey = remembering()
    fresh = sv.Survey("first", "First?", sv.mechanism("grr", YES_NO, 1.0), "day")
    on_day(tmp_path, 0, fresh).report("yes")
    with pytest.raises(OverBudget, match=r"asks for epsilon 2; of the 2 .*\(day_epsilon\), 1 are"):
        on_day(tmp_path, 0, survey).report("red")
    assert rows(tmp_path, "memos") == rows(tmp_path, "kept") == []
    assert on_day(tmp_path, 1, survey).report("red").epsilon == "2"


def test_a_lifetime_above_the_limit_is_refused(tmp_path):
    with pytest.raises(OverBudget, match="asks for epsilon 3 for all its reports; .* at most 2"):
        on_day(tmp_path, 0, remembering(lifetime=3.0))


# -- which memo speaks ----------------------------------------------------------------------


def sent_values(folder, survey, answers, **more):
    """What is reported by a mechanism whose second round hardly adds noise."""
    found = []
    for step, answer in enumerate(answers):
        receipt = on_day(folder, step, survey, **WIDE, **more).report(answer)
        (column,) = decode_upload(receipt.upload, survey).reports.columns.values()
        found.append(int(column[0]))
    return found


def test_the_first_answer_speaks_in_every_window(tmp_path):
    """At a lifetime of 20 the memo is the answer, and at 19.9 nearly every report is the memo."""
    survey = remembering(epsilon=19.9, lifetime=20.0)
    assert sent_values(tmp_path, survey, ["green", "red", "blue", "red"] * 5) == [1] * 20
    ((*_, tag, _memo),) = rows(tmp_path, "memos")
    assert tag == b""  # nothing needs to know the answer again


def test_answers_that_are_paid_for_come_back_and_others_do_not(tmp_path):
    closes = (MONDAY + timedelta(9)).isoformat()
    survey = remembering(
        epsilon=19.9, lifetime=20.0, changes=1, opens=MONDAY.isoformat(), closes=closes
    )
    answers = ["green", "red", "green", "blue", "other", "green", "red"]
    assert sent_values(tmp_path, survey, answers) == [1, 0, 1, 0, 0, 1, 0]
    memos = rows(tmp_path, "memos")
    assert [row[3] for row in memos] == [0, 1]
    assert len({row[4] for row in memos}) == 2
    assert {len(row[4]) for row in memos} == {16}


def test_the_answer_is_not_in_the_file(tmp_path):
    domain = sv.Categories(["sentinelsentinel", "another", "third"])
    closes = (MONDAY + timedelta(9)).isoformat()
    survey = remembering(domain, changes=1, opens=MONDAY.isoformat(), closes=closes)
    on_day(tmp_path, 0, survey, **WIDE).report("sentinelsentinel")
    on_day(tmp_path, 1, survey, **WIDE).report("another")
    data = (tmp_path / "ledger.sqlite").read_bytes()
    assert b"sentinelsentinel" not in data
    other = tmp_path / "other"
    on_day(other, 0, survey, **WIDE).report("sentinelsentinel")
    assert rows(other, "memos")[0][4] != rows(tmp_path, "memos")[0][4]  # another secret


@pytest.mark.parametrize(
    ("domain", "inner", "values"),
    [
        (sv.Categories(1024), "local-hashing", [3, 700]),
        (sv.Interval(0, 10, bins=8), None, [2.5, 9.0]),
        (sv.Categories(12), {"mechanism": "unary-encoding", "options": {"variant": "optimized"}}, [3, 7]),
        (COLORS, "randomized-response", ["red", "blue"]),
    ],
)  # fmt: skip
def test_every_inner_mechanism_is_kept_and_reported(tmp_path, domain, inner, values):
    survey = remembering(domain, inner=inner)
    receipts = [on_day(tmp_path, step, survey).report(values[step % 2]) for step in range(6)]
    for receipt in receipts:
        assert len(decode_upload(receipt.upload, survey).reports) == 1
    assert len(rows(tmp_path, "memos")) == 1
    if inner == "local-hashing":
        hashes = {int(decode_upload(r.upload, survey).reports.columns["hash"][0]) for r in receipts}
        assert len(hashes) == 1  # kept
        assert rows(tmp_path, "kept") == [("hash", "3^7", hashes.pop())]


def test_one_hash_for_all_surveys_of_a_family(tmp_path):
    surveys = [remembering(sv.Categories(1024), name) for name in ("a", "b")]
    surveys.append(remembering(sv.Categories(900), "c"))
    hashes = []
    for step, survey in enumerate(surveys):
        receipt = on_day(tmp_path, step, survey, **WIDE).report(5)
        hashes.append(int(decode_upload(receipt.upload, survey).reports.columns["hash"][0]))
    assert len(set(hashes)) == 1
    drawn = set()
    for place in range(12):
        receipt = on_day(tmp_path / str(place), 0, surveys[0]).report(5)
        drawn.add(int(decode_upload(receipt.upload, surveys[0]).reports.columns["hash"][0]))
    assert len(drawn) > 6


def test_the_law_of_a_first_report_is_that_of_the_mechanism(tmp_path):
    """Memory draws as the mechanism does: 3,000 first reports; false alarms below 1e-7."""
    survey = remembering()
    memory = memory_of(survey, MONDAY)
    on_day(tmp_path, 0, survey).report("red")
    counts = Counter()
    with Ledger(tmp_path)._transaction() as database:
        for _ in range(3000):
            database.execute("DELETE FROM memos")
            report = memory.report(database, "green", sv.OperatingSystem())
            counts[int(report.columns["value"][0])] += 1
    keep = np.e / (np.e + 3)
    expected = np.array([(1 - keep) / 3] * 4)
    expected[1] = keep
    found = np.array([counts[value] for value in range(4)])
    chi = float(((found - 3000 * expected) ** 2 / (3000 * expected)).sum())
    assert chi < 35.9
    assert abs(found[1] - 3000 * np.e**2 / (np.e**2 + 3)) > 200  # the memo itself is not sent


def test_what_is_kept_is_shown(tmp_path):
    on_day(tmp_path, 0, remembering(sv.Categories(1024))).report(5)
    assert Ledger(tmp_path).permanent_answers() == {"colors": 1}
    said = run("device", "view", "--folder", tmp_path).stdout
    assert "colors: 1 permanent answer kept here, paid for by the first report" in said
    assert run_json("device", "view", "--folder", tmp_path)["permanent"] == {"colors": 1}
    client_of(tmp_path / "other").report("tea")
    assert Ledger(tmp_path / "other").permanent_answers() == {}


# -- edges ----------------------------------------------------------------------------------


def of_many_bits():
    """A survey whose permanent answers are never equal by chance: 200 bits."""
    options = {"lifetime": 2.0, "inner": "unary-encoding", "linkable": True}
    return sv.Survey(
        "bits", "Which?", sv.mechanism("memoized", sv.Categories(200), 1.0, **options), "day"
    )


def test_a_lost_ledger_draws_anew_and_is_charged_anew(tmp_path):
    """Nothing can know the former memo: this is another lifetime, and no receipt claims otherwise."""
    survey = of_many_bits()
    first = on_day(tmp_path, 0, survey).report(5)
    before = rows(tmp_path, "memos")
    (tmp_path / "ledger.sqlite").unlink()
    again = on_day(tmp_path, 1, survey).report(5)
    assert (first.epsilon, again.epsilon) == ("2", "2")
    after = rows(tmp_path, "memos")
    assert len(before) == len(after) == 1 and before != after


def test_two_devices_have_two_memories(tmp_path):
    """Each draws and pays by itself: their person spends the lifetime twice."""
    survey, names = of_many_bits(), ("phone", "laptop")
    receipts = [on_day(tmp_path / name, 0, survey).report(5) for name in names]
    assert [receipt.epsilon for receipt in receipts] == ["2", "2"]
    phone, laptop = (rows(tmp_path / name, "memos") for name in names)
    assert len(phone) == len(laptop) == 1 and phone != laptop


def test_a_domain_or_mechanism_that_changes_is_another_memory(tmp_path):
    on_day(tmp_path, 0, remembering()).report("red")
    wider = remembering(sv.Categories(["red", "green", "blue", "other", "white"]))
    with pytest.raises(OverBudget, match="asks for epsilon 2; of the 2 .* per day|24 hours"):
        on_day(tmp_path, 0, remembering(COLORS, "second")).report("red")
    receipt = on_day(tmp_path, 1, wider, fingerprint=wider.fingerprint).report("white")
    assert receipt.epsilon == "2"
    assert len(rows(tmp_path, "memos")) == 2


def test_a_survey_that_is_published_again_keeps_its_memory(tmp_path):
    on_day(tmp_path, 0, remembering(opens="2026-01-01")).report("red")
    later = remembering(opens="2026-01-01", closes="2027-01-01", minimum_batch=50)
    receipt = on_day(tmp_path, 1, later).report("blue")
    assert receipt.epsilon == "0"
    assert len(rows(tmp_path, "memos")) == 1


def test_more_changes_are_never_had_for_nothing(tmp_path):
    """A copy of a survey that allows more answers is another memory, charged with its whole cost."""
    dates = {"opens": MONDAY.isoformat(), "closes": (MONDAY + timedelta(9)).isoformat()}
    on_day(tmp_path, 0, remembering(changes=1, **dates), **WIDE).report("red")
    more = remembering(changes=2, **dates)
    receipt = on_day(tmp_path, 1, more, **WIDE, fingerprint=more.fingerprint).report("red")
    assert receipt.epsilon == decimal_text(more.mechanism.cost(3, 10))
    longer = remembering(changes=1, **{**dates, "closes": (MONDAY + timedelta(10)).isoformat()})
    receipt = on_day(tmp_path, 2, longer, **WIDE, fingerprint=longer.fingerprint).report("red")
    assert receipt.epsilon == decimal_text(longer.mechanism.cost(2, 11))
    periods = remembering(changes=1, period=10, **dates)
    receipt = on_day(tmp_path, 3, periods, **WIDE, fingerprint=periods.fingerprint).report("red")
    assert receipt.epsilon == decimal_text(periods.mechanism.cost(2, 10))


def test_a_clock_that_goes_back_opens_no_window(tmp_path):
    survey = remembering()
    receipts = [on_day(tmp_path, step, survey).report("red") for step in (0, 2)]
    assert on_day(tmp_path, 0, survey).report("blue") == receipts[0]
    with pytest.raises(OverBudget, match="windows are answered in order"):
        on_day(tmp_path, 1, survey).report("red")
    assert len(rows(tmp_path, "memos")) == 1


def test_values_outside_draw_nothing(tmp_path):
    client = on_day(tmp_path, 0, remembering())
    for wrong in ("beer", None, ["red", "blue"]):
        with pytest.raises(InvalidInput):
            client.report(wrong)
    assert rows(tmp_path, "reports") == []
    other = remembering(name="lenient", outside="other")
    assert on_day(tmp_path, 0, other).report("beer").state == "pending"


def test_racing_threads_draw_one_memo_and_one_report(tmp_path):
    survey, receipts = remembering(), []
    Ledger(tmp_path)

    def ask(value):
        receipts.append(on_day(tmp_path, 0, survey).report(value))

    threads = [threading.Thread(target=ask, args=(COLORS.values[i % 4],)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(receipts) == 8
    assert len(set(receipts)) == 1
    assert len(rows(tmp_path, "memos")) == 1


ANSWER = """
import sys
from datetime import date
import sottovoce as sv
survey = sv.Survey.from_json(sys.argv[1])
print(sv.Client(survey, folder=sys.argv[2], clock=lambda: date(2026, 11, 16)).report(sys.argv[3]).upload.hex())
"""


def test_two_processes_draw_one_memo(tmp_path):
    survey = remembering()
    commands = [
        [sys.executable, "-c", ANSWER, survey.to_json(), str(tmp_path), value]
        for value in ("red", "blue", "green")
    ]
    racing = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in commands]
    uploads = {each.communicate(timeout=60)[0] for each in racing}
    assert [each.returncode for each in racing] == [0, 0, 0]
    assert len(uploads) == 1
    assert len(rows(tmp_path, "memos")) == 1


KILLED = """
import os, signal, sys
from datetime import date
import sottovoce as sv
from sottovoce.device import client
def die(*a, **k):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "before the commit":
    client.Client._draw, kept = (lambda self, *a: (kept(self, *a), die())), client.Client._draw
else:
    client.deliver = die
survey = sv.Survey.from_json(sys.argv[1])
client.Client(survey, folder=sys.argv[2], url=sys.argv[4], clock=lambda: date(2026, 11, 16)).report("red")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("moment", ["before the commit", "before sending"])
def test_killed_between_drawing_and_sending(tmp_path, moment):
    """Memo, report and charge are there together, or none of them is and nothing has left."""
    survey = remembering()
    with running() as collector:
        collector.surveys = [survey]
        command = [
            sys.executable,
            "-c",
            KILLED,
            survey.to_json(),
            str(tmp_path),
            moment,
            collector.url,
        ]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
        assert collector.received == []
        with sqlite3.connect(tmp_path / "ledger.sqlite") as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        database.close()
        drawn = rows(tmp_path, "memos") if "memos" in tables else []
        assert len(drawn) == len(rows(tmp_path, "reports")) == (moment == "before sending")
        receipt = on_day(tmp_path, 0, survey, url=collector.url).report("blue")
        assert receipt.state == "acknowledged"
        assert collector.received == [receipt.upload]
        assert len(rows(tmp_path, "memos")) == 1
        if drawn:
            assert rows(tmp_path, "memos") == drawn


# -- what all reports tell ------------------------------------------------------------------


def by_client(folder, survey, windows):
    """Which answer each of many devices reported most often, to an attacker who links their reports."""
    made = iter(range(10**9))

    def sample(value, devices):
        return np.array([majority(YES_NO.values[value]) for _ in range(devices)])

    def majority(answer):
        days = (MONDAY + timedelta(step) for step in range(windows))
        client = sv.Client(survey, folder=folder / str(next(made)), clock=days.__next__, **WIDE)
        receipts = [client.report(answer) for _ in range(windows)]
        told = [decode_upload(each.upload, survey).reports.columns["value"][0] for each in receipts]
        return int(sum(map(int, told)) * 2 > windows)

    return sample


def by_memory(survey, windows):
    """The same without the files."""
    memory = memory_of(survey, MONDAY)
    database = sqlite3.connect(":memory:", isolation_level=None)
    for table in (KEPT, MEMOS):
        database.execute(table)

    def sample(value, devices):
        return np.array([majority(YES_NO.values[value]) for _ in range(devices)])

    def majority(answer):
        database.execute("DELETE FROM memos")
        source = sv.OperatingSystem()
        reports = [memory.report(database, answer, source) for _ in range(windows)]
        return int(sum(int(each.columns["value"][0]) for each in reports) * 2 > windows)

    return sample


def fresh_reports(mechanism, windows):
    def sample(value, devices):
        values = [YES_NO.values[value]] * (devices * windows)
        told = mechanism.randomize(values).columns["value"].reshape(devices, windows)
        return (told.sum(axis=1) * 2 > windows).astype(np.int64)

    return sample


def audited(sample, devices):
    return audit_black_box(sample, range(2), 2.0, outcomes=2, trials=devices, alpha=1e-7)


def test_linked_reports_keep_the_lifetime_and_fresh_ones_do_not():
    """100 windows of one value at epsilon 1: a device without memory tells its answer, ours does not."""
    survey = remembering(YES_NO)
    found = audited(by_memory(survey, 100), 300)
    assert found.passed, str(found)
    assert found.lower_bound > 0.1, str(found)
    found = audited(fresh_reports(survey.mechanism.inner, 100), 300)
    assert not found.passed, str(found)


@pytest.fixture
def unsynced(monkeypatch):
    """Ledgers that are not synced to the disk: hundreds of them are written, and none must last."""
    connect = ledgers.connect

    def quick(path, wait=0.0):
        database = connect(path, wait)
        database.execute("PRAGMA synchronous = OFF")
        return database

    monkeypatch.setattr(ledgers, "connect", quick)


@pytest.mark.slow
def test_clients_with_ledgers_keep_the_lifetime_for_100_windows(tmp_path, unsynced):
    found = audited(by_client(tmp_path / "memory", remembering(YES_NO), 100), 180)
    assert found.passed, str(found)
    fresh = sv.Survey("fresh", "?", sv.mechanism("grr", YES_NO, 1.0), "day")
    found = audited(by_client(tmp_path / "fresh", fresh, 100), 180)
    assert not found.passed, str(found)
