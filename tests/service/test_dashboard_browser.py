"""The dashboard in a real browser: accessible, within its width, by keyboard, without script.

``SOTTOVOCE_SCREENSHOTS=folder`` keeps a picture of every page, at phone and desktop width, light
and dark.  ``SOTTOVOCE_PICTURES=docs/images`` makes the pictures of the documentation again.
"""

from __future__ import annotations

import csv
import os
import threading
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from sottovoce.service.pages import surveys
from support.browsing import (
    DESKTOP,
    PHONE,
    SCHEMES,
    Visit,
    addresses,
    browsing,
    dashboard,
    open_details,
    violations,
)

pytestmark = pytest.mark.slow

PAGES = addresses()
WIDTHS = (320, PHONE, 768, DESKTOP, 1920)


@pytest.fixture(scope="module")
def browser():
    with browsing() as started:
        yield started


@pytest.fixture(scope="module")
def board(tmp_path_factory, browser):
    """Everything there is, for anybody to see."""
    with dashboard(tmp_path_factory.mktemp("open"), open_reading=True) as (collector, _):
        yield collector.url


@pytest.fixture(scope="module")
def closed(tmp_path_factory, browser):
    """The same for those who sign in."""
    with dashboard(tmp_path_factory.mktemp("closed")) as (collector, _):
        yield collector


# -- every page ------------------------------------------------------------------------------------


def serious(found: list[str]) -> list[str]:
    return [each for each in found if each.startswith(("serious", "critical"))]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(browser, board, name):
    """Nothing serious at phone and desktop width, light and dark; and nothing lesser either."""
    for scheme in SCHEMES:
        for width in (PHONE, DESKTOP):
            with Visit(browser, board, width=width, color_scheme=scheme) as visit:
                page = visit.open(PAGES[name])
                open_details(page)
                found = violations(page)
                print(name, scheme, width, found or "nothing")
                assert not serious(found)
                assert not found


def test_axe_finds_what_is_wrong(browser, board):
    """The power of the test above: a page made worse is found out."""
    with Visit(browser, board) as visit:
        page = visit.open(PAGES["drinks"])
        page.evaluate("document.querySelector('label[for=question]').remove()")
        page.evaluate("document.querySelector('h1').style.color = '#ddd'")
        rules = [each.split(": ")[1].split(",")[0] for each in serious(violations(page))]
        assert {"select-name", "color-contrast"} <= set(rules)


_SMALL = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const here = node.parentElement, box = document.createRange();
    box.selectNodeContents(node);
    const seen = box.getBoundingClientRect();
    if (!node.data.trim() || !seen.width || here.closest('.visually-hidden')) continue;
    const drawn = here.ownerSVGElement ? here.getScreenCTM().d : 1;
    const size = parseFloat(getComputedStyle(here).fontSize) * drawn;
    if (size < 11) found.push([node.data.trim().slice(0, 40), size]);
  }
  return found;
}"""
_OUTSIDE = """() => {
  const found = [];
  for (const each of document.querySelectorAll('main *, header *, footer *')) {
    const box = each.getBoundingClientRect();
    if (!box.width || each.closest('.scroll, .visually-hidden, .skip')) continue;
    const frame = each.closest('figure');
    const edge = frame ? frame.getBoundingClientRect() : {left: 0, right: innerWidth};
    if (box.right > edge.right + 1 || box.left < edge.left - 1)
      found.push([each.tagName, each.textContent.slice(0, 40), box.left, box.right]);
  }
  return found;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_every_width(browser, board, name):
    """No page scrolls sideways, nothing sticks out of it or of a figure, no text is tiny."""
    with Visit(browser, board) as visit:
        page = visit.open(PAGES[name])
        open_details(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1] == width, (name, wide)
            assert page.evaluate(_OUTSIDE) == [], (name, width)
            assert page.evaluate(_SMALL) == [], (name, width)


def test_hostile_names_are_text(browser, board):
    with Visit(browser, board) as visit:
        for path in ("", PAGES["hostile"], PAGES["hostile differences"]):
            page = visit.open(path)
            assert page.locator("script, img, style, iframe, [onerror], [onload]").count() == 0
            assert "<script>alert(1)</script>" in page.locator("main").inner_text()
        page = visit.open(PAGES["hostile"])
        assert page.title().startswith("<script>alert(1)</script>")
        page.locator("main").hover()
        page.wait_for_timeout(300)  # time enough for what should not run


def test_screenshots_of_every_page(browser, board, tmp_path):
    folder = Path(os.environ.get("SOTTOVOCE_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        for width in (PHONE, DESKTOP):
            with Visit(browser, board, width=width, color_scheme=scheme) as visit:
                for name, path in PAGES.items():
                    picture = folder / f"{name.replace(' ', '-')}-{width}-{scheme}.png"
                    visit.open(path).screenshot(path=picture, full_page=True)
                    assert picture.stat().st_size > 5_000, "an empty page"
    print(f"{4 * len(PAGES)} pictures in {folder}")


def test_pictures_of_the_documentation(browser, board, tmp_path):
    folder = Path(os.environ.get("SOTTOVOCE_PICTURES", tmp_path))
    for name, width, height in (("dashboard", 1200, 960), ("dashboard-phone", PHONE, 1060)):
        with Visit(browser, board, width=width, color_scheme="light") as visit:
            page = visit.open(PAGES["commute"])
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=folder / f"{name}.png")
        assert 10_000 < (folder / f"{name}.png").stat().st_size < 170_000


# -- by keyboard -----------------------------------------------------------------------------------

_MARK = """() => {
  const found = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')];
  const seen = found.filter(each => each.checkVisibility());
  seen.forEach((each, place) => each.dataset.place = place);
  return seen.length;
}"""
_FOCUS = """() => {
  const here = document.activeElement, box = here.getBoundingClientRect();
  const style = getComputedStyle(here);
  return {
    place: Number(here.dataset.place ?? -1), tag: here.tagName, text: here.textContent.trim(),
    outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
    shown: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


@pytest.mark.parametrize("name", ["list", "commute", "places", "differences", "calculated"])
def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(browser, board, name):
    with Visit(browser, board) as visit:
        page = visit.open(PAGES[name])
        count = page.evaluate(_MARK)
        places = []
        for _ in range(count):
            page.keyboard.press("Tab")
            here = page.evaluate(_FOCUS)
            places.append(here["place"])
            assert here["outline"] >= 2 and here["shown"], here
        assert places == list(range(count))
        assert count >= 5


def test_the_skip_link_comes_first_and_leads_to_the_content(browser, board):
    with Visit(browser, board) as visit:
        page = visit.open(PAGES["commute"])
        page.keyboard.press("Tab")
        here = page.evaluate(_FOCUS)
        assert here["text"] == "Skip to content" and here["shown"]
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")


def test_enter_asks_and_a_space_opens_a_table(browser, board):
    with Visit(browser, board) as visit:
        page = visit.open(PAGES["ages"])
        page.locator("#text").focus()
        page.keyboard.type("20:60")
        page.keyboard.press("Enter")
        page.wait_for_url("**text=20%3A60**")
        assert page.locator("table", has_text="from 20 to 60").count() == 1
        assert page.evaluate("document.querySelector('#ask-heading').getBoundingClientRect().top") < 450  # fmt: skip
        page.locator("summary").first.focus()
        assert not page.locator("details table").first.is_visible()
        page.keyboard.press("Space")
        assert page.locator("details table").first.is_visible()


# -- without script --------------------------------------------------------------------------------


def test_the_whole_way_without_script(browser, closed, tmp_path):
    with Visit(browser, closed.url, java_script_enabled=False) as visit:
        page = visit.open("")
        assert page.locator("main").get_by_text("Sign in").count() == 1
        assert page.get_by_text("Reports", exact=True).count() == 0  # counts are for readers
        page.get_by_role("link", name="Commute", exact=True).click()
        page.get_by_label("Key of a reader").fill("a guess")
        page.get_by_role("button", name="Sign in").click()
        assert "not the key of a reader" in page.get_by_role("alert").inner_text()
        page.get_by_label("Key of a reader").fill(closed.keys.of_role("read"))
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="How did you get to work").wait_for()

        visit.open(PAGES["commute"])
        page.locator("summary", has_text="2026-W40 to 2026-W47").click()
        page.get_by_label("From").fill("2026-11-09")
        page.get_by_role("button", name="Show", exact=True).click()
        assert page.url.endswith("?from=2026-11-09&to=2026-11-22")
        visit.open(page.url.removeprefix(visit.root))
        assert page.locator("summary", has_text="2026-W46 to 2026-W47").count() == 1
        assert page.get_by_role("heading", name="over time").count() == 2

        page.get_by_label("Question").select_option("total")
        page.get_by_label("About", exact=True).fill("bus, train")
        page.get_by_role("button", name="Ask").click()
        assert page.locator("summary", has_text="2026-W46 to 2026-W47").count() == 1
        assert page.get_by_role("row", name="bus, train").count() == 1

        check_downloads(page, tmp_path)

        page.get_by_role("link", name="Differences between windows").click()
        visit.open(page.url.removeprefix(visit.root))
        page.locator("#first_window").select_option("2026-W42")
        page.locator("#second_window").select_option("2026-W47")
        page.get_by_role("button", name="Compare").click()
        visit.open(page.url.removeprefix(visit.root))
        assert "2026-W42, 5,000 reports" in page.locator("main").inner_text()
        assert page.get_by_role("row", name="bicycle").count() == 1

        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Surveys").wait_for()
        visit.page.goto(visit.root + PAGES["commute"])
        assert page.get_by_label("Key of a reader").is_visible()


def check_downloads(page, folder):
    """Every file that the page offers arrives and can be read."""
    rows = {}
    for link in page.locator(".downloads a").all():
        with page.expect_download() as told:
            link.click()
        name = told.value.suggested_filename
        told.value.save_as(folder / name)
        if name.endswith(".parquet"):
            rows[link.inner_text()] = parquet.read_table(folder / name).num_rows
        else:
            lines = list(csv.DictReader((folder / name).open(encoding="utf-8")))
            rows[link.inner_text()] = len(lines)
    assert rows == {
        "This trend, CSV": 2, "All answers, CSV": 8, "All answers, Parquet": 8,
        "Randomized reports, CSV": 5000, "Randomized reports, Parquet": 5000,  # W47 is open
    }  # fmt: skip


def test_a_page_that_is_not_ready_comes_again_by_itself(browser, closed):
    """100,000 values take their time; the page of a person who just waits is there in the end."""
    with Visit(browser, closed.url, java_script_enabled=False) as visit:
        page = visit.open("sign-in")
        page.get_by_label("Key of a reader").fill(closed.keys.of_role("read"))
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Surveys").wait_for()
        page.goto(visit.root + PAGES["places"])
        page.locator("figure").first.wait_for(timeout=120_000)
        assert "The 25 most frequent of 100,000 values" in page.locator("main").inner_text()


def test_axe_finds_nothing_while_answers_are_worked_out(browser, board, monkeypatch):
    """A board that nobody has asked for yet, and that takes long."""
    ready, work = threading.Event(), surveys.board_of
    monkeypatch.setattr(surveys, "board_of", lambda told, view: ready.wait(60) and work(told, view))
    with Visit(browser, board) as visit:
        answer = visit.page.goto(f"{visit.root}{PAGES['trips']}?about=population")
        assert answer.headers["refresh"] == "1; url=?about=population&wait=1"
        assert "Computing results" in visit.page.get_by_role("status").inner_text()
        assert violations(visit.page) == []
        visit.page.wait_for_timeout(1500)  # it asks once more, and waits
        ready.set()
        visit.page.locator("figure").first.wait_for(timeout=30_000)
        assert visit.page.url.endswith("?about=population&wait=1")


@pytest.mark.parametrize("path", ["", "sign-in", PAGES["commute"], "calculator"])
def test_axe_finds_nothing_where_one_has_to_sign_in(browser, closed, path):
    for scheme in SCHEMES:
        for width in (PHONE, DESKTOP):
            with Visit(browser, closed.url, width=width, color_scheme=scheme) as visit:
                assert violations(visit.open(path)) == []
