"""Readings that are more than a quotient of two points of a curve, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.wiener.histograms import Histogram
from sottovoce.experiments.wiener.methods import ORACLES, Survey, named, noise_over_signal
from sottovoce.experiments.wiener.sweep import EPSILONS

__all__ = [
    "SMOOTH",
    "gain_table",
    "noise_readings",
    "positives_table",
    "residual_readings",
    "trust_readings",
    "trust_table",
]

Curves = Mapping[tuple[str, str], Curve]

SMOOTH = ("ring", "taxi", "taxi-many")
"""The sets whose neighbouring values are alike."""
_TRUSTED, _STUCK = 1.0, 2.0
"""IIW-G is to be trusted below the first ``d sqrt(Var)``, and has got stuck above the second."""


def noise_readings(curves: Curves, measure: str) -> list[Reading]:
    """The power of the noise over its expectation: mean over frequencies, or at frequency 0."""
    readings = []
    for (name, kind), curve in curves.items():
        if kind == measure:
            for i, oracle in enumerate(curve.methods):
                if measure == "noise" or oracle == "krr":
                    powers: Floats = curve.values[:, i].mean(axis=0)
                    stderr = float(powers.std(ddof=1) / np.sqrt(len(powers)))
                    readings.append(Reading(f"{name}, {oracle}", float(powers.mean()), stderr))
    return readings


def residual_readings(curves: Curves, step: str) -> list[Reading]:
    """The error that a step leaves of that of plain shares where all values are alike."""
    curve, readings = curves.get(("flat", "mse")), []
    if curve is not None:
        for oracle in ORACLES:
            for epsilon in EPSILONS:
                found = quotient(
                    [curve.at(epsilon, named(oracle, step))], [curve.at(epsilon, oracle)]
                )
                readings.append(
                    Reading(f"{oracle}, epsilon {epsilon:g}", found.value, found.stderr)
                )
    return readings


def _trusts(
    curves: Curves, datasets: Mapping[str, Histogram]
) -> Iterator[tuple[Histogram, float, float]]:
    """Smooth sets, epsilons, and ``d sqrt(Var)`` of KRR there."""
    for name in SMOOTH:
        if name in datasets and (name, "mse") in curves:
            data = datasets[name]
            for epsilon in EPSILONS:
                krr = Survey(data, epsilon, data.size).mechanisms["krr"]
                yield data, epsilon, noise_over_signal(krr, data.size, data.n)


def trust_readings(
    curves: Curves, datasets: Mapping[str, Histogram], rival: str, *, trusted: bool
) -> list[Reading]:
    """The error of IIW-G over a rival's, where it is to be trusted or where it has got stuck."""
    readings = []
    for data, epsilon, spread in _trusts(curves, datasets):
        if spread < _TRUSTED if trusted else spread > _STUCK:
            curve = curves[data.name, "mse"]
            found = quotient([curve.at(epsilon, "krr-iiw-g")], [curve.at(epsilon, rival)])
            where = f"{data.name}, epsilon {epsilon:g}, d sqrt(Var) {spread:.2f}: iiw-g / {rival}"
            readings.append(Reading(where, found.value, found.stderr))
    return readings


def trust_table(curves: Curves, datasets: Mapping[str, Histogram]) -> Frame:
    """IIW-G beside IIW, the better oracle's IIW, and a flat guess, by the size of the noise."""
    rivals = ("krr-iiw", "oue-iiw", "flat")
    cells = list(_trusts(curves, datasets))
    return Frame(
        {
            "data": [data.name for data, _, _ in cells],
            "epsilon": [epsilon for _, epsilon, _ in cells],
            "d sqrt(Var)": [f"{spread:.2f}" for _, _, spread in cells],
            **{
                f"IIW-G / {rival}": [
                    f"{_over(curves[d.name, 'mse'], e, 'krr-iiw-g', rival):.3g}"
                    for d, e, _ in cells
                ]
                for rival in rivals
            },
        }
    )


def _over(curve: Curve, x: float, method: str, rival: str) -> float:
    return quotient([curve.at(x, method)], [curve.at(x, rival)]).value


_GAINS = ("dw", "iiw", "iiw-limit", "smooth", "amrp", "gf1", "gf3", "gf1-dw", "gf3-dw")


def gain_table(curves: Curves) -> Frame:
    """Errors over those of the plain estimate, by data set, oracle and epsilon."""
    rows = [
        (curve, oracle, epsilon)
        for (_, measure), curve in curves.items()
        if measure == "mse"
        for oracle in ORACLES
        for epsilon in EPSILONS
    ]
    return Frame(
        {
            "data": [curve.dataset for curve, _, _ in rows],
            "oracle": [oracle.upper() for _, oracle, _ in rows],
            "epsilon": [epsilon for _, _, epsilon in rows],
            **{
                step: [f"{_over(c, e, named(o, step), o):.3f}" for c, o, e in rows]
                for step in _GAINS
            },
        }
    )


_COUNTED: Sequence[str] = tuple(
    named(o, s)
    for o in ORACLES
    for s in ("", "dw", "iiw", "iiw-g", "amrp")
    if (o, s) != ("oue", "iiw-g")
)  # fmt: skip


def positives_table(curves: Curves) -> Frame:
    """True and false positives above the paper's thresholds at epsilon 4, on average."""
    rows = [
        (curve, curves[name, "false"], x)
        for (name, measure), curve in curves.items()
        if measure == "true" and name != "flat"
        for x in curve.xs
    ]
    return Frame(
        {
            "data": [true.dataset for true, _, _ in rows],
            "threshold": [f"{x:,.0f}" for _, _, x in rows],
            **{
                method: [f"{t.mean(x, method):.0f}, {f.mean(x, method):.0f}" for t, f, x in rows]
                for method in _COUNTED
            },
        }
    )
