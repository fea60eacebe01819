"""Readings of figures 2 and 3: errors of the mean, and their bias and spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.mixture_reduction import means

__all__ = ["of_means"]

Curves = Mapping[tuple[str, str], Curve]
Places = Sequence[tuple[Curve, float]]
_AVERAGES = ("sr", "pm")
_RIVALS = (*_AVERAGES, "pm-em", "sw-ems")


def of_means(curves: Curves) -> dict[str, Sequence[Reading]]:
    """Absolute errors of the mean, and errors with their sign."""
    everywhere = [
        (curve, x)
        for (_, measure), curve in curves.items()
        if measure.startswith("mean-") and measure.removeprefix("mean-").isdigit()
        for x in curve.xs
    ]
    little = [(c, x) for c, x in everywhere if c.measure == f"mean-{means.FEWEST[0]}" and x < 2]
    small = [(c, x) for c, x in little if x <= 1]
    large = [(c, x) for c, x in everywhere if c.measure == "mean-300000" and x > 2]
    most = [(c, x) for c, x in everywhere if c.dataset in ("s-mn", "wages") and x > 2]
    most = [(c, x) for c, x in most if c.measure not in {f"mean-{n}" for n in means.FEWEST}]
    signed = [
        (curve, x)
        for (_, measure), curve in curves.items()
        if measure.startswith("bias-") and measure.removeprefix("bias-").isdigit()
        for x in (0.5, 1.5, 2.0)
        if x in curve.xs
    ]
    return {
        "means, best": _best(everywhere, "pm-mr", _RIVALS),
        "means, few people": _best(little, "pm-mr", ("pm",)),
        "means, fits before averages": [
            r for line in ("pm-em", "sw-ems", "pm-mr") for r in _best(small, line, _AVERAGES)
        ],
        "means, mr and em": _best(everywhere, "pm-mr", ("pm-em",)),
        "means, many people": _best(large, "pm", ("pm-em", "pm-mr")),
        "means, same level": _best(most, "pm-mr", ("pm",)),
        "means, mr and clipped": _best(little, "pm-mr", ("pm-clipped",)),
        "means, bounded and mr": _best(everywhere, "pm-bounded", ("pm-mr",)),
        "means, bias of fits": [r for line in ("pm-em", "sw-ems") for r in _away(signed, line)],
        "means, less bias": [_less(c, x, "mean") for c, x in signed],
        "means, less spread": [_less(c, x, "spread") for c, x in signed],
    }


def _best(places: Places, line: str, rivals: Sequence[str]) -> list[Reading]:
    """The error of a line over that of the best of others."""
    readings = []
    for curve, x in places:
        best = min(rivals, key=lambda rival: curve.mean(x, rival))
        found = quotient([curve.at(x, line)], [curve.at(x, best)])
        people = int(curve.measure.rpartition("-")[2])
        where = f"{curve.dataset}, {people:,} people, epsilon {x:g}: {line} / {best}"
        readings.append(Reading(where, found.value, found.stderr))
    return readings


def _away(places: Places, line: str) -> list[Reading]:
    """How many of its own standard errors the mean error is from 0."""
    readings = []
    for curve, x in places:
        errors = curve.at(x, line)
        stderr = float(errors.std(ddof=1) / np.sqrt(len(errors)))
        where = f"{curve.dataset}, {curve.measure}, epsilon {x:g}: {line}"
        readings.append(Reading(where, abs(float(errors.mean())) / stderr, 1.0))
    return readings


def _less(curve: Curve, x: float, what: str) -> Reading:
    """The bias of MR over that of EM, or its standard deviation over that of the plain average."""
    rival = "pm-em" if what == "mean" else "pm"
    ours, theirs = curve.at(x, "pm-mr"), curve.at(x, rival)
    root = np.sqrt(len(ours))
    if what == "mean":
        above, below = abs(float(ours.mean())), abs(float(theirs.mean()))
        parts = [float(e.std(ddof=1)) / root / m for e, m in ((ours, above), (theirs, below))]
        stderr = math.hypot(*parts) * above / below
    else:
        above, below = float(ours.std(ddof=1)), float(theirs.std(ddof=1))
        stderr = above / below / root
    where = f"{curve.dataset}, {curve.measure}, epsilon {x:g}: pm-mr / {rival}"
    return Reading(where, above / below, float(stderr))
