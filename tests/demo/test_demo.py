"""The demo: what it shows, that its numbers are honest, and that it leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from rich.console import Console

from sottovoce.base.errors import InvalidInput, MissingExtra
from sottovoce.base.progress import silent
from sottovoce.demo import __main__ as command_line
from sottovoce.demo.collector import CollectorFailed, collector
from sottovoce.demo.devices import Devices, NotTaken, Sent
from sottovoce.demo.messages import kept as tell_kept
from sottovoce.demo.options import Options
from sottovoce.demo.population import COMMUTES, DISHES
from sottovoce.demo.stored import held
from sottovoce.demo.surveys import polls
from sottovoce.device.client import Client, Receipt
from sottovoce.device.http import NoAnswer
from sottovoce.device.remote_collector import Declined, RemoteCollector
from sottovoce.store import open_store
from sottovoce.surveys.default_limits import client_doubt
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today
from support.commands import refusal, run_json, small_collector

PEOPLE = 5000

posix = pytest.mark.skipif(os.name != "posix", reason="needs Unix signals")


class Process:
    """A demo in a process of its own, with a folder for everything temporary.

    The environment names a proxy that is not there: the demo must not ask it.
    """

    def __init__(self, folder, *options) -> None:
        self.printed = ""
        environment = {**os.environ, "TMPDIR": str(folder), "http_proxy": "http://127.0.0.1:9"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sottovoce.demo", *map(str, options)], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def until(self, words):
        """The address in what is printed, once it has these words."""
        for line in self.process.stdout:
            self.printed += line
            if words in line:
                return re.search(r"http://127\.0\.0\.1:\d+", self.printed).group()
        raise AssertionError(self.process.stderr.read())

    def ends(self, number):
        """The exit code and the error stream, after a signal."""
        self.process.send_signal(number)
        rest, errors = self.process.communicate(timeout=60)
        self.printed += rest
        return self.process.returncode, errors


def gone(url):
    """Whether nobody listens there, at once or within a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            urlopen(url).close()  # noqa: S310
        except (URLError, ConnectionError):
            return True
        time.sleep(0.1)
    return False


@dataclass
class Shown:
    """A demo that stayed until Ctrl-C: what was seen of it."""

    folder: Path
    url: str
    page: bytes
    before: list
    code: int
    errors: str
    printed: str
    answered: list[int]


def answer_as_a_visitor(printed, folder):
    """Reports of the survey that stays open, before and after somebody answers it."""
    address = re.search(r"^(http://127.*)/answer$", printed, re.MULTILINE)[1]
    counts = []
    with urlopen(f"{address}/answer") as page:  # noqa: S310
        assert b"How did you travel today?" in page.read()
    with urlopen(address) as document:  # noqa: S310
        survey = Survey.from_json(document.read().decode())
    for _ in range(2):
        with urlopen(f"{address}/status") as status:  # noqa: S310
            counts.append(json.loads(status.read())["stored"])
        Client(survey, folder=folder / "visitor", url=address.partition("/surveys")[0]).report(
            next(iter(COMMUTES))
        )
    return counts


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    temporary = folder / "temporary"
    temporary.mkdir()
    demo = Process(temporary, "--people", PEOPLE, "--output", folder / "kept")
    url = demo.until("Ctrl-C ends the demo")
    with urlopen(f"{url}/") as page:  # noqa: S310
        seen = page.read()
    answered = answer_as_a_visitor(demo.printed, folder)
    with pytest.raises(Declined, match="^no-key: the key of the role publish is needed"):
        RemoteCollector(url, "no key of anybody's").post("/surveys", {"survey": {}})
    before = list(temporary.iterdir())
    code, errors = demo.ends(signal.SIGINT)
    return Shown(folder, url, seen, before, code, errors, demo.printed, answered)


# -- what is shown ---------------------------------------------------------------------------


@posix
def test_tables_show_truth_and_answers(shown):
    printed, said = shown.printed, " ".join(shown.printed.split())
    assert "\x1b" not in printed and "\r" not in printed  # no terminal, no control characters
    for words in (*COMMUTES, *DISHES, "95% interval", "half slept less than", "percentage points"):
        assert words in printed
    for name, people in (("commute-hushwick", PEOPLE), ("commute-murmur", PEOPLE // 2)):
        assert re.search(rf"{name}: {people:,} reports, [0-9,]+ a second", printed)
    assert "0 stored, 1 there already. Duplicates, counted once." in said
    assert (
        "Any report is at most 2.72 times as likely under one true answer as under another" in said
    )
    assert max(map(len, printed.partition("Kept in")[0].splitlines())) <= 80


def test_other_devices_reach_the_collector_where_they_are_let(tmp_path):
    with collector(tmp_path, 0, 7, network=True) as running:
        assert running.url.startswith("http://127.0.0.1:")
        for address in (running.url, running.public):
            with urlopen(f"{address}/health/live") as page:  # noqa: S310
                assert page.status == 200


@posix
def test_a_visitor_can_answer_and_is_counted(shown):
    assert shown.answered == [0, 1]
    assert "Answer it yourself: How did you travel today?" in shown.printed


ROW = re.compile(
    r"^(\S.{27}) +(\S+?)(?:%| h)? +(\S+?)(?:%| h)? +(\S+) to (\S+?)(?:%| h)? +(yes|no) *$",
    re.MULTILINE,
)


def rows(printed):
    """The rows of all tables: words, numbers, whether the truth is said to be inside."""
    for words, truth, value, low, high, inside in ROW.findall(printed):
        yield words.strip(), *map(float, (truth, value, low, high)), inside == "yes"


@posix
def test_truths_are_inside_as_often_as_intervals_say(shown):
    """Of 22 shares and means that are nearly independent, each missed with a chance of 5%, at
    least 10 are inside: missed with 10% each, 13 or more misses have a chance of 2e-8.  And the
    truths of other values are not: 10 or more of them inside have a chance of 2e-10."""
    every = list(rows(shown.printed))
    table, living = every[:35], every[35:]
    assert len(living) >= 16  # six questions, and the cells that enough people are in
    assert any(row[-1] for row in living[:6])  # none of six: with 10% each, once in a million
    ways, had, liked = table[:10], table[-12:-6], table[-6:]
    assert [row[0] for row in (*ways, *had, *liked)] == [*COMMUTES, *DISHES, *DISHES]
    assert sum(row[-1] for row in (*ways, *had, *liked)) >= 10
    told, of = sum(row[-1] for row in every), len(every)
    said = (
        f"{told} of {of} true values lie in their 95% interval. About {0.95 * of:.0f} should, a few more "
        "or less."
    )
    assert said in " ".join(shown.printed.split())
    shifted = [
        low <= part[(place + 3) % len(part)][1] <= high
        for part in (ways, had, liked)
        for place, (_, _, _, low, high, _) in enumerate(part)
    ]
    assert sum(shifted) < 10


@posix
def test_the_strike_is_seen(shown):
    words, truth, value, low, high, _ = next(row for row in rows(shown.printed) if row[1] < 0)
    assert words == "bus" and truth < -15
    assert abs(value - truth) < 3.1 * (high - low) / 2  # six standard errors: once in 5e8


@posix
def test_the_collector_has_every_report_once(shown):
    with open_store(str(shown.folder / "kept" / "collector.db"), writable=False) as store:
        counts = {p.survey.name: store.counts(f) for f, p in store.surveys().items()}
        assert store.check() == []
        reports = {
            id_hash.hex()
            for fingerprint in store.surveys()
            for hashes, _ in store.reports(fingerprint)
            for id_hash in hashes
        }
    assert {name: each.stored for name, each in counts.items()} == {
        "commute-hushwick": PEOPLE, "commute-murmur": PEOPLE // 2, "sleep": PEOPLE, "canteen": PEOPLE,
        "living": 20_000, "visitors": 1,
    }  # fmt: skip
    assert counts["commute-hushwick"].duplicates == 1
    (id_hash,) = re.findall("([0-9a-f]{32}), random", shown.printed)
    assert id_hash in reports
    poll = polls(1000, today())[0]
    receipt = Receipt(poll.survey.fingerprint, "2026-01-01", "", "1", "0", bytes(16), b"")
    with pytest.raises(LookupError, match="no report 0000"):
        held(shown.folder / "kept" / "collector.db", Sent("bus", receipt))


@posix
def test_files_that_are_kept(shown):
    kept = shown.folder / "kept"
    names = {path.name for path in kept.iterdir()}
    assert {"collector.db", "collector.secret", "collector.log"} <= names
    assert f"sottovoce serve --store {kept / 'collector.db'}" in shown.printed


@posix
@pytest.mark.parametrize("name", ["plain", "two words", "it's; $HOME [bold] *"])
def test_the_command_that_starts_it_again_can_be_pasted(name):
    """A shell reads every path as one word, whatever is in it."""
    folder, console = Path("/home") / name, Console(record=True, file=io.StringIO(), width=80)
    tell_kept(console, folder)
    command = shlex.split(console.export_text().partition("again:")[2])
    assert command == [
        "SOTTOVOCE_OPEN_READING=true", "sottovoce", "serve", "--store",
        f"{folder}/collector.db", "--secret-file", f"{folder}/collector.secret",
    ]  # fmt: skip


def test_surveys_promise_what_is_said():
    made = polls(1000, today())
    assert [poll.survey.mechanism.epsilon for poll in made] == [1.0, 1.0, 1.0, 2.0, 2.0]
    for poll in made:
        assert poll.survey.mechanism.certificate().holds(poll.survey.mechanism.epsilon)
        assert len(poll.days) == (1 if poll.survey.window == "once" else 7)
        assert min(map(len, poll.days.values())) >= poll.survey.minimum_batch
        assert client_doubt(poll.survey) == "" or poll.survey.window == "day"
    again = polls(1000, today())
    assert [poll.values for poll in made] == [poll.values for poll in again]
    assert [poll.people for poll in made] == [1000, 500, 1000, 1000, 20_000]
    assert polls(60_000, today())[-1].people == 200_000


@pytest.mark.slow
def test_as_json_it_ends_by_itself(tmp_path):
    found = run_json("demo", "--people", 1000, "--picture", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    rows = [row for table in found["findings"] for row in table["findings"]]
    assert found["of"] == len(rows) >= 35 + 16
    assert found["inside"] == sum(row["low"] <= row["truth"] <= row["high"] for row in rows)


def test_a_report_that_is_not_taken_ends_the_demo(tmp_path):
    poll = polls(1000, today())[0]
    with small_collector(poll.survey) as small:
        small.answers = [(404, {}, {"code": "unknown-survey", "message": ""})]
        devices = Devices(poll, small.url, tmp_path, Event())
        with pytest.raises(NotTaken, match="commute-hushwick is refused: unknown-survey"):
            devices.send(RemoteCollector(small.url, ""), silent)


# -- how it ends ---------------------------------------------------------------------------


@posix
def test_it_stays_until_ctrl_c_and_leaves_nothing(shown):
    assert b"commute-hushwick" in shown.page
    assert (shown.code, shown.errors) == (0, "")
    assert "Stopped." in shown.printed and "Traceback" not in shown.printed
    assert shown.before  # where the devices had their ledgers
    assert list((shown.folder / "temporary").iterdir()) == []
    assert gone(shown.url)


@posix
@pytest.mark.slow
def test_a_signal_before_the_end_leaves_nothing_either(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    demo = Process(tmp_path, "--people", 1000)
    url = demo.until("A collector listens")
    assert demo.ends(signal.SIGTERM) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []
    assert gone(url)


def test_a_collector_ends_with_the_demo_however_that_ends(tmp_path):
    """Its standard input is closed, which is all that it sees of a demo that was killed.  What
    then fails for want of a collector says so."""
    with pytest.raises(CollectorFailed, match="ended unexpectedly. It said nothing") as outer:  # noqa: SIM117
        with collector(tmp_path, 0, 7) as running:
            running.process.stdin.close()
            with pytest.raises(CollectorFailed, match="ended unexpectedly"):
                running.stay()
            RemoteCollector(running.url, "").get("/surveys")
    assert isinstance(outer.value.__cause__, NoAnswer)
    assert running.process.returncode == 0


# -- what is refused -----------------------------------------------------------------------


def test_a_port_that_is_taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        said = refusal("demo", "--once", "--port", other.getsockname()[1])
    assert "--port of the demo must be a port that can be listened on" in said
    assert "Without --port a free one is taken" in said


def test_options_that_are_refused(tmp_path, capsys):
    for people in (0, -5, 999):
        assert "--people of the demo must be a whole number of at least 1000" in refusal(
            "demo", "--people", people
        )
    (tmp_path / "file").write_text("precious")
    for words, options in (
        ("from 0 to 65535", {"port": 65_536}),
        ("a folder; this is a file", {"output": tmp_path / "file"}),
        ("new or empty", {"output": tmp_path}),
        (".png, .svg, .pdf", {"picture": tmp_path / "p.gif"}),
        ("in a folder that exists", {"picture": tmp_path / "none" / "p.png"}),
    ):
        with pytest.raises(InvalidInput, match=words):
            Options(**options)
    assert command_line.main(["--people", "0"]) == 2
    assert "error: --people of the demo" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert command_line.main(["--once"]) == 2
    assert "pip install '.[all]'" in capsys.readouterr().err
    assert "pip install '.[all]'" in refusal("demo", "--once")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="the picture of the demo needs pyarrow"):
        Options(picture=tmp_path / "p.png")


def test_a_collector_that_does_not_start_says_why(tmp_path):
    secret = tmp_path / "collector.secret"
    secret.write_bytes(b"short")
    secret.chmod(0o600)
    with pytest.raises(CollectorFailed, match=r"did not start. Its last lines:\n.*has 5 bytes"):  # noqa: SIM117
        with collector(tmp_path, 0, 7):
            raise AssertionError("it started")
