"""Pages of surveys of several questions: the overview, a page per question, two questions together."""

from __future__ import annotations

import csv
import io
import re

import pytest

from support.dashboards import HOSTILE, Board, check, figure, now, rows
from support.loading import running
from support.questionnaires import WEEKS, fill_questionnaires, questionnaires


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    told = questionnaires()
    with running(
        tmp_path_factory.mktemp("pages"), *told.values(), clock=now, open_reading=True
    ) as found:
        fill_questionnaires(found.store, told)
        made = Board(found, told)
        yield made
        made.http.close()


def test_the_overview_has_every_question_with_a_headline(board):
    page = board.page("living")
    assert "How old are you?" in page.words
    assert re.search("Mean 4[0-9]", page.words)
    assert re.search(r"Do you rent your home\? yes: 5\d(\.\d)?% ±", page.words)
    assert "Each device drew one or two of these questions at random" in page.words
    links = [link for link in page.links if "?question=" in link]
    assert [link.rpartition("=")[2] for link in links[:4]] == ["age", "rents", "way", "mood"]
    population = board.page("living", about="population")
    assert "about=population" in " ".join(
        link for link in population.links if "question=mood" in link
    )
    part = board.page("living", **{"from": WEEKS[1], "to": WEEKS[1]})
    assert f"question=age&from={WEEKS[1]}&to={WEEKS[1]}" in " ".join(part.links)


def test_every_question_has_a_page_with_all_that_a_survey_has(board):
    page = board.page("living", question="rents", ask="share", text="yes")
    assert "yes was higher in 2026-W47" in page.words
    assert "Question 2 of 4" in page.words
    answered = rows(page, "answer", -1)["yes"]
    assert abs(figure(answered[0]) - 57) < 6
    downloads = [link for link in page.links if "/estimate.csv" in link or "/trend.csv" in link]
    assert all("question=rents" in link for link in downloads)
    base = f"/dashboard/{board.surveys['living'].fingerprint}"
    for link in downloads:
        answer = board.http.get(f"{base.rpartition('/')[0]}/{link}")
        assert answer.headers["content-type"].startswith("text/csv"), (link, answer.text)
    ages = board.page("living", question="age", about="population", **{"from": WEEKS[0]})
    forms = [given for tag, given in ages.tags if tag == "input" and given.get("type") == "hidden"]
    assert (
        sum(given["name"] == "question" for given in forms) == 2
    )  # the range, and the questions asked
    assert {"name": "about", "value": "population", "type": "hidden"} in forms


def test_two_questions_are_a_heat_map_with_intervals(board):
    page = board.page("living", "/table", rows="rents", columns="way", show="rows")
    heat, listed = page.tables
    assert heat[0][1:] == ["bus", "car", "on foot"]
    within = {row[0]: row[1::2] for row in heat[1:]}  # numbers; their intervals are between
    assert abs(figure(within["yes"][0]) - 60) < 8
    assert abs(figure(within["no"][1]) - 70) < 8
    assert len(listed) == 7
    assert "depend on each other (p below 0.001)" in page.words
    cells = [given for tag, given in page.tags if tag == "td" and "tabindex" in given]
    assert len(cells) == 6
    shares = board.page("living", "/table", rows="rents", columns="way")
    assert shares.tables[0][-1][0] == "all"
    link = next(link for link in page.links if "table.csv" in link)
    answer = board.http.get(f"/dashboard/{link}".replace("/dashboard/../..", ""))
    found = {(row["rents"], row["way"]): row for row in csv.DictReader(io.StringIO(answer.text))}
    assert abs(100 * float(found["yes", "bus"]["share"]) - figure(within["yes"][0])) < 0.6


def test_tables_by_columns_are_turned_the_right_way(board):
    by_rows = board.page("living", "/table", rows="rents", columns="way", show="rows").tables[0]
    by_columns = board.page("living", "/table", rows="way", columns="rents", show="columns").tables[
        0
    ]
    turned = {
        (name, by_columns[0][1 + place]): cell
        for name, *cells in by_columns[1:]
        for place, cell in enumerate(cells[::2])
    }
    for rents, *cells in by_rows[1:]:
        for way, cell in zip(by_rows[0][1:], cells[::2], strict=True):
            assert turned[way, rents] == cell


def test_what_cannot_be_shown_is_said(board):
    assert (
        "not enough"
        in board.page("living", "/table", rows="age", columns="mood", show="rows").words.lower()
    )
    assert "shows nothing from fewer than 100 reports" in board.page("short", "/table").words
    assert "choose two different questions" in (
        board.page("living", "/table", 400, rows="age", columns="age").words.lower()
    )
    assert "devices were asked one question each" in board.page("single", "/table").words
    assert "Every report is about one question" in board.page("single").words
    assert "No reports have come yet" in board.page("silent").words
    assert "No reports have come yet" in board.page("silent", "/table").words
    assert "No reports have come yet" in board.page("silent", question="age").words


def test_questions_with_few_reports_say_so_among_the_others(board, monkeypatch):
    from sottovoce.service.analysis import answering

    own = answering.reports_about
    monkeypatch.setattr(
        answering, "reports_about", lambda e, *names: 5 if names == ("mood",) else own(e, *names)
    )
    page = board.page("living", about="population", **{"from": WEEKS[1]})
    assert "mood Not enough reports about it yet." in page.words
    assert re.search("Mean 4[0-9]", page.words)


def test_names_of_others_stay_text(board):
    name = board.surveys["odd"].mechanism.domain.names[0]
    for path, query in (
        ("", {}),
        ("", {"question": name}),
        ("", {"question": "a,b=c&d"}),
        ("/table", {"rows": name}),
    ):
        page = board.page("odd", path, **query)
        assert "script" not in [tag for tag, _ in page.tags]
        assert HOSTILE[:40] in page.words
    turned = next(link for link in page.links if link.startswith("table?"))
    check(board.http.get(f"/dashboard/{board.surveys['odd'].fingerprint}/{turned}"))


def test_differences_are_of_one_question(board):
    page = board.page("living", "/differences", question="rents")
    assert "Do you rent your home?" in page.words
    assert figure(rows(page, "value")["yes"][2]) > 5
    first = board.page("living", "/differences")
    assert "How old are you?" in first.words


@pytest.mark.parametrize(
    ("path", "query", "message"),
    [
        ("", {"question": "aeg"}, "Did you mean 'age'?"),
        ("/table", {"rows": "aeg"}, "Did you mean 'age'?"),
        ("/table", {"show": "all"}, "how of a page of two questions must be one of"),
        ("/differences", {"question": "aeg"}, "Did you mean 'age'?"),
        ("", {"question": "age", "line": "7"}, "mean or median"),
    ],
)
def test_addresses_that_name_nothing_are_refused(board, path, query, message):
    answer = board.get("living", path, **query)
    assert message in check(answer, 400).words


def test_one_question_has_no_page_of_two(tmp_path):
    from support.dashboards import surveys

    told = {"drinks": surveys()["drinks"]}
    with running(tmp_path, *told.values(), clock=now, open_reading=True) as found:
        made = Board(found, told)
        for path, query in (("/table", {}), ("", {"question": "age"})):
            answer = made.get("drinks", path, **query)
            assert answer.status_code == 422
            assert "several questions" in check(answer, 422).words
        made.http.close()
