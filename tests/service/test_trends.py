"""Trends over HTTP: the numbers of sv.trend on what is released, and clear refusals."""

from __future__ import annotations

import csv
import io

import pytest

import sottovoce as sv
from sottovoce.service.analysis import answering
from sottovoce.service.refusals import CODES
from support.trends import FEW, GAP, LAST, SHOWN, STRIKE, collected


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with collected(tmp_path_factory.mktemp("trends")) as found:
        yield found


def at(board, name, path="trend"):
    return f"/surveys/{board.surveys[name].fingerprint}/{path}"


def told(board, name, **query):
    answer = board.http.get(at(board, name), params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def code(board, name, path="trend", **query):
    answer = board.http.get(at(board, name, path), params=query)
    found = answer.json()["code"]
    assert answer.status_code == CODES[found].status
    return found, answer.json()["message"]


def released(board, name, windows=SHOWN):
    """What anybody may see, tallied by window."""
    found = board.running.store.released_tallies(board.surveys[name].fingerprint, windows)
    return list(found.values())


@pytest.mark.parametrize("name", ["travel", "kept"])
def test_numbers_are_those_of_the_library_on_what_is_released(board, name):
    document = told(board, name, share="bus", smooth="1")
    assert document["windows"] == SHOWN and document["left_out"] == [FEW]
    expected = sv.trend(released(board, name)).share("bus")
    (series,) = document["trends"]
    assert (series["question"], series["label"], series["about"]) == ("share", "bus", "population")
    assert series["why"] == expected.why
    changes = {one.label: one for one in expected.changes()}
    since = {one.label: one for one in expected.since_last_period()}
    rows = zip(series["windows"], expected.answers, expected.smoothed(), strict=True)
    for row, answer, smooth in rows:
        for part in ("value", "stderr", "low", "high"):
            assert row[part] == pytest.approx(getattr(answer, part))
            assert row["smoothed"][part] == pytest.approx(getattr(smooth, part))
        for kind, found in (("change", changes), ("since_last_period", since)):
            one = found.get(row["window"])
            assert (row[kind] is None) == (one is None)
            if one is not None:
                parts = ("value", "low", "high", "p_value", "adjusted")
                assert [row[kind][p] for p in parts] == pytest.approx(
                    [getattr(one, p) for p in parts]
                )
    average = expected.average()
    assert series["average"]["stderr"] == pytest.approx(average.stderr)
    shifts = expected.shifts()
    assert [(each["first"], each["last"]) for each in series["shifts"]] == [
        (shift.first, shift.last) for shift in shifts
    ]
    assert (STRIKE, STRIKE) in [(shift.first, shift.last) for shift in shifts]
    assert series["false_alarms"] == 0.05


def test_a_change_names_the_window_it_is_against(board):
    """After a gap, and after a day with too few reports, that is not the day before."""
    windows = {
        each["window"]: each for each in told(board, "travel", share="bus")["trends"][0]["windows"]
    }
    assert windows["2026-11-05"]["change"]["against"] == "2026-11-03"
    assert windows["2026-11-07"]["change"]["against"] == "2026-11-05"
    assert windows[SHOWN[0]]["change"] is None
    assert windows[STRIKE]["since_last_period"] is None  # the day a week before has too few
    assert windows["2026-11-12"]["since_last_period"]["against"] == "2026-11-05"
    assert windows[LAST]["reports"] == 1400  # still open: without its newest hundred


def test_ranges_by_name_and_by_day(board):
    few = told(board, "travel", share="bus", **{"from": "2026-11-08", "to": "2026-11-10"})
    assert few["windows"] == ["2026-11-08", "2026-11-09", "2026-11-10"] and few["left_out"] == []
    week = told(board, "travel", share="bus", **{"from": "2026-W46"})
    assert week["windows"] == [day for day in SHOWN if day >= "2026-11-09"]
    one = told(board, "travel", share="bus", **{"from": LAST})
    assert one["trends"][0]["shifts"] == [] and one["trends"][0]["windows"][0]["change"] is None
    assert code(board, "travel", share="bus", **{"from": "soon"})[1].startswith(
        "from of a request must be a day, week or month"
    )
    backwards = {"from": "2026-11-09", "to": "2026-11-08"}
    assert code(board, "travel", share="bus", **backwards)[0] == "invalid"
    for empty in (GAP, "2020-01-01"):
        nothing = code(board, "travel", share="bus", **{"from": empty, "to": empty})
        assert nothing[0] == "below-minimum-batch"
    assert (
        code(board, "travel", share="bus", **{"from": FEW, "to": FEW})[0] == "below-minimum-batch"
    )


def test_numbers_totals_and_several_questions(board):
    hours = told(board, "hours", mean="1", quantile="0.5", range="0:5")["trends"]
    assert [each["question"] for each in hours] == ["mean", "quantile", "range"] or {
        each["question"] for each in hours
    } == {"mean", "quantile", "range"}
    by_name = {each["question"]: each for each in hours}
    expected = sv.trend(released(board, "hours"))
    for name, series in (("mean", expected.mean()), ("quantile", expected.quantile(0.5))):
        found = [each["value"] for each in by_name[name]["windows"]]
        assert found == pytest.approx([one.value for one in series.answers])
    total = told(board, "travel", total="bus,car")["trends"][0]
    assert total["windows"][0]["value"] > 0.6


def test_whom_it_is_about_and_who_answered_twice(board):
    def errors(**query):
        (series,) = told(board, "kept", share="bus", **query)["trends"]
        assert series["about"] == ("respondents" if "same_people" in query else "population")
        return series["average"]["stderr"], series["windows"][-1]["change"]["stderr"], series["why"]

    safe, others, same = errors(), errors(overlap="0"), errors(overlap="1", same_people="1")
    assert safe[0] > others[0] and safe[1] == pytest.approx(others[1])
    assert same[1] < others[1]
    assert "not known" in safe[2] and "was given" in others[2]
    assert code(board, "kept", share="bus", overlap="2")[1].startswith("overlap of a request")
    assert code(board, "kept", share="bus", overlap="estimate")[0] == "unfit"
    assert code(board, "kept", share="bus", about="people")[0] == "invalid"
    assert code(board, "kept", share="bus", smooth="yes")[0] == "invalid"
    wide = told(board, "travel", share="bus", confidence="0.99")["trends"][0]["windows"][0]
    usual = told(board, "travel", share="bus")["trends"][0]["windows"][0]
    assert wide["high"] - wide["low"] > usual["high"] - usual["low"]


def test_the_table_has_a_row_for_every_window(board):
    answer = board.http.get(
        at(board, "travel", "trend.csv"), params={"share": "bus", "smooth": "1"}
    )
    assert answer.headers["content-type"].startswith("text/csv")
    assert "trend-" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["window"] for row in rows] == SHOWN
    assert [row["window"] for row in rows if row["shift"] == "fall"] == [STRIKE]
    document = told(board, "travel", share="bus", smooth="1")["trends"][0]["windows"]
    for row, each in zip(rows, document, strict=True):
        assert float(row["value"]) == pytest.approx(each["value"])
        assert float(row["smoothed"]) == pytest.approx(each["smoothed"]["value"])
    assert rows[0]["change"] == "" and rows[0]["about"] == "population"


def test_what_has_no_trend_is_refused(board):
    assert code(board, "travel")[1].startswith(
        "question of a request for a trend must be one of share"
    )
    assert code(board, "travel", top="2")[0] == "invalid"  # not a parameter of this route
    assert code(board, "travel", mean="1")[0] == "unfit"
    assert code(board, "travel", share="boat")[0] == "invalid"
    assert code(board, "pairs", mean="1")[1].startswith("a trend needs one value or number")
    assert code(board, "once", share="bus")[1].startswith("survey 'once' has no windows")
    unknown = board.http.get("/surveys/" + "0" * 32 + "/trend", params={"share": "bus"})
    assert unknown.json()["code"] == "unknown-survey"


def test_memoized_windows_are_never_pooled(board):
    """One window by itself is answered; several are refused, with the way to their trend."""
    for path in ("estimate", "answers", "estimate.csv", "reports.csv"):
        asked = {"share": "bus"} if path == "answers" else {}
        found, message = code(board, "kept", path, **asked)
        assert found == "mismatch"
        assert "share noise and cannot be pooled" in message and "/trend" in message
    one = board.http.get(at(board, "kept", "estimate"), params={"window": STRIKE})
    assert one.status_code == 200 and one.json()["reports"] == 1500
    assert (
        board.http.get(at(board, "kept", "reports.csv"), params={"window": STRIKE}).status_code
        == 200
    )
    f = board.surveys["kept"].fingerprint
    sides = {"first": f, "second": f, "first_window": SHOWN[0], "second_window": STRIKE}
    assert board.http.get("/differences", params=sides).status_code == 200
    sides["first_window"] = SHOWN[:2]
    assert board.http.get("/differences", params=sides).json()["code"] == "mismatch"


def test_a_trend_is_remembered_until_a_release_moves_on(board, monkeypatch):
    runs = []
    original = answering.trend
    monkeypatch.setattr(answering, "trend", lambda *a, **k: runs.append(1) or original(*a, **k))
    for _ in range(2):
        told(board, "travel", share="bus", **{"from": "2026-11-12"})
    told(board, "travel", share="car", **{"from": "2026-11-12"})
    assert len(runs) == 1


def test_a_long_range_is_refused(board, monkeypatch):
    from sottovoce.service.analysis import trends

    monkeypatch.setattr(trends, "MOST_WINDOWS", 5)
    found, message = code(board, "travel", share="bus")
    assert found == "invalid" and "a range of at most 5 windows" in message
