"""A real browser for the dashboard: Chromium without a window, axe-core, and every page there is."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.surveys.survey import Survey
from support.dashboards import fill, now, surveys
from support.loading import Running, running
from support.questionnaires import fill_questionnaires, questionnaires

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run", "--no-default-browser-check",
)  # fmt: skip
SCHEMES = ("light", "dark")
PHONE, DESKTOP = 390, 1280
WAYS = ("bus", "bicycle", "car", "on foot", "train", "at home", "scooter", "taxi")


@contextmanager
def browsing(*flags: str) -> Iterator[Any]:
    """Chromium, with some more flags; the test is skipped where there is none, and says what to install."""
    told = "needs a browser: apt-get install chromium, and pip install '.[slow]'"
    playwright = pytest.importorskip("playwright.sync_api", reason=told)
    pytest.importorskip("axe_playwright_python", reason=told)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip(told)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=[*FLAGS, *flags])
        yield browser
        browser.close()


# -- what there is to see ------------------------------------------------------------------------


def commute() -> Survey:
    mechanism = sv.mechanism("olh", sv.Categories(list(WAYS)), 2.0)
    return Survey("Commute", "How did you get to work this morning?", mechanism, "week", 500)


def sleep() -> Survey:
    mechanism = sv.mechanism("sw", sv.Interval(0, 14, 56), 2.0)
    return Survey("Sleep", "How many hours did you sleep?", mechanism, "week", 500)


def places() -> Survey:
    return Survey("places", "Which of 100,000?", sv.mechanism("hr", sv.Categories(100_000), 1.0))


def every_survey() -> dict[str, Survey]:
    several = {f"several {name}": survey for name, survey in questionnaires().items()}
    return {**surveys(), "commute": commute(), "sleep": sleep(), "places": places(), **several}


def fill_all(store: Any, told: dict[str, Survey]) -> None:
    """Answers for every survey that has some."""
    rng = np.random.default_rng(1)
    shares = np.array([0.28, 0.2, 0.17, 0.13, 0.1, 0.07, 0.04, 0.01])
    for week in range(40, 48):
        shares = shares + np.array([0, 0.008, -0.008, 0, 0, 0, 0, 0])
        answers = np.array(WAYS)[rng.choice(len(WAYS), 5000 if week > 40 else 200, p=shares)]
        fill(store, told["commute"], f"2026-W{week}", answers, seed=week)
    for week in (45, 46, 47):
        hours = np.clip(rng.normal(7 + (week - 45) / 10, 1.2, 15_000), 0, 14)
        fill(store, told["sleep"], f"2026-W{week}", hours, seed=week)
    for week, part in (("2026-W45", 0.2), ("2026-W46", 0.5), ("2026-W47", 0.5)):
        drinks = np.where(rng.random(4000) < part, "tea", "coffee")
        fill(store, told["drinks"], week, drinks, seed=int(week[-2:]))
    fill(store, told["others"], "2026-W47", ["water"] * 3000)
    fill(store, told["ages"], "", np.clip(rng.normal(40, 12, 8000), 0, 100))
    fill(store, told["trips"], "", [("bus", 2.0)] * 2000 + [("train", 8.0)] * 1000)
    fill(store, told["mean"], "", rng.random(2000))
    fill(store, told["habits"], "", np.clip(rng.normal([7, 3], 1, (4000, 2)), 0, 24))
    fill(store, told["friends"], "", rng.poisson(6, 4000).clip(0, 20))
    fill(store, told["single"], "", ["only"] * 200)
    fill(store, told["few"], "", [0] * 200)
    label = told["hostile"].mechanism.domain.label
    fill(store, told["hostile"], "", [label(place) for place in rng.choice(3, 2500).tolist()])
    fill(store, told["scripts"], "", ["お茶"] * 1500 + ["قهوة"] * 1000)
    fill(store, told["places"], "", np.minimum(rng.zipf(1.3, 50_000) - 1, 99_999))
    mark = "several "
    several = {name.removeprefix(mark): told[name] for name in told if name.startswith(mark)}
    fill_questionnaires(store, several)


@contextmanager
def dashboard(folder: Path, **settings: Any) -> Iterator[tuple[Running, dict[str, Survey]]]:
    """A collector with a survey of every kind, and their answers."""
    told = every_survey()
    with running(folder, *told.values(), clock=now, **settings) as collector:
        fill_all(collector.store, told)
        yield collector, told


def addresses() -> dict[str, str]:
    """All pages that anybody may open, by a short name; they begin with no slash."""
    told = every_survey()
    at = {name: f"dashboard/{survey.fingerprint}" for name, survey in told.items()}
    return {
        "list": "",
        **at,
        "chosen": f"{at['commute']}?from=2026-W46&to=2026-W47",
        "held back": f"{at['commute']}?from=2026-W40&to=2026-W40",
        "asked": f"{at['ages']}?ask=range&text=20:30",
        "asked badly": f"{at['ages']}?ask=range&text=young",
        "differences": f"{at['commute']}/differences",
        "differences of numbers": f"{at['sleep']}/differences",
        "differences of groups": f"{at['drinks']}/differences?second={told['others'].fingerprint}",
        "nothing to compare": f"{at['none']}/differences",
        "hostile differences": f"{at['hostile']}/differences",
        "several, one question": f"{at['several living']}?question=rents&ask=share&text=yes",
        "several, table": f"{at['several living']}/table?rows=age&columns=way&show=rows",
        "several, shares": f"{at['several living']}/table?rows=rents&columns=way",
        "several, the same twice": f"{at['several living']}/table?rows=way&columns=way",
        "several, hostile table": f"{at['several odd']}/table",
        "several, too few": f"{at['several short']}/table?rows=age&columns=mood",
        "several, differences": f"{at['several living']}/differences?question=way",
        "calculator": "calculator",
        "calculated": "calculator?kind=numbers&goal=mean&epsilon=1&users=10000",
        "calculated badly": "calculator?values=many&epsilon=-1&users=10000",
        "sign-in": "sign-in",
        "no such survey": "dashboard/" + "0" * 32,
        "no such page": "nowhere",
        "no such parameter": f"{at['drinks']}?telepathy=1",
    }


# -- looking at it ---------------------------------------------------------------------------------


class Visit:
    """A tab of the browser that minds what no page may do: ask elsewhere, complain, open dialogs."""

    def __init__(self, browser: Any, root: str, *, width: int = DESKTOP, **options: Any) -> None:
        self.root = root if root.endswith("/") else root + "/"
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, accept_downloads=True, **options
        )
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("dialog", lambda dialog: (self.wrong.append("a dialog"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)
        self.page.on("popup", lambda _: self.wrong.append("a window"))

    def _heard(self, message: Any) -> None:
        """What the console says; that a page is itself a refusal is no fault of the page."""
        own = message.text.startswith("Failed to load resource") and (
            message.location["url"] == self.page.url
        )
        if message.type in ("error", "warning") and not own:
            self.wrong.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(self.root):
            self.wrong.append(request.url)

    def open(self, path: str, patience: float = 120) -> Any:
        """A page, once it has what it shows."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            answer = self.page.goto(self.root + path)
            if "refresh" not in answer.headers:
                assert not self.wrong, self.wrong
                return self.page
            self.page.wait_for_timeout(500)
        raise AssertionError(f"{path} was never worked out")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert not self.wrong, self.wrong


def open_details(page: Any) -> None:
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


def violations(page: Any) -> list[str]:
    """What axe-core finds: impact, rule, how often, and the first place."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{each['impact']}: {each['id']}, {len(each['nodes'])} times: {each['nodes'][0]['html']}"
        for each in found
    ]
