"""What the calculator shows of its numbers: sentences, tables and a chart."""

from __future__ import annotations

import math

import msgspec
from markupsafe import Markup

from sottovoce.answers.answer import two_sided
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.odds import privacy_in_words
from sottovoce.planning.windows import WindowPlan
from sottovoce.service.analysis.calculating import Asked, Calculation, Row
from sottovoce.service.pages.charts.lines import Line, lines

__all__ = ["LEAST_EPSILON", "Repeated", "Shown", "reach", "shown"]

LEAST_EPSILON = 0.01
"""That is looked at."""
_KNOWN = {
    "shares": "the share of an answer",
    "mean": "the mean",
    "range": "the share of a tenth of the interval",
    "distribution": "the share up to a number",
}


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """The words and pictures of a calculation; ``best`` is the mechanism of the least error.

    ``tried`` is whether what fake senders could do is known only as far as it was tried.
    """

    answer: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chart: str
    """Markup; empty where nothing is drawn."""
    privacy: list[str]
    lies: list[str]
    epsilon: float
    best: str
    tried: bool
    repeated: Repeated | None


class Repeated(msgspec.Struct, frozen=True, array_like=True):
    """The words of a comparison of designs for the same people in several windows."""

    windows: int
    answer: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    privacy: list[str]


def shown(asked: Asked, found: Calculation) -> Shown:
    """The page of a calculation."""
    needed = {"users": "people needed", "epsilon": "epsilon needed"}.get(found.found)
    head = ("mechanism", "rms error", "give or take, 95%", "bytes per report")
    rows = [
        (row.name, _size(asked, row.error), f"±{_size(asked, reach(row.error))}",
         f"{row.report_bytes:,}", *([_needed(asked, found, row)] if needed else []))
        for row in found.rows
    ]  # fmt: skip
    return Shown(
        _answer(asked, found),
        (*head, needed) if needed else head,
        tuple(rows),
        str(_chart(asked, found) or ""),
        privacy_in_words(found.rows[0].mechanism.certificate()).splitlines(),
        [str(each) for each in found.influences],
        found.epsilon,
        found.rows[0].name,
        any(each.how == "tried" for each in found.influences),
        None if found.repeated is None else _designs(asked, found.repeated),
    )


def _named(chosen: Mechanism) -> str:
    inside = getattr(chosen, "inner", None)
    return chosen.name if inside is None else f"{chosen.name} ({inside.name})"


def _designs(asked: Asked, plan: WindowPlan) -> Repeated:
    """What designs cost and how far they err."""
    assert plan.users is not None
    users = plan.users

    def size(variance: float) -> str:
        return f"±{_size(asked, reach(math.sqrt(variance / users)))}"

    rows = [
        (each.name, size(each.window_variance), size(each.mean_variance), size(each.change_variance),
         f"{each.mechanism.epsilon:.3g}", f"{each.total_epsilon:.4g}", f"{each.reports:,}",
         _named(each.mechanism))
        for each in plan.designs
    ]  # fmt: skip
    fresh, cohorts, memory, _ = plan.designs
    within = min((each for each in (cohorts, memory)), key=lambda each: each.window_variance)
    told = (
        f"Fresh reports cost a person {fresh.total_epsilon:.4g} in {plan.windows:,} windows. For "
        f"{cohorts.total_epsilon:g}, {'cohorts' if within is cohorts else 'memory'} estimates a window "
        f"best, within {size(within.window_variance)}, and cohorts the mean of all windows, within "
        f"{size(cohorts.mean_variance)}."
    )
    head = (
        "design", "one window, 95%", "mean of all, 95%", "change between two, 95%",
        "epsilon of one report", "epsilon of all reports", "reports of a person", "mechanism",
    )  # fmt: skip
    one, whole = (math.exp(each) for each in (memory.mechanism.epsilon, memory.total_epsilon))
    privacy = [
        "Fresh: everybody answers anew in every window. Split: the same, and every report has an equal part of "
        "the budget.",
        f"Cohorts: the device draws in which window it answers, once, with the whole budget. It keeps nothing, "
        f"and a change of the answer is hidden. Its report makes an answer at most {whole:.3g} times as "
        "likely as another.",
        f"Memory: the device keeps a randomized answer and reports from it in every window. One report makes "
        f"an answer at most {one:.3g} times as likely as another; all reports together at most {whole:.3g} "
        "times, while the answer stays the same. Each further answer counts again. That an answer changed, and "
        "when, is not hidden.",
    ]
    return Repeated(plan.windows, told, head, tuple(rows), privacy)


def reach(error: float) -> float:
    """Half of a 95% interval."""
    return two_sided(0.95) * error


def _size(asked: Asked, error: float) -> str:
    """An error in points of a share, or in units of the mean: three digits."""
    if asked.goal == "mean":
        return f"{error:.3g}"
    told = f"{100 * error:.3g}"
    return f"{told} point" if told == "1" else f"{told} points"


def _needed(asked: Asked, found: Calculation, row: Row) -> str:
    """What the wanted error takes of a mechanism; of one not searched, on which side it lies."""
    if found.found == "users":
        return "never" if row.needed is None else f"{row.needed:,.0f}"
    if row.needed is not None and row.needed > LEAST_EPSILON:
        return f"{row.needed:.3g}"
    assert asked.error is not None
    enough = row.needed is not None or row.error <= asked.error
    return f"{'at most' if enough else 'above'} {found.epsilon:g}"


def _answer(asked: Asked, found: Calculation) -> str:
    """The number that was sought, in a sentence."""
    best = found.rows[0]
    people, privacy = f"{found.users:,} people", f"epsilon {found.epsilon:g}"
    error = best.error if asked.error is None else asked.error
    within = f"within ±{_size(asked, reach(error))}"
    of = _KNOWN[asked.goal]
    if found.found == "users":
        return f"{people} are needed to know {of} {within}, 95% of the time, at {privacy}."
    if found.found == "epsilon" and found.epsilon <= LEAST_EPSILON:
        told = f"E{privacy[1:]} is enough to know {of} {within} from {people}"
        return f"{told}; it is the least that is looked at."
    if found.found == "epsilon":
        return f"E{privacy[1:]} is needed to know {of} {within} from {people}."
    return f"{people} at {privacy} estimate {of} {within}, 95% of the time."


def _chart(asked: Asked, found: Calculation) -> Markup | None:
    """The give or take against epsilon, of the best few mechanisms."""
    series = [
        Line(name, tuple((epsilon, reach(error)) for epsilon, error in line))
        for name, line in found.lines
        if all(error > 0 for _, error in line)
    ]
    if not series:
        return None
    ends = series[0].points[0], series[0].points[-1]
    told = (
        f"{series[0].label}: ±{_size(asked, ends[0][1])} at epsilon {ends[0][0]:g}, "
        f"±{_size(asked, ends[1][1])} at epsilon {ends[1][0]:g}."
    )
    unit = "give or take, 95%" + ("" if asked.goal == "mean" else " (points)")
    times = 1 if asked.goal == "mean" else 100
    return lines(
        series, name="errors", title=f"The error against epsilon, for {found.users:,} people",
        description=told, across_is="epsilon: more is less private", down_is=unit,
        write_x=lambda x: f"{x:.3g}", write_y=lambda y: f"{times * y:.2g}", mark=found.epsilon,
    )  # fmt: skip
