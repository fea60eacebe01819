"""From the tallies of several windows to their trend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sottovoce.answers.about import check_about
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.overlap import Distances, Overlap, cohorts_of
from sottovoce.answers.trend import Trend
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.memory import Memory
from sottovoce.core.tally import Tally
from sottovoce.estimators.run import run_method
from sottovoce.surveys.window_numbers import window_numbers

__all__ = ["trend"]


def trend(
    tallies: Iterable[Tally],
    windows: Sequence[str] | None = None,
    *,
    overlap: Any = None,
    about: str = "population",
    same_people: bool = False,
    period: int | None = None,
    method: str = "auto",
    question: str | None = None,
) -> Trend:
    """The trend over several windows: an answer for each, changes, means and shifts.

    Parameters
    ----------
    tallies : iterable of Tally
        One per window, all of one mechanism.
    windows : sequence of str, optional
        Their names, such as ``"2026-11-16"``, in order; those of the tallies unless given.
    overlap : optional
        How many people answer with the same value in two windows. None: not known, so that errors are
        the largest there can be. 0: each window asks other people (cohorts). A number from 0 to 1: that
        part from one window to the next, its powers for windows further apart. A sequence: by distance.
        A matrix: for any two windows. ``"1/7"``: each person is asked in one window of seven. ``"estimate"``: from the tallies, where the mechanism allows it.
    about : str
        ``"population"`` or ``"respondents"``: whom levels and changes are about.
    same_people : bool
        Whether the same people answered in all windows. Everything is then about them, and the
        sampling of people does not count.
    period : int, optional
        How many windows a period has; unless given 7 days, 52 weeks or 12 months.
    method : str
        The method of each window's estimate.
    question : str, optional
        The question of a record that the trend is of.

    Returns
    -------
    Trend
        To be asked for shares, means and quantiles.

    Raises
    ------
    Mismatch
        Where tallies are of different mechanisms, or two are of one window.
    InvalidInput
        Where a parameter is not allowed, or a window has no reports.
    Unfit
        Where the overlap is to be estimated and reports do not tell it.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("memoized", sv.Categories(["bus", "car"]), 1.0, lifetime=2.0)
    >>> days = ["2026-11-16", "2026-11-17"]
    >>> tallies = [m.simulate([3000, 1000], source=sv.Seeded(i)).of_window(d) for i, d in enumerate(days)]
    >>> sv.trend(tallies).share("bus")
    <bus in 2 windows, 2026-11-16 to 2026-11-17>
    """
    check_about(about, "trend")
    given = _checked(list(tallies))
    names = _names(given, windows)
    numbers = window_numbers(names)
    positions = list(range(len(names))) if numbers is None else numbers.positions
    order = np.argsort(positions, kind="stable").tolist()
    given, names, positions = ([row[i] for i in order] for row in (given, names, positions))
    back = numbers.period if period is None and numbers is not None else period
    return Trend(
        tuple(names), tuple(_estimate(tally, method, question) for tally in given), given[0].mechanism,
        _overlap(overlap, given, positions), _earlier(positions, back),
        "respondents" if same_people else about,
    )  # fmt: skip


def _estimate(tally: Tally, method: str, question: str | None) -> Estimate:
    return (
        run_method(tally, method) if question is None else run_method(tally).part(question, method)
    )


def _checked(tallies: list[Any]) -> list[Tally]:
    if not tallies or not all(isinstance(tally, Tally) for tally in tallies):
        raise InvalidInput("tallies", "trend", "a tally for each window", tallies)
    first = tallies[0]
    for tally in tallies[1:]:
        if tally.mechanism != first.mechanism:
            raise Mismatch(
                f"tallies of {first.mechanism} ({first.mechanism.fingerprint}) and of "
                f"{tally.mechanism} ({tally.mechanism.fingerprint}) have no trend together"
            )
    return tallies


def _names(tallies: list[Tally], windows: Sequence[str] | None) -> list[str]:
    names = [tally.window for tally in tallies] if windows is None else list(windows)
    if len(names) != len(tallies) or not all(isinstance(name, str) and name for name in names):
        allowed = f"{len(tallies)} names, one for each tally"
        hint = "tally.of_window('2026-11-16') gives a tally its window."
        raise InvalidInput("windows", "trend", allowed, names, hint=hint)
    for name, tally in zip(names, tallies, strict=True):
        if tally.window not in ("", name):
            raise Mismatch(f"a tally of window {tally.window} was given as window {name}")
        if tally.n == 0:
            raise InvalidInput(
                "tallies", "trend", "with reports in every window", f"none in {name}"
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Mismatch(f"two tallies are of window {twice}: add them first")
    return names


def _overlap(asked: Any, tallies: list[Tally], positions: list[int]) -> Overlap:
    people = np.array([tally.n for tally in tallies], dtype=np.float64)
    apart = np.abs(np.subtract.outer(positions, positions))
    if asked is None:
        return Overlap.unknown(people)
    if (count := cohorts_of(asked)) is not None:
        return Overlap.cohorts(count, people, apart)
    memory = tallies[0].mechanism.memory()
    if isinstance(asked, str):
        if asked != "estimate":
            raise InvalidInput(
                "overlap", "trend", "None, numbers, cohorts such as '1/7', or 'estimate'", asked
            )
        return _estimated(tallies, people, memory, apart)
    return Overlap.given(asked, people, apart, 0.0 if memory is None else memory.kappa)


def _estimated(
    tallies: list[Tally], people: Floats, memory: Memory | None, apart: Distances
) -> Overlap:
    """Correlations of what the cells hold beside the shares, pooled over windows equally far apart.

    One pair of windows has a standard error of ``1 / (kept sqrt(freedom))``.
    """
    leftover = None if memory is None else memory.leftover
    if leftover is None:
        raise Unfit(
            "overlap = 'estimate' needs memoized reports of local hashing with points to spare: others do "
            "not show how many answered twice; give a number, or None for errors that hold whatever it is"
        )
    rows = np.stack([leftover.of(tally.cells.astype(np.float64)) for tally in tallies])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = rows @ rows.T / leftover.kept
    _, which = np.unique(apart, return_inverse=True)
    which = which.reshape(apart.shape)
    sums, pairs = np.bincount(which.ravel(), weights=found.ravel()), np.bincount(which.ravel())
    one = 1 / (leftover.kept * np.sqrt(leftover.freedom))
    errors = one / np.sqrt(np.maximum(1.0, pairs / 4))
    return Overlap.estimated((sums / pairs)[which], errors[which], people)


def _earlier(positions: list[int], period: int | None) -> tuple[int | None, ...]:
    if period is None:
        return (None,) * len(positions)
    at = {position: index for index, position in enumerate(positions)}
    return tuple(at.get(position - period) for position in positions)
