"""Ten questions at once: the survey file, and what everybody would truly answer.

Truth is made up with a fixed seed.  Answers hang together as people's do: the older rent less, the coast
walks, and who has a dog sleeps less and is happier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Seeded

__all__ = ["FILE", "answers"]

FILE = """\
name = "living"
question = "Life in two towns: ten questions"
minimum_batch = 50

[[questions]]
name = "town"
text = "Where do you live?"
kind = "categories"
values = ["Hushwick", "Murmur-on-Sea", "a farm between"]

[[questions]]
name = "age"
text = "How old are you?"
kind = "interval"
low = 16
high = 96
bins = 8

[[questions]]
name = "rents"
text = "Do you rent your home?"
kind = "yes-no"

[[questions]]
name = "rooms"
text = "How many rooms does it have?"
kind = "ratings"
low = 1
high = 6

[[questions]]
name = "way"
text = "How do you get about?"
kind = "categories"
values = ["on foot", "bicycle", "bus", "car", "on a horse"]

[[questions]]
name = "dog"
text = "Do you have a dog?"
kind = "yes-no"

[[questions]]
name = "sleep"
text = "How many hours do you sleep?"
kind = "interval"
low = 3
high = 11
bins = 8

[[questions]]
name = "money"
text = "What is left at the end of the month?"
kind = "categories"
values = ["nothing", "a little", "enough", "more than I say"]

[[questions]]
name = "fishing"
text = "Have you ever called in sick to go fishing?"
kind = "yes-no"

[[questions]]
name = "happy"
text = "How happy are you, from 1 to 7?"
kind = "ratings"
low = 1
high = 7

[mechanism]
name = "record"
epsilon = 2.0

[mechanism.options]
design = "mixed"
"""
"""The file that the survey is read from."""

Texts = NDArray[Any]


def answers(people: int) -> list[dict[str, Any]]:
    """What everybody would truly answer."""
    rng = Seeded(5).generator()
    town = rng.choice(["Hushwick", "Murmur-on-Sea", "a farm between"], people, p=[0.55, 0.35, 0.1])
    age = np.clip(16 + 80 * rng.beta(2.0, 2.6, people), 16, 95.9)
    rents = rng.random(people) < np.clip(1.05 - age / 80, 0.1, 0.9) * np.where(
        town == "a farm between", 0.3, 1
    )
    rooms = np.clip(rng.poisson(np.where(rents, 1.6, 3.0)) + 1, 1, 6)
    dog = rng.random(people) < np.where(rents, 0.12, 0.38)
    sleep = np.clip(rng.normal(7.4 - 0.5 * dog - np.maximum(0, age - 60) / 40, 1.1), 3, 10.99)
    money = _choice(rng, np.where(rents[:, None], [0.35, 0.35, 0.22, 0.08], [0.15, 0.3, 0.35, 0.2]))
    fishing = rng.random(people) < np.where(town == "Murmur-on-Sea", 0.31, 0.07)
    happy = np.clip(np.rint(rng.normal(4.3 + 0.7 * dog + 0.25 * money, 1.2)), 1, 7)
    columns = {
        "town": town, "age": age, "rents": rents, "rooms": rooms,
        "way": np.array(_WAYS)[_choice(rng, _way_chances(town, age))], "dog": dog, "sleep": sleep,
        "money": np.array(_MONEY)[money], "fishing": fishing, "happy": happy.astype(int),
    }  # fmt: skip
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


_WAYS = ("on foot", "bicycle", "bus", "car", "on a horse")
_MONEY = ("nothing", "a little", "enough", "more than I say")


def _way_chances(town: Texts, age: NDArray[np.float64]) -> NDArray[np.float64]:
    """The coast walks, farms drive and ride, and the old take the bus."""
    usual = {
        "Hushwick": [0.18, 0.24, 0.3, 0.27, 0.01],
        "Murmur-on-Sea": [0.42, 0.2, 0.16, 0.21, 0.01],
        "a farm between": [0.05, 0.08, 0.07, 0.62, 0.18],
    }
    chances = np.array([usual[name] for name in town.tolist()])
    chances[:, 2] *= 1 + np.maximum(0, age - 60) / 20
    return chances / chances.sum(axis=1, keepdims=True)


def _choice(rng: Any, chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """A place in every row, by the chances in it."""
    drawn = rng.random((len(chances), 1)) * chances.sum(axis=1, keepdims=True)
    places = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    return np.minimum(places, chances.shape[1] - 1)
