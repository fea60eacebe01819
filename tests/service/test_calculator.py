"""The calculator page: three ways to ask, what is wrong told beside its field, work that is bounded."""

from __future__ import annotations

import math
import re
import threading
import time
from dataclasses import replace
from html import unescape

import httpx
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.answer import two_sided
from sottovoce.base.errors import InvalidInput
from sottovoce.service.analysis import calculating
from sottovoce.service.analysis.calculating import Asked, calculate
from sottovoce.service.analysis.shifts import shifts_of
from sottovoce.service.analysis.worker import Apart
from sottovoce.service.pages import calculator
from sottovoce.service.pages.charts.lines import Line, lines
from sottovoce.service.routes import ROUTES
from sottovoce.surveys.survey import Survey
from support.loading import running

Z = two_sided(0.95)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("calculator")) as found:
        yield found


@pytest.fixture(scope="module")
def http(collector):
    with httpx.Client(base_url=collector.url, timeout=60) as client:
        yield client


@pytest.fixture
def in_process(monkeypatch):
    """The calculator in a thread of this process, where it can be patched."""
    monkeypatch.setattr(Apart, "ask", lambda _, question: calculator.answer(question))


def asked(http, **fields):
    """The page of a question, when it has its numbers."""
    for _ in range(300):
        page = http.get("/calculator", params=fields)
        if "Computing results" not in page.text:
            return page
        time.sleep(0.1)
    raise AssertionError("the numbers never came")


def notice(page):
    return unescape(re.search(r'class="notice" role="status">([^<]*)<', page.text).group(1))


def table(page):
    rows = re.findall(r"<tr><th scope=\"row\"[^>]*>(.*?)</tr>", page.text)
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in re.split(r"</t[hd]>", row) if cell] for row in rows]  # fmt: skip


# -- what it tells -------------------------------------------------------------------------


def test_the_empty_page_shows_something_useful(http):
    page = asked(http)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    plan = sv.plan(sv.Categories(10), epsilon=1.0, users=10_000)
    best = plan.prospects[0]
    said = f"±{100 * Z * best.rms_error:.3g} points"
    assert notice(page).startswith("10,000 people at epsilon 1") and said in notice(page)
    assert [row[0] for row in table(page)] == [each.name for each in plan.prospects]
    assert table(page)[0][1:] == [
        f"{100 * best.rms_error:.3g} points",
        said,
        f"{best.report_bytes}",
    ]
    assert "at most 2.72 times as likely" in page.text and "<svg" in page.text
    assert "If 1 in 100 reports is fake" in page.text
    assert "<script" not in page.text and "style=" not in page.text


def test_people_are_found_as_a_plan_finds_them(http):
    page = asked(http, kind="categories", values="10", epsilon="1", users="", error="1")
    plan = sv.plan(sv.Categories(10), epsilon=1.0, error=0.01 / Z)
    assert notice(page).startswith(f"{plan.users:,} people are needed")
    assert [row[-1] for row in table(page)] == [
        "never" if each.needed is None else f"{each.needed:,.0f}" for each in plan.prospects
    ]


@pytest.mark.parametrize(
    "question",
    [
        Asked("categories", 10, 0, 1, "shares", None, 100_000, 0.005),
        Asked("categories", 2, 0, 1, "shares", None, 1_000, 0.03),
        pytest.param(
            Asked("numbers", 8, 0, 100, "mean", None, 10_000, 2.0), marks=pytest.mark.slow
        ),
    ],
)
def test_epsilon_is_found_as_a_plan_finds_it_but_for_its_digits(question):
    found = calculate(question)
    plan = sv.plan(question.domain, users=question.users, error=question.error, goal=question.goal)
    assert plan.epsilon <= found.epsilon * (1 + 1e-9)
    assert found.epsilon < 1.02 * plan.epsilon  # a hundredth: three digits, and the last step
    assert found.rows[0].error <= question.error
    assert len(f"{found.epsilon:g}".replace(".", "").strip("0")) <= 3


@pytest.mark.parametrize("goal", ["range", "distribution"])
def test_errors_of_ranges_are_those_of_a_plan(goal):
    """A plan ranks the same mechanisms by the same errors; for so many users it simulates none."""
    users = 2 * 10**9
    found = calculate(Asked("numbers", 8, 0, 100, goal, 1.0, users, None))
    plan = sv.plan(sv.Interval(0, 100, 8), epsilon=1.0, users=users, goal=goal)
    known = {each.paper_name: each for each in plan.prospects}
    assert len(found.rows) > 5
    for row in found.rows:
        assert not known[row.paper_name].simulated
        assert row.error == pytest.approx(known[row.paper_name].rms_error, rel=1e-6)
    assert [row.error for row in found.rows] == sorted(row.error for row in found.rows)


def test_the_lines_of_the_chart_are_errors():
    question = Asked("categories", 16, 0, 1, "shares", 1.0, 1_000, None)
    found = calculate(question)
    for name, line in found.lines:
        for epsilon, error in line:
            rows = sv.plan(sv.Categories(16), epsilon=epsilon, users=1_000).prospects
            assert error == pytest.approx(next(r.rms_error for r in rows if r.name == name))
    assert {epsilon for epsilon, _ in found.lines[0][1]} == set(calculating.EPSILONS)


def test_numbers_and_their_mean(http):
    page = asked(
        http, kind="numbers", low="-5", high="5", bins="8", goal="mean", epsilon="2", users="5,000"
    )
    assert page.status_code == 200
    assert re.match(
        r"5,000 people at epsilon 2 estimate the mean within ±0\.\d+, 95%", notice(page)
    )
    assert "points" not in notice(page)
    assert "the mean can be pushed up by at most" in page.text


def test_mechanisms_whose_epsilon_was_not_searched_are_told_by_their_error(http):
    """So many people that the least epsilon is enough for all that are told."""
    page = asked(http, values="10", users="1000000000", error="5")
    assert notice(page).startswith("Epsilon 0.01 is enough to know") and "needed" not in notice(
        page
    )
    rows = {row[0]: row for row in table(page)}
    reaches = {name: float(row[2].strip("±").split()[0]) for name, row in rows.items()}
    told = {name: row[-1] for name, row in rows.items()}
    assert told == {
        name: "at most 0.01" if reach <= 5 else "above 0.01" for name, reach in reaches.items()
    }
    searched = calculate(Asked("categories", 10, 0, 1, "shares", None, 10**9, 0.05 / Z)).rows
    assert any(row.needed is None and row.error <= 0.05 / Z for row in searched)


def test_needed_epsilons_are_above_the_one_found_or_at_most_it(http):
    question = Asked("categories", 10, 0, 1, "shares", None, 100_000, 0.01 / Z)
    found = calculate(question)
    page = asked(http, values="10", users="100000", error="1")
    assert notice(page).startswith(f"Epsilon {found.epsilon:g} is needed to know")
    for row, (*_, told) in zip(found.rows, table(page), strict=True):
        side = "at most" if row.error <= question.error else "above"
        known = row.needed is not None
        assert told == (f"{row.needed:.3g}" if known else f"{side} {found.epsilon:g}")
    assert any(row.needed is None for row in found.rows)


@pytest.mark.parametrize("name, how", [("hh", "tried"), ("haar", "exact")])
def test_whose_reports_lies_push_is_told_as_it_was_found(http, in_process, monkeypatch, name, how):
    shifts = shifts_of(sv.mechanism(name, sv.Interval(0, 100, 16), 1.0))
    assert {each.how for each in shifts} == {how}
    monkeypatch.setattr(
        calculator, "calculate", lambda asked: replace(calculate(asked), influences=shifts)
    )
    assert_told(asked(http, values="31" if how == "tried" else "32"), how)


def test_a_page_of_a_survey_tells_it_likewise(tmp_path):
    domain = sv.Interval(0, 100, 16)
    told = {"hh": "tried", "haar": "exact", "sr": "exact"}
    surveys = {name: Survey(name, "Which?", sv.mechanism(name, domain, 1.0)) for name in told}
    with (
        running(tmp_path, *surveys.values(), open_reading=True) as found,
        httpx.Client(base_url=found.url, timeout=60) as http,
    ):
        for name, how in told.items():
            address = f"/dashboard/{surveys[name].fingerprint}"
            page = http.get(address)
            for _ in range(300):
                if "refresh" not in page.headers:
                    break
                time.sleep(0.1)
                page = http.get(address)
            assert_told(page, how)


def assert_told(page, how):
    assert ("for any honest answers" in page.text) == (how == "exact")
    assert ("other honest answers, may move them farther" in page.text) == (how == "tried")


def test_the_same_people_in_several_windows(http):
    """All four designs, with the numbers of a plan; nothing of it where people are asked once."""
    page = asked(http, values="10", epsilon="1", users="100,000", windows="30", lifetime="2")
    plan = sv.plan_windows(sv.Categories(10), 30, lifetime=2.0, epsilon=1.0, users=100_000)
    rows = {row[0]: row[1:] for row in table(page)}
    for each in plan.designs:
        variances = (each.window_variance, each.mean_variance, each.change_variance)
        told = [f"±{100 * Z * math.sqrt(v / 100_000):.3g} points" for v in variances]
        one = f"{each.mechanism.epsilon:.3g}"
        wanted = [*told, one, f"{each.total_epsilon:.4g}", f"{each.reports:,}"]
        assert rows[each.name][:-1] == wanted
    assert rows["memory"][-1] == "memoized (local-hashing)"
    assert "Fresh reports cost a person 30 in 30 windows" in page.text
    assert "at most 2.72 times" in page.text and "all reports together at most 7.39" in page.text
    once = asked(http, values="10", epsilon="1", users="100,000", windows="1", lifetime="2")
    assert "cohorts" not in once.text
    found = asked(http, values="10", users="100000", error="1", windows="7")  # epsilon is found
    epsilon = calculate(Asked("categories", 10, 0, 1, "shares", None, 100_000, 0.01 / Z)).epsilon
    rows = {row[0]: row for row in table(found)}
    assert rows["cohorts"][4] == f"{2 * epsilon:.3g}" and rows["fresh"][4] == f"{epsilon:.3g}"


# -- what is wrong ---------------------------------------------------------------------------

WRONG = [
    ({"values": "ten"}, "values", "a whole number from 2 to 10,000"),
    ({"values": "1"}, "values", "a whole number from 2 to 10,000"),
    ({"values": "1000000000"}, "values", "a whole number from 2 to 10,000"),
    ({"values": ""}, "values", "Fill this in"),
    ({"values": "9" * 5000}, "values", "a whole number"),
    ({"epsilon": "0", "users": "100"}, "epsilon", "from 0.01 to 20"),
    ({"epsilon": "50", "users": "100"}, "epsilon", "from 0.01 to 20"),
    ({"epsilon": "nan", "users": "100"}, "epsilon", "from 0.01 to 20"),
    ({"epsilon": "much", "users": "100"}, "epsilon", "from 0.01 to 20"),
    ({"epsilon": "1", "users": "0"}, "users", "a whole number from 1"),
    ({"epsilon": "1", "users": "1.5"}, "users", "a whole number from 1"),
    ({"epsilon": "1", "users": "1e400"}, "users", "a whole number from 1"),
    ({"epsilon": "1", "error": "0"}, "error", "Give a number from"),
    ({"epsilon": "1", "error": "80"}, "error", "Give a number from"),
    ({"epsilon": "1", "users": "100", "error": "1"}, "error", "Leave one of the three empty"),
    ({"epsilon": "1"}, "users", "Give two of the three"),
    ({"epsilon": "", "users": "", "error": ""}, "epsilon", "Give two of the three"),
    ({"users": "10", "error": "0.001"}, "error", "10 people do not reach it even at epsilon 20"),
    ({"kind": "pairs"}, "kind", "Choose one of categories, numbers"),
    ({"goal": "luck"}, "goal", "Choose one of shares"),
    ({"goal": "mean"}, "goal", "Categories have shares only"),
    ({"kind": "numbers", "low": "5", "high": "5"}, "high", "above 5"),
    ({"kind": "numbers", "low": "", "high": "5"}, "low", "Fill this in"),
    ({"kind": "numbers", "low": "inf"}, "low", "Give a number from"),
    ({"kind": "numbers", "low": "1", "high": "5", "bins": "5"}, "bins", "bounds from 0.5 to 5.5"),
    ({"kind": "numbers", "bins": "100000"}, "bins", "a whole number from 2 to 256"),
    ({"windows": "1001"}, "windows", "a whole number from 1 to 1,000"),
    ({"windows": "0"}, "windows", "a whole number from 1 to 1,000"),
    ({"windows": "7", "kind": "numbers", "goal": "mean"}, "windows", "shares of answers only"),
    ({"windows": "7", "lifetime": "30"}, "lifetime", "from 0.01 to 20"),
    (
        {"epsilon": "1", "users": "100", "windows": "7", "lifetime": "1"},
        "lifetime",
        "more than the epsilon of one",
    ),
    (
        {"users": "100", "error": "5", "windows": "7", "lifetime": "0.1"},
        "lifetime",
        "above epsilon =",
    ),
]


@pytest.mark.parametrize("fields, name, message", WRONG)
def test_what_is_wrong_is_told_beside_its_field(http, fields, name, message):
    page = asked(http, **fields)
    assert page.status_code == 400
    told = re.search(rf'role="alert" id="{name}-problem">([^<]*)<', page.text)
    assert told is not None and message in unescape(told.group(1))
    tag = re.search(rf'<(?:input|select) id="{name}"[^>]*>', page.text).group(0)
    assert 'aria-invalid="true"' in tag and f'aria-describedby="{name}-problem' in tag
    for other, value in fields.items():  # what was typed is kept
        if other not in ("kind", "goal"):
            field = re.search(rf'<input id="{other}"[^>]*>', page.text).group(0)
            assert f'value="{value[:40]}"' in field
    assert "<svg" not in page.text


def test_markup_is_text(http):
    page = asked(http, values='"><script>alert(1)</script>')
    assert page.status_code == 400
    assert "<script" not in page.text and "&lt;script&gt;" in page.text


def test_parameters_that_are_no_fields_are_refused_on_a_page(http):
    page = http.get("/calculator", params={"colour": "red"})
    assert page.status_code == 400 and "text/html" in page.headers["content-type"]


def test_every_field_is_a_parameter_of_the_route_and_in_the_form(http):
    (route,) = (each for each in ROUTES if each.path == "/calculator")
    assert not route.role
    names = [each.name for each in route.parameters]
    page = asked(http)
    assert names == [*calculator.FIELDS, "wait"]
    for name in calculator.FIELDS:
        assert f'<label for="{name}">' in page.text and f'name="{name}"' in page.text


# -- work ------------------------------------------------------------------------------------


def test_no_key_and_no_store(collector, http, monkeypatch):
    """The page is for anybody, and asks the store nothing."""
    monkeypatch.setattr(collector.app.collector_state, "store", None)
    assert asked(http, values="7").status_code == 200


def test_the_same_question_is_worked_out_once(http, in_process, monkeypatch):
    done = []

    def counted(question):
        done.append(question)
        return calculate(question)

    monkeypatch.setattr(calculator, "calculate", counted)
    for _ in range(3):
        asked(http, values="23")
    assert len(done) == 1


def test_what_takes_long_comes_later_and_too_much_at_once_is_not_begun(
    http, in_process, monkeypatch
):
    go, begun = threading.Event(), []

    def slow(question):
        begun.append(question)
        go.wait(30)
        return calculate(question)

    monkeypatch.setattr(calculator, "calculate", slow)
    try:
        for size in range(100, 113):
            page = http.get("/calculator", params={"values": str(size)})
            if size < 109:  # one is worked out, eight wait
                assert page.status_code == 200 and "Computing results" in page.text
                assert page.headers["refresh"] == f"1; url=?values={size}&wait=1"
            else:
                assert page.status_code == 429 and page.headers["retry-after"]
    finally:
        go.set()
    assert asked(http, values="100").status_code == 200
    assert asked(http, values="112").status_code == 200  # not taken on at first, now it is
    assert 2 <= len(begun) <= 11


def test_work_that_fails_is_told_and_not_promised(http, in_process, monkeypatch):
    """A mistake of the collector's own: a page that says so, and does not come again by itself."""

    def broken(question):
        raise RuntimeError("a mistake")

    with monkeypatch.context() as patched:
        patched.setattr(calculator, "calculate", broken)
        for _ in range(2):
            page = asked(http, values="41")
            assert page.status_code == 500 and "refresh" not in page.headers
            assert "text/html" in page.headers["content-type"] and "a mistake" not in page.text
    for _ in range(100):  # it rests for a multiple of what the failure took
        mended = asked(http, values="41")
        if mended.status_code == 200:
            break
        time.sleep(0.1)
    assert mended.status_code == 200  # worked out anew


def test_a_collector_that_stops_begins_nothing_more(tmp_path, in_process, monkeypatch):
    begun = []

    def slow(question):
        begun.append(question)
        time.sleep(0.5)
        return calculate(question)

    monkeypatch.setattr(calculator, "calculate", slow)
    with running(tmp_path) as found, httpx.Client(base_url=found.url, timeout=60) as http:
        for size in range(2, 8):
            http.get("/calculator", params={"values": str(size)})
    time.sleep(0.1)
    known = len(begun)
    time.sleep(1.0)
    assert len(begun) <= known + 1 < 6


# -- its chart -------------------------------------------------------------------------------


def drawn(series, **more):
    return lines(
        series, name="errors", title="Errors", description="All.", across_is="x", down_is="y",
        write_x=str, write_y=str, **more,
    )  # fmt: skip


def test_lines_are_drawn_on_logarithms():
    svg = drawn([Line("<a>", ((1, 1), (10, 10), (100, 100)))], mark=10.0)
    path = re.search(r'd="M([^"]*)"[^>]*class="line"', svg).group(1)
    points = np.array([[float(x) for x in point.split()] for point in path.split("L")])
    steps = np.diff(points, axis=0)
    assert np.allclose(steps[0], steps[1], atol=1.5) and steps[0][0] > 0 > steps[0][1]
    assert "&lt;a&gt;" in svg and "<a>" not in svg
    assert 'class="foot"' in svg and 'x1="50%"' in svg


def test_lines_differ_by_their_dashes():
    series = [Line(str(k), ((1, k), (2, k))) for k in range(1, 7)]
    assert len(set(re.findall(r'stroke-dasharray="([^"]*)"', drawn(series)))) == 6


@pytest.mark.parametrize(
    "series",
    [
        [],
        [Line("a", ((1, 1),))],
        [Line("a", ((0, 1), (1, 1)))],
        [Line("a", ((1, 1), (2, float("nan"))))],
        [Line("a", ((1, 1), (2, 2)))] * 7,
    ],
)
def test_lines_that_cannot_be_drawn_are_refused(series):
    with pytest.raises(InvalidInput, match="of chart lines"):
        drawn(series)
