"""Cohorts and memory in surveys: their documents, their rules, their words, and what is said of clients."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, OverBudget, SottovoceError
from sottovoce.base.exact import log_above
from sottovoce.device.ledger import Ledger
from sottovoce.surveys import charges
from sottovoce.surveys.all_reports import cost_in_words
from sottovoce.surveys.default_limits import (
    client_doubt,
    default_client,
    mechanism_for_clients,
    windows_answered,
)
from sottovoce.surveys.repeating import (
    asked_windows,
    memory_key,
    period_number,
    report_cost,
    windows_open,
)
from sottovoce.surveys.toml import read_survey, survey_from_toml, survey_to_toml
from sottovoce.surveys.windows import first_day, window_index
from sottovoce.surveys.wording import beliefs, doubts, survey_in_words
from support.commands import refusal, run, run_json

YES_NO = sv.Categories(["yes", "no"])
GRR = sv.mechanism("grr", YES_NO, 1.0)
KEPT = sv.mechanism("memoized", YES_NO, 1.0, lifetime=2.0)
DATES = {"opens": "2026-11-16", "closes": "2026-12-15"}


def survey(mechanism=GRR, window="day", **more):
    return sv.Survey("s", "?", mechanism, window, **more)


# -- documents ------------------------------------------------------------------------------


def test_what_asks_everybody_is_still_version_2():
    plain = survey()
    assert plain.document()["survey"] == 2
    assert not {"ask", "changes", "period"} & set(plain.document())
    assert survey(KEPT).document()["survey"] == 2


@pytest.mark.parametrize(
    "made",
    [survey(ask="1/30"), survey(KEPT, period=30), survey(KEPT, changes=2, **DATES)],
    ids=["cohorts", "period", "changes"],
)
def test_version_3_reads_back(made):
    document = json.loads(made.to_json())
    assert document["survey"] == 3
    assert {"ask", "changes", "period"} <= set(document)
    assert sv.Survey.from_json(made.to_json()) == made
    assert survey_from_toml(survey_to_toml(made)) == made
    for changed in ({"survey": 2}, {"survey": 4}, {"survey": True}):
        with pytest.raises(SottovoceError):
            sv.Survey.from_document({**made.document(), **changed})
    for key in ("ask", "changes", "period"):
        rest = {name: value for name, value in made.document().items() if name != key}
        with pytest.raises(CorruptBytes):
            sv.Survey.from_document(rest)


def test_version_3_of_what_is_version_2_is_refused():
    document = {**survey().document(), "survey": 3, "ask": "1", "changes": 0, "period": 0}
    with pytest.raises(CorruptBytes):
        sv.Survey.from_document(document)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ask": "1/1"}, 'ask of Survey must be "1" (everybody), or "1/W"'),
        ({"ask": "1/1001"}, "ask of Survey"), ({"ask": 0.5}, "ask of Survey"), ({"ask": "1/02"}, "ask of Survey"),
        ({"ask": "1/7", "window": "once"}, 'ask of Survey must be "1" where window is "once"'),
        ({"changes": 1}, "changes of Survey must be 0 unless the mechanism is memoized"),
        ({"period": 7}, "period of Survey must be 0 unless the mechanism is memoized"),
        ({"mechanism": KEPT, "window": "once"}, "window of Survey must be day, week or month with memoized"),
        ({"mechanism": KEPT, "ask": "1/7"}, 'ask of Survey must be "1" with memoized; got .* Cohorts need no memory'),
        ({"mechanism": KEPT, "period": 1}, "period of Survey must be 0 .never. or at least 2"),
        ({"mechanism": KEPT, "period": -1}, "period of Survey must be a whole number from 0 to 10000"),
        ({"mechanism": KEPT, "changes": True}, "changes of Survey must be a whole number from 0 to 1000"),
        ({"mechanism": KEPT, "changes": 1}, "changes of Survey must be 0 unless opens and closes are given, or a period"),
        ({"mechanism": KEPT, "changes": 1, "opens": "2026-11-16"}, "changes of Survey must be 0 unless"),
        ({"mechanism": KEPT, "changes": 30, **DATES}, "changes of Survey must be below the number of windows .*, 30; got 30"),
        ({"mechanism": KEPT, "changes": 5, "period": 5}, "changes of Survey must be below .*, 5; got 5"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(InvalidInput, match=message.replace("(everybody)", "[(]everybody[)]")):
        survey(**given)


def test_memory_keys_tell_apart_what_costs_otherwise():
    assert memory_key(survey(KEPT)) == memory_key(survey(KEPT, **DATES, minimum_batch=7))
    different = [
        survey(KEPT), survey(KEPT, changes=1, **DATES), survey(KEPT, changes=2, **DATES),
        survey(KEPT, changes=1, opens="2026-11-16", closes="2026-12-16"), survey(KEPT, period=30),
        survey(KEPT, period=31), survey(KEPT, changes=1, period=30), survey(KEPT, "week", period=30),
        survey(sv.mechanism("memoized", YES_NO, 1.0, lifetime=2.5)),
    ]  # fmt: skip
    assert len({memory_key(each) for each in different}) == len(different)


# -- windows and costs ----------------------------------------------------------------------


def test_windows_are_numbered_without_gaps():
    day = date(1960, 1, 1)
    numbers = {window: window_index(window, day) for window in ("day", "week", "month")}
    for _ in range(9000):
        following = day + timedelta(1)
        for window, number in numbers.items():
            new = window_index(window, following)
            assert new in (number, number + 1)
            if new > number:
                assert first_day(window, new) == following
            numbers[window] = new
        day = following
    assert [window_index(window, date(1970, 1, 1)) for window in numbers] == [0, 0, 0]
    assert window_index("once", day) == 0


def test_windows_of_a_survey():
    assert windows_open(survey(**DATES)) == 30
    assert asked_windows(survey(ask="1/7", **DATES)) == 5
    assert asked_windows(survey(ask="1/30", **DATES)) == 1
    assert asked_windows(survey(ask="1/7")) is None
    monthly = survey(window="month", opens="2026-11-30", closes="2027-01-01")
    assert windows_open(monthly) == 3
    assert period_number(survey(KEPT), date(2026, 11, 16)) == 0
    assert period_number(survey(KEPT, period=30), date(2026, 11, 16)) == 20773 // 30


def test_costs_are_those_of_the_composition():
    """``min(k L + (T - ceil(T/k)) e, T e)``, e the worst of one fresh round: by hand."""
    assert report_cost(survey()) == 1.0
    assert report_cost(survey(ask="1/30")) == 1.0
    assert report_cost(survey(KEPT)) == 2.0
    assert report_cost(survey(KEPT, period=30)) == 2.0
    fresh = log_above(KEPT.rounds.from_memo(KEPT.weights[1]))
    for k, windows in ((2, 30), (3, 30), (2, 7), (7, 30)):
        moved = windows - -(-windows // k)
        wanted = min(2 * k + moved * fresh, windows * fresh)
        closes = (date(2026, 11, 16) + timedelta(windows - 1)).isoformat()
        made = survey(KEPT, changes=k - 1, opens="2026-11-16", closes=closes)
        assert report_cost(made) == pytest.approx(wanted, rel=1e-12)
        assert report_cost(made) >= wanted
        assert report_cost(survey(KEPT, changes=k - 1, period=windows)) == report_cost(made)


def test_the_cost_of_many_bits_is_found_at_once():
    """The ratio of 262,144 bits has millions of digits; its logarithm is that of one bit, so many times."""
    inner = {"mechanism": "unary-encoding", "options": {"variant": "optimized"}}
    few, many = (
        sv.mechanism("memoized", sv.Categories(d), 1.0, lifetime=2.0, inner=inner, linkable=True)
        for d in (16, 262_144)
    )
    assert log_above(few.rounds.from_memo(few.weights[1])) == pytest.approx(
        few.rounds.epsilon_from_memo(few.weights[1]), rel=1e-15
    )
    assert many.cost(2, 9) == pytest.approx(
        4 + 4 * 16_384 * few.rounds.epsilon_from_memo(few.weights[1])
    )


def test_answers_that_say_nothing_cost_nothing():
    """With one value every report is the same, however often the answer changes."""
    only = sv.mechanism("memoized", sv.Categories(1), 1.0, lifetime=2.0, inner="grr")
    made = survey(only, changes=1, **DATES)
    assert report_cost(made) == 0
    assert "at most e^0 times as likely" in made.privacy()


# -- words ----------------------------------------------------------------------------------


def test_the_lifetime_comes_first():
    lines = survey(KEPT).privacy().splitlines()
    assert lines[0].startswith("All your reports together are at most 7.39 times as likely")
    assert lines[0].endswith("however many windows you answer; one report at most 2.72 times.")
    assert "at most 88.1% sure" in lines[1]
    assert lines[2].startswith("Your first answer counts in every window. A later change is not")
    changed = survey(KEPT, changes=1, **DATES).privacy()
    assert "while your answer stays the same; one report" in changed
    assert (
        "Each further answer counts again. That your answer changed, and when, is not hidden."
        in changed
    )
    assert re.search(r"At most 1 change is reported: .* at most e\^[0-9.]+ times", changed)
    assert (
        "After every 30 windows (day) your device begins anew" in survey(KEPT, period=30).privacy()
    )
    assert beliefs(survey(KEPT))[2] == (50.0, 88.1)


def test_cohorts_tell_of_the_whole_series():
    made = survey(ask="1/30")
    assert made.privacy().splitlines()[-1] == (
        "Your device draws which one of 30 windows (day) asks you: in any 30 in a row you send at most one report."
    )
    words = survey_in_words(made)
    assert "How often: At most one report in 30 days; each device draws in which." in words
    assert "after 2 reports and more than a million after 13 reports" not in words
    assert "after 2 reports and" in words
    assert "after 13 reports" in words
    assert "Every report reveals" not in survey_in_words(survey(KEPT))
    yearly = survey_in_words(survey(ask="1/1000"))
    assert yearly.endswith("by a factor of up to 7.39 after 2 reports.")


def test_costs_in_words():
    assert cost_in_words(survey()) == "epsilon 1 per report"
    assert cost_in_words(survey(ask="1/7")) == "epsilon 1 in any 7 windows (day) in a row"
    assert cost_in_words(survey(KEPT)) == "epsilon 2 for all reports, 1 for one"
    assert cost_in_words(survey(KEPT, period=7)) == (
        "epsilon 2 for all reports in 7 windows (day), 1 for one"
    )


def test_doubts_of_cohorts_and_memory():
    few = doubts(survey(ask="1/30"), 8999)
    assert any(
        "about 300 of 8,999 people are asked in a window: below three" in each for each in few
    )
    assert not any("three minimum batches" in each for each in doubts(survey(ask="1/30"), 9000))
    assert not any("three minimum batches" in each for each in doubts(survey(ask="1/30")))
    short = doubts(survey(ask="1/30", opens="2026-11-16", closes="2099-11-22"))
    assert not any("never asked" in each for each in short)
    short = doubts(survey(ask="1/30", opens="2026-11-16", closes="2026-11-22"))
    assert "it has 7 windows: 23 of 30 people are never asked" in short
    many = survey(sv.mechanism("memoized", sv.Categories(1024), 1.0, lifetime=2.0))
    told = doubts(many, 109_299)
    assert any("one of 1,093 hashes, each shared by about 100 of 109,299" in each for each in told)
    assert not any("hashes" in each for each in doubts(many, 109_300))
    assert not any("hashes" in each for each in doubts(survey(KEPT), 10_000))
    assert any(
        "is charged for all reports together" in each
        for each in doubts(survey(KEPT, changes=1, **DATES))
    )


# -- what default clients do ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "answered", "words"),
    [
        (survey(ask="1/7"), 5, "answer 5 windows (day) that ask them, 1 of 7, then stop: epsilon 5 is spent (name_epsilon 5)"),
        (survey(ask="1/7", **DATES), 5, "answer every window (day) that asks them, 1 of 7: at most 5"),
        (survey(KEPT), None, "answer all of its windows (day): the first report is charged epsilon 2, which pays for all of them"),
        (survey(KEPT, **DATES), 30, "answer all of its windows (day): 30; the first report is charged epsilon 2, which pays for all of them"),
        (survey(KEPT, period=10), 20, "answer 2 periods of 10 windows (day), then stop: epsilon 4 is spent (name_epsilon 5)"),
        (survey(KEPT, period=20, **DATES), 30, "answer all of its windows (day): 30; the first report is charged epsilon 2, which pays for all of them"),
        (survey(KEPT, changes=1, period=4), 0, "refuse it: it asks for epsilon"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_said_of_default_clients(made, answered, words):
    assert default_client(made).startswith(f"clients with default limits {words}")
    assert windows_answered(made) == answered
    assert bool(client_doubt(made)) == ("then stop" in words or "refuse" in words)


@pytest.mark.parametrize("made", [survey(ask="1/3", **DATES), survey(KEPT, period=5), survey(KEPT, **DATES)], ids=["cohorts", "period", "memory"])  # fmt: skip
def test_default_clients_do_what_is_said(tmp_path, made):
    """Day after day, each at another start of the machine."""
    start = next(step for step in range(5) if window_index("day", date(2026, 11, 16) + timedelta(step)) % 5 == 0)  # fmt: skip
    for step in range(30):
        day = date(2026, 11, 16) + timedelta(step + (start if made.period else 0))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(charges, "uptime", lambda step=step: (f"start {step}", 0.0))
            try:
                sv.Client(made, folder=tmp_path, clock=lambda day=day: day).report("yes")
            except OverBudget:
                break
    count = len(Ledger(tmp_path).receipts())
    assert count == windows_answered(made) or (made.ask != "1" and count == 5)


def test_a_mechanism_that_remembers_for_default_clients():
    assert mechanism_for_clients(KEPT) == (
        "clients with default limits answer all windows: the first report is charged epsilon 2, which pays for all "
        "of them"
    )
    dear = sv.mechanism("memoized", YES_NO, 1.0, lifetime=3.0)
    assert "it asks for epsilon 3 for all its reports" in mechanism_for_clients(dear)


# -- the command line -----------------------------------------------------------------------


def test_survey_new_writes_cohorts_and_memory(tmp_path):
    path = tmp_path / "s.toml"
    run("survey", "new", path, "--cohorts", 30)
    told = run_json("survey", "check", path, "--people", 1000)
    assert (told["ask"], told["window"], told["cost"]) == ("1/30", "day", "epsilon 1 in any 30 windows (day) in a row")  # fmt: skip
    assert any("below three minimum batches" in each for each in told["doubts"])
    run("survey", "new", path, "--force", "--memory", "--size", 1024, "--lifetime", 1.5, "--period", 30, "--window", "week")  # fmt: skip
    told = run_json("survey", "check", path, "--people", 50_000)
    assert told["mechanism"]["name"] == "memoized"
    assert told["lifetime_certificate"].endswith("e^1.5")
    assert told["cost"] == "epsilon 1.5 for all reports in 30 windows (week), 1 for one"
    assert any("hashes" in each for each in told["doubts"])
    said = run("survey", "check", path).stdout
    assert "all reports of one answer: worst ratio 4.4816" in said
    assert "cost: epsilon 1.5 for all reports" in said
    assert "All your reports together" in run("survey", "show", path).stdout
    run("survey", "new", path, "--force", "--memory", "-e", 0.5, "--inner", "randomized-response")
    assert run_json("survey", "check", path)["cost"] == "epsilon 1 for all reports, 0.5 for one"


@pytest.mark.parametrize(
    ("options", "ask"),
    [
        (["--window", "day"], "1/30"),
        (["--window", "week"], "1/12"),
        (["--window", "month"], "1/12"),
        (["--window", "once"], "1"),
        ([], "1"),
        (["--window", "day", "--cohorts", 1], "1"),
        (["--cohorts", 1], "1"),
        (["--window", "day", "--cohorts", 7], "1/7"),
        (["--window", "day", "--memory"], "1"),
        (["--window", "day", "-m", "memoized", "--option", "lifetime=2"], "1"),
        (["--window", "day", "--opens", "2026-01-01", "--closes", "2026-01-07"], "1/7"),
        (["--window", "month", "--opens", "2026-01-01", "--closes", "2026-01-07"], "1"),
    ],
)
def test_survey_new_asks_in_cohorts_unless_told_otherwise(tmp_path, options, ask):
    path = tmp_path / "s.toml"
    said = run("survey", "new", path, *options).stderr
    assert read_survey(path).ask == ask
    assert ("each person is asked in one" in said) == (ask != "1" and "--cohorts" not in options)
    if ask == "1/30":
        assert "any 30 in a row cost them epsilon 1." in said
        assert (
            "(--cohorts 1), they would pay 30, and a device with default limits stops at 5" in said
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--memory", "--cohorts", 3], "--cohorts of survey new must be left out with --memory"),
        (["--memory", "-m", "grr"], "--mechanism of survey new must be left out with --memory"),
        (["--lifetime", 2], "--lifetime, --inner of survey new must be left out without --memory"),
        (["--cohorts", 0], "ask of Survey must be"),
        (["--cohorts", 7, "--window", "once"], "ask of Survey must be"),
        (["--changes", 1], "changes of Survey must be 0 unless"),
        (["--memory", "--lifetime", 1], "lifetime of memoized must be a number above epsilon"),
    ],
)  # fmt: skip
def test_survey_new_refuses(tmp_path, given, message):
    assert message in refusal("survey", "new", tmp_path / "s.toml", *given)
    assert not (tmp_path / "s.toml").exists()


def test_survey_check_refuses_no_people(tmp_path):
    run("survey", "new", tmp_path / "s.toml")
    assert "--people of survey check" in refusal(
        "survey", "check", tmp_path / "s.toml", "--people", 0
    )
