"""Groups of users who told different services (figure 8 c, d), and all of them fused as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.cell_means import mean_gains
from sottovoce.estimators.observed import Observed
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.fusion.distributions import Fits, divergences, run_rule
from sottovoce.experiments.fusion.means import FUSED, Surveys
from sottovoce.experiments.fusion.services import DOMAIN, FOUR, GROUPS, alike, made
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.sweep import Curves
from sottovoce.experiments.fusion.values import some_people
from sottovoce.experiments.numbers import Numbers
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.services import Fusion

__all__ = ["EPSILON", "by_group", "pooled"]

EPSILON = 0.3
"""Of every service; the paper does not tell its own."""
BEST = "best"


def by_group(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Each group by itself: its best single service, and all of its services fused."""
    surveys = [
        Surveys(data, alike(names, EPSILON), names, sizes.group, sizes.trials) for names in GROUPS
    ]
    fits = [Fits(data, alike(names, EPSILON), names, sizes.group, ("printed",)) for names in GROUPS]
    means = repeat(_surveys, surveys, repeats, what="figure 8 c", **how)
    shares = repeat(_fits, fits, repeats, what="figure 8 d", **how)
    return {
        (data.name, f"group-{measure}"): Curve(
            data.name, f"group-{measure}", "group", tuple(map(float, range(1, 1 + len(GROUPS)))),
            (BEST, *lines), np.stack([_with_best(each[name], len(lines)) for each in found]),
        )
        for measure, name, lines, found in (
            ("mse", "mse", FUSED, means), ("printed", "printed", ("ule",), shares),
        )
    }  # fmt: skip


def _with_best(errors: Floats, fused: int) -> Floats:
    """The errors of the single service with the least mean error, and those of the fused lines."""
    alone = errors[:-fused]
    best = alone[alone.mean(axis=1).argmin()]
    return np.concatenate([best[None, :], errors[-fused:]])


def _surveys(surveys: Surveys) -> Callable[[Seeded], Errors]:
    return surveys.draw


def _fits(fits: Fits) -> Callable[[Seeded], Errors]:
    return fits.draw


@dataclass(frozen=True, eq=False)
class _Everybody:
    """The users of all groups, of whom each told some services: joined by their keys."""

    data: Numbers
    group: int

    def __str__(self) -> str:
        return f"{self.data.name}, {self.group}"

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        return made(alike(FOUR, EPSILON))

    def draw(self, source: Seeded) -> Errors:
        people = self.group * len(GROUPS)
        values = some_people(self.data, people, source.generator())
        who = np.arange(people)
        keys = [
            who[np.isin(who // self.group, [g for g, names in enumerate(GROUPS) if name in names])]
            for name in FOUR
        ]
        reports = [
            each.randomize(values[key], source=source)
            for each, key in zip(self.mechanisms, keys, strict=True)
        ]
        fusion, truth = Fusion(align(self.mechanisms, reports, keys=keys)), float(values.mean())
        alone = []
        for each, told in zip(self.mechanisms, reports, strict=True):
            cell_weights = mean_gains(each)
            assert cell_weights is not None
            alone.append(float(each.tally(told).cells @ cell_weights.values) / len(told) - truth)
        found = [fusion.mean(method) for method in FUSED]
        errors = np.array([*alone, *(one.value - truth for one in found)])
        true = np.bincount(DOMAIN.indices(values), minlength=DOMAIN.bins) / people
        sources = [*map(Observed.of, reports), fusion.observations]
        shares = [run_rule("printed", one, EPSILON).shares for one in sources]
        covered = [float(one.low <= truth <= one.high) for one in found]
        return {
            "mse": errors**2,
            "printed": divergences(shares, true),
            "covered": np.array(covered),
        }


def _everybody(all_groups: _Everybody) -> Callable[[Seeded], Errors]:
    return all_groups.draw


def pooled(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """All groups as one population, in which services are missing for most users."""
    cell = _Everybody(data, sizes.group)
    (found,) = repeat(_everybody, [cell], repeats, what="figure 8, all groups", **how)
    lines = {"mse": (*FOUR, *FUSED), "printed": (*FOUR, "ule"), "covered": FUSED}
    return {
        (data.name, f"pooled-{m}"): Curve(
            data.name, f"pooled-{m}", "all", (1.0,), lines[m], found[m][None]
        )
        for m in lines
    }
