"""The dashboard: a page in order for every kind of survey, hostile names, and honest numbers."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace

import httpx
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.service.analysis import answering
from sottovoce.service.pages import boards, numbers_panels
from sottovoce.service.pages import surveys as pages
from sottovoce.service.pages.words import number_row, share_row
from sottovoce.surveys.survey import Survey
from support.dashboards import HOSTILE, Board, check, figure, fill, filled, rows, surveys
from support.loading import running


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("board")) as found:
        yield found


def week(first, last=None):
    """The address of a range of weeks."""
    return {"from": f"2026-W{first}", "to": f"2026-W{last or first}"}


@pytest.mark.parametrize("name", list(surveys()))
def test_every_survey_has_a_page_in_order(board, name):
    page = board.page(name)
    assert "What the privacy means" in page.words
    assert board.surveys[name].fingerprint in page.words
    if name != "habits":
        assert "What fake senders could do" in page.words


@pytest.mark.parametrize("name", list(surveys()))
def test_all_links_of_a_page_lead_somewhere(board, name):
    page = board.page(name)
    links = {given["href"] for tag, given in page.tags if tag in ("a", "link")}
    links = {link for link in links if not link.startswith("#")}
    assert len(links) >= 6
    for link in links:
        answer = board.http.get(f"/dashboard/{link}", follow_redirects=True)
        assert answer.status_code == 200, (link, answer.text[:300])


def test_the_list_shows_all_surveys_escaped(board):
    page = check(board.http.get("/"))
    cards = [
        given["href"] for tag, given in page.tags if tag == "a" and "dashboard/" in given["href"]
    ]
    assert len(cards) == len(board.surveys)
    assert HOSTILE in page.words
    assert "<script" not in board.http.get("/").text


def test_shares_are_those_of_the_answers(board):
    told = board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/estimate").json()
    shown = rows(board.page("drinks"), "value")
    assert set(shown) == {"tea", "coffee", "water"}
    for row in told["answers"]:
        assert figure(shown[row["label"]][0]) == pytest.approx(100 * row["value"], abs=0.051)  # fmt: skip
    words = board.page("drinks").words
    assert told["method"] in words and told["why"] in words
    assert "Left out, with too few reports: 2026-W44. A window that has ended needs 100" in words


def test_windows_can_be_chosen(board):
    first = rows(board.page("drinks", **week(45)), "value")
    last = rows(board.page("drinks", **week(47)), "value")
    assert figure(first["tea"][0]) < 40 < figure(last["tea"][0])
    wrong = {"from": "soon"}
    assert "must be a day, week or month" in board.page("drinks", status=400, **wrong).words
    early = {"to": "2020-W01"}
    assert "a range that reports have come for" in board.page("drinks", status=400, **early).words
    assert "The windows chosen have fewer" in board.page("drinks", **week(44)).words
    by_day = {"from": "2026-11-09", "to": "2026-11-15"}
    assert rows(board.page("drinks", **by_day), "value") == rows(
        board.page("drinks", **week(46)), "value"
    )


def test_one_window_is_counted_by_itself(board):
    """The head once counted the reports of all windows, whatever was chosen."""
    lead = board.page("drinks", **week(45)).words
    assert "4,000 reports in the window chosen. Each is" in lead
    assert "Results cover" not in lead  # the week has ended: all are in
    both = board.page("drinks", **week(44, 45)).words
    assert "4,050 reports in the windows chosen. Each is" in both
    assert "12,050 reports. Each is" in board.page("drinks").words


def test_an_open_window_says_what_waits(board):
    words = board.page("drinks", **week(47)).words
    assert "4,000 reports in the window chosen. Each is" in words
    assert (
        "Results cover 3,900 reports. The newest 100 are added later: results are updated by"
        in words
    )
    assert "3,900 reports, by the method" in words
    assert "Randomized reports, CSV" not in words
    assert "can be downloaded for windows that have ended" in words


def test_people_are_counted_in_one_window_and_reports_in_several(board):
    """Whoever reports every week is in the sum of all weeks once for each."""
    one, several = board.page("drinks", **week(45)).words, board.page("drinks").words
    assert "The share of respondents with each value" in one
    assert "The share of reports with each value" in several
    assert "share of respondents" not in several
    assert "3 windows are combined: people who reported in several" in several
    assert "taken together" not in one
    assert "The share of respondents in each" in board.page("ages").words


def test_pages_say_whom_they_are_about(board):
    """By default the respondents; about the population intervals are wider, and so are downloads."""
    usual, wide = board.page("drinks"), board.page("drinks", about="population")
    heads = [page.tables[1][0][1] for page in (usual, wide)]  # the first is of the trend
    assert heads == ["share of reports", "share of the population"]
    assert board.page("drinks", **week(46)).tables[0][0][1] == "share of respondents"

    def width(page, column):
        low, high = (figure(end) for end in rows(page, "value")["tea"][column].split(" to "))
        return high - low

    assert width(wide, 1) > width(usual, 1)
    assert "They are about the respondents" in usual.words
    assert "They are about the population" in wide.words
    downloads = [link for link in wide.links if "estimate.csv" in link]
    assert all("about=population" in link for link in downloads) and downloads
    assert not any("about=" in link for link in wide.links if "reports.csv" in link)
    assert check(board.get("drinks", about="people"), 400)


def test_reports_that_accumulate_have_intervals_for_every_look(board):
    """In one window, which was chosen, the intervals are for one look."""
    page, one = board.page("drinks"), board.page("drinks", **week(46))
    assert page.tables[1][0][2:] == ["95%, one look", "95%, every look"]
    assert one.tables[0][0][2:] == ["give or take", "95% interval"]
    survey = board.surveys["drinks"]
    windows = ["2026-W45", "2026-W46", "2026-W47"]
    tally = board.running.store.released_tally(survey.fingerprint, windows)
    view = sv.estimate(tally).anytime(minimum_batch=survey.minimum_batch)
    for label, cells in rows(page, "value").items():
        ends = [figure(end) for end in cells[2].split(" to ")]
        expected = view.share(label)
        assert ends == pytest.approx([100 * expected.low, 100 * expected.high], abs=0.06)
    assert "in 95 of 100 surveys the truth is inside at every look" in page.words
    assert "right for one look, planned in advance" in page.words
    assert "every look" not in one.words
    mean = rows(board.page("ages"), "answer")
    assert " to " in mean["mean"][2] and mean["variance"][2] == "—"


def test_a_vector_below_its_batch_in_every_coordinate_has_a_page(tmp_path):
    """It was a failure of the collector's: 200 reports, of which no coordinate has 100."""
    mechanism = sv.mechanism("sampled-coordinate", sv.Vector(sv.Interval(0, 24, 12), 4), 2.0)
    survey = Survey("habits", "Sleep and screens?", mechanism)
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", np.tile([7.0, 3.0, 1.0, 2.0], (220, 1)))
        words = Board(collector, {"habits": survey}).page("habits").words
    assert "220 reports" in words
    assert "reports of a coordinate, and none of its 4 coordinates has that many." in words


def test_numbers_have_a_distribution_quantiles_and_a_mean(board):
    page = board.page("ages")
    median = rows(page, "share of respondents below")["50%"]
    assert 35 < float(median[0]) < 45
    assert 35 < float(rows(page, "answer")["mean"][0]) < 45
    charts = [given for tag, given in page.tags if tag == "svg" and given.get("role") == "img"]
    assert len(charts) == 2
    shares = [figure(row[0]) for row in rows(page, "from to").values()]
    assert sum(shares) == pytest.approx(100, abs=1)


def test_whole_numbers_are_named_as_such(board):
    shown = rows(board.page("friends"), "number")
    assert list(shown) == [str(number) for number in range(21)]
    assert figure(shown["5"][0]) > 80
    joined = sv.mechanism("degree-noise", sv.Counts(239), 4.0)
    told = sv.estimate(joined.tally(joined.randomize(np.full(500, 7), source=sv.Seeded(1))))
    panel = boards.board_of(answering.SurveyEstimate(None, (), (), told)).panels[0]
    assert [row[0] for row in panel.rows[:2]] == ["0 to 4", "5 to 9"]
    assert len(panel.rows) == 48 and panel.rows[-1][0] == "235 to 239"


@pytest.mark.parametrize(
    "domain", [sv.Counts(20), sv.Counts(1500), sv.Ratings(-7, 13), sv.Ratings(1900, 2100)], ids=str
)
def test_quantiles_of_whole_numbers_lie_on_their_curve(monkeypatch, domain):
    drawn = {}
    original = numbers_panels.curve

    def curve(points, values, low, high, *, quantiles, **more):
        drawn.update(points=np.array(points), values=np.array(values), quantiles=quantiles)
        drawn.update(reach=np.array(high) - np.array(values))
        return original(points, values, low, high, quantiles=quantiles, **more)

    monkeypatch.setattr(numbers_panels, "curve", curve)
    first, most = domain.first, domain.size - 1
    shares = np.zeros(most + 1)
    shares[[1, most // 3, most - 2]] = 0.3, 0.4, 0.3
    told = sv.estimate(
        sv.mechanism("grr", domain, 12.0).simulate(
            (1_000_000 * shares).astype(int), source=sv.Seeded(1)
        )
    )
    boards.board_of(answering.SurveyEstimate(None, (), (), told))
    points, values = drawn["points"], drawn["values"]
    assert [x - first for _, x in drawn["quantiles"]] == [1, most // 3, most - 2]
    assert len(points) < 300 and (points[0], points[-1]) == (first - 0.5, first + most + 0.5)
    for q, x in drawn["quantiles"]:
        place = int(np.flatnonzero(points == x)[0])
        assert values[place - 1] <= q <= values[place]
        assert points[place] - points[place - 1] < 1e-5
        known = told.cdf(x)
        assert values[place] == pytest.approx(known.value)
        if most == 20:  # of many numbers, some errors are those of neighbours
            assert drawn["reach"][place] == pytest.approx(known.high - known.value, rel=1e-6)
    if most == 20:  # between numbers nobody is added
        flat = np.interp(first + np.arange(most) + 0.5, points, values)
        assert flat == pytest.approx(
            [told.cdf(number).value for number in range(first, first + most)]
        )


def test_give_or_take_is_to_the_farther_end():
    assert number_row(sv.Answer(0.0, 0.6, 0.0, 2.4)) == ("0.0", "±2.4", "0.0 to 2.4")
    assert share_row(sv.Answer(0.02, 0.01, 0.0, 0.022))[1] == "±2.0"
    rounding = sv.Answer(0.05, 1e-17, 0.05 - 2.08e-17, 0.05 + 2.08e-17)
    assert number_row(rounding) == ("0.05", "±0", "0.05 to 0.05")
    assert number_row(sv.Answer(0.05, 1e-9, 0.05 - 2e-9, 0.05 + 2e-9))[1] != "±0"
    assert share_row(replace(rounding, value=1.0, low=1.0, high=1.0 + 1e-15))[1] == "±0.0"


def test_keys_have_frequencies_and_means(board):
    page = board.page("trips")
    assert 60 < figure(rows(page, "key")["bus"][0]) < 73
    means = {key: float(row[0]) for key, row in rows(page, "key", 1).items()}
    assert means["bus"] < 4 and means["train"] > 6


def test_what_tells_only_means_shows_only_means(board):
    page = board.page("mean")
    assert "identify only the mean" in page.words
    assert 0.4 < float(rows(page, "answer")["mean"][0]) < 0.6
    vector = rows(board.page("habits"), "coordinate")
    assert abs(float(vector["coordinate 0"][0]) - 7) < 2.5


def test_surveys_without_answers_say_why(board):
    assert "No reports have come yet" in board.page("none").words
    few = board.page("few").words
    assert "200 reports" in few and "has ended and has 1,000 reports, or earlier, when" in few
    assert rows(board.page("single"), "value") == {
        "only": ["100.0%", "100.0% to 100.0%", "100.0% to 100.0%"]
    }


def test_hostile_names_are_text(board):
    page = board.page("hostile")
    assert HOSTILE in page.words and "49" not in page.words.split("{{")[0][:200]
    for path in ("", "/differences"):
        assert "<script" not in board.get("hostile", path).text


def test_a_page_does_not_wait_for_what_takes_long(tmp_path, monkeypatch):
    survey = Survey("places", "Where?", sv.mechanism("hr", sv.Categories(100_000), 1.0))
    ready, work = threading.Event(), pages.board_of
    monkeypatch.setattr(
        pages,
        "board_of",
        lambda told, view: ready.wait(60) and work(replace(told, estimate=few), view),
    )
    few = sv.estimate(sv.mechanism("grr", sv.Categories(3), 1.0).simulate([200, 100, 100]))
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", np.zeros(500, dtype=int))
        at = f"{collector.url}/dashboard/{survey.fingerprint}"
        answer = httpx.get(f"{at}?ask=top&text=2", timeout=60)
        assert "Computing results from 500 reports. This page refreshes" in check(answer).words
        assert answer.headers["refresh"] == "1; url=?ask=top&text=2&wait=1"
        threading.Timer(0.5, ready.set).start()
        began = time.monotonic()
        answer = httpx.get(f"{at}?ask=top&text=2&wait=1", timeout=60)
        assert "refresh" not in answer.headers and time.monotonic() - began > 0.3
        told = Board(collector, {"places": survey}).page("places")
        assert "Computing results" not in told.words


def test_unknown_surveys_addresses_and_parameters_get_a_page(board):
    assert (
        "No survey has the fingerprint"
        in check(board.http.get("/dashboard/" + "0" * 32), 404).words
    )
    assert "nothing is at this address".capitalize() in check(
        board.http.get("/nowhere", headers={"accept": "text/html"}), 404
    ).words  # fmt: skip
    assert board.http.get("/nowhere").json()["code"] == "no-such-route"
    assert "telepathy" in check(board.get("drinks", telepathy="1"), 400).words


def test_a_long_list_has_pages(tmp_path):
    mechanism = sv.mechanism("grr", sv.Categories(2), 1.0)
    many = [Survey(f"survey {n:03}", "Which?", mechanism) for n in range(130)]
    with running(tmp_path, *many, open_reading=True) as collector:
        texts = [
            httpx.get(collector.url, params={"page": page}).text for page in (1, 2, 3, 4, "x", -1)
        ]
    shown = [re.findall(r"survey (\d{3})", text) for text in texts]
    assert [len(each) for each in shown] == [60, 60, 10, 10, 60, 60]
    assert shown[0] + shown[1] + shown[2] == [f"{n:03}" for n in range(130)]


def test_equal_counts_of_other_reports_are_noticed(tmp_path):
    survey = Survey(
        "swap", "Which?", sv.mechanism("grr", sv.Categories(["a", "c"]), 8.0), "once", 5
    )
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", ["a"] * 10, seed=1)
        pages = Board(collector, {"swap": survey})
        assert figure(rows(pages.page("swap"), "value")["a"][0]) > 90
        for n in range(10):
            number = (1).to_bytes(8, "big") + n.to_bytes(8, "big")
            assert collector.store.delete(survey.fingerprint, number)
        fill(collector.store, survey, "", ["c"] * 10, seed=2)
        assert {each.reports for each in collector.store.released(survey.fingerprint).values()} == {
            5
        }
        deadline = time.monotonic() + 60
        while figure(rows(pages.page("swap"), "value")["a"][0]) > 90:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_gaps_between_windows_are_seen(tmp_path):
    survey = Survey("gaps", "Which?", sv.mechanism("grr", sv.Categories(2), 1.0), "day", 5)
    with running(tmp_path, survey, open_reading=True) as collector:
        for seed, day in enumerate(("2026-10-28", "2026-11-03")):
            fill(collector.store, survey, day, [0] * 10, seed)
        text = Board(collector, {"gaps": survey}).get("gaps").text
        assert "7 windows; most in 2026-10-28, 10 reports." in text
