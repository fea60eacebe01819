"""Asking everybody once more, beside using what several services have (figure 8 a, b).

Four services have a report of every user, each with budget 0.1: 0.4 in all.  Fusing them leaves it
there.  One question more, alone or fused with the four, makes it 0.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.observed import Observed
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.fusion.distributions import divergences, fused_evidence, run_rule
from sottovoce.experiments.fusion.means import FUSED
from sottovoce.experiments.fusion.services import DOMAIN, FOUR, THREE, alike, made
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.sweep import Curves
from sottovoce.experiments.fusion.values import some_people
from sottovoce.experiments.numbers import Numbers
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.parts import Part
from sottovoce.fusion.services import Fusion

__all__ = ["EPSILON", "MEAN_LINES", "SHARE_LINES", "asking"]

EPSILON = 0.1
MEAN_LINES = (*FOUR, *FUSED, *(f"all + {name}" for name in FOUR))
"""One question more alone; what is there fused; both fused with population weights."""
SHARE_LINES = (*THREE, "ule", *(f"all + {name}" for name in THREE))


@dataclass(frozen=True, eq=False)
class _Again:
    """The services, and one more question by each of their mechanisms."""

    data: Numbers
    people: int
    names: tuple[str, ...]
    trials: int = 1
    most: int = 1
    """Passes of EM."""

    def __str__(self) -> str:
        return f"{self.data.name}, {self.people}, {self.trials}: {' '.join(self.names)}"

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        return made(alike(self.names, EPSILON))

    def draw_means(self, source: Seeded) -> Errors:
        """Mean squared errors in the order of :data:`MEAN_LINES`."""
        values = some_people(self.data, self.people * self.trials, source.generator())
        there, more = self._asked_twice(values, source)
        whole = Fusion(align([*self.mechanisms] * 2, [*there, *more]))
        count = len(self.names)
        alone = np.stack([one.numbers for one in whole.numbers[count:]])
        errors = np.empty((self.trials, len(MEAN_LINES)))
        for trial in range(self.trials):
            some = slice(trial * self.people, (trial + 1) * self.people)
            fusion = Part(whole, services=range(count), users=some)
            fused = [fusion.mean(method).value for method in FUSED]
            both = [
                Part(whole, services=[*range(count), count + k], users=some).mean().value
                for k in range(count)
            ]
            found = [*alone[:, some].mean(axis=1), *fused, *both]
            errors[trial] = np.array(found) - values[some].mean()
        return {"mse": (errors**2).mean(axis=0)}

    def draw_shares(self, source: Seeded) -> Errors:
        """Divergences in the order of :data:`SHARE_LINES`."""
        values = some_people(self.data, self.people, source.generator())
        truth = np.bincount(DOMAIN.indices(values), minlength=DOMAIN.bins) / self.people
        there, more = self._asked_twice(values, source)
        sources = [*map(Observed.of, more), fused_evidence(self.mechanisms, there)]
        sources += [
            fused_evidence([*self.mechanisms, each], [*there, one])
            for each, one in zip(self.mechanisms, more, strict=True)
        ]
        fits = [run_rule("printed", one, EPSILON, self.most) for one in sources]
        return {"printed": divergences([fit.shares for fit in fits], truth)}

    def _asked_twice(self, values: Any, source: Seeded) -> tuple[list[Any], list[Any]]:
        both = [
            [each.randomize(values, source=source) for each in self.mechanisms] for _ in range(2)
        ]
        return both[0], both[1]


def _means(again: _Again) -> Callable[[Seeded], Errors]:
    return again.draw_means


def _shares(again: _Again) -> Callable[[Seeded], Errors]:
    return again.draw_shares


def asking(datasets: Sequence[Numbers], repeats: int, few: int, sizes: Sizes, **how: Any) -> Curves:
    """Means of all sets; distributions of one, with fewer repeats."""
    means = [_Again(data, sizes.people, FOUR, trials=sizes.trials) for data in datasets]
    waves = [data for data in datasets if data.name == "beta-sin"]
    fits = [_Again(data, sizes.middle, THREE, most=sizes.most) for data in waves]
    return {
        (data.name, f"again-{measure}"): Curve(
            data.name, f"again-{measure}", "asked", (1.0,), lines, errors[measure][None]
        )
        for measure, lines, some, found in (
            ("mse", MEAN_LINES, datasets, repeat(_means, means, repeats, what="figure 8 a", **how)),
            ("printed", SHARE_LINES, waves, repeat(_shares, fits, few, what="figure 8 b", **how)),
        )
        for data, errors in zip(some, found, strict=True)
    }
