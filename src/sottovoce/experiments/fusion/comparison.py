"""Readings that are more than a quotient of two points of a curve, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.fusion.services import (
    EPSILONS,
    FOUR,
    MEAN_SETTINGS,
    Kinds,
    alike,
    made,
    report_variances,
    textbook_laplace,
)
from sottovoce.experiments.fusion.values import BINS, PAPERS, SKEWED
from sottovoce.experiments.numbers import Numbers

__all__ = [
    "bias_readings",
    "bias_table",
    "cell_readings",
    "coverage_readings",
    "expected_readings",
    "formula_table",
    "gain_readings",
    "million_readings",
    "one_more_readings",
    "share_table",
    "textbook_readings",
]

Curves = Mapping[tuple[str, str], Curve]

_LARGE = 1.0
"""From this budget on weights by reports are seriously biased."""
_MILLION = 1_000_000


# -- what formulas say -------------------------------------------------------------------------


def _variances(data: Numbers, kinds: Kinds, *, textbook: bool = False) -> dict[str, float]:
    """Of one person's report to each service."""
    shares = data.shares(BINS)
    return {
        name: textbook_laplace(epsilon)
        if textbook and name == "laplace"
        else report_variances(each, shares)
        for (name, epsilon), each in zip(kinds, made(kinds), strict=True)
    }


def _expected(variances: Mapping[str, float]) -> dict[str, float]:
    """Variances of a person's fused number, by method."""
    each = np.array(list(variances.values()))
    return {
        **variances,
        "ua": float(each.sum() / len(each) ** 2),
        "population": float(1 / (1 / each).sum()),
    }


def textbook_readings(datasets: Sequence[Numbers], what: str) -> list[Reading]:
    """With the textbook's Laplace noise: UA over the best single in A1 to A4, or weights over UA by epsilon."""
    readings = []
    for data in datasets:
        cells = (
            [(f"A{i}", kinds) for i, kinds in enumerate(MEAN_SETTINGS, 1)]
            if what == "ua"
            else [(f"epsilon {e:g}", alike(FOUR, e)) for e in EPSILONS]
        )
        for told, kinds in cells:
            found = _expected(_variances(data, kinds, textbook=True))
            best = min(found[name] for name in FOUR)
            value = found["ua"] / best if what == "ua" else found["population"] / found["ua"]
            readings.append(Reading(f"{data.name}, {told}", value, 0.0))
    return readings


def expected_readings(
    curves: Curves, datasets: Mapping[str, Numbers], people: int
) -> list[Reading]:
    """Measured mean squared errors over those of the formula, over all of figures 4 and 5."""
    readings = []
    cells = {"epsilon-mse": [alike(FOUR, e) for e in EPSILONS], "setting-mse": MEAN_SETTINGS}
    for (name, measure), curve in curves.items():
        if measure not in cells or name not in datasets:
            continue
        expected = [_expected(_variances(datasets[name], kinds)) for kinds in cells[measure]]
        for method in (*FOUR, "ua", "population"):
            over = [
                curve.at(x, method) * people / found[method]
                for x, found in zip(curve.xs, expected, strict=True)
            ]
            readings.append(_mean(f"{name}, {measure[:-4]}: {method}", np.concatenate(over)))
    return readings


def formula_table(datasets: Sequence[Numbers]) -> Frame:
    """UA and population weights over the best single service, with our Laplace noise and the textbook's."""
    rows = [(data, i, kinds) for data in datasets for i, kinds in enumerate(MEAN_SETTINGS, 1)]
    columns: dict[str, list[str]] = {
        "data": [data.name for data, _, _ in rows],
        "budgets": [f"A{i}" for _, i, _ in rows],
    }
    for textbook, laplace in ((False, "ours"), (True, "textbook")):
        found = [_expected(_variances(d, kinds, textbook=textbook)) for d, _, kinds in rows]
        best = [min(FOUR, key=lambda name: one[name]) for one in found]
        columns[f"best single, {laplace}"] = best
        for method in ("ua", "population"):
            columns[f"{method} / best, {laplace}"] = [
                f"{one[method] / one[name]:.2f}" for one, name in zip(found, best, strict=True)
            ]
    return Frame(columns)


# -- what was measured -----------------------------------------------------------------------


def _mean(where: str, values: Floats) -> Reading:
    return Reading(where, float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def gain_readings(curves: Curves) -> list[Reading]:
    """UWA over the best single service, on average over all data sets and A1 to A4."""
    ratios, spreads = [], []
    for name in PAPERS:
        curve = curves.get((name, "setting-mse"))
        for x in () if curve is None else curve.xs:
            assert curve is not None
            best = min(FOUR, key=lambda method: curve.mean(x, method))
            found = quotient([curve.at(x, "uwa")], [curve.at(x, best)])
            ratios.append(found.value)
            spreads.append(found.stderr)
    if not ratios:
        return []
    stderr = float(np.sqrt(np.sum(np.square(spreads)))) / len(spreads)
    return [Reading(f"{len(ratios)} cells", float(np.mean(ratios)), stderr)]


def coverage_readings(curves: Curves) -> list[Reading]:
    """The part of surveys whose interval held the truth, by data set and method, over all of a figure."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure in ("epsilon-covered", "setting-covered"):
            for method in ("ua", "population"):
                told = np.concatenate([curve.at(x, method) for x in curve.xs])
                readings.append(_mean(f"{name}, {measure[:-8]}: {method}", told))
    return readings


def _biases(curves: Curves, method: str) -> Iterator[tuple[str, float, Reading]]:
    """Mean errors; those of weights by reports as differences to the unbiased ones, which cancels noise."""
    for (name, measure), curve in curves.items():
        if measure == "bias-error":
            for x in curve.xs:
                errors = curve.at(x, method)
                if method == "uwa":
                    errors = errors - curve.at(x, "population")
                yield name, x, _mean(f"{name}, epsilon {x:g}", errors)


def bias_readings(curves: Curves, method: str, trials: int) -> list[Reading]:
    """Mean errors in standard errors of their own; of UWA from budget 1 on, on the skewed set."""
    readings = []
    for name, x, bias in _biases(curves, method):
        stderr = bias.stderr
        if method != "uwa":  # errors of all surveys are known, not only means of some
            squares = curves[name, "bias-mse"].at(x, method)
            stderr = float(np.sqrt(squares.mean() / (trials * len(squares))))
        if method != "uwa" or (x >= _LARGE and name == SKEWED):
            readings.append(Reading(bias.where, abs(bias.value) / stderr, 0.0))
    return readings


def million_readings(curves: Curves, people: int) -> list[Reading]:
    """The mean squared error of UWA over that of UA, if a million people were asked."""
    readings = []
    for name, x, bias in _biases(curves, "uwa"):
        if x >= _LARGE and name == SKEWED:
            ratio, stderr = _at_a_million(curves[name, "bias-mse"], x, bias, people)
            readings.append(Reading(bias.where, ratio, stderr))
    return readings


def _at_a_million(curve: Curve, x: float, bias: Reading, people: int) -> tuple[float, float]:
    """``(b^2 + V/n) / (V_ua/n)``, from variances V of one person's fused number."""
    each = max(0.0, curve.mean(x, "uwa") - bias.value**2) * people
    plain = curve.mean(x, "ua") * people
    ratio = (bias.value**2 * _MILLION + each) / plain
    return ratio, 2 * abs(bias.value) * bias.stderr * _MILLION / plain


def bias_table(curves: Curves, people: int) -> Frame:
    """Mean errors by budget, and what a million people would have of UWA."""
    rows = [
        (name, x, population, uwa)
        for (name, x, population), (_, _, uwa) in zip(
            _biases(curves, "population"), _biases(curves, "uwa"), strict=True
        )
    ]
    return Frame(
        {
            "data": [name for name, _, _, _ in rows],
            "epsilon": [x for _, x, _, _ in rows],
            "population": [f"{p.value:.5f} ± {p.stderr:.5f}" for _, _, p, _ in rows],
            "UWA": [f"{u.value:.5f} ± {u.stderr:.5f}" for _, _, _, u in rows],
            "MSE of UWA / UA at a million": [
                f"{_at_a_million(curves[name, 'bias-mse'], x, u, people)[0]:.3g}"
                for name, x, _, u in rows
            ],
        }
    )


def one_more_readings(curves: Curves) -> list[Reading]:
    """Four services and one more question fused, over the four fused."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure == "again-mse":
            for method in FOUR:
                found = quotient([curve.at(1.0, f"all + {method}")], [curve.at(1.0, "population")])
                readings.append(Reading(f"{name}, one more {method}", found.value, found.stderr))
    return readings


def cell_readings(curves: Curves) -> list[Reading]:
    """ULE from reports in 256 cells over ULE from reports in 64, of the same people."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure == "cells":
            found = quotient([curve.at(1.0, "256")], [curve.at(1.0, "64")])
            readings.append(Reading(name, found.value, found.stderr))
    return readings


def share_table(curves: Curves, rule: str, prefix: str) -> Frame:
    """ULE's divergence beside the best single service's, in every cell of figures 4 and 5."""
    rows = []
    for name in PAPERS:
        for figure in ("epsilon", "setting"):
            curve = curves.get((name, f"{prefix}-{figure}-{rule}"))
            rows += [] if curve is None else [(curve, x) for x in curve.xs]
    table: dict[str, list[str]] = {
        "data": [curve.dataset for curve, _ in rows],
        "budgets": [f"{x:g}" if curve.by == "epsilon" else f"C{x:g}" for curve, x in rows],
        "ULE": [_pair(curve.at(x, "ule")) for curve, x in rows],
    }
    singles = [[m for m in curve.methods if m != "ule"] for curve, _ in rows]
    best = [
        min(alone, key=lambda method: curve.mean(x, method))
        for (curve, x), alone in zip(rows, singles, strict=True)
    ]
    table["best single"] = [
        f"{method} {_pair(curve.at(x, method))}"
        for (curve, x), method in zip(rows, best, strict=True)
    ]
    ratios = [
        quotient([curve.at(x, "ule")], [curve.at(x, method)])
        for (curve, x), method in zip(rows, best, strict=True)
    ]
    table["ULE / best"] = [f"{r.value:.3f} ± {r.stderr:.3f}" for r in ratios]
    return Frame(table)


def _pair(values: Floats) -> str:
    return f"{values.mean():.4f} ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}"
