"""Surveys to answer in a browser: one of every kind of question, and how a person answers it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sottovoce as sv
from sottovoce.surveys.survey import Survey
from support.browsing import Visit
from support.dashboards import HOSTILE
from support.loading import Running

RENT = sv.Interval(0, 2000, edges=[0, 300, 500, 750, 1000, 2000], open_end=True, unit="EUR")
PLACES = [f"place {i}" for i in range(300)]


def _check(label: str) -> Callable[[Any], None]:
    return lambda page: page.get_by_label(label, exact=True).check()


def _fill(**fields: str) -> Callable[[Any], None]:
    def fill(page: Any) -> None:
        for name, value in fields.items():
            page.get_by_label(name.replace("_", " "), exact=True).fill(value)

    return fill


def _pair(page: Any) -> None:
    page.get_by_label("bus", exact=True).check()
    page.get_by_label("Number", exact=True).fill("2.5")


def _pairs(page: Any) -> None:
    for place, (key, value) in enumerate((("bus", "2.5"), ("train", "8"))):
        if place:
            page.get_by_role("button", name="Add a pair").click()
        page.get_by_label("What", exact=True).nth(place).select_option(label=key)
        page.get_by_label("Number", exact=True).nth(place).fill(value)


def _degrees(page: Any) -> None:
    page.get_by_label("Your answer").fill("7")
    page.get_by_label("I know that this protects one edge").check()


def questionnaire() -> sv.Record:
    """Ten questions of every kind that a record can have."""
    return sv.Record({
        "How old are you?": sv.Interval(0, 120, 24),
        "Do you smoke?": sv.YesNo(),
        "How do you feel today, from 1 (bad) to 5 (good)?": sv.Ratings(1, 5),
        "What did you drink this morning?": sv.Categories(["tea", "coffee", "water", "other"]),
        "How many people live with you?": sv.Counts(20),
        "Where do you live?": sv.Categories([f"district {i}" for i in range(40)]),
        "Where were you born?": sv.Categories(PLACES),
        "When did you move here?": sv.Dates("2000-01-01", "2026-12-31", step="year"),
        "Do you own a car?": sv.YesNo(),
        "What is your rent?": RENT,
    })  # fmt: skip


def question(page: Any, name: str) -> Any:
    """The group of one question of a form."""
    return page.locator("#ask fieldset", has=page.locator("legend", has_text=name))


def _record(page: Any) -> None:
    for name, label in (("Do you smoke?", "yes"), ("How do you feel", "4"), ("drink", "tea"), ("car", "no")):  # fmt: skip
        question(page, name).get_by_label(label, exact=True).check()
    for name, text in (
        ("old", "31"),
        ("people live", "2"),
        ("born", "place 17"),
        ("move", "2021-05-31"),
        ("rent", "750.5"),
    ):
        question(page, name).locator("input").fill(text)
    question(page, "Where do you live?").locator("select").select_option(label="district 7")


def _tick(*labels: str) -> Callable[[Any], None]:
    def tick(page: Any) -> None:
        for label in labels:
            page.get_by_label(label, exact=True).check()

    return tick


def _sensitive(page: Any) -> None:
    page.get_by_label("I know that only these answers are protected: HIV").check()
    page.get_by_label("flu", exact=True).check()


@dataclass(frozen=True)
class Kind:
    """A kind of question: its survey, and the steps of a person up to the button."""

    survey: Survey
    answer: Callable[[Any], None]
    control: str
    """A selector of what the form must hold."""


def _kind(name: str, question: str, how: Any, answer: Any, control: str, **more: Any) -> Kind:
    return Kind(Survey(name, question, how, "week", **more), answer, control)


def _pick(label: str) -> Callable[[Any], None]:
    return lambda page: page.get_by_label("Your answer").select_option(label=label)


def kinds() -> dict[str, Kind]:
    """Every kind of question that a form can ask, by a short name."""
    drinks, bus = sv.Categories(["tea", "coffee", "water", "other"]), ["bus", "train"]
    hours = sv.Interval(0, 24, 48)
    pairs = sv.KeyValues(bus, 0, 10, 4)
    sets = sv.KeyValues([*bus, "car"], 0, 10, 4, pairs=2)
    hostile = sv.Categories([HOSTILE, "\N{RIGHT-TO-LEFT OVERRIDE}evil", "اختبار", "x" * 1500])
    return {
        "radios": _kind("Drinks", "What did you drink this morning?", sv.mechanism("grr", drinks, 1.0), _check("tea"), "input[type=radio]"),
        "list": _kind("Districts", "Where do you live?", sv.mechanism("olh", sv.Categories([f"district {i}" for i in range(40)]), 1.0), _pick("district 7"), "select"),
        "search": _kind("Places", "Where were you born?", sv.mechanism("hr", sv.Categories(PLACES), 1.0), _fill(Your_answer="place 17"), "input[list]"),
        "numbered": _kind("Numbers", "Which of a thousand?", sv.mechanism("olh", sv.Categories(1000), 1.0), _fill(Your_answer="17"), "input[type=number]"),
        "interval": _kind("Sleep", "How many hours did you sleep?", sv.mechanism("sw", hours, 1.0), _fill(Your_answer="7.5"), "input[type=number]"),
        "nearest": _kind("Screens", "How many hours at a screen?", sv.mechanism("pm", hours, 1.0), _fill(Your_answer="30"), "input[type=number]", outside="nearest"),
        "ratings": _kind("Stars", "How good was the food?", sv.mechanism("grr", sv.Ratings(1, 5), 1.0), _check("4"), ".scale input"),
        "counts": _kind("Visits", "How often were you here?", sv.mechanism("oue", sv.Counts(50), 1.0), _fill(Your_answer="12"), "input[type=number]"),
        "degrees": _kind("Friends", "How many friends do you have here?", sv.mechanism("degree-noise", sv.Counts(20), 1.0), _degrees, "input[type=checkbox]"),
        "date": _kind("Moves", "When did you move here?", sv.mechanism("olh", sv.Dates("2024-01-15", "2026-12-31", step="quarter"), 1.0), _fill(Your_answer="2024-02-29"), "input[type=date]"),
        "rent": _kind("Rents", "What is your rent?", sv.mechanism("sw", RENT, 1.0), _fill(Your_answer="3000"), "input[type=number]"),
        "stars": _kind("Hotels", "How many stars?", sv.mechanism("grr", sv.Ratings(1, 5, unit="stars"), 1.0), _check("4"), ".scale input"),
        "declining": _kind("Pay", "What do you earn?", sv.mechanism("olh", sv.MayDecline(RENT), 1.0), _check("Prefer not to say"), ".decline input"),
        "choices": _kind("Pets", "Which pets do you have?", sv.mechanism("choice-response", sv.Choices(["cat", "dog", "fish", "bird"], most=2), 1.0), _tick("cat", "bird"), "input[type=checkbox]"),
        "sensitive": _kind("Illness", "Which illness do you have?", sv.mechanism("urr", sv.Categories(["none", "flu", "HIV"], sensitive=["HIV"]), 1.0), _sensitive, ".gated input[type=radio]"),
        "vector": _kind("Habits", "Hours of sleep, and at a screen?", sv.mechanism("sampled-coordinate", sv.Vector(hours, 2), 1.0), _fill(Number_1="7.5", Number_2="3"), "fieldset input[type=number]"),
        "pair": _kind("Trips", "How far, and by what?", sv.mechanism("pckv-grr", pairs, 1.0), _pair, "fieldset fieldset"),
        "pairs": _kind("Journeys", "All your trips?", sv.mechanism("pckv-grr", sets, 1.0), _pairs, ".pairs select"),
        "record": _kind("Everyday life", "Ten questions about your everyday life", sv.mechanism("record", questionnaire(), 2.0, design="sample"), _record, ".questions > fieldset", texts={"Do you own a car?": "Do you, or does anybody you live with, own a car?"}),
        "memory": _kind("Usual", "What do you usually drink?", sv.mechanism("memoized", drinks, 1.0, lifetime=2.0), _check("tea"), "input[type=radio]"),
        "hostile": _kind(HOSTILE, HOSTILE + "y" * 1500, sv.mechanism("grr", hostile, 1.0), _check(HOSTILE), "input[type=radio]"),
    }  # fmt: skip


def unasked() -> dict[str, Survey]:
    """Surveys that no form can ask."""
    long = sv.Vector(sv.Interval(0, 1, 4), 60)
    return {
        "long vector": Survey("Long", "Sixty numbers?", sv.mechanism("sampled-coordinate", long, 1.0)),
        "delta": Survey("Gauss", "How much?", sv.mechanism("gaussian", sv.Interval(0, 1, 16), 1.0, delta=1e-6)),
    }  # fmt: skip


class Respondent(Visit):
    """A person at the page to answer on: what their browser asked the collector, and what the page says."""

    def __init__(self, browser: Any, collector: Running, **options: Any) -> None:
        super().__init__(browser, collector.url, **options)
        self.collector = collector
        self.asked: list[Any] = []
        self.page.on("request", lambda each: self.asked.append(each))

    def _heard(self, message: Any) -> None:
        """A collector that refuses, does not answer or is not encrypted is not a fault of the page."""
        if not message.text.startswith(
            ("Failed to load resource", "The Cross-Origin-Opener-Policy")
        ):
            super()._heard(message)

    def visit(self, survey: Survey, token: str = "") -> Any:
        """The page of a survey, once its script has something to say."""
        mark = f"#{token}" if token else ""
        self.page.goto(f"{self.root}surveys/{survey.fingerprint}/answer{mark}")
        shown = self.page.locator("#ask form, #ask h2:not([hidden])")
        said = self.page.locator("#ask [role=status]").filter(has_text=re.compile("^(?!Checking)."))
        shown.or_(said).first.wait_for()
        return self.page

    def send(self) -> None:
        self.page.get_by_role("button", name="Randomize and send").click()

    def answer(self, kind: Kind) -> Any:
        """Answer a kind of question, up to the result."""
        page = self.visit(kind.survey)
        kind.answer(page)
        self.send()
        page.locator("#ask h2:not([hidden])").wait_for()
        return page

    @property
    def status(self) -> str:
        return str(self.page.locator("#ask [role=status]").inner_text())

    @property
    def uploads(self) -> list[bytes]:
        """The bodies of all uploads that left, those that failed too."""
        return [each.post_data_buffer for each in self.asked if each.method == "POST"]

    def stored(self, survey: Survey) -> int:
        """Reports of a survey that the collector has."""
        assert self.collector.store is not None
        return sum(self.collector.store.windows(survey.fingerprint).values())
