"""Ten questions from their TOML file to the dashboard, by commands and in a real browser."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from sottovoce.demo.questionnaire import FILE, answers
from support.browsing import DESKTOP, PHONE, SCHEMES, Visit, browsing, open_details, violations
from support.commands import Real, run, run_json

pytestmark = pytest.mark.slow

PEOPLE = 60_000


def write_people(path: Path) -> list[dict]:
    """The answers of everybody, columns in another order than the questions."""
    people = answers(PEOPLE)
    names = list(people[0])
    random.Random(1).shuffle(names)  # noqa: S311
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(people)
    return people


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A collector of its own process, with the answers sent by the command, and what is true."""
    folder = tmp_path_factory.mktemp("living")
    (folder / "living.toml").write_text(FILE)
    people = write_people(folder / "people.csv")
    real = Real(folder)
    run(
        "keys",
        "--secret-file",
        folder / "collector.secret",
        "--role",
        "publish",
        "-o",
        folder / "publish.key",
    )
    run(
        "keys",
        "--secret-file",
        folder / "collector.secret",
        "--role",
        "read",
        "-o",
        folder / "read.key",
    )
    publish = ["--url", real.url, "--key-file", folder / "publish.key"]
    run("publish", folder / "living.toml", *publish)
    sent = run_json("send", folder / "living.toml", folder / "people.csv", "--url", real.url)
    assert sent["stored"] == PEOPLE
    run("publish", folder / "living.toml", "--close", *publish)
    yield real, people
    assert real.stop() == ""


def sign_in(visit: Visit, real: Real):
    page = visit.open("sign-in")
    page.get_by_label("Key of a reader").fill((real.folder / "read.key").read_text().strip())
    page.get_by_role("button", name="Sign in").click()
    return page


def percent(text: str) -> float:
    return float(text.strip().split("%")[0].replace("\N{MINUS SIGN}", "-"))


def test_from_the_file_to_every_page(shown):
    real, people = shown
    with browsing() as browser, Visit(browser, real.url) as visit:
        page = sign_in(visit, real)
        page.get_by_role("link", name="living").click()
        page.wait_for_selector("ol.questions", timeout=60_000)  # it comes again by itself
        cards = page.locator("ol.questions > li")
        assert cards.count() == 10
        assert "10 questions, randomized together" in page.locator(".lead").inner_text()
        rents = sum(each["rents"] for each in people) / PEOPLE
        card = cards.filter(has_text="Do you rent your home?")
        told = card.locator(".headline").inner_text()
        share = percent(told.partition(": ")[2]) / 100
        assert abs((share if told.startswith("yes") else 1 - share) - rents) < 0.08

        card.get_by_role("link").click()
        page.wait_for_selector("#shares-heading", timeout=60_000)
        assert page.locator("h1").inner_text() == "Do you rent your home?"
        page.get_by_label("About").last.fill("yes")
        page.get_by_role("button", name="Ask").click()
        asked = page.locator("#ask-heading ~ .scroll tbody tr").first.inner_text()
        assert abs(percent(asked.split()[1]) / 100 - rents) < 0.08
        page.get_by_role("link", name="Next").click()
        assert page.locator("h1").inner_text() == "How many rooms does it have?"

        page.get_by_role("link", name="By another question").click()
        page.get_by_label("Rows").select_option("rents")
        page.get_by_label("Columns").select_option("dog")
        page.get_by_label("Show", exact=True).select_option("rows")
        page.get_by_role("button", name="Show").first.click()
        page.wait_for_selector("table.heat", timeout=60_000)
        assert "rows=rents&columns=dog&show=rows" in page.url
        held = [each for each in people if not each["rents"]]
        dogs = sum(each["dog"] for each in held) / len(held)
        cell = page.locator("table.heat tbody tr").nth(0).locator("td").nth(1)
        assert abs(percent(cell.inner_text()) / 100 - dogs) < 0.15
        assert "depend on each other (p below 0.001)" in page.locator("main").inner_text()
        assert not cell.locator(".interval").is_visible()
        cell.focus()
        assert cell.locator(".interval").is_visible()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="This table, CSV").click()
        rows = list(csv.DictReader(Path(waiting.value.path()).read_text().splitlines()))
        assert [(row["rents"], row["dog"]) for row in rows] == [
            ("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes"),
        ]  # fmt: skip


def test_its_pages_are_accessible_and_fit(shown):
    real, _ = shown
    pages = (
        "",
        "?question=age",
        "?question=happy",
        "/table?rows=age&columns=way&show=columns",
        "/differences",
    )
    with browsing() as browser:
        for scheme in SCHEMES:
            for width in (PHONE, DESKTOP):
                with Visit(browser, real.url, width=width, color_scheme=scheme) as visit:
                    page = sign_in(visit, real)
                    at = (
                        page.get_by_role("link", name="living")
                        .get_attribute("href")
                        .removeprefix("./")
                    )
                    for path in pages:
                        page = visit.open(f"{at}{path}")
                        open_details(page)
                        assert violations(page) == [], (path, scheme, width)
                        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
