"""Names and labels of others: nothing steers a terminal, and no cell of CSV is a formula."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.text import csv_cell, csv_text, printable
from sottovoce.cli.shared import screen
from support.commands import run

RUNS = ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\x00=1", "\ufeff=1")
WIDE = ("\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "\n\uff1d1")
NUMBERS = (
    -0.5,
    -3,
    0,
    1e300,
    -1e-300,
    np.float64(-0.5),
    np.int64(-3),
    "-0.5",
    "-1.5 to -0.5",
    "+3",
)
STEERS = ("\x1b[31m", "\x9b31m", "\x07", "\x00", "a\x08b", "\u202e", "\x7f", "\x85", "\u2028")


@pytest.mark.parametrize("text", [*RUNS, *WIDE], ids=ascii)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert csv_cell(text).startswith("'")
    assert csv_cell(text) == "'" + printable(text)


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_numbers_stay_numbers(number):
    assert csv_cell(number) == number


@pytest.mark.parametrize("text", STEERS, ids=ascii)
def test_what_steers_a_terminal_is_spelled_out(text):
    for shown in (printable(text), csv_cell(text), printable(f"a{text}b"), csv_cell(f"a{text}b")):
        assert shown.isprintable()
        assert "\\" in shown


def test_plain_text_stays():
    for text in ("tea", "e-mail", "a=b", "", "Grüße, 東京", "1-2", "'quoted'", "x - y", "5 + 5"):
        assert csv_cell(text) == text
    assert csv_cell(None) == ""
    assert csv_cell(True) == "True"


@given(st.text())
def test_no_cell_begins_a_formula(text):
    cell = csv_cell(text)
    assert cell.isprintable()
    begins = cell.lstrip()[:1]
    if begins and begins in "=+-@\uff1d\uff0b\uff0d\uff20":
        float(cell.partition(" to ")[0])  # a number, or a bin


HOSTILE = ["=1+1", "\x1b[31mred", "\n=cmd", "\uff1d2", "fine"]


def cells_of(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def test_every_csv_is_written_this_way():
    """Of a frame, of the collector, and heads as well as cells."""
    frame = sv.Frame({"=head": HOSTILE, "share": [-0.1] * 5})
    texts = [frame.to_csv(), csv_text(["=head", "share"], [(h, -0.1) for h in HOSTILE])]
    texts.append(csv_text(["=head", "share"], [(h, -0.1) for h in HOSTILE]))
    assert texts[0] == texts[1] == texts[2]
    cells = cells_of(texts[0])
    assert cells[:4] == ["'=head", "share", "'=1+1", "-0.1"]
    assert not any(cell.startswith(("=", "\n", "\uff1d")) for cell in cells)
    assert "\x1b" not in texts[0]


def test_bins_of_the_collectors_csv_are_text():
    text = csv_text(["label"], [[(-1.0, -0.5)], [("k", (0.0, 0.5))], [("=k", (0.0, 0.5))]])
    assert cells_of(text) == ["label", "-1.0 to -0.5", "k, 0.0 to 0.5", "'=k, 0.0 to 0.5"]


def test_a_frame_on_a_terminal_is_printable():
    text = str(sv.Frame({"\x1b[2Jhead": HOSTILE, "share": [0.1] * 5}))
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text.split("\n")) == 6


def test_estimates_of_hostile_labels_on_the_command_line(tmp_path):
    mechanism = sv.mechanism("grr", sv.Categories(HOSTILE), 2.0)
    tally = tmp_path / "hostile.svt"
    mechanism.tally(mechanism.randomize(HOSTILE * 50)).write(tally)
    cells = cells_of(run("estimate", tally, "--csv").stdout)
    assert {"'=1+1", "\\x1b[31mred", "'\\n=cmd", "'\uff1d2", "fine"} <= set(cells)
    shown = run("estimate", tally).stdout
    assert all(line.isprintable() for line in shown.split("\n"))


def test_lines_that_are_shown_are_printable(capsys):
    screen.show_text("one \x1b[31m\ntwo\r")
    screen.say("three \x1b[31m\nfour")
    screen.show_table([{"\x1b[2J": "x\x07"}], "name\nforged line")
    told = capsys.readouterr()
    assert told.out.split("\n")[:3] == ["one \\x1b[31m", "two\\r", "name\\nforged line"]
    assert told.err == "three \\x1b[31m\\nfour\n"
    assert "\x1b[2J" not in told.out
    assert "\x07" not in told.out
