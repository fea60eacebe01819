"""What is said of default clients is what default clients do."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, OverBudget, Refused
from sottovoce.device.ledger import Ledger
from sottovoce.surveys import charges
from sottovoce.surveys.default_limits import client_doubt, default_client, windows_answered
from sottovoce.surveys.wording import doubts
from support.commands import run, run_json


@pytest.mark.parametrize(
    ("epsilon", "more", "answered", "words"),
    [
        (1.0, {}, 1, ""),
        (2.0, {}, 1, ""),
        (3.0, {}, 0, "refuse it: it asks for epsilon 3 per report, above maximum_epsilon 2"),
        (1.0, {"window": "day"}, 5, r"answer 5 windows \(day\), then stop: epsilon 5 is spent"),
        (0.3, {"window": "week"}, 16, r"answer 16 .* epsilon 4.8 is spent \(name_epsilon 5\)"),
        (1.0, {"window": "day", "opens": "2026-11-16", "closes": "2026-11-20"}, 5, ""),
        (1.0, {"window": "day", "opens": "2026-11-16", "closes": "2026-11-21"}, 5, "answer 5"),
        (1.0, {"window": "week", "opens": "2026-11-16", "closes": "2026-12-20"}, 5, ""),
        (1.0, {"window": "week", "opens": "2026-11-15", "closes": "2026-12-20"}, 5, "answer 5"),
        (1.0, {"window": "month", "opens": "2026-11-30", "closes": "2027-03-01"}, 5, ""),
        (1.0, {"window": "month", "opens": "2026-10-31", "closes": "2027-03-01"}, 5, "answer 5"),
    ],
)  # fmt: skip
def test_what_a_default_client_does_is_what_is_said(tmp_path, epsilon, more, answered, words):
    """The numbers of the check are those of a client that is asked day after day."""
    mechanism = sv.mechanism("grr", sv.Categories(["a", "other"]), epsilon)
    survey = sv.Survey("n", "q", mechanism, outside="other", **more)
    assert windows_answered(survey) == answered
    assert re.search(words, client_doubt(survey))
    assert (client_doubt(survey) == "") == (words == "")
    assert (client_doubt(survey) in doubts(survey)) == (words != "")
    days, count = {"month": 7, "week": 7}.get(survey.window, 1), 0
    for step in range(26):
        day = date.fromisoformat(survey.opens or "2026-11-16") + timedelta(days * step)
        # Each is drawn at another start of the machine: real time passes between them.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(charges, "uptime", lambda step=step: (f"start {step}", 0.0))
            try:
                sv.Client(survey, folder=tmp_path, clock=lambda day=day: day).report("a")
            except (OverBudget, Refused):
                break
        count = len({receipt.window for receipt in Ledger(tmp_path).receipts()})
    assert count == answered


def test_a_default_client_wants_to_be_told_of_delta_and_scope(tmp_path):
    gauss = sv.mechanism("gaussian", sv.Interval(0, 1, bins=8), 1.0)
    degree = sv.mechanism("degree-noise", sv.Counts(9), 0.5)
    for mechanism, words in ((gauss, "maximum_delta is 0"), (degree, "scopes=('edge',) is not")):
        survey = sv.Survey("n", "q", mechanism)
        assert words in client_doubt(survey)
        assert windows_answered(survey) == 0
        with pytest.raises((OverBudget, InvalidInput)):
            sv.Client(survey, folder=tmp_path)


@pytest.mark.parametrize(
    ("epsilon", "more", "words"),
    [
        (1.0, {}, "clients with default limits answer it, once"),
        (0.5, {"window": "day"}, "clients with default limits answer 10 windows (day), then stop: epsilon 5 is spent (name_epsilon 5)"),
        (2.0, {"window": "day", "closes": "2026-11-20"}, "clients with default limits answer 2 windows (day), then stop: epsilon 4 is spent (name_epsilon 5)"),
        (1.0, {"window": "day", "opens": "2026-11-16", "closes": "2026-11-20"}, "clients with default limits answer all of its windows (day): 5"),
        (3.0, {"window": "day"}, "clients with default limits refuse it: it asks for epsilon 3 per report, above maximum_epsilon 2"),
    ],
)  # fmt: skip
def test_what_default_clients_do_is_always_said(tmp_path, epsilon, more, words):
    mechanism = sv.mechanism("grr", sv.Categories(["a", "other"]), epsilon)
    survey = sv.Survey("n", "q", mechanism, outside="other", **more)
    assert default_client(survey) == words
    path = tmp_path / "s.json"
    path.write_text(survey.to_json())
    assert words in run("survey", "check", path).stdout
    assert run_json("survey", "check", path)["default_client"] == words


def test_check_says_that_default_clients_refuse(tmp_path):
    path = tmp_path / "s.toml"
    run("survey", "new", path, "-e", 3, "--values", "a,other", "--outside", "other")
    shown = run("survey", "check", path).stdout
    assert "fine" not in shown
    assert "warning: clients with default limits refuse it: it asks for epsilon 3" in shown
    assert run_json("survey", "check", path)["windows_answered"] == 0
    run("survey", "new", path, "-e", 1, "--window", "day", "--cohorts", 1, "--force")
    assert "warning: clients with default limits answer 5" in run("survey", "check", path).stdout
    assert run_json("survey", "check", path)["windows_answered"] == 5
