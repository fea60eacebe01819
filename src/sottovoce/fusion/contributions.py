"""What each service contributes: its weight, its error alone, and the error without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sottovoce.base.errors import Unfit
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.fusion.distribution import fused_distribution
from sottovoce.fusion.mean import FusedMean
from sottovoce.fusion.parts import without
from sottovoce.fusion.services import Fusion
from sottovoce.metrics import jensen_shannon, wasserstein
from sottovoce.plots.figures import new_figure
from sottovoce.plots.numbers import INK, PALE, TRUTH

__all__ = ["Contributions", "contributions", "shape_contributions"]


@dataclass(frozen=True, eq=False)
class Contributions:
    """The fused mean, and what it would be without each of its services."""

    fused: FusedMean
    left_out: tuple[FusedMean | None, ...]
    """The mean without each service; None where nothing is left."""

    def frame(self) -> Frame:
        """Every service: weight, standard error alone and without it, and by how much that is more."""
        told, stderr = self.fused.services, self.fused.stderr
        rest = [None if one is None else one.stderr for one in self.left_out]
        return Frame(
            {
                "service": told["service"],
                "mechanism": told["mechanism"],
                "epsilon": told["epsilon"],
                "users": told["users"],
                "weight": told["weight"],
                "alone": told["stderr"],
                "without": ["nothing left" if one is None else one for one in rest],
                "more error": ["" if one is None else f"{one / stderr - 1:.1%}" for one in rest],
                "lost users": [
                    self.fused.n - (0 if one is None else one.n) for one in self.left_out
                ],
            }
        )

    def __str__(self) -> str:
        return f"{self.fused}, {self.fused.method}\n{self.frame()}"

    __repr__ = __str__

    def plot(self, *, title: str = "") -> Any:
        """Weights as bars; beside them the errors alone and without, and a line at that of all."""
        frame = self.frame()
        rows = range(len(frame))
        figure = new_figure(8.4, 1.5 + 0.4 * len(frame), purpose="Contributions.plot")
        left, right = figure.subplots(1, 2, sharey=True)
        left.barh(rows, frame["weight"], height=0.62, color=PALE)
        left.set_yticks(
            rows,
            [f"{s} ({e:g})" for s, e in zip(frame["service"], frame["epsilon"], strict=True)],
        )
        left.invert_yaxis()
        left.set_xlabel("weight in the fused mean")
        right.axvline(self.fused.stderr, color=INK, linewidth=1.2, label="all together")
        right.plot(frame["alone"], rows, "o", color=TRUTH, label="alone")
        rest = [(i, one.stderr) for i, one in enumerate(self.left_out) if one is not None]
        right.plot([e for _, e in rest], [i for i, _ in rest], "D", color=INK, label="without it")
        right.set_xlim(left=0)
        right.set_xlabel("standard error of the mean")
        right.legend(frameon=False, fontsize=9)
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)
        heading = title or f"{self.fused.n:,} users, {self.fused.method}"
        figure.suptitle(heading, x=0.01, ha="left", fontsize=11)
        return figure


def contributions(fusion: Fusion, method: str = "population") -> Contributions:
    """What each service does for the mean: everything is fused again without it.

    >>> import numpy as np
    >>> import sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=48)
    >>> slept = np.tile([6.25, 7.25, 8.25], 10_000)
    >>> services = [sv.mechanism("pm", hours, 0.5), sv.mechanism("sw", hours, 1.0)]
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> found = contributions(sv.fuse(services, reports, names=["clinic", "shop"]))
    >>> found.frame()["service"], found.frame()["without"][0] > found.fused.stderr
    (['clinic', 'shop'], True)
    """
    rest = [without(fusion, j) for j in range(len(fusion.names))]
    return Contributions(
        fusion.mean(method), tuple(None if part is None else part.mean(method) for part in rest)
    )


def shape_contributions(fusion: Fusion, inner: str = "em", **options: Any) -> Frame:
    """How far the fused distribution moves without each service.

    Over numbers the distance is the Wasserstein distance in their units, over other values
    the root of the Jensen-Shannon divergence.
    """
    if len(fusion.names) < 2:
        raise Unfit("there is no distribution without the only service: fuse two or more")
    whole = fusion.distribution(inner=inner, **options).require_shares("contributions")
    moved = []
    for j in range(len(fusion.names)):
        part = without(fusion, j)
        if part is None:
            raise Unfit(
                f"without {fusion.names[j]} no user is left: its users reported to no other service"
            )
        shares = fused_distribution(part, inner, options).require_shares("contributions")
        moved.append(_distance(shares, whole, fusion.domain))
    told = fusion.aligned.frame()
    return Frame(
        {name: told[name] for name in ("service", "mechanism", "epsilon", "users")}
        | {"moves it by": moved}
    )


def _distance(shares: Floats, whole: Floats, domain: Domain) -> float:
    if (numbers := domain.numbers) is not None:
        return float(wasserstein(shares, whole, domain=numbers))
    return float(jensen_shannon(shares, whole))
