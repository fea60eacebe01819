"""Tables: errors with standard errors where many drawings were asked for, and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sottovoce.base.frame import Frame
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.mixture_reduction import distributions
from sottovoce.experiments.mixture_reduction.categories import SETS
from sottovoce.experiments.mixture_reduction.convergence import paper_seconds
from sottovoce.experiments.mixture_reduction.frequencies import ORACLES
from sottovoce.experiments.mixture_reduction.methods import TITLES

__all__ = ["distribution_table", "frequency_table", "gain_table", "key_table", "proposition_table", "rival_table", "seconds_table"]  # fmt: skip

Curves = Mapping[tuple[str, str], Curve]

_SCALE = 1e6


def _with_error(curve: Curve, x: float, line: str, scale: float = 1.0) -> str:
    """A mean and its standard error."""
    if line not in curve.methods:
        return ""
    errors = scale * curve.at(x, line)
    return f"{errors.mean():.3g} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.2g}"


def _over(curve: Curve, x: float, line: str, rival: str) -> str:
    found = quotient([curve.at(x, line)], [curve.at(x, rival)])
    return f"{found.value:.3f} ± {found.stderr:.3f}"


def frequency_table(curves: Curves) -> Frame:
    """Squared errors of shares, times a million."""
    rows = [
        (curves[dataset, f"{oracle}-mse"], oracle, x)
        for oracle in ORACLES
        for dataset in SETS
        if (dataset, f"{oracle}-mse") in curves
        for x in curves[dataset, f"{oracle}-mse"].xs
    ]
    lines = dict.fromkeys(line for curve, _, _ in rows for line in curve.methods)
    return Frame(
        {
            "oracle": [oracle.upper() for _, oracle, _ in rows],
            "data": [curve.dataset for curve, _, _ in rows],
            "epsilon": [x for _, _, x in rows],
            "draws": [curve.values.shape[-1] for curve, _, _ in rows],
            **{
                TITLES[line]: [_with_error(c, x, line, _SCALE) for c, _, x in rows]
                for line in lines
            },
        }
    )


def gain_table(curves: Curves) -> Frame:
    """Absolute errors of MR over those of others, all values."""
    rivals = ("em", "mle", "norm-sub", "exchangeable")
    rows = [
        (curves[dataset, f"{oracle}-mae"], oracle, x)
        for oracle in ORACLES
        for dataset in SETS
        if (dataset, f"{oracle}-mae") in curves
        for x in curves[dataset, f"{oracle}-mae"].xs
    ]
    return Frame(
        {
            "oracle": [oracle.upper() for _, oracle, _ in rows],
            "data": [curve.dataset for curve, _, _ in rows],
            "epsilon": [x for _, _, x in rows],
            **{
                f"MR / {TITLES[rival]}": [_over(c, x, "mr", rival) for c, _, x in rows]
                for rival in rivals
            },
        }
    )


def distribution_table(curves: Curves) -> Frame:
    """Wasserstein distances on S-MN at epsilon 1 by the number of people; adaptive on fewer drawings."""
    rows = [
        (curves["s-mn", f"{name}-size-wasserstein"], curves["s-mn", f"{name}-adaptive-wasserstein"], name, x)
        for name in distributions.SIZE_MECHANISMS
        for x in map(float, distributions.SIZES)
    ]  # fmt: skip
    many: Sequence[str] = rows[0][0].methods
    return Frame(
        {
            "mechanism": [name.upper() for _, _, name, _ in rows],
            "people": [f"{x:,.0f}" for _, _, _, x in rows],
            **{TITLES[line]: [_with_error(c, x, line) for c, _, _, x in rows] for line in many},
            "MR / EM": [_over(c, x, "mr", "em") for c, _, _, x in rows],
            "adaptive / EMS": [_over(c, x, "adaptive", "ems") for _, c, _, x in rows],
        }
    )


def key_table(curves: Curves) -> Frame:
    """Squared errors of the means of keys."""
    rows = [
        (curve, x) for (_, measure), curve in curves.items() if measure == "means" for x in curve.xs
    ]
    lines = rows[0][0].methods
    return Frame(
        {
            "data": [curve.dataset for curve, _ in rows],
            "epsilon": [x for _, x in rows],
            **{line: [_with_error(curve, x, line) for curve, x in rows] for line in lines},
            "MR / EM": [_over(curve, x, "pm-mr", "pm-em") for curve, x in rows],
        }
    )


def proposition_table(curves: Curves) -> Frame:
    """Squared errors of MR, times a million: measured, predicted, and the first term of that."""
    rows = [
        (curve, x)
        for (_, measure), curve in curves.items()
        if measure.endswith("-proposition")
        for x in curve.xs
    ]
    return Frame(
        {
            "oracle": [curve.measure.partition("-")[0].upper() for curve, _ in rows],
            "data": [curve.dataset for curve, _ in rows],
            "epsilon": [x for _, x in rows],
            "measured": [_with_error(curve, x, "mr", _SCALE) for curve, x in rows],
            "predicted": [_with_error(curve, x, "predicted", _SCALE) for curve, x in rows],
            "K'/K of EM": [_with_error(curve, x, "part", _SCALE) for curve, x in rows],
            "measured / predicted": [_over(curve, x, "mr", "predicted") for curve, x in rows],
        }
    )


def rival_table(curves: Curves) -> Frame:
    """Squared errors of exchangeable over those of others, by population and oracle."""
    rows = [
        (curve, measure.split("-")[1], x)
        for (_, measure), curve in curves.items()
        if measure.startswith("rivals-") and measure.partition("-")[2].split("-", 1)[1] in ("mse", "slow-mse")
        for x in curve.xs
    ]  # fmt: skip
    others = dict.fromkeys(m for curve, _, _ in rows for m in curve.methods if m != "exchangeable")
    return Frame(
        {
            "population": [curve.dataset for curve, _, _ in rows],
            "oracle": [oracle.upper() for _, oracle, _ in rows],
            "epsilon": [x for _, _, x in rows],
            "draws": [curve.values.shape[-1] for curve, _, _ in rows],
            **{
                f"over {other}": [
                    _over(c, x, "exchangeable", other) if other in c.methods else ""
                    for c, _, x in rows
                ]
                for other in others
            },
        }
    )


def seconds_table(curves: Curves, people: Mapping[str, int]) -> Frame:
    """Table II: the paper's seconds and ours."""
    rows = [
        (curve, people[curve.dataset], line, x)
        for (_, measure), curve in curves.items()
        if measure == "seconds"
        for line in curve.methods
        for x in curve.xs
    ]
    theirs = [paper_seconds(n, line, x) for _, n, line, x in rows]
    ours = [float(curve.at(x, line).min()) for curve, _, line, x in rows]
    return Frame(
        {
            "people": [f"{n:,}" for _, n, _, _ in rows],
            "method": [line.upper().replace("LAPLACE", "Laplace") for _, _, line, _ in rows],
            "epsilon": [x for *_, x in rows],
            "the paper, s": theirs,
            "ours, s": ours,
            "times faster": [f"{t / o:,.0f}" for t, o in zip(theirs, ours, strict=True)],
        }
    )
