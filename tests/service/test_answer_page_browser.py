"""The page to answer on in a real browser: every kind of question, by keyboard, and what it says afterwards.

``SOTTOVOCE_PICTURES=docs/images`` makes the pictures of the documentation again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.store import Rules
from sottovoce.surveys.survey import Survey
from support.answering import Respondent, kinds, unasked
from support.browsing import DESKTOP, PHONE, browsing, open_details, violations
from support.dashboards import HOSTILE
from support.loading import running

pytestmark = pytest.mark.slow
KINDS = kinds()
TEA = KINDS["radios"]
WIDTHS = {"light": (PHONE, DESKTOP), "dark": (PHONE, 320)}


@pytest.fixture(scope="module")
def browser():
    with browsing() as started:
        yield started


@pytest.fixture(scope="module")
def collector(tmp_path_factory, browser):
    surveys = [*(kind.survey for kind in KINDS.values()), *unasked().values()]
    with running(tmp_path_factory.mktemp("answer"), *surveys) as found:
        yield found


@pytest.fixture
def person(browser, collector):
    with Respondent(browser, collector) as found:
        yield found


# -- every kind of question --------------------------------------------------------------------


def check_looks(page, widths):
    """Nothing for axe to find, and nothing wider than the page."""
    open_details(page)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 844})
        assert violations(page) == [], width
        wide = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1] == width


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_can_be_answered_and_looks_right(browser, collector, name):
    kind = KINDS[name]
    for scheme, widths in WIDTHS.items():
        with Respondent(browser, collector, color_scheme=scheme) as person:
            before = person.stored(kind.survey)
            page = person.visit(kind.survey)
            assert page.locator(f"#ask {kind.control}").count() > 0
            check_looks(page, widths)
            kind.answer(page)
            person.send()
            page.get_by_role("heading", name="Sent").wait_for()
            assert person.stored(kind.survey) == before + 1
            check_looks(page, widths)


@pytest.mark.parametrize("name", unasked())
def test_what_no_form_can_ask_is_said(person, name):
    survey = unasked()[name]
    page = person.page
    page.goto(f"{person.root}surveys/{survey.fingerprint}/answer")
    said = {"delta": "This page cannot ask this survey", "long vector": "by programs only"}[name]
    page.get_by_text(said).wait_for()
    assert page.locator("form").count() == 0
    assert violations(page) == []


@pytest.mark.parametrize(
    ("name", "field", "value", "said"),
    [
        ("search", "Your answer", "nowhere", "not one of the values"),
        ("interval", "Your answer", "24.5", "24"),
        ("counts", "Your answer", "1.5", "1 and 2"),
        ("numbered", "Your answer", "1000", "999"),
        ("date", "Your answer", "2027-01-01", "2026"),
        ("rent", "Your answer", "-0.5", "0"),
        ("vector", "Number 2", "-1", "0"),
    ],
)  # fmt: skip
def test_what_is_not_an_answer_is_not_drawn(person, name, field, value, said):
    page = person.visit(KINDS[name].survey)
    KINDS[name].answer(page)
    page.get_by_label(field, exact=True).fill(value)
    person.send()
    assert said in page.get_by_label(field, exact=True).evaluate("each => each.validationMessage")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    assert person.uploads == []
    KINDS[name].answer(page)
    person.send()
    page.get_by_role("heading", name="Sent").wait_for()


def test_a_pair_is_named_once(person):
    page = person.visit(KINDS["pairs"].survey)
    KINDS["pairs"].answer(page)
    assert not page.get_by_role("button", name="Add a pair").is_visible()
    page.get_by_label("What", exact=True).nth(1).select_option(label="bus")
    person.send()
    assert "once" in page.get_by_label("What", exact=True).nth(1).evaluate(
        "each => each.validationMessage"
    )
    page.get_by_role("button", name="Remove the last pair").click()
    assert page.get_by_label("What", exact=True).count() == 1
    person.send()
    page.get_by_role("heading", name="Sent").wait_for()


def test_hostile_names_are_text(person):
    page = person.answer(KINDS["hostile"])
    open_details(page)
    assert page.locator("body script, img, style, iframe, [onerror], [onload]").count() == 0
    assert HOSTILE in page.locator("#ask").inner_text()
    assert page.title().startswith("<script>alert(1)</script>")
    directions = page.evaluate(
        "[...document.querySelectorAll('#ask bdi')].map(each => getComputedStyle(each).unicodeBidi)"
    )
    assert directions and all("isolate" in each or each == "plaintext" for each in directions)


def test_pictures_of_the_documentation(browser, collector, tmp_path):
    folder = Path(os.environ.get("SOTTOVOCE_PICTURES", tmp_path))
    for name, width, height in (("answer", 1200, 800), ("answer-phone", PHONE, 844)):
        with Respondent(browser, collector, width=width, color_scheme="light") as person:
            page = person.visit(TEA.survey)
            page.get_by_label("tea", exact=True).check()
            if width == PHONE:
                person.send()
                page.get_by_role("heading", name="Sent").wait_for()
            page.get_by_text(collector.url.partition("//")[2], exact=True).evaluate("each => { each.textContent = 'collector.example'; }")  # fmt: skip
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=folder / f"{name}.png")
        assert 10_000 < (folder / f"{name}.png").stat().st_size < 170_000


# -- by keyboard, and without script -------------------------------------------------------------


def test_the_whole_way_by_keyboard(person):
    page = person.visit(TEA.survey)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    shown = "getComputedStyle(document.activeElement.closest('label')).outlineStyle"
    assert page.evaluate(shown) == "solid"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Sent").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Sent"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Withdraw"
    assert not page.get_by_text("It was drawn at random").is_visible()


def test_without_script_there_is_all_to_read_and_nothing_to_send(browser, collector):
    with Respondent(browser, collector, java_script_enabled=False) as person:
        page = person.page
        page.goto(f"{person.root}surveys/{TEA.survey.fingerprint}/answer")
        words = page.locator("main").inner_text()
        assert TEA.survey.question in words
        assert "tea\ncoffee\nwater\nother" in words
        assert "allow JavaScript for this page" in words
        assert page.locator("form, button, input").count() == 0
        assert page.locator("svg[role=img] > title").count() == 2


# -- what it says afterwards -----------------------------------------------------------------------


def test_every_byte_that_was_sent_is_shown(person):
    page = person.answer(TEA)
    details = page.locator("#ask details")
    assert [each.evaluate("each => each.open") for each in details.all()] == [False] * 3
    assert details.locator("> summary").all_inner_texts() == [
        "Withdraw", "What was sent, byte by byte", "What this browser sent (1)",
    ]  # fmt: skip
    open_details(page)
    (upload,) = person.uploads
    shown = details.nth(1).locator("tbody code").all_inner_texts()
    assert bytes.fromhex("".join(shown)) == upload
    assert details.nth(2).locator("tbody code").inner_text() == upload.hex()
    assert "The report says: " in details.nth(1).inner_text()
    words = page.locator("#ask").inner_text()
    assert "It cost epsilon 1. This browser has spent 1 on this site so far." in words
    assert "You can answer again next week." in words


def test_a_second_visit_shows_the_report_and_sends_nothing(person):
    page = person.answer(TEA)
    (upload,) = person.uploads
    page = person.visit(TEA.survey)
    assert page.get_by_role("heading", name="Sent").is_visible()
    assert page.locator("form").count() == 0
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    open_details(page)
    assert upload.hex() in page.locator("#ask").inner_text()
    assert person.uploads == [upload]


def test_a_report_that_is_withdrawn_is_deleted_and_stays_spent(person):
    page = person.answer(TEA)
    before = person.stored(TEA.survey)
    page.locator("summary", has_text="Withdraw").click()
    page.get_by_role("button", name="Withdraw this report").click()
    page.get_by_role("heading", name="Withdrawn").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Withdrawn"
    assert person.status == "Your report is withdrawn: the collector does not have it."
    assert person.stored(TEA.survey) == before - 1
    page = person.visit(TEA.survey)
    assert page.get_by_role("heading", name="Withdrawn").is_visible()
    assert page.locator("form").count() == 0
    assert "This browser has spent 1 on this site so far." in page.locator("#ask").inner_text()
    assert page.get_by_role("button", name="Withdraw this report").count() == 0
    assert violations(page) == []
    assert len(person.uploads) == 1


def test_all_surveys_are_in_the_list_and_share_the_limits(person):
    person.answer(TEA)
    page = person.answer(KINDS["ratings"])
    page.get_by_text("What this browser sent (2)").click()
    assert set(page.locator("details[open] tbody th").all_inner_texts()) == {"Drinks", "Stars"}
    assert "This browser has spent 2 on this site so far." in page.locator("#ask").inner_text()
    page = person.visit(KINDS["list"].survey)
    KINDS["list"].answer(page)
    person.send()
    page.get_by_text("The limits of this browser do not allow this report").wait_for()
    assert "so nothing was drawn or sent." in person.status
    assert len(person.uploads) == 2
    assert violations(page) == []


def test_two_clicks_send_one_report(person):
    page = person.visit(TEA.survey)
    TEA.answer(page)
    page.get_by_role("button", name="Randomize and send").dblclick()
    page.get_by_role("heading", name="Sent").wait_for()
    page.wait_for_timeout(300)
    assert len(person.uploads) == 1


def test_another_browser_has_its_own_ledger(browser, collector):
    """As a private window has one, which is gone when it is closed: the page says so before."""
    for _ in range(2):
        with Respondent(browser, collector) as person:
            page = person.visit(TEA.survey)
            assert "A private window forgets it when it is closed." in page.inner_text("form")
            person.answer(TEA)
            assert len(person.uploads) == 1


# -- tokens ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def invited(tmp_path_factory, browser):
    mechanism = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    survey = Survey("Invited", "What do guests drink?", mechanism)
    rules = Rules(upload="tokens")
    with running(tmp_path_factory.mktemp("tokens"), survey, rules=rules) as found:
        yield found, survey


def test_a_token_leaves_the_address_bar_and_goes_to_the_collector_only(browser, invited):
    collector, survey = invited
    token = collector.keys.issue_token(survey.fingerprint)
    with Respondent(browser, collector) as person:
        page = person.visit(survey, token)
        assert token not in page.url
        assert token not in page.evaluate("JSON.stringify([location.href, document.referrer, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])")  # fmt: skip
        page.get_by_label("tea").check()
        person.send()
        page.get_by_role("heading", name="Sent").wait_for()
        assert person.stored(survey) == 1
        carriers = [each for each in person.asked if token in str(each.all_headers()) + each.url]
        assert [each.url for each in carriers] == [f"{person.root}reports"]
        page.go_back()
        assert token not in page.url


def test_without_a_token_nothing_is_drawn(browser, invited):
    collector, survey = invited
    with Respondent(browser, collector) as person:
        page = person.visit(survey)
        assert person.status == "This survey needs the link with a token that you were given, so nothing was drawn or sent."  # fmt: skip
        assert page.locator("form").count() == 0
        token = collector.keys.issue_token(survey.fingerprint)
        page.evaluate(f"location.hash = '#{token}'")  # the link, opened in this tab
        page.locator("form").wait_for()
        assert token not in page.url
        assert person.uploads == []


def test_a_token_that_was_used_leaves_the_report_here(browser, invited):
    collector, survey = invited
    token = collector.keys.issue_token(survey.fingerprint)
    said = []
    for _ in range(2):
        with Respondent(browser, collector) as person:
            page = person.visit(survey, token)
            page.get_by_label("tea").check()
            person.send()
            page.locator("#ask h2:not([hidden])").wait_for()
            said.append(
                (page.locator("#ask h2").inner_text(), person.status, person.stored(survey))
            )
    (first, _, stored), (second, why, still) = said
    assert (first, second, still) == ("Sent", "Kept in this browser", stored)
    assert why.startswith("The collector wants a token that is valid and was not used")
