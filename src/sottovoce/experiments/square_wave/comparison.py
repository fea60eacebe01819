"""Tables: which method is best where, and our adaptive smoothing beside EM and EMS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sottovoce.base.frame import Frame
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.square_wave.methods import TITLES
from sottovoce.experiments.square_wave.sweep import EPSILONS, MEASURES

__all__ = ["ADAPTIVE_EPSILONS", "ADAPTIVE_SETS", "EXPECTED", "adaptive_readings", "adaptive_table", "best_table", "expected_readings"]  # fmt: skip

Curves = Mapping[tuple[str, str], Curve]

ADAPTIVE_SETS = ("beta-5-2", "taxi", "benefits", "wages")
ADAPTIVE_EPSILONS = (0.5, 1.0, 2.0)
EXPECTED = {"ems": {1.0: 0.0050, 2.0: 0.0025}, "em": {1.0: 0.0068, 2.0: 0.0040}}
"""Mean Wasserstein distances on Beta(5, 2) that an independent implementation found, by epsilon."""
_WASSERSTEIN = "wasserstein"


def expected_readings(curves: Curves, method: str) -> list[Reading]:
    """Our mean Wasserstein distance on Beta(5, 2) over the expected one."""
    curve = curves["beta-5-2", _WASSERSTEIN]
    readings = []
    for epsilon, expected in EXPECTED[method].items():
        errors = curve.at(epsilon, method)
        stderr = float(errors.std(ddof=1) / np.sqrt(len(errors)))
        where = f"epsilon {epsilon:g}: {errors.mean():.5f} / {expected}"
        readings.append(Reading(where, float(errors.mean()) / expected, stderr / expected))
    return readings


def _cells(curves: Curves, sets: Sequence[str]) -> Iterator[tuple[Curve, float]]:
    for name in sets:
        if (name, _WASSERSTEIN) in curves:
            for epsilon in ADAPTIVE_EPSILONS:
                yield curves[name, _WASSERSTEIN], epsilon


def adaptive_readings(curves: Curves) -> list[Reading]:
    """Adaptive over EMS on the four sets: the mean of the quotients, and the quotient of the means."""
    cells = list(_cells(curves, ADAPTIVE_SETS))
    if len({curve.dataset for curve, _ in cells}) < len(ADAPTIVE_SETS):
        return []  # it is a statement about all of them
    each = [quotient([c.at(e, "adaptive")], [c.at(e, "ems")]) for c, e in cells]
    stderr = float(np.sqrt(np.sum([q.stderr**2 for q in each]))) / len(each)
    ours, ems = (sum(c.at(e, m) for c, e in cells) for m in ("adaptive", "ems"))
    whole = quotient([np.asarray(ours)], [np.asarray(ems)])
    return [
        Reading("mean of the quotients", float(np.mean([q.value for q in each])), stderr),
        Reading("quotient of the means", whole.value, whole.stderr),
    ]


def adaptive_table(curves: Curves) -> Frame:
    """EM, EMS and adaptive in every cell, with quotients."""
    names = tuple(dict.fromkeys(name for name, measure in curves if measure == _WASSERSTEIN))
    cells = list(_cells(curves, names))
    over_ems = [quotient([c.at(e, "adaptive")], [c.at(e, "ems")]) for c, e in cells]
    better = [min(("em", "ems"), key=lambda m: c.mean(e, m)) for c, e in cells]
    over_better = [
        quotient([c.at(e, "adaptive")], [c.at(e, m)])
        for (c, e), m in zip(cells, better, strict=True)
    ]
    return Frame(
        {
            "data": [c.dataset for c, _ in cells],
            "epsilon": [e for _, e in cells],
            **{
                title: [f"{c.mean(e, m):.5f}" for c, e in cells]
                for m, title in (("em", "EM"), ("ems", "EMS"), ("adaptive", "adaptive"))
            },
            "adaptive / EMS": [f"{q.value:.3f} ± {q.stderr:.3f}" for q in over_ems],
            "adaptive / better": [f"{q.value:.3f} ± {q.stderr:.3f}" for q in over_better],
        }
    )


def best_table(curves: Curves) -> Frame:
    """The published method of least mean error, by measure, data set and epsilon."""
    rows = [curves[key] for key in curves if key[1] in MEASURES]
    rows.sort(key=lambda curve: list(MEASURES).index(curve.measure))

    def best(curve: Curve, epsilon: float) -> str:
        published = [m for m in curve.methods if m != "adaptive"]
        return TITLES[min(published, key=lambda m: curve.mean(epsilon, m))]

    return Frame(
        {
            "measure": [curve.measure for curve in rows],
            "data": [curve.dataset for curve in rows],
            **{f"epsilon {e:g}": [best(curve, e) for curve in rows] for e in EPSILONS},
        }
    )
