"""A form of several questions in a real browser: all to be answered before anything is drawn, by keyboard and on a phone."""

from __future__ import annotations

import re

import pytest

from support.answering import Respondent, kinds, question
from support.browsing import PHONE, browsing, open_details, violations
from support.loading import running

pytestmark = pytest.mark.slow
TEN, PETS, ILL = (kinds()[name] for name in ("record", "choices", "sensitive"))
NAMES = [TEN.survey.text_of(name) for name in TEN.survey.mechanism.domain.names]


@pytest.fixture(scope="module")
def browser():
    with browsing() as started:
        yield started


@pytest.fixture(scope="module")
def collector(tmp_path_factory, browser):
    surveys = (each.survey for each in (TEN, PETS, ILL))
    with running(tmp_path_factory.mktemp("questions"), *surveys) as found:
        yield found


@pytest.fixture
def person(browser, collector):
    with Respondent(browser, collector, width=PHONE) as found:
        yield found


def focused(page):
    """The question that holds the focus."""
    return page.evaluate("document.activeElement.closest('fieldset').querySelector('bdi').textContent")  # fmt: skip


def errors(page):
    return page.locator("#ask .error:visible")


def test_every_question_is_a_group_with_its_number(person):
    page = person.visit(TEN.survey)
    legends = page.locator("#ask .questions > fieldset > legend").all_inner_texts()
    names = [re.sub(r"\s+", " ", each) for each in legends]
    assert names == [f"{i} of 10 {name}" for i, name in enumerate(NAMES, 1)]
    assert question(page, "Do you smoke?").locator("input[type=radio]").count() == 2
    assert question(page, "How do you feel").locator(".scale input, input").count() == 5
    assert page.get_by_text("0 of 10 questions answered.").is_visible()
    question(page, "own a car").get_by_label("no", exact=True).check()
    question(page, "Do you smoke?").get_by_label("yes", exact=True).check()
    assert page.locator("#ask input:checked").count() == 2  # the groups do not share their buttons
    assert page.get_by_text("2 of 10 questions answered.").is_visible()


def test_nothing_is_drawn_before_all_questions_are_answered(person):
    page = person.visit(TEN.survey)
    person.send()
    assert errors(page).all_inner_texts() == ["Please answer this question."] * 10
    assert (
        person.status == "10 questions have no possible answer yet, so nothing was drawn or sent."
    )
    assert focused(page) == NAMES[0]
    assert violations(page) == []
    TEN.answer(page)
    assert errors(page).count() == 0
    assert person.status == ""
    wrong = (("old", "121", "A number from 0 to 120"), ("people live", "2.5", "A whole number from 0 to 20"),
             ("born", "nowhere", "One of 300 values"), ("move", "1999-12-31", "A date from 2000-01-01 to 2026-12-31, seen through 27 years"),
             ("rent", "-1", "A number from 0 up, in EUR, seen through 6 bins of different widths, the last of them 2000 or more"))  # fmt: skip
    for name, text, _ in wrong:
        question(page, name).locator("input").fill(text)
    person.send()
    for name, text, said in wrong:
        group = question(page, name)
        assert said in group.locator(".error").inner_text()
        field = group.locator("input")
        assert (field.get_attribute("aria-invalid"), field.input_value()) == ("true", text)
        described = group.get_attribute("aria-describedby")
        assert group.locator(".error").get_attribute("id") == described
    assert person.status.startswith("5 questions have no possible answer yet")
    assert focused(page) == NAMES[0]
    assert violations(page) == []
    assert (person.uploads, person.stored(TEN.survey)) == ([], 0)


def test_one_record_is_one_report(person):
    page = person.answer(TEN)
    before = person.stored(TEN.survey)
    assert len(person.uploads) == 1
    open_details(page)
    words = page.locator("#ask").inner_text()
    assert re.search(r'The report says: about "[^"]+": .+\. It was drawn at random', words)
    assert "It cost epsilon 2. This browser has spent 2 on this site so far." in words
    page = person.visit(TEN.survey)
    assert page.get_by_role("heading", name="Sent").is_visible()
    assert (len(person.uploads), person.stored(TEN.survey)) == (1, before)


def test_the_whole_way_by_keyboard(person):
    """Tab through all questions, arrows and digits to answer, Enter to send."""
    page = person.visit(TEN.survey)
    page.locator("#ask input").first.focus()
    for name in NAMES:
        assert focused(page) == name
        kind = page.evaluate("document.activeElement.type")
        if kind == "radio":
            page.keyboard.press("Space")
        elif kind == "select-one":
            page.keyboard.press("ArrowDown")
        else:
            page.keyboard.type({"text": "place 17", "date": "05312021"}.get(kind, "7"))
        while (
            page.evaluate("document.activeElement.closest('fieldset') !== null")
            and focused(page) == name
        ):
            page.keyboard.press("Tab")  # a date has a part for the day, the month and the year
    assert page.get_by_text("10 of 10 questions answered.").is_visible()
    assert page.evaluate("document.activeElement.textContent") == "Randomize and send"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Sent").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Sent"


@pytest.mark.parametrize("width", [320, PHONE])
def test_ten_questions_fit_a_phone(person, width):
    page = person.visit(TEN.survey)
    page.set_viewport_size({"width": width, "height": 844})
    person.send()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    form = page.locator("#ask form").bounding_box()
    assert form["height"] < 4.2 * 844  # with an error below each question
    for label in page.locator("#ask .questions label:has(input[type=radio])").all():
        assert label.bounding_box()["height"] >= 44
    top = question(page, "How old are you?").bounding_box()["y"]
    assert 0 <= top < 844 / 2  # the first question that is open was brought into view


# -- boxes, and answers that are not protected ---------------------------------------------------


def test_boxes_are_ticked_or_none_is(person):
    page = person.visit(PETS.survey)
    none = page.get_by_label("none of these", exact=True)
    cat, dog, fish = (page.get_by_label(each, exact=True) for each in ("cat", "dog", "fish"))
    said = "document.querySelector('#ask .choices input').validationMessage"
    person.send()
    assert page.evaluate(said) == "Tick what applies, or none of these."
    for each in (cat, dog, fish):
        each.check()
    person.send()
    assert page.evaluate(said) == "Tick at most 2."
    none.check()
    assert not cat.is_checked() and not fish.is_checked()
    fish.check()
    assert not none.is_checked()
    none.check()
    assert (person.uploads, violations(page)) == ([], [])
    person.send()
    page.get_by_role("heading", name="Sent").wait_for()
    assert len(person.uploads) == 1


def test_what_is_protected_is_read_before_there_are_answers_to_choose(person):
    page = person.visit(ILL.survey)
    words = page.locator("main").inner_text()
    assert "Only these answers are protected: HIV (1 of 3 answers)." in words
    assert "only a random report leaves it" not in words
    radios = page.locator("#ask .gated input")
    assert radios.count() == 3
    assert all(each.is_disabled() for each in radios.all())
    person.send()
    assert page.evaluate("document.activeElement.type") == "checkbox"
    assert person.uploads == []
    ILL.answer(page)
    assert all(each.is_enabled() for each in radios.all())
    assert violations(page) == []
    person.send()
    page.get_by_role("heading", name="Sent").wait_for()
    open_details(page)
    assert "if it shows an answer that is not protected, that one is yours" in page.inner_text(
        "#ask"
    )
