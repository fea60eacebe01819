"""Which answer liars are after: a sum of shares, any few values, or the mean of a key's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.answers.keys import index_of, key_weights
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.key_values import KeyValues

__all__ = ["Target", "target_of"]

_NAMED = 4
"""How many values are named one by one."""


@dataclass(frozen=True, eq=False)
class Target:
    """An answer and its name; ``weights`` of the domain's inputs, or ``count`` values of any."""

    label: str
    weights: Floats | None = None
    count: int = 0
    key: int | None = None
    """Where it is the mean of a key's numbers: the key's place; ``weights`` are those numbers."""
    most: float | None = None
    """The largest answer that honest people can give, where it is not the largest weight."""
    in_points: bool = True
    goal: str = "distribution"
    """What a method is asked for."""


def target_of(domain: Domain, values: Any, count: int | None, mean: bool, key: Any) -> Target:
    """What is asked of an answer over ``domain``; two questions at once are refused."""
    if not isinstance(mean, bool):
        raise InvalidInput("mean", "influence", "True or False", mean)
    asked = [("values", values is not None), ("count", count is not None)]
    asked += [("mean or key", mean or key is not None)]
    named = [name for name, given in asked if given]
    if len(named) > 1:
        allowed = "one question: values, count, or mean and key"
        raise InvalidInput("arguments", "influence", allowed, " and ".join(named))
    if (pairs := domain.keyed) is not None:
        return _of_key(pairs, named, mean, key)
    if key is not None:
        raise Unfit(f"a key needs pairs of keys and numbers (KeyValues); this is over {domain}")
    if values is not None:
        return _of_values(domain, values)
    if mean or (not named and domain.numbers is not None):
        return _of_mean(domain)
    r = check_int(1 if count is None else count, "count", "influence", 1, domain.size)
    label = "the share of any one value" if r == 1 else f"the total of any {r} values"
    return Target(label, count=r)


def _of_values(domain: Domain, values: Any) -> Target:
    chosen = [values] if domain.is_one(values) else list(values)
    indices = domain.indices(chosen)
    if len(np.unique(indices)) != len(indices):
        raise InvalidInput("values", "influence", "distinct", chosen)
    weights = np.zeros(domain.size)
    weights[indices] = 1.0
    labels = [domain.label(int(index)) for index in indices[:_NAMED]]
    names = ", ".join(label_text(label) for label in labels)
    if len(indices) == 1:
        return Target(f"the share of {names}", weights)
    several = names if len(indices) <= _NAMED else f"{len(indices)} values"
    return Target(f"the total of {several}", weights)


def _of_mean(domain: Domain) -> Target:
    """Numbers about the middle, as estimates take them: shares need not sum to 1."""
    numbers = domain.numbers
    if numbers is None:
        raise Unfit(f"the mean needs numbers (an Interval); this is over {domain}")
    return Target("the mean", numbers.midpoints - numbers.center, in_points=False, goal="mean")


def _of_key(domain: KeyValues, named: list[str], mean: bool, key: Any) -> Target:
    if key is None:
        asked = " and ".join(named) or "nothing"
        raise InvalidInput(
            "key", "influence", "given where people hold pairs of keys and numbers", asked
        )
    place = index_of(domain, key, "influence")
    label = domain.keys.label(place)
    if not mean:
        weights = key_weights(domain, place, float(domain.pairs or 1))
        return Target(f"the frequency of {label}", weights, most=1.0)
    middle = (domain.interval.low + domain.interval.high) / 2
    weights = key_weights(domain, place, domain.interval.midpoints - middle)
    return Target(f"the mean of {label}", weights, key=place, in_points=False)
