"""Random values for surveys: inside the domain, at its edges, outside, and of no kind that it has."""

from __future__ import annotations

import math
from datetime import date
from random import Random
from typing import Any

import sottovoce as sv

__all__ = ["random_value"]

ODD = [
    None,
    True,
    False,
    "nothing",
    "",
    "1",
    -1,
    0,
    2**53,
    0.5,
    [],
    [0],
    [[]],
    {},
    math.nan,
    math.inf,
    -math.inf,
]
"""What programs pass by mistake. Of texts of digits and of true, nothing is made into numbers."""


def random_value(rng: Random, domain: Any) -> Any:
    """A value in the domain, or beside it, as JavaScript can say it: it has no 1.0 beside 1."""
    if rng.random() < 0.08:
        return rng.choice(ODD)
    if domain.may_decline is not None:
        return domain.label_text if rng.random() < 0.3 else random_value(rng, domain.domain)
    if domain.dates is not None:
        return _date(rng, domain)
    if domain.choices is not None:
        ticked = rng.sample(domain.options.labels(), rng.randint(0, domain.most))
        odd = rng.choice([[None], ["nothing"], ticked[:1] * 2, domain.options.labels()])
        return odd if rng.random() < 0.1 else ticked
    if isinstance(domain, sv.Interval):
        return _number(rng, domain)
    if isinstance(domain, sv.Record):
        return _answers(rng, domain)
    if isinstance(domain, sv.Vector):
        length = domain.coordinates + (rng.random() < 0.05)
        return [_number(rng, domain.interval) for _ in range(length)]
    if isinstance(domain, sv.KeyValues):
        keys = rng.sample(range(domain.keys.size), min(domain.keys.size, rng.randint(1, 4)))
        held = [[domain.keys.label(key), _number(rng, domain.interval)] for key in keys]
        if rng.random() < 0.05:
            held.append(rng.choice([held[0], ["nothing", 1], [held[0][0]], held[0][0]]))
        return held[0] if domain.pairs is None else held
    first, other = (domain.label(rng.randrange(domain.size)) for _ in range(2))
    return rng.choice([first, other, 0, domain.size, "nothing"])


def _answers(rng: Random, domain: sv.Record) -> dict[str, Any]:
    """Mostly a right answer to each question, in any order; now and then one that is wrong, missing or too much."""
    right = [_right(rng, part) for part in domain.domains]
    answers = dict(rng.sample(list(zip(domain.names, right, strict=True)), len(right)))
    some, way = rng.choice(domain.names), rng.random()
    if way < 0.1:
        del answers[some]
    elif way < 0.15:
        answers[rng.choice([f"{some} ", some.upper(), "", "toString", "__proto__"])] = 1
    elif way < 0.3:
        answer = random_value(rng, domain.domains[domain.names.index(some)])
        beyond = isinstance(answer, float) and not math.isfinite(answer)
        # JSON has no such number; truth values for yes and no are of Python alone.
        answers[some] = None if beyond or isinstance(answer, bool) else answer
    return answers


def _right(rng: Random, domain: Any) -> Any:
    index = rng.randrange(domain.size)
    if domain.dates is not None:
        return domain.label(index)
    if isinstance(domain, sv.Interval):
        return domain.first + index if domain.whole else rng.uniform(domain.low, domain.high)
    return domain.label(index)


def _date(rng: Random, domain: sv.Dates) -> str:
    """A day at the start or the end of a step, or in it; outside; or none of the calendar."""
    start = date.fromisoformat(domain.label(rng.randrange(domain.size)))
    near = start.toordinal() + rng.choice([0, -1, 1, 5, rng.randint(-400, 400)])
    day = date.fromordinal(min(max(near, 1), date.max.toordinal())).isoformat()
    first, last = str(domain.first), str(domain.last)
    return rng.choice(
        [day, day, day, day, first, last, "2026-02-29", f" {day}", day.replace("-", "/")]
    )


def _number(rng: Random, domain: sv.Interval) -> Any:
    if domain.whole:
        low, high = domain.first, domain.last
        inside = rng.randint(low, high)
        return rng.choice([low, high, inside, inside, inside, inside, low - 1, high + 1, low + 2.5])
    low, high = domain.low, domain.high
    edge = float(domain.edges[rng.randint(0, domain.bins - domain.open_end)])
    beside = math.nextafter(edge, rng.choice([-math.inf, math.inf]))
    inside = rng.uniform(low, high)
    return rng.choice([low, high, edge, beside, inside, inside, inside, high + 1, 10 * high])
