"""What came out of comparing methods: a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput
from sottovoce.base.frame import Frame
from sottovoce.base.notebook import picture_html, result_html, text_html
from sottovoce.channels.base import Floats
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.estimators.compare.candidates import Candidate
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.estimators.run import run_method
from sottovoce.plots.figures import figure_with_axes
from sottovoce.plots.numbers import INK

__all__ = ["Comparison", "Contender", "ranked"]


@dataclass(frozen=True, eq=False)
class Contender:
    """A candidate, its error in every simulated survey, and the seconds of a run."""

    candidate: Candidate
    errors: Floats
    seconds: float

    @property
    def name(self) -> str:
        """The method, with what follows it."""
        return self.candidate.name

    @property
    def error(self) -> float:
        """Expected: the mean over the simulated surveys."""
        return float(self.errors.mean())

    @property
    def stderr(self) -> float:
        """The standard error of that mean."""
        return float(self.errors.std(ddof=1) / np.sqrt(len(self.errors)))

    def ratio(self, best: Contender) -> tuple[float, float]:
        """Its error over another's, and the standard error of that, in surveys that both were run on.

        To first order the ratio r of two means errs by the mean of ``a - r b``, divided by that of b.
        """
        both = min(len(self.errors), len(best.errors))
        a, b = self.errors[:both], best.errors[:both]
        if not b.any():
            return (float("inf"), float("inf")) if a.any() else (1.0, 0.0)
        ratio = float(a.mean() / b.mean())
        return ratio, float((a - ratio * b).std(ddof=1) / np.sqrt(both) / b.mean())


def ranked(contenders: Sequence[Contender]) -> tuple[Contender, ...]:
    """Best first: by the ratio to the best of those that ran most often."""
    most = max(len(one.errors) for one in contenders)
    often = [one for one in contenders if len(one.errors) == most]
    reference = min(often, key=lambda one: one.error)
    return tuple(sorted(contenders, key=lambda one: one.ratio(reference)[0]))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods ranked by expected error, best first, on ``replicates`` simulated surveys.

    ``left_out`` tells which candidates could not be run, and why; ``unfit`` which methods are
    no candidates.
    """

    observed: Tally | Reports
    goal: str
    measure: str
    """What an error is, in words."""
    contenders: tuple[Contender, ...]
    left_out: Mapping[str, str]
    unfit: Mapping[str, str]
    replicates: int

    @property
    def best(self) -> str:
        """The method of least expected error."""
        return self.contenders[0].name

    def estimate(self, name: str | None = None) -> Estimate:
        """The estimate by the best method, or by another one that was compared."""
        by_name = {one.name: one for one in self.contenders}
        if name is not None and name not in by_name:
            raise InvalidInput("name", "Comparison.estimate", f"one of {', '.join(by_name)}", name)
        chosen = self.contenders[0] if name is None else by_name[name]
        candidate = chosen.candidate
        found = run_method(
            self.observed, candidate.method, then=candidate.then, **candidate.options
        )
        warn_unless_converged(found)
        told = f"{self.why}; {found.why.partition('; ')[2]}" if name is None else found.why
        return replace(found, method=candidate.name, why=told.removesuffix("; "))

    @property
    def why(self) -> str:
        """Why the best was chosen, with the numbers."""
        first = self.contenders[0]
        said = (
            f"{first.name}: least {self.measure} in {self.replicates} simulated surveys: "
            f"{first.error:.3g} +- {first.stderr:.1g}"
        )
        if len(self.contenders) > 1:
            second = self.contenders[1]
            ratio, spread = second.ratio(first)
            said += f", {second.name} {ratio:.3g} +- {spread:.1g} times that"
        return f"{said}; intervals are those of the method, not of having chosen it by the answers"

    def frame(self) -> Frame:
        """A row a method, best first."""
        ratios = [one.ratio(self.contenders[0]) for one in self.contenders]
        return Frame(
            {
                "method": [one.name for one in self.contenders],
                "error": [one.error for one in self.contenders],
                "stderr": [one.stderr for one in self.contenders],
                "ratio": [ratio for ratio, _ in ratios],
                "ratio stderr": [spread for _, spread in ratios],
                "runs": [len(one.errors) for one in self.contenders],
                "seconds": [one.seconds for one in self.contenders],
            }
        )

    def plot(self, *, ax: Any = None) -> Any:
        """A matplotlib figure: the error of every method over the least, with two standard errors.

        With ``ax``, axes of a figure of your own, it is drawn there.
        """
        rows = np.arange(len(self.contenders))
        ratios = np.array([one.ratio(self.contenders[0]) for one in self.contenders])
        height = 1.3 + 0.26 * len(rows)
        figure, axes = figure_with_axes(7.2, height, purpose="Comparison.plot", ax=ax)
        axes.errorbar(
            ratios[:, 0], rows, xerr=2 * ratios[:, 1], fmt="o", color=INK, capsize=4, linewidth=1.6
        )
        axes.set_yticks(rows, [one.name for one in self.contenders])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        if ratios[:, 0].max() > 5:
            axes.set_xscale("log")
        else:
            axes.locator_params(axis="x", nbins=6)
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xlabel("error over the least")
        axes.set_title(self.measure, loc="left", fontsize="medium")
        axes.spines[["top", "right"]].set_visible(False)
        return figure

    def __str__(self) -> str:
        n = self.observed.n if isinstance(self.observed, Tally) else len(self.observed)
        heading = f"{self.measure}, {n:,} reports, {self.replicates} simulated surveys"
        missing = [f"left out: {name}: {reason}" for name, reason in self.left_out.items()]
        return "\n".join([heading, str(self.frame()), *missing])

    def _repr_html_(self) -> str:
        """The comparison, for a notebook."""
        heading = f"{self.best} is best of {len(self.contenders)}"
        picture = picture_html(self.plot, f"{self.measure} of every method over the least")
        return result_html(heading, text_html(self.why), picture, self.frame()._repr_html_())

    def __repr__(self) -> str:
        return f"<comparison for {self.goal!r}: {self.best} is best of {len(self.contenders)}>"
