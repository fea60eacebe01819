"""``sottovoce send``: every value a report, the same bytes again after a crash, nothing twice."""

from __future__ import annotations

import signal
import sqlite3
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.device import sending
from sottovoce.service.upload.reading import decode_upload
from sottovoce.surveys.windows import today, window_name
from sottovoce.wire.uploads import MAXIMUM_BYTES
from support.commands import refusal, run, run_json, small_collector

DRINKS = ["tea", "coffee", "water", "other"]


@pytest.fixture
def survey(tmp_path):
    chosen = sv.mechanism("grr", sv.Categories(DRINKS), 4.0)
    made = sv.Survey("drinks", "What do you drink?", chosen, "week", outside="other")
    (tmp_path / "drinks.json").write_text(made.to_json())
    return made


@pytest.fixture
def small(survey):
    with small_collector(survey) as made:
        yield made


@pytest.fixture
def people(tmp_path):
    """2,500 values in three forms: CSV, Parquet, lines."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    drinks = np.random.default_rng(1).choice(DRINKS[:3], 2500, p=[0.5, 0.3, 0.2]).tolist()
    rows = "".join(f"{place},{drink}\n" for place, drink in enumerate(drinks))
    (tmp_path / "people.csv").write_text("person,drink\n" + rows)
    (tmp_path / "people.txt").write_text("\n".join(drinks) + "\n\n")
    pq.write_table(pa.table({"drink": drinks}), tmp_path / "people.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "column"), [("people.csv", True), ("people.parquet", True), ("people.txt", False)]
)
def test_values_are_drawn_and_sent(people, small, file, column):
    more = ["--column", "drink"] if column else []
    told = run_json("send", people / "drinks.json", people / file, "--url", small.url, *more)
    window = window_name("week", today())
    assert told == {
        "survey": "drinks", "fingerprint": small.survey.fingerprint, "window": window,
        "reports": 2500, "stored": 2500, "duplicates": 0, "pending": 0, "code": "",
    }  # fmt: skip
    assert len(small.bodies) == 3
    assert {decode_upload(body, small.survey).window for body in small.bodies} == {window}
    assert small.headers[0]["Content-Type"] == "application/msgpack"
    assert "Authorization" not in small.headers[0]
    reports = sv.Reports(
        small.survey.mechanism,
        {"value": np.concatenate([r.columns["value"] for r in small.reports.values()])},
    )
    shares = sv.estimate(small.survey.mechanism.tally(reports)).shares
    assert np.abs(shares - [0.5, 0.3, 0.2, 0]).max() < 0.06


def test_the_order_of_rows_is_not_sent(people, small):
    (people / "sorted.txt").write_text("tea\n" * 1000 + "water\n" * 1000)
    run("send", people / "drinks.json", people / "sorted.txt", "--url", small.url)
    teas = [
        int((decode_upload(body, small.survey).reports.columns["value"] == 0).sum())
        for body in small.bodies
    ]
    # at epsilon 4 a tea is reported as one with 95%: unshuffled, the first would have 950, the second 17
    assert all(abs(count - 483) < 100 for count in teas)


def test_values_come_through_a_pipe(people, small):
    told = run_json(
        "send", people / "drinks.json", "-", "--url", small.url, stdin="tea\nwater\ntea\n"
    )
    assert (told["reports"], told["stored"]) == (3, 3)


def test_values_outside_follow_the_rule_of_the_survey(tmp_path, survey, small):
    values = "vodka\n" * 400
    run("send", tmp_path / "drinks.json", "-", "--url", small.url, stdin=values)
    others = [int(r.columns["value"][0]) == 3 for r in small.reports.values()]
    assert sum(others) > 340  # of 400, 95% are reported as they are
    strict = sv.Survey("strict", "What?", survey.mechanism, "week")
    (tmp_path / "strict.json").write_text(strict.to_json())
    said = refusal("send", tmp_path / "strict.json", "-", "--url", small.url, stdin="tea\nvodka\n")
    assert said == (
        "error: row 2 of column 'value' of standard input must be one of "
        "['tea', 'coffee', 'water', 'other']; got 'vodka'\n"
    )
    assert len(small.reports) == 400


def test_numbers_and_pairs_are_sent(tmp_path):
    ages = sv.Survey("ages", "How old?", sv.mechanism("sw", sv.Interval(0, 100, bins=16), 1.0),
                     outside="nearest")  # fmt: skip
    films = sv.Survey(
        "films", "Which?", sv.mechanism("pckv-ue", sv.KeyValues(["a", "b"], 0, 5, pairs=2), 1.0)
    )
    (tmp_path / "ages.json").write_text(ages.to_json())
    (tmp_path / "films.json").write_text(films.to_json())
    table = "who,film,stars\n1,a,4\n2,b,1\n1,b,5\n3,a,2\n"
    with small_collector(ages) as small:
        told = run_json("send", tmp_path / "ages.json", "-", "--url", small.url, stdin="3\n101\n")
        assert told["stored"] == 2
    with small_collector(films) as small:
        more = ["--column", "film", "--number", "stars", "--person", "who"]
        told = run_json(
            "send", tmp_path / "films.json", "-", "--url", small.url, *more, stdin=table
        )
        assert (told["reports"], told["stored"], told["window"]) == (3, 3, "")


def test_wide_reports_are_split_by_bytes(tmp_path):
    wide = sv.Survey("wide", "Which?", sv.mechanism("oue", sv.Categories(40_000), 1.0))
    (tmp_path / "wide.json").write_text(wide.to_json())
    with small_collector(wide) as small:
        told = run_json("send", tmp_path / "wide.json", "-", "--url", small.url, stdin="7\n" * 450)
        assert (told["stored"], len(small.bodies)) == (450, 3)
        assert max(map(len, small.bodies)) <= MAXIMUM_BYTES


def test_a_token_and_a_window_are_sent(people, small):
    (people / "relay.token").write_text("abc-_123\n")
    told = run_json(
        "send", people / "drinks.json", "-", "--url", small.url, "--token-file",
        people / "relay.token", "--window", "2026-W01", stdin="tea\n",
    )  # fmt: skip
    assert told["window"] == decode_upload(small.bodies[0], small.survey).window == "2026-W01"
    assert small.headers[0]["Authorization"] == "Bearer abc-_123"


def test_a_busy_or_absent_collector_is_waited_for(people, small, monkeypatch):
    monkeypatch.setattr(sending, "_jitter", lambda attempt: 0.0)
    small.answers = [
        (429, {"Retry-After": "0.01"}, {"code": "rate-limited", "message": ""}),
        (None, {}, None),
        (503, {"Retry-After": "0.01"}, {"code": "store-down", "message": ""}),
        (507, {}, {"code": "disk-full", "message": ""}),
    ]
    told = run_json("send", people / "drinks.json", "-", "--url", small.url, stdin="tea\n")
    assert (told["stored"], told["pending"], len(small.bodies)) == (1, 0, 5)
    assert len(set(small.bodies)) == 1


def test_the_journal_sends_the_same_bytes_again_and_nothing_twice(people, small):
    journal, command = (
        people / "sent.journal",
        ["send", people / "drinks.json", people / "people.txt"],
    )
    command += ["--url", small.url, "--journal", journal]
    # The second upload is stored, its acknowledgement lost; then the collector is gone.
    small.answers = [None, (None, {}, None)]
    told = run_json(*command, "--patience", "0", code=3)
    assert (told["stored"], told["pending"], told["code"]) == (1000, 1500, "no-answer")
    lost = small.bodies[1]
    small.take(lost)
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    result = run(*command)
    assert "drawn before" in result.stderr
    assert "2,500 reports: 1,500 stored, 1,000 there already, 0 pending" in result.stderr
    assert small.bodies[2] == lost
    assert len(small.reports) == 2500
    again = run_json(*command)
    assert (again["stored"], again["duplicates"], again["pending"]) == (1500, 1000, 0)
    assert len(small.bodies) == 4
    # What was acknowledged is wiped.
    held = journal.read_bytes()
    assert not any(number in held for number in small.reports)


def test_a_journal_outlives_a_kill(people, small):
    """Killed at any moment, the journal goes on: every report of the input once, none twice."""
    (people / "many.txt").write_text("tea\n" * 6000)
    command = [sys.executable, "-m", "sottovoce.cli", "send", "drinks.json", "many.txt"]
    command += ["--url", small.url, "--journal", "kills.journal", "--batch", "100"]
    kills = 0
    for wait in (0.005, 0.02):
        process = subprocess.Popen(
            command, cwd=people, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        before = len(small.bodies)
        deadline = time.monotonic() + 20
        while len(small.bodies) < before + 3 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(wait)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    done = subprocess.run(command, cwd=people, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert kills == 2
    assert len(small.reports) == 6000
    assert len(set(small.bodies)) == 60


def test_a_journal_is_of_one_sending(people, small, survey):
    journal = people / "sent.journal"
    command = ["--url", small.url, "--journal", journal]
    run("send", people / "drinks.json", people / "people.txt", *command)
    said = refusal("send", people / "drinks.json", people / "people.csv", *command)
    assert "must be a new one" in said
    assert "people.txt" in said
    assert "window is" in refusal(
        "send", people / "drinks.json", people / "people.txt", *command, "--window", "2026-W01"
    )
    with (people / "people.txt").open("a") as file:
        file.write("tea\n")
    said = refusal("send", people / "drinks.json", people / "people.txt", *command)
    assert "whose bytes is" in said
    other = sv.Survey("other", "What?", survey.mechanism, "week")
    (people / "other.json").write_text(other.to_json())
    said = refusal("send", people / "other.json", people / "people.txt", *command)
    assert "whose fingerprint is" in said
    held = sqlite3.connect(journal)
    held.execute("BEGIN EXCLUSIVE")
    said = refusal("send", people / "drinks.json", people / "people.txt", *command)
    assert "--journal of send must be one that no other sending has open" in said
    held.close()
    assert len(small.reports) == 2500


def test_what_is_no_journal_is_left_alone(people, small):
    command = [
        "send",
        people / "drinks.json",
        people / "people.txt",
        "--url",
        small.url,
        "--journal",
    ]
    (people / "text").write_text("no database" * 500)
    assert "text cannot be read as a journal: file is not a database" in refusal(
        *command, people / "text"
    )
    other = sqlite3.connect(people / "other.sqlite")
    other.execute("CREATE TABLE precious (x)")
    other.close()
    assert "other.sqlite cannot be read as a journal: it is another database" in refusal(
        *command, people / "other.sqlite"
    )
    later = sqlite3.connect(people / "later.journal")
    later.execute("PRAGMA application_id = 0x7376736A")
    later.execute("PRAGMA user_version = 2")
    later.execute("CREATE TABLE sending (x)")
    later.close()
    assert "later.journal is a journal of version 2; this version reads 1" in refusal(
        *command, people / "later.journal"
    )
    assert "a file in a folder that exists" in refusal(*command, people)
    assert "a file in a folder that exists" in refusal(*command, people / "no" / "journal")
    assert not small.bodies


def test_a_bad_row_sends_nothing_and_leaves_the_journal_fresh(people, small, survey):
    strict = sv.Survey("strict", "What?", survey.mechanism, "week")
    (people / "strict.json").write_text(strict.to_json())
    journal = people / "sent.journal"
    command = ["send", people / "strict.json", people / "late.txt", "--url", small.url]
    (people / "late.txt").write_text("tea\n" * 70_000 + "vodka\n")
    assert "row 70001" in refusal(*command, "--journal", journal)
    assert not small.bodies
    (people / "late.txt").write_text("tea\n" * 70)
    small.survey = strict
    assert run_json(*command, "--journal", journal)["stored"] == 70


def test_refusals_of_a_collector_are_said(people, small):
    unknown = 404, {}, {"code": "unknown-survey", "message": "no"}
    small.answers = [unknown]
    result = run("send", people / "drinks.json", "-", "--url", small.url, stdin="tea\n", code=3)
    assert "0 stored, 0 there already, 1 pending" in result.stderr
    assert "unknown-survey: no survey here has this fingerprint; without --journal" in result.stderr
    small.answers = [(200, {}, {"hello": "world"})]
    journal = ["--journal", people / "j"]
    result = run(
        "send", people / "drinks.json", "-", "--url", small.url, *journal, stdin="tea\n", code=3
    )
    assert "the address is not a collector; the same command continues from" in result.stderr
    small.answers = [(418, {}, {})]
    result = run(
        "send", people / "drinks.json", "-", "--url", small.url, *journal, stdin="", code=3
    )
    assert "the collector answered status-418" in result.stderr


def test_bad_input_of_send(people, small, survey):
    base = ["send", people / "drinks.json", people / "people.csv", "--url", small.url]
    assert "--url of the command must be such as https://" in refusal(
        *base[:3], "--url", "collector.example"
    )
    assert "--plain-http allows it" in refusal(*base[:3], "--url", "http://collector.example")
    assert "no column 'x' in" in refusal(*base, "--column", "x")
    assert "--number of send must be left out" in refusal(*base, "--number", "x")
    assert "--batch of send must be a whole number from 1 to 10000" in refusal(*base, "--batch", 0)
    assert "--patience of send" in refusal(*base, "--patience", "-1")
    assert "a week such as 2026-W47" in refusal(*base, "--window", "2026-11")
    assert "--column of the command must be given for a Parquet file" in refusal(
        "send", people / "drinks.json", people / "people.parquet", "--url", small.url
    )
    (people / "two").write_text("one two")
    assert "--token-file of the command must be a file that holds one word" in refusal(
        *base, "--token-file", people / "two"
    )
    for text, line in (("tea\n\ntea\n", 2), ("tea\n" * 65_536 + "\n" * 65_536 + "tea\n", 65_537)):
        said = refusal("send", people / "drinks.json", "-", "--url", small.url, stdin=text)
        assert f"line {line} of standard input must be a value" in said
    for text in ("", "\n\n"):
        said = refusal("send", people / "drinks.json", "-", "--url", small.url, stdin=text)
        assert "INPUT of the command must be not empty" in said
    said = refusal("send", people / "drinks.json", "-", "--url", small.url, stdin=b"t\xff")
    assert "not UTF-8 text" in said
    closed = sv.Survey("closed", "What?", survey.mechanism, "week", closes="2020-01-01")
    (people / "closed.json").write_text(closed.to_json())
    said = refusal("send", people / "closed.json", "-", "--url", small.url, stdin="tea\n")
    assert "window-closed" in said
    films = sv.Survey("films", "?", sv.mechanism("pckv-ue", sv.KeyValues(["a"], 0, 5), 1.0))
    (people / "films.json").write_text(films.to_json())
    said = refusal("send", people / "films.json", "-", "--url", small.url, stdin="a\n")
    assert "--column, --number of send must be given" in said
    pair = ["--column", "a", "--number", "b"]
    said = refusal(
        "send", people / "films.json", "-", "--url", small.url, *pair, "--person", "c", stdin="a\n"
    )
    assert "--person of send must be left out" in said
    assert not small.bodies


# -- cohorts and memory ---------------------------------------------------------------------


@pytest.fixture
def cohorts(tmp_path):
    chosen = sv.mechanism("grr", sv.Categories(DRINKS), 4.0)
    made = sv.Survey("again", "What now?", chosen, "day", outside="other", ask="1/3")
    (tmp_path / "again.json").write_text(made.to_json())
    (tmp_path / "people.csv").write_text(
        "who,drink\n" + "".join(f"p{i},{DRINKS[i % 4]}\n" for i in range(90))
    )
    with small_collector(made) as small:
        yield small


def by_person(folder, small, window, file="people.csv", **more):
    given = {"--column": "drink", "--person": "who", "--cohort-key": folder / "key", **more}
    options = [part for pair in given.items() for part in pair]
    return ["send", folder / "again.json", folder / file, "--url", small.url, "--window", window, *options]  # fmt: skip


def test_everybody_is_asked_once_in_three_windows(tmp_path, cohorts):
    days = ["2026-11-16", "2026-11-17", "2026-11-18"]
    counts = [run_json(*by_person(tmp_path, cohorts, day))["reports"] for day in days]
    assert sum(counts) == 90
    assert all(10 < count < 55 for count in counts)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    again = run_json(*by_person(tmp_path, cohorts, "2026-11-19"))["reports"]
    assert again == counts[0]  # the same people, three windows later
    (tmp_path / "key").unlink()
    said = run(*by_person(tmp_path, cohorts, "2026-11-16")).stderr
    assert " people not asked in this window; next: 2026-11-17" in said


def test_one_person_is_told_when_they_are_asked(tmp_path, cohorts):
    (tmp_path / "one.csv").write_text("who,drink\nme,tea\n")
    said = {
        day: run(*by_person(tmp_path, cohorts, f"2026-11-{day}", "one.csv")).stderr
        for day in (16, 17, 18)
    }
    asked = [day for day, text in said.items() if "1 reports: 1 stored" in text]
    assert len(asked) == 1
    for day, text in said.items():
        if day not in asked:
            following = min(other for other in (asked[0], asked[0] + 3) if other > day)
            assert f"not asked in this window; next: 2026-11-{following}" in text
            assert "0 reports" in text
    assert len(cohorts.reports) == 1


def test_pairs_have_cohorts_too(tmp_path):
    rows = "".join(f"p{i},{'ab'[i % 2]},{i % 6}\n" for i in range(60))
    (tmp_path / "people.csv").write_text("who,film,stars\n" + rows)
    for pairs in (None, 2):
        domain = sv.KeyValues(["a", "b"], 0, 5, pairs=pairs)
        films = sv.Survey("films", "?", sv.mechanism("pckv-grr", domain, 1.0), "day", ask="1/2")
        (tmp_path / "again.json").write_text(films.to_json())
        with small_collector(films) as small:
            given = {"--column": "film", "--number": "stars"}
            for day in ("2026-11-16", "2026-11-17"):
                run(*by_person(tmp_path, small, day, **given))
            assert len(small.reports) == 60


def test_what_cohorts_and_memory_refuse(tmp_path, cohorts):
    command = ["send", tmp_path / "again.json", tmp_path / "people.csv", "--url", cohorts.url]
    assert "--person, --cohort-key of send must be given: the survey asks 1/3 of people" in refusal(
        *command, "--column", "drink"
    )
    (tmp_path / "twice.csv").write_text("who,drink\nme,tea\nme,tea\n")
    said = refusal(*by_person(tmp_path, cohorts, "2026-11-16", "twice.csv"))
    assert "row 2 of column 'who'" in said
    assert "somebody who is not in a row before" in said
    (tmp_path / "none.csv").write_text("who,drink\n,tea\n")
    assert "not empty: it identifies people" in refusal(
        *by_person(tmp_path, cohorts, "2026-11-16", "none.csv")
    )
    (tmp_path / "bad").write_text("xyz")
    assert "64 hexadecimal digits" in refusal(
        *by_person(tmp_path, cohorts, "2026-11-16", **{"--cohort-key": tmp_path / "bad"})
    )
    kept = sv.mechanism("memoized", sv.Categories(DRINKS), 1.0, lifetime=2.0)
    (tmp_path / "kept.json").write_text(sv.Survey("kept", "?", kept, "day").to_json())
    said = refusal("send", tmp_path / "kept.json", tmp_path / "people.csv", "--column", "drink")
    assert "SURVEY of send must be one without memory" in said
    everybody = sv.Survey("all", "?", sv.mechanism("grr", sv.Categories(DRINKS), 1.0), "day")
    (tmp_path / "all.json").write_text(everybody.to_json())
    said = refusal("send", tmp_path / "all.json", tmp_path / "people.csv", "--column", "drink", "--cohort-key", tmp_path / "key")  # fmt: skip
    assert "--cohort-key of send must be left out" in said
    assert len(cohorts.reports) == 0
