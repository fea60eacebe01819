"""The command line as processes: pipes, closed pipes, interrupts, terminals, and a missing extra."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.app import app

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of Unix")

COMMAND = [sys.executable, "-m", "sottovoce.cli"]
DRINKS = ["--column", "drink", "--values", "tea,coffee", "--mechanism", "olh", "--epsilon", "2"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = ["tea,it\n", "coffee,fr\n", "tea,fr\n"] * 700
    path.write_text("drink,country\n" + "".join(rows), encoding="utf-8")
    return path


def shell(command, folder, **more):
    """Run a line of shell in which ``sottovoce`` is the command."""
    bin_ = folder / "bin"
    bin_.mkdir(exist_ok=True)
    script = bin_ / "sottovoce"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sottovoce.cli "$@"\n')
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
        capture_output=True, text=True, check=False, timeout=120, **more,
    )  # fmt: skip


def test_the_whole_way_in_one_pipe(people, tmp_path):
    options = " ".join(DRINKS)
    done = shell(
        f"cat people.csv | sottovoce randomize - {options} -o - | sottovoce tally - -o - "
        "| sottovoce estimate - --share tea --json",
        tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (answer,) = json.loads(done.stdout)["answers"]
    assert abs(answer["value"] - 2 / 3) < 6 * answer["stderr"]


def test_reports_with_groups_in_a_pipe(people, tmp_path):
    options = " ".join(DRINKS)
    done = shell(
        f"sottovoce randomize people.csv {options} --by country -o - "
        "| tee reports.arrows | sottovoce estimate - --by country --json",
        tmp_path,
    )
    found = json.loads(done.stdout)
    assert [block["reports"] for block in found["groups"]] == [1400, 700]
    saved = CliRunner().invoke(app, ["estimate", str(tmp_path / "reports.arrows"), "--json"])
    assert json.loads(saved.stdout)["reports"] == 2100


def test_parquet_and_a_tally_from_a_pipe(tmp_path):
    mechanism = sv.mechanism("oue", sv.Categories(9), 1.0)
    reports = mechanism.randomize(np.arange(9).repeat(5))
    reports.write(tmp_path / "r.parquet")
    mechanism.tally(reports).write(tmp_path / "t.svt")
    told = []
    for name in ("r.parquet", "t.svt"):
        data = (tmp_path / name).read_bytes()
        told.append(CliRunner().invoke(app, ["estimate", "-", "--json"], input=data).stdout)
    assert told[0] == told[1]
    assert json.loads(told[0])["reports"] == 45


def test_a_stream_that_breaks_off_is_no_stream(people, tmp_path):
    """The bad row comes after whole batches were sent: nobody may take them for everything."""
    lines = people.read_text().splitlines(keepends=True)
    people.write_text("".join([lines[0], *(lines[1:] * 40)[:70_000], "vodka,it\n"]))
    done = shell(
        f"sottovoce randomize people.csv {' '.join(DRINKS)} -o - | sottovoce tally - -o t.svt",
        tmp_path,
    )
    assert done.returncode == 2
    assert "row 70001 of column 'drink'" in done.stderr
    assert "standard input breaks off" in done.stderr
    assert not (tmp_path / "t.svt").exists()


def test_streams_that_are_none(people, tmp_path):
    done = subprocess.run(
        [*COMMAND, "randomize", people, *DRINKS, "-o", "-"], capture_output=True, check=True
    )
    for cut in (5, 300, len(done.stdout) - 8, len(done.stdout) - 20):
        result = CliRunner().invoke(app, ["estimate", "-"], input=done.stdout[:cut])
        assert result.exit_code == 2, cut
        assert "standard input" in result.stderr
    assert CliRunner().invoke(app, ["estimate", "-"], input=done.stdout).exit_code == 0


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    mechanism = sv.mechanism("grr", sv.Categories(30_000), 1.0)
    mechanism.tally(mechanism.randomize([1, 2, 3])).write(tmp_path / "t.svt")
    done = shell(
        "sottovoce estimate t.svt --method unbiased --csv | head -1; echo ${PIPESTATUS[0]}",
        tmp_path,
    )
    assert done.stdout == "question,label,value,stderr,low,high,about\n141\n"
    assert done.stderr == ""


def heed_interrupts():
    """Ctrl-C is heard also where the suite itself runs in the background of a shell."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_interrupted_while_writing_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [*COMMAND, "randomize", "-", *DRINKS, "-o", tmp_path / "out.parquet"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    process.stdin.write("drink\n" + "tea\n" * 70_000)
    process.stdin.flush()
    for _ in range(600):
        if any(tmp_path.iterdir()):
            break
        time.sleep(0.05)
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_in_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "methods", "-m", "grr", "--size", "4", "-e", "1"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_unexpected_ends_with_one_and_a_traceback_without_values():
    code = (
        "import sottovoce.cli.commands.design as d\n"
        "def fail(*a, **k):\n    secret = 'said in confidence'\n    raise RuntimeError('unforeseen')\n"
        "d.methods_for = fail\n"
        "import sys; sys.argv = ['sottovoce', 'methods', '-m', 'grr', '--size', '4', '-e', '1']\n"
        "from sottovoce.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "RuntimeError: unforeseen" in done.stderr
    assert done.stderr.count("said in confidence") == 0


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(missing):
    code = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {missing!r}: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "from sottovoce.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert missing in done.stderr
    assert "pip install '.[cli]'" in done.stderr


# -- terminals -------------------------------------------------------------------------


def on_terminal(arguments, **streams):
    """What a command shows on a terminal of 100 columns, and its exit code."""
    leader, follower = os.openpty()
    given = {name: follower if stream == "terminal" else stream for name, stream in streams.items()}
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], env=environment, text=True, **given
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other side was closed
            break
        if not part:
            break
        shown += part
    os.close(leader)
    rest = process.communicate(timeout=60)
    return process.returncode, shown.decode(), rest


def test_progress_is_on_the_error_stream(people, tmp_path):
    code, shown, (stdout, _) = on_terminal(
        ["randomize", people, *DRINKS, "-o", tmp_path / "r.parquet", "--json"],
        stdout=subprocess.PIPE, stderr="terminal",
    )  # fmt: skip
    assert code == 0
    assert "randomizing" in shown
    assert json.loads(stdout)["reports"] == 2100


def test_bytes_are_not_shown_to_people(people):
    code, shown, (_, stderr) = on_terminal(
        ["randomize", people, *DRINKS, "-o", "-"], stdout="terminal", stderr=subprocess.PIPE
    )
    assert (code, shown) == (2, "")
    assert "no terminal" in stderr


def test_tables_fit_the_terminal():
    arguments = ["methods", "-m", "grr", "--size", "4", "-e", "1"]
    code, shown, _ = on_terminal(arguments, stdout="terminal", stderr=subprocess.PIPE)
    assert code == 0
    assert "─" in shown
    assert max(map(len, shown.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines())) <= 100
