"""What is asked: five surveys, one of them with ten questions, with everybody's true answers beside them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from sottovoce.core.registry import mechanism
from sottovoce.demo import population as town
from sottovoce.demo import questionnaire
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.toml import survey_from_toml
from sottovoce.surveys.windows import window_name

__all__ = ["Poll", "polls", "visitors"]

MINIMUM_BATCH = 50
_FEWEST, _MORE = 20_000, 10
"""People who answer ten questions: ten for three of another survey, and enough for its tables."""


@dataclass(frozen=True)
class Poll:
    """A survey, and what the people asked would truly answer, window by window: everybody in one of them.

    ``upload``: whether anybody may send ("open"), or who has a token ("tokens").
    """

    survey: Survey
    upload: str
    days: dict[str, list[Any]]
    relayed: int = 100
    """Reports in a request of a relay."""

    @property
    def name(self) -> str:
        """The survey's."""
        return self.survey.name

    @cached_property
    def values(self) -> list[Any]:
        """Everybody's answer, of all days."""
        return [value for day in self.days.values() for value in day]

    @property
    def people(self) -> int:
        """How many are asked."""
        return len(self.values)


def polls(people: int, today: date) -> list[Poll]:
    """The five surveys, for the days up to ``today``; the last is asked once.

    Mechanisms are those that ``sv.plan`` ranks first or near it, of those that answer at once:
    the dashboard estimates while its reader waits.
    """
    commute = mechanism("subset-selection", Categories(list(town.COMMUTES)), 1.0)
    sleep = mechanism("square-wave", Interval(0, 12, bins=48), 1.0)
    dishes = mechanism("pckv-grr", KeyValues(list(town.DISHES), 0, 10, bins=20), 2.0)
    windows = [window_name("day", today - timedelta(days)) for days in reversed(range(town.DAYS))]

    def poll(name: str, question: str, how: Any, days: list[list[Any]], upload: str) -> Poll:
        survey = Survey(
            name, question, how, "day", MINIMUM_BATCH, opens=windows[0], ask=f"1/{town.DAYS}"
        )
        return Poll(survey, upload, dict(zip(windows, days, strict=True)))

    to_work = "How did you get to work this morning?"
    asleep = "How many hours did you sleep last night?"
    lunch = "What was your lunch, and how good was it, from 0 to 10?"
    return [
        poll("commute-hushwick", to_work, commute, town.commutes(people), "open"),
        poll(
            "commute-murmur", to_work, commute, town.commutes(people // 2, by_the_sea=True), "open"
        ),
        poll("sleep", asleep, sleep, town.nights(people), "tokens"),
        poll("canteen", lunch, dishes, town.lunches(people), "tokens"),
        _living(people),
    ]


def _living(people: int) -> Poll:
    """Ten questions, for more people than the others: each report is about one or two of them."""
    asked = max(_FEWEST, _MORE * people // 3)
    return Poll(
        survey_from_toml(questionnaire.FILE), "open", {"": questionnaire.answers(asked)}, 1000
    )


def visitors(today: date) -> Survey:
    """A survey that stays open, for whoever watches the demo."""
    commute = mechanism("subset-selection", Categories(list(town.COMMUTES)), 1.0)
    question = "How did you travel today?"
    return Survey("visitors", question, commute, "day", MINIMUM_BATCH, opens=today.isoformat())
