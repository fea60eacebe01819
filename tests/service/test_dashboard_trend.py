"""The page of a repeated survey opens with its trend: the numbers of sv.trend, ranges, and what has none."""

from __future__ import annotations

import re

import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages import trend_boards
from sottovoce.service.pages.charts import Point, Trail, trails
from sottovoce.service.pages.words import share_row
from sottovoce.surveys.survey import Survey
from support.dashboards import Board, figure, fill, rows
from support.loading import running
from support.trends import DAYS, FEW, GAP, LAST, SHOWN, STRIKE, TRAVEL, collected, noon, travel


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with collected(tmp_path_factory.mktemp("trends")) as found:
        yield found


def released(board, name, windows=SHOWN):
    found = board.running.store.released_tallies(board.surveys[name].fingerprint, windows)
    return list(found.values())


@pytest.mark.parametrize("name", ["travel", "kept"])
def test_the_numbers_are_those_of_the_library_on_what_is_released(board, name):
    page = board.page(name)
    table = rows(page, "day")
    series = sv.trend(released(board, name)).share("bus")
    assert list(table) == list(series.windows)[::-1]
    changes = {one.label: one for one in series.changes()}
    for window, answer in zip(series.windows, series.answers, strict=True):
        row = table[window]
        assert tuple(row[:3]) == share_row(answer)
        if window in changes:
            assert figure(row[3]) == pytest.approx(100 * changes[window].value, abs=0.6)
        else:
            assert row[3] == "—"
        assert row[-1] == ("lower" if window == STRIKE else "—")
    assert table["2026-11-12"][6] == table["2026-11-05"][0]  # a week before


@pytest.mark.parametrize("name", ["travel", "kept", "hours"])
def test_a_strike_stands_out_at_first_sight(board, name):
    text = board.get(name).text
    page = board.page(name)
    what = "mean" if name == "hours" else "bus"
    assert f"{what} was lower on {STRIKE}:" in page.words
    assert page.words.index("over time") < page.words.index("About the respondents")
    assert ">lower</text>" in text and text.count('class="shifted"') == 2  # and in the legend
    assert "Left out of the trend, with too few reports: 2026-11-04." in page.words
    assert "A day that has ended does not change any more" in page.words
    assert "at most 5% of surveys" in page.words


def test_windows_of_memos_are_not_pooled_on_any_page(board):
    page = board.page("kept")
    assert "From here on: 2026-11-13. Devices of this survey keep memos" in page.words
    tally = released(board, "kept", ["2026-11-13"])[0]
    shown = rows(page, "value")
    assert tuple(shown["bus"]) == share_row(sv.estimate(tally).share("bus"))
    assert "windows are combined" not in page.words
    links = [link for link in page.links if "reports.csv" in link or "estimate.csv" in link]
    assert links
    for link in {*links, *(each for each in page.links if "trend.csv" in each)}:
        assert board.http.get(f"/dashboard/{link}").status_code == 200, link
    differences = board.page("kept", "/differences")
    assert "Second minus first" in differences.words
    several = board.page("kept", "/differences", first_window=SHOWN[:2], second_window=LAST)
    assert "share noise and cannot be pooled" in several.words


def test_a_range_bounds_everything_but_the_week_before(board):
    page = board.page("travel", **{"from": "2026-11-09", "to": "2026-11-13"})
    table = rows(page, "day")
    assert list(table) == ["2026-11-13", "2026-11-12", "2026-11-11", "2026-11-10", "2026-11-09"]
    before = sv.trend(released(board, "travel", ["2026-11-02", "2026-11-03"])).share("bus").answers
    assert table["2026-11-09"][6] == share_row(before[0])[0]
    assert table["2026-11-11"][6] == "—"  # too few a week before
    assert "7,500 reports in the windows chosen" in page.words
    assert "5 windows are combined" in page.words
    seven = board.page("travel")
    link = next(link for link in seven.links if link.endswith("?from=2026-11-10"))
    assert list(rows(board.page("travel", **{"from": "2026-11-10"}), "day"))[-1] == "2026-11-10"
    assert board.http.get(f"/dashboard/{link}").status_code == 200


def test_lines_can_be_chosen(board):
    car = TRAVEL.index("car")
    page = board.page("travel", line=str(car))
    assert "car over time" in page.words
    assert rows(page, "day")[STRIKE][-1] == "higher"
    rare = board.page("travel", line=str(TRAVEL.index("tram")))
    assert "tram over time" in rare.words
    median = board.page("hours", line="median")
    assert "median over time" in median.words
    assert figure(rows(median, "day")[LAST][0]) > 8
    for name, wrong in (("travel", "6"), ("travel", "bus"), ("hours", "mode")):
        assert "Line of a survey page must be" in board.page(name, status=400, line=wrong).words


@pytest.mark.parametrize("name", ["young", "pairs", "once"])
def test_what_has_no_trend_has_a_page_without(board, name):
    page = board.page(name)
    assert "differs from all others" not in page.words and "trend.csv" not in str(page.links)
    one = board.page("travel", **{"from": STRIKE, "to": STRIKE})
    assert "differs from all others" not in one.words


def test_a_closed_survey_has_no_open_window(tmp_path):
    told = Survey("ended", "How?", sv.mechanism("grr", sv.Categories(TRAVEL), 3.0), "day")
    with running(tmp_path, told, open_reading=True, clock=noon) as collector:
        for seed, day in enumerate(DAYS[-3:]):
            fill(collector.store, told, day, travel(300, 600), seed)
        pages = Board(collector, {"ended": told})
        assert "From 2026-11-14 on, days are still open" in pages.page("ended").words
        collector.store.close_survey(told.fingerprint)
    with running(tmp_path, open_reading=True, clock=noon) as collector:
        words = Board(collector, {"ended": told}).page("ended").words
    assert "still open" not in words and "the survey is closed" in words


def test_long_ranges_show_their_latest_windows(board, monkeypatch):
    monkeypatch.setattr(trend_boards, "MOST_ON_PAGE", 5)
    page = board.page("travel", **{"from": "2026-11-03"})
    assert len(rows(page, "day")) == 5
    assert "The latest 5 of 13 windows are drawn." in page.words


# -- the chart ----------------------------------------------------------------------------------


def drawn(**more):
    points = tuple(None if day == GAP else Point(0.5, 0.4, 0.6) for day in DAYS)
    return trails(
        DAYS, Trail("bus", points), name="t", title="T", description="D", down_is="share", **more
    )


def test_a_gap_breaks_the_line_and_no_label_is_lost():
    svg = drawn()
    line = re.search(r'<path d="([^"]*)" class="line"', svg)[1]
    assert line.count("M") == 2 and line.count("L") == len(DAYS) - 3
    assert svg.count("<circle") == len(DAYS) - 1
    marked = drawn(marked={9: "lower", 10: "lower", 12: "higher"})
    assert marked.count('class="shifted"') == 3 and ">higher</text>" in marked
    assert FEW in DAYS and "a week before" in drawn(before=[0.5] * 15, before_is="a week before")


@pytest.mark.parametrize(
    ("windows", "points"),
    [(DAYS, (Point(0.5, 0.4, 0.6),)), (DAYS, (None,) * 15), ([], ()), (["a"], (Point(1, float("nan"), 2),))],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(windows, points):
    with pytest.raises(InvalidInput, match="chart trails"):
        trails(windows, Trail("x", points), name="t", title="T", description="D", down_is="")
