"""Surveys of several questions to test pages and routes with, and their answers."""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from support.dashboards import HOSTILE, fill

WEEKS = ("2026-W45", "2026-W46", "2026-W47")
TEXTS = {
    "age": "How old are you?",
    "rents": "Do you rent your home?",
    "way": "How do you get to work?",
}
WAYS = ("bus", "car", "on foot")


def questionnaire(name="living", design="mixed", window="week", **more):
    """Four questions: numbers, yes or no, names, ratings."""
    people = sv.Record(
        {
            "age": sv.Interval(0, 100, bins=10),
            "rents": sv.YesNo(),
            "way": sv.Categories(list(WAYS)),
            "mood": sv.Ratings(1, 5),
        }
    )
    mechanism = sv.mechanism("record", people, 3.0, design=design)
    return sv.Survey(
        name, "Living and moving: four questions", mechanism, window, texts=TEXTS, **more
    )


def hostile():
    """Names and texts that must stay text wherever they are shown."""
    people = sv.Record({HOSTILE[:90]: sv.Categories([HOSTILE, "b"]), "a,b=c&d": sv.YesNo()})
    mechanism = sv.mechanism("record", people, 3.0, design="joint")
    return sv.Survey("hostile several", "Several?", mechanism, texts={"a,b=c&d": HOSTILE})


def answers(people, seed=1, rents=0.0):
    """Renting depends on age, the way to work on renting; moods are nearly the same for all."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45, 18, people), 0, 100)
    rent = rng.uniform(0, 100, people) > age - 100 * rents
    odds = np.where(rent[:, None], [0.6, 0.2, 0.2], [0.2, 0.7, 0.1])
    way = (rng.uniform(size=(people, 1)) > odds.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    mood = rng.choice(5, people, p=[0.05, 0.1, 0.3, 0.35, 0.2]) + 1
    rows = zip(age.tolist(), rent.tolist(), way.tolist(), mood.tolist(), strict=True)
    return [{"age": a, "rents": r, "way": WAYS[w], "mood": m} for a, r, w, m in rows]


def fill_questionnaires(store, told):
    """Three weeks of one survey, in the last of which more people rent; few reports of another."""
    for week, name in enumerate(WEEKS):
        fill(store, told["living"], name, answers(9000, week, 0.15 * (week == 2)), seed=week + 1)
    fill(store, told["short"], "", answers(400))
    fill(store, told["single"], "", answers(2000))
    fill(store, told["odd"], "", [{HOSTILE[:90]: HOSTILE, "a,b=c&d": True}] * 1500)


def questionnaires():
    """By a short name."""
    return {
        "living": questionnaire(),
        "short": questionnaire("short", "pairs", "once"),
        "single": questionnaire("single", "sample", "once"),
        "odd": hostile(),
        "silent": questionnaire("silent", "pairs", "once"),
    }
