"""The page to answer on, day after day: who is asked when, and what is kept."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.surveys.survey import Survey
from support.answering import Respondent
from support.browsing import DESKTOP, PHONE, browsing, open_details, violations
from support.loading import running

pytestmark = pytest.mark.slow
DRINKS = sv.Categories(["tea", "coffee", "water"])
COHORTS = Survey("Daily", "What did you drink this morning?", sv.mechanism("grr", DRINKS, 1.0), "day", 1, ask="1/3")  # fmt: skip
MEMORY = Survey("Usual", "What do you usually drink?", sv.mechanism("memoized", DRINKS, 1.0, lifetime=2.0), "day", 1)  # fmt: skip
CHANGING = Survey("Changing", "And now?", MEMORY.mechanism, "day", 1, changes=1, period=2)
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def browser():
    with browsing() as started:
        yield started


class Days:
    """A person, and the day it is for them and for the collector."""

    def __init__(self) -> None:
        self.now = NOON

    @contextmanager
    def person(self, browser, folder, **options):
        with (
            running(folder, COHORTS, MEMORY, CHANGING, clock=lambda: self.now) as collector,
            Respondent(browser, collector, **options) as found,
        ):
            self.found = found
            yield self

    def visit(self, survey, day):
        """The page on the day that is so many days after the first."""
        self.now = NOON + timedelta(day)
        self.found.page.clock.set_fixed_time(self.now)
        return self.found.visit(survey)

    def answer(self, value):
        page = self.found.page
        page.get_by_label(value, exact=True).check()
        self.found.send()
        page.get_by_role("heading", name="Sent").wait_for()
        return page.locator("#ask").inner_text()


@pytest.fixture
def days(browser, tmp_path):
    with Days().person(browser, tmp_path) as found:
        yield found


def check_looks(page, name):
    """Nothing for axe to find, on a phone and a desktop; a picture where one is wanted."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (PHONE, DESKTOP):
            page.set_viewport_size({"width": width, "height": 844})
            assert violations(page) == [], (scheme, width)
            assert page.evaluate("document.scrollingElement.scrollWidth") <= width
            folder = os.environ.get("SOTTOVOCE_SCREENSHOTS")
            if folder:
                path = Path(folder) / f"answer-{name}-{scheme}-{width}.png"
                page.screenshot(path=path, full_page=True)


def test_a_device_is_asked_on_one_day_of_three(days):
    asked = []
    for day in range(6):
        page = days.visit(COHORTS, day)
        if page.locator("form").count():
            said = days.answer("tea")
            asked.append(day)
            assert f"It is asked next on {(days.now + timedelta(3)).date()}." in said
            if len(asked) == 1:
                check_looks(page, "cohort-asked")
            continue
        following = asked[-1] + 3 if asked else None
        assert days.found.status.startswith(
            "Your device is not asked in this window, so nothing is sent. It is asked next on "
        )
        assert following is None or str((NOON + timedelta(following)).date()) in days.found.status
        if len(asked) == 1:
            check_looks(page, "cohort-not-asked")
    assert len(asked) == 2
    assert len(days.found.uploads) == days.found.stored(COHORTS) == 2


def test_the_window_may_end_while_the_form_is_open(days):
    day = next(day for day in range(3) if days.visit(COHORTS, day).locator("form").count())
    page = days.found.page
    page.clock.set_fixed_time(NOON + timedelta(day + 1))
    page.get_by_label("tea", exact=True).check()
    days.found.send()
    page.get_by_text("Your device is not asked in this window, so nothing is sent.").wait_for()
    assert page.locator("form").count() == 0
    assert days.found.uploads == []


def test_the_first_answer_is_kept_and_paid_for_once(days):
    page = days.visit(MEMORY, 0)
    assert (
        "Your first report is charged for all that follow: epsilon 2 for all reports, 1 for one."
        in page.inner_text("form")
    )
    check_looks(page, "memory-first")
    said = days.answer("tea")
    assert "It cost epsilon 2. This browser has spent 2 on this site so far." in said
    assert "You can answer again tomorrow. Asked again, the same randomized answer is kept." in said
    check_looks(page, "memory-sent")
    page = days.visit(MEMORY, 1)
    kept = "This browser keeps one randomized answer, drawn from your first: whatever you choose now, it is reported again. It costs nothing more."
    assert kept in page.inner_text("form")
    check_looks(page, "memory-again")
    said = days.answer("coffee")
    assert "It cost nothing more: your first report paid for all. This browser has spent 2" in said
    open_details(page)
    check_looks(page, "memory-kept")
    assert days.found.stored(MEMORY) == 2
    assert len(set(days.found.uploads)) == 2


def test_a_survey_that_costs_more_than_a_browser_gives_has_no_form(days):
    page = days.visit(CHANGING, 0)
    assert page.locator("form").count() == 0
    assert "for all its reports; this device gives at most 2 (maxEpsilon)" in days.found.status
    assert days.found.uploads == []
