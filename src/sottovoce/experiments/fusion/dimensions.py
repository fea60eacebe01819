"""Sequences of 10 to 60 numbers (figure 6 c, d): each user tells one of them, to all services.

A user's place in the sequence is drawn, not chosen by what is there, and is no secret.  So the users of
a place are a survey of their own, of fewer people the longer sequences are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.fusion.distributions import Fits
from sottovoce.experiments.fusion.means import FUSED, Surveys
from sottovoce.experiments.fusion.services import FOUR, THREE, alike
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.sweep import Curves
from sottovoce.experiments.fusion.values import CLICKERS
from sottovoce.experiments.numbers import Numbers

__all__ = ["means", "shares"]

EPSILON = 0.1
NAME = "steps"


@dataclass(frozen=True, eq=False)
class _Places:
    """One survey a place of the sequence."""

    surveys: tuple[Surveys | Fits, ...]
    measure: str

    def __str__(self) -> str:
        return f"{len(self.surveys)} of {self.surveys[0]}"

    def draw(self, source: Seeded) -> Errors:
        errors = [survey.draw(source)[self.measure] for survey in self.surveys]
        return {self.measure: np.mean(errors, axis=0)}


def _drawing(places: _Places) -> Callable[[Seeded], Errors]:
    return places.draw


def means(steps: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 6 c: mean squared errors on average over the places, of a tenth of the people."""
    kinds, people = alike(FOUR, EPSILON), sizes.of(CLICKERS) // 10
    cells = [
        _Places(tuple(Surveys(step, kinds, FOUR, people // d, 1) for step in steps[:d]), "mse")
        for d in sizes.lengths
    ]
    return _curve(cells, (*FOUR, *FUSED), repeats, what="figure 6 c", lengths=sizes.lengths, **how)


def shares(steps: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 6 d: divergences on average over the places."""
    kinds, people, rule = alike(THREE, EPSILON), sizes.of(CLICKERS), "printed"
    cells = [
        _Places(
            tuple(Fits(step, kinds, THREE, people // d, (rule,), sizes.most) for step in steps[:d]),
            rule,
        )
        for d in sizes.lengths
    ]
    return _curve(cells, (*THREE, "ule"), repeats, what="figure 6 d", lengths=sizes.lengths, **how)


def _curve(
    cells: Sequence[_Places],
    lines: tuple[str, ...],
    repeats: int,
    *,
    what: str,
    lengths: tuple[int, ...],
    **how: Any,
) -> Curves:
    measure = cells[0].measure
    found = repeat(_drawing, cells, repeats, what=what, **how)
    values = np.stack([each[measure] for each in found])
    name, xs = f"dimensions-{measure}", tuple(map(float, lengths))
    return {(NAME, name): Curve(NAME, name, "numbers", xs, lines, values)}
