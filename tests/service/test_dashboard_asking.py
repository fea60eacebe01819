"""Questions, differences and downloads of the dashboard."""

from __future__ import annotations

import io

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.service.pages.differences import difference_board
from sottovoce.surveys.survey import Survey
from support.dashboards import Board, figure, fill, filled, rows, surveys
from support.loading import running


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("board")) as found:
        yield found


def test_questions_are_answered_where_they_are_asked(board):
    page = board.page("ages", ask="range", text="20:60")
    assert figure(rows(page, "answer", 1)["from 20 to 60"][0]) > 90
    page = board.page("trips", ask="key", text="train")
    assert set(rows(page, "answer")) == {"train", "mean of train"}
    problem = board.page("ages", ask="range", text="high:low", status=400)
    assert "two numbers such as 50:66.6667" in problem.words
    assert "Ask must be one of" in board.page("drinks", ask="range", text="1:2", status=400).words
    for text, words in (
        ("x" * 1001, "1,000 characters"),
        (", , ,", "must be"),
        ('"' * 999, "must be"),
    ):
        assert words in board.page("drinks", ask="total", text=text, status=400).words
    assert (
        "most 500 are shown here" in board.page("drinks", ask="top", text="501", status=400).words
    )
    tidy = board.page("drinks", ask="total", text='tea,   "coffee" , water', status=400)
    assert "coffee " in tidy.words  # a blank before a comma is part of a name
    assert set(rows(board.page("drinks", ask="total", text="tea,   coffee"), "answer")) == {
        "tea, coffee"
    }
    assert "beer" in board.page("drinks", ask="share", text="beer", status=400).words


def test_examples_are_of_the_survey_itself(board):
    """It once suggested 20:30 on any scale."""

    def offers(name):
        page = board.page(name)
        (typed,) = [given for tag, given in page.tags if tag == "input" and given["id"] == "text"]
        return typed["placeholder"], page.words

    assert offers("friends")[0] == "10:14"  # of 0 to 20
    assert "the share of numbers in a range LOW:HIGH (10:14)" in offers("friends")[1]
    assert offers("drinks")[0] == "tea"
    assert (
        "the share of several values together, separated by commas (tea,coffee)"
        in offers("drinks")[1]
    )
    assert offers("trips")[0] == "bus"
    assert offers("hostile")[0] == ""  # none of its values is short
    placeholder = board.page("ages", ask="quantile", text="0.9").tags
    assert [given["placeholder"] for tag, given in placeholder if given.get("id") == "text"] == [
        "0.5"
    ]


def test_the_latest_two_windows_are_compared(board):
    page = board.page("drinks", "/differences")
    told = board.http.get(
        "/differences",
        params={
            "first": board.surveys["drinks"].fingerprint, "first_window": "2026-W46",
            "second": board.surveys["drinks"].fingerprint, "second_window": "2026-W47",
        },
    ).json()  # fmt: skip
    shown = rows(page, "value")
    for row in told["answers"]:
        assert figure(shown[row["label"]][2]) == pytest.approx(100 * row["value"], abs=0.06)


def test_chosen_windows_and_groups_are_compared(board):
    page = board.page("drinks", "/differences", first_window="2026-W45", second_window="2026-W46")
    assert float(rows(page, "value")["tea"][2]) > 20
    assert rows(page, "value")["tea"][4] == "below 0.001"
    assert page.tables[0][0][-2:] == ["p", "adjusted p"]
    assert "2 of 3 differ, by p-values adjusted for all" in page.words
    assert "Share of the population" in page.words and "compares unbiased estimates" in page.words
    chosen = {"first_window": "2026-W45", "second_window": "2026-W46"}
    same = board.page("drinks", "/differences", same_people="1", **chosen)
    assert "Share of respondents" in same.words
    assert rows(same, "value")["tea"][2] == rows(page, "value")["tea"][2]
    widths = [
        float(high) - float(low.replace("\N{MINUS SIGN}", "-"))
        for shown in (same, page)
        for low, high in [rows(shown, "value")["tea"][3].split(" to ")]
    ]
    assert widths[0] < widths[1]
    groups = board.page("drinks", "/differences", second=board.surveys["others"].fingerprint)
    assert float(rows(groups, "value")["water"][2]) > 80
    same = board.page("drinks", "/differences", first_window="2026-W45", second_window="2026-W45")
    assert "windows in common" in same.words
    foreign = board.page("drinks", "/differences", second=board.surveys["ages"].fingerprint)
    assert "different" in foreign.words or "over" in foreign.words
    assert "nothing to compare yet" in board.page("none", "/differences").words


def test_numbers_and_keys_differ_too(tmp_path):
    told = surveys()
    twins = [Survey(f"{name} again", survey.question, survey.mechanism) for name, survey in (("ages", told["ages"]), ("trips", told["trips"]))]  # fmt: skip
    with running(tmp_path, told["ages"], told["trips"], *twins, open_reading=True) as collector:
        fill(collector.store, told["ages"], "", np.full(3000, 30.0))
        fill(collector.store, twins[0], "", np.full(3000, 60.0), seed=2)
        fill(collector.store, told["trips"], "", [("bus", 2.0)] * 3000)
        fill(collector.store, twins[1], "", [("bus", 8.0)] * 3000, seed=2)
        names = {**told, "ages again": twins[0], "trips again": twins[1]}
        pages = Board(collector, names)
        ages = pages.page("ages", "/differences", second=twins[0].fingerprint)
        assert 25 < float(rows(ages, "answer")["mean"][2]) < 35
        trips = pages.page("trips", "/differences", second=twins[1].fingerprint)
        assert float(rows(trips, "key", 1)["bus"][2]) > 4


def test_whole_numbers_differ_too(tmp_path):
    one = surveys()["friends"]
    two = Survey("friends again", one.question, one.mechanism)
    with running(tmp_path, one, two, open_reading=True) as collector:
        fill(collector.store, one, "", np.full(2000, 5))
        fill(collector.store, two, "", np.full(2000, 20), seed=2)
        page = Board(collector, {"friends": one}).page(
            "friends", "/differences", second=two.fingerprint
        )
        assert float(rows(page, "answer")["mean"][2]) == pytest.approx(15, abs=0.5)
        shares = rows(page, "number")
        assert list(shares)[:3] == ["0 to 1", "2 to 3", "4 to 5"] and list(shares)[-1] == "20"
        assert figure(shares["4 to 5"][2]) < -80 and figure(shares["20"][2]) > 80


def test_ratings_have_a_page(tmp_path):
    survey = Survey("stars", "How was it?", sv.mechanism("grr", sv.Ratings(1, 5), 2.0), "day")
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "2026-11-16", np.repeat([1, 4, 5], [500, 1000, 500]))
        page = Board(collector, {"stars": survey}).page("stars")
        shown = rows(page, "number")
        assert list(shown) == ["1", "2", "3", "4", "5"] and figure(shown["4"][0]) > 40
        assert float(rows(page, "answer")["mean"][0]) == pytest.approx(3.5, abs=0.3)
        assert rows(page, "share of respondents up to")["50%"][0] == "4"
        assert "Each is a whole number from 1 to 5" in page.words
        assert "Clients with default limits answer 2 windows (day), then stop" in page.words


def test_differences_that_are_rounding_read_as_none():
    friends, one = (
        sv.mechanism("degree-noise", sv.Counts(20), 2.0),
        sv.mechanism("sw", sv.Interval(0, 0.1, 1), 2.0),
    )

    def panels(mechanism, *values):
        tallies = [
            mechanism.tally(mechanism.randomize(np.full(2000, value), source=sv.Seeded(seed)))
            for seed, value in enumerate(values, start=1)
        ]
        return difference_board(sv.difference(*(sv.estimate(tally, "em") for tally in tallies)))

    summary, parts = panels(one, 0.03, 0.07)
    assert summary.rows[0][:5] == ("mean", "0.05", "0.05", "0", "0 to 0")
    assert parts.rows[0][:5] == ("0 to 0.1", "100.0%", "100.0%", "0.0", "0.0 to 0.0")
    summary, parts = panels(friends, 5, 8)
    assert summary.rows[2][:5] == ("50% are up to", "5", "8", "+3", "+3 to +3")
    assert parts.rows[-1][:5] == ("20", "0.0%", "0.0%", "0.0", "0.0 to 0.0")


def test_a_download_has_the_numbers_of_its_page(tmp_path):
    domain = sv.KeyValues([f"key {n}" for n in range(10)], 0, 5, 10)  # more than 64 pairs
    survey = Survey("pairs", "Which?", sv.mechanism("pckv-pm", domain, 2.0))
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", [(f"key {n % 10}", n % 5) for n in range(3000)])
        pages = Board(collector, {"pairs": survey})
        page = pages.page("pairs")
        link = next(link for link in page.links if "estimate.csv" in link)
        text = pages.http.get(f"/dashboard/{link}").text
        found = {
            line.split(",")[1]: 100 * float(line.split(",")[2]) for line in text.splitlines()[1:11]
        }
        shown = {key: figure(row[0]) for key, row in rows(page, "key").items()}
        assert found == pytest.approx(shown, abs=0.06)


def test_downloads_hold_what_the_answers_say(board):
    import pyarrow.parquet as parquet

    at = f"/surveys/{board.surveys['drinks'].fingerprint}"
    told = board.http.get(f"{at}/estimate").json()
    text = board.http.get(f"{at}/estimate.csv")
    assert "attachment" in text.headers["content-disposition"]
    assert [line.split(",")[1] for line in text.text.splitlines()[1:]] == ["tea", "coffee", "water"]
    table = parquet.read_table(io.BytesIO(board.http.get(f"{at}/estimate.parquet").content))
    assert table.column("value").to_pylist() == [row["value"] for row in told["answers"]]
    assert told["method"].encode() in table.schema.metadata[b"sottovoce"]
    page = board.page("drinks", **{"from": "2026-W45", "to": "2026-W46"})
    links = [link for link in page.links if "/surveys/" in link and "." in link.rsplit("/", 1)[-1]]
    by_window = [link for link in links if link.endswith(f"estimate.csv?window={'2026-W45'}")]
    assert len(by_window) == 1
    assert len(links) == 4 + 1 + 3  # both windows, their trend, and each window that is shown
    for link in links:
        assert board.http.get(f"/dashboard/{link}").status_code == 200
