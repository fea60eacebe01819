"""Readings that are more than a quotient of two points of a curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.mixture_reduction import conditional, distributions
from sottovoce.experiments.mixture_reduction.convergence import PATH_EPSILONS
from sottovoce.experiments.mixture_reduction.mean_readings import of_means

__all__ = ["prepared"]

Curves = Mapping[tuple[str, str], Curve]

_PUBLISHED = ("wasserstein", "variance", "range", "quantiles")
_SETTLED = 0.02
"""An error has settled where it stays within this part of its last value."""
_RARE = 7.0
"""Percent of people up to which a key is rare."""


def prepared(curves: Curves, categories: Mapping[str, Dataset]) -> dict[str, Sequence[Reading]]:
    """All prepared readings, by the name of their table."""
    found: dict[str, Sequence[Reading]] = {
        "variance before the others": _variance_first(curves),
        "pm like sw": _alike(curves, "pm", ("sw",)),
        "laplace above": _alike(curves, "laplace", ("pm", "sw")),
        "settled": _settled(curves),
        "squared frequencies": _squared_frequencies(curves),
    }
    found |= of_means(curves)
    for name in distributions.MECHANISMS:
        found[f"gain {name}"] = list(_gains(curves, name, ""))
        found[f"heights {name}"] = list(_gains(curves, name, "", ("heights",)))
    for name in distributions.SIZE_MECHANISMS:
        found[f"more people {name}"] = _more_people(curves, name)
        found[f"similar {name}"] = list(
            _gains(curves, name, "size-", at=(float(distributions.SIZES[-1]),))
        )
    for oracle in ("grr", "olh"):
        found[f"frequent too low {oracle}"] = _biases(curves, categories, oracle, frequent=True)
        found[f"rare too high {oracle}"] = _biases(curves, categories, oracle, frequent=False)
        found[f"less bias {oracle}"] = _less_bias(curves, categories, oracle)
    for name in ("grr", "quick", "slow"):
        found[f"rivals {name}"] = _rivals(curves, name)
    found["less bias of olh"] = _less_bias_of_hashing(curves, categories)
    for rival in ("formulas", "em"):
        found[f"rare keys, {rival}"] = _rare_keys(curves, rival)
    return found


# -- distributions of numbers ------------------------------------------------------------------


def _gains(
    curves: Curves,
    name: str,
    prefix: str,
    measures: Sequence[str] = _PUBLISHED,
    at: Sequence[float] = (),
) -> Iterator[Reading]:
    """Errors of MR over those of EM, in several measures."""
    for measure in measures:
        for (dataset, wanted), curve in curves.items():
            if wanted == f"{name}-{prefix}{measure}":
                for x in at or curve.xs:
                    found = quotient([curve.at(x, "mr")], [curve.at(x, "em")])
                    where = f"{dataset}, {name}, {curve.by} {x:g}: {measure}"
                    yield Reading(where, found.value, found.stderr)


def _variance_first(curves: Curves) -> list[Reading]:
    """The gain in the variance over the largest gain in another measure."""
    readings = []
    for name in distributions.MECHANISMS:
        for dataset in _sets(curves, f"{name}-variance"):
            for x in distributions.EPSILONS:
                of = {m: curves[dataset, f"{name}-{m}"] for m in _PUBLISHED}
                rest = [m for m in _PUBLISHED if m != "variance"]
                best = min(rest, key=lambda m: of[m].mean(x, "mr") / of[m].mean(x, "em"))
                found = quotient(
                    [of["variance"].at(x, "mr"), of[best].at(x, "em")],
                    [of["variance"].at(x, "em"), of[best].at(x, "mr")],
                )
                where = f"{dataset}, {name}, epsilon {x:g}: variance / {best}"
                readings.append(Reading(where, found.value, found.stderr))
    return readings


def _alike(curves: Curves, name: str, others: Sequence[str]) -> list[Reading]:
    """The Wasserstein distance of MR on one mechanism over that on others."""
    readings = []
    for dataset in _sets(curves, f"{name}-wasserstein"):
        for x in distributions.EPSILONS:
            for other in others:
                above = curves[dataset, f"{name}-wasserstein"].at(x, "mr")
                below = curves[dataset, f"{other}-wasserstein"].at(x, "mr")
                found = quotient([above], [below])
                where = f"{dataset}, epsilon {x:g}: {name} / {other}"
                readings.append(Reading(where, found.value, found.stderr))
    return readings


def _more_people(curves: Curves, name: str) -> list[Reading]:
    """MR over EM with the fewest people, over the same with the most."""
    few, many = float(distributions.SIZES[0]), float(distributions.SIZES[-1])
    readings = []
    for measure in _PUBLISHED:
        for dataset in _sets(curves, f"{name}-size-{measure}"):
            curve = curves[dataset, f"{name}-size-{measure}"]
            found = quotient(
                [curve.at(few, "mr"), curve.at(many, "em")],
                [curve.at(few, "em"), curve.at(many, "mr")],
            )
            where = f"{dataset}, {name}: {measure}, {few:,.0f} people / {many:,.0f}"
            readings.append(Reading(where, found.value, found.stderr))
    return readings


def _sets(curves: Curves, measure: str) -> list[str]:
    return [dataset for dataset, wanted in curves if wanted == measure]


# -- passes ------------------------------------------------------------------------------------


def _settled(curves: Curves) -> list[Reading]:
    """Passes after which the error of EM has settled, at the larger epsilon over at the smaller."""
    small, large = (f"path-{epsilon:g}" for epsilon in PATH_EPSILONS)
    readings = []
    for dataset in _sets(curves, small):
        above, below = (_passes_to_settle(curves[dataset, name]) for name in (large, small))
        found = quotient([above], [below])
        where = f"{dataset}: {above.mean():,.0f} passes / {below.mean():,.0f}"
        readings.append(Reading(where, found.value, found.stderr))
    return readings


def _passes_to_settle(curve: Curve) -> Floats:
    """Once a repeat."""
    errors = curve.values[:, curve.methods.index("em")]
    away = np.abs(errors / errors[-1] - 1) > _SETTLED
    last = len(away) - 1 - np.argmax(away[::-1], axis=0)
    first = np.where(away.any(axis=0), last + 1, 0)
    passes: Floats = np.array(curve.xs)[first]
    return passes


# -- bias --------------------------------------------------------------------------------------


def _mean_errors(
    curves: Curves, categories: Mapping[str, Dataset], oracle: str, line: str, frequent: bool
) -> Iterator[tuple[str, Floats, float]]:
    """A set, the mean error on its most or least frequent values once a repeat, their mean share."""
    for dataset in _sets(curves, f"{oracle}-ranks"):
        curve = curves[dataset, f"{oracle}-ranks"]
        truth = np.sort(categories[dataset].shares)[::-1]
        size = len(truth)
        part = slice(0, size // 10) if frequent else slice(size // 2, size)
        shares = curve.values[part, curve.methods.index(line)]
        yield (
            dataset,
            (shares - truth[part, np.newaxis]).mean(axis=0),
            float(truth[part].mean()),
        )


def _biases(
    curves: Curves, categories: Mapping[str, Dataset], oracle: str, *, frequent: bool
) -> list[Reading]:
    """How much too low EM is on frequent values, too high on rare ones; in mean shares of all values."""
    readings, sign = [], -1 if frequent else 1
    for dataset, errors, share in _mean_errors(curves, categories, oracle, "em", frequent):
        scale = float(categories[dataset].size)
        where = f"{dataset}, {oracle}, on values of mean share {share:.2g}"
        stderr = float(errors.std(ddof=1) / np.sqrt(len(errors)))
        readings.append(Reading(where, sign * scale * float(errors.mean()), scale * stderr))
    return readings


def _less_bias(curves: Curves, categories: Mapping[str, Dataset], oracle: str) -> list[Reading]:
    """The mean error of MR on frequent values over that of EM."""
    of = {
        line: list(_mean_errors(curves, categories, oracle, line, frequent=True))
        for line in ("mr", "em")
    }
    readings = []
    for (dataset, mr, _), (_, em, _) in zip(of["mr"], of["em"], strict=True):
        found = quotient([-mr], [-em])
        readings.append(Reading(f"{dataset}, {oracle}: MR / EM", found.value, found.stderr))
    return readings


def _less_bias_of_hashing(curves: Curves, categories: Mapping[str, Dataset]) -> list[Reading]:
    """The mean error of MR on frequent values by local hashing over that by randomized response."""
    readings = []
    grr = {d: e for d, e, _ in _mean_errors(curves, categories, "grr", "mr", frequent=True)}
    for dataset, olh, _ in _mean_errors(curves, categories, "olh", "mr", frequent=True):
        ratio = float(olh.mean() / grr[dataset].mean())
        parts = [float(e.std(ddof=1) / np.sqrt(len(e)) / e.mean()) for e in (olh, grr[dataset])]
        stderr = abs(ratio) * math.hypot(*parts)
        readings.append(Reading(f"{dataset}: OLH / GRR", ratio, stderr))
    return readings


# -- keys --------------------------------------------------------------------------------------


def _rare_keys(curves: Curves, rival: str) -> list[Reading]:
    """Errors of MR on rare keys over those of the best formula of the paper's rivals, or of EM."""
    readings = []
    for (dataset, measure), curve in curves.items():
        if measure.startswith("keys-"):
            rare = [i for i, x in enumerate(curve.xs) if x <= _RARE]
            errors = curve.values[rare].mean(axis=0)
            of = dict(zip(curve.methods, errors, strict=True))
            best = "pm-em"
            if rival == "formulas":
                best = min(("ue", "grr"), key=lambda line: float(of[line].mean()))
            found = quotient([of["pm-mr"]], [of[best]])
            where = f"{dataset}, epsilon {measure.partition('-')[2]}: PCKV-PM, MR / {best}"
            readings.append(Reading(where, found.value, found.stderr))
    return readings


def _squared_frequencies(curves: Curves) -> list[Reading]:
    """The error on the rarest key over that on the most frequent, over their squared frequencies."""
    readings = []
    for epsilon in conditional.EPSILONS[-2:]:
        for dataset in _sets(curves, f"keys-{epsilon:g}"):
            curve = curves[dataset, f"keys-{epsilon:g}"]
            expected = (curve.xs[-1] / curve.xs[0]) ** 2
            for line in ("ue", "pm-mr"):
                found = quotient([curve.at(curve.xs[0], line)], [curve.at(curve.xs[-1], line)])
                where = (
                    f"{dataset}, epsilon {epsilon:g}, {line}: {found.value:.3g} / {expected:.3g}"
                )
                readings.append(Reading(where, found.value / expected, found.stderr / expected))
    return readings


# -- rivals ------------------------------------------------------------------------------------


def _rivals(curves: Curves, kind: str) -> list[Reading]:
    """Squared errors of exchangeable over those of the best rival in the same drawings."""
    readings = []
    for (name, measure), curve in curves.items():
        oracle, _, rest = measure.removeprefix("rivals-").partition("-")
        of = "grr" if oracle == "grr" else "slow" if rest.startswith("slow-") else "quick"
        if measure.startswith("rivals-") and rest in ("mse", "slow-mse") and of == kind:
            others = [m for m in curve.methods if m != "exchangeable"]
            for x in curve.xs:
                best = min(others, key=lambda m: curve.mean(x, m))
                found = quotient([curve.at(x, "exchangeable")], [curve.at(x, best)])
                where = f"{name}, {oracle}, epsilon {x:g}: exchangeable / {best}"
                readings.append(Reading(where, found.value, found.stderr))
    return readings
