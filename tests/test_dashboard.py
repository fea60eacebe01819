"""The dashboard: every kind of survey, what may be seen by whom, hostile names, and honest numbers."""

from __future__ import annotations

import io
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import httpx
import numpy as np
import pytest

import sottovoce as sv
from loading import running
from sottovoce.core.payloads import row_bytes
from sottovoce.core.survey import Survey
from sottovoce.service import answering
from sottovoce.service.access import SESSION_TIME
from sottovoce.service.pages import boards, numbers_panels
from sottovoce.service.pages import surveys as pages
from sottovoce.service.pages.differences import difference_board
from sottovoce.service.pages.words import number_row, share_row
from sottovoce.service.visitors import SESSION
from sottovoce.store import Submission

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}</title>"
VOID = {"meta", "link", "input", "br", "img"}


# -- reading pages -------------------------------------------------------------------------------


class Page(HTMLParser):
    """A page's elements, text and tables; what may not be in any page is refused while reading."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.refers, self.open, self.text = [], [], [], [], []
        self.links, self.headings, self.tables, self.row = [], [], [], None
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert tag not in ("script", "style", "iframe", "object", "embed", "img", "base")
        assert not [name for name in given if name.startswith("on") or name == "style"]
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.refers += given.get("aria-labelledby", "").split() + given.get("for", "").split()
        self.links += [given[name] for name in ("href", "action", "src") if name in given]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.row = []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.tables[-1].append(self.row)
            self.row = None

    def handle_data(self, data):
        self.text.append(data)
        if self.row is not None and self.open[-1] in ("th", "td", "span"):
            self.row.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def check(answer, status=200):
    """A page in order: escaped, whole, accessible in its structure, and nothing from elsewhere."""
    assert answer.status_code == status, answer.text[:2000]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.content) < 200_000
    page = Page(answer.text)
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.refers) <= set(page.ids)
    assert page.headings[0] == 1 and page.headings.count(1) == 1
    assert all(
        later - earlier <= 1
        for earlier, later in zip(page.headings, page.headings[1:], strict=False)
    )
    assert not [link for link in page.links if ":" in link or link.startswith(("//", "/"))]
    named = {given["for"] for tag, given in page.tags if tag == "label"}
    for tag, given in page.tags:
        if tag in ("select", "textarea") or (tag == "input" and given.get("type") != "hidden"):
            assert given["id"] in named
        if tag == "svg" and given.get("role") == "img":
            assert given["aria-labelledby"]
    return page


def fill(store, survey, window, values, seed=1):
    reports = survey.mechanism.randomize(values, source=sv.Seeded(seed))
    ids = [seed.to_bytes(8, "big") + n.to_bytes(8, "big") for n in range(len(reports))]
    store.write([Submission(survey.fingerprint, window, ids, row_bytes(reports))])


def surveys():
    """One survey of every kind, by a short name."""
    drinks, pairs = (
        sv.Categories(["tea", "coffee", "water"]),
        sv.KeyValues(["bus", "train"], 0, 10, 4),
    )
    olh, sw = sv.mechanism("olh", drinks, 2.0), sv.mechanism("sw", sv.Interval(0, 100, 60), 2.0)
    hostile = sv.mechanism("grr", sv.Categories([HOSTILE, "اختبار", "x" * 5000]), 2.0)
    vector = sv.mechanism("sampled-coordinate", sv.Vector(sv.Interval(0, 24, 12), 2), 2.0)
    return {
        "drinks": Survey("drinks", "What do you drink?", olh, "week", 100),
        "others": Survey("others", "What do others drink?", olh, "week", 100),
        "ages": Survey("ages", "How old are you?", sw),
        "trips": Survey("trips", "How far, by what?", sv.mechanism("pckv-grr", pairs, 2.0)),
        "mean": Survey("mean", "A mean?", sv.mechanism("sr", sv.Interval(0, 1, 10), 2.0)),
        "habits": Survey("habits", "Sleep and screens?", vector),
        "friends": Survey("friends", "How many?", sv.mechanism("degree-noise", sv.Counts(20), 2.0)),
        "single": Survey("single", "A choice?", sv.mechanism("grr", sv.Categories(["only"]), 1.0)),
        "none": Survey("none", "Nobody?", sv.mechanism("grr", sv.Categories(2), 1.0)),
        "few": Survey("few", "Too few?", sv.mechanism("grr", sv.Categories(2), 1.0), "once", 1000),
        "hostile": Survey(HOSTILE, HOSTILE + "y" * 5000, hostile),
        "scripts": Survey("調査 مسح Опрос", "あなたは \N{RIGHT-TO-LEFT OVERRIDE}بيت", sv.mechanism("oue", sv.Categories(["お茶", "قهوة"]), 1.0)),
    }  # fmt: skip


def settled(http, path, **parameters):
    """A page once it has its answers."""
    for _ in range(600):
        answer = http.get(path, params=parameters)
        if "refresh" not in answer.headers:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{path} was never worked out")


class Board:
    def __init__(self, running, told):
        self.running, self.surveys = running, told
        self.http = httpx.Client(base_url=running.url, timeout=60)

    def get(self, name, path="", **parameters):
        return settled(
            self.http, f"/dashboard/{self.surveys[name].fingerprint}{path}", **parameters
        )

    def page(self, name, path="", status=200, **parameters):
        return check(self.get(name, path, **parameters), status)


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    told = surveys()
    with running(tmp_path_factory.mktemp("board"), *told.values(), open_reading=True) as collector:
        store = collector.store
        for week, (name, part) in enumerate(
            (("2026-W45", 0.2), ("2026-W46", 0.5), ("2026-W47", 0.5))
        ):
            values = np.array(["coffee", "tea"])[(np.arange(4000) < 4000 * part).astype(int)]
            fill(store, told["drinks"], name, values, seed=week + 1)
        fill(store, told["drinks"], "2026-W44", ["tea"] * 50, seed=9)
        fill(store, told["others"], "2026-W47", ["water"] * 3000)
        fill(store, told["ages"], "", np.linspace(20, 60, 4000))
        fill(store, told["trips"], "", [("bus", 2.0)] * 2000 + [("train", 8.0)] * 1000)
        fill(store, told["mean"], "", np.full(2000, 0.5))
        fill(store, told["habits"], "", np.tile([7.0, 3.0], (2000, 1)))
        fill(store, told["friends"], "", np.full(2000, 5))
        fill(store, told["single"], "", ["only"] * 200)
        fill(store, told["few"], "", [0] * 200)
        fill(store, told["hostile"], "", [HOSTILE] * 1500 + ["اختبار"] * 1000)
        fill(store, told["scripts"], "", ["お茶"] * 1500)
        found = Board(collector, told)
        yield found
        found.http.close()


# -- pages ---------------------------------------------------------------------------------------


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


def figure(cell):
    """The number in a cell, whatever its sign and unit look like."""
    return float(cell.strip("%").replace("\N{MINUS SIGN}", "-"))


def rows(page, head, place=0):
    """The rows of a table whose head begins so, by their first cell."""
    table = [each for each in page.tables if each[0][0] == head][place]
    return {row[0]: row[1:] for row in table[1:]}


def test_shares_are_those_of_the_answers(board):
    told = board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/estimate").json()
    shown = rows(board.page("drinks"), "value")
    assert set(shown) == {"tea", "coffee", "water"}
    for row in told["answers"]:
        assert figure(shown[row["label"]][0]) == pytest.approx(100 * row["value"], abs=0.051)  # fmt: skip
    words = board.page("drinks").words
    assert told["method"] in words and told["why"] in words
    assert "Left out, with fewer than 100 reports each: 2026-W44" in words


def test_windows_can_be_chosen(board):
    first = rows(board.page("drinks", window="2026-W45"), "value")
    last = rows(board.page("drinks", window="2026-W47"), "value")
    assert figure(first["tea"][0]) < 40 < figure(last["tea"][0])
    assert "must be a week such as" in board.page("drinks", status=400, window="2026-11-16").words
    assert (
        "one that reports have come for"
        in board.page("drinks", status=400, window="2020-W01").words
    )
    assert "The windows chosen have fewer" in board.page("drinks", window="2026-W44").words


def test_numbers_have_a_distribution_quantiles_and_a_mean(board):
    page = board.page("ages")
    median = rows(page, "share of people below")["50%"]
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
    panel = boards.board_of(answering.Told(None, (), (), told)).panels[0]
    assert [row[0] for row in panel.rows[:2]] == ["0 to 4", "5 to 9"]
    assert len(panel.rows) == 48 and panel.rows[-1][0] == "235 to 239"


@pytest.mark.parametrize("most", [20, 1500])
def test_quantiles_of_whole_numbers_lie_on_their_curve(monkeypatch, most):
    drawn = {}
    original = numbers_panels.curve

    def curve(points, values, low, high, *, quantiles, **more):
        drawn.update(points=np.array(points), values=np.array(values), quantiles=quantiles)
        drawn.update(reach=np.array(high) - np.array(values))
        return original(points, values, low, high, quantiles=quantiles, **more)

    monkeypatch.setattr(numbers_panels, "curve", curve)
    domain = sv.Counts(most)
    shares = np.zeros(most + 1)
    shares[[1, most // 3, most - 2]] = 0.3, 0.4, 0.3
    told = sv.estimate(
        sv.mechanism("grr", domain, 12.0).simulate(
            (1_000_000 * shares).astype(int), source=sv.Seeded(1)
        )
    )
    boards.board_of(answering.Told(None, (), (), told))
    points, values = drawn["points"], drawn["values"]
    assert [x for _, x in drawn["quantiles"]] == [1, most // 3, most - 2]
    assert len(points) < 300 and (points[0], points[-1]) == (-0.5, most + 0.5)
    for q, x in drawn["quantiles"]:
        place = int(np.flatnonzero(points == x)[0])
        assert values[place - 1] <= q <= values[place]
        assert points[place] - points[place - 1] < 1e-5
        known = told.cdf(x)
        assert values[place] == pytest.approx(known.value)
        if most == 20:  # of many numbers, some errors are those of neighbours
            assert drawn["reach"][place] == pytest.approx(known.high - known.value, rel=1e-6)
    if most == 20:  # between numbers nobody is added
        flat = np.interp(np.arange(most) + 0.5, points, values)
        assert flat == pytest.approx([told.cdf(number).value for number in range(most)])


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
    assert "tell the mean and nothing else" in page.words
    assert 0.4 < float(rows(page, "answer")["mean"][0]) < 0.6
    vector = rows(board.page("habits"), "coordinate")
    assert abs(float(vector["coordinate 0"][0]) - 7) < 2.5


def test_surveys_without_answers_say_why(board):
    assert "No reports have come yet" in board.page("none").words
    few = board.page("few").words
    assert "200 reports" in few and "shown from 1,000 reports in a window" in few
    assert rows(board.page("single"), "value") == {"only": ["100.0%", "±0.0", "100.0% to 100.0%"]}


def test_hostile_names_are_text(board):
    page = board.page("hostile")
    assert HOSTILE in page.words and "49" not in page.words.split("{{")[0][:200]
    for path in ("", "/differences"):
        assert "<script" not in board.get("hostile", path).text


def test_a_page_does_not_wait_for_what_takes_long(tmp_path, monkeypatch):
    survey = Survey("places", "Where?", sv.mechanism("hr", sv.Categories(100_000), 1.0))
    ready, work = threading.Event(), pages.board_of
    monkeypatch.setattr(
        pages, "board_of", lambda told: ready.wait(60) and work(replace(told, estimate=few))
    )
    few = sv.estimate(sv.mechanism("grr", sv.Categories(3), 1.0).simulate([200, 100, 100]))
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", np.zeros(500, dtype=int))
        at = f"{collector.url}/dashboard/{survey.fingerprint}"
        answer = httpx.get(f"{at}?question=top&text=2", timeout=60)
        assert "The answers are being worked out from 500 reports" in check(answer).words
        assert answer.headers["refresh"] == "1; url=?question=top&text=2&wait=1"
        threading.Timer(0.5, ready.set).start()
        began = time.monotonic()
        answer = httpx.get(f"{at}?question=top&text=2&wait=1", timeout=60)
        assert "refresh" not in answer.headers and time.monotonic() - began > 0.3
        told = Board(collector, {"places": survey}).page("places")
        assert "The answers are being worked out" not in told.words


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


# -- questions and differences ---------------------------------------------------------------------


def test_questions_are_answered_where_they_are_asked(board):
    page = board.page("ages", question="range", text="20:60")
    assert figure(rows(page, "answer", 1)["from 20 to 60"][0]) > 90
    page = board.page("trips", question="key", text="train")
    assert set(rows(page, "answer")) == {"train", "mean of train"}
    problem = board.page("ages", question="range", text="high:low", status=400)
    assert "two numbers such as 20:30" in problem.words
    assert (
        "Question must be one of"
        in board.page("drinks", question="range", text="1:2", status=400).words
    )
    for text, words in (
        ("x" * 1001, "1,000 characters"),
        (", , ,", "must be"),
        ('"' * 999, "must be"),
    ):
        assert words in board.page("drinks", question="total", text=text, status=400).words
    assert (
        "most 500 are shown here"
        in board.page("drinks", question="top", text="501", status=400).words
    )
    tidy = board.page("drinks", question="total", text='tea,   "coffee" , water', status=400)
    assert "coffee " in tidy.words  # a blank before a comma is part of a name
    assert set(rows(board.page("drinks", question="total", text="tea,   coffee"), "answer")) == {
        "tea, coffee"
    }
    assert "beer" in board.page("drinks", question="share", text="beer", status=400).words


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
        return difference_board(sv.difference(*map(sv.estimate, tallies)))

    summary, parts = panels(one, 0.03, 0.07)
    assert summary.rows[0][:5] == ("mean", "0.05", "0.05", "0", "0 to 0")
    assert parts.rows[0][:5] == ("0 to 0.1", "100.0%", "100.0%", "0.0", "0.0 to 0.0")
    summary, parts = panels(friends, 5, 8)
    assert summary.rows[2][:5] == ("50% are up to", "5", "8", "+3", "+3 to +3")
    assert parts.rows[-1][:5] == ("20", "0.0%", "0.0%", "0.0", "0.0 to 0.0")


def test_equal_counts_of_other_reports_are_noticed(tmp_path):
    survey = Survey(
        "swap", "Which?", sv.mechanism("grr", sv.Categories(["a", "c"]), 8.0), "once", 5
    )
    with running(tmp_path, survey, open_reading=True) as collector:
        fill(collector.store, survey, "", ["a"] * 10, seed=1)
        pages = Board(collector, {"swap": survey})
        assert figure(rows(pages.page("swap"), "value")["a"][0]) > 90
        for n in range(5):
            number = (1).to_bytes(8, "big") + n.to_bytes(8, "big")
            assert collector.store.delete(survey.fingerprint, number)
        fill(collector.store, survey, "", ["c"] * 5, seed=2)
        deadline = time.monotonic() + 60
        while figure(rows(pages.page("swap"), "value")["a"][0]) > 90:
            assert time.monotonic() < deadline
            time.sleep(0.1)


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


def test_gaps_between_windows_are_seen(tmp_path):
    survey = Survey("gaps", "Which?", sv.mechanism("grr", sv.Categories(2), 1.0), "day", 5)
    with running(tmp_path, survey, open_reading=True) as collector:
        for seed, day in enumerate(("2026-10-28", "2026-11-03")):
            fill(collector.store, survey, day, [0] * 10, seed)
        text = Board(collector, {"gaps": survey}).get("gaps").text
        assert "7 windows; most in 2026-10-28, 10 reports." in text


# -- downloads -------------------------------------------------------------------------------------


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
    page = board.page("drinks", window=["2026-W45", "2026-W46"])
    links = [link for link in page.links if "/surveys/" in link and "." in link.rsplit("/", 1)[-1]]
    assert len(links) == 4
    for link in links:
        assert board.http.get(f"/dashboard/{link}").status_code == 200


# -- who may see what ------------------------------------------------------------------------------


@pytest.fixture
def closed(tmp_path):
    survey = surveys()["drinks"]
    moment = [datetime(2026, 11, 16, 12, tzinfo=UTC)]
    with running(tmp_path, survey, clock=lambda: moment[0]) as collector:
        fill(collector.store, survey, "2026-W47", ["tea"] * 500)
        yield collector, survey, moment


def test_readers_sign_in_with_their_key(closed):
    collector, survey, moment = closed
    here, key = f"/dashboard/{survey.fingerprint}", collector.keys.of_role("read")
    with httpx.Client(base_url=collector.url) as http:
        page = check(http.get("/"))
        assert "Sign in" in page.words and "500" not in page.words
        form = check(http.get(here), 401)
        hidden = next(given for tag, given in form.tags if given.get("name") == "to")
        assert hidden["value"] == here.lstrip("/")
        assert (
            "not the key of a reader"
            in check(http.post("/sign-in", data={"key": "guess"}), 403).words
        )
        assert "A key is needed" in check(http.post("/sign-in", data={}), 403).words
        publisher = collector.keys.of_role("publish")
        assert http.post("/sign-in", data={"key": publisher}).status_code == 403
        assert not http.cookies
        done = http.post("/sign-in", data={"key": f" {key} ", "to": hidden["value"]})
        assert done.status_code == 303 and done.headers["location"] == "./" + hidden["value"]
        cookie = done.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict"))
        assert "path=" not in cookie  # the page's own, also behind a prefix
        assert key.lower() not in cookie and "secure" not in cookie
        told = {"x-forwarded-proto": "https"}
        proxied = httpx.post(f"{collector.url}/sign-in", data={"key": key}, headers=told)
        assert "; secure" in proxied.headers["set-cookie"].lower()
        assert "tea" in check(settled(http, here)).words
        assert http.get(f"/surveys/{survey.fingerprint}/estimate.csv").status_code == 200
        assert "500" in check(http.get("/")).words
        assert http.post(f"/surveys/{survey.fingerprint}/close").status_code == 401
        moment[0] += SESSION_TIME - timedelta(seconds=1)
        assert http.get(here).status_code == 200
        moment[0] += timedelta(seconds=2)
        assert http.get(here).status_code == 401


def test_signing_out_ends_it(closed):
    collector, survey, _ = closed
    with httpx.Client(base_url=collector.url) as http:
        http.post("/sign-in", data={"key": collector.keys.of_role("read")})
        assert http.cookies
        assert http.post("/sign-out").status_code == 303
        assert not http.cookies
        assert http.get(f"/dashboard/{survey.fingerprint}").status_code == 401


def test_sessions_cannot_be_made_up_nor_lead_elsewhere(closed):
    collector, survey, moment = closed
    session = collector.keys.issue_session(moment[0])
    for wrong in ("", "AAAA", session[:-2], session[4:], session.swapcase(), "é" * 20):
        assert not collector.keys.holds_session(wrong, moment[0])
    assert collector.keys.holds_session(session, moment[0])
    key = collector.keys.of_role("read")
    for to in (
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "dashboard/../x",
        "x\r\ny: z",
    ):
        done = httpx.post(f"{collector.url}/sign-in", data={"key": key, "to": to})
        assert done.headers["location"] == "./"
    cookies = {SESSION: "AAAA"}
    answer = httpx.get(f"{collector.url}/dashboard/{survey.fingerprint}", cookies=cookies)
    assert answer.status_code == 401


def test_too_much_at_once_is_refused_and_lookups_go_on(board, monkeypatch):
    desk, go = board.running.app.desk, threading.Event()
    board.page("drinks")
    monkeypatch.setattr(desk, "_asked", 31)
    monkeypatch.setattr(pages, "asked", lambda *_: go.wait(60) and pages.Asked())
    at = f"/dashboard/{board.surveys['drinks'].fingerprint}"
    with ThreadPoolExecutor(1) as others:
        slow = others.submit(
            httpx.get, f"{board.running.url}{at}", params={"text": "tea"}, timeout=60
        )
        while desk._asked < 32:
            time.sleep(0.01)
        refused = board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/estimate")
        assert (refused.status_code, refused.json()["code"]) == (429, "rate-limited")
        assert refused.headers["retry-after"]
        assert (
            board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/status").status_code
            == 200
        )
        go.set()
        assert slow.result().status_code == 200
