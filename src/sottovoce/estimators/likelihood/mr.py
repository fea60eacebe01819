"""Mixture reduction: expectation-maximisation with fewer and fewer components.

A distribution over many values has more weights than noisy reports can tell.  Mixture
reduction fits them all, takes those that drown in noise (:mod:`sottovoce.estimators.likelihood.reduction`),
merges them into one component, or leaves them out, and fits again.  A step is kept while

    BIC = -2 log-likelihood + components log n

falls; the first that raises it is undone, and ends the reduction, as does having nothing below
the threshold or too few components left.  In the end members of a component have equal shares.

Reference: Ye, Wang, Zhang, Feng: Revisiting EM-based Estimation for Locally Differentially
Private Protocols, 2025, algorithms 1 and 3.  Unlike the authors' program this one does not
depend on the order of values that have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.trace import Reduction
from sottovoce.base.checks import check_choice, check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import Progress, silent
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.merged import Groups, MergedChannel, MergedRows
from sottovoce.channels.rows import Rows
from sottovoce.domains.base import Domain
from sottovoce.estimators.likelihood.em import em
from sottovoce.estimators.likelihood.mle import mle
from sottovoce.estimators.likelihood.reduction import (
    Choice,
    Smallest,
    Strategy,
    Window,
    noise_of_weights,
)
from sottovoce.estimators.observed import Fit, Observations, Rearranged

__all__ = ["mr"]

_INNER: dict[str, Callable[..., Fit]] = {"em": em, "mle": mle}


def mr(
    observed: Observations,
    *,
    operation: str = "merge",
    strategy: str = "auto",
    threshold: float = 2.0,
    least: int | None = None,
    initial: bool = False,
    protect: Iterable[Any] = (),
    merge_first: Iterable[Any] = (),
    inner: str = "em",
    progress: Progress | None = None,
) -> Fit:
    """Shares from as few components as the reports bear out.

    ``operation`` is ``"merge"`` or ``"prune"`` (components are left out, their shares 0);
    ``strategy`` ``"smallest"`` or ``"window"``, by default whichever suits the domain;
    ``threshold`` how many sigma a weight must reach to be spared; ``least`` the fewest
    components, a quarter of the values unless given.  ``initial`` begins with all
    values merged whose unbiased share is not positive.  What is known beforehand:
    ``protect`` are values that stay by themselves; ``merge_first`` are values that are one
    component (or none) from the start.  ``inner`` fits the weights: ``"em"``, stopped early, or
    ``"mle"``.
    ``progress(text, part)`` is called after every fit.
    """
    merging = check_choice(operation, "operation", "mr", ("merge", "prune")) == "merge"
    check_choice(inner, "inner", "mr", tuple(_INNER))
    domain, size = observed.domain, observed.channel.inputs
    fewest = max(1, size // 4) if least is None else check_int(least, "least", "mr", 1, size)
    protected = _marked(domain, protect, "protect")
    first = _marked(domain, merge_first, "merge_first")
    if (both := np.flatnonzero(protected & first)).size:
        raise InvalidInput("merge_first", "mr", "none of protect", domain.label(int(both[0])))
    if initial:
        first |= _not_positive(observed) & ~protected
    groups = _reduced(Groups.singles(size), tuple(np.flatnonzero(first).tolist()), merging)
    chosen = _strategy(strategy, observed, _checked(threshold), protected, merging)
    search = _Search(observed, inner, merging, progress)
    here = search.fit(groups, None)
    while choice := chosen.choose(here.groups, here.fit.shares, _room(here, fewest)):
        after = search.reduce(here, choice)
        if not search.trace[-1].kept:
            break
        here = after
    return search.result(here)


@dataclass(frozen=True, eq=False)
class _State:
    """Components with their fitted weights."""

    groups: Groups
    fit: Fit
    bic: float


def _progress_text(groups: Groups, bic: float) -> str:
    return f"mr: {groups.count} components, BIC {bic:.6g}"


class _Search:
    """The fits of one reduction, and what became of each."""

    def __init__(
        self, observed: Observations, inner: str, merging: bool, progress: Progress | None
    ) -> None:
        self._evidence, self._inner, self._merging = observed, inner, merging
        self._progress = progress or silent
        self._history: list[float] = []
        self.trace: list[Reduction] = []

    def fit(self, groups: Groups, start: Floats | None) -> _State:
        """The weights of these components, from those they had."""
        fit = _INNER[self._inner](_Reduced(self._evidence, groups), start=start)
        bic = -2 * fit.history[-1] + groups.count * math.log(self._evidence.n)
        self._history.extend(fit.history)
        self._progress(_progress_text(groups, bic), 1 - groups.count / len(groups.labels))
        return _State(groups, fit, bic)

    def reduce(self, here: _State, choice: Choice) -> _State:
        """One step, and whether it is kept: whether BIC falls."""
        groups = here.groups
        shares = groups.expand(here.fit.shares)
        taken = np.isin(groups.labels, choice.all)
        for chosen in _from_the_last(choice):
            groups = _reduced(groups, chosen, self._merging)
        if not self._merging:
            shares = np.where(taken, 0.0, shares)
        start = groups.gather(shares)
        after = self.fit(groups, start / start.sum())
        self.trace.append(
            Reduction(
                tuple(np.flatnonzero(taken).tolist()), len(choice.sets), choice.weight,
                choice.threshold, groups.count, after.bic - here.bic, after.bic < here.bic,
            )
        )  # fmt: skip
        return after

    def result(self, here: _State) -> Fit:
        """The shares of all values, and how they came about."""
        self._progress(_progress_text(here.groups, here.bic), 1.0)
        kept = [step for step in self.trace if step.kept]
        word = "merged" if self._merging else "left out"
        undone = "; one more step raised BIC and was undone" if len(kept) < len(self.trace) else ""
        why = (
            f"{here.groups.count} components for {len(here.groups.labels)} values, the others {word} "
            f"in {len(kept)} steps while BIC fell{undone}; {self._evidence.likelihood}"
        )
        shares = here.groups.expand(here.fit.shares)
        return Fit(
            shares / shares.sum(), here.fit.converged, len(self._history),
            tuple(self._history), here.fit.optimality, why, trace=tuple(self.trace),
        )  # fmt: skip


def _from_the_last(choice: Choice) -> list[tuple[int, ...]]:
    """Sets in such an order that taking one leaves the numbers of the next as they were."""
    return sorted(choice.sets, key=min, reverse=True)


def _reduced(groups: Groups, chosen: tuple[int, ...], merging: bool) -> Groups:
    if not chosen:
        return groups
    return groups.merge(chosen) if merging else groups.leave_out(chosen)


def _room(here: _State, fewest: int) -> int:
    """How many components may go."""
    return max(0, here.groups.count - fewest)


def _checked(threshold: float) -> float:
    number = check_real(threshold, "threshold", "mr", "a number above 0")
    if number <= 0:
        raise InvalidInput("threshold", "mr", "a number above 0", threshold)
    return number


def _marked(domain: Domain, values: Iterable[Any], option: str) -> NDArray[np.bool_]:
    """Which inputs were named."""
    marked = np.zeros(domain.size, dtype=np.bool_)
    named = [values] if domain.is_one(values) else list(values)
    if named:
        try:
            marked[domain.indices(named)] = True
        except InvalidInput as error:
            raise InvalidInput(option, "mr", f"values of {domain}", error.given) from error
    return marked


def _not_positive(observed: Observations) -> NDArray[np.bool_]:
    if observed.unbiased is None:
        hint = "The reports have no unbiased shares to begin with."
        raise InvalidInput("initial", "mr", f"False for {observed.name}", True, hint=hint)
    return observed.unbiased.shares <= 0


def _strategy(
    name: str,
    observed: Observations,
    threshold: float,
    protected: NDArray[np.bool_],
    merging: bool,
) -> Strategy:
    check_choice(name, "strategy", "mr", ("auto", "smallest", "window"))
    thresholds = threshold * noise_of_weights(observed)
    stretches = observed.domain.stretches
    if name == "window" and not stretches:
        hint = "Without an order there are no neighbors."
        raise InvalidInput("strategy", "mr", "smallest here", name, hint=hint)
    if name == "smallest" or not stretches:
        return Smallest(thresholds, protected, merging=merging)
    return Window(thresholds, protected, stretches, ring=observed.channel.ring, merging=merging)


@dataclass(frozen=True, eq=False)
class _Reduced(Rearranged):
    """The same reports, as evidence about components."""

    groups: Groups

    @cached_property
    def channel(self) -> Channel:
        return MergedChannel(self.whole.channel, self.groups)

    @property
    def cells(self) -> Floats:
        return self.whole.cells

    @cached_property
    def rows(self) -> Rows | None:  # type: ignore[override]
        rows = self.whole.rows
        return None if rows is None else MergedRows(rows, self.groups)

    @property
    def likelihood(self) -> str:
        return self.whole.likelihood
